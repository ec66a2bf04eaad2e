"""Control of one robot: its body, what it does, who commands it, and what happens when it falls."""

from .activity_manager import ActivityManager
from .body import Body, BodyCommand, BodyState, Health, JointTarget, Power
from .fall_supervisor import FallSupervisor
from .loop import ControlLoop
from .teleop_mux import Pilot
from .tracking import Tracking
from .view import RobotView
from .walking import WalkGoal, WalkGuide, walk_to

__all__ = [
    "ActivityManager",
    "Body",
    "BodyCommand",
    "BodyState",
    "ControlLoop",
    "FallSupervisor",
    "Health",
    "JointTarget",
    "Pilot",
    "Power",
    "RobotView",
    "Tracking",
    "WalkGoal",
    "WalkGuide",
    "walk_to",
]
