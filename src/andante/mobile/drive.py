"""From twists to joints: ramps, a loop about the measured twist as in a motor controller, and steering of cars."""

from __future__ import annotations

import numpy as np

from andante.description.robot import Robot
from andante.geometry import Array
from andante.kinematics import Drive
from andante.navigation import Vehicle
from andante.physics import Engine, Mode

PROPORTIONAL = 0.5  # of the twist's error
INTEGRAL = 4.0  # [1/s]
MOST = (0.3, 0.3)  # the integral corrects at most so much [m/s, rad/s]
LEARNING = 3.0  # how fast the scrub of turning wheels is learnt [1/s]
DELAY = 0.06  # between a command and the turn that is measured [s]
SCRUB = (0.2, 1.1)  # measured over commanded turn rate lies within
SKID = 0.5  # ... at first for a skid-steer base
TURNING = 0.2  # slower turns teach nothing [rad/s]
LAG = 0.02  # wheels without stated gains follow their speed within about this time [s]
CREEP = 1e-3  # slower commands stand [m/s, rad/s]


class TwistDrive:
    """Sends twists of the drive's reference point to the joints of an actor.

    The reference is ramped within the accelerations of the vehicle. Wheels scrub and slip, so the base turns less than
    they say: the share is learnt from the measured twist, and what error is left is fed back, as a motor controller
    with a gyro does it. Cars are steered along the wanted bend, only their speed is corrected.
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
        self._bounds = np.array([MOST[0], MOST[0], MOST[1]])
        self._scrub = SKID if drive.kind == "skid_steer" else 1.0  # measured over commanded turn rate
        self._turned = self._told = 0.0  # commanded turn rate: as the measured one lags behind it, and the last one
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
            twist = np.zeros(3)
        else:
            error = self.reference - measured
            self._sum += INTEGRAL * seconds * error
            np.clip(self._sum, -self._bounds, self._bounds, out=self._sum)
            twist = self.reference + self._sum + PROPORTIONAL * error
        if self._car:
            twist = np.array([twist[0], 0.0, twist[0] * self._bend])
        else:
            self._learn(float(measured[2]), seconds)
            twist[2] /= self._scrub
            self._told = float(twist[2])
        self._send(twist, steering)

    def _learn(self, turn: float, seconds: float) -> None:
        """Compare the measured turn rate with what was commanded a little before."""
        self._turned += min(1.0, seconds / DELAY) * (self._told - self._turned)
        if abs(self._turned) > TURNING:
            share = min(max(turn / self._turned, SCRUB[0]), SCRUB[1])
            self._scrub += min(1.0, LEARNING * seconds) * (share - self._scrub)

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
