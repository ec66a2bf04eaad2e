"""Servo gains and stiffness of a simulated robot, changed while it moves."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import Any

import numpy as np

from andante.description import JointType, Robot
from andante.errors import AndanteError, BadInput, UnknownName
from andante.geometry import Array
from andante.physics import Engine
from andante.physics.servos import ServoGains

MOST_GAIN = 1e6
LEAST = 0.01  # servos are never wholly off: the gears of a real one have friction
WHEEL_LAG = 0.02  # wheels without stated gains follow their speed within about this time [s]


def softened(gains: ServoGains, stiffness: Array) -> ServoGains:
    """Gains with kp, kd and the effort limit scaled by a fraction (joints,) from 0 to 1.

    1 is the servo as it is; an unlimited effort stays unlimited.
    """
    fraction = np.asarray(stiffness, dtype=float)
    if fraction.shape != gains.kp.shape or not ((fraction >= 0) & (fraction <= 1)).all():
        raise BadInput(f"stiffness must be a fraction from 0 to 1 for each of {len(gains.kp)} joints, got {fraction}")
    fraction = np.maximum(fraction, LEAST)
    return gains.changed(kp=gains.kp * fraction, kd=gains.kd * fraction, effort=gains.effort * fraction)


def stiffen_wheels(engine: Engine, model: int) -> None:
    """Stiffer speed servos for driven wheels whose file states none: m r² / (wheels · lag) each."""
    robot: Robot = engine.models[model].tree.robot
    if not any(joint.type is JointType.CONTINUOUS for joint in robot.movable):
        return
    from andante.kinematics import find_drive  # takes a while

    try:
        driven = [part for part in find_drive(robot).wheels if part.driven]
    except AndanteError:  # it has no wheels
        return
    gains = engine.gains[model]
    kv = np.array(gains.kv)
    for part in driven:
        if not any(fnmatchcase(part.joint, pattern) for pattern in robot.servos):
            i = robot.joint_names.index(part.joint)
            kv[i] = max(kv[i], robot.mass * part.wheel.radius**2 / (len(driven) * WHEEL_LAG))
    if not np.array_equal(kv, gains.kv):
        engine.set_gains(model, gains.changed(kv=kv))


class Servos:
    """Gains of one robot times the stiffness that user and behaviour ask for; sent when something changes."""

    def __init__(self, engine: Engine, model: int, names: tuple[str, ...]) -> None:
        self._engine, self._model, self.names = engine, model, names
        self._gains = self._sent = engine.commands[model].gains  # at full stiffness, and as the engine has them
        self.fraction = np.ones(len(names))  # of the user
        self._full = np.ones(len(names))
        self._behaviour = self._full
        self._asked: Array | None = None

    @property
    def gains(self) -> ServoGains:
        """Gains at full stiffness; those that somebody else gave the engine meanwhile count as such."""
        found = self._engine.commands[self._model].gains
        if found is not self._sent:
            self._gains = self._sent = found
        return self._gains

    def gain(self, which: str, joint: str = "") -> float:
        """pgain (kp) or dgain (kd) of a joint; without one the largest of all."""
        values = self.gains.kp if which == "pgain" else self.gains.kd
        return float(values[self._index(joint)] if joint else values.max(initial=0.0))

    def set_gain(self, which: str, value: float, joint: str = "") -> None:
        """Set pgain [N m/rad] or dgain [N m s/rad] of a joint, or of all joints."""
        if not (np.isfinite(value) and 0 <= value <= MOST_GAIN):
            raise BadInput(f"{which} must lie between 0 and {MOST_GAIN:g}, got {value}")
        name = {"pgain": "kp", "dgain": "kd"}[which]
        values = np.array(self.gains.kp if which == "pgain" else self.gains.kd)
        values[self._index(joint) if joint else slice(None)] = value
        self._send(self.gains.changed(**{name: values}))

    def set_stiffness(self, fraction: float, joints: Sequence[str] = ()) -> list[str]:
        """Set the user's fraction, 0 to 1, of the joints that fit any of the patterns; their names."""
        if not 0 <= fraction <= 1:
            raise BadInput(f"stiffness is a fraction between 0 and 1, got {fraction}")
        patterns = tuple(joints) or ("*",)
        chosen = [i for i, name in enumerate(self.names) if any(fnmatchcase(name, p) for p in patterns)]
        if not chosen:
            raise UnknownName.among("joint", ", ".join(patterns), self.names)
        self.fraction = self.fraction.copy()
        self.fraction[chosen] = fraction
        self._send(self.gains)
        return [self.names[i] for i in chosen]

    def follow(self, behaviour: Array | None) -> None:
        """Take the fraction (joints,) that a behaviour asks for now; None: full strength. The same again is free."""
        if behaviour is self._asked:
            return
        self._asked = behaviour
        wanted = self._full if behaviour is None else behaviour
        changed = not np.array_equal(wanted, self._behaviour)
        self._behaviour = wanted
        if changed:
            self._send(self.gains)

    def save(self) -> tuple[Any, ...]:
        """Everything that decides the gains."""
        return self._gains, self._sent, self.fraction, self._behaviour, self._asked

    def load(self, state: tuple[Any, ...]) -> None:
        """Put back what `save` gave; the engine's gains are restored by itself."""
        self._gains, self._sent, self.fraction, self._behaviour, self._asked = state

    def _send(self, gains: ServoGains) -> None:
        self._gains, self._sent = gains, softened(gains, self.fraction * self._behaviour)
        self._engine.set_gains(self._model, self._sent)

    def _index(self, joint: str) -> int:
        if joint not in self.names:
            raise UnknownName.among("joint", joint, self.names)
        return self.names.index(joint)
