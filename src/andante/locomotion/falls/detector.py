"""Whether a robot on two feet is falling, from its own sensors: encoders, gyro, accelerometer, foot force.

The center of mass over the feet behaves like a linear inverted pendulum, so it comes to rest over the capture point
    xi = c + c' / omega,   omega = sqrt(g / height of c),
if the ground's push can be brought under it. While xi lies in the support polygon the feet can do that. Outside by a
distance d it runs away from the polygon as d exp(omega t); one step of duration T that lands up to r beyond the polygon
catches it when d exp(omega T) <= r. (Pratt et al. 2006, Koolen et al. 2012.)
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from andante.description import Robot
from andante.errors import BadInput
from andante.geometry import Array
from andante.gravity import GRAVITY
from andante.locomotion.attitude import Attitude
from andante.locomotion.behaviour import Readings
from andante.locomotion.rigs.balance import Balance, inside, margin
from andante.locomotion.rigs.rig import root_from_imu
from andante.settings import check_fields, is_size

LEAST_HEIGHT = 0.05  # of the center of mass in the pendulum [m]
NEAR_GROUND = 0.03  # a sole this near to the lowest one counts as support [m]


@dataclass(frozen=True)
class FallRules:
    """When a lean is a fall, and when a robot stands or lies; table [falls] of `--params` and of launch files."""

    step_time: float = 0.2  # T, in which a walker can set its foot elsewhere [s]
    step_reach: float = 0.12  # r, how far outside its support it can set it [m]; 0: it does not step
    slack: float = 0.01  # errors of the estimate: xi this far outside still counts as inside [m]
    patience: float = 0.04  # the capture point must stay uncatchable for so long [s]
    lean: float = 0.2  # below this tilt of the body it is not yet a fall [rad]
    certain_lean: float = 0.8  # beyond this tilt it is one, whatever the capture point is [rad]
    smooth: float = 0.03  # time constant of the velocity of the joints' share of c' [s]
    upright: float = 0.35  # a body tilted less than this has stood; only then falls are watched for [rad]
    lying: float = math.radians(60)  # one tilted more than this has fallen [rad]
    height_fraction: float = 0.5  # so has a simulated one whose center of mass sank below this part of its height

    def __post_init__(self) -> None:
        names = ("step_time", "step_reach", "slack", "patience", "lean", "smooth", "upright", "height_fraction")
        check_fields(self, "fall rule", ">= 0", is_size, *names)
        if not self.lean < self.certain_lean < math.pi / 2:
            raise BadInput(f"fall rule certain_lean must lie between lean and pi/2, got {self.certain_lean}")
        if not self.upright < self.lying <= math.pi:
            raise BadInput(f"fall rule lying must lie between upright and pi, got {self.lying}")


@dataclass(frozen=True)
class BalanceState:
    """How a robot stands, in level axes that turn with its body."""

    capture: Array  # xi from the middle of the support, x ahead, y left (2,) [m]
    toward: Array  # where it falls: away from the support and along the lean, (2,)
    outside: float  # distance of xi from the support polygon, negative inside [m]
    omega: float  # [1/s]
    tilt: float  # of the body [rad]
    up: Array  # the vertical in body axes (3,)
    falling: bool

    @property
    def direction(self) -> str:
        """Where it falls or leans: front, back, left or right."""
        x, y = self.toward
        if abs(x) >= abs(y):
            return "front" if x >= 0 else "back"
        return "left" if y > 0 else "right"


class FallDetector:
    """Follows the balance of a robot; one `update` per control step."""

    def __init__(self, robot: Robot, rules: FallRules | None = None, balance: Balance | None = None) -> None:
        self.rules, self.balance = rules or FallRules(), balance or Balance(robot)
        self.body_from_imu = root_from_imu(robot)
        self.attitude = Attitude(settle=0.6)
        self.weight = self.balance.mass * GRAVITY
        self._gaps: Array | None = None  # from each foot to the center of mass
        self._drift = np.zeros(3)
        self._doubt = 0.0

    def reset(self) -> None:
        """Forget the motion so far; the vertical is kept."""
        self._gaps, self._drift, self._doubt = None, np.zeros(3), 0.0

    def update(self, readings: Readings, dt: float) -> BalanceState:
        """Take one reading."""
        rules = self.rules
        gyro = self.body_from_imu @ np.where(np.isnan(readings.gyro), 0.0, readings.gyro)
        self.attitude.update(gyro, self.body_from_imu @ readings.acceleration, dt)
        level = self.attitude.level_from_body
        center, soles = self.balance.at(readings.position)
        leveled = [points @ level.T for points in soles]
        floors = [float(points[:, 2].min()) for points in leveled]
        lowest = min(floors)
        near = [k for k, floor in enumerate(floors) if floor < lowest + NEAR_GROUND]
        support = np.concatenate([leveled[k] for k in near])[:, :2]
        feet = np.array([points.sum(axis=0) / len(points) for points in soles])
        middle = feet[near].sum(axis=0) / len(near)
        velocity = level @ (self._joint_drift(center - feet, near, dt) + _cross(gyro, center - middle))
        place = level @ center
        omega = math.sqrt(GRAVITY / max(LEAST_HEIGHT, float(place[2]) - lowest))
        capture = place[:2] + velocity[:2] / omega
        outside = -margin(support, capture)
        tilt = math.acos(max(-1.0, min(1.0, float(self.attitude.up[2]))))
        lost = outside - rules.slack > rules.step_reach * math.exp(-omega * rules.step_time)
        self._doubt = self._doubt + dt if lost and tilt > rules.lean else 0.0
        falling = self._doubt >= rules.patience or tilt > rules.certain_lean
        up = self.attitude.up.copy()
        away = capture - inside(support, capture, 0.0) if outside > 0 else np.zeros(2)
        toward = _unit(away) - _unit(up[:2])
        return BalanceState(capture - (level @ middle)[:2], toward, outside, omega, tilt, up, falling)

    def _joint_drift(self, gaps: Array, near: list[int], dt: float) -> Array:
        """Velocity of the center of mass against the supporting feet by the joints alone, body axes (3,) [m/s].

        gaps (feet, 3) lead from each foot to it. Low-passed; feet that come and go make no jump.
        """
        if self._gaps is not None and dt > 0:
            fraction = dt / (dt + self.rules.smooth)
            self._drift = self._drift + fraction * (
                (gaps - self._gaps)[near].sum(axis=0) / (len(near) * dt) - self._drift
            )
        self._gaps = gaps
        return self._drift


def _cross(a: Array, b: Array) -> Array:
    """a x b of two vectors (3,)."""
    (ax, ay, az), (bx, by, bz) = a.tolist(), b.tolist()
    return np.array([ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx])


def _unit(vector: Array) -> Array:
    """The vector at length 1, or zero when it has none."""
    size = float(np.hypot(vector[0], vector[1]))
    return vector / size if size > 1e-9 else np.zeros(2)


def load_fraction(forces: Mapping[str, Array], weight: float) -> float:
    """Fraction of the weight [N] that the force sensors of the feet measure; NaN without any."""
    if not forces:
        return math.nan
    return float(sum(np.sum(cells) for cells in forces.values())) / weight
