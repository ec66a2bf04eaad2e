"""Rolling as a ball by the legs alone: those that reach the floor behind the center push it away.

The push N of a leg at horizontal distance d behind the center turns the ball forward with torque N d. Which legs are
there changes as the ball turns, so the openings run over the sphere as a wave driven by the attitude, not by a clock.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import astuple, dataclass

import numpy as np
from numpy.typing import NDArray

from andante.description import Robot
from andante.description.inertia import combine
from andante.description.mesh.triangles import hull
from andante.description.shapes import Mesh, Sphere
from andante.errors import BadInput
from andante.geometry import Array, so3
from andante.gravity import GRAVITY
from andante.locomotion.behaviour import Behaviour, Command, Readings
from andante.locomotion.rigs.rig import root_from_imu

from . import kernels

LEGS = 6
HALF = 0.5  # opening at which the second piece of a stroke begins
ROOM = 0.12  # by which a petal opens for the lower leg of its gore [rad]
SAMPLES = 11  # openings at which a stroke is tabulated
SKIN = 0.010  # collision points this near to the surface of the ball can touch the floor [m]


@dataclass(frozen=True)
class Stroke:
    """Where the outer points of one leg are while it opens, in the body frame of the leg that points along x."""

    openings: Array  # (n,) from 0 to 1
    points: Array  # (n, p, 3) [m]
    radius: Array  # (p,) of the sphere round each point [m]


@dataclass(frozen=True)
class Strokes:
    """The two kinds of stroke of the Shell, and where they sit among its joints."""

    ball: Array  # joint positions of the closed ball (joints,)
    lower: Stroke
    upper: Stroke
    first: Array  # (12, joints) what the first half of the opening adds; six lower legs, then six upper
    second: Array  # (12, joints) and the second half
    azimuth: Array  # (12,) of the middle of each leg's gore in the body frame [rad]
    radius: float  # of the ball [m]
    lift: float  # what the squared speed gains from lying on its side to its heavy side down [m^2/s^2]

    def positions(self, opening: Array) -> Array:
        """Joint positions (joints,) with the legs open by fractions (12,)."""
        return self.ball + np.minimum(1.0, 2 * opening) @ self.first + np.maximum(0.0, 2 * opening - 1) @ self.second

    def kept_apart(self, opening: Array) -> Array:
        """Openings (12,) with no two lower neighbors in their second half, where their tiles would meet."""
        lower = opening[:LEGS]
        most = np.maximum(np.roll(lower, 1), np.roll(lower, -1))
        loses = (lower < most) | ((lower == most) & (np.arange(LEGS) % 2 == 1))
        out = opening.copy()
        out[:LEGS] = np.where(loses & (most > HALF), np.minimum(lower, HALF), lower)
        return out


def strokes_of(robot: Robot, tibia: float = 0.57, femur: float = 0.8, petal: float = 1.6) -> Strokes:
    """The strokes of a Shell whose legs open by these angles at most [rad], measured on its own collision shapes."""
    if "ball" not in {name.casefold() for name in robot.poses}:
        raise BadInput(f"robot {robot.name!r} has no pose 'ball'; rolling is for robots that fold into a ball")
    ball, names = robot.pose("ball"), robot.joint_names
    first, second = np.zeros((2 * LEGS, len(names))), np.zeros((2 * LEGS, len(names)))
    for k in range(1, LEGS + 1):
        above = k % LEGS + 1  # the upper leg of the same gore
        first[k - 1, names.index(f"q1{k}4")] = tibia
        second[k - 1, names.index(f"q1{k}3")] = femur
        second[k - 1, names.index(f"q2{above}2")] = ROOM
        first[LEGS + k - 1, names.index(f"q2{k}2")] = petal / 2
        second[LEGS + k - 1, names.index(f"q2{k}2")] = petal / 2
    start = np.array([ball[name] for name in names])
    lower, upper = np.arange(1, LEGS + 1) + 1, np.arange(1, LEGS + 1)
    azimuth = np.concatenate([lower, upper]) * math.pi / 3
    parts = [("lower_femur_1", "lower_tibia_1", "lower_foot_1"), ("upper_petal_1", "upper_thigh_1")]
    strokes = [
        _stroke(robot, start, first[k], second[k], part, azimuth[k]) for k, part in ((0, parts[0]), (LEGS, parts[1]))
    ]
    reach = [np.linalg.norm(s.points[0], axis=1) + s.radius for s in strokes]
    radius = float(max(r.max() for r in reach))
    return Strokes(start, strokes[0], strokes[1], first, second, azimuth, radius, _lift(robot, ball, radius))


def _lift(robot: Robot, ball: Mapping[str, float], radius: float) -> float:
    """2 m g h / (m + I / r^2), with h the depth of the center of mass below the center and I about the center."""
    poses = robot.link_poses(ball)
    whole = combine(link.inertia.transformed(poses[link.name]) for link in robot.links if link.inertia is not None)
    if whole is None:
        raise BadInput(f"robot {robot.name!r} has no mass and cannot roll")
    height = -whole.com[2]
    about_center = float(whole.matrix[0, 0]) + whole.mass * height**2
    return 2 * whole.mass * GRAVITY * height / (whole.mass + about_center / radius**2)


def _stroke(robot: Robot, start: Array, first: Array, second: Array, links: tuple[str, ...], azimuth: float) -> Stroke:
    """Tabulate the collision points of links, turned so that the leg points along x."""
    openings = np.linspace(0.0, 1.0, SAMPLES)
    back = so3.from_rpy((0.0, 0.0, -azimuth))
    rows = []
    for opening in openings:
        q = start + min(1.0, 2 * opening) * first + max(0.0, 2 * opening - 1) * second
        poses = robot.link_poses(dict(zip(robot.joint_names, q, strict=True)))
        cloud, radii = [], []
        for link in links:
            for collision in robot.link(link).collisions:
                pose = poses[link] @ collision.pose
                match collision.geometry:
                    case Mesh() as mesh:
                        local, size = hull(mesh)[0], 0.0
                    case Sphere(size):
                        local = np.zeros((1, 3))
                    case other:
                        raise BadInput(f"link {link!r}: a leg of the ball is made of meshes and spheres, not {other}")
                cloud.append((local @ pose.rotation.T + pose.translation) @ back.T)
                radii.append(np.full(len(local), size))
        rows.append(np.concatenate(cloud))
    keep = _outer(np.array(rows))
    return Stroke(openings, np.ascontiguousarray(np.array(rows)[:, keep]), np.concatenate(radii)[keep])


def _outer(points: Array) -> NDArray[np.bool_]:
    """Which points can ever touch a floor: those on the outside of the closed ball, (p,) bool."""
    away = np.linalg.norm(points[0], axis=1)
    outer: NDArray[np.bool_] = away > away.max() - SKIN
    return outer


class Attitude:
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
        self._rotation: Array = np.eye(3)
        self.spin: Array = np.zeros(3)  # angular velocity in the heading frame [rad/s]
        self._clock = np.array([0.0, 0.0])  # whether it has started, and its age [s]

    @property
    def rotation(self) -> Array:
        """heading_from_body (3, 3)."""
        return self._rotation

    @rotation.setter
    def rotation(self, value: Array) -> None:
        self._rotation = np.ascontiguousarray(value, dtype=float)

    @staticmethod
    def of(robot: Robot) -> Attitude:
        """The filter for the IMU that a robot carries on its root."""
        return Attitude(root_from_imu(robot))

    def reset(self, acceleration: Array) -> None:
        """Start from the accelerometer alone; the body's x axis (or z, where that points up) gives the heading."""
        self._rotation = kernels.upright(np.ascontiguousarray(acceleration, dtype=float))
        self._clock[:] = 1.0, 0.0

    def update(self, gyro: Array, acceleration: Array, dt: float) -> Array:
        """heading_from_body (3, 3) after a step of dt [s]; gyro [rad/s] and specific force [m/s^2] in sensor axes.

        Axes that read NaN count as 0.
        """
        self._rotation = kernels.attitude_step(
            self._rotation,
            self.spin,
            self._clock,
            self.mount,
            np.ascontiguousarray(gyro, dtype=float),
            np.ascontiguousarray(acceleration, dtype=float),
            self.time_constant,
            self.tolerance,
            GRAVITY,
            dt,
        )
        return self._rotation

    @property
    def facing(self) -> float:
        """Direction of the body's x axis in the heading frame [rad]; of no use while that axis is upright."""
        return math.atan2(self.rotation[1, 0], self.rotation[0, 0])

    @property
    def lean(self) -> float:
        """Angle between the body's z axis and the vertical [rad], 0 to pi."""
        return math.acos(min(1.0, max(-1.0, float(self.rotation[2, 2]))))


