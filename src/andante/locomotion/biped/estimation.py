"""State estimation of a walk on two legs: tilt, foot loads, center of mass, odometry, and errors beyond the usual."""

from __future__ import annotations

import math
from typing import Protocol

import numpy as np

from andante.geometry import Array
from andante.gravity import GRAVITY
from andante.locomotion.behaviour import Readings

from .body import BipedBody
from .footsteps import Step, beyond, leaning, placed, reversed_step, seen_from
from .ground import GroundSettings
from .sense_kernels import AVERAGED, turn_vertical

# Times in those of the pendulum, 1 / w.
LONG, QUIET = 6.088, 9.132  # errors that last so long are left alone for a time
QUIETER = 3.0  # up to so many times more
RECOVERED = 15.22  # steps keep their time for so long after they have been free, so that rocking dies away


class Limits(Protocol):
    """What is usual; `BipedMeasures` has it."""

    @property
    def rate(self) -> float:
        """w of the pendulum [1/s]."""

    @property
    def calm(self) -> float:
        """Errors of the divergent component below this are left alone [m]."""

    @property
    def calm_tilt(self) -> float:
        """Tilts of the standing foot below this too [rad]."""

    @property
    def hurry(self) -> float:
        """Errors above this let steps come sooner or later than usual [m]."""

    @property
    def hurry_time(self) -> float:
        """For so long [s]."""


