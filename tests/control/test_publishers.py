"""Publishers of a robot: topics, rates, frames and stamps of what they tell, and the frames of its joints."""

import math

import numpy as np
import pytest

from andante.bags import messages
from andante.bus import Bus
from andante.control.body import Body, BodyState
from andante.control.loop import ControlLoop
from andante.control.publishers import (
    STEPS_KEPT,
    ClockPublisher,
    FeltPublisher,
    FootstepPublisher,
    JointFrames,
    StatePublisher,
    TargetPublisher,
    VelocityPublisher,
    pose_message,
    stamp,
)  # fmt: skip
from andante.control.view import RobotView
from andante.description import load_robot
from andante.geometry import SE3
from andante.locomotion.behaviour import Command, HoldPose
from andante.mapping import Scan
from andante.physics.state import Mode


@pytest.mark.parametrize("name", ["nao", "shell", "rover"])
def test_frames_make_up_the_link_poses(name: str) -> None:
    robot = load_robot(name)
    rng = np.random.default_rng(3)
    q = robot.complete({joint.name: rng.uniform(-0.5, 0.5) for joint in robot.independent})
    frames = JointFrames(robot)
    table = frames.at(np.array([q[joint] for joint in robot.joint_names]))
    local = {child: (parent, SE3.from_vector(pose)) for parent, child, pose in frames.fixed}
    local |= {
        child: (parent, SE3.from_vector(pose))
        for parent, child, pose in zip(frames.parents, frames.children, table, strict=True)
    }
    wanted = robot.link_poses(q)
    assert set(local) | {robot.root} == set(wanted)
    for link, pose in wanted.items():
        made, at = SE3.identity(), link
        while at != robot.root:
            parent, step = local[at]
            made, at = step @ made, parent
        np.testing.assert_allclose(made.matrix, pose.matrix, atol=1e-9)


class Still(Body):
    """A body that stands and tells what it is given."""

    def __init__(self, robot) -> None:
        self.robot, self.now, self.told = robot, 0.0, ()
        self.forces: dict[str, np.ndarray] = {}

    def read(self) -> BodyState:
        count = len(self.joint_names)
        return BodyState(
            self.now, np.linspace(0.0, 0.1, count), np.zeros(count), gyro=np.array([0.1, 0.2, 0.3]),
            acceleration=np.array([0.0, 0.0, 9.81]), forces=self.forces, effort=np.zeros(count),
        )  # fmt: skip

    def scans(self, since: float) -> tuple[Scan, ...]:
        return tuple(scan for scan in self.told if scan.time > since)

    def advance(self, seconds: float) -> None:
        self.now += seconds

    def write(self, command) -> None: ...

    def stop(self) -> None: ...

    def close(self) -> None: ...


class Heard:
    """What comes on some topics of a bus."""

    def __init__(self, bus: Bus, *topics: str) -> None:
        self.bus, self.samples = bus, {topic: [] for topic in topics}
        for topic in topics:
            bus.subscribe(topic, None, self.samples[topic].append)

    def run(self, body: Still, publisher, seconds: float) -> None:
        for _ in range(round(100 * seconds)):
            body.advance(0.01)
            self.bus.clock.advance_to(body.now)
            publisher.update()
            self.bus.spin()


@pytest.fixture
def body(nao) -> Still:
    return Still(nao)


def view_of(body: Still, **options) -> RobotView:
    return RobotView(body, HoldPose(body.robot, "StandInit"), pose=body.robot.pose("StandInit"), **options)


def test_a_stamp_keeps_nanoseconds() -> None:
    assert (stamp(1.25).sec, stamp(1.25).nanosec) == (1, 250_000_000)
    assert (stamp(1.9999999999).sec, stamp(1.9999999999).nanosec) == (2, 0)


def test_a_pose_message_is_x_y_z_and_a_quaternion() -> None:
    made = pose_message(np.arange(7.0))
    assert (made.position.z, made.orientation.x, made.orientation.w) == (2.0, 3.0, 6.0)


def test_topics_of_the_state_have_their_types_and_rates(body) -> None:
    bus, view = Bus(), view_of(body)
    publisher = StatePublisher(bus, lambda: view)
    heard = Heard(bus, "/joint_states", "/tf", "/odom")
    heard.run(body, publisher, 1.0)
    assert [len(samples) for samples in heard.samples.values()] == [pytest.approx(50, abs=1)] * 3
    joints = heard.samples["/joint_states"][-1]
    assert tuple(joints.name) == body.joint_names
    np.testing.assert_allclose(joints.position, body.read().position)
    odom = heard.samples["/odom"][-1]
    assert (odom.header.frame_id, odom.child_frame_id) == ("odom", body.robot.root)


def test_the_tree_of_frames_is_map_odom_root_links(body) -> None:
    bus, view = Bus(), view_of(body, origin=np.array([1.0, 2.0, math.pi / 2]), map_pose=(0.5, 0.0, 0.0))
    publisher = StatePublisher(bus, lambda: view)
    heard = Heard(bus, "/tf", "/tf_static")
    heard.run(body, publisher, 0.1)
    moving = {t.child_frame_id: t for t in heard.samples["/tf"][-1].transforms}
    fixed = {t.child_frame_id: t for t in heard.samples["/tf_static"][-1].transforms}
    assert moving["odom"].header.frame_id == "map"
    assert (moving["odom"].transform.translation.x, moving["odom"].transform.translation.y) == (1.0, 2.0)
    assert moving[body.robot.root].header.frame_id == "odom"
    assert fixed["map"].header.frame_id == "world"
    assert fixed["map"].transform.translation.x == 0.5
    links = {link.name for link in body.robot.links}
    assert links <= set(moving) | set(fixed)


