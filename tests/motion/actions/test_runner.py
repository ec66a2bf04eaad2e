"""The action runner: sequence, loops, priorities, pre-emption, and targets that never jump."""

from math import inf

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from andante.errors import BadInput, UnknownName
from andante.motion import ActionRunner, MotionLimits, parse_actions

TEXT = """
group leg = lower_coxa_1 -> lower_foot_1
action up_down priority 1 preempted resume
  step up
    leg in 0.4 by 0.02 0 0.02
  step down
    leg in 0.4 by -0.02 0 -0.02
action once priority 1
  step side
    leg in 0.6 by 0 0.04 0
action shake priority 5
  step
    joint q114 in 0.8 by 0.2 ; -0.2 ; 0
    joint q211 in 0.8 by 0.2 ; 0
action forever priority 0 loop forever
  step
    joint q221 in 0.3 by 0.1 ; 0
action thrice priority 0 loop 3
  step
    joint q221 in 0.4 by 0.1 ; 0
"""


@pytest.fixture
def runner(shell):
    return ActionRunner(shell, parse_actions(TEXT, "t.action"))


class Drive:
    """Calls a runner at 100 Hz with joints that follow at once, and keeps the targets."""

    def __init__(self, runner, robot, pose="stand", step=0.01):
        self.runner, self.robot, self.step = runner, robot, step
        self.now, self.joints = 0.0, robot.complete(robot.pose(pose))
        self.times, self.rows = [], []

    def run(self, seconds):
        for _ in range(round(seconds / self.step)):
            targets = self.runner.targets(self.now, self.joints)
            self.joints = self.robot.complete({**self.joints, **targets})
            self.times.append(self.now)
            self.rows.append([self.joints[joint.name] for joint in self.robot.independent])
            self.now = round(self.now + self.step, 9)
        return self

    def smooth(self):
        """Largest second difference over the acceleration limits: about 1 at most when nothing jumps."""
        rows = np.array(self.rows)
        limits = MotionLimits.of(self.robot, [j.name for j in self.robot.independent])
        return float((np.abs(np.diff(rows, 2, axis=0)) / self.step**2 / limits.acceleration).max())


def events(runner):
    return [(round(e.time, 2), e.what, e.action) for e in runner.events]


def test_nothing_asked_nothing_moves(runner, shell):
    drive = Drive(runner, shell).run(0.3)
    assert runner.idle
    assert np.ptp(np.array(drive.rows), axis=0).max() == 0


def test_joints_that_no_action_names_are_left_to_others(runner, shell):
    joints = shell.complete(shell.pose("stand"))
    assert runner.targets(0.0, joints) == {}
    runner.start("thrice")
    assert set(runner.targets(0.01, joints)) == {"q221"}
    moved = {**joints, "q112": 0.2}  # somebody else turns a hip
    runner.targets(0.3, moved)
    runner.start("once", priority=9)
    targets = runner.targets(0.31, moved)
    assert set(targets) == {"q112", "q113", "q114", "q221"}
    assert targets["q112"] == pytest.approx(0.2)  # it goes on from there


def test_steps_follow_each_other_and_it_ends_where_it_began(runner, shell):
    runner.start("up_down")
    drive = Drive(runner, shell).run(0.2)
    assert (runner.running, runner.step_name) == ("up_down", "up")
    drive.run(0.4)
    assert runner.step_name == "down"
    drive.run(0.5)
    assert runner.running is None
    assert runner.idle
    assert events(runner) == [(0.0, "started", "up_down"), (0.8, "ended", "up_down")]
    chain = shell.chain("lower_coxa_1", "lower_foot_1")
    there = chain.coordinates(chain.vector(shell.complete(shell.pose("stand"))))[:3]
    assert chain.coordinates(chain.vector(drive.joints))[:3] == pytest.approx(there, abs=1e-5)
    assert drive.smooth() < 1.2


def test_loops_by_count_and_until_stopped(runner, shell):
    runner.start("thrice")
    drive = Drive(runner, shell).run(1.5)
    assert events(runner) == [(0.0, "started", "thrice"), (1.2, "ended", "thrice")]
    runner.start("forever")
    assert runner.endless
    drive.run(1.0)
    assert runner.running == "forever"
    runner.stop()
    assert not runner.endless
    drive.run(0.4)
    assert runner.idle
    assert events(runner)[-1][1:] == ("stopped", "forever")
    rest = shell.pose("stand")["q221"]
    assert drive.joints["q221"] == pytest.approx(rest, abs=1e-6)  # a round is finished before it ends


def test_a_higher_priority_takes_over_at_once_and_the_other_resumes(runner, shell):
    runner.start("up_down")
    drive = Drive(runner, shell).run(0.2)
    runner.start("shake")
    drive.run(0.05)
    assert runner.running == "shake"
    assert runner.waiting == ("up_down",)
    drive.run(2.0)
    assert [e[1:] for e in events(runner)] == [
        ("started", "up_down"),
        ("preempted", "up_down"),
        ("started", "shake"),
        ("ended", "shake"),
        ("resumed", "up_down"),
        ("ended", "up_down"),
    ]
    assert events(runner)[2][0] == pytest.approx(0.2)
    assert runner.idle
    assert drive.smooth() < 2.5
    # it came back to the very places of its interrupted step, so it ends where it began
    chain = shell.chain("lower_coxa_1", "lower_foot_1")
    there = chain.coordinates(chain.vector(shell.complete(shell.pose("stand"))))[:3]
    assert chain.coordinates(chain.vector(drive.joints))[:3] == pytest.approx(there, abs=1e-4)


