"""Motions under physics: joints follow, the robot stays up, the run can be repeated exactly."""

import numpy as np
import pytest

import andante as an
from andante.bus.player import Player
from andante.errors import BadInput
from andante.motion import ActionRunner, Key, Keyframes, parse_actions, play_from, transition
from andante.tasks.play import PlayJob, check_play, run_play


@pytest.fixture(scope="module")
def nao():
    return an.robot("nao")


def test_player_sends_targets_and_measures_the_gap(nao):
    sim = an.simulate(nao)
    move = transition(nao, sim.joints.position, {"HeadYaw": 0.8, "HeadPitch": 0.2}, 0.3)
    player = Player(sim, move)
    sim.observers.append(player)
    sim.run(move.duration + 0.5)
    assert player.finished
    assert player.ended_at == pytest.approx(move.duration, abs=0.011)
    assert sim.joints["HeadYaw"] == pytest.approx(0.8, abs=0.01)
    assert set(player.errors()) == {"HeadYaw", "HeadPitch"}
    assert 0 < player.tracking()["rms"] <= player.tracking()["max"] < 0.15
    assert player.next_time == pytest.approx(sim.time, abs=0.02)
    with pytest.raises(BadInput, match="speed"):
        Player(sim, move, speed=0)
    sim.close()


def test_speed_scales_time(nao):
    motion = Keyframes("m", (Key(1.0, {"HeadYaw": 0.4}),))
    ends = []
    for speed in (1.0, 2.0):
        sim = an.simulate(nao)
        player = Player(
            sim, play_from(motion, nao, dict(zip(nao.joint_names, sim.joints.position, strict=True))), speed
        )
        sim.observers.append(player)
        sim.run(1.2)
        ends.append(player.ended_at)
        sim.close()
    assert ends == pytest.approx([1.0, 0.5], abs=0.011)


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
    player = Player(sim, runner)
    sim.observers.append(player)
    sim.run(0.3)
    runner.start("nod")
    sim.run(2.5)
    assert [event.what for event in runner.events] == ["started", "preempted", "started", "ended", "resumed", "ended"]
    assert player.finished
    assert not sim.fallen
    assert player.tracking()["max"] < 0.1
    sim.close()


@pytest.mark.parametrize(
    ("robot", "motion", "kind"),
    [("nao", "wave_hand", "keyframes"), ("nao", "point", "action"), ("shell", "wave_leg", "action")],
)
def test_library_motions_are_played_upright(robot, motion, kind):
    outcome = run_play(PlayJob(robot, motion))
    assert outcome.kind == kind
    assert outcome.finished
    assert not outcome.fallen
    assert outcome.tracking["max"] < 0.08
    assert outcome.tracking["rms"] < 0.015
    assert outcome.problems == ()
    assert outcome.seconds == pytest.approx(outcome.time + 1.0, abs=0.11)


def test_the_same_job_gives_the_same_bits():
    job = PlayJob("nao", "crouch", seconds=0.8)
    assert np.array_equal(run_play(job).base, run_play(job).base)


def test_errors_of_the_check_stop_it_unless_told_otherwise():
    job = PlayJob("shell", "wave_leg", parameters={"height": "0.2"}, seconds=0.1)
    assert not check_play(job).ok
    with pytest.raises(BadInput, match=r"wave_leg.action:\d+: error: .*nothing was moved"):
        run_play(job)
    outcome = run_play(PlayJob("shell", "wave_leg", parameters={"height": "0.2"}, seconds=0.1, anyway=True))
    assert not outcome.finished
    assert outcome.problems


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"motion": "crouch", "loop": 2}, "a pose is taken once"),
        ({"motion": "crouch", "parameters": {"x": "1"}}, "has no parameters"),
        ({"motion": "crouch", "speed": -1.0}, "speed"),
        ({"motion": "crouch", "seconds": -1.0}, "seconds"),
        ({"motion": "wave_hand", "loop": -1}, "loop"),
        ({"motion": "wave_hand", "speed": 0.0}, "speed"),
        ({"motion": "wave_hand", "record": "nowhere/x.csv"}, "folder does not exist"),
        ({"motion": "point", "parameters": {"beat": "0"}}, "between 0 and 3600"),
    ],
)
def test_bad_jobs(changes, words):
    from pathlib import Path

    if "record" in changes:
        changes = {**changes, "record": Path(changes["record"])}
    with pytest.raises(BadInput, match=words):
        run_play(PlayJob("nao", **changes))
