"""Heading on the microcontroller: the gyro, turned back slowly to the vector between the two UWB tags."""

from __future__ import annotations

import math

from .waypoint_law import wrapped

TOGETHER = 0.25  # positions of the two tags belong together when they came within this time [s]
LEAST_VECTOR = 0.05  # tags nearer to each other than this tell no heading [m]


class YawFilter:
    """yaw += gyro dt; with each pair of tags yaw += gain (heading of tag1 -> tag0 - yaw). The first pair sets it."""

    def __init__(self) -> None:
        self.yaw = 0.0  # [rad]
        self.known = False  # whether tags have set it
        self._tags: dict[int, tuple[float, float, float]] = {}  # tag -> x, y, when

    def turn(self, rate: float, dt: float) -> None:
        """Turn by the gyro."""
        self.yaw = wrapped(self.yaw + rate * dt)

    def see_tag(self, tag: int, x: float, y: float, now: float, gain: float) -> None:
        """A tag's position has come; both together correct the heading."""
        self._tags[tag] = (x, y, now)
        if len(self._tags) < 2:
            return
        (x0, y0, t0), (x1, y1, t1) = self._tags[0], self._tags[1]
        if abs(t0 - t1) > TOGETHER:
            return
        self._tags.clear()
        if math.hypot(x0 - x1, y0 - y1) < LEAST_VECTOR:
            return
        error = wrapped(math.atan2(y0 - y1, x0 - x1) - self.yaw)
        self.yaw = wrapped(self.yaw + (gain if self.known else 1.0) * error)
        self.known = True
