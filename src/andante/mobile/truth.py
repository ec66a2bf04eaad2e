"""What a driving robot did: by the simulator's truth, or by its own estimate. For measuring only, never for control."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from andante.geometry import Array, so3
from andante.simulation.simulation import Simulation

CONTACT_RATE = 100.0  # how often contacts are looked at [Hz]
PATH_EVERY = 5  # looks between two places of the kept path
STEEPEST = 0.7  # contacts whose normal points up by less than this are no ground (45 degrees)


@dataclass(frozen=True)
class Collision:
    """The first touch of something that is not ground."""

    time: float  # [s]
    link: str  # of the robot
    thing: str  # model that was touched
    place: Array  # (3,) world [m]

    def __str__(self) -> str:
        return f"{self.link} touched {self.thing} at {self.time:.2f} s"


class DriveMeasure(ABC):
    """Where a robot went, and what it touched."""

    length = 0.0  # way of the root over the floor [m]
    collision: Collision | None = None

    def __init__(self) -> None:
        self._path: list[Array] = []

    @property
    @abstractmethod
    def pose(self) -> Array:
        """x, y, yaw of the root link in the world [m, m, rad]."""

    @property
    @abstractmethod
    def fallen(self) -> bool:
        """Whether it lies on the ground."""

    @property
    def path(self) -> Array:
        """Times and poses of the root link so far, (n, 4) t, x, y, yaw."""
        return np.array(self._path).reshape(-1, 4)

    @property
    def collided(self) -> bool:
        """Whether something other than ground was touched."""
        return self.collision is not None

    def keep(self, time: float) -> None:
        """Note the present place."""
        here = np.array([time, *self.pose])
        if self._path:
            self.length += float(np.hypot(*(here - self._path[-1])[1:3]))
        self._path.append(here)


class DrivenEstimate(DriveMeasure):
    """What a real robot believes of its own way. Nobody tells what it touches, nor whether it fell."""

    fallen = False

    def __init__(self, start: ArrayLike) -> None:
        super().__init__()
        self._pose = np.array(start, dtype=float)

    @property
    def pose(self) -> Array:
        """As it was told last."""
        return self._pose

    def report(self, time: float, pose: Array) -> None:
        """It believes to be at a pose x, y, yaw of the root link in the world."""
        self._pose = np.array(pose, dtype=float)
        self.keep(time)


class DrivenTruth(DriveMeasure):
    """An observer: true pose, path and the first collision of a robot on the ground.

    A contact counts as collision when it is with another model and does not carry the robot: its normal leans by more
    than 45 degrees from straight up.
    """

    def __init__(self, sim: Simulation) -> None:
        super().__init__()
        self._sim = sim
        self._names = [link.name for link in sim.robot.links]
        self._looks = 0
        self.next_time = sim.time

    @property
    def pose(self) -> Array:
        """True x, y, yaw of the root link in the world [m, m, rad]."""
        base = self._sim.base_pose
        yaw = so3.to_rpy(so3.from_quaternion(base[3:]))[2]
        return np.array([base[0], base[1], float(yaw)])

    @property
    def fallen(self) -> bool:
        """By the simulator's rule."""
        return self._sim.fallen

    def update(self, sim: Simulation) -> None:
        """Look at the contacts; keep the place."""
        self.next_time = (round(sim.time * CONTACT_RATE) + 1) / CONTACT_RATE
        if self._looks % PATH_EVERY == 0:
            self.keep(sim.time)
        self._looks += 1
        if self.collision is None:
            self._look(sim)

    def _look(self, sim: Simulation) -> None:
        touched = sim.engine.contacts_of(sim.model)
        felt = (touched.depth > 0) | (np.abs(touched.force).max(axis=-1, initial=0.0) > 1e-9)
        hit = np.flatnonzero((touched.model_b != sim.model) & (touched.normal[:, 2] < STEEPEST) & felt)
        if len(hit):
            i = int(hit[0])
            thing = sim.engine.models[int(touched.model_b[i])].name
            self.collision = Collision(sim.time, self._names[int(touched.link_a[i])], thing, touched.position[i].copy())
