"""The messages between computer and microcontroller: the one table that encoder, decoder and page are made from."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Annotated, ClassVar

from .wire import TEXT, Message, Way, Wire

FAR = 1e5  # no robot of this protocol is further from its map's origin [m]
TURN = 10.0  # no angle on the line is larger [rad]


class Role(IntEnum):
    """Who speaks."""

    COMPUTER = 0
    MICROCONTROLLER = 1


class State(IntEnum):
    """What the microcontroller does."""

    WAITING = 0  # nobody has said hello
    STOPPED = 1  # connected, motors neutral until started
    DRIVING = 2  # to a waypoint
    COMMANDED = 3  # by velocity or pulse widths
    ARRIVED = 4  # at the waypoint, motors neutral
    HOLDING = 5  # started, but pose or command is too old: motors neutral until it comes


class Fault(IntEnum):
    """Why the motors are neutral."""

    NONE = 0
    LINK = 1  # no good frame for the time of the watchdog; a new start is needed
    POSE = 2  # the robot's pose is too old
    COMMAND = 3  # the velocity or pulse command is too old
    VOLTAGE = 4  # battery below its limit; a new start is needed
    VERSION = 5  # the computer speaks another protocol
    SENSOR = 6  # a sensor gives no numbers; a new start is needed


class Answer(IntEnum):
    """What became of a message."""

    DONE = 0
    REFUSED = 1  # its value makes no sense here
    UNKNOWN = 2  # no such parameter


Meter = Annotated[float, Wire("f32", "m", low=-FAR, high=FAR)]
Milliseconds = Annotated[int, Wire("u32", "ms", "since power-on")]
Pulse = Annotated[int, Wire("u16", "µs", "pulse width", high=5000)]


@dataclass(frozen=True)
class Hello(Message):
    """First message of each side, repeated until the other answers; its code and the frame's header never change."""

    code: ClassVar[int] = 0x01
    way: ClassVar[Way] = Way.BOTH
    role: Annotated[int, Wire("u8", "", "0 computer, 1 microcontroller", high=1)]
    session: Annotated[int, Wire("u16", "", "changes when a side starts anew")]
    answer: Annotated[int, Wire("u8", "", "1: answers a hello", high=1)]
    name: Annotated[str, Wire(TEXT, "", "who it is")] = ""


@dataclass(frozen=True)
class Heartbeat(Message):
    """Sent when nothing else was for 0.1 s."""

    code: ClassVar[int] = 0x02
    way: ClassVar[Way] = Way.BOTH
    time: Annotated[int, Wire("u32", "ms", "of the sender's clock")]


@dataclass(frozen=True)
class TagPose(Message):
    """Position of a UWB tag: tag 0 in front, tag 1 behind."""

    code: ClassVar[int] = 0x10
    way: ClassVar[Way] = Way.DOWN
    tag: Annotated[int, Wire("u8", "", "0 or 1", high=1)]
    x: Meter
    y: Meter
    z: Meter


@dataclass(frozen=True)
class RobotPose(Message):
    """Estimated pose of the robot (middle of the rear axle) in the map."""

    code: ClassVar[int] = 0x11
    way: ClassVar[Way] = Way.DOWN
    x: Meter
    y: Meter
    yaw: Annotated[float, Wire("f32", "rad", low=-TURN, high=TURN)]


@dataclass(frozen=True)
class Waypoint(Message):
    """Where to drive once started."""

    code: ClassVar[int] = 0x12
    way: ClassVar[Way] = Way.DOWN
    acknowledged: ClassVar[bool] = True
    number: Annotated[int, Wire("u16", "", "told back in the telemetry; 0 is no waypoint", low=1)]
    x: Meter
    y: Meter
    radius: Annotated[float, Wire("f32", "m", "arrived when nearer; 0: the parameter", low=0.0, high=FAR)] = 0.0


@dataclass(frozen=True)
class Run(Message):
    """Start and stop of the motors. Stop acts at once; start clears faults whose cause is gone."""

    code: ClassVar[int] = 0x13
    way: ClassVar[Way] = Way.DOWN
    acknowledged: ClassVar[bool] = True
    on: Annotated[int, Wire("u8", "", "1 start, 0 stop", high=1)]


