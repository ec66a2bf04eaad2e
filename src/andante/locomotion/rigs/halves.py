"""The second halves of legs of two halves: they follow the first ones, so that both end in one point.

A leg of five bars has two motors at the hip, each with a thigh and a shin, and a hinge that joins the shins. The half
that stands on the ground is the leg that a gait moves; the other half's joints follow from where its end is held,

    p_half(q_half) = R_foot(q_leg) a + p_foot(q_leg)

with the anchor a of the hinge in the frame of the foot. Files that cannot state loops (URDF) leave both halves open;
then their ends are brought side by side, as the hinge would.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from andante.description import Joint, Robot
from andante.geometry import Array

from .branch import end_loop, swing_axis, twins_of
from .legs import branches, resting_pose


class LegLike(Protocol):
    """What both a branch and a leg of a rig have."""

    @property
    def foot(self) -> str: ...
    @property
    def joints(self) -> tuple[str, ...]: ...
    @property
    def point(self) -> Array | tuple[float, float, float]: ...


@dataclass(frozen=True)
class Half:
    """The second half of a leg."""

    leg: int  # index of the first half among the legs
    joints: tuple[str, ...]
    hip: str
    foot: str  # its last link
    point: tuple[float, float, float]  # its end, frame of that link [m]
    anchor: tuple[float, float, float]  # where that is held, frame of the foot of the leg [m]


def halves(robot: Robot, legs: Sequence[LegLike]) -> tuple[Half, ...]:
    """The second halves of legs, in their order; none of robots whose legs are single chains."""
    found = branches(robot)
    poses = robot.link_poses(resting_pose(robot)[0])
    twins, out = twins_of(robot, found, poses), []
    for index, leg in enumerate(legs):
        first = next((each for each in found if each.name in twins and each.joints == tuple(leg.joints)), None)
        if first is None:
            continue
        second = twins[first.name]
        loop = end_loop(robot, first, second)
        if loop is not None:
            ends = {name: _anchor(robot, loop, name) for name in (loop.parent, loop.child)}
            one = loop.parent if _moved_by(robot, loop.parent, first.joints[-1]) else loop.child
            other = loop.child if one == loop.parent else loop.parent
            anchor = poses[leg.foot].inverse() @ poses[one] @ ends[one]
            point = poses[second.foot].inverse() @ poses[other] @ ends[other]
        else:
            axis, point = swing_axis(robot, first, poses), second.point
            here = poses[leg.foot] @ np.asarray(leg.point)
            aside = axis * float(axis @ (poses[second.foot] @ second.point - here))
            anchor = poses[leg.foot].inverse() @ (here + aside)
        out.append(Half(index, second.joints, second.hip, second.foot, _three(point), _three(anchor)))
    return tuple(out)


def _anchor(robot: Robot, loop: Joint, link: str) -> Array:
    """Where a loop holds one of its two links, frame of that link (3,) [m]."""
    pose = loop.pose if link == loop.parent else loop.joint_from_child.inverse()
    return np.asarray(pose.translation)


def _moved_by(robot: Robot, link: str, joint: str) -> bool:
    return any(each.name == joint for each in robot.ancestors(link))


def _three(values: Array) -> tuple[float, float, float]:
    x, y, z = (float(value) for value in values)
    return (x, y, z)
