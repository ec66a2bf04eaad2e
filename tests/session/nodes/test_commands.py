"""Commands on the bus: /joint_targets, the stop plan and what happens when targets cease, a flood of velocities."""

import math

import numpy as np
import pytest

from andante.bags import messages
from andante.control.joints.following import Following, FollowSettings
from andante.control.stop_plan import StopPlanner
from andante.locomotion import Command
from andante.locomotion.gaits import Request, prepare
from andante.session import LiveSession

STAND = Command()
TARGETS, PLAN = "sensor_msgs/msg/JointState", "trajectory_msgs/msg/JointTrajectory"


class Leader:
    """Walks the robot of a session from outside: its walker reads what the session feels and publishes targets."""

    def __init__(self, session: LiveSession, gait: str = "walk") -> None:
        self.session = session
        self.walker = prepare(session.stage.robot, Request(gait)).walker
        self.planner = StopPlanner(self.walker)
        self.targets = session.bus.advertise("/joint_targets", TARGETS)
        self.plans = session.bus.advertise("/joint_targets/stop", PLAN)

    def lead(self, seconds: float, command: Command = STAND, plan: bool = True) -> None:
        names = list(self.session.stage.robot.joint_names)
        for _ in range(round(seconds / 0.01)):
            state = self.session.stage.control.state
            values = self.walker.update(state, command, 0.01)
            self.targets.publish(
                messages.make(TARGETS, header=messages.header(state.time), name=names, position=values)
            )
            made = self.planner.step(state, command, values)
            if made is not None and plan:
                points = [
                    {"positions": row, "time_from_start": messages.duration(k * made.period)}
                    for k, row in enumerate(made.targets)
                ]
                self.plans.publish(
                    messages.make(PLAN, header=messages.header(made.time), joint_names=names, points=points)
                )
            self.session.run(0.01)

    def close(self) -> None:
        self.targets.close()
        self.plans.close()


@pytest.fixture
def leader(session: LiveSession):
    made = Leader(session)
    yield made
    made.close()


def stand_still(session: LiveSession, seconds: float) -> float:
    """Let a time pass; when the robot moved last in it [s]."""
    moved, sim = 0.0, session.stage.sim
    for k in range(round(seconds / 0.01)):
        session.run(0.01)
        if np.abs(sim.base_velocity[:2]).max() > 0.03:
            moved = 0.01 * (k + 1)
    return moved


def test_a_nao_walks_by_targets_and_is_taken_over_without_a_jump(session: LiveSession, leader: Leader) -> None:
    sent = session.stage.targets
    leader.lead(0.02)
    assert session.behaviour == "follow"
    assert np.abs(session.stage.targets - sent).max() < 0.02
    leader.lead(0.5)
    leader.lead(2.0, Command(vx=0.2))
    assert session.stage.sim.base_pose[0] > 0.2
    assert not session.stage.sim.fallen


@pytest.mark.parametrize("after", [1.5, 1.57, 1.64, 1.71])
def test_a_walking_nao_whose_targets_cease_finishes_its_step_and_stands(
    session: LiveSession, leader: Leader, after: float
) -> None:
    leader.lead(0.5)
    leader.lead(after, Command(vx=0.21))
    walked = session.stage.sim.base_pose[0]
    assert stand_still(session, 3.0) < 2.0
    assert not session.stage.sim.fallen
    assert session.stage.sim.base_pose[0] - walked < 0.35
    assert session.behaviour == "balance"
    assert session.stage.sim.base_pose[2] > 0.29


@pytest.mark.parametrize("after", [1.5, 1.7, 1.9])
@pytest.mark.parametrize(("robot", "gait"), [("shell", "tripod"), ("shell", "ripple")])
def test_a_robot_on_many_legs_whose_targets_cease_holds_its_joints_and_stays_up(
    robot: str, gait: str, after: float
) -> None:
    with LiveSession(robot, "empty") as session:
        session.run(1.0)
        leader = Leader(session, gait)
        assert leader.walker.ahead() is None  # no plan is made: it can be stopped at any instant
        leader.lead(0.5)
        leader.lead(after, Command(vx=0.6 * leader.walker.max_speed))
        walked, held = session.stage.sim.base_pose[0], session.stage.targets.copy()
        assert walked > 0.02
        assert stand_still(session, 2.0) < 1.0
        assert session.stage.targets == pytest.approx(held, abs=0.01)  # the last ones are still reached
        assert session.behaviour == "hold"
        assert not session.stage.sim.fallen
        assert session.stage.sim.base_pose[0] - walked < 0.1
        leader.close()


