"""Motions under physics: joints follow, the robot stays up, the run can be repeated exactly."""

import math

import numpy as np
import pytest

import andante as an
from andante.control.activities import Acting, Playing
from andante.control.loop import ControlLoop
from andante.control.tracking import Tracking
from andante.errors import BadInput
from andante.motion import ActionRunner, Key, Keyframes, parse_actions, play_from
from andante.tasks.play import check_play, play


@pytest.fixture(scope="module")
def nao():
    return an.robot("nao")


def test_speed_scales_time(nao):
    motion = Keyframes("m", (Key(1.0, {"HeadYaw": 0.4}),))
    ends = []
    for speed in (1.0, 2.0):
        sim = an.simulate(nao)
        start = dict(zip(nao.joint_names, sim.joints.position, strict=True))
        playing = Playing(play_from(motion, nao, start), nao.joint_names, sim.joints.position, speed=speed)
        ControlLoop(sim, playing).run(1.2, until=lambda playing=playing: playing.finished)
        ends.append(sim.time)
        sim.close()
    assert ends == pytest.approx([1.0, 0.5], abs=0.011)
    with pytest.raises(BadInput, match="speed"):
        Playing(motion, nao.joint_names, np.zeros(26), speed=0)


def test_an_action_runner_is_played_and_pre_empted_live():
    shell = an.robot("shell")
    text = (
        "group leg = lower_coxa_1 -> lower_foot_1\n"
        "action lift preempted resume\nstep\nleg in 0.6 by 0.02 0 0.02\nstep\nleg in 0.6 by -0.02 0 -0.02\n"
        "action nod priority 3\nstep\njoint q211 in 0.4 by -0.1 ; 0\n"
    )
    runner = ActionRunner(shell, parse_actions(text))
    sim = an.simulate(shell, sensors=True)  # joints are read by the encoders
    runner.start("lift")
    acting, tracking = Acting(runner, shell.joint_names, sim.joints.position), Tracking(shell.joint_names)
    loop = ControlLoop(sim, acting)
    while loop.periods < 280:
        if loop.periods == 30:
            runner.start("nod")
        tracking.measure(loop.step(), loop.targets)
    assert [event.what for event in runner.events] == ["started", "preempted", "started", "ended", "resumed", "ended"]
    assert acting.finished
    assert not sim.fallen
    assert tracking.summary()["max"] < 0.1
    sim.close()


@pytest.mark.parametrize(
    ("robot", "motion", "kind"),
    [("nao", "wave_hand", "keyframes"), ("nao", "point", "action"), ("shell", "wave_leg", "action")],
)
def test_library_motions_are_played_upright(robot, motion, kind):
    outcome = play(robot, motion)
    assert outcome.kind == kind
    assert outcome.finished
    assert not outcome.fallen
    assert outcome.tracking["max"] < 0.08
    assert outcome.tracking["rms"] < 0.015
    assert outcome.problems == ()
    assert outcome.seconds == pytest.approx(outcome.time + 1.0, abs=0.11)


def test_the_same_job_gives_the_same_bits():
    first, second = (play("nao", "crouch", seconds=0.8) for _ in range(2))
    assert np.array_equal(first.base, second.base)
    assert np.array_equal(first.path, second.path)


def test_errors_of_the_check_stop_it_unless_told_otherwise():
    assert not check_play("shell", "wave_leg", parameters={"height": "0.2"}).ok
    with pytest.raises(BadInput, match=r"wave_leg.action:\d+: error: .*nothing was moved"):
        play("shell", "wave_leg", parameters={"height": "0.2"}, seconds=0.1)
    outcome = play("shell", "wave_leg", parameters={"height": "0.2"}, seconds=0.1, anyway=True)
    assert not outcome.finished
    assert outcome.problems


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"motion": "crouch", "loop": 2}, "crouch is played once"),
        ({"motion": "crouch", "parameters": {"x": "1"}}, "has no parameters"),
        ({"motion": "crouch", "speed": -1.0}, "speed"),
        ({"motion": "crouch", "seconds": -1.0}, "seconds"),
        ({"motion": "wave_hand", "loop": -1}, "loop"),
        ({"motion": "wave_hand", "speed": 0.0}, "speed"),
        ({"motion": "wave_hand", "record": "nowhere/x.csv"}, "folder does not exist"),
        ({"motion": "point", "parameters": {"beat": "0"}}, "between 0 and 3600"),
    ],
)
def test_bad_wishes(changes, words):
    with pytest.raises(BadInput, match=words):
        play("nao", **changes)


def test_a_result_tells_prints_and_plots_itself(nao):
    result = play(nao, "wave_hand", seconds=0.5)
    assert not result.finished
    assert math.isnan(result.time)
    assert result.seconds == pytest.approx(0.5)
    assert result.path.shape == (50, 27)
    assert result.path[:, 0] == pytest.approx(np.arange(50) / 100.0)
    assert result.joints == nao.joint_names
    assert str(result).startswith("nao played wave_hand (keyframes) on mujoco: not finished, 0.50 s simulated")
    assert "path" not in result.as_dict()
    assert set(result.as_dict()["tracking"]) == {"max", "joint", "rms"}
    assert result.plot().axes
    assert "<table>" in result._repr_html_()


@pytest.mark.parametrize("pose", ["back", "belly"])
def test_getting_up(pose):
    result = play("nao", f"get_up_{pose}")
    assert (result.kind, result.finished, result.fallen) == ("get up", True, False)
    assert result.problems == ()
    assert 1.0 < result.time < result.seconds < 30.0
