"""Two ends of a line in lock-step: handshake, versions, sequence numbers, resending and the watchdogs."""

import numpy as np
import pytest

from andante.errors import BadInput
from andante.hardware import WATCHDOG, Endpoint, Firmware, HostLink
from andante.hardware.serial.car import NUMBERS
from andante.hardware.serial.endpoint import HEADER, frame
from andante.hardware.serial.host import ATTEMPTS, LOGS_KEPT
from andante.hardware.serial.messages import (
    Ack,
    Fault,
    Heartbeat,
    Log,
    RobotPose,
    Role,
    Run,
    SetParameter,
    State,
    Telemetry,
    Velocity,
    Waypoint,
    pack,
)

from .lines import Desk, NoisyPort


@pytest.fixture
def notes():
    return []


@pytest.fixture
def desk(notes):
    return Desk(HostLink(7, notes.append), Firmware())


def shaken(desk):
    desk.tick(5)
    assert desk.link.connected
    assert desk.firmware.endpoint.connected
    return desk


def test_handshake_connects_both_sides_within_two_rounds(desk, notes):
    desk.tick(2)
    assert desk.firmware.endpoint.connected
    desk.tick(1)
    assert desk.link.connected
    assert notes == ["connected to car"]
    assert desk.firmware.endpoint.peer == "andante"
    desk.tick(100)
    assert desk.link.counters.troubles == desk.firmware.endpoint.counters.troubles == 0
    assert desk.link.endpoint.connections == desk.firmware.endpoint.connections == 1


def test_another_version_is_refused_by_both_sides_in_words(notes):
    desk = Desk(HostLink(7, notes.append), Firmware(version=9))
    desk.tick(200)
    assert not desk.link.connected
    assert not desk.firmware.endpoint.connected
    assert notes == [
        "the microcontroller speaks protocol version 9, this program version 1; "
        "install a firmware and a program of the same version"
    ]
    assert "the computer speaks protocol version 1, this firmware version 9" in desk.firmware.endpoint.refused
    assert desk.firmware.fault is Fault.VERSION
    assert desk.output.throttle == 1500
    assert desk.link.counters.foreign > 5
    assert len(desk.up) < 200  # they do not answer each other's refusals in a storm


def test_after_a_new_firmware_is_flashed_the_refusal_ends(notes):
    desk = Desk(HostLink(7, notes.append), Firmware(version=9))
    desk.tick(20)
    desk.firmware = Firmware(session=2)
    desk.tick(20)
    assert desk.link.connected
    assert desk.link.endpoint.refused == ""
    assert notes[-1] == "connected to car"


def test_an_echoing_line_is_no_microcontroller(notes):
    link, data = HostLink(7, notes.append), b""
    for k in range(50):
        data = link.exchange(data, 0.02 * k)
    assert not link.connected
    assert link.counters.unknown > 3


def test_frames_that_come_again_are_obeyed_once(desk):
    shaken(desk)
    desk.down_line = lambda data: data + data
    desk.link.post(RobotPose(1.0, 2.0, 0.0))
    desk.tick(10)
    counters = desk.firmware.endpoint.counters
    assert counters.repeated > 0
    assert counters.missing == 0


def test_missing_frames_are_counted_by_their_numbers(desk):
    shaken(desk)
    before = desk.firmware.endpoint.counters.frames_in
    for k in range(10):
        desk.down_line = (lambda data: b"") if k % 2 else (lambda data: data)
        desk.link.post(RobotPose(float(k), 0.0, 0.0))
        desk.tick()
    counters = desk.firmware.endpoint.counters
    assert counters.frames_in - before == 5
    assert counters.missing == 4


def test_a_wild_sequence_number_does_not_deafen():
    one, other = Endpoint(Role.COMPUTER, 1), Endpoint(Role.MICROCONTROLLER, 2)
    for k in range(3):
        one.receive(other.due(0.1 * k), 0.1 * k)
        other.receive(one.due(0.1 * k), 0.1 * k)
    wild = frame(HEADER.pack(1, RobotPose.code, 40_000) + pack(RobotPose(0.0, 0.0, 0.0)))
    assert len(other.receive(wild, 1.0)) == 1
    data, _ = one.send(RobotPose(1.0, 0.0, 0.0), 1.0)
    assert [each.message for each in other.receive(data, 1.0)] == [RobotPose(1.0, 0.0, 0.0)]


