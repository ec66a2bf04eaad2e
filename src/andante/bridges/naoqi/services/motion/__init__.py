"""ALMotion: stiffness, joints, walking, cartesian moves, the body."""

from __future__ import annotations

from .balance import BalanceMethods
from .body import BodyMethods
from .cartesian import CartesianMethods
from .joints import JointMethods
from .walk import WalkMethods


class Motion(JointMethods, WalkMethods, CartesianMethods, BalanceMethods, BodyMethods):
    """Moves the robot."""

    name = "ALMotion"

    def stop_walking(self) -> None:
        """End whatever walks, and wait."""
        self.stopMove()


__all__ = ["Motion"]
