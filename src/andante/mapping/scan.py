"""`Scan`: one sweep of a planar lidar, with ranges as defined by REP 117."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from andante.compiling import njit
from andante.errors import BadInput
from andante.geometry import Array

MOST_BEAMS = 100_000
FLOOR = 0.05  # beams of a tilted sensor that end lower than this above the ground saw the ground [m]


@dataclass(frozen=True)
class Scan:
    """Ranges of one sweep and where on the robot they were taken.

    Beam i points along angle_min + i · angle_increment in the sensor's plane and is taken at
    time + i · time_increment. After REP 117 +inf means no echo within range_max, -inf an object nearer than
    range_min, NaN an invalid reading; finite values outside [range_min, range_max] count as the infinity of
    their side.
    """

    time: float  # of the first beam [s]
    ranges: Array  # (n,) [m]
    angle_min: float  # [rad]
    angle_increment: float  # [rad]
    range_min: float = 0.0  # [m]
    range_max: float = math.inf  # [m]
    time_increment: float = 0.0  # between beams [s]; 0: all at once
    sensor: tuple[float, float, float] = (0.0, 0.0, 0.0)  # x, y, yaw of the sensor on the robot [m, m, rad]
    height: float = 0.0  # of the sensor above the ground [m]; 0: not known
    tilt: tuple[float, float] = (0.0, 0.0)  # roll, pitch of the sensor's plane against the horizontal [rad]
    _pose: Array = field(init=False, repr=False, compare=False)
    _tilt: Array = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        ranges = np.array(self.ranges, dtype=float)
        if ranges.ndim != 1 or len(ranges) > MOST_BEAMS:
            raise BadInput(f"a scan has one row of up to {MOST_BEAMS} ranges, got shape {ranges.shape}")
        for name in ("time", "angle_min", "angle_increment", "range_min", "time_increment", "height"):
            if not math.isfinite(getattr(self, name)):
                raise BadInput(f"scan {name} must be a finite number, got {getattr(self, name)}")
        if not self.range_max > max(self.range_min, 0.0):
            raise BadInput(f"scan range_max must lie above range_min, got {self.range_min} to {self.range_max}")
        if abs(self.angle_increment) * max(len(ranges) - 1, 0) > 4 * math.pi:
            raise BadInput(f"a scan turns at most twice, got {len(ranges)} beams of {self.angle_increment} rad")
        ranges.setflags(write=False)
        object.__setattr__(self, "ranges", ranges)
        for name, given, size in (("_pose", self.sensor, 3), ("_tilt", self.tilt, 2)):
            values = np.array(given, dtype=float)
            if values.shape != (size,) or not np.isfinite(values).all():
                what = "sensor pose" if size == 3 else "tilt"
                raise BadInput(f"scan {what} must be {size} finite numbers, got {given}")
            values.setflags(write=False)
            object.__setattr__(self, name, values)

    @property
    def angles(self) -> Array:
        """Direction of each beam (n,) in the sensor's plane [rad]."""
        return self.angle_min + self.angle_increment * np.arange(len(self.ranges), dtype=np.float64)

    @property
    def hit(self) -> np.ndarray:
        """Which beams saw something (n,) bool."""
        return (self.ranges >= self.range_min) & (self.ranges <= self.range_max) & np.isfinite(self.ranges)

    def points(self, velocity: ArrayLike = (0.0, 0.0, 0.0)) -> Array:
        """Where the beams ended (m, 2) [m]: robot frame at the time of the first beam, only beams with an echo.

        velocity: the robot's twist vx, vy, w during the sweep [m/s, m/s, rad/s], to undo the motion distortion.
        """
        return self.ends(velocity)[0]

    def ends(self, velocity: ArrayLike = (0.0, 0.0, 0.0), no_return: float = 0.0) -> tuple[Array, np.ndarray]:
        """Ends of the beams (m, 2) as `points` gives them, and the number of each one's beam (m,).

        no_return: above 0 also keeps beams without an echo, as free rays of that length [m].
        """
        points, beams = np.empty((len(self.ranges), 2)), np.empty(len(self.ranges), dtype=np.int64)
        count = scan_points(
            self.ranges, self.angle_min, self.angle_increment, self.range_min, min(self.range_max, 1e9), self._pose,
            self.height, self._tilt, FLOOR, np.asarray(velocity, dtype=float), self.time_increment, no_return,
            points, beams,
        )  # fmt: skip
        return points[:count], beams[:count]


@njit()
def scan_points(
    ranges: Array, angle_min: float, angle_increment: float, range_min: float, range_max: float, sensor: Array,
    height: float, tilt: Array, floor: float, velocity: Array, time_increment: float, no_return: float, points: Array,
    beams: np.ndarray,
) -> int:  # fmt: skip
    """Fill `points` (n, 2) in the robot's frame at the time of the first beam and `beams` (n,); return how many.

    Beam i at angle a leaves the sensor along Ry(pitch) Rx(roll) (cos a, sin a, 0); its end is projected on the
    horizontal plane and left out where it lies lower than `floor` above the ground. The robot has moved by the
    constant twist `velocity` for i · time_increment when beam i is taken. `no_return` > 0 keeps beams without an
    echo, as ends at that range; 0 leaves them out.
    """
    sr, cr = math.sin(tilt[0]), math.cos(tilt[0])
    sp, cp = math.sin(tilt[1]), math.cos(tilt[1])
    sy, cy = math.sin(sensor[2]), math.cos(sensor[2])
    level = tilt[0] == 0.0 and tilt[1] == 0.0
    still = time_increment == 0.0 or (velocity[0] == 0.0 and velocity[1] == 0.0 and velocity[2] == 0.0)
    count = 0
    for i in range(len(ranges)):
        r = ranges[i]
        if r >= range_min and r <= range_max:
            length = r
        elif no_return > 0.0 and r > range_max:
            length = no_return
        else:
            continue
        angle = angle_min + i * angle_increment
        bx, by = math.cos(angle), math.sin(angle)
        if level:
            px, py = length * bx, length * by
        else:
            ux, uy, uz = cp * bx + sp * sr * by, cr * by, -sp * bx + cp * sr * by
            if height + length * uz < floor and height > 0.0:
                if no_return == 0.0 or r <= range_max:
                    continue
                length = max(0.0, (floor - height) / uz)
            px, py = length * ux, length * uy
        x = sensor[0] + cy * px - sy * py
        y = sensor[1] + sy * px + cy * py
        if not still:
            t = i * time_increment
            yaw = velocity[2] * t
            half = 0.5 * yaw
            chord = 1.0 - half * half / 6.0 if abs(half) < 1e-4 else math.sin(half) / half
            ch, sh = math.cos(half), math.sin(half)
            mx = t * chord * (ch * velocity[0] - sh * velocity[1])
            my = t * chord * (sh * velocity[0] + ch * velocity[1])
            c, s = math.cos(yaw), math.sin(yaw)
            x, y = mx + c * x - s * y, my + s * x + c * y
        points[count, 0], points[count, 1] = x, y
        beams[count] = i
        count += 1
    return count
