"""Rolling as a ball by the legs alone: those that reach the floor behind the centre push it away.

The push N of a leg at horizontal distance d behind the centre turns the ball forwards with torque N d. Which legs are
there changes as the ball turns, so the openings run over the sphere as a wave driven by the attitude, not by a clock.
"""

from __future__ import annotations

import math
from dataclasses import astuple, dataclass

import numpy as np

from andante.description import Robot
from andante.geometry import Array

from . import ball_drive as drive
from .ball_attitude import Attitude
from .ball_strokes import HALF, LEGS, Strokes, strokes_of
from .behaviour import Behaviour, Command, Readings


@dataclass(frozen=True)
class BallSettings:
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


class BallRoller(Behaviour):
    """Drives the closed ball at a wanted velocity, `vx` forwards and `vy` to the left of a course that `wz` turns.

    Forwards is where the robot's x axis pointed when the roller was started. With no velocity wanted it stops and
    brings its lower side down, ready to unfold.
    """

    def __init__(self, robot: Robot, settings: BallSettings | None = None, strokes: Strokes | None = None) -> None:
        self.settings = settings or BallSettings()
        self.strokes = s = strokes or strokes_of(robot)
        self.attitude = Attitude.of(robot)
        self._figures = np.array(astuple(self.settings), dtype=float)
        self._legs = (
            s.lower.openings,
            s.lower.points,
            s.lower.radius,
            s.upper.openings,
            s.upper.points,
            s.upper.radius,
        )
        self._state = np.zeros(drive.STATE)
        self.start()

    def start(self, course: float | None = None) -> None:
        """Begin with the legs closed and a course in the heading frame [rad], by default where the body faces now."""
        self._state[:] = 0.0
        self._state[drive.PACE] = self.settings.slowest
        self.course = self.attitude.facing if course is None else course
        self.opening: Array = np.zeros(2 * LEGS)

    @property
    def course(self) -> float:
        """Where forwards is in the heading frame [rad]."""
        return float(self._state[drive.COURSE])

    @course.setter
    def course(self, value: float) -> None:
        self._state[drive.COURSE] = value

    @property
    def velocity(self) -> Array:
        """Of the centre in the heading frame, by the gyro (2,) [m/s]."""
        return self._state[drive.VELOCITY : drive.VELOCITY + 2]

    @property
    def settled(self) -> bool:
        """Whether the ball lies still with its lower side down."""
        return bool(self._state[drive.STILL] >= self.settings.settled_time)

    def update(self, readings: Readings, command: Command, dt: float) -> Array:
        """Joint targets (joints,) for the next control step."""
        self.attitude.update(readings.gyro, readings.acceleration, dt)
        return self.drive(command, dt)

    def drive(self, command: Command, dt: float) -> Array:
        """The same with an attitude that was brought up to date elsewhere."""
        s = self.strokes
        target: Array = drive.drive_step(
            self._figures,
            self._state,
            self.opening,
            self.attitude.rotation,
            self.attitude.spin,
            np.array([command.vx, command.vy, command.wz], dtype=float),
            s.radius,
            s.lift,
            s.azimuth,
            HALF,
            *self._legs,
            s.ball,
            s.first,
            s.second,
            dt,
        )
        return target

    def wanted_velocity(self, command: Command) -> Array:
        """Velocity of the centre (2,) at the present attitude [m/s].

        The heavy side makes the ball fast when it is down and slow when it is up; wanting what it does by itself,
        v^2 = mean^2 + lift cos(lean), leaves the legs only the losses to make good.
        """
        rotation, lift = self.attitude.rotation, self.strokes.lift
        return np.array(
            drive.wanted_velocity(self._figures, lift, rotation, self.course, float(command.vx), float(command.vy))
        )

    def righting_velocity(self) -> Array:
        """Velocity (2,) that brings the lower side down by the shortest way, slower the nearer it is [m/s]."""
        return np.array(drive.righting_velocity(self._figures, self.attitude.rotation))

    def push(self, rotation: Array, error: Array) -> Array:
        """Openings (12,) that change the velocity of the centre by the error (2,) [m/s], heading_from_body given."""
        s = self.strokes
        made: Array = drive.push_openings(
            self._figures,
            np.ascontiguousarray(rotation),
            float(error[0]),
            float(error[1]),
            s.radius,
            s.azimuth,
            HALF,
            *self._legs,
        )
        return made
