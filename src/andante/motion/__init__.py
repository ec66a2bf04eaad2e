"""Motion: curves, time scaling, poses, key-frames and actions; everything is joint positions over time in the end."""

from typing import TYPE_CHECKING

from andante.lazy import lazy_names

from .actions.check import SelfCollision, check_action, check_keyframes, check_motion, check_set
from .actions.model import Action, ActionSet, BoundAction, Call, Group, Reach, Step, Take, Turn, Wait, bind
from .actions.plan import Planned, plan_step
from .actions.runner import ActionRunner
from .actions.text import parse_actions
from .curves.curve import ArcLength, Bezier, Curve
from .curves.nurbs import Nurbs
from .curves.pose_spline import PoseSpline, RotationSpline
from .joint_motion import Chained, Fading, JointMotion, MotionLimits, Move, Sampled, synchronized, transition, vector_of
from .keyframes import Key, Keyframes, Played, Repeat, fit, play_from
from .timing import Profile, TimedPath, s_curve, smoothstep, time_path, trapezoid

if TYPE_CHECKING:
    from .io.library import find_motion, write_keyframes_toml

__all__ = [
    "Action", "ActionRunner", "ActionSet", "ArcLength", "Bezier", "BoundAction", "Call", "Chained", "Curve", "Fading",
    "Group", "JointMotion", "Key", "Keyframes", "MotionLimits", "Move", "Nurbs", "Planned", "Played", "PoseSpline",
    "Profile", "Reach", "Repeat", "RotationSpline", "Sampled", "SelfCollision", "Step", "Take", "TimedPath", "Turn",
    "Wait", "bind", "check_action", "check_keyframes", "check_motion", "check_set", "find_motion", "fit",
    "parse_actions", "plan_step", "play_from", "s_curve", "smoothstep", "synchronized", "time_path", "transition",
    "trapezoid", "vector_of", "write_keyframes_toml",
]  # fmt: skip

__getattr__ = lazy_names(__name__)
