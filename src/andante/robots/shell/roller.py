"""Rolling as a ball by the legs alone: those that reach the floor behind the center push it away.

The push N of a leg at horizontal distance d behind the center turns the ball forward with torque N d. Which legs are
there changes as the ball turns, so the openings run over the sphere as a wave driven by the attitude, not by a clock.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

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
from .kernels import LEGS, BallSettings, Stroke, Strokes

ROOM = 0.12  # by which a petal opens for the lower leg of its gore [rad]
SAMPLES = 11  # openings at which a stroke is tabulated
SKIN = 0.010  # collision points this near to the surface of the ball can touch the floor [m]


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
    return np.asarray(away > away.max() - SKIN)


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
            self._rotation, self.spin, self._clock, self.mount, np.ascontiguousarray(gyro, dtype=float),
            np.ascontiguousarray(acceleration, dtype=float), self.time_constant, self.tolerance, dt,
        )  # fmt: skip
        return self._rotation

    @property
    def facing(self) -> float:
        """Direction of the body's x axis in the heading frame [rad]; of no use while that axis is upright."""
        return math.atan2(self.rotation[1, 0], self.rotation[0, 0])

    @property
    def lean(self) -> float:
        """Angle between the body's z axis and the vertical [rad], 0 to pi."""
        return math.acos(min(1.0, max(-1.0, float(self.rotation[2, 2]))))


class BallRoller(Behaviour):
    """Drives the closed ball at a wanted velocity, `vx` forward and `vy` to the left of a course that `wz` turns.

    Forward is where the robot's x axis pointed when the roller was started. With no velocity wanted it stops and
    brings its lower side down, ready to unfold.
    """

    def __init__(self, robot: Robot, settings: BallSettings | None = None, strokes: Strokes | None = None) -> None:
        self.settings = BallSettings(*map(float, settings or ()))
        self.strokes = strokes or strokes_of(robot)
        self.attitude = Attitude.of(robot)
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
        attitude, wanted = self.attitude, np.array([command.vx, command.vy, command.wz], dtype=float)
        target: Array = kernels.drive_step(
            self.settings, self.strokes, self._state, self.opening, attitude.rotation, attitude.spin, wanted, dt
        )
        return target

    def wanted_velocity(self, command: Command) -> Array:
        """Velocity of the center (2,) at the present attitude [m/s].

        The heavy side makes the ball fast when it is down and slow when it is up; wanting what it does by itself,
        v^2 = mean^2 + lift cos(lean), leaves the legs only the losses to make good.
        """
        rotation, lift = self.attitude.rotation, self.strokes.lift
        vx, vy = float(command.vx), float(command.vy)
        return np.array(kernels.wanted_velocity(self.settings, lift, rotation, self.course, vx, vy))

    def righting_velocity(self) -> Array:
        """Velocity (2,) that brings the lower side down by the shortest way, slower the nearer it is [m/s]."""
        return np.array(kernels.righting_velocity(self.settings, self.attitude.rotation))

    def push(self, rotation: Array, error: Array) -> Array:
        """Openings (12,) that change the velocity of the center by the error (2,) [m/s], heading_from_body given."""
        x, y = float(error[0]), float(error[1])
        return np.asarray(kernels.push_openings(self.settings, self.strokes, np.ascontiguousarray(rotation), x, y))
