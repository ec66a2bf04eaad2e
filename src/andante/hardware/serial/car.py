"""A car by its robot file: which joints spin and steer, and what a speed and a steering angle mean for them."""

from __future__ import annotations

import math
from dataclasses import dataclass

from andante.control.body import JointTarget
from andante.description.robot import Robot
from andante.errors import Unsupported
from andante.kinematics.wheels.drive import Drive
from andante.kinematics.wheels.finder import find_drive
from andante.physics.state import Mode

from .parameters import NUMBERS, PARAMETERS


@dataclass(frozen=True)
class Car:
    """A car with a fixed driven axle and steered wheels; steering angles are those of a bicycle of its wheelbase."""

    drive: Drive
    wheelbase: float  # [m]
    full_lock: float  # largest steering angle to both sides [rad]
    max_speed: float  # [m/s]
    left: str  # joints of the driven wheels
    right: str

    @staticmethod
    def of(robot: Robot) -> Car:
        """The car that a robot file describes; refused when it is none."""
        drive = find_drive(robot)
        steered = [part for part in drive.wheels if part.steering]
        driven = [part for part in drive.wheels if part.driven and not part.steering]
        left = [part.joint for part in driven if part.wheel.position[1] > 0]
        right = [part.joint for part in driven if part.wheel.position[1] < 0]
        if not steered or len(left) != 1 or len(right) != 1 or not 0 < drive.turning_radius < math.inf:
            raise Unsupported(
                f"robot {robot.name!r} is no car with one driven axle and steered wheels (its drive: {drive.kind})"
            )
        wheelbase = max(abs(float(part.wheel.position[0])) for part in steered)
        top = float(drive.limited((1e3, 0.0, 0.0))[0])
        return Car(drive, wheelbase, math.atan(wheelbase / drive.turning_radius), top, left[0], right[0])

    @property
    def parameters(self) -> dict[str, float]:
        """Parameters of the firmware that follow from the car; five per cent of room around its turning circle."""
        follow = {
            "top_speed": self.max_speed,
            "full_lock": self.full_lock,
            "wheelbase": self.wheelbase,
            "turning_radius": 1.05 * self.wheelbase / math.tan(self.full_lock),
        }
        return {name: value for name, value in follow.items() if PARAMETERS[NUMBERS[name]].accepts(value)}

    def targets(self, speed: float, angle: float) -> dict[str, JointTarget]:
        """Joint targets for a speed [m/s] and a steering angle [rad], left positive, also while standing."""
        angle = min(max(angle, -self.full_lock), self.full_lock)
        ahead = self.drive.joint_commands((1.0, 0.0, math.tan(angle) / self.wheelbase), limit=False)
        return {
            joint: JointTarget(float(value) * (speed if mode == "velocity" else 1.0), Mode[mode.upper()])
            for joint, (mode, value) in ahead.items()
        }

    def steering_angles(self, angle: float) -> dict[str, float]:
        """Positions of the steering joints at a steering angle [rad]."""
        targets = self.targets(0.0, angle)
        return {joint: targets[joint].value for joint in self.drive.steering_joints}
