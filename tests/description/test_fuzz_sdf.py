"""Mutated SDF files: the reader succeeds or raises an AndanteError, nothing else, and what it reads can be written."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sdf_samples import FULL, LINKS, joint
from test_sdf_writer import some_robot

from andante.description.io.resolver import Resolver
from andante.description.io.sdf.reader import read_sdf_robot, read_sdf_world
from andante.description.io.sdf.writer import write_sdf
from andante.description.io.xmltree import Node, parse_xml
from andante.description.robot import Robot
from andante.description.world import World
from andante.errors import AndanteError

PATH = Path("fuzz.sdf")
GEAR = "<gearbox_reference_body>a</gearbox_reference_body><gearbox_ratio>2</gearbox_ratio><axis/><axis2/>"
SMALL = (
    f'<sdf version="1.6"><model name="m"><pose frame="x">1 2 3 0 0 0</pose>{LINKS}<link name="c"/>'
    + joint()
    + joint("universal", name="u", ends="a c")
    + joint("gearbox", GEAR, "g", "b c")
    + joint("fixed", "", "w", "world a")
    + "<include><uri>model://ground_plane</uri><name>n</name></include></model></sdf>"
)
TEXTS = [FULL, write_sdf(some_robot(), PATH), SMALL]
WORDS = st.sampled_from(
    [
        *("", "0", "-1", "nan", "inf", "1e308", "-1e16", "1 2", "0 0 0", "0 0 0 0 0 0", "true", "world", "__model__"),
        *(
            "a",
            "b",
            "body",
            "arm::hand",
            "::",
            "a::",
            "::a",
            "cart",
            "j",
            "../x",
            "model://sun",
            "file:///",
            "é\u202e",
            "1_0",
        ),
        *("fixed", "revolute", "ball", "universal", "gearbox", "screw", "camera", "1.4", "1.12", "9" * 400),
    ]
)
TOKEN = re.compile(r'>[^<>]*<|"[^"]*"')
TAG = re.compile(r"</?([A-Za-z_:0-9]+)")


@st.composite
def mutated(draw: st.DrawFn) -> bytes:
    """A text with a few values, names, tags or bytes changed, elements removed or repeated."""
    text = draw(st.sampled_from(TEXTS))
    for _ in range(draw(st.integers(1, 6))):
        how = draw(st.sampled_from(("value", "value", "value", "tag", "drop", "repeat", "cut")))
        if how == "value":
            spots = list(TOKEN.finditer(text))
            spot = spots[draw(st.integers(0, len(spots) - 1))] if spots else None
            if spot is not None:
                text = text[: spot.start() + 1] + draw(WORDS) + text[spot.end() - 1 :]
        elif how == "tag":
            tags = sorted(set(TAG.findall(text)))
            if len(tags) > 1:
                old, new = draw(st.sampled_from(tags)), draw(st.sampled_from(tags))
                text = re.sub(rf"(</?){re.escape(old)}(?=[\s/>])", rf"\g<1>{new}", text)
        elif how in ("drop", "repeat"):
            leaves = list(re.finditer(r"<([A-Za-z_:]+)(?:\s[^<>]*)?>[^<>]*</\1>|<[A-Za-z_:]+[^<>]*/>", text))
            if leaves:
                leaf = leaves[draw(st.integers(0, len(leaves) - 1))]
                text = text[: leaf.start()] + (leaf.group() * 2 if how == "repeat" else "") + text[leaf.end() :]
        else:
            place = draw(st.integers(0, len(text)))
            text = text[:place] + draw(st.sampled_from(("", "<", "&", "\x00", "</link>"))) + text[place + 1 :]
    return text.encode("utf-8", "replace")


def read_and_write(read: Callable[[Node, Path, Resolver], Robot | World], data: bytes) -> str:
    """Text that is written for what was read, or the reason of a refusal after a mark."""
    try:
        return write_sdf(read(parse_xml(data, str(PATH)), PATH, Resolver()), PATH)
    except AndanteError as error:
        return f"refused: {error}"


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(mutated())
def test_mutated_files_are_read_or_refused_in_one_line(data: bytes) -> None:
    for read in (read_sdf_robot, read_sdf_world):
        text = read_and_write(read, data)
        if text.startswith("refused"):
            assert "\n" not in text
        else:
            read(parse_xml(text.encode(), str(PATH)), PATH, Resolver())


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=300))
def test_bytes_are_refused_in_one_line(data: bytes) -> None:
    for prefix in (b"", b"<sdf version='1.9'><model name='m'>"):
        assert "\n" not in read_and_write(read_sdf_robot, prefix + data)
