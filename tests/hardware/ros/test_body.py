"""A robot behind ROS as a body: messages, senses, and every rule of the body on a line without a thread."""

import itertools
import math
import re
from types import SimpleNamespace

import numpy as np
import pytest

from andante.bags import messages
from andante.bridges.encoding import ros1_times, short_type
from andante.errors import BadInput, UnknownName, Unsupported
from andante.hardware import BodyCommand, JointTarget
from andante.hardware.ros.body import RosBody
from andante.hardware.ros.link import Listener, RosLink
from andante.hardware.ros.orders import BaseVelocity, JointAngles, JointMove, JointTrajectory
from andante.hardware.ros.senses import RosSenses, yaw_of
from andante.hardware.ros.settings import RosTopics
from andante.physics import Mode

from .samples import TWIST, joint_state


# ---- messages ------------------------------------------------------------------------------------
def test_joint_angles_carry_targets_and_speed():
    made = JointAngles(speed=0.25).message([JointMove("a", 0.5, 0.0, 1.0), JointMove("b", -1.0, math.nan, 1.0)])
    assert made.joint_names == ["a", "b"]
    assert made.joint_angles.tolist() == [0.5, -1.0]
    assert (made.speed, made.relative) == (0.25, 0)


def test_a_trajectory_takes_as_long_as_its_slowest_joint_needs():
    way = JointTrajectory(least_time=0.2)
    slow = way.message([JointMove("a", 1.0, 0.0, 0.5), JointMove("b", 9.0, math.nan, 0.1)])
    (point,) = slow.points
    assert messages.seconds(point.time_from_start) == pytest.approx(2.0)
    assert point.positions.tolist() == [1.0, 9.0]
    (point,) = way.message([JointMove("a", 1e-3, 0.0, 0.5)]).points
    assert messages.seconds(point.time_from_start) == pytest.approx(0.2)
    assert messages.seconds(slow.header.stamp) == 0.0  # at once


def test_a_twist_is_clipped_along_its_direction():
    way = BaseVelocity(max_speed=0.5, max_turn=1.0)
    assert way.clipped((3.0, -4.0, -7.0)) == pytest.approx((0.3, -0.4, -1.0))
    assert way.clipped((0.3, 0.4, 0.5)) == (0.3, 0.4, 0.5)
    stamped = BaseVelocity(stamped=True).message((0.1, 0.2, 0.3), 12.5)
    assert (stamped.twist.linear.x, stamped.twist.linear.y, stamped.twist.angular.z) == (0.1, 0.2, 0.3)
    assert messages.seconds(stamped.header.stamp) == 12.5


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: JointAngles(speed=0.0), "fraction of the top speed, over 0 to 1, got 0.0"),
        (lambda: JointAngles(speed=math.nan), "fraction of the top speed"),
        (lambda: JointTrajectory(least_time=-1.0), "least_time is a time > 0 s, got -1.0"),
        (lambda: BaseVelocity(max_speed=0.0), "speed limits must be > 0"),
        (lambda: RosTopics(joint_states="", odometry=""), "needs the topic of its joint states"),
        (lambda: RosBody("localhost:9090", "waffle"), "neither a rosbridge server (ws://host:9090) nor a ROS 1 master"),
        (lambda: RosBody("http://nowhere", "waffle"), "should look like http://127.0.0.1:11311"),
        (lambda: RosBody("ws://127.0.0.1:1", "waffle", timeout=0.0), "timeout is a time > 0 s, got 0.0"),
    ],
)
def test_what_cannot_be_is_refused(make, words):
    with pytest.raises(BadInput, match=re.escape(words)):
        make()


def test_types_and_times_in_the_words_of_ros_1():
    assert short_type(TWIST) == "geometry_msgs/Twist"
    value = {"header": {"stamp": {"sec": 1, "nanosec": 2}}, "points": [{"time_from_start": {"sec": 3, "nanosec": 4}}]}
    assert ros1_times(value) == {
        "header": {"stamp": {"secs": 1, "nsecs": 2}},
        "points": [{"time_from_start": {"secs": 3, "nsecs": 4}}],
    }


