"""Position servos for legs that carry a robot on two feet, from its mass and height."""

from __future__ import annotations

import math
from fnmatch import fnmatchcase

from andante.description import Robot
from andante.gravity import GRAVITY

from .rig import Rig

STIFFNESS = 11.0  # of a leg joint, in what the falling robot pulls with: m g h [N m/rad]
SETTLING = 0.12  # kd / kp, in the time of the falling robot, sqrt(h / g)
CRITICAL = 0.25  # rotor inertia at which kd damps the drive critically, in kd² / kp


def has_gains(robot: Robot, name: str) -> bool:
    """Whether the robot's file or side file states how stiff a joint's servo is."""
    return any(fnmatchcase(name, pattern) and "kp" in values for pattern, values in robot.servos.items())


def biped_gains(robot: Robot, rig: Rig) -> dict[str, dict[str, float]]:
    """kp, kd and, where the file has none, the armature of every leg joint whose file states no stiffness.

    A robot that stands on one foot is a pendulum on its head, I = m h², which the ground lets fall with m g h per
    radian. kp = 11 m g h holds it at sqrt(10 g / h), three times as fast as it falls; kd / kp is a small part of
    the time sqrt(h / g) in which it does. Drives without inertia of their own get the one that kd damps critically,
    kd² / (4 kp), and so light feet stay calm whatever the step of the physics is.
    """
    fall = math.sqrt(rig.center_height / GRAVITY)
    kp = STIFFNESS * rig.mass * GRAVITY * rig.center_height
    kd = SETTLING * fall * kp
    out = {}
    for name in dict.fromkeys(name for leg in rig.legs for name in leg.joints):
        if has_gains(robot, name):
            continue
        out[name] = {"kp": float(f"{kp:.4g}"), "kd": float(f"{kd:.4g}")}
        if not robot.joint(name).dynamics.armature:
            out[name]["armature"] = float(f"{CRITICAL * kd * kd / kp:.3g}")
    return out
