"""Settings of the mapper, each with its unit; the defaults suit indoor robots with a planar lidar."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from andante.errors import BadInput
from andante.settings import settings_from

_WHOLE = ("levels", "iterations", "submap_keys", "pair_count", "pair_rounds")


@dataclass(frozen=True)
class MappingParameters:
    """How scans become a map."""

    resolution: float = 0.05  # of the map [m]
    levels: int = 3  # maps that are matched, each twice as coarse as the one before
    iterations: int = 4  # of Gauss-Newton per level
    range_max: float = 30.0  # longer beams are neither matched nor drawn [m]
    free_range: float = 0.0  # beams without an echo clear the map up to this range [m]; 0: not at all
    hit: float = 0.9  # probability of occupancy given one echo
    miss: float = 0.4  # probability of occupancy given one crossing beam
    key_travel: float = 0.4  # a scan is drawn after the robot went this far [m]
    key_turn: float = 0.5  # ... or turned this far [rad]
    key_time: float = 0.0  # ... or this long after the last one was drawn [s]; 0: only when it moved
    least_score: float = 0.3  # mean occupancy under a scan's points below which a match is rejected
    guess_weight: float = 20.0  # weight of the guess against the scan [1/m^2, 1/rad^2]
    yaw_sigma: float = 0.01  # of the turn between two scans by an IMU [rad]
    search_reach: float = 0.6  # correlative search around the guess, along x and y [m]
    search_turn: float = 0.5  # ... and in heading [rad]
    search_step: float = 0.01  # between tried headings [rad]
    search_below: float = 0.7  # search when Gauss-Newton alone scores less
    search_travel: float = 0.25  # ... or the robot moved more than this since the last scan [m]
    travel_penalty: float = 1.0  # score lost per squared distance from the guess [1/m^2]
    turn_penalty: float = 0.3  # score lost per squared turn from the guess [1/rad^2]
    submap_keys: int = 40  # key scans that the local map of tracking holds before it is renewed, with loop closure
    loop_travel: float = 8.0  # shortest way between two visits of a place [m]
    loop_reach: float = 15.0  # greatest distance that a loop is searched over [m]
    loop_drift: float = 0.03  # error of the way per meter that loops are searched for
    loop_score: float = 0.5  # least score of a loop on the local map
    loop_overlap: float = 0.6  # least fraction of points with a correspondence
    pair_radius: float = 4.0  # key scans nearer than this are aligned with one another [m]
    pair_count: int = 12  # ... at most so many of the nearest
    pair_rounds: int = 2  # of aligning key scans with one another and solving the graph

    def __post_init__(self) -> None:
        for name in _WHOLE:
            if not 1 <= getattr(self, name) <= 10_000:
                raise BadInput(f"mapping parameter {name} must be 1 to 10000, got {getattr(self, name)}")
        for each in fields(self):
            value = getattr(self, each.name)
            if not math.isfinite(value) or value < 0:
                raise BadInput(f"mapping parameter {each.name} must be a finite number >= 0, got {value}")
        for name in ("resolution", "range_max", "search_step", "yaw_sigma"):
            if getattr(self, name) <= 0:
                raise BadInput(f"mapping parameter {name} must be above 0")
        if self.levels > 6:
            raise BadInput(f"mapping parameter levels must be 1 to 6, got {self.levels}")
        if (self.search_turn / self.search_step) > 10_000 or self.search_reach / self.resolution > 10_000:
            raise BadInput("the search window has more than 10000 steps; choose a smaller reach or a larger step")


def parameters_from(values: Mapping[str, Any], base: MappingParameters | None = None) -> MappingParameters:
    """The base (the defaults) with some values changed by name."""
    return settings_from(base or MappingParameters(), values, "mapping parameter")
