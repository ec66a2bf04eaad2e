"""`PurePursuit`: regulated pure pursuit: an arc to a point ahead, slower in bends, near obstacles and at the end."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from andante._moved import renamed
from andante.errors import BadInput
from andante.geometry import se2
from andante.navigation.costmap import Costmap
from andante.navigation.path import Path

from . import Decision, Margins, MotionState, VehicleController, stopped, turn_to_path


@renamed()
@dataclass(frozen=True)
class PursuitSettings:
    """Look-ahead and the rules that lower the speed."""

    max_speed: float = field(default=math.inf, metadata={"was": "speed"})  # beside the vehicle's own limit [m/s]
    look_ahead: tuple[float, float] = (0.3, 0.9)  # least and greatest distance to the point pursued [m]
    look_time: float = 0.8  # distance = speed · time, within those bounds [s]
    look_car: float = 0.6  # a car looks no further ahead than this many turning radii
    bend_radius: float = 0.7  # bends tighter than this are driven more slowly [m]
    near: float = 0.35  # within this distance of obstacles it is slower [m]
    least_speed: float = 0.08  # [m/s]
    turn_first: float = 0.8  # a robot that can turns on the spot toward points further off than this [rad]
    brake_time: float = 0.8  # stops when the arc touches something within this time [s]
    margins: Margins = field(default_factory=Margins)

    def __post_init__(self) -> None:
        low, high = self.look_ahead
        if not (0 < low <= high and self.look_time > 0 and self.least_speed > 0 and self.bend_radius > 0):
            raise BadInput("pure pursuit needs 0 < least <= greatest look-ahead and positive times, speeds and radii")


class PurePursuit(VehicleController):
    """Regulated pure pursuit (Macenski, Singh, Martin, Gines 2023): curvature 2 y / L² toward a point L ahead."""

    Settings = PursuitSettings
    settings: PursuitSettings

    def plan(self, state: MotionState, path: Path, costmap: Costmap) -> Decision:
        """The velocity to drive with now."""
        s, v = self.settings, self.vehicle
        way = int(path.directions[-1])
        top = min(s.max_speed, v.max_speed if way > 0 else v.max_reverse)
        if top == 0:
            return stopped("the path goes backwards and this robot does not reverse")
        part = path.after(path.nearest(state.pose)).resampled(0.05)
        most = s.look_ahead[1] if v.turning_radius == 0 else min(s.look_ahead[1], s.look_car * v.turning_radius)
        far = min(max(abs(float(state.velocity[0])) * s.look_time, s.look_ahead[0]), max(most, s.look_ahead[0]))
        gaps = np.linalg.norm(part.poses[:, :2] - state.pose[:2], axis=1)
        beyond = np.flatnonzero(gaps >= far)
        point = part.poses[int(beyond[0]) if len(beyond) else -1]
        x, y, _ = se2.between(state.pose, point)
        rest = float(gaps[0] + part.length)
        distance = max(math.hypot(x, y), 1e-6)
        if v.drive == "omni":
            speed, why = self._speed(top, 0.0, rest, state, costmap)
            turn = float(np.clip(1.5 * se2.wrap(point[2] - state.pose[2]), -v.max_turn, v.max_turn))
            command = np.array([speed * x / distance, speed * y / distance, turn])
        elif spin := turn_to_path(state, path, v, s.turn_first):
            command, why = np.array([0.0, 0.0, spin]), "turns toward the path"
        elif v.turning_radius > 0 and part.length < 1e-9 and way * x < 0:
            return Decision(np.zeros(3), "the end of the path lies behind")
        else:
            curve = 2.0 * float(y) / distance**2
            if v.turning_radius > 0:
                curve = float(np.clip(curve, -1 / v.turning_radius, 1 / v.turning_radius))
            speed, why = self._speed(top, curve, rest, state, costmap)
            speed = min(speed, v.max_turn / abs(curve)) if curve else speed
            command = np.array([way * speed, 0.0, way * speed * curve])
        pace = float(np.hypot(command[0], command[1]))
        seconds = min(s.brake_time, (rest + 0.05) / pace) if pace > 0 else s.brake_time / 2
        soon = self._around.time_to_touch(command, state, costmap, seconds)
        if soon is not None:
            return stopped(f"the arc ahead touches something in {soon:.1f} s")
        return Decision(command, why)

    def _in_bend(self, top: float, curve: float) -> float:
        """Speed [m/s] in a bend: slower below the bend radius, and as fast as the tires hold, √(a / curvature)."""
        sharp = top * min(1.0, 1 / (curve * self.settings.bend_radius))
        return min(sharp, math.sqrt(self.vehicle.max_lateral_acceleration / curve))

    def _speed(self, top: float, curve: float, rest: float, state: MotionState, costmap: Costmap) -> tuple[float, str]:
        """Speed [m/s] after all rules, and the rule that lowered it most."""
        s = self.settings
        fraction = 0.7 if self.vehicle.turning_radius == 0 else 0.4  # cars cannot come back to what they passed
        cell = costmap.cell_of(state.pose)
        room = float(costmap.distance[cell]) - self.vehicle.inscribed if costmap.inside(cell) else math.inf
        rules = {
            "": top,
            "slow in a bend": top if curve == 0 else self._in_bend(top, abs(curve)),
            "slow near an obstacle": top * min(1.0, max(room, 0.0) / s.near),
            "slow before the end of the path": math.sqrt(2 * fraction * self.vehicle.max_acceleration * max(rest, 0.0)),
        }
        why = min(rules, key=lambda name: rules[name])
        return max(rules[why], min(s.least_speed, top)), why