def test_sequence_numbers_wrap():
    one, other = Endpoint(Role.COMPUTER, 1), Endpoint(Role.MICROCONTROLLER, 2)
    for k in range(3):
        one.receive(other.due(0.1 * k), 0.1 * k)
        other.receive(one.due(0.1 * k), 0.1 * k)
    one._sequence = 65_000  # as after many frames
    for _ in range(1_000):
        data, _ = one.send(Heartbeat(0), 1.0)
        other.receive(data, 1.0)
    assert other.counters.troubles == 0


def test_unknown_short_and_wrong_frames_are_counted(desk):
    shaken(desk)
    bad = frame(HEADER.pack(1, 0x7E, 900)) + frame(b"ab") + frame(HEADER.pack(1, Run.code, 901) + b"\x07")
    wrong_way = frame(HEADER.pack(1, Log.code, 902) + b"\0hi")
    desk.down_line = lambda data: data + bad + wrong_way
    desk.tick()
    counters = desk.firmware.endpoint.counters
    assert (counters.unknown, counters.malformed) == (2, 2)
    assert desk.firmware.endpoint.connected


def test_acknowledged_messages_are_sent_until_they_arrive(desk):
    shaken(desk)
    desk.tick(10)
    assert desk.link.unanswered == 0
    desk.link.post(SetParameter(NUMBERS["throttle_gain"], 0.75))
    drops = iter([True, True, True])
    desk.down_line = lambda data: b"" if data and next(drops, False) else data
    desk.tick(40)
    assert desk.firmware.parameters["throttle_gain"] == 0.75
    assert desk.link.unanswered == 0


def test_what_is_never_acknowledged_is_given_up_in_words(desk, notes):
    shaken(desk)
    desk.tick(10)
    desk.firmware._obey = lambda got, now: None  # a firmware that never answers
    desk.link.post(Run(1))
    desk.tick(8 * ATTEMPTS)
    assert notes[-1] == f"Run was sent {ATTEMPTS} times and never acknowledged"
    assert desk.link.unanswered == 0


@pytest.mark.parametrize(
    ("number", "value", "words"), [(250, 1.0, "no such parameter"), (NUMBERS["top_speed"], -3.0, "refused")]
)
def test_refused_parameters_are_told(desk, notes, number, value, words):
    shaken(desk)
    desk.link.post(SetParameter(number, value))
    desk.tick(5)
    assert words in notes[-1]
    assert desk.firmware.parameters["top_speed"] == 2.0


def test_parameters_are_told_again_to_a_microcontroller_that_started_anew(desk, notes):
    desk.link.post(SetParameter(NUMBERS["throttle_gain"], 0.75))  # before anybody is connected
    shaken(desk)
    assert desk.firmware.parameters["throttle_gain"] == 0.75
    desk.firmware = Firmware(session=99)  # power cycle
    desk.tick(40)
    assert desk.firmware.parameters["throttle_gain"] == 0.75
    assert notes.count("connected to car") == 2


def test_nothing_is_queued_while_nobody_is_connected(desk):
    for k in range(1000):
        assert not desk.link.post(RobotPose(float(k), 0.0, 0.0))
    assert desk.link.counters.dropped == 1000
    assert desk.link.unanswered == 0


def test_a_newer_pose_replaces_one_that_has_not_gone_out(desk):
    shaken(desk)
    for k in range(500):
        desk.link.post(RobotPose(float(k), 0.0, 0.0))
    before = desk.link.counters.frames_out
    desk.tick()
    assert desk.link.counters.frames_out - before <= 2
    assert desk.firmware._pose[1].x == 499.0


def test_bad_values_are_refused_before_they_are_kept(desk):
    shaken(desk)
    with pytest.raises(BadInput, match="RobotPose: x"):
        desk.link.post(RobotPose(float("nan"), 0.0, 0.0))
    desk.tick(5)


def test_the_computer_notices_silence_once_and_forgets_what_moves(desk, notes):
    shaken(desk)
    desk.up_line = lambda data: b""
    desk.tick(int(1.0 / desk.dt))
    assert not desk.link.connected
    assert [note for note in notes if "no message from the microcontroller for 0.3 s" in note] == notes[-1:]
    assert desk.link.latest(Telemetry) is None


def test_a_firmware_that_is_not_heard_is_stopped_by_the_computers_new_session(desk):
    """Only the way up is cut: the firmware hears the computer, but must not go on driving blindly."""
    shaken(desk)
    driving(desk)
    desk.up_line = lambda data: b""
    for _ in range(40):
        desk.link.post(RobotPose(0.0, 0.0, 0.0))
        desk.tick()
    assert desk.output.throttle == 1500
    assert desk.firmware.state is not State.DRIVING


