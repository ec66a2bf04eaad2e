"""Whether a robot lies on the ground, by the simulator's truth: for measuring, never for control."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from andante.geometry import Array, so3


@dataclass(frozen=True)
class FallRule:
    """A robot has fallen when its root leans too far from how it stood, or has sunk below a share of its height."""

    lean: float = np.radians(60)  # [rad]
    height_share: float = 0.45

    def fallen(self, start: Array, now: Array) -> bool:
        """Compare root poses x y z qx qy qz qw, heights above the ground that the robot stood on."""
        up_then = so3.from_quaternion(start[3:]).T @ np.array([0.0, 0.0, 1.0])  # world up, seen from the root
        up_now = so3.from_quaternion(now[3:]) @ up_then
        return bool(up_now[2] < np.cos(self.lean) or now[2] < self.height_share * start[2])
