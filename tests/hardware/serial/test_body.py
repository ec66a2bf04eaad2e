"""A body at a real serial port (a pseudo terminal): connecting, driving, cables that are pulled, ports that hang."""

import math
import threading

import numpy as np
import pytest

from andante.errors import BadInput, UnknownName, Unsupported
from andante.hardware import (
    BodyCommand,
    Firmware,
    JointTarget,
    Loopback,
    PortInfo,
    SerialBody,
    State,
    check_body,
    serial_ports,
)
from andante.hardware.serial.firmware import BoardSensors
from andante.hardware.serial.host import FIRST_WAIT, LONGEST_WAIT, HostLink, Line
from andante.hardware.serial.messages import Fault
from andante.tasks import catalog

from .lines import Bench, NoisyPort, needs_pty, slow_clock, wait_until

SOON = 20.0  # patience on a busy machine [s]


@pytest.fixture
def bench(cable):
    bench = Bench(cable)
    yield bench
    bench.close()


@pytest.fixture
def body(cable, bench):
    with SerialBody(cable.path, "rover", clock=slow_clock) as body:
        yield body.connect(SOON)


def test_handshake_over_a_pseudo_terminal(body, bench):
    assert body.connected
    assert body.peer == "car"
    assert wait_until(lambda: body.telemetry is not None, SOON)
    assert body.read().health.ok
    assert body.telemetry.state == State.STOPPED
    assert list(body.notes) == ["connected to car"]


def test_a_firmware_of_another_version_is_refused(cable):
    bench = Bench(cable, Firmware(version=3))
    try:
        with (
            SerialBody(cable.path, "rover", clock=slow_clock) as body,
            pytest.raises(Unsupported, match="speaks protocol version 3, this program version 1"),
        ):
            body.connect(SOON)
        assert "version 3" in " ".join(body.notes)
    finally:
        bench.close()


def test_the_body_keeps_the_contract(cable, bench):
    body = SerialBody(cable.path, "rover", clock=slow_clock).connect(SOON)
    assert wait_until(lambda: body.telemetry is not None, SOON)
    assert [str(each) for each in check_body(body) if not each.passed] == []


def test_everything_goes_down_and_up(body, bench):
    bench.sensors = BoardSensors(gyro=(0.1, 0.2, 0.3), acceleration=(1.0, 2.0, 9.0), ticks=(600, -300), voltage=7.25)
    body.set_parameter("throttle_gain", 0.55)
    body.send_tag(0, 1.0, 1.0, 0.2)
    body.send_tag(1, 1.0, 0.5, 0.2)
    number = body.go_to(3.0, 0.5)
    body.start()

    def driving():
        body.send_pose(0.0, 0.0, 0.0)
        told = body.telemetry
        return told is not None and told.state == State.DRIVING and told.ticks_left == 600

    assert wait_until(driving, SOON)
    assert body.telemetry.waypoint == number
    assert body.telemetry.throttle > 1500
    assert bench.firmware.parameters["throttle_gain"] == pytest.approx(0.55)
    assert wait_until(lambda: math.isfinite(body.yaw), SOON)
    assert wait_until(lambda: body.inertial is not None and body.inertial.gyro_x > 0, SOON)
    state = body.read()
    assert state.gyro == pytest.approx([0.1, 0.2, 0.3], abs=1e-6)
    assert state.acceleration == pytest.approx([1.0, 2.0, 9.0], abs=1e-6)
    wheels = [state.position[body.joint_names.index(f"rear_{side}_wheel_joint")] for side in ("left", "right")]
    assert wheels == pytest.approx([math.pi, -math.pi / 2])
    assert state.position[body.joint_names.index("front_left_steering_joint")] > 0
    assert np.isnan(state.effort).all()
    assert state.power.voltage == pytest.approx(7.25)
    assert math.isfinite(state.yaw)
    assert not body.arrived(number)
    body.stop()
    assert wait_until(lambda: bench.output.throttle == 1500 and body.telemetry.state == State.STOPPED, SOON)


def test_wheel_speeds_come_from_the_ticks(body, bench):
    assert wait_until(lambda: body._link.before(type(body.telemetry)) is not None, SOON)
    joint = body.joint_names.index("rear_left_wheel_joint")
    assert body.read().velocity[joint] == 0


