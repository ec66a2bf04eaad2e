"""Four physics engines behind one model: the `Engine` protocol, servos, contacts, rays, snapshots, pictures."""

from .checks import CHECKS, CheckResult, check_engine
from .commands import Drive, JointState, Push, ServoOrder, Snapshot
from .engine import Actor, Engine
from .registry import ENGINES, engine_class, installed
from .servos import ServoGains, default_gains
from .state import Contacts, Mode, RayHits, Settings
from .tree import BodyTree, body_tree

__all__ = [
    "CHECKS",
    "ENGINES",
    "Actor",
    "BodyTree",
    "CheckResult",
    "Contacts",
    "Drive",
    "Engine",
    "JointState",
    "Mode",
    "Push",
    "RayHits",
    "ServoGains",
    "ServoOrder",
    "Settings",
    "Snapshot",
    "body_tree",
    "check_engine",
    "default_gains",
    "engine_class",
    "installed",
]