def test_nothing_is_computed_that_nobody_wants(body, monkeypatch) -> None:
    bus, view = Bus(), view_of(body)
    publisher = StatePublisher(bus, lambda: view)
    monkeypatch.setattr(publisher, "_transforms", lambda now: pytest.fail("nobody listens to /tf"))
    Heard(bus, "/odom").run(body, publisher, 0.1)


def test_the_clock_is_that_of_the_bus(body) -> None:
    bus, view = Bus(), view_of(body)
    heard = Heard(bus, "/clock")
    heard.run(body, ClockPublisher(bus, lambda: view), 0.5)
    assert len(heard.samples["/clock"]) == pytest.approx(50, abs=1)
    assert messages.seconds(heard.samples["/clock"][-1].clock) == pytest.approx(0.5)


def test_what_a_real_robot_feels_is_told_in_the_frames_of_its_sensors(body) -> None:
    bus, view = Bus(), view_of(body)
    body.forces = {"l_sole": np.array([10.0, 5.0])}
    body.told = (Scan(0.05, np.array([1.0, math.inf]), -0.1, 0.2, range_min=0.1, range_max=5.0),)
    heard = Heard(bus, "/imu/data", "/nao/foot_force", "/scan")
    heard.run(body, FeltPublisher(bus, lambda: view), 0.2)
    imu = heard.samples["/imu/data"][-1]
    assert (imu.angular_velocity.y, imu.linear_acceleration.z) == (0.2, 9.81)
    assert imu.orientation_covariance[0] == -1.0  # it tells no orientation
    assert imu.header.frame_id
    [foot] = heard.samples["/nao/foot_force"][-1].feet
    assert (foot.link, foot.total) == ("l_sole", 15.0)
    [scan] = heard.samples["/scan"]  # each once
    assert messages.seconds(scan.header.stamp) == pytest.approx(0.05)
    assert scan.angle_max == pytest.approx(0.1)


class Stepping(HoldPose):
    """Feet that are told by hand."""

    footsteps = ({}, {})


def test_footsteps_are_kept_when_a_foot_comes_down_elsewhere(body) -> None:
    bus, view = Bus(), view_of(body)
    view.walker = walker = Stepping(body.robot, "StandInit")
    heard, publisher = Heard(bus, "/footsteps"), FootstepPublisher(bus, lambda: view)
    heard.run(body, publisher, 0.2)
    assert heard.samples["/footsteps"] == []  # no feet, no steps
    for k in range(STEPS_KEPT + 5):
        walker.footsteps = ({"left": np.array([0.1 * k, 0.05, 0.0])}, {"right": np.array([0.1 * k + 0.05, -0.05, 0.0])})
        heard.run(body, publisher, 0.1)
    steps = heard.samples["/footsteps"][-1].steps
    assert len(steps) == STEPS_KEPT + 1
    heard.run(body, publisher, 0.5)
    assert len(heard.samples["/footsteps"][-1].steps) == STEPS_KEPT + 1  # a foot that stands is told once
    publisher.rebuilt()
    heard.run(body, publisher, 0.1)
    assert len(heard.samples["/footsteps"][-1].steps) == 2


class Halving(HoldPose):
    """Carries out half of what is asked."""

    executed = Command(vx=0.1)


@pytest.mark.parametrize(("walker", "speed"), [(HoldPose, 0.2), (Halving, 0.1)])
def test_what_is_asked_and_what_is_executed_are_both_told(body, walker, speed) -> None:
    bus, view = Bus(), view_of(body)
    view.walker = walker(body.robot, "StandInit")
    topics = ("/velocity/asked", "/velocity/executed")
    heard, publisher = Heard(bus, *topics), VelocityPublisher(bus, lambda: view)
    heard.run(body, publisher, 0.1)
    assert not any(heard.samples[topic] for topic in topics)  # nobody runs it
    view.run_by(ControlLoop(body, view.walker, command=Command(vx=0.2, wz=0.3)))
    view.loop.step()
    heard.run(body, publisher, 0.3)
    asked, executed = (heard.samples[topic][-1].twist for topic in topics)
    assert (asked.linear.x, asked.angular.z) == (0.2, 0.3)
    assert executed.linear.x == speed


@pytest.mark.parametrize("mode", [Mode.POSITION, Mode.VELOCITY, Mode.TORQUE])
def test_what_servos_are_told_stands_in_the_part_of_its_mode(body, mode) -> None:
    bus, view, names = Bus(), view_of(body), body.robot.joint_names
    topic = "/joint_targets/executed"
    heard, publisher = Heard(bus, topic), TargetPublisher(bus, lambda: view)
    heard.run(body, publisher, 0.1)
    assert heard.samples[topic] == []  # nobody tells them anything
    view.run_by(ControlLoop(body, view.walker))
    view.loop.step()
    view.walker.modes = np.full(len(names), Mode.POSITION)
    view.walker.modes[3] = mode
    view.loop.targets = np.arange(len(names)) / 10.0
    heard.run(body, publisher, 0.1)
    told = heard.samples[topic][-1]
    assert told.name == list(names)
    parts = {Mode.POSITION: told.position, Mode.VELOCITY: told.velocity, Mode.TORQUE: told.effort}
    assert parts[mode][3] == 0.3
    assert told.position[4] == 0.4
    others = [values for kind, values in parts.items() if kind not in (mode, Mode.POSITION)]
    assert not any(len(values) for values in others)
    assert (mode is Mode.POSITION) == bool(np.isfinite(told.position[3]))


def test_a_publisher_that_is_closed_leaves_its_topics(body) -> None:
    bus, view = Bus(), view_of(body)
    publisher = StatePublisher(bus, lambda: view)
    assert "/joint_states" in bus.topics()
    publisher.close()
    assert "/joint_states" not in bus.topics()
