"""What a robot really did and whether it lies, by the simulator's truth: for measuring, never for control."""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from andante._moved import renamed
from andante.control.walking import Measure
from andante.description.shapes import Plane
from andante.description.solids import bounds
from andante.description.world import World
from andante.errors import AndanteError
from andante.geometry import Array, so3
from andante.physics import Engine
from andante.physics.bounds import check_bounds

if TYPE_CHECKING:
    from .simulation import Simulation


class TrueWalk(Measure):
    """Way, drift and unwrapped turn of the root by the simulator's truth. It looks on as an observer."""

    def __init__(self, sim: Simulation, rate: float = 50.0) -> None:
        self._sim, self._rate, self._count = sim, rate, 0
        self._turned = heading(sim)
        self._start, self._first = sim.base_pose.copy(), self._turned
        self._rows: list[list[float]] = []
        sim.observers.append(self)

    @property
    def next_time(self) -> float:
        """When the next look is due [s]."""
        return self._count / self._rate

    def update(self, sim: Simulation) -> None:
        """Look."""
        self._turned += math.remainder(heading(sim) - self._turned, 2 * math.pi)
        self._count = round(sim.time * self._rate) + 1
        x, y = sim.base_pose[:2].tolist()
        self._rows.append([sim.time, x, y, self._turned])

    def start(self) -> None:
        """Count from here on."""
        self._rows.clear()
        self.update(self._sim)
        self._start, self._first = self._sim.base_pose.copy(), self._turned

    @property
    def moved(self) -> tuple[float, float, float]:
        """Along x and y of the world [m], turned [rad]."""
        x, y, _ = (self._sim.base_pose[:3] - self._start[:3]).tolist()
        return x, y, self._turned - self._first

    @property
    def path(self) -> Array:
        """(n, 4) t [s], x, y [m], unwrapped yaw [rad] since the start, as from there."""
        rows = np.array(self._rows).reshape(-1, 4)
        moved: Array = rows - np.array([rows[0, 0] if len(rows) else 0.0, *self._start[:2], self._first])
        return moved

    @property
    def fallen(self) -> bool:
        """Whether it lies; a simulation that has flown apart raises `Diverged`."""
        check_bounds(self._sim.engine)
        return self._sim.fallen


def heading(sim: Simulation) -> float:
    """True yaw of the root [rad]."""
    rotation: Array = so3.from_quaternion(sim.base_pose[3:])
    return math.atan2(rotation[1, 0], rotation[0, 0])


@renamed()
@dataclass(frozen=True)
class FallRule:
    """A robot has fallen when its root leans too far from how it stood, or its center of mass has sunk too low."""

    lean: float = np.radians(60)  # [rad]
    height_fraction: float = field(default=0.5, metadata={"was": "height_share"})  # of the first height of the mass

    def fallen(self, start: Stance, now: Stance) -> bool:
        """Compare how it stands with how it stood.

        What was up at the start, told in the axes of the root, is now off the vertical by the lean: its height is the
        product of the last rows of both rotations.
        """
        upright = float(_third_row(start.root[3:]) @ _third_row(now.root[3:]))
        return bool(upright < np.cos(self.lean) or now.height < self.height_fraction * start.height)


@dataclass(frozen=True)
class Stance:
    """Root pose x y z qx qy qz qw, and height of the center of mass over the ground that the robot started on [m]."""

    root: Array
    height: float


def stance(engine: Engine, model: int, ground: float) -> Stance:
    """How a model stands now; ground is the height it started on [m]."""
    masses, coms = engine.models[model].tree.weights
    poses = engine.body_poses(model)
    total = masses.sum()
    if not total > 0:
        return Stance(poses[0], float(poses[0, 2]) - ground)
    heights = poses[:, 2] + np.sum(_third_row(poses[:, 3:]) * coms, axis=1)
    return Stance(poses[0], float(masses @ heights / total) - ground)


def _third_row(quaternion: Array) -> Array:
    """Last row of the rotations of quaternions (..., 4) x y z w: how high each axis points, (..., 3)."""
    x, y, z, w = quaternion.T
    scale = 2.0 / (x * x + y * y + z * z + w * w)
    return np.array([scale * (x * z - y * w), scale * (y * z + x * w), 1.0 - scale * (x * x + y * y)]).T


class Depth:
    """Tells when a robot has been below everything that stands still in its world for a while: nothing catches it."""

    LEAST = 0.5  # below the lowest shape [m]
    PATIENCE = 1.0  # [s]

    def __init__(self, sim: Simulation) -> None:
        self._sim = sim
        self._floor = lowest(sim.engine.world, sim.ground) - self.LEAST
        self._since = math.inf

    @property
    def word(self) -> str:
        """Why the run is over, empty while it is not; to be asked again and again."""
        z = float(self._sim.base_pose[2])
        if not z < self._floor:
            self._since = math.inf
            return ""
        self._since = min(self._since, self._sim.time)
        if self._sim.time - self._since < self.PATIENCE:
            return ""
        return (
            f"the robot has been below the world for {self.PATIENCE:g} s (z = {z:.1f} m): nothing carries it where it "
            "began; start it elsewhere, or give the ground of the world a collision shape"
        )


def lowest(world: World, ground: float) -> float:
    """Lowest point of what stands still in a world [m]; the ground where nothing does, -inf where that has no end."""
    found = [ground]
    for placement in (each for each in world.models if each.fixed):
        poses = placement.robot.link_poses()
        for link in placement.robot.links:
            for shape in link.collisions:
                pose = placement.pose @ poses[link.name] @ shape.pose
                if not isinstance(shape.geometry, Plane):
                    with suppress(AndanteError):
                        found.append(float(bounds(shape.geometry, pose)[0][2]))
                elif float(pose.rotation[2] @ np.asarray(shape.geometry.normal)) > 0.999:
                    found.append(float(pose.translation[2]))
                else:
                    return -math.inf
    return min(found)
