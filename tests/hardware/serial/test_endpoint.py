"""Frames: the checksum against its published value, stuffing, and reading from any stream."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from andante.errors import BadInput
from andante.hardware import FrameReader
from andante.hardware.serial.endpoint import MAX_PACKET, MAX_STUFFED, checksum, frame, stuff, unstuff

PACKETS = st.binary(min_size=1, max_size=MAX_PACKET)


def bitwise_crc(data):
    value = 0xFFFF
    for byte in data:
        value ^= byte << 8
        for _ in range(8):
            value = ((value << 1) ^ 0x1021 if value & 0x8000 else value << 1) & 0xFFFF
    return value


def test_checksum_has_the_published_value():
    assert checksum(b"123456789") == 0x29B1


@given(st.binary(max_size=64))
def test_checksum_is_that_of_the_plain_algorithm(data):
    assert checksum(data) == bitwise_crc(data)


@pytest.mark.parametrize(
    ("plain", "stuffed"),
    [(b"\0", b"\x01\x01"), (b"\0\0", b"\x01\x01\x01"), (b"\x11\x22\0\x33", b"\x03\x11\x22\x02\x33"), (b"a", b"\x02a")],
)
def test_stuffing_is_cobs(plain, stuffed):
    assert stuff(plain) == stuffed
    assert unstuff(stuffed) == plain


@given(st.binary(min_size=1, max_size=MAX_PACKET + 2))
def test_stuffed_bytes_hold_no_zero_and_come_back(data):
    stuffed = stuff(data)
    assert 0 not in stuffed
    assert len(stuffed) == len(data) + 1 <= MAX_STUFFED
    assert unstuff(stuffed) == data


@given(st.lists(PACKETS, max_size=8), st.integers(1, 50))
def test_packets_come_out_in_order_however_the_stream_is_cut(packets, size):
    stream = b"".join(map(frame, packets))
    reader, got = FrameReader(), []
    for at in range(0, len(stream), size):
        got += reader.feed(stream[at : at + size])
    assert got == packets
    assert reader.counters.troubles == 0
    assert reader.counters.bytes_in == len(stream)


@settings(max_examples=200)
@given(st.lists(st.binary(max_size=600), max_size=6))
def test_garbage_never_raises_and_never_grows(chunks):
    reader = FrameReader()
    for chunk in chunks:
        reader.feed(chunk)
        assert reader.held <= MAX_STUFFED
    assert reader.feed(b"\0" + frame(b"after all that")) == [b"after all that"]


@given(PACKETS, st.data())
def test_one_changed_lost_or_doubled_byte_never_gives_a_wrong_packet(packet, data):
    """A CRC of 16 bits finds every burst of errors up to 16 bits; a lost or doubled byte changes the length as well."""
    whole = bytearray(frame(packet))
    at = data.draw(st.integers(1, len(whole) - 2))
    how = data.draw(st.sampled_from(["flip", "drop", "double"]))
    if how == "flip":
        whole[at] ^= data.draw(st.integers(1, 255))
    elif how == "drop":
        del whole[at]
    else:
        whole.insert(at, whole[at])
    reader = FrameReader()
    got = reader.feed(bytes(whole) + frame(b"next"))
    assert got[-1] == b"next"
    for wrong in got[:-1]:  # a doubled or lost byte in a run of equal blocks may leave the packet as it was
        assert wrong == packet


def test_an_endless_run_is_counted_once_and_skipped():
    reader = FrameReader()
    for _ in range(100):
        assert reader.feed(b"\x55" * 1000) == []
    assert reader.held == 0
    assert reader.counters.oversized == 1
    assert reader.feed(b"\0" + frame(b"ok")) == [b"ok"]


def test_a_wrong_checksum_is_counted():
    reader = FrameReader()
    assert reader.feed(b"\0" + stuff(b"abc\x00\x00") + b"\0") == []
    assert reader.counters.garbled == 1


def test_half_a_frame_can_be_forgotten():
    reader = FrameReader()
    reader.feed(frame(b"abcdef")[:4])
    reader.forget()
    assert reader.feed(frame(b"ok")) == [b"ok"]
    assert reader.counters.garbled == 0


@pytest.mark.parametrize("size", [0, MAX_PACKET + 1])
def test_packets_of_a_wrong_size_are_refused(size):
    with pytest.raises(BadInput, match=f"1 to {MAX_PACKET} bytes, got {size}"):
        frame(b"x" * size)