# ---- senses --------------------------------------------------------------------------------------
def test_joint_states_may_come_in_parts_and_grow_old_each_by_itself():
    senses = RosSenses(SimpleNamespace(joint_names=("a", "b", "c")))
    assert senses.take_joints(joint_state("ax", [1.0, 9.0], [0.5, 9.0], [2.0, 9.0]), 10.0) == ["x"]
    senses.take_joints(joint_state("b", [math.inf]), 11.0)
    position, velocity, effort = senses.joints(11.0, 1.0)
    np.testing.assert_array_equal(position, [1.0, np.nan, np.nan])
    np.testing.assert_array_equal(velocity, [0.5, np.nan, np.nan])
    np.testing.assert_array_equal(effort, [2.0, np.nan, np.nan])
    assert np.isnan(senses.joints(11.1, 1.0)[0]).all()
    assert senses.silent(11.1, 1.0) == [0]  # c never came
    with pytest.raises(BadInput, match="2 values of velocity for 1 names"):
        senses.take_joints(joint_state("a", [1.0], [1.0, 2.0]), 12.0)


def test_velocities_are_found_from_stamps_where_none_come():
    senses = RosSenses(SimpleNamespace(joint_names=("a",)))
    for stamp, place in ((5.0, 1.0), (5.5, 2.0)):
        senses.take_joints(joint_state("a", [place], stamp=stamp), stamp)
    assert senses.velocity[0] == pytest.approx(2.0)
    senses.take_joints(joint_state("a", [3.0], stamp=5.5), 5.6)  # the same instant: no new velocity
    assert senses.velocity[0] == pytest.approx(2.0)


def test_inertial_unit_and_odometry():
    senses = RosSenses(SimpleNamespace(joint_names=()))
    half = {"z": math.sin(0.4), "w": math.cos(0.4)}
    imu = messages.make(
        "sensor_msgs/msg/Imu", orientation=half, angular_velocity={"x": 0.1, "y": 0.2, "z": 0.3},
        linear_acceleration={"z": 9.8}, linear_acceleration_covariance=[-1.0] + [0.0] * 8,
    )  # fmt: skip
    senses.take_inertial(imu, 1.0)
    gyro, acceleration = senses.inertial(1.5, 1.0)
    assert gyro.tolist() == [0.1, 0.2, 0.3]
    assert np.isnan(acceleration).all()  # -1: not measured
    assert senses.yaw(1.5, 1.0) == pytest.approx(0.8)
    turned = {"z": math.sin(-1.0), "w": math.cos(-1.0)}
    pose = {"pose": {"position": {"x": 1.0, "y": 2.0}, "orientation": turned}}
    twist = {"twist": {"linear": {"x": 0.5}, "angular": {"z": 0.25}}}
    senses.take_odometry(messages.make("nav_msgs/msg/Odometry", pose=pose, twist=twist), 2.0)
    assert senses.odometry(2.5, 1.0) == pytest.approx((1.0, 2.0, -2.0, 0.5, 0.0, 0.25))
    assert senses.yaw(2.5, 1.0) == pytest.approx(-2.0)  # before that of the inertial unit
    assert math.isnan(senses.yaw(9.0, 1.0))
    assert np.isnan(senses.inertial(9.0, 1.0)[0]).all()
    assert senses.odometry(9.0, 1.0) is None
    assert math.isnan(yaw_of(messages.make("geometry_msgs/msg/Quaternion", w=0.0)))  # all zeros: none


# ---- the body on a line without a thread ---------------------------------------------------------
class Wire(RosLink):
    """A line that is what the test says; `sent` holds what the body told."""

    def __init__(self, count=None):
        super().__init__("ros")
        self.sent, self.count, self.now = [], count, 0.0

    def open(self, subscribed, advertised, listener: Listener):
        self.subscribed, self.advertised, self.listener = subscribed, advertised, listener

    def post(self, topic, message):
        self.sent.append((topic, message))

    def listeners(self, topic):
        return self.count

    async def _keep(self):
        raise AssertionError

    def state(self, body, value=0.25):
        self.listener.heard("/joint_states", joint_state(body.joint_names, [value] * len(body.joint_names)))

    def pass_time(self, seconds):
        for _ in range(round(seconds / 0.05)):
            self.now += 0.05
            self.listener.tick()

    def twists(self):
        return [(m.linear.x, m.angular.z) for topic, m in self.sent if topic == "/cmd_vel"]


def on_wire(robot, count=None, **options):
    wire = Wire(count)
    body = RosBody(wire, robot, clock=lambda: wire.now, **options)
    wire._join()
    wire.state(body)
    wire.pass_time(0.05)
    return wire, body


