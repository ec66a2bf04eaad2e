"""`open_body`: a real robot by its address, as `--body` and `body=` name it."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

from andante.control.body import Body
from andante.description import Robot
from andante.errors import BadInput
from andante.userfile import is_user_reference, load_user_object

from .checks import check_body
from .remote import RemoteBody
from .ros.body import RosBody
from .ros.settings import ros_options
from .serial.body import SerialBody
from .serial.messages import State

SIMULATED = "sim"
CHOICES = "sim, ws://HOST:9090 (rosbridge), http://HOST:11311 (a ROS 1 master), serial:PORT, or file.py:Name"
SCHEMES = ("ws://", "wss://", "http://", "serial:")
CONNECTING, STARTING = 20.0, 5.0  # the longest waits for an answer, and for motors that may turn [s]


def check_address(address: str) -> None:
    """Refuse what is no address of a body, before anything is built."""
    if address != SIMULATED and not address.startswith(SCHEMES) and not is_user_reference(address):
        raise BadInput(f"no body {address!r}; choices: {CHOICES}")
    if address == "serial:":
        raise BadInput("serial: needs the name of its port, like serial:/dev/ttyUSB0 or serial:COM5")


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
        baud, ticks = int(table.pop("baud", 115200)), int(table.pop("ticks_per_turn", 1200))
        port = address.removeprefix("serial:")
        return SerialBody(port, robot, baud=baud, ticks_per_turn=ticks, parameters=table, say=log)
    return RosBody(address, robot, say=log, **ros_options(table))


def open_body(
    address: str, robot: Robot, params: Mapping[str, Any] | None = None, log: Callable[[str], None] | None = None
) -> Body:
    """A body that answers, its rate measured.

    Args:
        address: ws://HOST:9090, http://HOST:11311, serial:PORT, or file.py:Name, which is called with the robot.
        robot: names, limits, wheels and sensors.
        params: the table [body] of a parameter file: topics, types and mappings of a robot behind ROS; baud,
            ticks_per_turn and parameters of the firmware of one at a serial port; arguments of file.py:Name.
        log: called with each line on what happens to the connection.
    """
    body = make_body(address, robot, params, log)
    try:
        if isinstance(body, RemoteBody):
            body.connect(CONNECTING)
        if isinstance(body, SerialBody):
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