@dataclass(frozen=True)
class Velocity(Message):
    """Speed and yaw rate to drive with, to be repeated within the watchdog's time."""

    code: ClassVar[int] = 0x14
    way: ClassVar[Way] = Way.DOWN
    forwards: Annotated[float, Wire("f32", "m/s", low=-100.0, high=100.0)]
    turn: Annotated[float, Wire("f32", "rad/s", low=-100.0, high=100.0)]


@dataclass(frozen=True)
class Pulses(Message):
    """Pulse widths to put out as they are, to be repeated within the watchdog's time."""

    code: ClassVar[int] = 0x15
    way: ClassVar[Way] = Way.DOWN
    throttle: Pulse
    steering: Pulse


@dataclass(frozen=True)
class SetParameter(Message):
    """Change a parameter; the table of parameters names number, unit and range."""

    code: ClassVar[int] = 0x16
    way: ClassVar[Way] = Way.DOWN
    acknowledged: ClassVar[bool] = True
    number: Annotated[int, Wire("u8")]
    value: Annotated[float, Wire("f32")]


@dataclass(frozen=True)
class Ack(Message):
    """Answer to an acknowledged message."""

    code: ClassVar[int] = 0x81
    way: ClassVar[Way] = Way.UP
    of: Annotated[int, Wire("u8", "", "code of the message")]
    sequence: Annotated[int, Wire("u16", "", "its sequence number")]
    answer: Annotated[int, Wire("u8", "", "0 done, 1 refused, 2 no such parameter")]


@dataclass(frozen=True)
class Yaw(Message):
    """Heading by gyro and tags."""

    code: ClassVar[int] = 0x82
    way: ClassVar[Way] = Way.UP
    time: Milliseconds
    yaw: Annotated[float, Wire("f32", "rad", low=-TURN, high=TURN)]


@dataclass(frozen=True)
class Telemetry(Message):
    """What the microcontroller does and measures."""

    code: ClassVar[int] = 0x83
    way: ClassVar[Way] = Way.UP
    time: Milliseconds
    throttle: Pulse
    steering: Pulse
    voltage: Annotated[int, Wire("u16", "mV", "of the battery")]
    ticks_left: Annotated[int, Wire("i32", "", "encoder of the left rear wheel")]
    ticks_right: Annotated[int, Wire("i32", "", "encoder of the right rear wheel")]
    state: Annotated[int, Wire("u8", "", "0 waiting, 1 stopped, 2 driving, 3 commanded, 4 arrived, 5 holding", high=5)]
    fault: Annotated[int, Wire("u8", "", "0 none, 1 link, 2 pose, 3 command, 4 voltage, 5 version, 6 sensor", high=6)]
    waypoint: Annotated[int, Wire("u16", "", "number of the present waypoint, 0: none")]


@dataclass(frozen=True)
class Inertial(Message):
    """Angular velocity and specific force in the axes of the sensor."""

    code: ClassVar[int] = 0x84
    way: ClassVar[Way] = Way.UP
    time: Milliseconds
    gyro_x: Annotated[float, Wire("f32", "rad/s")]
    gyro_y: Annotated[float, Wire("f32", "rad/s")]
    gyro_z: Annotated[float, Wire("f32", "rad/s")]
    acc_x: Annotated[float, Wire("f32", "m/s²")]
    acc_y: Annotated[float, Wire("f32", "m/s²")]
    acc_z: Annotated[float, Wire("f32", "m/s²")]


@dataclass(frozen=True)
class Log(Message):
    """Words for people; never acted upon."""

    code: ClassVar[int] = 0x85
    way: ClassVar[Way] = Way.UP
    level: Annotated[int, Wire("u8", "", "0 information, 1 warning, 2 error", high=2)]
    text: Annotated[str, Wire(TEXT)]


MESSAGES: tuple[type[Message], ...] = (
    Hello, Heartbeat, TagPose, RobotPose, Waypoint, Run, Velocity, Pulses, SetParameter,
    Ack, Yaw, Telemetry, Inertial, Log,
)  # fmt: skip
BY_CODE = {kind.code: kind for kind in MESSAGES}
