"""A way to move of the minibot: it rolls on its wheels and nods as it goes."""

import numpy as np

from andante.description import Robot
from andante.geometry import Array
from andante.locomotion import Command, Gait, Prepared, Readings, Request, Walker
from andante.physics import Mode

RADIUS, TRACK = 0.05, 0.16  # of the wheels, and between them [m]
JOINTS = ("left_wheel", "right_wheel", "neck")
NOD = 0.3  # [rad] per turn of the wheels


class Waddle(Walker):
    """Wheels at the commanded velocity, the neck swinging with the way that they have rolled."""

    max_speed, max_turn, stopping_time = 0.3, 2.0, 0.2  # [m/s], [rad/s], [s]

    def __init__(self, robot: Robot, nod: float = NOD) -> None:
        self._left, self._right, self._neck = (robot.joint_names.index(name) for name in JOINTS)
        self._nod, self._count = nod, len(robot.joint_names)
        self.modes = np.full(self._count, Mode.VELOCITY)
        self.modes[self._neck] = Mode.POSITION
        self._moving, self._start, self._place = False, None, np.zeros(3)

    @property
    def standing(self) -> bool:
        """Whether nothing is asked of it."""
        return not self._moving

    @property
    def position(self) -> Array:
        """x, y [m] and heading [rad] by its wheels."""
        return self._place

    def update(self, readings: Readings, command: Command, dt: float) -> Array:
        """Joint targets (joints,): speeds of the wheels, angle of the neck."""
        wheels = RADIUS * readings.position[[self._left, self._right]]
        before, self._start = self._start if self._start is not None else wheels, wheels
        step, turn = np.mean(wheels - before), np.diff(wheels - before)[0] / TRACK
        x, y, heading = self._place
        self._place = np.array([x + step * np.cos(heading), y + step * np.sin(heading), heading + turn])
        self._moving = command.moving
        targets = np.zeros(self._count)
        targets[self._left] = (command.vx - 0.5 * TRACK * command.wz) / RADIUS
        targets[self._right] = (command.vx + 0.5 * TRACK * command.wz) / RADIUS
        targets[self._neck] = self._nod * np.sin(np.mean(wheels) / RADIUS)
        return targets


def _suits(robot: Robot) -> bool:
    return set(JOINTS) <= set(robot.joint_names)


def _make(robot: Robot, request: Request) -> Prepared:
    return Prepared(robot, robot.complete({}), Waddle(robot, **(request.parameters or {})), 0.0, "waddle")


WADDLE = Gait("waddle", _suits, _make)
