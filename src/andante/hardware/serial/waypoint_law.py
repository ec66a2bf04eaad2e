"""The rover's waypoint control: throttle in proportion to the distance, steering in proportion to the bearing error."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

INSIDE, OUTSIDE = 0.95, 1.1  # of the turning radius: where driving away begins and ends


@dataclass(frozen=True)
class Steer:
    """What to do: throttle and steering as fractions of their full way (left is positive), and how far it is."""

    throttle: float
    steering: float
    distance: float  # to the waypoint [m]
    bearing: float  # of the waypoint against the heading, left positive [rad]
    away: bool  # the waypoint lies inside the turning circle: drive straight until it does not


def wrapped(angle: float) -> float:
    """The angle in [-pi, pi)."""
    return (angle + math.pi) % (2 * math.pi) - math.pi


def steer_to(
    pose: tuple[float, float, float],
    target: tuple[float, float],
    parameters: Mapping[str, float],
    away: bool = False,
) -> Steer:
    """Throttle k_d d and steering k_s e for a pose x, y, yaw, both cut at their limits.

    A car cannot reach a point inside the circle of its sharpest turn, it would go round it for ever; it drives straight
    until the point is outside (`away`, with hysteresis).
    """
    x, y, yaw = pose
    dx, dy = target[0] - x, target[1] - y
    distance = math.hypot(dx, dy)
    error = wrapped(math.atan2(dy, dx) - yaw)
    radius = parameters["turning_radius"]
    side = math.copysign(radius, error)
    from_center = math.hypot(dx + side * math.sin(yaw), dy - side * math.cos(yaw))
    away = radius > 0 and from_center < radius * (OUTSIDE if away else INSIDE)
    throttle = min(
        max(parameters["throttle_gain"] * distance, parameters["throttle_least"]), parameters["throttle_most"]
    )
    steering = 0.0 if away else min(max(parameters["steering_gain"] * error, -1.0), 1.0)
    return Steer(throttle, steering, distance, error, away)
