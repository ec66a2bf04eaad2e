"""Four physics engines behind one model: the `Engine` protocol, servos, contacts, rays, snapshots, pictures."""

from typing import TYPE_CHECKING

from andante.lazy import lazy_names

if TYPE_CHECKING:
    from .actuators import ACTUATORS, ActuatorDrive, CascadeDrive, TorqueServoDrive, fitted
    from .checks import CHECKS, CheckResult, check_engine
    from .commands import Drive, JointState, Push, ServoGains, ServoOrder, Snapshot, default_gains
    from .engine import Engine
    from .identified import RobotParameters, servo_drive
    from .model import Model
    from .registry import ENGINES, EngineEntry, engine_class, installed
    from .rendering import Camera
    from .rendering.renderer import Renderer, rest_poses
    from .rendering.video import VideoWriter, film_strip
    from .state import Contacts, Mode, RayHits, Settings
    from .tree import BodyTree, body_tree

__all__ = [
    "ACTUATORS", "CHECKS", "ENGINES", "ActuatorDrive", "BodyTree", "Camera", "CascadeDrive", "CheckResult", "Contacts",
    "Drive", "Engine", "EngineEntry", "JointState", "Mode", "Model", "Push", "RayHits", "Renderer", "RobotParameters",
    "ServoGains", "ServoOrder", "Settings", "Snapshot", "TorqueServoDrive", "VideoWriter", "body_tree", "check_engine",
    "default_gains", "engine_class", "film_strip", "fitted", "installed", "rest_poses", "servo_drive",
]  # fmt: skip

__getattr__ = lazy_names(__name__)  # most load compiled code, the renderer MuJoCo
