"""Branches of a robot that may be legs, and those that swing side by side: the two halves of one leg."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from andante.description import Joint, JointType, Robot
from andante.geometry import SE3, Array

from .soles import foot_body

PARALLEL = 0.9  # cosine between axes that turn a leg in one plane
BESIDE = 0.15  # of their length: legs whose first axes are nearer than this are halves of one
POINTS = (JointType.REVOLUTE, JointType.CONTINUOUS, JointType.BALL)  # joints that hold two ends of a leg in one point


@dataclass(frozen=True)
class Branch:
    """A chain of joints from the body to an end that can stand on the ground."""

    joints: tuple[str, ...]  # those that move this branch alone
    hip: str
    foot: str
    point: Array  # foot frame [m]
    radius: float

    @property
    def name(self) -> str:
        """After its foot."""
        return self.foot


SwingPlane = tuple[Array, Array, float]  # of a leg that swings in one: a point of its first axis, the axis, length [m]


def twins_of(robot: Robot, found: Sequence[Branch], poses: Mapping[str, SE3]) -> dict[str, Branch]:
    """The branches that swing beside another one in the same plane, about the same axis, by the name of that one.

    Two such branches are the halves of one leg, which the file leaves open or closes by a loop; there is no room to
    step with both. The outer one is the leg, of others the one that ends in a round foot.
    """
    legs, out = list[Branch](), dict[str, Branch]()
    planes = {b.name: _swing_plane(robot, b, poses) for b in found}
    for branch in sorted(found, key=lambda b: (-b.radius, -_aside(planes[b.name]))):
        own = planes[branch.name]
        other = next((leg for leg in legs if own is not None and _same_plane(own, planes[leg.name])), None)
        if other is None:
            legs.append(branch)
        else:
            out[other.name] = branch
    return out


def _aside(plane: SwingPlane | None) -> float:
    return 0.0 if plane is None else abs(float(plane[0] @ plane[1]))


def _swing_plane(robot: Robot, branch: Branch, poses: Mapping[str, SE3]) -> SwingPlane | None:
    """The axis about which all joints of a branch turn; None where they turn about several."""
    joints = [robot.joint(name) for name in branch.joints]
    at = [poses[joint.parent] @ joint.pose for joint in joints]
    axes = np.array([pose.rotation @ np.asarray(joint.axis) for pose, joint in zip(at, joints, strict=True)])
    if np.any(np.abs(axes @ axes[0]) < PARALLEL) or abs(float(axes[0, 2])) > 1.0 - PARALLEL:
        return None
    ends = np.array([*(pose.translation for pose in at), poses[branch.foot] @ branch.point])
    return ends[0], axes[0], float(np.linalg.norm(np.diff(ends, axis=0), axis=1).sum())


def swing_axis(robot: Robot, branch: Branch, poses: Mapping[str, SE3]) -> Array:
    """Unit axis (3,) about which the first joint of a branch turns, root frame."""
    joint = robot.joint(branch.joints[0])
    return np.asarray((poses[joint.parent] @ joint.pose).rotation @ np.asarray(joint.axis))


def _same_plane(one: SwingPlane, other: SwingPlane | None) -> bool:
    """Whether two legs swing about one axis, side by side."""
    if other is None or abs(float(one[1] @ other[1])) < PARALLEL:
        return False
    gap = one[0] - other[0]
    along = float(gap @ one[1])
    length = min(one[2], other[2])
    return float(np.linalg.norm(gap - along * one[1])) < BESIDE * length and abs(along) < 2.0 * BESIDE * length


def end_loop(robot: Robot, leg: Branch, twin: Branch) -> Joint | None:
    """The joint of a loop that joins the ends of the two halves of a leg, as in legs of five bars; None: none does."""
    ends = [set(robot.welded(foot_body(robot, half.foot))) for half in (leg, twin)]
    for joint in robot.loops:
        if joint.type in POINTS and any(
            one in ends[0] and other in ends[1]
            for one, other in ((joint.parent, joint.child), (joint.child, joint.parent))
        ):
            return joint
    return None
