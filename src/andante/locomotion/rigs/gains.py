"""Position servos of a robot that walks on two feet: of its legs by its mass and height, of others by their own."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fnmatch import fnmatchcase

import numpy as np

from andante.description import Joint, JointType, Robot
from andante.description.inertia import combine
from andante.geometry import SE3
from andante.gravity import GRAVITY

from .rig import Rig

STIFFNESS = 20.0  # of a leg joint, in what the falling robot pulls with: m g h [N m/rad]
SETTLING = 0.06  # kd / kp, in the time of the falling robot, sqrt(h / g)
ROTOR = 0.1  # inertia of a drive whose file states none, in kd² / kp
LEADER = 1e-4  # least inertia of a drive that others follow, in m h²
CALM = 4.0  # kd h / I in a step h of the physics up to which a servo at its limit of effort comes to rest again
BANDWIDTH, DAMPING = 2 * math.pi * 8.0, 0.7  # of joints that carry nothing but themselves: arms, heads, fingers [rad/s]


def stated_gains(robot: Robot, name: str) -> dict[str, float]:
    """What the robot's file or side file states of a joint's servo."""
    out: dict[str, float] = {}
    for pattern, values in robot.servos.items():
        if fnmatchcase(name, pattern):
            out |= values
    return out


def biped_gains(robot: Robot, rig: Rig) -> dict[str, dict[str, float]]:
    """kp, kd and, where the file has none, the armature of every joint whose file states no stiffness, or too little.

    A robot on one foot is a pendulum on its head, I = m h², which gravity lets fall with m g h per radian.
    kp = 20 m g h holds it at sqrt(19 g / h), four times as fast as it falls; kd / kp is a small part of the time
    sqrt(h / g) in which it does. Drives without inertia of their own get 0.1 kd² / kp, less than half of what kd damps
    critically, so that light feet stay calm at the steps of the physics. Where the file states less, a servo at its
    limit throws the foot to and fro in every step of the physics; its `step` is the longest that keeps it calm,
    4 I / kd with the inertia I of what it moves. All other joints carry themselves: kp = I w²
    and kd = 2 z I w with the inertia I of what they move and of a drive that is as heavy, where the file states none:
    chains of fingers without it fly apart on solvers that sweep over the joints (ODE). By their limits of effort,
    which files often leave at a round number, fingers would be stiff enough to flutter and to shake the robot.
    A stiffness below m g h does not even hold the robot up: a servo that follows a learned policy is written so, which
    leads it by its targets. The drive can do more, so it gets the same as where nothing is stated.
    Joints that mimic have no drive of their own. The one that they follow moves them too, I + sum of ratio² I, and is
    no lighter than 1e-4 m h²: hands of some milligrams, as files state them, would leave it softer than ODE can solve.
    """
    fall = math.sqrt(rig.center_height / GRAVITY)
    falls = rig.mass * GRAVITY * rig.center_height  # [N m/rad]
    kp = STIFFNESS * falls
    kd = SETTLING * fall * kp
    out, poses = {}, robot.link_poses(rig.stance)
    for name in dict.fromkeys(name for leg in rig.legs for name in leg.joints):
        stated, dynamics = stated_gains(robot, name), robot.joint(name).dynamics
        if stated.get("kp", 0.0) >= falls:
            if "kd" not in stated and dynamics.damping > 0:
                out[name] = {**stated, "kd": 0.0}  # as MJCF means it: the joint's own damping is all there is
            continue
        out[name] = {"kp": float(f"{kp:.4g}"), "kd": float(f"{kd:.4g}")}
        if not dynamics.armature:
            out[name]["armature"] = float(f"{ROTOR * kd * kd / kp:.3g}")
        elif dynamics.armature < ROTOR * kd * kd / kp and 0 < robot.joint(name).limits.effort < math.inf:
            out[name]["step"] = float(f"{CALM * _moved(robot, poses, robot.joint(name)) / kd:.3g}")
    for name, inertia in _carried_alone(robot, rig).items():
        if name not in out and "kp" not in stated_gains(robot, name):
            rotor = 0.0 if robot.joint(name).dynamics.armature else inertia
            kp, kd = (inertia + rotor) * BANDWIDTH**2, 2 * DAMPING * (inertia + rotor) * BANDWIDTH
            out[name] = {"kp": float(f"{kp:.4g}"), "kd": float(f"{kd:.4g}")}
            if rotor:
                out[name]["armature"] = float(f"{rotor:.3g}")
    return out


def _carried_alone(robot: Robot, rig: Rig) -> dict[str, float]:
    """Inertia [kg m² or kg] about (along) each driven joint outside the legs of all that it moves, and its armature."""
    poses = robot.link_poses(rig.stance)
    legs = {joint.name for leg in rig.legs for joint in robot.ancestors(leg.foot)}
    out = {}
    for joint in robot.movable:
        if joint.name in legs:
            continue
        if moved := _moved(robot, poses, joint):
            out[joint.name] = moved
    least = LEADER * rig.mass * rig.center_height**2
    for joint in robot.movable:
        if joint.mimic is not None and joint.name in out:
            moved, leader = joint.mimic.multiplier**2 * out.pop(joint.name), joint.mimic.joint
            if leader in out:
                out[leader] = max(out[leader] + moved, least)
    return out


def _moved(robot: Robot, poses: Mapping[str, SE3], joint: Joint) -> float:
    """Inertia about (along) a joint of all that it moves and of its drive [kg m² or kg]; 0 where that has no mass."""
    moved = [link for link in robot.links if joint in robot.ancestors(link.name) and link.inertia is not None]
    whole = combine([link.inertia.transformed(poses[link.name]) for link in moved if link.inertia is not None])
    if whole is None:
        return 0.0
    frame = poses[joint.parent] @ joint.pose
    axis = frame.rotation @ np.asarray(joint.axis)
    lever = np.cross(axis, np.asarray(whole.com) - frame.translation)
    turned = float(axis @ whole.matrix @ axis) + whole.mass * float(lever @ lever)
    return (whole.mass if joint.type is JointType.PRISMATIC else turned) + joint.dynamics.armature