def test_topics_follow_from_the_robot(nao, waffle):
    wire, body = on_wire(nao)
    assert set(wire.advertised) == {"/joint_targets", "/joint_targets/stop", "/cmd_vel"}
    assert set(wire.subscribed) == {"/joint_states", "/imu/data", "/odom", "/nao/foot_force", "/clock"}
    assert (body.takes_stop_plan, body.wants_twist) == (True, False)
    assert set(on_wire(nao, joints=JointAngles())[0].advertised) == {"/joint_angles", "/joint_stiffness", "/cmd_vel"}
    wire, _ = on_wire(waffle)
    assert wire.advertised == {"/cmd_vel": TWIST}  # all its joints belong to the drive
    assert set(wire.subscribed) == {"/joint_states", "/imu/data", "/odom", "/scan", "/clock"}
    wire, _ = on_wire(waffle, velocity=None, topics=RosTopics(imu="", odometry="/base/odom", scan="", clock=""))
    assert (wire.advertised, set(wire.subscribed)) == ({}, {"/joint_states", "/base/odom"})


def test_joint_targets_are_clipped_and_said_once(nao):
    wire, body = on_wire(nao, joints=JointAngles())
    limits = nao.joint("HeadYaw").limits
    for _ in range(2):
        body.write(BodyCommand({"HeadYaw": JointTarget(9.0), "HeadPitch": JointTarget(0.1)}))
    (topic, message), _ = wire.sent
    assert topic == "/joint_angles"
    assert message.joint_names == ["HeadYaw", "HeadPitch"]
    assert message.joint_angles == pytest.approx([limits.upper, 0.1])
    assert sum("'HeadYaw' are clipped" in line for line in body.notes) == 1


def test_what_a_robot_cannot_be_told_is_refused_by_name(nao, waffle):
    _, body = on_wire(nao, velocity=None, joints=JointAngles())
    with pytest.raises(UnknownName, match="no joint 'HeadYow' in body 'nao'; choices: HeadYaw"):
        body.write(BodyCommand({"HeadYow": JointTarget()}))
    with pytest.raises(Unsupported, match="'HeadYaw' of 'nao' takes positions over /joint_angles, not TORQUE"):
        body.write(BodyCommand({"HeadYaw": JointTarget(1.0, Mode.TORQUE)}))
    with pytest.raises(Unsupported, match="'nao' takes no twist"):
        body.write(BodyCommand(twist=(0.1, 0.0, 0.0)))
    with pytest.raises(Unsupported, match="takes no joint targets"):
        on_wire(nao, joints=None)[1].write(BodyCommand({"HeadYaw": JointTarget(1.0)}))
    with pytest.raises(Unsupported, match="'wheel_left_joint' belongs to the drive of 'waffle'"):
        on_wire(waffle)[1].write(BodyCommand({"wheel_left_joint": JointTarget(1.0)}))
    with pytest.raises(UnknownName, match="no joint 'Tail'"):
        RosBody(Wire(), nao, joints=JointTrajectory(together=("Tail",)))


def test_twists_keep_the_limits_of_the_drive_and_end_with_their_driver(waffle):
    wire, body = on_wire(waffle)
    body.write(BodyCommand(twist=(5.0, 0.0, -9.0)))
    assert wire.twists() == [(0.26, -1.82)]
    for _ in range(20):
        wire.state(body)
        body.write(BodyCommand(twist=(0.1, 0.0, 0.0)))
        wire.pass_time(0.05)
    assert (0.0, 0.0) not in wire.twists()
    for _ in range(12):
        wire.state(body)
        wire.pass_time(0.05)
    assert wire.twists().count((0.0, 0.0)) == 1
    assert "the base is stopped: no twist received for 0.5 s" in body.notes


def test_a_silent_robot_is_stopped_told_and_moved_no_more(waffle):
    wire, body = on_wire(waffle, timeout=0.3)
    body.write(BodyCommand(twist=(0.1, 0.0, 0.0)))
    wire.pass_time(0.4)
    assert wire.twists() == [(0.1, 0.0), (0.0, 0.0)]
    health = body.read().health
    assert not health.ok
    assert "no message on /joint_states for 0.4 s" in health.words
    assert np.isnan(body.read().position).all()
    assert body.age == pytest.approx(0.45)
    assert not body.connected
    body.write(BodyCommand(twist=(0.1, 0.0, 0.0)))
    assert (len(wire.sent), body.dropped) == (2, 1)
    body.write(BodyCommand(twist=(0.0, 0.0, 0.0)))  # standing is always allowed
    assert len(wire.sent) == 3
    wire.state(body)
    assert body.read().health.ok
    assert body.read().position.tolist() == [0.25, 0.25]


