"""Motion: curves, time scaling, poses, key-frames and actions; everything is joint positions over time in the end."""

from .action_binding import BoundAction, bind
from .action_check import check_action, check_keyframes, check_motion, check_set
from .action_plan import Planned, plan_step
from .action_runner import ActionRunner
from .action_text import parse_actions
from .actions import Action, ActionSet, Call, Group, Reach, Step, Take, Turn, Wait
from .bezier import Bezier
from .curve import ArcLength, Curve
from .joint_motion import JointMotion, Move, Sampled
from .keyframe_check import fit
from .keyframe_play import Played, play_from
from .keyframes import Key, Keyframes, Repeat
from .limits import MotionLimits
from .moves import Fading, synchronised
from .nurbs import Nurbs
from .path_timing import TimedPath, time_path
from .pose_spline import PoseSpline
from .poses import transition
from .profiles import Profile, s_curve, trapezoid
from .rotation_spline import RotationSpline
from .self_collision import SelfCollision

__all__ = [
    "Action",
    "ActionRunner",
    "ActionSet",
    "ArcLength",
    "Bezier",
    "BoundAction",
    "Call",
    "Curve",
    "Fading",
    "Group",
    "JointMotion",
    "Key",
    "Keyframes",
    "MotionLimits",
    "Move",
    "Nurbs",
    "Planned",
    "Played",
    "PoseSpline",
    "Profile",
    "Reach",
    "Repeat",
    "RotationSpline",
    "Sampled",
    "SelfCollision",
    "Step",
    "Take",
    "TimedPath",
    "Turn",
    "Wait",
    "bind",
    "check_action",
    "check_keyframes",
    "check_motion",
    "check_set",
    "fit",
    "parse_actions",
    "plan_step",
    "play_from",
    "s_curve",
    "synchronised",
    "time_path",
    "transition",
    "trapezoid",
]
