"""Control of one robot: its body, what it does, who commands it, and what happens when it falls."""

from typing import TYPE_CHECKING

from andante.lazy import lazy_names

if TYPE_CHECKING:
    from . import machines
    from .activities import Acting, Playing
    from .activity_manager import ActivityManager
    from .body import Body, BodyCommand, BodyState, Health, JointTarget, Power
    from .fall_supervisor import FallSupervisor
    from .loop import ControlLoop
    from .teleop_mux import TeleopMux
    from .tracking import Tracking
    from .view import RobotView
    from .walking import WalkGoal, WalkGuide, walk_to

__all__ = [
    "Acting", "ActivityManager", "Body", "BodyCommand", "BodyState", "ControlLoop", "FallSupervisor", "Health",
    "JointTarget", "Playing", "Power", "RobotView", "TeleopMux", "Tracking", "WalkGoal", "WalkGuide", "machines",
    "walk_to",
]  # fmt: skip

__getattr__ = lazy_names(__name__)
