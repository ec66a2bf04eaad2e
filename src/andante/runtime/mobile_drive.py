"""From twists to joints: ramps, a loop about the measured twist as in a motor controller, and steering of cars."""

from __future__ import annotations

import numpy as np

from andante.description.robot import Robot
from andante.geometry import Array
from andante.kinematics import Drive
from andante.navigation import Vehicle
from andante.physics import Engine, Mode

GAIN = 4.0  # of the integral of the twist's error [1/s]
MOST = (0.3, 0.6)  # the integral corrects at most this share of the top speed and turn rate
LAG = 0.02  # wheels without stated gains follow their speed within about this time [s]
CREEP = 1e-3  # slower commands stand [m/s, rad/s]


class TwistDrive:
    """Sends twists of the drive's reference point to the joints of an actor.

    The reference is ramped within the accelerations of the vehicle. Wheels scrub and slip, so the error of the measured
    twist is integrated and added, as a motor controller with a gyro does it. Cars are steered along the wanted bend,
    only their speed is corrected.
    """

    def __init__(self, engine: Engine, actor: int, drive: Drive, vehicle: Vehicle) -> None:
        self._engine, self._actor, self._drive, self.vehicle = engine, actor, drive, vehicle
        robot = engine.actors[actor].tree.robot
        self._joints = {name: i for i, name in enumerate(robot.joint_names)}
        self._car = vehicle.drive == "ackermann"
        self._bend = 0.0  # of a car's path [1/m]
        self._sum = np.zeros(3)  # integral of the error [m/s, m/s, rad/s]
        self.reference = np.zeros(3)  # twist that the wheels shall have now
        self._rates = np.array([vehicle.max_acceleration] * 2 + [vehicle.max_turn_acceleration])
        self._bounds = np.array([vehicle.max_speed * MOST[0]] * 2 + [vehicle.max_turn * MOST[1]])
        _stiffen(engine, actor, robot, drive)

    def send(self, wanted: Array, measured: Array, steering: dict[str, float] | None, seconds: float) -> None:
        """Move the reference towards a wanted twist for some seconds and send it, corrected, to the joints."""
        most = self._rates * seconds
        self.reference = self.reference + np.clip(wanted - self.reference, -most, most)
        if self._car:
            if abs(wanted[0]) > CREEP and wanted[0] * self.reference[0] >= 0:  # else it rolls on, and brakes first
                sharpest = 1 / self.vehicle.turning_radius
                self._bend = float(np.clip(wanted[2] / wanted[0], -sharpest, sharpest))
            self.reference = np.array([self.reference[0], 0.0, self.reference[0] * self._bend])
        if np.abs(self.reference).max() < CREEP:
            self._sum[:] = 0.0
        else:
            self._sum += GAIN * seconds * (self.reference - measured)
            np.clip(self._sum, -self._bounds, self._bounds, out=self._sum)
        twist = self.reference + self._sum
        if self._car:
            twist = np.array([twist[0], 0.0, twist[0] * self._bend])
        self._send(twist, steering)

    def _send(self, twist: Array, steering: dict[str, float] | None) -> None:
        steers_at_rest = self._car and abs(twist[0]) < CREEP
        told = np.array([CREEP, 0.0, CREEP * self._bend]) if steers_at_rest else twist
        sent: dict[str, tuple[list[float], list[int]]] = {}
        for joint, (mode, value) in self._drive.joint_commands(told, steering).items():
            values, joints = sent.setdefault(mode, ([], []))
            values.append(0.0 if steers_at_rest and mode == "velocity" else float(value))
            joints.append(self._joints[joint])
        for mode, (values, joints) in sent.items():
            self._engine.command(self._actor, values, Mode[mode.upper()], joints)


def _stiffen(engine: Engine, actor: int, robot: Robot, drive: Drive) -> None:
    """Stiffer speed servos for driven wheels whose file states none: m r² / (wheels · lag) each."""
    from fnmatch import fnmatchcase

    gains = engine.gains[actor]
    kv = np.array(gains.kv)
    driven = [part for part in drive.wheels if part.driven]
    for part in driven:
        if not any(fnmatchcase(part.joint, pattern) for pattern in robot.servos):
            i = robot.joint_names.index(part.joint)
            kv[i] = max(kv[i], robot.mass * part.wheel.radius**2 / (len(driven) * LAG))
    if not np.array_equal(kv, gains.kv):
        engine.set_gains(actor, gains.changed(kv=kv))
