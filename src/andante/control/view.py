"""`RobotView`: what those who publish a robot's state need to know of it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import numpy as np

from andante.description import Robot
from andante.errors import AndanteError
from andante.geometry import Array
from andante.locomotion import Walker
from andante.locomotion.behaviour import HoldPose

from .body import Body, BodyState
from .loop import ControlLoop, Observer
from .wheel_odometry import WheelCounter

if TYPE_CHECKING:
    from andante.bus import Bus

    from .publishers import RobotPublisher, StatePublisher


MakePublisher = Callable[["Bus", Callable[[], "RobotView"], "StatePublisher"], "RobotPublisher"]


class RobotView:
    """A body, what moves it, and where it started.

    Args:
        body: the robot.
        walker: that moves it and knows where it is; None: it stands.
        loop: that runs it; None: the body is read.
        pose: in which it stands.
        forward: azimuth of straight ahead in the root frame [rad].
        origin: x, y [m], yaw [rad] of its start in the world, where the odom frame lies.
        map_pose: x, y [m], yaw [rad] of the map's frame in the world.
    """

    def __init__(
        self,
        body: Body,
        walker: Walker | None = None,
        loop: ControlLoop | None = None,
        *,
        pose: Mapping[str, float] | None = None,
        forward: float = 0.0,
        origin: Array | None = None,
        map_pose: tuple[float, float, float] = (0.0, 0.0, 0.0),
    ) -> None:
        self.body, self.loop, self.forward = body, loop, forward
        self.walker: Walker = walker or _watched(body.robot, pose or {})
        self.pose: Mapping[str, float] = pose or {}
        self.origin = np.zeros(3) if origin is None else np.asarray(origin, dtype=float)
        self.map_pose = map_pose
        self.estimated_from = np.zeros(3)  # where the present walker started, x, y [m], heading [rad]
        self.observers: list[Observer] = []  # of whatever loop runs it
        self.publishers: list[MakePublisher] = []  # more that recordings tell of it

    def run_by(self, loop: ControlLoop) -> None:
        """The loop that runs it from now on."""
        self.loop, loop.observers = loop, self.observers

    @property
    def robot(self) -> Robot:
        """Its description."""
        return self.body.robot

    @property
    def name(self) -> str:
        """Name of the robot, by which its topics are called."""
        return self.robot.name

    @property
    def time(self) -> float:
        """Of the body's clock [s]."""
        return self.body.time

    @property
    def state(self) -> BodyState:
        """What the robot felt in the last control step."""
        return self.body.read() if self.loop is None else self.loop.state

    def watch(self) -> None:
        """Count the wheels of a base that nobody drives."""
        if isinstance(self.walker, WheelCounter):
            self.walker.odometry.update(self.state)

    @property
    def position(self) -> Array:
        """x, y [m] and heading, unwrapped [rad], of straight ahead in the frame of the start, by its own estimate."""
        here = np.asarray(self.walker.position, dtype=float)
        c, s = math.cos(self.estimated_from[2]), math.sin(self.estimated_from[2])
        placed: Array = self.estimated_from + np.array([c * here[0] - s * here[1], s * here[0] + c * here[1], here[2]])
        return placed


def _watched(robot: Robot, pose: Mapping[str, float]) -> Walker:
    """What stands in for a walker where nobody moves a robot."""
    try:
        return WheelCounter(robot)
    except AndanteError:  # no wheels
        return HoldPose(robot, pose)
