"""Gains of joint servos, and where they come from when nobody states them.

A position servo pulls with kp (target - q) - kd dq, solved implicitly by each engine and cut at the effort limit. An
engine whose motor is a velocity constraint follows the same law with the time constant kd / kp and the same cut.
A velocity servo pulls with kv (target - dq) under the same limit.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase

import numpy as np
from numpy.typing import ArrayLike

from andante.description.joint import JointType
from andante.description.robot import Robot
from andante.errors import BadInput
from andante.geometry import Array

from .tree import body_tree


@dataclass(frozen=True)
class ServoGains:
    """Per joint of `robot.movable`, arrays (joints,)."""

    kp: Array  # position stiffness [N m/rad or N/m]
    kd: Array  # damping of the position servo [N m s/rad or N s/m]
    kv: Array  # stiffness of the velocity servo [N m s/rad or N s/m]
    effort: Array  # largest effort [N m or N], inf: unlimited
    velocity: Array  # largest speed at which a position servo moves its own reference [rad/s or m/s], inf: unlimited

    def __post_init__(self) -> None:
        for name in ("kp", "kd", "kv", "effort", "velocity"):
            values = np.array(getattr(self, name), dtype=float)
            if np.isnan(values).any() or (values < 0).any():
                raise BadInput(f"servo gain {name} must be >= 0 for every joint, got {values}")
            values.setflags(write=False)
            object.__setattr__(self, name, values)

    def changed(self, **arrays: ArrayLike) -> ServoGains:
        """A copy with some arrays replaced (scalars are spread over all joints)."""
        count = len(self.kp)
        return replace(self, **{k: np.broadcast_to(np.asarray(v, dtype=float), count) for k, v in arrays.items()})


def default_gains(robot: Robot, bandwidth: float = 8.0) -> ServoGains:
    """Gains of `robot.servos` where given, otherwise from what each joint carries.

    kp = I w^2 and kd = 2 I w with w = 2 pi bandwidth [Hz] and I the inertia about the joint of everything outboard
    (zero pose) plus the armature; kp is at least what reaches the joint's effort limit at an error of 0.05 rad (5 mm).
    """
    count = len(robot.movable)
    kp, kd, kv = np.zeros(count), np.zeros(count), np.zeros(count)
    effort, velocity = np.full(count, math.inf), np.full(count, math.inf)
    carried = _outboard_inertia(robot)
    omega = 2 * math.pi * bandwidth
    for i, joint in enumerate(robot.movable):
        inertia = carried[i] + joint.dynamics.armature
        kp[i], kd[i] = inertia * omega**2, 2 * inertia * omega
        if math.isfinite(joint.limits.effort) and joint.limits.effort > 0:
            effort[i] = joint.limits.effort
            kp[i] = max(kp[i], effort[i] / (0.05 if joint.type is not JointType.PRISMATIC else 0.005))
            kd[i] = max(kd[i], 2 * math.sqrt(kp[i] * inertia) * 0.7)
        if math.isfinite(joint.limits.velocity) and joint.limits.velocity > 0:
            velocity[i] = joint.limits.velocity
        kv[i] = kd[i]
        for pattern, values in robot.servos.items():
            if fnmatchcase(joint.name, pattern):
                kp[i], kd[i] = values.get("kp", kp[i]), values.get("kd", kd[i])
                kv[i] = values.get("kv", values.get("kd", kv[i]))
                effort[i], velocity[i] = values.get("effort", effort[i]), values.get("velocity", velocity[i])
    return ServoGains(kp, kd, kv, effort, velocity)


def _outboard_inertia(robot: Robot) -> Array:
    """Inertia about (along) each movable joint of all bodies that it carries, at the zero pose [kg m^2, kg]."""
    tree = body_tree(robot)
    world = [tree.bodies[0].pose]
    for body in tree.bodies[1:]:
        world.append(world[body.parent] @ body.pose)
    placed = [body.inertia.transformed(pose) for body, pose in zip(tree.bodies, world, strict=True)]
    masses = np.array([inertia.mass for inertia in placed])
    centers = np.array([inertia.com for inertia in placed])
    tensors = np.array([inertia.matrix for inertia in placed])
    carries = np.eye(len(placed), dtype=bool)  # [a, b]: body b moves with body a
    for k, body in enumerate(tree.bodies[1:], start=1):
        carries[:, k] |= carries[:, body.parent]
    out = np.zeros(len(robot.movable))
    for i, carrier in enumerate(tree.joint_bodies):
        joint, outboard = robot.movable[i], carries[carrier]
        if joint.type is JointType.PRISMATIC:
            out[i] = masses[outboard].sum()
            continue
        axis = world[carrier].rotation @ np.asarray(joint.axis)
        levers = np.cross(axis, centers[outboard] - world[carrier].translation)
        out[i] = axis @ tensors[outboard].sum(axis=0) @ axis + masses[outboard] @ np.sum(levers**2, axis=1)
    return out