def test_twists_drive_and_stop_coming_to_stop(body, bench):
    body.start()

    def moving():
        body.write(BodyCommand(twist=(0.5, 0.0, 0.1)))
        return bench.output.throttle > 1500 and bench.output.steering > 1500

    assert wait_until(moving, SOON)
    assert wait_until(lambda: bench.output.throttle == 1500, SOON)  # nobody repeats the command
    assert wait_until(lambda: body.telemetry.fault == Fault.COMMAND, SOON)
    assert body.read().health.words == "the microcontroller holds: it has no fresh command"


def test_the_watchdog_stops_the_motors_when_the_computer_dies(cable, bench):
    body = SerialBody(cable.path, "rover", clock=slow_clock).connect(SOON)
    body.start()

    def moving():
        body.pulses(1700, 1500)
        return bench.output.throttle == 1700

    assert wait_until(moving, SOON)
    body._line._ending.set()  # the thread ends without a word, as in a crash
    body._closed = True
    assert wait_until(lambda: bench.output.throttle == 1500, SOON)
    assert wait_until(lambda: bench.firmware.fault is Fault.LINK, SOON)
    assert not bench.firmware.endpoint.connected


def test_a_hung_microcontroller_is_noticed_and_found_again(body, bench):
    bench.on = False
    assert wait_until(lambda: not body.connected, SOON)
    assert "no message from the microcontroller for 0.3 s" in body.notes[-1]
    assert not body.read().health.ok
    assert body.telemetry is None
    bench.on = True
    assert wait_until(lambda: body.connected, SOON)
    assert bench.output.throttle == 1500


def test_a_cable_is_pulled_and_put_back(body, bench, cable):
    body.start()

    def moving():
        body.pulses(1700, 1500)
        return bench.output.throttle == 1700

    assert wait_until(moving, SOON)
    cable.pull()
    assert wait_until(lambda: "is not available" in body.read().health.words, SOON)
    body.send_pose(0.0, 0.0, 0.0)  # nothing that is called meanwhile fails or waits
    body.write(BodyCommand(twist=(1.0, 0.0, 0.0)))
    body.stop()
    assert any("has disconnected" in note for note in body.notes)
    assert wait_until(lambda: bench.output.throttle == 1500, SOON)
    cable.plug()
    assert wait_until(lambda: body.connected, SOON)
    assert any("is connected again" in note for note in body.notes)
    for _ in range(20):
        body.pulses(1700, 1500)
        assert bench.output.throttle == 1500  # it must be started again
    body.start()
    assert wait_until(moving, SOON)


def test_a_port_that_comes_late_is_waited_for(cable):
    cable.pull()
    with SerialBody(cable.path, "rover", clock=slow_clock) as body:
        assert wait_until(lambda: body.notes, SOON)
        assert "cannot be opened" in body.notes[0]
        cable.plug()
        bench = Bench(cable)
        try:
            assert body.connect(SOON).connected
        finally:
            bench.close()


def test_no_port_and_no_answer_are_told_in_words(tmp_path, cable):
    with (
        SerialBody(str(tmp_path / "none"), "rover") as body,
        pytest.raises(BadInput, match=r"none cannot be opened: .*; serial ports here: "),
    ):
        body.connect(0.3)
    with (
        SerialBody(cable.path, "rover", clock=slow_clock) as body,
        pytest.raises(BadInput, match=r"no microcontroller answered .* within 0.3 s"),
    ):
        body.connect(0.3)


def test_a_flood_is_survived(body, bench, cable):
    flood = np.random.default_rng(5).bytes(4000)
    assert wait_until(lambda: cable.write(flood) is None or cable.sent > 60_000, SOON)
    assert wait_until(lambda: body.connected and body.telemetry is not None and body.counters.troubles > 100, SOON)


def test_a_noisy_cable_is_survived_by_both_sides(cable):
    noisy = NoisyPort(cable, 11, flip=0.002, drop=0.002, double=0.002, garbage=0.001)
    bench = Bench(noisy)
    try:
        with SerialBody(cable.path, "rover", clock=slow_clock, parameters={"throttle_gain": 0.8}) as body:
            assert wait_until(lambda: bench.firmware.parameters["throttle_gain"] == np.float32(0.8), SOON)
            assert wait_until(lambda: body.counters.garbled > 10, SOON)
            assert bench.firmware.endpoint.counters.bytes_in > 0
            assert noisy.faults > 10
    finally:
        bench.close()