def test_after_a_lost_connection_the_first_word_is_stop(waffle):
    wire, body = on_wire(waffle)
    body.write(BodyCommand(twist=(0.1, 0.0, 0.0)))
    wire._lose("pulled out")
    assert "no connection to ros: pulled out; trying again" in body.read().health.words
    body.write(BodyCommand(twist=(0.2, 0.0, 0.0)))
    body.stop()
    wire.pass_time(1.0)
    assert wire.twists() == [(0.1, 0.0)]
    wire._join()
    assert wire.twists() == [(0.1, 0.0), (0.0, 0.0)]
    assert "is the robot's driver running?" in body.read().health.words  # old values are forgotten
    wire._lose("again")
    wire._join()
    assert len(wire.sent) == 2  # it stood


def test_a_stop_on_a_line_that_was_dying_is_said_again(waffle):
    wire, body = on_wire(waffle, timeout=0.3)
    body.write(BodyCommand(twist=(0.1, 0.0, 0.0)))
    wire.pass_time(0.4)  # silent: stopped, but nobody may have heard it
    wire._lose("pulled out")
    wire._join()
    assert wire.twists() == [(0.1, 0.0), (0.0, 0.0), (0.0, 0.0)]
    wire._lose("again")
    wire._join()
    assert len(wire.sent) == 3


def test_a_lost_master_leaves_the_way_to_the_robot(waffle):
    wire, body = on_wire(waffle, count=1)
    body.write(BodyCommand(twist=(0.1, 0.0, 0.0)))
    wire._lose("gone")
    assert wire.twists() == [(0.1, 0.0), (0.0, 0.0)]


def test_commands_that_nobody_hears_are_told(waffle):
    wire, body = on_wire(waffle, count=0)
    body.connect(0.0, measure=0.0)
    assert "no subscriber on /cmd_vel yet" in body.notes
    body.write(BodyCommand(twist=(0.1, 0.0, 0.0)))
    assert body.read().health.words == "no subscriber on /cmd_vel: commands have no effect"
    wire.count = 1
    assert body.read().health.ok


def test_one_part_of_the_robot_may_fall_silent(nao):
    wire, body = on_wire(nao)
    for _ in range(25):
        wire.listener.heard("/joint_states", joint_state(body.joint_names[1:], [0.5] * (len(body.joint_names) - 1)))
        wire.pass_time(0.05)
    state = body.read()
    assert state.health.words == "no message for 0.5 s from HeadYaw"
    assert np.isnan(state.position[0])
    assert (state.position[1:] == 0.5).all()


def test_strange_joints_and_bad_messages_are_named_once(waffle):
    wire, body = on_wire(waffle)
    for _ in range(3):
        wire.listener.heard("/joint_states", joint_state(["tail"], [1.0]))
        wire.listener.heard("/joint_states", joint_state(["wheel_left_joint"], [1.0, 2.0]))
    assert sum("tells of 'tail', which waffle does not have" in line for line in body.notes) == 1
    assert sum("2 values of position for 1 names" in line for line in body.notes) == 1


def test_stop_holds_the_joints_that_were_commanded(nao):
    wire, body = on_wire(nao, joints=JointAngles())
    body.stop()
    assert [topic for topic, _ in wire.sent] == ["/cmd_vel"]
    body.write(BodyCommand({"HeadYaw": JointTarget(1.0)}))
    wire.state(body, 0.5)
    body.stop()
    topic, message = wire.sent[-1]
    assert (topic, message.joint_names, message.joint_angles.tolist()) == ("/joint_angles", ["HeadYaw"], [0.5])


def test_joints_that_move_together_keep_their_last_targets(nao):
    way = JointTrajectory(together=("HeadYaw", "HeadPitch"))
    wire, body = on_wire(nao, joints=way)
    body.write(BodyCommand({"HeadYaw": JointTarget(1.0)}))
    body.write(BodyCommand({"HeadPitch": JointTarget(0.1)}))
    sent = [dict(zip(m.joint_names, m.points[0].positions, strict=True)) for _, m in wire.sent]
    assert sent == [{"HeadYaw": 1.0, "HeadPitch": 0.25}, {"HeadPitch": 0.1, "HeadYaw": 1.0}]
    wire = Wire()
    body = RosBody(wire, nao, joints=way, clock=lambda: wire.now)
    wire._join()
    wire.listener.heard("/joint_states", joint_state(["HeadYaw"], [0.0]))
    body.write(BodyCommand({"HeadYaw": JointTarget(1.0)}))
    assert wire.sent == []
    assert any("nothing is known of 'HeadPitch': dropped" in line for line in body.notes)


