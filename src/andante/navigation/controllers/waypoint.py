"""The waypoint controller of a small car: throttle by distance, steering by bearing, as servo pulses (PWM)."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from andante.errors import BadInput
from andante.geometry import Array, se2
from andante.navigation.costmap import Costmap
from andante.navigation.path import Path
from andante.navigation.vehicle import Vehicle

from . import Decision, Margins, MotionState, VehicleController, slowed, stopped, turn_to_path

INSIDE, OUTSIDE = 0.95, 1.1  # of the turning radius: where driving away from a waypoint begins and ends


@dataclass(frozen=True)
class WaypointSettings:
    """Gains, the arrival radius and the pulses of a hobby speed controller and steering servo."""

    throttle_gain: float = 0.8  # throttle per meter of distance [1/m]
    least_throttle: float = 0.08  # below it the car does not start
    most_throttle: float = 0.5
    steering_gain: float = 1.5  # steering per radian of bearing [1/rad]
    arrival: float = 0.25  # a waypoint this near is reached [m]
    turning_radius: float = 0.0  # of the tightest bend [m]; waypoints inside of it are driven away from first
    stop_time: float = 0.8  # the driver stops when its arc touches something within this time [s]
    neutral: float = 1500.0  # pulse of standing still and straight wheels [µs]
    span: float = 500.0  # added at full throttle or full left steering [µs]
    margins: Margins = field(default_factory=Margins)

    def __post_init__(self) -> None:
        if not (self.throttle_gain > 0 and self.steering_gain > 0 and self.arrival > 0 and self.span > 0):
            raise BadInput("the waypoint controller needs gains, an arrival radius and a pulse span > 0")
        if not (0 <= self.turning_radius < math.inf and self.stop_time > 0):
            raise BadInput("the waypoint controller needs turning_radius >= 0 and stop_time > 0")
        if not 0 <= self.least_throttle <= self.most_throttle <= 1:
            raise BadInput("the waypoint controller needs 0 <= least_throttle <= most_throttle <= 1")


@dataclass(frozen=True)
class Pulses:
    """What the microcontroller sends to the car."""

    throttle: float  # [µs]
    steering: float  # [µs], above neutral turns left


@dataclass(frozen=True)
class WaypointCommand:
    """Throttle and steering as fractions of full, the same as pulses, and what they follow from."""

    throttle: float  # 0 to 1
    steering: float  # -1 (right) to 1 (left)
    pulses: Pulses
    distance: float  # to the waypoint [m]
    bearing: float  # of the waypoint against the heading [rad]
    arrived: bool
    away: bool = False  # the waypoint lies inside the turning circle: straight on until it does not


def waypoint_command(
    pose: ArrayLike, waypoint: ArrayLike, settings: WaypointSettings | None = None, *, away: bool = False
) -> WaypointCommand:
    """The command that drives from a pose x, y, yaw toward a waypoint x, y.

    throttle = gain · distance within its bounds, 0 on arrival; steering = gain · bearing error within -1 to 1. A car
    would circle about a waypoint inside of its turning circle; it drives straight on until the waypoint is outside.

    Args:
        pose: x, y, yaw [m, m, rad].
        waypoint: x, y [m].
        settings: gains and limits.
        away: `away` of the command before, for hysteresis.
    """
    s = settings or WaypointSettings()
    at, to = np.asarray(pose, dtype=float), np.asarray(waypoint, dtype=float)[:2]
    if at.shape != (3,) or to.shape != (2,) or not (np.isfinite(at).all() and np.isfinite(to).all()):
        raise BadInput("the waypoint controller needs a finite pose x, y, yaw and a finite waypoint x, y")
    gap = to - at[:2]
    distance = float(np.hypot(*gap))
    bearing = float(se2.wrap(math.atan2(gap[1], gap[0]) - at[2])) if distance > 0 else 0.0
    arrived = distance <= s.arrival
    throttle = 0.0 if arrived else min(max(s.throttle_gain * distance, s.least_throttle), s.most_throttle)
    side = math.copysign(s.turning_radius, bearing)
    from_center = math.hypot(gap[0] + side * math.sin(at[2]), gap[1] - side * math.cos(at[2]))
    away = s.turning_radius > 0 and from_center < s.turning_radius * (OUTSIDE if away else INSIDE)
    steering = 0.0 if arrived or away else min(max(s.steering_gain * bearing, -1.0), 1.0)
    return WaypointCommand(throttle, steering, pulses_of(throttle, steering, s), distance, bearing, arrived, away)


def pulses_of(throttle: float, steering: float, settings: WaypointSettings) -> Pulses:
    """Pulses of a throttle (-1 to 1) and a steering (-1 to 1, left above 0)."""
    return Pulses(settings.neutral + settings.span * throttle, settings.neutral + settings.span * steering)


def twist_of(pulses: Pulses, vehicle: Vehicle, settings: WaypointSettings | None = None) -> Array:
    """Twist (3,) that pulses ask of a vehicle: full throttle is its top speed, full steering its tightest bend.

    A vehicle that turns on the spot takes full steering for its top turn rate.
    """
    s = settings or WaypointSettings()
    throttle = float(np.clip((pulses.throttle - s.neutral) / s.span, -1.0, 1.0))
    steering = float(np.clip((pulses.steering - s.neutral) / s.span, -1.0, 1.0))
    speed = throttle * (vehicle.max_speed if throttle >= 0 else vehicle.max_reverse)
    if vehicle.turning_radius == 0:
        return np.array([speed, 0.0, steering * vehicle.max_turn * abs(throttle) / max(s.most_throttle, 1e-9)])
    if vehicle.wheelbase > 0:  # the steering angle, not the curvature, goes with the pulse
        lock = math.atan(vehicle.wheelbase / vehicle.turning_radius)
        curve = math.tan(steering * lock) / vehicle.wheelbase
    else:
        curve = steering / vehicle.turning_radius
    return np.array([speed, 0.0, speed * curve])


class WaypointDriver(VehicleController):
    """The waypoint controller as a `Controller`: it heads for the next pose of the path outside its arrival radius.

    The source's car looks at no obstacle; here it stops before what its arc would touch. Parts driven backwards are
    steered with the rear ahead; a robot that can turns on the spot toward the path and to its last heading.
    """

    Settings = WaypointSettings
    settings: WaypointSettings

    @classmethod
    def limited(cls, vehicle: Vehicle, speed: float, seed: int = 0) -> Self:
        """One that drives at most so fast [m/s]: full throttle is that speed."""
        return cls(slowed(vehicle, speed))

    def plan(self, state: MotionState, path: Path, costmap: Costmap) -> Decision:
        """The velocity to drive with now."""
        spin = turn_to_path(state, path, self.vehicle, 1.2)
        twist = np.array([0.0, 0.0, spin]) if spin else self._towards(state, path)
        if not twist.any():
            return Decision(twist, "the last waypoint is reached")
        soon = self._around.time_to_touch(twist, state, costmap, self.settings.stop_time)
        if soon is not None:
            return stopped(f"the arc to the waypoint touches something in {soon:.1f} s")
        return Decision(twist)

    def _towards(self, state: MotionState, path: Path) -> Array:
        """Twist to the next pose of the path that is far enough away; zero: the last one is reached."""
        s, way = self.settings, int(path.directions[-1])
        rest = path.poses[path.nearest(state.pose) :, :2]
        gaps = np.linalg.norm(rest - state.pose[:2], axis=1)
        far = np.flatnonzero(gaps > s.arrival)
        target = rest[int(far[0])] if len(far) else rest[-1]
        pose = np.array([state.pose[0], state.pose[1], state.pose[2] + (0.0 if way > 0 else math.pi)])
        command = waypoint_command(pose, target, s)
        passed = not len(far) and self.vehicle.turning_radius > 0 and abs(command.bearing) > math.pi / 2
        if command.arrived or passed:  # a car would circle about what it has passed
            return np.zeros(3)
        left = float(np.linalg.norm(rest[-1] - state.pose[:2]))
        throttle = min(max(s.throttle_gain * left, s.least_throttle), s.most_throttle)
        twist = twist_of(pulses_of(throttle, command.steering, s), self.vehicle, s)
        if way < 0:  # the same circle, the rear ahead
            twist = np.array([-twist[0], 0.0, twist[2]]) * min(1.0, self.vehicle.max_reverse / max(twist[0], 1e-9))
        return twist
