"""Mutated MJCF texts either read or are refused by one line; nothing else ever comes out."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from test_mjcf_reader import ARM, CLASSES
from test_mjcf_writer import rich

from andante.description.io.mjcf.reader import read_mjcf_robot, read_mjcf_world
from andante.description.io.mjcf.writer import write_mjcf
from andante.description.io.resolver import Resolver
from andante.description.io.xmltree import parse_xml
from andante.errors import AndanteError

SEEDS = {"arm": ARM, "classes": CLASSES, "rich": write_mjcf(rich(), Path("rich.xml"))}
VALUES = ["", "nan", "inf", "1e308", "-1", "0", "0 0 0", "1 2", "x", "true", "free", "ball", "slide", "world", "mesh"]
VALUES += [
    "trunk",
    "plane",
    "hfield",
    "1 0 0 0 0 0 0 0 0 0 0",
    "999999999999",
    "{}",
    "[1]",
    "../../etc/passwd",
    "\ufffd",
]
TAGS = ["body", "joint", "freejoint", "geom", "site", "frame", "default", "include", "inertial", "weld", "key", "text"]
STEPS = st.lists(
    st.tuples(st.sampled_from(["value", "tag", "drop", "twice", "name"]), st.integers(0, 400), st.integers(0, 400)),
    min_size=1,
    max_size=5,
)


def mutate(text: str, steps: list[tuple[str, int, int]]) -> str:
    for kind, where, what in steps:
        if kind == "value":
            spots = list(re.finditer(r'"[^"]*"', text))
            new = f'"{VALUES[what % len(VALUES)]}"'
        elif kind == "name":
            spots = list(re.finditer(r'(?<= )[a-z0-9]+(?==")', text))
            new = spots[what % len(spots)].group() if spots else ""
        elif kind == "tag":
            spots = list(re.finditer(r"(?<=<)[a-z]+", text))
            new = TAGS[what % len(TAGS)]
        else:
            spots = list(re.finditer(r"<[a-z]+[^<>]*/>", text))
            new = ""
        if not spots:
            continue
        spot = spots[where % len(spots)]
        new = spot.group() * 2 if kind == "twice" else new
        text = text[: spot.start()] + new + text[spot.end() :]
    return text


def survive(text: str) -> None:
    for reader in (read_mjcf_robot, read_mjcf_world):
        message = ""
        try:
            reader(parse_xml(text.encode("utf-8", "replace"), "fuzz.xml"), Path("fuzz.xml"), Resolver())
        except AndanteError as error:
            message = str(error)
        assert "\n" not in message


@pytest.mark.parametrize("seed", SEEDS)
@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(steps=STEPS)
def test_mutated_texts(seed: str, steps: list[tuple[str, int, int]]) -> None:
    survive(mutate(SEEDS[seed], steps))


@pytest.mark.parametrize("seed", SEEDS)
@settings(max_examples=40, deadline=None)
@given(at=st.floats(0, 1), junk=st.text(max_size=12), cut=st.integers(0, 60))
def test_torn_texts(seed: str, at: float, junk: str, cut: int) -> None:
    text = SEEDS[seed]
    where = int(at * len(text))
    survive(text[:where] + junk + text[where + cut :])
