"""Whether a robot lies on the ground, by the simulator's truth: for measuring, never for control."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from andante.geometry import Array
from andante.physics import Engine


@dataclass(frozen=True)
class FallRule:
    """A robot has fallen when its root leans too far from how it stood, or its center of mass has sunk too low."""

    lean: float = np.radians(60)  # [rad]
    height_fraction: float = 0.5  # of the height at which the center of mass stood

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
