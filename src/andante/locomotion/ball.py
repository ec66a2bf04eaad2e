"""Rolling as a ball by the legs alone: those that reach the floor behind the centre push it away.

The push N of a leg at horizontal distance d behind the centre turns the ball forwards with torque N d. Which legs are
there changes as the ball turns, so the openings run over the sphere as a wave driven by the attitude, not by a clock.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from andante.description import Robot
from andante.geometry import Array

from .ball_attitude import Attitude
from .ball_kernels import seen_from_legs, stroke_openings
from .ball_strokes import LEGS, Strokes, strokes_of
from .behaviour import Command, Readings

UP = np.array([0.0, 0.0, 1.0])


@dataclass(frozen=True)
class BallConfig:
    """How the ball is driven. Speeds are of its centre."""

    depth: float = 0.06  # how far below the floor a pushing leg aims at full strength [m]
    nearest: float = 0.01  # horizontal distance behind the centre at which a leg begins to push [m]
    full: float = 0.04  # and at which it pushes fully [m]
    gain: float = 8.0  # strength of the push per velocity error [1/(m/s)]
    dead: float = 0.05  # velocity error that needs no push [m/s]
    opening_speed: float = 5.0  # of the legs' openings [1/s]
    slowest: float = 0.75  # mean speed below which it cannot pass over its heavy side [m/s]
    fastest: float = 1.2  # [m/s]
    slowest_on_top: float = 0.35  # least wanted speed with the heavy side up [m/s]
    righting: float = 0.8  # speed per angle of lean at which it brings its lower side down [(m/s)/rad]
    righting_speed: float = 0.3  # and its bound [m/s]
    weight_rights: float = 0.35  # sine of the lean from which its weight does that alone
    rocking_lean: float = math.radians(40)  # nearer to upright it rocks by itself,
    rocking_speed: float = 0.2  # braked only when faster [m/s]
    settled_lean: float = math.radians(25)  # the ball is settled when it leans less,
    settled_speed: float = 0.06  # rolls more slowly [m/s]
    settled_time: float = 0.3  # and has done so for this long [s]
    stuck_speed: float = 0.12  # mean speed along the way, over `stuck_time` [s], below which it takes a run-up [m/s]
    stuck_time: float = 1.2
    run_up: float = 0.7  # how long it rolls backwards then [s]


class BallRoller:
    """Drives the closed ball at a wanted velocity, `vx` forwards and `vy` to the left of a course that `wz` turns.

    Forwards is where the robot's x axis pointed when the roller was started. With no velocity wanted it stops and
    brings its lower side down, ready to unfold.
    """

    def __init__(self, robot: Robot, config: BallConfig | None = None, strokes: Strokes | None = None) -> None:
        self.config = config or BallConfig()
        self.strokes = strokes or strokes_of(robot)
        self.attitude = Attitude.of(robot)
        self.start()

    def start(self, course: float | None = None) -> None:
        """Begin with the legs closed and a course in the heading frame [rad], by default where the body faces now."""
        self.course = self.attitude.facing if course is None else course
        self.opening: Array = np.zeros(2 * LEGS)
        self.velocity: Array = np.zeros(2)  # of the centre in the heading frame, by the gyro [m/s]
        self._still = self._stuck = self._back = 0.0
        self._pace = self.config.slowest  # mean speed along the wanted way [m/s]

    @property
    def settled(self) -> bool:
        """Whether the ball lies still with its lower side down."""
        return self._still >= self.config.settled_time

    def update(self, readings: Readings, command: Command, dt: float) -> Array:
        """Joint targets (joints,) for the next control step."""
        self.attitude.update(readings.gyro, readings.acceleration, dt)
        return self.drive(command, dt)

    def drive(self, command: Command, dt: float) -> Array:
        """The same with an attitude that was brought up to date elsewhere."""
        config = self.config
        rotation, spin = self.attitude.rotation, self.attitude.spin
        self.velocity = self.strokes.radius * np.array([spin[1], -spin[0]])  # rolling without slip: r ω x z
        self.course += command.wz * dt
        if command.vx or command.vy:
            wanted = self._run_up(self.wanted_velocity(command), dt)
            self._still = 0.0
        else:
            wanted = self.righting_velocity()
            calm = self.attitude.lean < config.settled_lean and math.hypot(*self.velocity) < config.settled_speed
            self._still = self._still + dt if calm else 0.0
            self._back, self._pace = 0.0, config.slowest
        goal = self.push(rotation, self._needed(command, wanted, dt))
        step = config.opening_speed * dt
        self.opening = self.opening + np.clip(goal - self.opening, -step, step)
        return self.strokes.positions(self.opening)

    def wanted_velocity(self, command: Command) -> Array:
        """Velocity of the centre (2,) at the present attitude [m/s].

        The heavy side makes the ball fast when it is down and slow when it is up; wanting what it does by itself,
        v^2 = mean^2 + lift cos(lean), leaves the legs only the losses to make good.
        """
        config = self.config
        c, s = math.cos(self.course), math.sin(self.course)
        way = np.array([c * command.vx - s * command.vy, s * command.vx + c * command.vy])
        size = math.hypot(*way)
        mean = min(max(size, config.slowest), config.fastest)
        square = mean**2 + self.strokes.lift * float(self.attitude.rotation[2, 2])
        return way / size * max(config.slowest_on_top, math.sqrt(max(0.0, square)))

    def righting_velocity(self) -> Array:
        """Velocity (2,) that brings the lower side down by the shortest way, slower the nearer it is [m/s]."""
        axis = np.cross(self.attitude.rotation[:, 2], UP)
        sine = float(np.linalg.norm(axis))
        axis = np.array([1.0, 0.0, 0.0]) if sine < 1e-3 else axis / sine
        speed = min(self.config.righting * self.attitude.lean, self.config.righting_speed)
        return speed * np.array([axis[1], -axis[0]])

    def _needed(self, command: Command, wanted: Array, dt: float) -> Array:
        """Change of velocity (2,) that the legs have to make; righting is left to gravity where that is enough."""
        error, config = wanted - self.velocity, self.config
        size = math.hypot(*wanted)
        if command.vx or command.vy or size < 1e-6:
            return error
        speed = math.hypot(*self.velocity)
        if self.attitude.lean < config.rocking_lean:  # open legs would prop it up: brake a fast swing, else let it rock
            return -self.velocity if speed > config.rocking_speed else np.zeros(2)
        way = wanted / size
        still = speed < config.settled_speed
        falls = float(error @ way) > 0 and math.sin(self.attitude.lean) > config.weight_rights
        self._stuck = self._stuck + dt if falls and still else 0.0
        if falls and float(self.velocity @ way) > -config.settled_speed and self._stuck < config.settled_time:
            return error - (error @ way) * way
        return error

    def _run_up(self, wanted: Array, dt: float) -> Array:
        """The wanted velocity, or its opposite for a while when the ball has got nowhere for long."""
        config = self.config
        if self._back > 0:
            self._back -= dt
            return -wanted
        along = float(self.velocity @ wanted) / math.hypot(*wanted)
        self._pace += dt / config.stuck_time * (along - self._pace)
        if self._pace < config.stuck_speed:
            self._pace, self._back = config.slowest, config.run_up
        return wanted

    def push(self, rotation: Array, error: Array) -> Array:
        """Openings (12,) that change the velocity of the centre by the error (2,) [m/s], heading_from_body given."""
        config = self.config
        size = math.hypot(error[0], error[1])
        strength = min(1.0, config.gain * (size - config.dead))
        out = np.zeros(2 * LEGS)
        if strength <= 0:
            return out
        down = seen_from_legs(-rotation[2], self.strokes.azimuth)
        back = seen_from_legs(-(error[0] * rotation[0] + error[1] * rotation[1]) / size, self.strokes.azimuth)
        for stroke, legs in ((self.strokes.lower, slice(0, LEGS)), (self.strokes.upper, slice(LEGS, 2 * LEGS))):
            out[legs] = stroke_openings(
                stroke.openings,
                stroke.points,
                stroke.radius,
                down[legs],
                back[legs],
                self.strokes.radius,
                config.nearest,
                config.full,
                config.depth * strength,
            )
        return self.strokes.kept_apart(out)
