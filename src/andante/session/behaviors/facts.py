"""What expressions of a state machine know of the robot: sensors and its own estimate, never the simulator's truth."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from andante.control.machines.check import machine_names

from .eyes import HELP as EYES_HELP
from .eyes import Eyes

if TYPE_CHECKING:
    from andante.control.machines import Machine
    from andante.session.session import LiveSession
    from andante.session.stage import Stage

HELP = {
    "pose": "x, y [m], theta [rad] in the frame of the start, as the robot believes",
    "standing": "whether the robot has come to rest",
    "upright": "whether the body is upright, by the IMU",
    "falling": "whether the fall manager has the joints",
    "activity": "what the robot does in a word: balance, drive, motion ...",
    "joints": "joints['HeadYaw']: encoders [rad or m]",
    "touch": "touch['Head/Touch/Front']: whether a bumper, pad or button is pressed",
    "sonar": "sonar['Sonar/Left']: nearest range of each sonar or lidar [m]; inf: nothing",
    "load": "load['l_ankle']: force of all load cells of a link [N]",
    "battery": "voltage [V]; nan: not measured",
}


class Facts(Mapping[str, Any]):
    """Facts by name, each asked for when it is used."""

    def __init__(self, session: LiveSession, switches: Callable[[], Mapping[str, bool]] | None = None) -> None:
        self._session = session
        self._switches = switches or (lambda: self._stage.state.pressed)
        self._tables: dict[str, Callable[[], Any]] = {
            "pose": self._pose,
            "standing": lambda: bool(self._stage.activities.present.resting and not self._stage.activities.waiting),
            "upright": lambda: self._stage.upright,
            "falling": lambda: self._stage.supervisor is not None and self._stage.supervisor.busy,
            "activity": lambda: self._session.behaviour,
            "joints": self._joints,
            "touch": lambda: {name: bool(on) for name, on in self._switches().items()},
            "sonar": lambda: {name: _nearest(values) for name, values in self._stage.state.ranges.items()},
            "load": lambda: {link: float(np.nansum(cells)) for link, cells in self._stage.state.forces.items()},
            "battery": lambda: float(self._stage.state.power.voltage),
        }
        self.help = dict(HELP)
        self.eyes: Eyes | None = None
        if not session.real and any(spec.kind == "camera" for spec in self._stage.robot.sensors):
            self.eyes = Eyes(session)
            for name, ask in self.eyes.facts().items():
                self.add(name, ask, EYES_HELP[name])

    def add(self, name: str, ask: Callable[[], Any], help: str) -> None:
        """One more fact, such as what the eyes see."""
        self._tables[name], self.help[name] = ask, help

    # ---- senses that cost time ---------------------------------------------------------------------
    def wake(self, machine: Machine) -> None:
        """Turn on what a machine that starts now asks for."""
        if self.eyes is not None:
            self.eyes.wake(frozenset(EYES_HELP) & machine_names(machine))

    def look(self) -> None:
        """A control period is over."""
        if self.eyes is not None:
            self.eyes.look()

    def rest(self) -> None:
        """The machine has ended."""
        if self.eyes is not None:
            self.eyes.rest()

    def __getitem__(self, name: str) -> Any:
        return self._tables[name]()

    def __contains__(self, name: object) -> bool:
        return name in self._tables

    def __iter__(self) -> Iterator[str]:
        return iter(self._tables)

    def __len__(self) -> int:
        return len(self._tables)

    @property
    def _stage(self) -> Stage:
        return self._session.stage

    def _pose(self) -> dict[str, float]:
        x, y, theta = (float(v) for v in self._stage.position)
        return {"x": x, "y": y, "theta": theta}

    def _joints(self) -> dict[str, float]:
        return dict(zip(self._stage.robot.joint_names, self._stage.state.position.tolist(), strict=True))


def _nearest(values: Any) -> float:
    found = [float(v) for v in np.ravel(values) if math.isfinite(v)]
    return min(found) if found else math.inf
