"""The control step of the rolling ball in plain numpy: what the compiled one is compared with."""

from __future__ import annotations

import math

import numpy as np

from andante.description import Robot
from andante.errors import BadInput
from andante.geometry import Array
from andante.locomotion import Command, Readings
from andante.robots.shell.kernels import HALF, filter_step, in_body, seen_from_legs, stroke_openings
from andante.robots.shell.roller import LEGS, BallSettings, Strokes, strokes_of

UP = np.array([0.0, 0.0, 1.0])


def positions(strokes: Strokes, opening: Array) -> Array:
    """Joint positions (joints,) with the legs open by fractions (12,)."""
    first, second = np.minimum(1.0, 2 * opening), np.maximum(0.0, 2 * opening - 1)
    return strokes.ball + first @ strokes.first + second @ strokes.second


def kept_apart(opening: Array) -> Array:
    """Openings (12,) with no two lower neighbors in their second half, where their tiles would meet."""
    lower = opening[:LEGS]
    most = np.maximum(np.roll(lower, 1), np.roll(lower, -1))
    loses = (lower < most) | ((lower == most) & (np.arange(LEGS) % 2 == 1))
    out = opening.copy()
    out[:LEGS] = np.where(loses & (most > HALF), np.minimum(lower, HALF), lower)
    return out


class PlainAttitude:
    """Complementary filter of gyro and accelerometer: heading_from_body, z up, x forward at the start.

    Each step turns by the gyro, R <- R exp(w dt), and then leans toward the accelerometer's idea of up by the fraction
    dt / `time_constant`, less when the specific force is not that of a body at rest:
    R <- exp(fraction * trust * (R f/|f| x z)) R. While the filter is younger than its time constant its age takes that
    place, so that a bad first reading is soon forgotten. Nothing corrects the heading, which drifts with the bias of
    the gyro.
    """

    def __init__(self, mount: Array | None = None, time_constant: float = 1.5, tolerance: float = 2.5) -> None:
        self.mount = np.eye(3) if mount is None else np.ascontiguousarray(mount)  # body_from_sensor
        self.time_constant, self.tolerance = time_constant, tolerance  # [s], [m/s^2]
        self.rotation: Array = np.eye(3)
        self.spin: Array = np.zeros(3)  # angular velocity in the heading frame [rad/s]
        self._started, self._age = False, 0.0

    @staticmethod
    def of(robot: Robot) -> PlainAttitude:
        """The filter for the IMU that a robot carries on its root."""
        imus = [sensor for sensor in robot.sensors if sensor.kind == "imu"]
        if not imus:
            raise BadInput(f"robot {robot.name!r} carries no IMU, so its attitude cannot be felt")
        on_root = robot.link_poses()[imus[0].link] @ imus[0].pose
        return PlainAttitude(on_root.rotation)

    def reset(self, acceleration: Array) -> None:
        """Start from the accelerometer alone; the body's x axis (or z, where that points up) gives the heading."""
        up = acceleration / max(float(np.linalg.norm(acceleration)), 1e-9)
        ahead = np.array([1.0, 0.0, 0.0]) if abs(up[0]) < 0.9 else np.array([0.0, 0.0, 1.0])
        x = ahead - (ahead @ up) * up
        x /= np.linalg.norm(x)
        self.rotation = np.array([x, np.cross(up, x), up])
        self._started, self._age = True, 0.0

    def update(self, gyro: Array, acceleration: Array, dt: float) -> Array:
        """heading_from_body (3, 3) after a step of dt [s]; gyro [rad/s] and specific force [m/s^2] in sensor axes.

        Axes that read NaN count as 0.
        """
        gyro, acceleration = in_body(self.mount, gyro), in_body(self.mount, acceleration)
        if not self._started:
            self.reset(acceleration)
        self._age += dt
        fraction = min(1.0, dt / min(self.time_constant, self._age))
        self.rotation = filter_step(self.rotation, gyro, acceleration, dt, fraction, self.tolerance)
        self.spin = self.rotation @ gyro
        return self.rotation

    @property
    def facing(self) -> float:
        """Direction of the body's x axis in the heading frame [rad]; of no use while that axis is upright."""
        return math.atan2(self.rotation[1, 0], self.rotation[0, 0])

    @property
    def lean(self) -> float:
        """Angle between the body's z axis and the vertical [rad], 0 to pi."""
        return math.acos(min(1.0, max(-1.0, float(self.rotation[2, 2]))))


