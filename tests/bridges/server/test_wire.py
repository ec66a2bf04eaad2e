"""Packets: round trips through any cuts of the stream, and nonsense refused."""

import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from andante.bridges.server.link import LARGEST, Unpacker, pack
from andante.errors import BadInput

HEADS = st.dictionaries(st.text(max_size=8), st.one_of(st.integers(), st.text(max_size=20), st.none()), max_size=4)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(HEADS, st.binary(max_size=50)), max_size=6), st.integers(1, 30))
def test_packets_survive_any_cuts(packets, step):
    stream = b"".join(pack(head, body) for head, body in packets)
    unpacker, got = Unpacker(), []
    for at in range(0, len(stream), step):
        unpacker.feed(stream[at : at + step])
        got += unpacker.packets()
    assert got == packets


def test_the_rest_waits_when_only_some_are_asked_for():
    unpacker = Unpacker()
    unpacker.feed(b"".join(pack({"n": n}) for n in range(5)))
    assert [head["n"] for head, _ in unpacker.packets(2)] == [0, 1]
    assert [head["n"] for head, _ in unpacker.packets()] == [2, 3, 4]


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (struct.pack("<II", LARGEST + 1, 2), "not one of ours"),
        (struct.pack("<II", 2, 3) + b"{}", "not one of ours"),
        (struct.pack("<II", 2, 2) + b"[]", "not a JSON object"),
        (struct.pack("<II", 2, 2) + b"\xff\xff", "not a JSON object"),
    ],
)
def test_nonsense_is_refused(data, told):
    unpacker = Unpacker()
    unpacker.feed(data)
    with pytest.raises(BadInput, match=told):
        list(unpacker.packets())
