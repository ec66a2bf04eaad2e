"""Where on a path the robot is: the part to drive now, whether it is still free, and how far off the robot is."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from andante.errors import BadInput
from andante.geometry import Array, se2

from .controllers import MotionState, Surroundings
from .costmap import Costmap, clearance_at
from .path import Path
from .vehicle import Vehicle

_CUSP = 0.12  # a change of direction this near is reached [m]
_ASKEW = 0.6  # a car this far off the heading of its path cannot get back to it [rad]
_LOOK = 4.0  # the path is checked so far ahead [m]


class PathTracker:
    """Follows the progress along a path that may change direction."""

    def __init__(self, path: Path, vehicle: Vehicle) -> None:
        self.path = path
        self._vehicle = vehicle
        self._parts = [part.resampled(0.1) for part in path.segments()]
        self._part = 0
        self._at = 0

    def current(self, pose: Array) -> Path:
        """What is left of the part to drive now; the next part begins when the robot reaches or passes a cusp."""
        while self._part < len(self._parts) - 1:
            end = self._parts[self._part].goal
            way = int(self._parts[self._part].directions[-1])
            x, y, _ = se2.between(end, pose)
            if not (math.hypot(x, y) < _CUSP or (way * x > 0 and abs(x) < 0.4 and abs(y) < 0.4)):
                break
            self._part, self._at = self._part + 1, 0
        part = self._parts[self._part]
        near = np.searchsorted(part.along, part.along[self._at] + 1.5)  # never jumps to a later loop of the path
        gaps = part.poses[self._at : int(near) + 1, :2] - pose[:2]
        self._at += int(np.argmin(np.einsum("ij,ij->i", gaps, gaps)))
        return part.after(self._at)

    @property
    def may_change(self) -> bool:
        """Whether a new plan may replace this one without need: not in the middle of a maneuver with cusps."""
        return len(self._parts) == 1

    def strayed(self, pose: Array, distance: float) -> bool:
        """Whether the robot is further from its part than `distance` [m]; a car half as far, or off its heading."""
        part = self._parts[self._part]
        near = part.poses[part.nearest(pose, self._at)]
        off = float(np.hypot(*(near - pose)[:2]))
        if self._vehicle.drive != "ackermann":
            return off > distance
        return off > distance / 2 or abs(float(se2.wrap(near[2] - pose[2]))) > _ASKEW

    def blocked(self, pose: Array, costmap: Costmap, around: Surroundings) -> bool:
        """Whether the footprint touches something on the path within a few meters ahead."""
        part = self._parts[self._part]
        begin = part.nearest(pose, self._at)
        ahead = part.poses[begin:][part.along[begin:] - part.along[begin] <= _LOOK]
        discs, resolution = around.discs(costmap.resolution), costmap.resolution
        bare = discs.copy()
        bare[:, 2] -= around.margins.padding + resolution / 2
        start = min(0.0, self._gap(costmap.to_frame(pose), costmap, bare, around))
        return any(
            self._gap(inner, costmap, bare, around) < start - 1e-6
            for inner in costmap.to_frame(ahead[:: 2 if len(ahead) > 20 else 1])
        )

    def _gap(self, inner: Array, costmap: Costmap, discs: Array, around: Surroundings) -> float:
        c, s = math.cos(inner[2]), math.sin(inner[2])
        enough = self._vehicle.circumscribed + around.margins.padding
        return clearance_at(inner[0], inner[1], c, s, costmap.distance, costmap.resolution, discs, enough, -1e9)


@dataclass(frozen=True)
class GoalChecker:
    """Arrived: within `distance` of the goal, within `angle` of its yaw where it has one, and slower than `speed`.

    A goal with a yaw is reached only by a robot that also turns no faster than `turn`: it turns on as it brakes.
    """

    distance: float = 0.15  # [m]
    angle: float = 0.2  # [rad]
    speed: float = math.inf  # [m/s]
    turn: float = math.inf  # [rad/s]

    def __post_init__(self) -> None:
        if not (self.distance > 0 and self.angle > 0 and self.speed > 0 and self.turn > 0):
            raise BadInput("arrival needs a distance, an angle, a speed and a turn rate > 0")

    def near(self, pose: Array, goal: Array) -> bool:
        """Whether the place is reached, whatever the heading."""
        return float(np.hypot(*(goal[:2] - pose[:2]))) <= self.distance

    def arrived(self, state: MotionState, goal: Array) -> bool:
        """Whether place, heading (unless the goal's yaw is NaN) and speed are right."""
        off, rate = float(se2.wrap(goal[2] - state.pose[2])), abs(float(state.velocity[2]))
        turned = math.isnan(goal[2]) or (abs(off) <= self.angle and rate <= self.turn)
        return self.near(state.pose, goal) and turned and float(np.hypot(*state.velocity[:2])) <= self.speed


class ProgressChecker:
    """Detects when a robot has neither moved by `distance` nor turned by `angle` within `seconds`."""

    def __init__(self, distance: float = 0.2, angle: float = 0.6, seconds: float = 6.0) -> None:
        if not (distance > 0 and angle > 0 and seconds > 0):
            raise BadInput("progress needs a distance, an angle and a time > 0")
        self.distance, self.angle, self.seconds = distance, angle, seconds
        self._from: Array | None = None
        self._since = 0.0

    def reset(self) -> None:
        """Start over with the next pose."""
        self._from = None

    def stuck(self, state: MotionState) -> bool:
        """Whether the time has passed without progress."""
        if self._from is None or state.time < self._since:
            self._from, self._since = state.pose, state.time
            return False
        gap = state.pose - self._from
        if float(np.hypot(gap[0], gap[1])) >= self.distance or abs(float(se2.wrap(gap[2]))) >= self.angle:
            self._from, self._since = state.pose, state.time
        return state.time - self._since > self.seconds
