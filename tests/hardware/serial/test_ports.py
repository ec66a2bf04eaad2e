"""The cable in memory: bytes, a full line, and being pulled. A serial port whose line is full."""

import itertools
import threading

import pytest

from andante.hardware import Loopback
from andante.hardware.serial import ports
from andante.hardware.serial.ports import CHUNK, ROOM, SerialPort

from .lines import PtyCable, needs_pty


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


@needs_pty
def test_a_process_that_waits_for_its_turn_is_no_stuck_line(tmp_path, monkeypatch):
    cable, late = PtyCable(tmp_path), itertools.count(0.0, 10.0)  # ten seconds pass between any two looks at the clock
    port = SerialPort(cable.path)
    monkeypatch.setattr(ports.time, "monotonic", lambda: next(late))
    assert port.write(b"all of it")
    monkeypatch.undo()
    assert cable.read(9) == b"all of it"
    assert not port.write(bytes(1 << 20))  # more than a pseudo terminal holds, and nobody reads
    port.close()
    cable.close()
