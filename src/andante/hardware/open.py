"""`open_body`: a real robot by its address, as `--body` and `body=` name it."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np

from andante.bags import messages
from andante.control.body import Body, BodyCommand, BodyState
from andante.control.loop import RATE, ControlLoop
from andante.control.stop_plan import EVERY
from andante.description import Robot
from andante.errors import BadInput
from andante.localization import UwbSetup
from andante.localization.io import read_uwb_setup
from andante.locomotion import Behaviour, Walker
from andante.motion.joint_motion import MotionLimits
from andante.userfile import is_user_reference, load_user_object

from . import naoqi
from .address import SIMULATED, check_address
from .checks import check_body
from .naoqi.settings import SCHEME, naoqi_settings
from .pozyx.reader import PozyxTags
from .remote import RemoteBody
from .ros.body import RosBody
from .ros.link import Listener, RosLink
from .ros.settings import ros_options
from .rplidar.reader import RpLidar
from .serial.body import SerialBody
from .serial.messages import State

CONNECTING, STARTING = 20.0, 5.0  # the longest waits for an answer, and for motors that may turn [s]
REACHING = 1.0  # the longest wait for an address that refuses connections [s]


def make_body(
    address: str, robot: Robot, params: Mapping[str, Any] | None = None, log: Callable[[str], None] | None = None
) -> Body:
    """The body at an address, not connected yet; see `open_body`."""
    check_address(address)
    table = dict(params or {})
    if address == SIMULATED:
        raise BadInput("a simulated body is made by simulate")
    if is_user_reference(address):
        return _users_own(address, robot, table)
    if address.startswith("serial:"):
        return _car(address.removeprefix("serial:"), robot, table, log)
    for name in ("lidar", "uwb"):
        if named := str(table.pop(name, "")):
            raise BadInput(
                f"{name} {named!r} is for a car at serial:PORT; the robot at {address} tells its own readings"
            )
    if address.startswith(SCHEME):
        return naoqi.NaoqiBody(address, robot, naoqi_settings(table), say=log)
    return RosBody(address, robot, say=log, **ros_options(table))


def _car(port: str, robot: Robot, table: dict[str, Any], log: Callable[[str], None] | None) -> SerialBody:
    """A car at a serial port, with the lidar and the UWB tags that hang on the computer."""
    lidar, uwb, anchors = (str(table.pop(name, "")) for name in ("lidar", "uwb", "anchors"))
    baud, ticks = int(table.pop("baud", 115200)), int(table.pop("ticks_per_turn", 1200))
    speed = int(table.pop("lidar_baud", 115200))
    with ExitStack() as stack:
        setup = read_uwb_setup(Path(anchors)) if anchors else None
        tags = open_uwb(uwb, setup, log) if uwb else None
        if tags is not None:
            stack.callback(tags.close)
        eyes = open_lidar(lidar, speed, log) if lidar else None
        if eyes is not None:
            stack.callback(eyes.close)
        made = SerialBody(
            port, robot, baud=baud, ticks_per_turn=ticks, parameters=table, say=log, lidar=eyes, uwb=tags, setup=setup
        )
        stack.pop_all()
        return made


def open_uwb(address: str, setup: UwbSetup | None, log: Callable[[str], None] | None = None) -> PozyxTags:
    """The UWB tags at an address pozyx:PORT[,PORT], one port per tag; they measure from now on."""
    kind, _, ports = address.partition(":")
    named = [port for port in ports.split(",") if port]
    if kind != "pozyx" or not named:
        raise BadInput(f"no UWB tags {address!r}; choices: pozyx:PORT,PORT such as pozyx:/dev/ttyACM0,/dev/ttyACM1")
    if setup is None:
        raise BadInput(f"uwb {address}: name the file of anchors and tags too, by anchors")
    if len(named) != len(setup.tags):
        raise BadInput(f"uwb {address}: {len(named)} ports for {len(setup.tags)} tags of the file of anchors")
    try:
        ids = [int(name, 16) for name in setup.anchors]
    except ValueError:
        raise BadInput(f"uwb {address}: anchors are called by their network ids, like 0x6902") from None
    return PozyxTags(named, ids, log)


def open_lidar(address: str, baud: int = 115200, log: Callable[[str], None] | None = None) -> RpLidar:
    """The lidar at an address rplidar:PORT; it turns from now on."""
    kind, _, port = address.partition(":")
    if kind != "rplidar" or not port:
        raise BadInput(f"no lidar {address!r}; choices: rplidar:PORT, such as rplidar:/dev/ttyUSB1")
    return RpLidar(port, baud, log)


def open_body(
    address: str, robot: Robot, params: Mapping[str, Any] | None = None, log: Callable[[str], None] | None = None
) -> Body:
    """A body that answers, its rate measured.

    Args:
        address: ws://HOST:9090, http://HOST:11311, naoqi://HOST:9559, serial:PORT, or file.py:Name, which is
            called with the robot.
        robot: names, limits, wheels and sensors.
        params: the table [body] of a parameter file: topics, types and mappings of a robot behind ROS; baud,
            ticks_per_turn, lidar (rplidar:PORT), lidar_baud, uwb (pozyx:PORT,PORT), anchors (a file) and parameters
            of the firmware of one at a serial port; arguments of file.py:Name.
        log: called with each line on what happens to the connection.
    """
    body = make_body(address, robot, params, log)
    try:
        if isinstance(body, RemoteBody):
            body.connect(CONNECTING, reach=REACHING)
        if isinstance(body, SerialBody):
            if body.lidar is not None:
                body.lidar.connect()
            if body.uwb is not None:
                body.uwb.connect()
            _start(body)
    except BaseException:
        body.close()
        raise
    return body


def _start(body: SerialBody) -> None:
    """Let the motors turn, and wait until the microcontroller says that they may."""
    body.start()
    deadline = time.monotonic() + STARTING
    while (telemetry := body.telemetry) is None or telemetry.state in (State.WAITING, State.STOPPED):
        if time.monotonic() > deadline:
            raise BadInput(f"{body.name} at {body.address} does not start: {body.read().health.words or 'no answer'}")
        time.sleep(0.01)


def _users_own(reference: str, robot: Robot, table: Mapping[str, Any]) -> Body:
    made = load_user_object(reference)
    if not callable(made):
        raise BadInput(f"{reference} must be a class or function that makes a body of a robot")
    try:
        body = made(robot, **table)
    except TypeError as error:
        raise BadInput(f"{reference} cannot be called with a robot ({error})") from error
    if not isinstance(body, Body):
        raise BadInput(f"{reference} gives a {type(body).__name__}, not a Body")
    wrong = [f"{result.name}: {result.message}" for result in check_body(body, close=False) if not result.passed]
    if wrong:
        body.close()
        raise BadInput(f"{reference} does not keep the contract of a body ({'; '.join(wrong)})")
    return body


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
    elif address.startswith(SCHEME):
        told = _dry_naoqi(address, robot, params, behaviour, position, rate)
    else:
        body = _NoRobot(robot, position, address.startswith("serial:") or behaviour.base_twist is not None)
        ControlLoop(body, behaviour, rate).step()
        for command in body.sent:
            joints = {name: target.value for name, target in command.joints.items()}
            told.append({"twist": command.twist} if command.twist is not None else {"joints": joints})
    out.append({"limits": {name: [low, high, speed] for name, low, high, speed in bounds}})
    return out + told


def _dry_naoqi(
    address: str, robot: Robot, params: Mapping[str, Any], behaviour: Behaviour, position: np.ndarray, rate: float
) -> list[dict[str, Any]]:
    """Calls of the first period to a NAO."""
    line, ticks = _NoLine(naoqi.qi_url(address)), count()
    body = naoqi.NaoqiBody(line, robot, naoqi_settings(params), clock=lambda: 1e-3 * next(ticks))
    none = (0.0, 0.0, 0.0)
    state = naoqi.Told(
        1.0, False, dict(zip(robot.joint_names, position.tolist(), strict=True)), none, (0.0, 0.0, 9.81), {}, none
    )
    for topic, message in naoqi.told_messages(state, None).items():
        line.listener.heard(topic, message)
    own = body.own_walk() if isinstance(behaviour, Walker) else None
    ControlLoop(body, own or behaviour, rate).step()
    wakes = ["ALMotion.wakeUp"] if body.settings.wake else []
    calls = [naoqi.call_of(topic, message) for topic, message in line.sent]
    return [*({"calls": each, "arguments": []} for each in wakes),
            *({"calls": str(each), "arguments": list(each.arguments)} for each in calls)]  # fmt: skip


def _rates(body: RosBody, rate: float) -> dict[str, float]:
    """Topics that a control loop of a rate [Hz] would send on, and how often."""
    if body.wants_twist:
        return {body.velocity.topic: rate} if body.velocity is not None else {}
    if body.joints is None:
        return {}
    plan = {body.joints.stop_topic: 1.0 / EVERY} if body.takes_stop_plan else {}
    return {body.joints.topic: rate, **plan}
