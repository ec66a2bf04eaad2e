"""Driving by keys: what each asks for, what stays, and which are known."""

from __future__ import annotations

import math

import pytest

from andante.errors import UnknownName
from andante.locomotion import Command
from andante.locomotion.keys import BODY_KEYS, KEYS, KeyPad, command_from_keys, key_name


@pytest.mark.parametrize(
    ("key", "field", "sign"),
    [
        ("W", "vx", 1),
        ("S", "vx", -1),
        ("A", "vy", 1),
        ("D", "vy", -1),
        ("Q", "wz", 1),
        ("E", "wz", -1),
        ("U", "height", 1),
        ("L", "height", -1),
        ("ArrowRight", "roll", 1),
        ("ArrowLeft", "roll", -1),
        ("ArrowUp", "pitch", 1),
        ("ArrowDown", "pitch", -1),
    ],
)
def test_each_key_asks_for_one_thing(key: str, field: str, sign: int) -> None:
    command = command_from_keys([key])
    asked = {name: getattr(command, name) for name in command.__dataclass_fields__}
    assert math.copysign(1, asked.pop(field)) == sign
    assert not any(asked.values())


def test_opposite_keys_cancel_and_idle_beats_all() -> None:
    assert command_from_keys(["w", "s", "q"]) == command_from_keys(["q"])
    assert command_from_keys(["w", "i", "u"]) == Command()
    assert command_from_keys([]) == Command()
    assert set(BODY_KEYS) < set(KEYS)


def test_unknown_keys_are_told_with_the_valid_ones() -> None:
    with pytest.raises(UnknownName, match=r"no key 'F13'.*right, hexapod"):
        key_name("F13", ("hexapod",))
    assert key_name(" Hexapod", ("hexapod",)) == "hexapod"


def test_height_and_tilt_stay_and_velocities_end_with_the_key() -> None:
    pad = KeyPad()
    pad.press("u", True)
    pad.press("w", True)
    for _ in range(50):
        command = pad.command(0.01)
    assert command.vx > 0
    assert command.height == pytest.approx(0.015)
    pad.press("w", False)
    pad.press("u", False)
    command = pad.command(0.01)
    assert command.vx == 0
    assert command.height == pytest.approx(0.015)
    pad.press("u", True)
    for _ in range(1000):
        command = pad.command(0.01)
    assert command.height == pad.speeds.most_lift
    pad.press("i", True)
    assert pad.command(0.01) == Command()
    pad.press("up", True)
    pad.release_all()
    assert not pad.held
