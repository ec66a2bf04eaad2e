"""The messages between computer and microcontroller: the one table that encoder, decoder and page are made from."""

from __future__ import annotations

import math
import struct
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum, IntEnum
from typing import Annotated, Any, ClassVar, TypeVar, get_type_hints

from andante.errors import BadInput

NUMBERS = {"u8": "B", "u16": "H", "u32": "I", "i16": "h", "i32": "i", "f32": "f"}
TEXT = "text"
MAX_TEXT = 120  # bytes
_BITS = {"u8": (0, 2**8 - 1), "u16": (0, 2**16 - 1), "u32": (0, 2**32 - 1), "i16": (-(2**15), 2**15 - 1),
         "i32": (-(2**31), 2**31 - 1)}  # fmt: skip
_FLOAT_MAX = 3.4028234e38  # largest number of 32 bits, rounded down


class Way(Enum):
    """Where a message goes."""

    DOWN = "down"  # from the computer to the microcontroller
    UP = "up"
    BOTH = "both"


@dataclass(frozen=True)
class Wire:
    """One field of a payload."""

    kind: str  # u8 u16 u32 i16 i32 f32 text
    unit: str = ""
    meaning: str = ""
    low: float = -math.inf  # smallest value that is accepted
    high: float = math.inf

    def __post_init__(self) -> None:
        if self.kind not in NUMBERS and self.kind != TEXT:
            raise BadInput(f"no wire type {self.kind!r}; choices: {', '.join(NUMBERS)}, {TEXT}")

    @property
    def bounds(self) -> tuple[float, float]:
        """Smallest and largest value."""
        low, high = _BITS.get(self.kind, (-_FLOAT_MAX, _FLOAT_MAX))
        return max(low, self.low), min(high, self.high)

    def accepts(self, value: Any) -> bool:
        """Whether a number may be sent: of its type, finite and within bounds."""
        if isinstance(value, bool) or not isinstance(value, int | float):
            return False
        low, high = self.bounds
        return math.isfinite(value) and (self.kind == "f32" or value == int(value)) and low <= value <= high


class Message:
    """Base of all messages. A subclass is a frozen dataclass with annotated fields, made with its code and its way.

    An acknowledged message is answered by an Ack, and sent again until that comes.
    """

    code: ClassVar[int]
    way: ClassVar[Way]
    acknowledged: ClassVar[bool]

    def __init_subclass__(cls, code: int, way: Way, acknowledged: bool = False) -> None:
        cls.code, cls.way, cls.acknowledged = code, way, acknowledged


M = TypeVar("M", bound=Message)


@dataclass(frozen=True)
class Layout:
    """Fields of a message in the order of its bytes."""

    fields: tuple[tuple[str, Wire], ...]
    packer: struct.Struct
    text: str  # name of the text at the end, empty: none


_LAYOUTS: dict[type[Message], Layout] = {}  # made when first asked for


def layout(kind: type[Message]) -> Layout:
    """The layout of a kind of message, from its annotations."""
    if kind not in _LAYOUTS:
        _LAYOUTS[kind] = _layout(kind)
    return _LAYOUTS[kind]


def _layout(kind: type[Message]) -> Layout:
    fields = []
    for name, hint in get_type_hints(kind, include_extras=True).items():
        wires = [each for each in getattr(hint, "__metadata__", ()) if isinstance(each, Wire)]
        if wires:
            fields.append((name, wires[0]))
    texts = [name for name, wire in fields if wire.kind == TEXT]
    if texts and (len(texts) > 1 or fields[-1][0] != texts[0]):
        raise BadInput(f"message {kind.__name__}: a text must be the last field, and the only text")
    numbers = "".join(NUMBERS[wire.kind] for _, wire in fields if wire.kind != TEXT)
    return Layout(tuple(fields), struct.Struct("<" + numbers), texts[0] if texts else "")


def pack(message: Message) -> bytes:
    """Payload of a message; a value that the wire cannot carry is refused by name."""
    plan, values = layout(type(message)), []
    for name, wire in plan.fields:
        if wire.kind == TEXT:
            continue
        value = getattr(message, name)
        if not wire.accepts(value):
            low, high = wire.bounds
            raise BadInput(
                f"message {type(message).__name__}: {name} must be {wire.kind} from {low:g} to {high:g}, got {value!r}"
            )
        values.append(value if wire.kind == "f32" else int(value))
    words = shorten(getattr(message, plan.text)) if plan.text else b""
    return plan.packer.pack(*values) + words


def unpack(kind: type[M], payload: bytes) -> M | None:
    """The message that a payload holds; None when it has the wrong length or a value out of range."""
    plan = layout(kind)
    size = plan.packer.size
    if len(payload) < size or (len(payload) > size + MAX_TEXT if plan.text else len(payload) != size):
        return None
    numbers = plan.packer.unpack_from(payload)
    values: dict[str, Any] = {}
    for (name, wire), value in zip((f for f in plan.fields if f[1].kind != TEXT), numbers, strict=True):
        if not wire.accepts(value):
            return None
        values[name] = value
    if plan.text:
        values[plan.text] = printable(payload[size:].decode("utf-8", errors="replace"))
    return kind(**values)


def int32(number: int) -> int:
    """A counter, or a difference of two, as it wraps in 32 bits."""
    return (int(number) + 2**31) % 2**32 - 2**31


def printable(text: str) -> str:
    """A text without control characters: what came over a line must not steer a terminal."""
    return "".join(letter if letter.isprintable() else "?" for letter in text)


def shorten(text: str) -> bytes:
    """UTF-8 of a text, cut at a whole letter to at most `MAX_TEXT` bytes; unprintable letters become question marks."""
    return printable(text).encode("utf-8", errors="replace")[:MAX_TEXT].decode("utf-8", errors="ignore").encode()


