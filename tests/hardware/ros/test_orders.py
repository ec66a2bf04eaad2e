"""How joint targets and velocities become messages, within the limits of the robot's file; commands that get lost."""

import math

import numpy as np
import pytest

import andante as an
from andante.bags import messages
from andante.control.body import StopPlan
from andante.errors import BadInput
from andante.hardware.ros.orders import (
    LONGEST_SLEW,
    BaseVelocity,
    CommandWatch,
    JointAngles,
    JointMove,
    JointPositions,
    JointStream,
    JointTargets,
    JointTrajectory,
    driven_by,
)  # fmt: skip

MOVES = [JointMove("a", 0.5, 0.1, 2.0), JointMove("b", -0.5, math.nan, 1.0)]
NAO = an.robot("nao")
HEAD = NAO.joint_names.index("HeadYaw")


# ---- messages ------------------------------------------------------------------------------------
def test_a_stream_tells_stiffness_only_where_it_is_asked():
    plain = JointTargets().message(MOVES, stamp=1.5)
    assert (list(plain.name), list(plain.position), list(plain.effort)) == (["a", "b"], [0.5, -0.5], [])
    assert messages.seconds(plain.header.stamp) == 1.5
    assert list(JointTargets().message(MOVES, stiffness={"b": 0.2, "a": 0.9}).effort) == [0.9, 0.2]


def test_a_position_controller_gets_its_own_order():
    assert list(JointPositions(together=("b", "a")).message(MOVES).data) == [-0.5, 0.5]
    with pytest.raises(BadInput, match="joints in order"):
        JointPositions()


def test_a_trajectory_takes_as_long_as_its_slowest_joint():
    far = [JointMove("a", 3.0, 1.0, 2.0), *MOVES[1:]]
    assert messages.seconds(JointTrajectory().message(far).points[0].time_from_start) == pytest.approx(1.0)
    assert messages.seconds(JointTrajectory().message(MOVES[1:]).points[0].time_from_start) == pytest.approx(0.1)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: JointAngles(speed=0.0), "fraction of the top speed"),
        (lambda: JointAngles(speed=1.1), "fraction of the top speed"),
        (lambda: JointTrajectory(least_time=0.0), "least_time"),
        (lambda: BaseVelocity(max_speed=0.0), "speed limits"),
    ],
)
def test_ways_that_cannot_be(make, words):
    with pytest.raises(BadInput, match=words):
        make()


def test_a_stop_plan_is_a_trajectory_from_its_own_instant_on():
    plan = JointTargets().plan_message(StopPlan(2.0, 0.02, np.array([[0.1, 0.2], [0.3, 0.4]])), ("a", "b"))
    assert messages.seconds(plan.header.stamp) == 2.0
    assert [messages.seconds(point.time_from_start) for point in plan.points] == [0.0, 0.02]
    assert list(plan.points[1].positions) == [0.3, 0.4]


def test_a_velocity_keeps_its_direction_within_the_limits():
    way = BaseVelocity(max_speed=0.5, max_turn=1.0)
    assert way.clipped((3.0, -4.0, -2.0)) == pytest.approx((0.3, -0.4, -1.0))
    assert way.clipped((0.1, 0.1, 0.5)) == (0.1, 0.1, 0.5)
    assert messages.seconds(BaseVelocity(stamped=True).message((1.0, 0.0, 0.0), 4.0).header.stamp) == 4.0


def test_a_drive_lowers_the_limits_of_its_velocities():
    joints, way = driven_by(an.robot("waffle"), BaseVelocity(max_speed=100.0, max_turn=0.1))
    assert joints == {"wheel_left_joint", "wheel_right_joint"}
    assert way.max_speed < 1.0
    assert way.max_turn == 0.1
    assert driven_by(NAO, None) == (set(), None)


# ---- streams of targets --------------------------------------------------------------------------
def targets(value, joint=HEAD):
    asked = np.full(len(NAO.joint_names), np.nan)
    asked[joint] = value
    return asked


def test_targets_are_clipped_and_said_so():
    said = []
    stream = JointStream(JointTrajectory(), NAO, said.append)
    (move,) = stream.moves(targets(99.0), np.zeros(len(NAO.joint_names)), 0.0)
    limits = NAO.joint("HeadYaw").limits
    assert (move.name, move.target, move.max_speed) == ("HeadYaw", limits.upper, limits.velocity)
    assert "clipped to" in said[0]


def test_a_stream_goes_no_faster_than_the_joint_can():
    said = []
    stream, here = JointStream(JointTargets(), NAO, said.append), np.zeros(len(NAO.joint_names))
    speed = NAO.joint("HeadYaw").limits.velocity
    (first,) = stream.moves(targets(1.0), here, 10.0)  # from where it is
    (second,) = stream.moves(targets(1.0), here, 10.02)  # from the last target
    assert first.target == pytest.approx(min(1.0, speed * LONGEST_SLEW))
    assert second.target == pytest.approx(min(1.0, first.target + speed * 0.02))
    assert any("slowed down" in line for line in said)


def test_joints_that_move_together_keep_what_was_told_or_measured_last():
    pair = ("HeadYaw", "HeadPitch")
    stream = JointStream(JointTrajectory(together=pair), NAO, lambda line: None)
    here = np.full(len(NAO.joint_names), 0.25)
    assert [move.target for move in stream.moves(targets(0.5), here, 0.0)] == [0.5, 0.25]
    pitch = NAO.joint_names.index("HeadPitch")
    assert [move.target for move in stream.moves(targets(0.1, pitch), here, 1.0)] == [0.5, 0.1]


def test_joints_that_move_together_need_to_be_known():
    said = []
    stream = JointStream(JointTrajectory(together=("HeadYaw", "HeadPitch")), NAO, said.append)
    assert stream.moves(targets(0.5), np.full(len(NAO.joint_names), np.nan), 0.0) is None
    assert "nothing is known of 'HeadPitch'" in said[0]


# ---- commands that get lost ----------------------------------------------------------------------
def follow(watch, moved, seconds=2.0, asked=0.5):
    """Tell a joint to go at a speed while it goes by a fraction of that."""
    for k in range(round(seconds / 0.05)):
        told = np.array([asked * k * 0.05])
        watch.note(k * 0.05, told, moved * told)


def test_a_robot_that_moves_as_it_is_told_heeds():
    watch = CommandWatch()
    follow(watch, 0.8)
    assert (watch.unheeded, watch.silent) == (0, 0.0)


def test_a_robot_that_stands_while_it_is_told_to_move_does_not():
    watch = CommandWatch()
    follow(watch, 0.0)
    assert watch.unheeded >= 30
    assert watch.silent == pytest.approx(1.5, abs=0.3)
    follow(watch, 0.8)  # the clock starts anew, and now it moves
    assert watch.silent == 0.0


def test_nothing_is_said_of_small_moves_and_of_joints_that_nobody_measures():
    small, unknown = CommandWatch(), CommandWatch()
    follow(small, 0.0, asked=0.02)
    follow(unknown, math.nan)
    assert (small.unheeded, unknown.unheeded) == (0, 0)


def test_a_base_that_does_not_drive_is_noticed_by_odometry_and_wheels():
    stuck, drives = CommandWatch(), CommandWatch()
    for k in range(60):
        stuck.drive(k * 0.05, (0.3, 0.0, 0.0), (0.0, 0.0, 0.0), np.zeros(2))
        drives.drive(k * 0.05, (0.3, 0.0, 0.0), None, np.full(2, 9.0 * k * 0.05))  # without odometry: by its wheels
    assert stuck.unheeded > 0
    assert drives.unheeded == 0
