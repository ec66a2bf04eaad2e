"""`BaseDriver`: a wheeled base driven by velocity, as a walker. Twists in, wheel speeds and steering angles out."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from andante.description import ROBOTS, Robot
from andante.errors import BadInput, Unsupported
from andante.geometry import Array, se2
from andante.kinematics import find_drive
from andante.kinematics.wheels.skid import SkidSlip
from andante.localization import OdometryNoise
from andante.locomotion import Command, Readings, Walker
from andante.navigation import Vehicle, vehicle_of
from andante.physics.state import Mode
from andante.plugins import load_reference

from .odometry import BaseOdometry
from .tuned import tuned

STILL = 1e-3  # a command slower than this stands [m/s, rad/s]


@dataclass(frozen=True)
class DriverSettings:
    """The loop about the measured twist, as in a motor controller with a gyro."""

    proportional: float = 0.5  # of the twist's smoothed error
    smoothing: float = 0.05  # the error is smoothed over so long: counted wheels and gyros are noisy [s]
    integral: float = 4.0  # [1/s]
    most_linear: float = 0.3  # the integral corrects at most so much [m/s]
    most_angular: float = 0.3  # ... [rad/s]
    learning: float = 3.0  # how fast the scrub of turning wheels is learned [1/s]
    delay: float = 0.06  # between a command and the turn that is measured [s]
    least_scrub: float = 0.2  # measured over commanded turn rate lies within
    most_scrub: float = 1.1
    skid_scrub: float = 0.8  # ... at first for a skid-steer base
    turning: float = 0.2  # slower turns teach nothing [rad/s]
    creep: float = 1e-3  # speed at which a standing car is told which way to steer [m/s]


def base_driver(
    robot: Robot, hold: Array | None = None, vehicle: Vehicle | None = None, noise: OdometryNoise | None = None
) -> BaseDriver:
    """The driver of a robot's base: the one that its package names (`RobotPackage.driver`), else a `BaseDriver`.

    Args:
        robot: with wheels that carry it.
        hold: targets (joints,) of all other joints; None: zeros.
        vehicle: its speeds and accelerations; None: from the robot, and what `andante tune` has learned of it.
        noise: of the odometry; None: usual.
    """
    reference = ROBOTS[robot.name].driver if robot.name in ROBOTS else ""
    kind = load_reference(reference) if reference else BaseDriver
    if not (isinstance(kind, type) and issubclass(kind, BaseDriver)):
        raise BadInput(f"driver {reference} of robot {robot.name!r} must be a subclass of BaseDriver")
    return kind(robot, hold, vehicle, noise)


class BaseDriver(Walker):
    """Drives a base by twists of its drive's reference point, and knows by wheels and gyro where it is.

    The reference twist is ramped within the accelerations of the vehicle. Wheels scrub and slip, so the base turns less
    than they say: the fraction is learned from the measured twist, and what error is left is fed back. Cars are steered
    along the wanted bend, only their speed is corrected. `modes` tells which joints are driven by speed (wheels) and
    which by position; `base_twist` is the ramped twist for bodies with a motor controller of their own.

    Args:
        robot: with wheels that carry it.
        hold: targets (joints,) of all other joints; None: zeros.
        vehicle: its speeds and accelerations; None: from the robot.
        noise: of the odometry; None: usual.
    """

    least_rate = 10.0

    def __init__(
        self,
        robot: Robot,
        hold: Array | None = None,
        vehicle: Vehicle | None = None,
        noise: OdometryNoise | None = None,
        settings: DriverSettings | None = None,
    ) -> None:
        self.drive = find_drive(robot)
        if not self.drive.wheels:
            where = f"{robot.source}: " if str(robot.source) else ""
            raise Unsupported(
                f"{where}robot {robot.name!r} is moved by a {self.drive.kind} plugin and has no wheel; to drive it "
                "here, give it wheels: continuous joints with a round <collision> about a level axis, on the ground"
            )
        self.vehicle = vehicle or tuned(vehicle_of(robot), robot)
        self.settings = settings or DriverSettings()
        self.odometry = BaseOdometry(robot, self.drive, noise)
        self._index = {name: i for i, name in enumerate(robot.joint_names)}
        self._targets = np.zeros(len(self._index)) if hold is None else np.array(hold, dtype=float)
        self.modes: Array = np.full(len(self._index), Mode.POSITION, dtype=np.int8)
        for joint, (mode, _) in self.drive.joint_commands(np.zeros(3)).items():
            self.modes[self._index[joint]] = Mode[mode.upper()]
            self._targets[self._index[joint]] = 0.0
        v, s = self.vehicle, self.settings
        self._car = v.drive == "ackermann"
        self._bend = 0.0  # of a car's path [1/m]
        self._turns = 0  # whole turns to the left so far
        self.reference = np.zeros(3)  # twist that the base shall have now
        self._rates = np.array([v.max_acceleration, v.max_acceleration, v.max_turn_acceleration])
        self._braking = v.max_deceleration
        self._firm = max(1.0, v.max_deceleration / v.max_acceleration)  # a stop ends turns as much more firmly
        self._sum, self._error = np.zeros(3), np.zeros(3)  # of the twist: integral, and smoothed [m/s, m/s, rad/s]
        self._bounds = np.array([s.most_linear, s.most_linear, s.most_angular])
        self._scrub = s.skid_scrub if self.drive.kind == "skid_steer" else 1.0  # measured over commanded turn rate
        self._turned = self._told = 0.0  # commanded turn rate: as the measured one lags behind it, and the last one
        tops = {part.joint: part.max_speed for part in self.drive.wheels}
        self._tops = np.array([tops[name] for name in self.odometry.skid.joints]) if self.odometry.skid else np.zeros(0)
        # what corrects the twist may ask the wheels for more than the twist's limits, not for more than they can turn
        self._wheels = replace(self.drive, max_speed=math.inf, max_turn=math.inf)
        self._full = False  # a wheel turns as fast as it can
        self._from_root = np.asarray(self.drive.reference, dtype=float)
        self._to_root = np.asarray(se2.inverse(self._from_root), dtype=float)

    # ---- what it can do and knows ----------------------------------------------------------------
    @property
    def max_speed(self) -> float:
        """Straight ahead [m/s]."""
        return self.vehicle.max_speed

    @property
    def max_turn(self) -> float:
        """On the spot, or of a car at top speed [rad/s]."""
        return self.vehicle.max_turn

    @property
    def stopping_time(self) -> float:
        """From top speed to a stand [s]."""
        return self.vehicle.max_speed / self.vehicle.max_acceleration

    @property
    def standing(self) -> bool:
        """Whether it neither is told to move nor feels its wheels turn."""
        return bool(np.abs(self.reference).max() < STILL and np.abs(self.odometry.twist).max() < 0.02)

    @property
    def position(self) -> Array:
        """x, y [m] and heading [rad] of the root in the frame of its start."""
        x, y, yaw = se2.compose(se2.compose(self._from_root, self.odometry.pose), self._to_root).tolist()
        return np.array([x, y, yaw + self._turns * 2 * math.pi])

    @property
    def twist(self) -> Array:
        """vx, vy, wz of the reference point by wheels and gyro."""
        return self.odometry.twist

    @property
    def free_joints(self) -> frozenset[str]:
        """All but wheels and steering."""
        busy = {name for name, i in self._index.items() if self.modes[i] != Mode.POSITION}
        return frozenset(self._index) - busy - set(self.drive.steering_joints)

    # ---- one control step ------------------------------------------------------------------------
    def update(self, readings: Readings, command: Command, dt: float) -> Array:
        """Joint values (joints,) for the next control step of dt [s]: speeds of wheels, angles of steering."""
        before = float(self.odometry.pose[2])
        self.odometry.update(readings)
        self._turns += round((before - float(self.odometry.pose[2])) / (2 * math.pi))  # the pose's yaw is wrapped
        wanted = np.array([command.vx, command.vy, command.wz])
        straight, turn = math.hypot(command.vx, command.vy), abs(command.wz)
        self._ramp(wanted / max(1.0, straight / self.drive.max_speed, turn / self.drive.max_turn), dt)
        twist = self._corrected(self.odometry.twist, dt)
        vx, vy, wz = self.reference.tolist()
        self.base_twist = (vx, vy, wz)
        steering = {name: float(readings.position[self._index[name]]) for name in self.drive.steering_joints}
        creep = self.settings.creep
        steers_at_rest = self._car and abs(twist[0]) < creep
        told = np.array([creep, 0.0, creep * self._bend]) if steers_at_rest else twist
        targets = self._targets.copy()
        if not self._car:
            told = self._within(told)
        commands = self._wheels.joint_commands(told, steering or None)
        if self.odometry.skid is not None:
            commands |= self._scrubbing(self.odometry.skid, told)
        for joint, (mode, value) in commands.items():
            if mode != "off":
                targets[self._index[joint]] = 0.0 if steers_at_rest and mode == "velocity" else float(value)
        self._targets = targets
        return targets

    def _within(self, twist: Array) -> Array:
        """What is told of a twist, as fast as the wheels can turn; the bend stays. Scrub is learned from that."""
        skid = self.odometry.skid
        if skid is None:
            told = self._wheels.limited(twist)
        else:
            most = float(np.max(np.abs(self._sliding(skid, twist)) / self._tops))
            told = twist / max(1.0, most)
        self._full = bool(np.abs(told).max() < (1.0 - 1e-9) * np.abs(twist).max())
        self._told = float(told[2])
        return told

    def _sliding(self, skid: SkidSlip, twist: Array) -> Array:
        """Speeds of wheels that slide, as their loads ask for [rad/s]."""
        left, right = skid.sides(float(twist[0]), float(twist[2]))
        return np.asarray(np.where(skid.left, left, right) / skid.radii)

    def _scrubbing(self, skid: SkidSlip, twist: Array) -> dict[str, tuple[str, Array]]:
        """Commands of wheels that slide, within what they can turn: they go with the twist, but not quite linearly."""
        speeds = self._sliding(skid, twist)
        speeds *= min(1.0, float(np.min(self._tops / np.maximum(np.abs(speeds), 1e-9))))
        return {joint: ("velocity", np.asarray(speed)) for joint, speed in zip(skid.joints, speeds, strict=True)}

    def _ramp(self, wanted: Array, dt: float) -> None:
        """Move the reference towards a wanted twist; a stop is braked firmly, along the arc that is being driven."""
        if np.abs(wanted).max() < STILL:
            pace = max(float(np.hypot(*self.reference[:2])) / self._braking, 1e-9)
            turn = abs(float(self.reference[2])) / (self._rates[2] * self._firm)
            self.reference = self.reference * max(0.0, 1.0 - dt / max(pace, turn, dt))
        else:
            most = self._rates * dt
            self.reference = self.reference + np.clip(wanted - self.reference, -most, most)
        if self._car:  # the wheels are steered at once, the speed is ramped
            if abs(wanted[0]) > self.settings.creep and wanted[0] * self.reference[0] >= 0:  # else it brakes first
                sharpest = 1 / self.vehicle.turning_radius
                self._bend = float(np.clip(wanted[2] / wanted[0], -sharpest, sharpest))
            self.reference = np.array([self.reference[0], 0.0, self.reference[0] * self._bend])

    def _corrected(self, measured: Array, dt: float) -> Array:
        """The twist that the wheels are told so that the base gets the reference."""
        s = self.settings
        if np.abs(self.reference).max() < STILL:
            self._sum[:] = self._error[:] = 0.0
            twist = np.zeros(3)
        else:
            error = self.reference - measured
            self._error += min(1.0, dt / s.smoothing) * (error - self._error)
            more = s.integral * dt * error
            if self._full:
                more[more * self._sum > 0] = 0.0  # it would only wind up
            self._sum += more
            np.clip(self._sum, -self._bounds, self._bounds, out=self._sum)
            twist = self.reference + self._sum + s.proportional * self._error
        if self._car:
            return np.array([twist[0], 0.0, twist[0] * self._bend])
        self._learn(float(measured[2]), dt)
        twist[2] /= self._scrub
        return twist

    def _learn(self, turn: float, dt: float) -> None:
        """Compare the measured turn rate with what was commanded a little before."""
        s = self.settings
        self._turned += min(1.0, dt / s.delay) * (self._told - self._turned)
        if abs(self._turned) > s.turning:
            fraction = min(max(turn / self._turned, s.least_scrub), s.most_scrub)
            self._scrub += min(1.0, s.learning * dt) * (fraction - self._scrub)