def test_a_port_that_fails_in_its_own_way_and_a_listener_too_are_survived():
    told = []

    class Odd:
        def read(self):
            raise ZeroDivisionError("odd")

        def write(self, data):
            return True

        def close(self):
            raise OSError("odd again")

    def listen(words):
        told.append(words)
        raise RuntimeError("deaf")

    with SerialBody(Odd, "rover", say=listen) as body:
        assert wait_until(lambda: sum("ZeroDivisionError: odd" in note for note in body.notes) > 1, SOON)
    assert len(told) == 1
    assert body.notes[1] == "the listener failed and is not called any more: RuntimeError: deaf"


class HungPort:
    """Its calls never return until the test is over."""

    def __init__(self):
        self.over, self.entered = threading.Event(), threading.Event()

    def read(self):
        self.entered.set()
        self.over.wait(60.0)
        return b""

    def write(self, data):
        return True

    def close(self):
        self.over.wait(60.0)


def test_a_hung_port_does_not_hang_close():
    port = HungPort()
    body = SerialBody(lambda: port, "rover")
    assert port.entered.wait(SOON)
    body.stop()
    body.read()
    body.close()
    body.close()
    assert body.notes[-1] == "the port does not respond; its thread is abandoned"
    port.over.set()
    body._line._thread.join(SOON)


@needs_pty
def test_a_port_that_nobody_reads_does_not_hang(cable):
    """The line is full after some kilobytes; writing gives up, calls and close go on."""
    body = SerialBody(cable.path, "rover", clock=slow_clock)
    body._link.exchange = lambda data, now: b"\x55" * 4096
    assert wait_until(lambda: body._line.stalls > 2, SOON)
    body.read()
    body.close()
    assert not body._line._thread.is_alive()


def test_threads_end_with_their_bodies(cable, bench):
    before = threading.active_count()
    for _ in range(5):
        with SerialBody(cable.path, "rover", clock=slow_clock) as body:
            body.connect(SOON)
        assert not body._line._thread.is_alive()
    assert threading.active_count() == before


def test_waits_between_attempts_grow_up_to_a_cap():
    now, tries = [0.0], []

    def fail():
        tries.append(now[0])
        raise OSError("no such port")

    said = []
    line = Line(fail, HostLink(1, said.append), said.append, lambda: now[0], "COM7")
    for _ in range(2000):
        line.poll()
        now[0] += 0.01
    gaps = np.diff(tries)
    assert gaps[:4] == pytest.approx(FIRST_WAIT * 2.0 ** np.arange(4), abs=0.02)
    assert gaps.max() == pytest.approx(LONGEST_WAIT, abs=0.02)
    assert said == ["COM7 cannot be opened (no such port); trying again"]


def test_errors_of_the_body_name_what_is_wrong():
    body = SerialBody(Loopback().computer, "rover", threaded=False)
    with pytest.raises(Unsupported, match="give a twist instead of a target for 'rear_left_wheel_joint'"):
        body.write(BodyCommand({"rear_left_wheel_joint": JointTarget()}))
    with pytest.raises(Unsupported, match=r"cannot move sideways: vy must be 0, got 0\.3"):
        body.write(BodyCommand(twist=(0.0, 0.3, 0.0)))
    with pytest.raises(UnknownName, match="no parameter 'speed'"):
        body.set_parameter("speed", 1.0)
    with pytest.raises(BadInput, match="TagPose: tag"):
        body.send_tag(4, 0.0, 0.0)
    with pytest.raises(BadInput, match="RobotPose: yaw"):
        body.send_pose(0.0, 0.0, math.nan)
    body.close()
    with pytest.raises(BadInput, match="body 'rover' is closed"):
        body.start()
    with pytest.raises(Unsupported, match="'waffle' is no car"):
        SerialBody(Loopback().computer, "waffle", threaded=False)


def test_ports_of_this_computer_are_listed():
    assert all(each.name for each in serial_ports())


@pytest.mark.parametrize(("found", "words"), [((), "none found"), ((PortInfo("COM5", "USB"),), "COM5")])
def test_doctor_lists_them(monkeypatch, found, words):
    monkeypatch.setattr("andante.hardware.serial_ports", lambda: found)
    (finding,) = [each for each in catalog._libraries() if each.part == "pyserial"]
    assert finding.ready
    assert catalog._serial().version == words


def test_a_baud_rate_that_cannot_be_is_told(cable):
    with (
        SerialBody(cable.path, "rover", baud=-5) as body,
        pytest.raises(BadInput, match=r"cannot be opened: serial port .*-5"),
    ):
        body.connect(0.2)
