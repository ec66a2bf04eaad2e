"""What a walking body feels of itself: tilt, loads on its feet, where its centre of mass is and where it is going."""

from __future__ import annotations

import math

import numpy as np

from andante.geometry import Array
from andante.gravity import GRAVITY

from .behaviour import Readings
from .biped_attitude import BipedAttitude
from .biped_body import BipedBody
from .biped_turns import seen_from

BANDWIDTH = 30.0  # at which the place of the centre of mass corrects what the accelerometer has summed up [rad/s]
PRESSED = 0.5  # load of a foot whose switch is closed, in body weights


class BipedSense:
    """Estimates in the level frame of the standing sole (x along it, z up), from encoders, IMU and load cells."""

    def __init__(self, body: BipedBody, rate: float, shift: Array) -> None:
        self.body, self.rate = body, rate
        self.attitude = BipedAttitude()
        self.loads = (0.5, 0.5)  # on the left and right foot, in body weights
        self.place = (0.0, 0.0)  # of the centre of mass [m]
        self.speed = (0.0, 0.0)  # [m/s]
        self.other = (0.0, 0.0, 0.0)  # the other sole: x, y [m], yaw [rad], in the frame of the standing one
        self.foot_roll, self.foot_pitch = 0.0, 0.0  # tilt of the standing sole [rad]
        self._shift = body.upright.T @ shift  # of the weighed centre against the true one, root frame
        self._known = False

    @property
    def divergent(self) -> tuple[float, float]:
        """c + c' / w, x and y [m]."""
        return self.place[0] + self.speed[0] / self.rate, self.place[1] + self.speed[1] / self.rate

    def update(self, readings: Readings, stance: int, planned: tuple[float, float], yaw: float, dt: float) -> None:
        """Take one set of readings. planned: acceleration that the plan gives the body [m/s²], yaw: the body's heading.

        Both are told in the frame of the standing foot. Axes that the gyro lacks count as not turning.
        """
        body = self.body
        force = body.imu @ readings.acceleration
        gyro = body.imu @ np.where(np.isnan(readings.gyro), 0.0, readings.gyro)
        c, s = math.cos(yaw), math.sin(yaw)
        own = (c * planned[0] + s * planned[1], c * planned[1] - s * planned[0])
        fx, fy, fz = force.tolist()
        self.attitude.update(gyro, (fx - own[0], fy - own[1], fz), dt)
        felt = body.feel(readings.position, stance, self._shift, self.attitude.up, force).tolist()
        self.other = (felt[0], felt[1], felt[2])
        self.foot_roll, self.foot_pitch = felt[3], felt[4]
        self._follow((felt[5], felt[6]), (felt[7], felt[8]), dt)
        self.loads = (self._load(0, readings), self._load(1, readings))

    def _follow(self, measured: tuple[float, float], pushed: tuple[float, float], dt: float) -> None:
        """Second-order observer: the accelerometer tells the motion, the legs tell the place."""
        if not self._known:
            self.place, self._known = measured, True
            return
        place, speed = [0.0, 0.0], [0.0, 0.0]
        near = min(1.0, 2.0 * BANDWIDTH * dt)
        for i in range(2):
            a = pushed[i]
            guess = self.place[i] + self.speed[i] * dt + 0.5 * a * dt * dt
            off = measured[i] - guess
            place[i] = guess + near * off
            speed[i] = self.speed[i] + a * dt + BANDWIDTH * BANDWIDTH * dt * off
        self.place, self.speed = (place[0], place[1]), (speed[0], speed[1])

    def _load(self, foot: int, readings: Readings) -> float:
        sole = self.body.soles[foot]
        felt = readings.forces.get(sole.link)
        if felt is not None:
            return float(felt.sum()) / (self.body.mass * GRAVITY)
        pressed = any(readings.pressed.get(name, False) for name in (*sole.switches, f"{sole.link}/touch"))
        return PRESSED if pressed else 0.0

    def change_foot(self) -> None:
        """See everything from the other foot, which stands from now on."""
        step = self.other
        self.place = seen_from(step, *self.place)
        self.speed = seen_from((0.0, 0.0, step[2]), *self.speed)
        x, y = seen_from(step, 0.0, 0.0)
        self.other = (x, y, -step[2])
