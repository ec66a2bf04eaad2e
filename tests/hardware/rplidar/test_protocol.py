"""The bytes of an RPLIDAR: published examples, every kind of packet, rubbish."""

import numpy as np
import pytest

from andante.hardware.rplidar.protocol import (
    HEALTH,
    INFO,
    ROOM,
    SCAN,
    STOP,
    Decoder,
    Health,
    Info,
    Reading,
    express_request,
    motor_request,
    request,
)

from .lidar_stand_in import capsule, dense, descriptor, sample


def test_requests_are_those_of_the_document():
    assert request(STOP) == b"\xa5\x25"
    assert request(SCAN) == b"\xa5\x20"
    assert express_request() == bytes.fromhex("a5 82 05 00 00 00 00 00 22")
    assert motor_request(660) == bytes.fromhex("a5 f0 02 94 02 c1")
    assert (INFO, HEALTH) == (0x50, 0x52)


def test_answers_tell_what_it_is_and_how_it_feels():
    info = bytes.fromhex("a5 5a 14 00 00 00 04") + bytes([0x18, 25, 1, 5]) + bytes(range(16))
    health = bytes.fromhex("a5 5a 03 00 00 00 06 02 34 12")
    told = Decoder().feed(b"\x00noise" + info + health)
    assert told == [Info(0x18, (1, 25), 5, bytes(range(16)).hex()), Health(2, 0x1234)]
    assert told[0].name == "RPLIDAR A1, firmware 1.25"


def test_plain_readings_come_whole_in_any_pieces():
    stream = bytes.fromhex("a5 5a 05 00 00 40 81")
    stream += b"".join(sample(k, 1.0 + 0.01 * k, k == 0) for k in range(0, 360, 5))
    for size in (1, 2, 7, 1000):
        decoder, told = Decoder(), []
        for i in range(0, len(stream), size):
            told += decoder.feed(stream[i : i + size])
        assert [reading.angle for reading in told] == list(range(0, 360, 5))
        assert [reading.first for reading in told] == [True] + [False] * 71
        assert np.allclose([reading.distance for reading in told], 1.0 + 0.01 * np.arange(0, 360, 5), atol=2e-4)
        assert decoder.rubbish == 0


def test_express_readings_lie_between_the_starts_of_two_packets():
    distances = np.linspace(0.5, 4.0, 32).round(3)
    decoder = Decoder()
    first = decoder.feed(descriptor(84, 0x82, True) + capsule(350.0, distances, 1.5, first=True))
    assert first == []  # its end is known with the next packet only
    told = decoder.feed(capsule(14.0, distances))
    expected = (350.0 + 24.0 * np.arange(32) / 32 - 1.5) % 360
    assert np.allclose([reading.angle for reading in told], expected, atol=0.02)
    assert np.allclose([reading.distance for reading in told], distances, atol=1e-9)


def test_dense_readings():
    distances = np.linspace(0.2, 9.0, 40).round(3)
    told = Decoder().feed(descriptor(84, 0x85, True) + dense(10.0, distances, True) + dense(20.0, distances))
    assert np.allclose([reading.angle for reading in told], 10.0 + 0.25 * np.arange(40), atol=0.02)
    assert np.allclose([reading.distance for reading in told], distances)


@pytest.mark.parametrize("seed", range(3))
def test_rubbish_between_packets_is_skipped_and_counted(seed):
    rng = np.random.default_rng(seed)
    decoder = Decoder()
    decoder.feed(descriptor(84, 0x82, True) + capsule(0.0, [2.0] * 32) + capsule(9.0, [2.0] * 32))
    told = []
    for k in range(2, 40):
        told += decoder.feed(rng.bytes(int(rng.integers(0, 200))))
        told += decoder.feed(capsule(9.0 * k, [2.0] * 32))
    whole = [reading for reading in told if isinstance(reading, Reading)]
    assert len(whole) >= 32 * 30
    assert decoder.rubbish > 1000
    assert all(reading.distance == 2.0 for reading in whole)


def test_readings_are_not_spread_over_a_packet_that_was_lost():
    decoder = Decoder()
    decoder.feed(descriptor(84, 0x82, True))
    told = [decoder.feed(capsule(angle, [2.0] * 32)) for angle in (0.0, 9.0, 18.0)]
    assert [len(each) for each in told] == [0, 32, 32]
    assert decoder.feed(b"???" + capsule(36.0, [2.0] * 32)) == []
    assert len(decoder.feed(capsule(45.0, [2.0] * 32))) == 32


def test_a_flood_of_rubbish_is_forgotten():
    decoder = Decoder()
    assert decoder.feed(bytes(10 * ROOM)) == []
    assert decoder.rubbish >= 9 * ROOM
    decoder.feed(descriptor(84, 0x82, True))
    assert decoder.feed(b"\xa0\x50" * ROOM) == []


def test_a_packet_with_one_flipped_bit_is_left_out():
    packet = bytearray(capsule(30.0, [2.0] * 32))
    packet[40] ^= 0x10
    decoder = Decoder()
    decoder.feed(descriptor(84, 0x82, True) + capsule(0.0, [2.0] * 32, first=True))
    assert decoder.feed(bytes(packet)) == []
    assert decoder.rubbish > 0
