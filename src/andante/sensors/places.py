"""Where sensors that feel contacts sit: the body of each, its frame on it, and the links that move with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from andante.description.robot import Robot
from andante.geometry import SE3, Array
from andante.physics import body_tree


@dataclass(frozen=True)
class Places:
    """Frames on the bodies of one robot's tree; rows are frames."""

    bodies: np.ndarray  # (n,) rows of `body_poses`
    frames: Array  # (n, 4, 4) body_from_frame
    links: np.ndarray  # (n, links) of bool: which links are welded to the frame


def places_on_bodies(robot: Robot, links: Sequence[str], poses: Sequence[SE3]) -> Places:
    """Places of frames that are given on links (link_from_frame)."""
    tree = body_tree(robot)
    names = [each.name for each in robot.links]
    rows = np.array([names.index(link) for link in links], dtype=int)
    bodies = tree.link_body[rows]
    frames = tree.link_pose[rows] @ np.stack([pose.matrix for pose in poses])
    return Places(bodies, np.ascontiguousarray(frames), tree.link_body[None, :] == bodies[:, None])