def test_one_that_ends_when_preempted_does_not_come_back(runner, shell):
    runner.start("once")
    drive = Drive(runner, shell).run(0.3)
    runner.start("shake")
    drive.run(1.5)
    assert [e[1:] for e in events(runner)][1:] == [("preempted", "once"), ("started", "shake"), ("ended", "shake")]
    assert runner.idle


def test_equal_and_lower_priorities_wait_their_turn(runner, shell):
    runner.start("once")
    drive = Drive(runner, shell).run(0.1)
    runner.start("thrice")
    runner.start("up_down")
    drive.run(0.1)
    assert runner.running == "once"
    assert runner.waiting == ("up_down", "thrice")
    drive.run(3)
    assert [e[2] for e in events(runner) if e[1] == "started"] == ["once", "up_down", "thrice"]
    assert drive.smooth() < 1.3


def test_a_halt_is_smooth(runner, shell):
    runner.start("once")
    drive = Drive(runner, shell).run(0.3)
    runner.start("thrice")
    runner.stop(now=True)
    drive.run(0.6)
    assert runner.idle
    assert events(runner)[-1][1:] == ("stopped", "once")
    assert drive.smooth() < 2.5


@given(
    st.lists(
        st.tuples(st.floats(0.01, 0.5), st.sampled_from(["up_down", "once", "shake", "thrice", "stop", "now"])),
        max_size=8,
    )
)
@settings(max_examples=15, deadline=None)
def test_whatever_is_asked_targets_stay_inside_limits_and_never_jump(shell, asked):
    runner = ActionRunner(shell, parse_actions(TEXT))
    drive = Drive(runner, shell).run(0.05)
    for wait, what in asked:
        if what in ("stop", "now"):
            runner.stop(now=what == "now")
        else:
            runner.start(what)
        drive.run(wait)
    limits = MotionLimits.of(shell, [j.name for j in shell.independent])
    rows = np.array(drive.rows)
    assert (rows >= limits.lower - 1e-9).all()
    assert (rows <= limits.upper + 1e-9).all()
    assert (np.abs(np.diff(rows, axis=0)) / 0.01 <= limits.velocity * 1.05).all()
    assert drive.smooth() < 4


def test_it_waits_for_joints_that_lag_when_told_to(shell):
    runner = ActionRunner(shell, parse_actions(TEXT), settle=0.01)
    runner.start("thrice")
    stuck = shell.complete(shell.pose("stand"))
    runner.targets(0.0, stuck)
    for k in range(1, 500):
        runner.targets(k * 0.01, {**stuck, "q221": stuck["q221"] - 0.3 if k < 480 else stuck["q221"]})
        if k in (130, 405):
            assert runner.running == "thrice"  # each of three rounds takes 0.4 s and up to 1 s of patience
    assert runner.idle
    assert runner.events[-1].time == pytest.approx(3.2, abs=0.05)


def test_parameters_and_a_priority_of_the_moment(shell):
    text = "action nod\n  parameter size = 0.1\n  step\n    joint q211 in 0.2 by size"
    runner = ActionRunner(shell, parse_actions(text))
    runner.start("nod", {"size": "0.1*2"}, priority=9)
    drive = Drive(runner, shell).run(0.5)
    assert drive.joints["q211"] == pytest.approx(shell.pose("stand")["q211"] + 0.2)


def test_unreachable_points_are_told_while_running(shell):
    text = "group leg = lower_coxa_1 -> lower_foot_1\naction far\nstep\nleg in 2 to 0.6 0 -0.1"
    runner = ActionRunner(shell, parse_actions(text, "t.action"))
    runner.start("far")
    Drive(runner, shell).run(2.2)
    assert "out of reach" in str(runner.problems[0])
    assert runner.idle


@pytest.mark.parametrize(
    ("ask", "error", "words"),
    [
        (lambda r, q: r.start("dance"), UnknownName, "up_down"),
        (lambda r, q: r.start("once", {"x": 1}), UnknownName, "no parameter 'x'"),
        (lambda r, q: r.targets(inf, q), BadInput, "backward"),
        (lambda r, q: (r.targets(1.0, q), r.targets(0.5, q)), BadInput, "backward"),
        (lambda r, q: r.targets(0.0, {"q111": 0.0}), UnknownName, "lacks joint"),
        (lambda r, q: r.targets(0.0, {**q, "q112": np.nan}), BadInput, "finite"),
    ],
)
def test_bad_use(runner, shell, ask, error, words):
    with pytest.raises(error, match=words):
        ask(runner, shell.complete(shell.pose("stand")))


def test_actions_with_missing_names_are_refused_when_asked_for(shell, nao):
    runner = ActionRunner(shell, parse_actions("action a\nstep\ntail in 1 by 0 0 1", "t.action"))
    with pytest.raises(UnknownName, match=r"t\.action:3"):
        runner.start("a")
    assert runner.idle
    with pytest.raises(BadInput, match="written for robot 'shell'"):
        ActionRunner(nao, parse_actions("robot shell\naction a\nstep\nwait 1"))
