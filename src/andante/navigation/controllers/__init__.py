"""Controllers (local planners): the protocol `Controller` with `MotionState` and `Decision`, and what they share."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Protocol, Self

import numpy as np

from andante.errors import BadInput
from andante.geometry import Array, se2
from andante.navigation.costmap import Costmap
from andante.navigation.path import Path
from andante.navigation.vehicle import Vehicle

from .rollouts import COUNT, score_rollouts

NOBODY = np.zeros((0, 5))


@dataclass(frozen=True)
class MotionState:
    """Where the robot is and how it moves, as estimated."""

    pose: Array  # (3,) x, y, yaw of the reference point in the world [m, m, rad]
    velocity: Array = field(default_factory=lambda: np.zeros(3))  # (3,) vx, vy, w in the robot's axes [m/s, rad/s]
    time: float = 0.0  # [s]
    movers: Array = field(default_factory=lambda: NOBODY)  # (m, 5) x, y, vx, vy, radius of moving things in the world

    def __post_init__(self) -> None:
        pose, velocity = np.asarray(self.pose, dtype=float), np.asarray(self.velocity, dtype=float)
        for what, value in (("pose x, y, yaw", pose), ("velocity vx, vy, w", velocity)):
            if value.shape != (3,) or not np.isfinite(value).all():
                raise BadInput(f"the robot's {what} must be three finite numbers, got {value.tolist()}")
        movers = np.asarray(self.movers, dtype=float).reshape(-1, 5)
        object.__setattr__(self, "pose", pose)
        object.__setattr__(self, "velocity", velocity)
        object.__setattr__(self, "movers", movers[np.isfinite(movers).all(axis=1)])


@dataclass(frozen=True)
class Decision:
    """The velocity to drive with now; `feasible` is False when there is no safe motion but to stop."""

    velocity: Array  # (3,) vx, vy, w [m/s, m/s, rad/s]
    reason: str = ""  # why it is slow or stopped; empty in normal driving
    feasible: bool = True


class Controller(Protocol):
    """Follows a path around what is in the way, one decision at a time."""

    def plan(self, state: MotionState, path: Path, costmap: Costmap) -> Decision:
        """The velocity to drive with now. The path is driven in one direction and ends at the goal or at a cusp."""
        ...

    def reset(self) -> None:
        """Forget everything about the path before."""
        ...


def stopped(reason: str) -> Decision:
    """Stand still because there is no safe motion."""
    return Decision(np.zeros(3), reason, feasible=False)


def turn_to_path(state: MotionState, path: Path, vehicle: Vehicle, angle: float = 0.8, end: float = 0.08) -> float:
    """Turn rate [rad/s] on the spot toward a path that starts off by more than `angle`, or to its last heading.

    0: drive on; also for cars, which cannot, and omni drives, which turn as they go.
    """
    if vehicle.drive != "differential":
        return 0.0
    begin = path.nearest(state.pose)
    part = path.after(begin)
    if part.length < end and float(np.hypot(*(path.goal - state.pose)[:2])) < end:
        error = float(se2.wrap(path.goal[2] - state.pose[2]))
        return float(np.clip(2.0 * error, -vehicle.max_turn, vehicle.max_turn)) if abs(error) > 0.02 else 0.0
    gaps = np.linalg.norm(part.poses[:, :2] - state.pose[:2], axis=1)
    beyond = np.flatnonzero(gaps >= 0.3)
    x, y, _ = se2.between(state.pose, part.poses[int(beyond[0]) if len(beyond) else -1])
    way = int(path.directions[-1])
    bearing = math.atan2(way * y, way * x)
    if math.hypot(x, y) < end or abs(bearing) < angle:
        return 0.0
    return math.copysign(min(vehicle.max_turn, 1.5 * abs(bearing)), bearing)


@dataclass(frozen=True)
class Margins:
    """Clearance that controllers keep around the footprint."""

    padding: float = 0.02  # touched counts as collision [m]
    soft: float = 0.25  # nearer than this costs more and more [m]

    def __post_init__(self) -> None:
        if not (0 <= self.padding < math.inf and 0 < self.soft < math.inf):
            raise BadInput(f"margins need padding >= 0 and soft > 0, got {self.padding} and {self.soft} m")


class Surroundings:
    """Path, footprint and limits in the frame of a costmap, as the rollout kernel reads them."""

    def __init__(self, vehicle: Vehicle, margins: Margins) -> None:
        self.vehicle = vehicle
        self.margins = margins
        self._discs: dict[float, Array] = {}

    def discs(self, resolution: float) -> Array:
        """Discs (k, 3) of the padded footprint for maps of a resolution [m]."""
        if resolution not in self._discs:
            self._discs[resolution] = self.vehicle.discs(max(0.02, 0.4 * resolution), self.margins.padding)
        return self._discs[resolution]

    @property
    def enough(self) -> float:
        """A reference point with this much room needs no closer look [m]."""
        return self.vehicle.circumscribed + self.margins.padding + self.margins.soft

    def limits(self, speed: float, way: int) -> Array:
        """(9,) least and greatest vx, greatest vy, w, accelerations, turning radius, direction of the path, v w."""
        v = self.vehicle
        side = min(speed, v.max_speed) if v.drive == "omni" else 0.0
        forwards, back = min(speed, v.max_speed), min(speed, v.max_reverse)
        return np.array(
            [
                -back, forwards, side, v.max_turn, v.max_acceleration, v.max_turn_acceleration, v.turning_radius, way,
                v.max_lateral_acceleration,
            ],
            dtype=float,
        )  # fmt: skip

    def path_ahead(self, state: MotionState, path: Path, costmap: Costmap, reach: float, step: float) -> Array:
        """Poses (p, 4) x, y, yaw, distance along, in the frame of the map, from beside the robot to `reach` ahead."""
        begin = path.nearest(state.pose)
        part = path.after(begin)
        if part.length > reach:
            end = int(np.searchsorted(part.along, reach)) + 1
            part = Path(part.poses[:end], part.directions[:end])
        part = part.resampled(step)
        return np.column_stack([costmap.to_frame(part.poses), part.along])

    def movers(self, state: MotionState, costmap: Costmap) -> Array:
        """Moving things (m, 5) in the frame of the map."""
        m = state.movers
        if not len(m):
            return NOBODY
        yaw = -costmap.origin[2]
        c, s = math.cos(yaw), math.sin(yaw)
        spun = m[:, 2:4] @ np.array([[c, s], [-s, c]])
        return np.ascontiguousarray(np.column_stack([costmap.to_frame(m[:, :2]), spun, m[:, 4]]))

    def time_to_touch(self, command: Array, state: MotionState, costmap: Costmap, seconds: float) -> float | None:
        """When holding a command first touches something within `seconds` [s]; None: it does not."""
        dt = 0.05
        steps = max(1, math.ceil(seconds / dt))
        controls = np.repeat(np.asarray(command, dtype=np.float32)[None, None], steps, axis=1)
        crash = np.empty(1, dtype=np.int64)
        here = costmap.to_frame(state.pose)
        score_rollouts(
            controls, np.zeros(1), here, state.velocity, dt, self.limits(math.inf, 1), np.array([[*here, 0.0]]),
            self.movers(state, costmap), costmap.distance, costmap.resolution, self.discs(costmap.resolution),
            self.enough, self.margins.soft, np.zeros(COUNT), np.empty(1), crash,
        )  # fmt: skip
        return None if crash[0] == steps else float(crash[0] + 1) * dt


def slowed(vehicle: Vehicle, speed: float) -> Vehicle:
    """The vehicle with a greatest speed of at most `speed` both ways [m/s]."""
    return replace(vehicle, max_speed=min(speed, vehicle.max_speed), max_reverse=min(speed, vehicle.max_reverse))


class VehicleController:
    """A controller for a vehicle, with settings of its own: `Settings` names their dataclass, `plan` is left to do.

    Args:
        vehicle: that it drives.
        settings: None: the defaults.
        seed: of its noise, where it has any.
    """

    Settings: ClassVar[type[Any]]  # a dataclass with `margins`, and `max_speed` unless `limited` does without

    def __init__(self, vehicle: Vehicle, settings: Any = None, seed: int = 0) -> None:
        self.vehicle, self.settings, self._seed = vehicle, settings or self.Settings(), seed
        self._around = Surroundings(vehicle, self.settings.margins)
        self.reset()

    @classmethod
    def limited(cls, vehicle: Vehicle, speed: float, seed: int = 0) -> Self:
        """One that drives at most so fast [m/s]."""
        return cls(vehicle, cls.Settings(max_speed=speed), seed)

    def reset(self) -> None:
        """Forget the path before; nothing is remembered from one decision to the next."""

    def plan(self, state: MotionState, path: Path, costmap: Costmap) -> Decision:
        """The velocity to drive with now."""
        raise NotImplementedError
