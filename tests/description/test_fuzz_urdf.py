"""Mutated URDF and xacro files: a robot comes out, or one clear line; never anything else."""

from __future__ import annotations

import random
import re
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from urdf_samples import ARM, MACROS

from andante.description.io.open import read_robot
from andante.description.io.urdf.writer import write_urdf
from andante.errors import AndanteError

NUMBERS = [
    "nan",
    "inf",
    "-inf",
    "1e308",
    "-1e308",
    "-1",
    "0",
    "",
    " ",
    "1e-320",
    "1e9",
    "9" * 400,
    "0x10",
    "1,5",
    "é",
    "1 2",
]
NUMBERS.append("9" * 400)
EXPRESSIONS = [
    "${().__class__}",
    "${9**9**9}",
    "${'x' * 10**9}",
    "${[i for i in range(10**6)]}",
    "${load_yaml('/etc/passwd')}",
    "${lambda: 1}",
    "$(env HOME)",
    "$(find ../..)",
    "$(eval ().__class__)",
    "$(arg nothing)",
    "${",
    "$(",
    "$${x}",
    "${}",
    "$()",
    "${radius.real}",
    "${'{0.__class__}'.format(radius)}",
]
QUICK = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def attempt(data: bytes, suffix: str) -> None:
    """Read the bytes as a file; what can be read must also be writable or refused by name, and read again."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"robot{suffix}"
        file.write_bytes(data)
        try:
            robot = read_robot(file)
            out = Path(folder) / "again.urdf"
            out.write_text(write_urdf(robot, out), encoding="utf-8")
        except AndanteError as error:
            message = str(error)
            if "\n" in message or len(message) > 2000:
                raise AssertionError(f"not one short line: {message[:3000]!r}") from error
            return
        again = read_robot(out)
        if {link.name for link in robot.links} - {link.name for link in again.links}:
            raise AssertionError("links were lost on the way")


def swap_number(text: str, rng: random.Random) -> str:
    found = list(re.finditer(r"-?\d+(?:\.\d+)?(?:e-?\d+)?", text))
    chosen = rng.choice(found)
    return text[: chosen.start()] + rng.choice(NUMBERS) + text[chosen.end() :]


def swap_value(text: str, rng: random.Random) -> str:
    found = list(re.finditer(r'"[^"]*"', text))
    first, second = rng.choice(found), rng.choice(found)
    return text[: first.start()] + second.group() + text[first.end() :]


def insert_expression(text: str, rng: random.Random) -> str:
    chosen = rng.choice(list(re.finditer(r'"[^"]*"', text)))
    expression = rng.choice(EXPRESSIONS).replace("<", "&lt;")
    return text[: chosen.start()] + f'"{expression}"' + text[chosen.end() :]


def element(text: str, rng: random.Random) -> re.Match[str]:
    return rng.choice(list(re.finditer(r"<(\w[\w:]*)\b[^<>]*(?:/>|>[^<>]*</\1>)", text)))


def delete_element(text: str, rng: random.Random) -> str:
    chosen = element(text, rng)
    return text[: chosen.start()] + text[chosen.end() :]


def duplicate_element(text: str, rng: random.Random) -> str:
    chosen = element(text, rng)
    return text[: chosen.end()] + chosen.group() * rng.randint(1, 3) + text[chosen.end() :]


def move_element(text: str, rng: random.Random) -> str:
    first, second = element(text, rng), element(text, rng)
    return text[: second.end()] + first.group() + text[second.end() :]


def delete_slice(text: str, rng: random.Random) -> str:
    start = rng.randrange(len(text))
    return text[:start] + text[start + rng.randint(1, 60) :]


def rename(text: str, rng: random.Random) -> str:
    first, second = (rng.choice(re.findall(r"<(\w[\w:]*)", text)) for _ in range(2))
    return re.sub(rf"(</?){first}\b", rf"\g<1>{second}", text)


MUTATIONS: list[Callable[[str, random.Random], str]] = [
    swap_number,
    swap_value,
    insert_expression,
    delete_element,
    duplicate_element,
    move_element,
    delete_slice,
    rename,
]


@pytest.mark.parametrize(("text", "suffix"), [(ARM, ".urdf"), (MACROS, ".urdf.xacro")])
@given(seed=st.integers(0, 2**32), count=st.integers(1, 4))
@QUICK
def test_mutated_text(text: str, suffix: str, seed: int, count: int) -> None:
    rng = random.Random(seed)
    for _ in range(count):
        text = rng.choice(MUTATIONS)(text, rng)
    attempt(text.encode(), suffix)


@pytest.mark.parametrize(("text", "suffix"), [(ARM, ".urdf"), (MACROS, ".urdf.xacro")])
@given(flips=st.lists(st.tuples(st.floats(0, 1, exclude_max=True), st.integers(0, 255)), min_size=1, max_size=5))
@QUICK
def test_flipped_bytes(text: str, suffix: str, flips: list[tuple[float, int]]) -> None:
    data = bytearray(text.encode())
    for place, value in flips:
        data[int(place * len(data))] = value
    attempt(bytes(data), suffix)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-32", "latin-1", "cp037", "utf-7"])
@pytest.mark.parametrize("suffix", [".urdf", ".urdf.xacro"])
def test_wrong_encodings(encoding: str, suffix: str) -> None:
    attempt(MACROS.replace("walker", "wälker").encode(encoding), suffix)


@given(st.binary(max_size=400))
@QUICK
def test_noise(data: bytes) -> None:
    attempt(data, ".urdf")
    attempt(data, ".urdf.xacro")


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_expressions_that_reach_out_are_refused(expression: str, tmp_path: Path) -> None:
    file = tmp_path / "r.urdf.xacro"
    file.write_text(MACROS.replace("${0.1 * 2}", expression))
    with pytest.raises(AndanteError, match=re.escape(str(file))):
        read_robot(file)
