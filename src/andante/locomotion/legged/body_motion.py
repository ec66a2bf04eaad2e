"""The body of a standing robot led along a path while its feet stay where they are: a parallel robot on its legs.

The feet stand on points of the ground; the pose of the body over them is a command, and inverse kinematics of all legs
together, as of a parallel robot, gives the joints. Round feet roll as the legs tilt: the point that touches the ground
stays, so the middle of a foot is led by what the foot's turn rolls it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from andante.description import Robot
from andante.errors import BadInput
from andante.geometry import SE3, Array, so3
from andante.locomotion.behaviour import Behaviour, Command, Readings
from andante.locomotion.rigs.rig import LegSolver, Rig, check_rig
from andante.motion import vector_of

ROUNDS = 3  # of finding the joints and how far the feet have rolled with them
FAILED = 1e-4  # a foot that misses its point by more is out of reach [m]


@dataclass(frozen=True)
class BodyPose:
    """Where the body is to be, against how it stands: walking axes, x ahead, y left, z up."""

    x: float = 0.0  # [m]
    y: float = 0.0
    height: float = 0.0
    roll: float = 0.0  # [rad]
    pitch: float = 0.0
    yaw: float = 0.0

    @property
    def vector(self) -> Array:
        """x, y, height, roll, pitch, yaw."""
        return np.array([self.x, self.y, self.height, self.roll, self.pitch, self.yaw])

    @property
    def matrix(self) -> Array:
        """(4, 4) stance_from_body."""
        rotation = so3.from_rpy((self.roll, self.pitch, self.yaw))
        return SE3.from_parts(rotation, (self.x, self.y, self.height)).matrix


def circle(radius: float, period: float, tilt: float = 0.0, height: float = 0.0) -> Callable[[float], BodyPose]:
    """A body path over time [s]: a circle of that radius [m] once per period [s], tilted by an angle [rad] inwards."""
    if not (math.isfinite(period) and period > 0):
        raise BadInput(f"the period of a circle must be > 0 s, got {period}")

    def at(time: float) -> BodyPose:
        c, s = math.cos(2 * math.pi * time / period), math.sin(2 * math.pi * time / period)
        return BodyPose(radius * c, radius * s, height, tilt * s, -tilt * c)

    return at


class BodyMotion(Behaviour):
    """Leads the body along a path over time, at bounded speed, while all feet stand still.

    The command's height, roll and pitch are added to the path, so that a front end may lead the body by hand: without a
    path it only follows them. `reached` is where the body is led now, `error` how far each foot misses its point.
    """

    def __init__(
        self,
        robot: Robot,
        rig: Rig,
        path: Callable[[float], BodyPose] | None = None,
        speed: float = 0.1,
        turn: float = 0.5,
    ) -> None:
        check_rig(rig, robot)
        if not (speed > 0 and turn > 0):
            raise BadInput(f"body speeds must be > 0, got {speed} m/s and {turn} rad/s")
        self.path = path or (lambda time: BodyPose())
        self.reached = np.zeros(6)
        self.error = np.zeros(len(rig.legs))
        self._most = np.array([speed, speed, speed, turn, turn, turn])
        self._solver = LegSolver(robot, rig)
        self._radii = np.array([leg.radius for leg in rig.legs])
        self._q = vector_of(robot, rig.stance)
        first = self._solver.feet(self._q)
        self._middles, self._turned = first[:, :3, 3].copy(), first[:, :3, :3].copy()
        self._fastest = np.array([joint.limits.velocity for joint in robot.movable])
        self._began: float | None = None

    def update(self, readings: Readings, command: Command, dt: float) -> Array:
        """Joint targets (joints,) for the next control step of dt [s]. The path's time begins with the first call."""
        self._began = readings.time if self._began is None else self._began
        wanted = self.path(readings.time - self._began).vector
        wanted = wanted + np.array([0.0, 0.0, command.height, command.roll, command.pitch, 0.0])
        pose = self.reached + np.clip(wanted - self.reached, -self._most * dt, self._most * dt)
        q, error = self.joints(BodyPose(*pose.tolist()))
        slow = bool(np.all(np.abs(q - self._q) <= self._fastest * dt))
        if float(np.max(error)) <= FAILED and slow:  # else the body waits at the edge of what its legs reach
            self.reached, self._q, self.error = pose, q, error
        return self._q.copy()

    def joints(self, pose: BodyPose) -> tuple[Array, Array]:
        """Joint positions (joints,) that hold the body at a pose over its standing feet, and each foot's error [m].

        With d = (0, 0, -radius) a foot that turned from R to R' has rolled without sliding when its middle moved by
        d - R' Rᵀ d, level axes; the turn follows from the joints, so both are found in rounds.
        """
        body_from_stance = SE3(pose.matrix).inverse().matrix
        down = np.zeros((len(self._radii), 3))
        down[:, 2] = -self._radii
        q, rolled, error = self._q, np.zeros_like(down), self.error
        for _ in range(ROUNDS):
            middles = self._middles + rolled
            q, error = self._solver.joints(middles @ body_from_stance[:3, :3].T + body_from_stance[:3, 3], q)
            turned = pose.matrix[:3, :3] @ self._solver.feet(q)[:, :3, :3]
            in_foot = np.einsum("nji,nj->ni", self._turned, down)
            rolled = down - np.einsum("nij,nj->ni", turned, in_foot)
            rolled[:, 2] = 0.0
        return q, error
