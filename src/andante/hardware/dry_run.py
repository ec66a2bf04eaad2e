"""`dry_run`: what would be sent to a real robot, without a connection to it."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import count
from typing import Any

import numpy as np

from andante.bags import messages
from andante.control.body import Body, BodyCommand, BodyState
from andante.control.loop import RATE, ControlLoop
from andante.control.stop_plan import EVERY
from andante.description import Robot
from andante.locomotion import Behaviour
from andante.motion.joint_motion import MotionLimits

from .open import check_address
from .ros.body import RosBody
from .ros.link import Listener, RosLink
from .ros.settings import ros_options


class _NoLine(RosLink):
    """A line to nobody, which keeps what would be sent."""

    def open(self, subscribed: Mapping[str, str], advertised: Mapping[str, str], listener: Listener) -> None:
        self.subscribed, self.advertised, self.listener = dict(subscribed), dict(advertised), listener
        self.sent: list[tuple[str, Any]] = []
        self.connected = True

    def post(self, topic: str, message: Any) -> None:
        self.sent.append((topic, message))

    def close(self) -> bool:
        return True

    async def _keep(self) -> None:
        """There is nothing to keep."""


class _NoRobot(Body):
    """A body that stands in a pose and keeps what it is told."""

    def __init__(self, robot: Robot, position: np.ndarray, wants_twist: bool) -> None:
        self.robot, self.wants_twist, self._position = robot, wants_twist, position
        self.sent: list[BodyCommand] = []

    def read(self) -> BodyState:
        nothing = np.zeros(len(self._position))
        return BodyState(0.0, self._position, nothing, effort=nothing)

    def write(self, command: BodyCommand) -> None:
        self.sent.append(command)

    def advance(self, seconds: float) -> None:
        """Its time stands still."""

    def stop(self) -> None:
        """It never moves."""

    def close(self) -> None:
        """Nothing is held."""


def dry_run(
    address: str,
    robot: Robot,
    params: Mapping[str, Any],
    behaviour: Behaviour,
    pose: Mapping[str, float],
    rate: float = RATE,
) -> list[dict[str, Any]]:
    """What a behaviour would send in its first period: topics with types and rates, limits of the joints, messages.

    Args:
        address: of the body, as `open_body` takes it; nothing is opened.
        robot, params: as for `open_body`.
        behaviour: that would move it.
        pose: that the robot is taken to stand in.
        rate: of control [Hz].
    """
    check_address(address)
    whole = robot.complete(dict(pose))
    position = np.array([whole[name] for name in robot.joint_names])
    limits = MotionLimits.of(robot)
    bounds = zip(limits.names, limits.lower.tolist(), limits.upper.tolist(), limits.velocity.tolist(), strict=True)
    out: list[dict[str, Any]] = [{"body": address, "robot": robot.name, "rate": rate}]
    told: list[dict[str, Any]] = []
    if address.startswith(("ws://", "wss://", "http://")):
        line = _NoLine(address)
        ticks = count()  # its clock goes on whenever somebody looks at it, so that nothing is ever old
        body: Body = RosBody(line, robot, **{**ros_options(params), "clock": lambda: 1e-3 * next(ticks)})
        assert isinstance(body, RosBody)
        state = {"name": list(robot.joint_names), "position": position, "velocity": np.zeros(len(position))}
        topic = body.topics.joint_states or body.topics.odometry
        kind = body.topics.types[topic]
        line.listener.heard(topic, messages.make(kind, **state) if body.topics.joint_states else messages.make(kind))
        ControlLoop(body, behaviour, rate).step()
        out += [{"hears": topic, "type": kind} for topic, kind in line.subscribed.items()]
        out += [
            {"sends": topic, "type": line.advertised[topic], "rate": often}
            for topic, often in _rates(body, rate).items()
        ]
        told = [{"topic": topic, "msg": messages.to_dict(message)} for topic, message in line.sent]
    else:
        body = _NoRobot(robot, position, address.startswith("serial:") or behaviour.base_twist is not None)
        ControlLoop(body, behaviour, rate).step()
        for command in body.sent:
            joints = {name: target.value for name, target in command.joints.items()}
            told.append({"twist": command.twist} if command.twist is not None else {"joints": joints})
    out.append({"limits": {name: [low, high, speed] for name, low, high, speed in bounds}})
    return out + told


def _rates(body: RosBody, rate: float) -> dict[str, float]:
    """Topics that a control loop of a rate [Hz] would send on, and how often."""
    if body.wants_twist:
        return {body.velocity.topic: rate} if body.velocity is not None else {}
    if body.joints is None:
        return {}
    plan = {body.joints.stop_topic: 1.0 / EVERY} if body.takes_stop_plan else {}
    return {body.joints.topic: rate, **plan}
