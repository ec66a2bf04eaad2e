"""Fine ties between all key scans that see the same walls, by point-to-line alignment."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from andante.geometry import Array

from .align import Target, align, fewest_partners
from .loops import PHI, SURE
from .mapper import KeyScan
from .parameters import MappingParameters
from .planar import between
from .pose_graph import Edge

AHEAD = 2.0  # what a scan sees lies so far ahead of the robot [m]
FEWEST = 40  # partners of a pair, of scans with many points
LEAST_OVERLAP = 0.5


def pair_edges(
    keys: Sequence[KeyScan], poses: Array, parameters: MappingParameters, *, reach: float = 0.45
) -> list[Edge]:
    """Edges between each key scan and its nearest ones, neighbours in the chain left out.

    reach: furthest partner of a point at the start of the alignment [m]; corrections beyond it are not believed.
    """
    from scipy.spatial import cKDTree

    seen = poses[:, :2] + AHEAD * np.stack([np.cos(poses[:, 2]), np.sin(poses[:, 2])], axis=1)
    tree = cKDTree(seen)
    targets: dict[int, Target] = {}
    edges = []
    for new, neighbours in enumerate(tree.query_ball_point(seen, parameters.pair_radius)):
        older = np.array([old for old in neighbours if old < new - 1], dtype=int)
        order = np.argsort(np.linalg.norm(seen[older] - seen[new], axis=1), kind="stable")
        for old in older[order][: parameters.pair_count].tolist():
            if old not in targets:
                targets[old] = Target([keys[old].cloud], [np.zeros(3)])
            guess = between(poses[old], poses[new])
            found = align(keys[new].cloud, targets[old], guess, reach=reach)
            off = between(guess, found.pose)
            if found.partners < fewest_partners(keys[new].cloud, FEWEST) or found.overlap < LEAST_OVERLAP:
                continue
            if math.hypot(off[0], off[1]) < 1.3 * reach and abs(off[2]) < 0.4 * reach:
                edges.append(Edge(old, new, found.pose, SURE * found.information, PHI))
    return edges
