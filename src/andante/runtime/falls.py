"""Whether a robot lies on the ground, by the simulator's truth: for measuring, never for control."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from andante.geometry import Array, so3
from andante.physics import Engine


@dataclass(frozen=True)
class FallRule:
    """A robot has fallen when its root leans too far from how it stood, or its centre of mass has sunk too low."""

    lean: float = np.radians(60)  # [rad]
    height_share: float = 0.5  # of the height at which the centre of mass stood

    def fallen(self, start: Stance, now: Stance) -> bool:
        """Compare how it stands with how it stood."""
        world_up = np.array([0.0, 0.0, 1.0])
        up_then = so3.from_quaternion(start.root[3:]).T @ world_up  # seen from the root
        up_now = so3.from_quaternion(now.root[3:]) @ up_then
        return bool(up_now[2] < np.cos(self.lean) or now.height < self.height_share * start.height)


@dataclass(frozen=True)
class Stance:
    """Root pose x y z qx qy qz qw, and height of the centre of mass over the ground that the robot started on [m]."""

    root: Array
    height: float


def stance(engine: Engine, actor: int, ground: float) -> Stance:
    """How an actor stands now; ground is the height it started on [m]."""
    bodies = engine.actors[actor].tree.bodies
    poses = engine.body_poses(actor)
    masses = np.array([body.inertia.mass for body in bodies])
    coms = np.array([body.inertia.com for body in bodies])
    heights = poses[:, 2] + (so3.from_quaternion(poses[:, 3:]) @ coms[..., None])[:, 2, 0]
    total = masses.sum()
    height = float(masses @ heights / total) if total > 0 else float(poses[0, 2])
    return Stance(poses[0], height - ground)
