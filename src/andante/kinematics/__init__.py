"""Chains, wheels and parallel robots: forward and inverse kinematics over plain arrays."""

from .chain import Chain
from .ik.options import Result, Solution, Solutions
from .legs import Legs, solve_legs
from .parallel import BasePose, Parallel, parallel
from .paths import DHRow, chain, dh_chain, dh_matrix, load_dh
from .wheels.base import ChassisMotion, Degrees, WheelBase, WheelMotion
from .wheels.drive import Drive, DriveWheel
from .wheels.families import ackermann, differential, mecanum, omni, skid_steer, tricycle
from .wheels.finder import find_drive
from .wheels.wheel import (
    CasterWheel,
    Center,
    FixedWheel,
    SphericalWheel,
    SteeredWheel,
    SwedishWheel,
    Wheel,
    instantaneous_center,
    integrate,
    integrate_path,
    twist_between,
)

__all__ = [
    "BasePose", "CasterWheel", "Center", "Chain", "ChassisMotion", "DHRow", "Degrees", "Drive", "DriveWheel",
    "FixedWheel", "Legs", "Parallel", "Result", "Solution", "Solutions", "SphericalWheel", "SteeredWheel",
    "SwedishWheel", "Wheel", "WheelBase", "WheelMotion", "ackermann", "chain", "dh_chain", "dh_matrix", "differential",
    "find_drive", "instantaneous_center", "integrate", "integrate_path", "load_dh", "mecanum", "omni", "parallel",
    "skid_steer", "solve_legs", "tricycle", "twist_between",
]  # fmt: skip
