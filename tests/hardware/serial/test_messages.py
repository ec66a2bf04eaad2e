"""Messages: every one comes back from the wire as it was, whatever its values; wrong ones are refused."""

import struct
from dataclasses import dataclass
from typing import Annotated

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from andante.errors import BadInput
from andante.hardware.serial.endpoint import HEADER, MAX_PACKET
from andante.hardware.serial.messages import (
    BY_CODE,
    MAX_TEXT,
    MESSAGES,
    TEXT,
    Hello,
    Log,
    Message,
    RobotPose,
    Run,
    TagPose,
    Telemetry,
    Way,
    Waypoint,
    Wire,
    layout,
    pack,
    printable,
    shorten,
    unpack,
)


def values(wire):
    if wire.kind == TEXT:
        return st.text(max_size=30)
    low, high = wire.bounds
    if wire.kind == "f32":
        single = [struct.unpack("<f", struct.pack("<f", bound))[0] for bound in (low, high)]
        return st.floats(min(single), max(single), width=32, allow_nan=False).filter(lambda v: low <= v <= high)
    return st.integers(int(low), int(high))


def messages(kind):
    return st.builds(kind, **{name: values(wire) for name, wire in layout(kind).fields})


@pytest.mark.parametrize("kind", MESSAGES, ids=lambda kind: kind.__name__)
@settings(max_examples=60)
@given(data=st.data())
def test_every_message_round_trips(kind, data):
    message = data.draw(messages(kind))
    payload = pack(message)
    assert HEADER.size + len(payload) <= MAX_PACKET
    back = unpack(kind, payload)
    text = layout(kind).text
    if text:
        assert getattr(back, text) == shorten(getattr(message, text)).decode()
        payload = pack(back)
        assert unpack(kind, payload) == back
    else:
        assert back == message


@settings(max_examples=300)
@given(st.sampled_from(MESSAGES), st.binary(max_size=MAX_PACKET))
def test_any_payload_is_a_message_or_nothing(kind, payload):
    message = unpack(kind, payload)
    if message is not None:
        assert pack(message) == payload or layout(kind).text


def test_codes_are_unique_and_names_too():
    assert len(BY_CODE) == len(MESSAGES) == len({kind.__name__ for kind in MESSAGES})


def test_layout_is_little_endian_and_packed():
    assert pack(RobotPose(1.0, -2.0, 0.5)) == struct.pack("<fff", 1.0, -2.0, 0.5)
    assert pack(Waypoint(0x1234, 1.0, 2.0, 0.25)) == b"\x34\x12" + struct.pack("<fff", 1.0, 2.0, 0.25)
    assert layout(Telemetry).packer.size == 4 + 2 + 2 + 2 + 4 + 4 + 1 + 1 + 2


@pytest.mark.parametrize(
    ("message", "words"),
    [
        (RobotPose(float("nan"), 0.0, 0.0), "RobotPose: x must be f32"),
        (RobotPose(0.0, 0.0, float("inf")), "RobotPose: yaw must be f32 from -10 to 10"),
        (TagPose(2, 0.0, 0.0, 0.0), "TagPose: tag must be u8 from 0 to 1, got 2"),
        (Run(1.5), "Run: on must be u8"),
        (Run(True), "Run: on must be u8"),
        (Waypoint(0, 0.0, 0.0), "Waypoint: number must be u16 from 1 to 65535, got 0"),
        (RobotPose("1", 0.0, 0.0), "got '1'"),
    ],
)
def test_values_that_the_wire_cannot_carry_are_refused(message, words):
    with pytest.raises(BadInput, match=words):
        pack(message)


@pytest.mark.parametrize(
    ("kind", "payload"),
    [
        (RobotPose, b""),
        (RobotPose, struct.pack("<ff", 0, 0)),
        (RobotPose, struct.pack("<ffff", 0, 0, 0, 0)),
        (RobotPose, struct.pack("<fff", float("nan"), 0, 0)),
        (RobotPose, struct.pack("<fff", 1e9, 0, 0)),
        (Run, b"\x02"),
        (Log, b"\x00" + b"x" * (MAX_TEXT + 1)),
    ],
)
def test_payloads_out_of_range_are_nothing(kind, payload):
    assert unpack(kind, payload) is None


def test_texts_are_cut_at_whole_letters_and_steer_no_terminal():
    assert len(shorten("ä" * 100)) == MAX_TEXT
    assert len(shorten("x" + "ä" * 100)) == MAX_TEXT - 1
    assert unpack(Log, b"\x01\x1b[2Jhi\xff\n").text == "?[2Jhi\ufffd?"
    assert printable("a\tb\x7f") == "a?b?"
    assert unpack(Hello, pack(Hello(0, 1, 0, "x\0y"))).name == "x?y"


def test_a_text_must_come_last():
    @dataclass(frozen=True)
    class Bad(Message, code=0x7F, way=Way.UP):
        text: Annotated[str, Wire(TEXT)]
        number: Annotated[int, Wire("u8")]

    with pytest.raises(BadInput, match="must be the last field"):
        layout(Bad)


def test_unknown_wire_types_are_refused():
    with pytest.raises(BadInput, match="no wire type 'u7'; choices: u8, u16"):
        Wire("u7")
