"""Servo gains for walking, from the weight that each joint has to hold."""

from __future__ import annotations

import math
from fnmatch import fnmatchcase

import numpy as np

from andante.description import JointType, Robot

from .rig import Rig

GRAVITY = 9.81
SAG = 0.02  # how far a joint may give way under the load [rad]
BANDWIDTH = 3.5  # at which a joint carries its share of the robot's mass [Hz]
DAMPING = 0.5
LONGEST_LAG = 0.03  # kd / kp [s]
ROTOR = 5e-3  # inertia of the drive over kd [s], for files that state none: with less, light feet chatter and creep


def leg_gains(robot: Robot, rig: Rig) -> dict[str, dict[str, float]]:
    """kp, kd and, where the file has none, the armature of every leg joint without gains in the robot's side file.

    Half of the legs carry the robot: per leg m = 2 M / n at the foot. With the lever a of the foot about the joint's
    axis, I = m a² + the file's armature and kp = max(I (2 pi f)², m g l / sag), l its part across the vertical;
    kd = 2 z sqrt(kp I).
    """
    poses = robot.link_poses(rig.stance)
    share = 2.0 * rig.mass / len(rig.legs)
    out = {}
    for leg in rig.legs:
        foot = poses[leg.foot] @ np.asarray(leg.point)
        for name in leg.joints:
            if any(fnmatchcase(name, pattern) for pattern in robot.servos):
                continue
            joint = robot.joint(name)
            frame = poses[joint.parent] @ joint.pose
            axis = frame.rotation @ np.asarray(joint.axis)
            if joint.type is JointType.PRISMATIC:
                inertia, load = share, share * GRAVITY * abs(float(axis[2]))
            else:
                lever = np.cross(axis, foot - frame.translation)
                inertia, load = share * float(lever @ lever), share * GRAVITY * abs(float(lever[2]))
            inertia = max(inertia, 0.05 * share * rig.centre_height**2) + joint.dynamics.armature
            kp = max(inertia * (2 * math.pi * BANDWIDTH) ** 2, load / SAG)
            kd = min(2 * DAMPING * math.sqrt(kp * inertia), LONGEST_LAG * kp)
            out[name] = {"kp": float(f"{kp:.4g}"), "kd": float(f"{kd:.4g}")}
            if not joint.dynamics.armature:
                out[name]["armature"] = float(f"{ROTOR * kd:.3g}")
    return out
