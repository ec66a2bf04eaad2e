"""Walking, rolling and balancing as pure functions of sensor readings: readings and a command in, joint targets out.

Everything but the protocol itself is imported when it is first used: gaits bring compiled kernels with them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from andante.lazy import lazy_names

from .behaviour import Behaviour, Command, HoldPose, Readings, Walker, WalkerWrapper

if TYPE_CHECKING:
    from .biped.settings import BipedSettings
    from .biped.step_plan import PlannedStep
    from .biped.walk import BipedWalk
    from .falls.detector import FallDetector, FallRules
    from .falls.get_up import GetUp, GetUpSettings
    from .falls.manager import FallEvent, FallManager, FallState
    from .falls.pose_routes import pose_route, standing_poses
    from .gaits import Gait, Prepared, Request, prepare, register
    from .io.fall_library import fall_motions
    from .io.rig_file import read_rig, rig_for, write_rig
    from .legged.body_motion import BodyMotion, BodyPose, circle
    from .legged.gait import LeggedGait, LeggedSettings
    from .legged.patterns import GaitPattern, pattern
    from .rigs.balance import Balance
    from .rigs.infer import infer_rig
    from .rigs.rig import Leg, Rig, check_rig, with_rig
    from .wave.fitness import WaveStatistics, better_fitness, source_fitness, statistics
    from .wave.gait import WaveGait, playback, wave_keyframes
    from .wave.model import WaveModel, WaveParameters, default_gait

__all__ = [
    "Balance", "Behaviour", "BipedSettings", "BipedWalk", "BodyMotion", "BodyPose", "Command", "FallDetector",
    "FallEvent", "FallManager", "FallRules", "FallState", "Gait", "GaitPattern", "GetUp", "GetUpSettings", "HoldPose",
    "Leg", "LeggedGait", "LeggedSettings", "PlannedStep", "Prepared", "Readings", "Request", "Rig", "Walker",
    "WalkerWrapper", "WaveGait", "WaveModel", "WaveParameters", "WaveStatistics", "better_fitness", "check_rig",
    "circle", "default_gait", "fall_motions", "infer_rig", "pattern", "playback", "pose_route", "prepare", "read_rig",
    "register", "rig_for", "source_fitness", "standing_poses", "statistics", "wave_keyframes", "with_rig", "write_rig",
]  # fmt: skip

__getattr__ = lazy_names(__name__)
