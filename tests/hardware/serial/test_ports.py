"""The cable in memory: bytes, a full line, and being pulled."""

import threading

import pytest

from andante.hardware import Loopback
from andante.hardware.serial.ports import CHUNK, ROOM


def test_bytes_go_both_ways_in_order():
    cable = Loopback()
    one, other = cable.computer(), cable.microcontroller()
    assert one.write(b"down")
    assert one.write(b"wards")
    assert other.write(b"up")
    assert (other.read(), one.read(), one.read()) == (b"downwards", b"up", b"")


def test_a_full_line_drops_and_says_so():
    cable = Loopback()
    one, other = cable.computer(), cable.microcontroller()
    assert not one.write(b"x" * (ROOM + 10))
    assert cable.dropped == 10
    got = b""
    while data := other.read():
        assert len(data) <= CHUNK
        got += data
    assert got == b"x" * ROOM


def test_a_pulled_cable_fails_and_forgets():
    cable = Loopback()
    one, other = cable.computer(), cable.microcontroller()
    one.write(b"lost")
    cable.pull()
    with pytest.raises(OSError, match="the cable was pulled"):
        other.read()
    with pytest.raises(OSError, match="the cable was pulled"):
        one.write(b"x")
    with pytest.raises(OSError, match="not plugged in"):
        cable.computer()
    cable.plug()
    assert cable.microcontroller().read() == b""


def test_a_reader_that_waits_is_woken():
    cable = Loopback(wait=30.0)
    got = []
    reader = threading.Thread(target=lambda: got.append(cable.microcontroller().read()))
    reader.start()
    cable.computer().write(b"wake")
    reader.join(20.0)
    assert got == [b"wake"]
