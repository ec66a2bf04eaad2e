"""The rover's UWB tags: positions by trilateration, the fading filter of the source, and where they lie on the map."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from andante.errors import BadInput
from andante.geometry import Array, se2
from andante.localization import Ahrs, FadingFilter2, UwbSetup, trilaterate

MEMORY, PERIOD = 0.9, 0.1  # of the fading filter of second order, as in the source
SIGMA = 0.1  # of a range [m]
FARTHEST = 1000.0  # positions beyond are nonsense [m]


class RoverTags:
    """Positions of both tags in the UWB frame from raw ranges, plain and filtered.

    The vector between the tags leads the heading of an AHRS filter. While the rover stands it is the vector between
    their mean positions, which is steadier by the root of the count.
    """

    def __init__(self, setup: UwbSetup, ahrs: Ahrs, height: float | None = None) -> None:
        """height: of the first tag in the UWB frame [m] where it is known."""
        if len(setup.tags) != 2:
            raise BadInput(f"the rover carries two UWB tags, got {len(setup.tags)}")
        self.setup, self.ahrs, self.height = setup, ahrs, height
        self.standing = True
        self.fixes = 0  # of the first tag
        self._anchors, self._tags = setup.anchor_positions, setup.tag_positions
        self.restart()

    def restart(self) -> None:
        """The rover was put elsewhere: forget where it was."""
        self.places: list[Array | None] = [None, None]  # newest positions (3,)
        self._filtered: tuple[float, Array] | None = None  # when, and (2,) of the first tag by the fading filter
        self._means: list[list[Array]] = [[], []]
        self._fading = FadingFilter2(MEMORY, PERIOD)

    def take(self, time: float, tag: int, ranges: ArrayLike) -> Array | None:
        """Ranges (anchors,) of a tag [m]; its position (3,) in the UWB frame, None where they give none."""
        level = None if self.height is None else self.height + float(self._tags[tag][2] - self._tags[0][2])
        fix = trilaterate(self._anchors, ranges, start=self.places[tag], height=level, sigma=SIGMA)
        if not (fix.converged and float(np.abs(fix.position).max()) < FARTHEST):  # also for NaN
            return None
        self.places[tag] = fix.position
        if tag == 0:
            self.fixes += 1
            self._filtered = (time, self._fading.update(fix.position[:2]))
        if self.standing:
            self._means[tag].append(fix.position)
        self._lead(time)
        return fix.position

    def _lead(self, time: float) -> None:
        """Lead the heading by the newest vector from tag 0 to tag 1, once per pair."""
        if self.standing and all(self._means):
            self.ahrs.tags(time, np.mean(self._means[1], axis=0) - np.mean(self._means[0], axis=0))
        elif not self.standing and self.places[0] is not None and self.places[1] is not None:
            self.ahrs.tags(time, self.places[1] - self.places[0])

    def filtered(self, time: float) -> Array:
        """Position (2,) of the first tag at a time soon after its newest ranges [s] by the fading filter; NaN: none."""
        if self._filtered is None:
            return np.full(2, np.nan)
        then, place = self._filtered
        return np.asarray(place + self._fading.velocity * min(max(time - then, 0.0), 2 * PERIOD))

    @property
    def yaw(self) -> float:
        """Heading in the UWB frame [rad] by gyro, accelerometer and tags; NaN before the tags have told one."""
        return float(self.ahrs.rpy[2]) if self.ahrs.heading_known else math.nan

    def middle_pose(self) -> Array:
        """Pose (3,) of the first tag in the UWB frame by the medians since the rover stands."""
        if not all(self._means):
            raise BadInput("no pose yet: readings of both tags are needed")
        front, rear = (np.median(each, axis=0) for each in self._means)
        on_robot = self._tags[1] - self._tags[0]
        turn = math.atan2(rear[1] - front[1], rear[0] - front[0]) - math.atan2(on_robot[1], on_robot[0])
        return np.array([front[0], front[1], float(se2.wrap(turn))])

    @property
    def standing_count(self) -> int:
        """Positions of the tag that was heard less often since the rover stands."""
        return min(len(each) for each in self._means)
