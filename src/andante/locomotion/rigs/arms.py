"""Arms of a robot on two legs: hanging at its sides, off the legs, not straight out or ahead as files have them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import pairwise

import numpy as np

from andante.description import Joint, Robot
from andante.geometry import SE3, Array
from andante.kinematics import chain

from .branch import Branch

ASIDE = 0.08  # of the robot's height: a limb that begins further from the middle is an arm, not a head or a waist
HANG = np.array([0.35, 0.3, -0.75])  # of a hand from its shoulder, in lengths of the arm: ahead, outward, up
REACHED = 0.15  # a hand this near to its place hangs, in lengths of the arm


def hanging_arms(
    robot: Robot, legs: list[Branch], walking: Mapping[str, SE3], rest: Mapping[str, float], tall: float
) -> dict[str, float]:
    """Positions of the arm joints with hands beside the hips; arms that cannot hang are left out.

    walking: walking_from_link of all links at rest; tall: height of the robot [m].
    """
    feet = {joint.name for leg in legs for joint in robot.ancestors(leg.foot)}
    out: dict[str, float] = {}
    for first in robot.movable:
        shoulder = _place(walking, first)
        if first.name in feet or abs(float(shoulder[1])) < ASIDE * tall:
            continue
        if any(abs(float(_place(walking, j)[1])) >= ASIDE * tall for j in robot.ancestors(first.parent) if j.one_dof):
            continue  # further out on the same limb
        limb = _limb(robot, first)
        places = [_place(walking, joint) for joint in limb]
        length = float(sum(np.linalg.norm(b - a) for a, b in pairwise(places)))
        if len(limb) < 3 or not length > 0:
            continue
        outward = math.copysign(1.0, float(shoulder[1]))
        there = shoulder + length * HANG * np.array([1.0, outward, 1.0])
        arm = chain(robot, first.parent, limb[-1].child)
        names = arm.joint_names
        local = walking[first.parent].inverse() @ there
        found = arm.ik(
            np.concatenate([local, np.full(3, np.nan)]), np.array([rest[n] for n in names]), restarts=0,
            tolerance=1e-3, max_iterations=200,
        )  # fmt: skip
        if found.error < REACHED * length:
            out.update(zip(names, map(float, found.q), strict=True))
    return out


def _limb(robot: Robot, first: Joint) -> list[Joint]:
    """Joints from the shoulder outwards, up to where the limb parts or ends."""
    limb = [first]
    while True:
        group = robot.welded(limb[-1].child)
        onward = [joint for joint in robot.movable if joint.parent in group and joint.one_dof]
        if len(onward) != 1:
            return limb
        limb.append(onward[0])


def _place(walking: Mapping[str, SE3], joint: Joint) -> Array:
    return np.asarray((walking[joint.parent] @ joint.pose).translation)