class Alarm:
    """Errors beyond what is usual. Large ones free the time of the steps for a while; lasting small ones are let be."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._long, self._quiet, self._recovered = (each / limits.rate for each in (LONG, QUIET, RECOVERED))
        self.error = (0.0, 0.0)  # of the divergent component, beyond what is left alone [m]
        self.tilt: Array | None = None  # of the standing foot, (3, 3); None: flat enough
        self._upset = 0.0  # how long errors have lasted; below 0: the time left in which only large ones count [s]
        self._hurry = (
            -self._recovered
        )  # steps may come sooner or later than usual for so long, then not for a while [s]

    @property
    def on(self) -> bool:
        """Whether anything has to be answered."""
        return self.tilt is not None or self.error != (0.0, 0.0)

    @property
    def hurry(self) -> bool:
        """Whether steps may come sooner or later than usual."""
        return self._hurry > 0.0

    @property
    def lately(self) -> bool:
        """Whether they may or might a while ago: a robot that was pushed still rocks."""
        return self._hurry > -self._recovered

    def update(self, off: tuple[float, float], lean: tuple[float, float], dt: float) -> None:
        """Take the error of the divergent component [m] and roll and pitch of the standing foot [rad]."""
        s = self._limits
        usual = QUIETER if self._upset < 0.0 else 1.0
        self.error = beyond(*off, usual * s.calm)
        roll, pitch = beyond(*lean, usual * s.calm_tilt)
        self.tilt = leaning(roll, pitch) if roll or pitch else None
        if self._upset >= 0.0 and not self.on:
            self._upset = max(0.0, self._upset - dt)
        else:
            self._upset = self._upset + dt if self._upset < self._long else -self._quiet
        self._hurry = max(-self._recovered, self._hurry - dt)
        size = math.hypot(*self.error)
        if size > 2.0 * s.hurry or (size > s.hurry and self._hurry <= -self._recovered):
            self._hurry = s.hurry_time


CARRIES = 0.1  # load from which a foot is taken to rest on the ground, in body weights
STILL = 0.1  # a robot at rest whose gyro tells of less turns not at all: this is the gyro's own error [rad/s]
LEARNED = 2.0  # over which that error is averaged [s]
LANDING = 0.0913  # after a change of feet the new one still comes to rest for this long, in times of the pendulum


class BipedOdometry:
    """Pose of the standing foot in the frame of the start, summed up step by step.

    A foot that is put down still moves for some hundredths of a second, so the step is measured again in every control
    step of the double support and the mean of these readings counts. Feet that never tell of carrying both at once (a
    switch each, servos that put the foot down late) are measured where the load goes over. Encoders do not see a sole
    that spins on the ground: where the gyro has a yaw axis the heading of the body is summed up from it, and the
    standing foot's is that of the body and the joints between them.
    """

    def __init__(self, foot: Step, rate: float) -> None:
        self.foot = foot  # the standing one
        self._landing = LANDING / rate  # [s]
        self._before: Step | None = None  # the foot before, as long as the last step is being measured
        self._mean: Step = (0.0, 0.0, 0.0)
        self._count = 0
        self._handed: Step | None = None  # the step as it was seen where the load went over
        self._over = False  # the new foot alone has carried since
        self._heading: float | None = None  # of the body by the gyro [rad]
        self._error, self._rested = 0.0, 0.0  # of the gyro about the vertical [rad/s]; known for so long [s]

    def turn(self, rate: float, facing: float, still: bool, dt: float) -> None:
        """Take the body's turn about the vertical [rad/s; NaN: not known] and the sole's heading seen from it [rad].

        still: the robot stands and means to; what the gyro then tells of is its own error, unless it is large.
        """
        if math.isnan(rate):
            self._heading = None
            return
        if self._heading is None:
            self._heading = self.foot[2] - facing
        elif still and abs(rate - self._error) < STILL:
            self._rested = min(self._rested + dt, LEARNED)
            self._error += min(1.0, dt / max(self._rested, dt)) * (rate - self._error)
            self._heading = self.foot[2] - facing  # soles that carry stay, what the joints do turns the body
        else:
            self._heading += (rate - self._error) * dt
        self.foot = (self.foot[0], self.foot[1], self._heading + facing)

    def change_foot(self, other: Step) -> None:
        """The other foot, seen at `other` from the standing one, stands from now on."""
        self._before, self._mean, self._count = self.foot, other, 0
        self._handed, self._over = None, False
        self.foot = placed(self.foot, other)

    def measure(self, other: Step, loads: tuple[float, float], since: float) -> None:
        """Look at the foot before, seen at `other`.

        loads: of the standing foot and the one before [body weights]; since: time since it changed [s].
        """
        if self._before is None or since < self._landing:
            return
        seen = reversed_step(other)
        if min(loads) < CARRIES:
            if not self._over and max(loads) >= CARRIES:
                self._handed, self._over = seen, loads[0] >= CARRIES
            return
        self._count += 1
        n, (x, y, yaw), (mx, my, mt) = self._count, seen, self._mean if self._count > 1 else seen
        self._mean = (mx + (x - mx) / n, my + (y - my) / n, mt + (yaw - mt) / n)
        self._put(self._mean)

    def _put(self, step: Step) -> None:
        """The standing foot is a step away from the one before."""
        assert self._before is not None
        there = placed(self._before, step)
        self.foot = there if self._heading is None else (there[0], there[1], self.foot[2])

    def lifted(self) -> None:
        """The foot before is in the air: the step is measured."""
        if self._before is not None and not self._count and self._handed is not None:
            self._put(self._handed)
        self._before = None

    def middle(self, other: Step) -> Step:
        """Half way between the feet, the other one seen at `other`: x, y [m] and mean heading [rad]."""
        x, y, yaw = other
        there = placed(self.foot, (0.5 * x, 0.5 * y, 0.0))
        return there[0], there[1], self.foot[2] + 0.5 * yaw


COMES_TO_REST = 1.8  # a robot that begins to stand comes to rest in this time, in times of the pendulum


class BipedAttitude:
    """Complementary filter: the vertical turns with the gyro and leans toward the accelerometer's.

    `first` [s] is the time in which it averages at the start, over the last 0.3 s since a large robot comes to rest
    slowly; `settle` [s] is that of the accelerometer later on.
    Axes that the gyro lacks (NaN) count as not turning.
    """

    def __init__(self, settle: float = 4.0, first: float = AVERAGED) -> None:
        self.settle, self.first = settle, first
        self.up = np.array([0.0, 0.0, 1.0])  # the vertical seen from the body
        self.seen = 0.0  # [s]

    def update(self, gyro: Array, force: tuple[float, float, float], dt: float) -> None:
        """Take angular velocity [rad/s] and specific force without the planned acceleration [m/s²], body axes."""
        turn = tuple(gyro.tolist())
        self.seen = turn_vertical(self.up, turn, force, self.seen, self.first, self.settle, dt)

    @property
    def roll(self) -> float:
        """Lean to the right [rad]."""
        return math.atan2(self.up[1], self.up[2])

    @property
    def pitch(self) -> float:
        """Lean to the front [rad]."""
        return -math.asin(max(-1.0, min(1.0, self.up[0])))


BANDWIDTH = 4.9275  # at which the place of the center corrects what the accelerometer has summed up, in w
PRESSED = 0.5  # load of a foot whose switch is closed, in body weights


class BipedSense:
    """Estimates in the level frame of the standing sole (x along it, z up), from encoders, IMU and load cells."""

    def __init__(self, body: BipedBody, rate: float, shift: Array) -> None:
        self.body, self.rate = body, rate
        self.attitude = BipedAttitude(first=max(AVERAGED, COMES_TO_REST / rate))
        self.loads = (0.5, 0.5)  # on the left and right foot, in body weights
        self.place = (0.0, 0.0)  # of the center of mass [m]
        self.speed = (0.0, 0.0)  # [m/s]
        self.other = (0.0, 0.0, 0.0)  # the other sole: x, y [m], yaw [rad], in the frame of the standing one
        self.foot_roll, self.foot_pitch = 0.0, 0.0  # tilt of the standing sole [rad]
        self.turning, self.facing = math.nan, 0.0  # of the body about the vertical [rad/s]; the sole's heading from it
        self._shift = body.upright.T @ shift  # of the weighed center against the true one, root frame
        self.points = [np.zeros(2), np.zeros(2)]  # where each sole is pressed, in its own frame [m]
        self.feels = [False, False]  # whether a foot has ever told that it carries
        # feet that do not tell where they are pressed: one that tips over its edge then seems uneven ground
        self.dull = not all(sole.rims for sole in body.soles)
        self._known = False
        self._bandwidth = BANDWIDTH * rate  # [rad/s]
        self._felt = np.empty(16)  # of the last readings
        self._rims: list[tuple[Array, float, tuple[float, float]] | None] = [None, None]  # answers of `at_rim`

    @property
    def divergent(self) -> tuple[float, float]:
        """c + c' / w, x and y [m]."""
        return self.place[0] + self.speed[0] / self.rate, self.place[1] + self.speed[1] / self.rate

    @property
    def acceleration(self) -> tuple[float, float]:
        """Of the body, by the accelerometer, x and y [m/s²]."""
        return float(self._felt[7]), float(self._felt[8])

    def pressed(self, stance: int) -> tuple[float, float] | None:
        """Where the ground presses both soles together, x and y [m]; None: next to nowhere."""
        own, other = self.loads[stance], self.loads[1 - stance]
        if own + other < CARRIES:
            return None
        (ax, ay), (bx, by) = self.points[stance].tolist(), self.points[1 - stance].tolist()
        bx, by, _ = placed(self.other, (bx, by, 0.0))
        part = other / (own + other)
        return ax + part * (bx - ax), ay + part * (by - ay)

    def update(self, readings: Readings, stance: int, planned: tuple[float, float], yaw: float, dt: float) -> None:
        """Take one set of readings. planned: acceleration that the plan gives the body [m/s²], yaw: the body's heading.

        Both are in the frame of the standing foot. Axes that the gyro lacks count as not turning.
        """
        attitude, out = self.attitude, self._felt
        self.body.feel(
            readings.position, stance, self._shift, tuple(readings.gyro.tolist()),
            tuple(readings.acceleration.tolist()), planned, yaw, attitude.up,
            (attitude.seen, attitude.first, attitude.settle), self.place, self.speed,
            self._bandwidth if self._known else 0.0, dt, out,
        )  # fmt: skip
        self._known = True
        x, y, turn, self.foot_roll, self.foot_pitch, _, _, _, _, self.facing, px, py, vx, vy, self.turning, seen = (
            out.tolist()
        )
        self.other, self.place, self.speed, attitude.seen = (x, y, turn), (px, py), (vx, vy), seen
        self.loads = left, right = self._load(0, readings), self._load(1, readings)
        self.feels = [self.feels[0] or left > CARRIES, self.feels[1] or right > CARRIES]

    def _load(self, foot: int, readings: Readings) -> float:
        sole = self.body.soles[foot]
        measured = readings.forces.get(sole.link)
        if measured is not None:
            cells = measured.tolist()
            whole = sum(cells)
            if whole > CARRIES * self.body.mass * GRAVITY and len(sole.cells) == len(cells):
                x = y = 0.0
                for force, (cx, cy) in zip(cells, sole.places, strict=True):
                    x, y = x + force * cx, y + force * cy
                self.points[foot] = np.array([x / whole, y / whole])
            return float(whole) / (self.body.mass * GRAVITY)
        pressed = any(readings.pressed.get(name, False) for name in (*sole.switches, f"{sole.link}/touch"))
        return PRESSED if pressed else 0.0

    def rests(self, stance: int, ground: GroundSettings, both: bool) -> tuple[bool, bool]:
        """Whether the standing sole, or with `both` any, lies on the ground along x and along y.

        It carries, and is not pressed at its rim there. A sole that does not tell where it is pressed counts only while
        both stand: tipped over its edge by a rocking walk it would be taken for a slope, and the body lean with it.
        """
        if not both and self.dull:
            return False, False
        if not both:
            return self._lies(stance, ground)
        (x, y), (other_x, other_y) = self._lies(0, ground), self._lies(1, ground)
        return x or other_x, y or other_y

    def _lies(self, foot: int, ground: GroundSettings) -> tuple[bool, bool]:
        if self.loads[foot] < ground.resting:
            return False, False
        x, y = self.at_rim(foot, ground.inner)
        return x == 0.0, y == 0.0

    def at_rim(self, foot: int, inner: float) -> tuple[float, float]:
        """How far a sole is pressed outside the inner part of its load cells' hull, x and y [m]; (0, 0): inside."""
        point, last = self.points[foot], self._rims[foot]
        if last is not None and last[0] is point and last[1] == inner:
            return last[2]
        (x, y), out = point.tolist(), [0.0, 0.0]
        for nx, ny, middle, side in self.body.soles[foot].rims:
            beyond_it = nx * x + ny * y - middle - inner * side
            axis, sign = (0, nx) if abs(nx) > abs(ny) else (1, ny)
            if beyond_it > abs(out[axis]):
                out[axis] = math.copysign(beyond_it, sign)
        self._rims[foot] = (point, inner, (out[0], out[1]))
        return out[0], out[1]

    def change_foot(self) -> None:
        """See everything from the other foot, which stands from now on."""
        step = self.other
        self.place = seen_from(step, *self.place)
        self.speed = seen_from((0.0, 0.0, step[2]), *self.speed)
        x, y = seen_from(step, 0.0, 0.0)
        self.other = (x, y, -step[2])
