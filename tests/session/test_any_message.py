"""No message ends a session: each topic, service and action that it hears, with extreme numbers, texts and lists.

A message that makes no sense is refused in words or does nothing; it neither ends the session, nor stops it for long,
nor reaches code that fails on it.
"""

import math
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from andante.bags import messages
from andante.errors import AndanteError
from andante.session import LiveSession

FLOATS = (math.nan, math.inf, -math.inf, 1e308, -1e308, 1e38, 1e8, -1e8, 1e-308, 0.0, -1.0, 0.3, 2.0, 9.9e3)
WORDS = (
    "", "/", "x" * 5000, "../../etc/passwd", "\0", "☃", "a b", "$(x)", "{}", "[]", '{"a": NaN}', "nan", "1e308", "-1",
    "true", "nao", "waffle", "lab", "mujoco", "bullet", "/scan", "base_link", "map", "odom", "position", "walk",
    "HeadYaw", "LKneePitch", "wave_hand", "StandInit", "wheel_left_joint",
)  # fmt: skip
LENGTHS = (0, 1, 2, 3, 36, 500)
SETTLED = 0.3  # before the first message [s]
INTEGERS = {"byte": (-128, 127), "char": (0, 255), "octet": (0, 255)}


def made(name: str, dice: random.Random, depth: int = 0) -> dict[str, Any]:
    """The fields of a message of a type; every fifth is left out."""
    fields = messages.store().fielddefs[name][1]
    return {
        field: _value(described, dice, depth)
        for field, described in fields
        if field != "structure_needs_at_least_one_member" and dice.random() < 0.8
    }


def _value(described: Any, dice: random.Random, depth: int) -> Any:
    kind, what = described
    if kind == 1:
        return _scalar(what[0], dice)
    if kind == 2:
        return made(what, dice, depth + 1)
    inner, count = what
    length = count if kind == 3 else dice.choice(LENGTHS[:4] if depth > 1 or inner[0] != 1 else LENGTHS)
    if kind == 4 and count:
        length = min(length, count)
    return [_value(inner, dice, depth + 1) for _ in range(length)]


def _scalar(name: str, dice: random.Random) -> Any:
    if name.endswith("string"):
        return dice.choice(WORDS)
    if name == "bool":
        return dice.random() < 0.5
    if name.startswith("float"):
        value = dice.choice(FLOATS)
        return value if name == "float64" or not math.isfinite(value) or abs(value) < 3e38 else 3e38
    if name not in INTEGERS:
        bits = int(name.lstrip("uint"))
        low, high = (0, 2**bits - 1) if name[0] == "u" else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
    else:
        low, high = INTEGERS[name]
    return dice.choice((low, high, 0, 1, min(high, 100)))


def heard(session: LiveSession) -> list[tuple[str, str, str]]:
    """Whatever takes messages: its kind, its name, and the type of what it takes."""
    bus = session.bus
    topics = [(name, kind) for name, kind in bus.topics().items() if bus._topics[name].subscriptions]
    return [
        *(("topic", name, kind) for name, kind in topics if kind),
        *(("service", name, messages.service(kind).request) for name, kind in bus.services().items()),
        *(("action", name, messages.action(kind).goal) for name, kind in bus.actions().items()),
    ]


def give(session: LiveSession, kind: str, name: str, type_name: str, fields: dict[str, Any]) -> str:
    """Give a message to a session; what it says of it."""
    try:
        if kind == "topic":
            publisher = session.bus.advertise(name, type_name)
            publisher.publish(messages.from_dict(type_name, fields))
            publisher.close()
        elif kind == "service":
            session.bus.call(name, fields)
        else:
            session.bus.send_goal(name, fields)
    except AndanteError as error:
        return str(error)
    return ""


@pytest.fixture
def lively(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[LiveSession]:
    """A session that somebody is connected to."""
    robot, world = request.param
    with LiveSession(robot, world, folder=tmp_path) as session:
        session.inbound.append(lambda: None)
        session.run(SETTLED)
        yield session


def try_all(session: LiveSession, dice: random.Random, rounds: int) -> int:
    """Give every name so many messages, in any order; how many were given."""
    lines: list[str] = []
    session.bus.subscribe("/rosout", None, lambda message: lines.append(message.msg), queue=1000)
    given = 0
    for _ in range(rounds):
        names = heard(session)
        dice.shuffle(names)
        for kind, name, type_name in names:
            fields = made(type_name, dice)
            said = give(session, kind, name, type_name, fields)
            for _ in range(dice.choice((1, 3, 10))):
                session.step()
            wrong = [line for line in (said, *lines) if "failed: " in line and "Error" in line]
            assert not wrong, (kind, name, fields, wrong)
            assert not session.stopped, (kind, name, fields)
            assert np.isfinite(session.stage.sim.base_pose).all(), (kind, name, fields)
            session.paused = False
            lines.clear()
            given += 1
    return given


@pytest.mark.parametrize("lively", [("waffle", "lab"), ("nao", "lab")], indirect=True, ids=" in ".join)
def test_no_message_ends_a_session(lively: LiveSession) -> None:
    before = lively.time
    assert try_all(lively, random.Random(1), 1) > 60
    assert lively.time > before


@pytest.mark.drill
@pytest.mark.parametrize("seed", [2, 3])
@pytest.mark.parametrize(
    "lively",
    [("waffle", "lab"), ("nao", "lab"), ("shell", "rough"), ("rover", "corridor"), ("nao", "pitch")],
    indirect=True,
    ids=" in ".join,
)
def test_no_message_of_many_ends_a_session(lively: LiveSession, seed: int) -> None:
    assert try_all(lively, random.Random(seed), 12) > 700
