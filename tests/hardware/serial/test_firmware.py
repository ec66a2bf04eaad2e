"""The firmware on its own: pulse widths, the waypoint law, what stops the motors, and any bytes at all."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from andante.errors import BadInput, UnknownName
from andante.hardware import BoardSensors, Firmware, HostLink, PwmChannel
from andante.hardware.serial.firmware import PER_STEP, RING
from andante.hardware.serial.messages import (
    Fault,
    Pulses,
    RobotPose,
    Run,
    SetParameter,
    State,
    TagPose,
    Telemetry,
    Velocity,
    Waypoint,
    Yaw,
)
from andante.hardware.serial.parameters import NUMBERS, PARAMETERS, checked, defaults
from andante.hardware.serial.waypoint_law import steer_to, wrapped

from .lines import Desk

LAW = defaults()


@pytest.fixture
def desk():
    desk = Desk(HostLink(7, lambda words: None), Firmware())
    desk.tick(5)
    return desk


def drive_a_bicycle(desk, x, y, seconds=30.0):
    """Follow the pulses of the firmware with an ideal bicycle; where it stands when the firmware says arrived."""
    p, pose, step = desk.firmware.parameters, np.zeros(3), 0
    desk.link.post(Waypoint(3, x, y))
    desk.link.post(Run(1))
    while desk.firmware.state is not State.ARRIVED and step * desk.dt < seconds:
        if step % 5 == 0:
            desk.link.post(RobotPose(*pose[:2], wrapped(pose[2])))
        out = desk.tick()
        speed = PwmChannel.of("throttle", p).fraction(out.throttle) * p["top_speed"]
        angle = PwmChannel.of("steering", p).fraction(out.steering) * p["full_lock"]
        turn = speed * math.tan(angle) / p["wheelbase"]
        pose += np.array([speed * math.cos(pose[2]), speed * math.sin(pose[2]), turn]) * desk.dt
        step += 1
    return pose


# ---- pulse widths --------------------------------------------------------------------------------
@given(st.floats(-1, 1), st.floats(250, 900), st.floats(0, 200))
def test_pulses_and_shares_undo_each_other(fraction, span, dead):
    channel = PwmChannel(1500, span, dead)
    assert channel.fraction(channel.pulse(fraction)) == pytest.approx(fraction, abs=1.0 / (span - dead))


def test_pulses_jump_over_the_dead_band():
    channel = PwmChannel(1500, 500, 25)
    assert channel.pulse(0) == 1500
    assert channel.pulse(1e-6) == 1525
    assert channel.pulse(-0.5) == round(1500 - 25 - 0.5 * 475)
    assert (channel.pulse(7), channel.pulse(-7)) == (2000, 1000)
    assert channel.fraction(1520) == channel.fraction(1480) == channel.fraction(0) == 0
    assert channel.fraction(3000) == 1.0


def test_impossible_channels_are_refused():
    with pytest.raises(BadInput, match="0 <= dead band < span < neutral"):
        PwmChannel(1500, 20, 25)


def test_every_combination_of_parameters_is_a_channel():
    rng = np.random.default_rng(0)
    for _ in range(200):
        p = {each.name: rng.choice([each.low, each.high]) for each in PARAMETERS}
        PwmChannel.of("throttle", p)
        PwmChannel.of("steering", p)


@pytest.mark.parametrize(
    ("name", "value", "error", "words"),
    [
        ("speed", 1.0, UnknownName, "no parameter 'speed' in the firmware; choices: arrival_radius"),
        ("top_speed", -1.0, BadInput, "top_speed must lie from 0.01 to 100 m/s"),
        ("top_speed", math.nan, BadInput, "got nan"),
    ],
)
def test_parameters_are_checked(name, value, error, words):
    with pytest.raises(error, match=words):
        checked(name, value)


# ---- the law -------------------------------------------------------------------------------------
def test_throttle_goes_with_distance_and_steering_with_bearing():
    law = LAW | {"throttle_gain": 0.2, "throttle_least": 0.1, "throttle_most": 0.5, "steering_gain": 1.5}
    near, mid, far = (steer_to((0, 0, 0), (x, 0), law) for x in (0.2, 1.5, 9.0))
    assert (near.throttle, mid.throttle, far.throttle) == (0.1, pytest.approx(0.3), 0.5)
    assert mid.steering == 0
    left, right = (steer_to((1, 2, 0.3), (1 + 3 * math.cos(a), 2 + 3 * math.sin(a)), law) for a in (0.5, 0.1))
    assert left.steering == pytest.approx(1.5 * 0.2)
    assert right.steering == pytest.approx(-1.5 * 0.2)
    assert left.distance == pytest.approx(3.0)


def test_the_shorter_way_round_is_taken():
    assert steer_to((0, 0, 3.0), (-5, -1), LAW).steering > 0
    assert steer_to((0, 0, -3.0), (-5, 1), LAW).steering < 0


def test_a_point_inside_the_turning_circle_is_left_first():
    inside = steer_to((0, 0, 0), (0.0, 0.5), LAW)
    assert inside.away
    assert inside.steering == 0
    assert not steer_to((0, 0, 0), (0.0, 0.5), LAW | {"turning_radius": 0.0}).away
    assert not steer_to((0, 0, 0), (0.0, 2.5), LAW).away


@pytest.mark.parametrize(
    "goal", [(2.0, 0.0), (1.0, 1.0), (0.0, 1.2), (0.0, -0.5), (-1.0, 0.0), (-0.7, 0.7), (0.2, 0.3)]
)
def test_an_ideal_car_arrives_from_everywhere(desk, goal):
    pose = drive_a_bicycle(desk, *goal)
    assert desk.firmware.state is State.ARRIVED
    assert math.hypot(pose[0] - goal[0], pose[1] - goal[1]) < 0.25
    assert desk.output.throttle == 1500


def test_the_source_radius_can_be_sent_with_a_waypoint(desk):
    desk.link.post(Waypoint(1, 0.2, 0.0, 0.25))
    desk.link.post(RobotPose(0.0, 0.0, 0.0))
    desk.link.post(Run(1))
    desk.tick(3)
    assert desk.firmware.state is State.ARRIVED
    told = desk.link.latest(Telemetry) or (desk.tick(3) and desk.link.latest(Telemetry))
    assert told.waypoint == 1


# ---- when the motors may turn --------------------------------------------------------------------
def at(desk, x, y, yaw):
    """Tell the firmware a pose on the way to a waypoint at the origin; its state then."""
    desk.link.post(RobotPose(x, y, yaw))
    desk.tick(2)
    return desk.firmware.state


def test_a_near_waypoint_that_is_passed_counts_as_reached(desk):
    for name, value in (("arrival_radius", 0.03), ("passing_radius", 0.1)):
        desk.link.post(SetParameter(NUMBERS[name], value))
    desk.link.post(Waypoint(1, 0.0, 0.0))
    desk.link.post(Run(1))
    assert at(desk, -0.3, 0.08, 0.0) is State.DRIVING
    assert at(desk, -0.05, 0.08, 0.0) is State.DRIVING  # near, and still ahead
    assert at(desk, 0.2, 0.05, 0.0) is State.DRIVING  # behind, but far
    assert at(desk, 0.02, 0.08, 0.0) is State.ARRIVED


def test_without_a_passing_radius_only_the_arrival_radius_counts(desk):
    desk.link.post(SetParameter(NUMBERS["arrival_radius"], 0.03))
    desk.link.post(Waypoint(1, 0.0, 0.0))
    desk.link.post(Run(1))
    assert at(desk, 0.02, 0.08, 0.0) is State.DRIVING
    assert at(desk, 0.0, 0.02, 0.0) is State.ARRIVED


def test_nothing_moves_before_start(desk):
    for _ in range(20):
        desk.link.post(Waypoint(1, 3.0, 0.0))
        desk.link.post(RobotPose(0.0, 0.0, 0.0))
        desk.link.post(Velocity(1.0, 0.0))
        assert desk.tick().throttle == 1500
    assert desk.firmware.state is State.STOPPED


def started(desk, message=None):
    desk.link.post(Run(1))
    for _ in range(5):
        desk.link.post(message or Velocity(1.0, 0.0))
        desk.tick()
    assert desk.output.throttle != 1500
    return desk


def test_stop_acts_at_once_and_start_goes_on(desk):
    started(desk)
    desk.link.post(Run(0))
    assert desk.tick().throttle == 1500
    started(desk)


def test_velocity_becomes_pulses(desk):
    started(desk, Velocity(1.0, 0.5))
    throttle, steering = (PwmChannel.of(name, LAW) for name in ("throttle", "steering"))
    assert desk.output.throttle == throttle.pulse(0.5)
    assert desk.output.steering == steering.pulse(math.atan(0.33 * 0.5 / 1.0) / LAW["full_lock"])
    started(desk, Velocity(-1.0, 0.5))
    assert desk.output.throttle < 1500
    assert desk.output.steering < 1500


def test_pulses_go_out_as_they_are_within_the_span(desk):
    started(desk, Pulses(1600, 1420))
    assert (desk.output.throttle, desk.output.steering) == (1600, 1420)
    started(desk, Pulses(5000, 0))
    assert (desk.output.throttle, desk.output.steering) == (2000, 1500)


def test_an_old_command_holds_and_a_new_one_goes_on(desk):
    started(desk)
    desk.tick(20)
    assert desk.output.throttle == 1500
    assert (desk.firmware.state, desk.firmware.fault) == (State.HOLDING, Fault.COMMAND)
    desk.link.post(Velocity(1.0, 0.0))
    desk.tick()
    assert desk.output.throttle > 1500
    assert desk.firmware.fault is Fault.NONE


def test_an_old_pose_holds_and_a_new_one_goes_on(desk):
    desk.link.post(Waypoint(1, 3.0, 0.0))
    desk.link.post(Run(1))
    desk.link.post(RobotPose(0.0, 0.0, 0.0))
    assert desk.tick(2).throttle > 1500
    desk.tick(30)
    assert desk.output.throttle == 1500
    assert desk.firmware.fault is Fault.POSE
    desk.link.post(RobotPose(0.5, 0.0, 0.0))
    assert desk.tick().throttle > 1500


@pytest.mark.parametrize(
    ("sensors", "fault"),
    [
        (BoardSensors(voltage=5.9), Fault.VOLTAGE),
        (BoardSensors(gyro=(0.0, math.nan, 0.0)), Fault.SENSOR),
        (BoardSensors(acceleration=(0.0, 1e300, 0.0)), Fault.SENSOR),
        (BoardSensors(voltage=math.nan), Fault.SENSOR),
    ],
)
def test_bad_sensors_stop_until_a_new_start(desk, sensors, fault):
    started(desk)
    desk.sensors = sensors
    desk.link.post(Velocity(1.0, 0.0))
    assert desk.tick().throttle == 1500
    desk.sensors = BoardSensors()
    for _ in range(5):
        desk.link.post(Velocity(1.0, 0.0))
        assert desk.tick().throttle == 1500
    assert desk.firmware.fault is fault
    assert sum(log.text.endswith("motors stopped") for log in desk.link.logs) == 1
    started(desk)


def test_a_start_does_not_override_a_fault_that_lasts(desk):
    desk.sensors = BoardSensors(voltage=5.9)
    for _ in range(10):
        desk.link.post(Run(1))
        desk.link.post(Velocity(1.0, 0.0))
        assert desk.tick().throttle == 1500


# ---- what it tells -------------------------------------------------------------------------------
def test_yaw_follows_the_gyro_and_is_set_right_by_the_tags(desk):
    desk.sensors = BoardSensors(gyro=(0.0, 0.0, 0.5))
    desk.tick(50)
    turned = desk.firmware.yaw.yaw
    assert turned == pytest.approx(0.5 * 50 * desk.dt, abs=0.02)
    assert desk.link.latest(Yaw).yaw == pytest.approx(turned, abs=0.05)
    desk.sensors = BoardSensors()
    for tag, along in ((0, 1.0), (1, 0.5)):  # front tag ahead along 2 rad
        desk.link.post(TagPose(tag, along * math.cos(2), along * math.sin(2), 0.2))
    desk.tick(3)
    assert desk.firmware.yaw.yaw == pytest.approx(2.0, abs=1e-6)
    for tag, along in ((0, 1.0), (1, 0.5)):
        desk.link.post(TagPose(tag, along * math.cos(2.1), along * math.sin(2.1), 0.2))
    desk.tick(3)
    assert desk.firmware.yaw.yaw == pytest.approx(2.0 + LAW["yaw_gain"] * 0.1, abs=1e-6)


def test_tags_upon_each_other_tell_nothing(desk):
    for tag in (0, 1):
        desk.link.post(TagPose(tag, 1.0, 1.0, 0.0))
    desk.tick(3)
    assert not desk.firmware.yaw.known


def test_telemetry_tells_what_is_measured_and_done(desk):
    desk.sensors = BoardSensors(ticks=(2**31 + 5, -7), voltage=7.123)
    started(desk, Pulses(1600, 1420))
    desk.tick(5)
    told = desk.link.latest(Telemetry)
    assert (told.ticks_left, told.ticks_right, told.voltage) == (-(2**31) + 5, -7, 7123)
    assert (told.throttle, told.steering, told.state) == (1600, 1420, State.COMMANDED)


def test_telemetry_keeps_its_rate(desk):
    before = desk.link.counters.bytes_in
    desk.tick(50)
    assert desk.link.counters.bytes_in - before < 115200 / 10 / 3  # a third of what the line carries in a second
    assert desk.link.latest(Telemetry).time == pytest.approx(1000 * desk.now, abs=80)


# ---- anything at all -----------------------------------------------------------------------------
@settings(max_examples=100, deadline=None)
@given(st.lists(st.binary(max_size=300), max_size=10))
def test_any_bytes_leave_it_alive_and_still(chunks):
    firmware = Firmware()
    for k, chunk in enumerate(chunks):
        out = firmware.step(0.02 * k, chunk, BoardSensors())
        assert out.throttle == out.steering == 1500


def test_a_flood_is_bounded_and_counted():
    firmware = Firmware()
    flood = np.random.default_rng(3).bytes(100_000)
    for k in range(20):
        firmware.step(0.02 * k, flood, BoardSensors())
        assert len(firmware._ring) <= RING
    assert firmware.endpoint.counters.bytes_in <= 20 * PER_STEP
    assert firmware.endpoint.counters.dropped > 1_900_000


def test_extreme_parameters_over_the_line_never_crash_it(desk):
    rng = np.random.default_rng(4)
    for _ in range(100):
        number = int(rng.integers(len(PARAMETERS)))
        each = PARAMETERS[number]
        desk.link.post(SetParameter(number, float(rng.choice([each.low, each.high, 0.0, -1.0, 3e38]))))
        desk.link.post(Waypoint(1, *(float(v) for v in rng.choice([-1e5, 0.0, 1e5], 2))))
        desk.link.post(RobotPose(*(float(v) for v in rng.choice([-1e5, 0.0, 1e5], 2)), 3.0))
        desk.link.post(Run(1))
        out = desk.tick()
        assert 0 < out.throttle <= 5000
        assert 0 < out.steering <= 5000
    assert desk.firmware.endpoint.connected
    assert all(PARAMETERS[NUMBERS[name]].accepts(value) for name, value in desk.firmware.parameters.items())
