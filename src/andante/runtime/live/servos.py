"""Servo gains and stiffness of a live robot, changed while it moves."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase

import numpy as np

from andante.errors import BadInput, UnknownName
from andante.geometry import Array
from andante.physics import Engine
from andante.physics.servos import ServoGains
from andante.runtime.stiffness import softened

MOST_GAIN = 1e6


class LiveServos:
    """Gains of one actor times the share that the user and the behaviour ask for; sent when something changes."""

    def __init__(self, engine: Engine, actor: int, names: tuple[str, ...]) -> None:
        self._engine, self._actor, self.names = engine, actor, names
        self.gains: ServoGains = engine.commands[actor].gains  # at full stiffness
        self.share = np.ones(len(names))  # of the user
        self._behaviour = np.ones(len(names))

    def gain(self, which: str, joint: str = "") -> float:
        """pgain (kp) or dgain (kd) of a joint; without one the largest of all."""
        values = self.gains.kp if which == "pgain" else self.gains.kd
        return float(values[self._index(joint)] if joint else values.max(initial=0.0))

    def set_gain(self, which: str, value: float, joint: str = "") -> None:
        """Set pgain [N m/rad] or dgain [N m s/rad] of a joint, or of all joints."""
        if not (np.isfinite(value) and 0 <= value <= MOST_GAIN):
            raise BadInput(f"{which} must lie between 0 and {MOST_GAIN:g}, got {value}")
        name = {"pgain": "kp", "dgain": "kd"}[which]
        values = np.array(getattr(self.gains, name))
        values[self._index(joint) if joint else slice(None)] = value
        self.gains = self.gains.changed(**{name: values})
        self._send()

    def set_stiffness(self, share: float, joints: Sequence[str] = ()) -> list[str]:
        """Set the user's share, 0 to 1, of the joints that fit any of the patterns; their names."""
        if not 0 <= share <= 1:
            raise BadInput(f"stiffness is a share between 0 and 1, got {share}")
        patterns = tuple(joints) or ("*",)
        chosen = [i for i, name in enumerate(self.names) if any(fnmatchcase(name, p) for p in patterns)]
        if not chosen:
            raise UnknownName.among("joint", ", ".join(patterns), self.names)
        self.share = self.share.copy()
        self.share[chosen] = share
        self._send()
        return [self.names[i] for i in chosen]

    def follow(self, behaviour: Array | None) -> None:
        """Take the share that the behaviour asks for now; None: full strength."""
        if behaviour is self._behaviour:
            return
        wanted = np.ones(len(self.names)) if behaviour is None else behaviour
        changed = not np.array_equal(wanted, self._behaviour)
        self._behaviour = wanted
        if changed:
            self._send()

    def _send(self) -> None:
        whole = self.share * self._behaviour
        self._engine.set_gains(self._actor, softened(self.gains, whole))

    def _index(self, joint: str) -> int:
        if joint not in self.names:
            raise UnknownName.among("joint", joint, self.names)
        return self.names.index(joint)