class PlainRoller:
    """Drives the closed ball at a wanted velocity, `vx` forward and `vy` to the left of a course that `wz` turns.

    Forward is where the robot's x axis pointed when the roller was started. With no velocity wanted it stops and
    brings its lower side down, ready to unfold.
    """

    def __init__(self, robot: Robot, settings: BallSettings | None = None, strokes: Strokes | None = None) -> None:
        self.settings = settings or BallSettings()
        self.strokes = strokes or strokes_of(robot)
        self.attitude = PlainAttitude.of(robot)
        self.start()

    def start(self, course: float | None = None) -> None:
        """Begin with the legs closed and a course in the heading frame [rad], by default where the body faces now."""
        self.course = self.attitude.facing if course is None else course
        self.opening: Array = np.zeros(2 * LEGS)
        self.velocity: Array = np.zeros(2)  # of the center in the heading frame, by the gyro [m/s]
        self._still = self._stuck = self._back = 0.0
        self._pace = self.settings.slowest  # mean speed along the wanted way [m/s]

    @property
    def settled(self) -> bool:
        """Whether the ball lies still with its lower side down."""
        return self._still >= self.settings.settled_time

    def update(self, readings: Readings, command: Command, dt: float) -> Array:
        """Joint targets (joints,) for the next control step."""
        self.attitude.update(readings.gyro, readings.acceleration, dt)
        return self.drive(command, dt)

    def drive(self, command: Command, dt: float) -> Array:
        """The same with an attitude that was brought up to date elsewhere."""
        settings = self.settings
        rotation, spin = self.attitude.rotation, self.attitude.spin
        self.velocity = self.strokes.radius * np.array([spin[1], -spin[0]])  # rolling without slip: r ω x z
        self.course += command.wz * dt
        if command.vx or command.vy:
            wanted = self._run_up(self.wanted_velocity(command), dt)
            self._still = 0.0
        else:
            wanted = self.righting_velocity()
            calm = self.attitude.lean < settings.settled_lean and math.hypot(*self.velocity) < settings.settled_speed
            self._still = self._still + dt if calm else 0.0
            self._back, self._pace = 0.0, settings.slowest
        goal = self.push(rotation, self._needed(command, wanted, dt))
        step = settings.opening_speed * dt
        self.opening = self.opening + np.clip(goal - self.opening, -step, step)
        return positions(self.strokes, self.opening)

    def wanted_velocity(self, command: Command) -> Array:
        """Velocity of the center (2,) at the present attitude [m/s].

        The heavy side makes the ball fast when it is down and slow when it is up; wanting what it does by itself,
        v^2 = mean^2 + lift cos(lean), leaves the legs only the losses to make good.
        """
        settings = self.settings
        c, s = math.cos(self.course), math.sin(self.course)
        way = np.array([c * command.vx - s * command.vy, s * command.vx + c * command.vy])
        size = math.hypot(*way)
        mean = min(max(size, settings.slowest), settings.fastest)
        square = mean**2 + self.strokes.lift * float(self.attitude.rotation[2, 2])
        return way / size * max(settings.slowest_on_top, math.sqrt(max(0.0, square)))

    def righting_velocity(self) -> Array:
        """Velocity (2,) that brings the lower side down by the shortest way, slower the nearer it is [m/s]."""
        axis = np.cross(self.attitude.rotation[:, 2], UP)
        sine = float(np.linalg.norm(axis))
        axis = np.array([1.0, 0.0, 0.0]) if sine < 1e-3 else axis / sine
        speed = min(self.settings.righting * self.attitude.lean, self.settings.righting_speed)
        return speed * np.array([axis[1], -axis[0]])

    def _needed(self, command: Command, wanted: Array, dt: float) -> Array:
        """Change of velocity (2,) that the legs have to make; righting is left to gravity where that is enough."""
        error, settings = wanted - self.velocity, self.settings
        size = math.hypot(*wanted)
        if command.vx or command.vy or size < 1e-6:
            return error
        speed = math.hypot(*self.velocity)
        if self.attitude.lean < settings.rocking_lean:  # open legs would prop it up: brake a fast swing, else rock
            return -self.velocity if speed > settings.rocking_speed else np.zeros(2)
        way = wanted / size
        still = speed < settings.settled_speed
        falls = float(error @ way) > 0 and math.sin(self.attitude.lean) > settings.weight_rights
        self._stuck = self._stuck + dt if falls and still else 0.0
        if falls and float(self.velocity @ way) > -settings.settled_speed and self._stuck < settings.settled_time:
            return error - (error @ way) * way
        return error

    def _run_up(self, wanted: Array, dt: float) -> Array:
        """The wanted velocity, or its opposite for a while when the ball has got nowhere for long."""
        settings = self.settings
        if self._back > 0:
            self._back -= dt
            return -wanted
        along = float(self.velocity @ wanted) / math.hypot(*wanted)
        self._pace += dt / settings.stuck_time * (along - self._pace)
        if self._pace < settings.stuck_speed:
            self._pace, self._back = settings.slowest, settings.run_up
        return wanted

    def push(self, rotation: Array, error: Array) -> Array:
        """Openings (12,) that change the velocity of the center by the error (2,) [m/s], heading_from_body given."""
        settings = self.settings
        size = math.hypot(error[0], error[1])
        strength = min(1.0, settings.gain * (size - settings.dead))
        out = np.zeros(2 * LEGS)
        if strength <= 0:
            return out
        down = seen_from_legs(-rotation[2], self.strokes.azimuth)
        back = seen_from_legs(-(error[0] * rotation[0] + error[1] * rotation[1]) / size, self.strokes.azimuth)
        for stroke, legs in ((self.strokes.lower, slice(0, LEGS)), (self.strokes.upper, slice(LEGS, 2 * LEGS))):
            out[legs] = stroke_openings(
                stroke,
                down[legs],
                back[legs],
                self.strokes.radius,
                settings.nearest,
                settings.full,
                settings.depth * strength,
            )
        return kept_apart(out)