@dataclass(frozen=True)
class BallSettings:
    """How the ball is driven. Speeds are of its center."""

    depth: float = 0.06  # how far below the floor a pushing leg aims at full strength [m]
    nearest: float = 0.01  # horizontal distance behind the center at which a leg begins to push [m]
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
    run_up: float = 0.7  # how long it rolls backward then [s]


class BallRoller(Behaviour):
    """Drives the closed ball at a wanted velocity, `vx` forward and `vy` to the left of a course that `wz` turns.

    Forward is where the robot's x axis pointed when the roller was started. With no velocity wanted it stops and
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
        self._state = np.zeros(kernels.STATE)
        self.start()

    def start(self, course: float | None = None) -> None:
        """Begin with the legs closed and a course in the heading frame [rad], by default where the body faces now."""
        self._state[:] = 0.0
        self._state[kernels.PACE] = self.settings.slowest
        self.course = self.attitude.facing if course is None else course
        self.opening: Array = np.zeros(2 * LEGS)

    @property
    def course(self) -> float:
        """Where forward is in the heading frame [rad]."""
        return float(self._state[kernels.COURSE])

    @course.setter
    def course(self, value: float) -> None:
        self._state[kernels.COURSE] = value

    @property
    def velocity(self) -> Array:
        """Of the center in the heading frame, by the gyro (2,) [m/s]."""
        return self._state[kernels.VELOCITY : kernels.VELOCITY + 2]

    @property
    def settled(self) -> bool:
        """Whether the ball lies still with its lower side down."""
        return bool(self._state[kernels.STILL] >= self.settings.settled_time)

    def update(self, readings: Readings, command: Command, dt: float) -> Array:
        """Joint targets (joints,) for the next control step."""
        self.attitude.update(readings.gyro, readings.acceleration, dt)
        return self.drive(command, dt)

    def drive(self, command: Command, dt: float) -> Array:
        """The same with an attitude that was brought up to date elsewhere."""
        s = self.strokes
        target: Array = kernels.drive_step(
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
        """Velocity of the center (2,) at the present attitude [m/s].

        The heavy side makes the ball fast when it is down and slow when it is up; wanting what it does by itself,
        v^2 = mean^2 + lift cos(lean), leaves the legs only the losses to make good.
        """
        rotation, lift = self.attitude.rotation, self.strokes.lift
        return np.array(
            kernels.wanted_velocity(self._figures, lift, rotation, self.course, float(command.vx), float(command.vy))
        )

    def righting_velocity(self) -> Array:
        """Velocity (2,) that brings the lower side down by the shortest way, slower the nearer it is [m/s]."""
        return np.array(kernels.righting_velocity(self._figures, self.attitude.rotation))

    def push(self, rotation: Array, error: Array) -> Array:
        """Openings (12,) that change the velocity of the center by the error (2,) [m/s], heading_from_body given."""
        s = self.strokes
        made: Array = kernels.push_openings(
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
