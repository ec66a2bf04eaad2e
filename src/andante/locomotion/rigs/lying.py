"""Files that draw a robot lying, as those with y up do: the legs point aside instead of down."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from andante.description.robot import Robot
from andante.geometry import SE3, Array

from .branch import Branch

TOGETHER = 0.8  # part of their length by which legs point one way
LEVEL = 0.5  # of their length, by which legs that lie point up or down at most
WIDE = 0.25  # of their length, how far apart legs begin at least, ahead and aside


def lying_words(robot: Robot, found: Sequence[Branch], poses: Mapping[str, SE3]) -> str:
    """That a robot on four or more legs lies as its file draws it, and what to do about it; empty: it does not.

    All legs point along +-x or +-y of the root together, and begin apart in height as legs do ahead or aside: those of
    a robot that stands begin at one height, whatever way they are folded.

    Args:
        robot: whose file names no standing pose.
        found: the branches that may be legs.
        poses: root_from_link of all links, at rest.
    """
    if len(found) < 4 or robot.standing is not None:
        return ""
    hips = np.array([_begin(robot, branch, poses) for branch in found])
    ways = np.array([poses[branch.foot] @ branch.point for branch in found]) - hips
    reach = float(np.linalg.norm(ways, axis=1).sum())
    way = ways.sum(axis=0) / max(reach, 1e-9)
    axis = int(np.argmax(np.abs(way[:2])))
    apart = np.ptp(np.delete(hips, axis, axis=1), axis=0)
    if abs(way[axis]) < TOGETHER or abs(way[2]) > LEVEL or float(apart.min()) < WIDE * reach / len(found):
        return ""
    angle = math.copysign(math.pi / 2, way[0] if axis == 0 else -way[1])
    turn = f"0 {angle:.4f} 0" if axis == 0 else f"{angle:.4f} 0 0"
    return (
        f"robot {robot.name!r} lies as its file draws it: its {len(found)} legs point along "
        f"{'+' if way[axis] > 0 else '-'}{'xy'[axis]} of its root, not down; carry the root by a link of its own and a "
        f'fixed joint with rpy="{turn}"'
    )


def _begin(robot: Robot, branch: Branch, poses: Mapping[str, SE3]) -> Array:
    """Where the first joint of a branch is, root frame (3,) [m]."""
    joint = robot.joint(branch.joints[0])
    return (poses[joint.parent] @ joint.pose).translation