def driving(desk):
    desk.link.post(Waypoint(1, 5.0, 0.0))
    desk.link.post(Run(1))
    for _ in range(10):
        desk.link.post(RobotPose(0.0, 0.0, 0.0))
        desk.tick()
    assert desk.firmware.state is State.DRIVING
    assert desk.output.throttle > 1500


def test_the_firmware_stops_its_motors_without_good_frames_and_says_so_once(desk):
    shaken(desk)
    driving(desk)
    desk.down_line = lambda data: np.random.default_rng(1).bytes(64)  # noise is no good frame
    said, stopped = [], None
    began = desk.now
    reader = HostLink(1, lambda words: None).endpoint
    reader.connected = True
    for _ in range(100):
        desk.tick()
        said += [got.message.text for got in reader.receive(desk.output.data, desk.now) if isinstance(got.message, Log)]
        if stopped is None and desk.output.throttle == 1500:
            stopped = desk.now - began
    assert WATCHDOG < stopped <= WATCHDOG + 2 * desk.dt
    assert desk.output.throttle == 1500
    assert said.count(f"no good frame for {WATCHDOG:g} s: motors stopped") == 1
    assert desk.firmware.fault is Fault.LINK


def test_after_silence_only_a_new_start_moves_the_motors(desk):
    shaken(desk)
    driving(desk)
    desk.down_line = lambda data: b""
    desk.tick(30)
    desk.down_line = lambda data: data
    for _ in range(50):
        desk.link.post(Waypoint(2, 5.0, 0.0))
        desk.link.post(RobotPose(0.0, 0.0, 0.0))
        desk.link.post(Velocity(1.0, 0.0))
        desk.tick()
        assert desk.output.throttle == 1500
    assert desk.firmware.fault is Fault.LINK
    assert desk.link.latest(Telemetry).fault == Fault.LINK
    driving(desk)
    assert desk.firmware.fault is Fault.NONE


def test_a_clock_that_is_set_back_neither_stops_nor_blinds(desk):
    shaken(desk)
    desk.now += 100.0
    desk.tick(5)
    desk.tick(20)
    driving(desk)
    desk.now -= 90.0
    driving(desk)
    told = desk.link.latest(Telemetry)
    assert told.time == pytest.approx(1000 * desk.now, abs=200)
    desk.down_line = lambda data: b""
    desk.tick(20)
    assert desk.output.throttle == 1500
    assert desk.firmware.fault is Fault.LINK


def test_words_of_a_flooding_firmware_are_bounded(desk):
    shaken(desk)
    endpoint = desk.firmware.endpoint
    for _ in range(30):
        desk.up += b"".join(endpoint.send(Log(0, f"word {k}"), desk.now)[0] for k in range(100))
        desk.tick()
    assert len(desk.link.logs) <= LOGS_KEPT
    assert desk.link.counters.dropped > 1000
    assert desk.link.connected


@pytest.mark.parametrize("fault", ["flip", "drop", "double", "garbage"])
def test_every_fault_of_a_line_is_counted_and_survived(desk, fault):
    """One byte in fifty is hit for 40 s, both ways; a frame of 30 bytes passes about every second time."""
    ways = [NoisyPort(None, seed, **{fault: 0.02}) for seed in (1, 2)]
    desk.down_line, desk.up_line = (way.spoil for way in ways)
    for k in range(2000):
        if k % 5 == 0:
            desk.link.post(RobotPose(0.0, 0.0, 0.0))
        if k % 50 == 0:
            desk.link.post(Waypoint(1 + k // 50, 5.0, 0.0))
            desk.link.post(Run(1))
        desk.tick()
    assert min(way.faults for way in ways) > 50
    assert desk.link.counters.garbled > 50
    assert desk.firmware.endpoint.counters.garbled > 20
    assert (
        desk.link.counters.malformed + desk.firmware.endpoint.counters.malformed <= 1
    )  # a checksum lets 1 in 65536 by
    for way in ways:
        way.quiet = True
    desk.tick(50)
    assert desk.link.connected
    driving(desk)
    assert desk.link.unanswered == 0


def test_an_answer_to_nothing_is_ignored(desk):
    shaken(desk)
    desk.up += desk.firmware.endpoint.send(Ack(0x13, 12345, 1), desk.now)[0]
    desk.tick()
    assert desk.link.connected