def test_a_stream_that_paused_must_cease_before_it_is_heeded_again(session: LiveSession, leader: Leader) -> None:
    leader.lead(0.5)
    leader.lead(1.0, Command(vx=0.2))
    session.run(FollowSettings.timeout + 0.05)
    leader.lead(0.1, Command(vx=0.2))
    present = session.stage.activities.present
    assert isinstance(present, Following)
    assert present.ceased
    leader.lead(3.0)  # it stands by itself although targets still come
    assert session.behaviour == "balance"
    session.run(FollowSettings.timeout + 0.05)
    leader.walker = prepare(session.stage.robot, Request("walk")).walker
    leader.planner = StopPlanner(leader.walker)
    leader.lead(0.1)
    assert session.behaviour == "follow"


def test_without_a_plan_joints_are_held_where_they_were_sent(session: LiveSession) -> None:
    topic = session.bus.advertise("/joint_targets", TARGETS)
    most = session.stage.robot.joint("HeadYaw").limits
    index = session.stage.robot.joint_names.index("HeadYaw")
    before = session.stage.targets.copy()
    for _ in range(100):
        topic.publish(messages.make(TARGETS, name=["HeadYaw"], position=[9.0]))
        session.run(0.01)
        assert abs(session.stage.targets[index] - before[index]) <= most.velocity * 0.01 + 1e-9  # within its speed
        before = session.stage.targets.copy()
    assert before[index] == pytest.approx(most.upper)
    session.run(1.0)
    assert session.behaviour == "hold"
    assert session.stage.targets[index] == pytest.approx(most.upper)
    topic.close()


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"name": ["Tail"], "position": [0.0]}, "no joint 'Tail'"),
        ({"name": ["HeadYaw"], "position": []}, "1 joints need as many positions"),
        ({"name": ["HeadYaw"], "position": [math.nan]}, "must be finite"),
    ],
)
def test_what_cannot_be_followed_is_told(session: LiveSession, fields, words: str) -> None:
    lines: list[str] = []
    told = session.bus.subscribe("/rosout", None, lambda message: lines.append(message.msg), queue=50)
    topic = session.bus.advertise("/joint_targets", TARGETS)
    topic.publish(messages.make(TARGETS, **fields))
    session.run(0.02)
    assert any(words in line for line in lines)
    assert session.behaviour == "balance"
    topic.close()
    told.close()


TWIST = "geometry_msgs/msg/Twist"
FLOOD = 100  # messages in every control period


def test_velocities_a_hundred_times_too_often_and_no_numbers_among_them(session: LiveSession) -> None:
    lines: list[str] = []
    told = session.bus.subscribe("/rosout", None, lambda message: lines.append(message.msg), queue=1000)
    topic, rng = session.bus.advertise("/cmd_vel", TWIST), np.random.default_rng(3)
    bad = (math.nan, math.inf, -math.inf, 1e300)
    for period in range(250):
        for k in range(FLOOD):
            vx, vy, wz = rng.uniform(-1.0, 1.0, 3) * (0.35, 0.12, 1.0)
            if k % 2:
                vx = bad[k % len(bad)] if k % 4 == 1 else 1e3 * (1 + period) + k  # always other words
            topic.publish(messages.make(TWIST, linear={"x": vx, "y": vy}, angular={"z": wz}))
        session.run(0.01)
    assert session.behaviour == "drive"
    assert not session.stage.sim.fallen
    warned = [line for line in lines if "three finite numbers" in line]
    assert 5 <= len(warned) <= 15  # five a second, not a thousand
    session.run(2.0)  # the deadman: nobody says anything any more
    assert session.stage.walker.standing
    assert not session.stage.sim.fallen
    topic.close()
    told.close()