def test_a_base_without_joint_states_lives_by_its_odometry(waffle):
    wire = Wire()
    body = RosBody(wire, waffle, topics=RosTopics(joint_states=""), clock=lambda: wire.now)
    wire._join()
    assert "no message on /odom" in body.read().health.words
    wire.listener.heard("/odom", messages.make("nav_msgs/msg/Odometry", pose={"pose": {"orientation": {"w": 1.0}}}))
    assert body.read().health.ok
    assert body.read().yaw == 0.0
    assert body.odometry.x == 0.0


def test_a_listener_that_fails_does_not_end_the_line(waffle):
    wire, body = on_wire(waffle, say=lambda words: 1 / 0)
    wire._lose("x")
    assert any("the listener failed" in line for line in body.notes)
    assert "trying again" in body.notes[-1]


# ---- commands that get lost on their way ---------------------------------------------------------
def stream(wire, body, follows, seconds=2.0):
    """Targets that swing by 0.4 rad at 1 Hz, and a robot that follows them, or stays where it is."""
    count = len(body.joint_names)
    for step in range(round(seconds / 0.02)):
        wire.now += 0.02
        swing = 0.4 * math.sin(2 * math.pi * 0.02 * step)
        wire.state(body, 0.25 + (swing if follows else 0.0))
        body.read()
        body.follow(np.full(count, 0.25 + swing))


@pytest.mark.parametrize("way", ["targets", "angles"])
def test_joint_commands_without_effect_are_counted_and_end_the_run(nao, way):
    options = {} if way == "targets" else {"joints": JointAngles()}
    wire, body = on_wire(nao, **options)
    stream(wire, body, follows=True)
    assert body.link.unheeded == 0
    assert body.read().health.ok
    stream(wire, body, follows=False)
    assert body.link.unheeded > 40
    health = body.read().health
    assert health.lost
    assert re.match(r"commands have had no effect for [12]\.\d s although it tells of itself", health.words)
    assert f"{body.link.unheeded} commands without effect" in str(body.link)
    body.stop()
    assert body.read().health.ok


def test_standing_still_as_told_is_no_lost_command(nao):
    wire, body = on_wire(nao)
    for _ in range(100):
        wire.now += 0.02
        wire.state(body, 0.0)
        body.follow(np.zeros(len(body.joint_names)))
    assert body.link.unheeded == 0


@pytest.mark.parametrize("turns", [True, False])
def test_twists_without_effect_are_counted(waffle, turns):
    wire, body = on_wire(waffle)
    for step in range(100):
        wire.now += 0.02
        wire.state(body, 0.1 * step if turns else 0.25)
        body.drive((0.2, 0.0, 0.0))
    assert (body.link.unheeded == 0) == turns
    health = body.read().health
    assert health.ok == turns
    assert not health.lost  # a base may stand before a wall


def test_stiffness_goes_to_a_topic_of_its_own_where_angles_cannot_carry_it(nao):
    wire, body = on_wire(nao, joints=JointAngles())
    assert wire.advertised["/joint_stiffness"] == "sensor_msgs/msg/JointState"
    soft = np.linspace(0.0, 1.0, len(body.joint_names))
    for _ in range(3):
        wire.now += 0.02
        wire.state(body)
        body.follow(np.full(len(body.joint_names), 0.25), stiffness=soft)
    (told,) = [message for topic, message in wire.sent if topic == "/joint_stiffness"]
    assert told.name == list(body.joint_names)
    assert told.effort == pytest.approx(soft)


@pytest.mark.parametrize("comes_back", [True, False])
def test_a_robot_that_pauses_while_its_rate_is_measured_is_measured_after_it(waffle, monkeypatch, comes_back):
    wire, body = on_wire(waffle, timeout=0.3)
    left = itertools.count(-20)  # it is silent for 0.4 s first

    def pass_a_moment(seconds):
        wire.now += 0.02
        if comes_back and next(left) > 0:
            wire.state(body)

    monkeypatch.setattr("andante.hardware.ros.body.time.sleep", pass_a_moment)
    monkeypatch.setattr("andante.hardware.ros.body.time.monotonic", lambda: wire.now)
    if comes_back:
        assert body.connect().link.rate == pytest.approx(50.0)
    else:
        with pytest.raises(BadInput, match="no message on /joint_states for"):
            body.connect()


def test_who_has_given_up_does_not_say_that_it_tries_again(waffle):
    wire = Wire()
    body = RosBody(wire, waffle, clock=lambda: wire.now)
    with pytest.raises(BadInput, match=r"no connection to ros: not reached yet$"):
        body.connect(0.01)
    assert body.read().health.words.endswith("; trying again")
