"""Servo gains for walking, from the weight that each joint has to hold."""

from __future__ import annotations

import math
from fnmatch import fnmatchcase

import numpy as np

from andante.description import Joint, JointType, Robot
from andante.geometry import SE3, Array
from andante.gravity import GRAVITY

from .rig import Rig

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
            inertia, load = _carried(joint, poses[joint.parent] @ joint.pose, foot, share)
            inertia = max(inertia, 0.05 * share * rig.centre_height**2) + joint.dynamics.armature
            kp = max(inertia * (2 * math.pi * BANDWIDTH) ** 2, load / SAG)
            kd = min(2 * DAMPING * math.sqrt(kp * inertia), LONGEST_LAG * kp)
            out[name] = {"kp": float(f"{kp:.4g}"), "kd": float(f"{kd:.4g}")}
            if not joint.dynamics.armature:
                out[name]["armature"] = float(f"{ROTOR * kd:.3g}")
    return out


def weak_joints(robot: Robot, rig: Rig) -> dict[str, tuple[float, float]]:
    """Leg joints whose effort limit is below what they hold in the stance when half of the legs carry the robot.

    Joint to load and limit [N m, N], the weakest first. Joints without a limit are strong enough.
    """
    poses = robot.link_poses(rig.stance)
    share = 2.0 * rig.mass / len(rig.legs)
    found: dict[str, tuple[float, float]] = {}
    for leg in rig.legs:
        foot = poses[leg.foot] @ np.asarray(leg.point)
        for joint in map(robot.joint, leg.joints):
            load = _carried(joint, poses[joint.parent] @ joint.pose, foot, share)[1]
            if load > joint.limits.effort > 0:
                found[joint.name] = (load, joint.limits.effort)
    return dict(sorted(found.items(), key=lambda item: item[1][1] / item[1][0]))


def _carried(joint: Joint, frame: SE3, foot: Array, mass: float) -> tuple[float, float]:
    """Inertia [kg m^2, kg] and load [N m, N] of a mass over the foot, as felt by a joint at `frame`."""
    axis = frame.rotation @ np.asarray(joint.axis)
    if joint.type is JointType.PRISMATIC:
        return mass, mass * GRAVITY * abs(float(axis[2]))
    lever = np.cross(axis, foot - frame.translation)
    return mass * float(lever @ lever), mass * GRAVITY * abs(float(lever[2]))
