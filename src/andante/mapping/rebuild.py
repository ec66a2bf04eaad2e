"""Maps drawn anew from key scans at given poses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from andante.errors import BadInput
from andante.geometry import Array

from .grid import OccupancyGrid
from .log_odds import LogOddsGrid
from .parameters import MappingParameters
from .planar import place

if TYPE_CHECKING:
    from .mapper import KeyScan


def draw_map(keys: Sequence[KeyScan], poses: Array, parameters: MappingParameters) -> OccupancyGrid:
    """Occupancy of key scans drawn at poses (n, 3)."""
    if len(keys) != len(poses):
        raise BadInput(f"{len(keys)} key scans need as many poses, got {len(poses)}")
    grid = LogOddsGrid(parameters.resolution, hit=parameters.hit, miss=parameters.miss)
    for key, pose in zip(keys, poses, strict=True):
        grid.add(place(pose, key.sensor[None])[0], place(pose, key.ends), np.asarray(key.is_hit))
    return grid.occupancy()