def table(kinds: Iterable[type[Message]]) -> str:
    """All messages with their fields as a Markdown table."""
    rows = ["| code | message | way | payload | meaning |", "|---|---|---|---|---|"]
    for kind in kinds:
        plan = layout(kind)
        fields = "<br>".join(
            f"`{name}` {wire.kind}"
            + (f" [{wire.unit}]" if wire.unit else "")
            + (f": {wire.meaning}" if wire.meaning else "")
            for name, wire in plan.fields
        )
        told = " ".join((kind.__doc__ or "").split())
        way = kind.way.value + (", acknowledged" if kind.acknowledged else "")
        rows.append(f"| 0x{kind.code:02x} | `{kind.__name__}` | {way} | {fields or '-'} | {told} |")
    return "\n".join(rows) + "\n"


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
class Hello(Message, code=0x01, way=Way.BOTH):
    """First message of each side, repeated until the other answers; its code and the frame's header never change."""

    role: Annotated[int, Wire("u8", "", "0 computer, 1 microcontroller", high=1)]
    session: Annotated[int, Wire("u16", "", "changes when a side starts anew")]
    answer: Annotated[int, Wire("u8", "", "1: answers a hello", high=1)]
    name: Annotated[str, Wire(TEXT, "", "who it is")] = ""


@dataclass(frozen=True)
class Heartbeat(Message, code=0x02, way=Way.BOTH):
    """Sent when nothing else was for 0.1 s."""

    time: Annotated[int, Wire("u32", "ms", "of the sender's clock")]


@dataclass(frozen=True)
class TagPose(Message, code=0x10, way=Way.DOWN):
    """Position of a UWB tag: tag 0 in front, tag 1 behind."""

    tag: Annotated[int, Wire("u8", "", "0 or 1", high=1)]
    x: Meter
    y: Meter
    z: Meter


@dataclass(frozen=True)
class RobotPose(Message, code=0x11, way=Way.DOWN):
    """Estimated pose of the robot (middle of the rear axle) in the map."""

    x: Meter
    y: Meter
    yaw: Annotated[float, Wire("f32", "rad", low=-TURN, high=TURN)]


@dataclass(frozen=True)
class Waypoint(Message, code=0x12, way=Way.DOWN, acknowledged=True):
    """Where to drive once started."""

    number: Annotated[int, Wire("u16", "", "told back in the telemetry; 0 is no waypoint", low=1)]
    x: Meter
    y: Meter
    radius: Annotated[float, Wire("f32", "m", "arrived when nearer; 0: the parameter", low=0.0, high=FAR)] = 0.0


@dataclass(frozen=True)
class Run(Message, code=0x13, way=Way.DOWN, acknowledged=True):
    """Start and stop of the motors. Stop acts at once; start clears faults whose cause is gone."""

    on: Annotated[int, Wire("u8", "", "1 start, 0 stop", high=1)]


@dataclass(frozen=True)
class Velocity(Message, code=0x14, way=Way.DOWN):
    """Speed and yaw rate to drive with, to be repeated within the watchdog's time."""

    forwards: Annotated[float, Wire("f32", "m/s", low=-100.0, high=100.0)]
    turn: Annotated[float, Wire("f32", "rad/s", low=-100.0, high=100.0)]


@dataclass(frozen=True)
class Pulses(Message, code=0x15, way=Way.DOWN):
    """Pulse widths to put out as they are, to be repeated within the watchdog's time."""

    throttle: Pulse
    steering: Pulse


@dataclass(frozen=True)
class SetParameter(Message, code=0x16, way=Way.DOWN, acknowledged=True):
    """Change a parameter; the table of parameters names number, unit and range."""

    number: Annotated[int, Wire("u8")]
    value: Annotated[float, Wire("f32")]


@dataclass(frozen=True)
class Ack(Message, code=0x81, way=Way.UP):
    """Answer to an acknowledged message."""

    of: Annotated[int, Wire("u8", "", "code of the message")]
    sequence: Annotated[int, Wire("u16", "", "its sequence number")]
    answer: Annotated[int, Wire("u8", "", "0 done, 1 refused, 2 no such parameter")]


@dataclass(frozen=True)
class Yaw(Message, code=0x82, way=Way.UP):
    """Heading by gyro and tags."""

    time: Milliseconds
    yaw: Annotated[float, Wire("f32", "rad", low=-TURN, high=TURN)]


@dataclass(frozen=True)
class Telemetry(Message, code=0x83, way=Way.UP):
    """What the microcontroller does and measures."""

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
class Inertial(Message, code=0x84, way=Way.UP):
    """Angular velocity and specific force in the axes of the sensor."""

    time: Milliseconds
    gyro_x: Annotated[float, Wire("f32", "rad/s")]
    gyro_y: Annotated[float, Wire("f32", "rad/s")]
    gyro_z: Annotated[float, Wire("f32", "rad/s")]
    acc_x: Annotated[float, Wire("f32", "m/s²")]
    acc_y: Annotated[float, Wire("f32", "m/s²")]
    acc_z: Annotated[float, Wire("f32", "m/s²")]


@dataclass(frozen=True)
class Log(Message, code=0x85, way=Way.UP):
    """Words for people; never acted upon."""

    level: Annotated[int, Wire("u8", "", "0 information, 1 warning, 2 error", high=2)]
    text: Annotated[str, Wire(TEXT)]


MESSAGES: tuple[type[Message], ...] = (
    Hello, Heartbeat, TagPose, RobotPose, Waypoint, Run, Velocity, Pulses, SetParameter,
    Ack, Yaw, Telemetry, Inertial, Log,
)  # fmt: skip
BY_CODE = {kind.code: kind for kind in MESSAGES}
