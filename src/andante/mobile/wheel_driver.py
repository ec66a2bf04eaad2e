"""Wheels driven by velocity, as a walker: twists in, wheel speeds and steering angles out."""

from __future__ import annotations

import numpy as np

from andante.geometry import Array, se2
from andante.kinematics import find_drive
from andante.locomotion import Command, Readings
from andante.physics import Mode
from andante.simulation.simulation import Simulation

from .odometry import FusedOdometry

STILL = 1e-3  # a command slower than this stands [m/s, rad/s]
CREEP = 1e-3  # speed at which a standing car is told which way to steer [m/s]


class WheelDriver:
    """Ramps a twist within the accelerations of the vehicle and turns it into joint values.

    Values of wheels are speeds [rad/s], those of steering joints angles [rad]; `modes` tells which is which. Where it
    is it knows by wheels and gyro: the root's pose in the frame of its start.
    """

    gait = "wheels"

    def __init__(self, sim: Simulation, hold: Array) -> None:
        from andante.navigation import vehicle_of

        self.drive, self.vehicle = find_drive(sim.robot), vehicle_of(sim.robot)
        self.odometry = FusedOdometry(sim, self.drive)
        sim.observers.append(self.odometry)
        self._names = sim.robot.joint_names
        self._targets = np.array(hold, dtype=float)
        self._command = np.zeros(3)
        self._bend = 0.0  # of a car's path [1/m]
        self.modes = np.full(len(self._names), Mode.POSITION, dtype=np.int8)
        for joint, (mode, _) in self.drive.joint_commands(np.zeros(3)).items():
            index = self._names.index(joint)
            self.modes[index] = Mode[mode.upper()]
            self._targets[index] = 0.0
        self._start = se2.inverse(np.asarray(self.drive.reference, dtype=float))

    @property
    def top_speed(self) -> float:
        """Straight ahead [m/s]."""
        return self.vehicle.max_speed

    @property
    def top_turn(self) -> float:
        """On the spot, or of a car at top speed [rad/s]."""
        return self.vehicle.max_turn

    @property
    def stopping_time(self) -> float:
        """From top speed to a stand [s]."""
        return self.vehicle.max_speed / self.vehicle.max_acceleration

    @property
    def standing(self) -> bool:
        """Whether it neither is told to move nor feels its wheels turn."""
        return bool(np.abs(self._command).max() < STILL and np.abs(self.odometry.twist).max() < 0.02)

    @property
    def position(self) -> Array:
        """x, y [m] and heading [rad] of the root in the frame of its start."""
        reference = np.asarray(self.drive.reference, dtype=float)
        return se2.compose(se2.compose(reference, self.odometry.pose), self._start)

    @property
    def twist(self) -> Array:
        """vx, vy, wz by wheels and gyro."""
        return self.odometry.twist

    def update(self, readings: Readings, command: Command, dt: float) -> Array:
        """Joint values (joints,) for the next control step of dt [s]."""
        v = self.vehicle
        wanted = np.array([command.vx, command.vy, command.wz])
        most = np.array([v.max_acceleration, v.max_acceleration, v.max_turn_acceleration]) * dt
        now = self._command + np.clip(wanted - self._command, -most, most)
        told = now
        if v.drive == "ackermann":  # the wheels are steered at once, the speed is ramped
            if abs(wanted[0]) > CREEP:
                self._bend = float(np.clip(wanted[2] / wanted[0], -1 / v.turning_radius, 1 / v.turning_radius))
            now = np.array([now[0], 0.0, now[0] * self._bend])
            told = now if abs(now[0]) > CREEP else np.array([CREEP, 0.0, CREEP * self._bend])
        self._command = now
        steering = {name: float(readings.position[self._names.index(name)]) for name in self.drive.steering_joints}
        targets = self._targets.copy()
        for joint, (mode, value) in self.drive.joint_commands(told, steering or None).items():
            if mode != "off":
                targets[self._names.index(joint)] = 0.0 if mode == "velocity" and told is not now else float(value)
        self._targets = targets
        return targets
