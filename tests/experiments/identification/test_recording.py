"""Recordings that cannot serve are refused in one line; those that can survive their way through files."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import andante as an
from andante.bags import BagTopic, BagWriter, messages
from andante.errors import AndanteError, BadInput
from andante.experiments.identification import IdentifyJob, JointRecording, excitation, identify, read_joint_recording
from andante.experiments.identification.recording import write_joint_recording


def made(seconds: float = 5.0, **changes) -> JointRecording:
    """Two joints that follow their targets a little late."""
    times = np.arange(0.0, seconds, 0.01)
    q = np.stack([0.3 * np.sin(2 * np.pi * times - 0.1), 0.2 * np.sin(5 * times - 0.1)], axis=1)
    target = np.stack([0.3 * np.sin(2 * np.pi * times), 0.2 * np.sin(5 * times)], axis=1)
    none = np.full_like(q, np.nan)
    told = JointRecording(("hinge0", "hinge1"), times, q, times, target, none, none, none, "told.csv")
    return replace(told, **changes)


def with_nan() -> JointRecording:
    told = made()
    told.positions[17, 0] = np.nan
    return told


def with_a_gap() -> JointRecording:
    told, rows = made(), np.r_[0:200, 300:500]
    parts = ("positions", "targets", "speeds", "efforts", "currents")
    times = told.times[rows]
    return replace(told, times=times, target_times=times, **{part: getattr(told, part)[rows] for part in parts})


BAD = [
    (lambda: made(names=("a", "b")), "no joint of 'arm' is told to move and moves"),
    (lambda: made(seconds=0.5), "too short"),
    (lambda: made(positions=np.zeros((500, 2))), "does not move"),
    (lambda: made(positions=np.degrees(made().positions), targets=np.degrees(made().targets)), "degrees"),
    (with_nan, "sample 18 of joint 'hinge0' holds a number that is not finite"),
    (with_a_gap, "nothing is recorded from 1.99 to 3.00 s"),
    (lambda: made(targets=-made().targets), "goes against its targets .* is its sign turned"),
    (lambda: made(times=made().times[::-1].copy()), "times do not grow"),
    (lambda: made(targets=np.full((500, 2), np.nan)), "has no targets"),
    (lambda: made(targets=np.full((500, 2), 0.3)), "targets of joint 'hinge0' never change"),
    (lambda: replace(made(seconds=100.0), times=np.arange(10000) * 0.5), "too few"),
]


@pytest.mark.parametrize(("recording", "words"), BAD)
def test_bad_recordings_are_told_in_one_line(arms, recording, words):
    joints = () if "no joint" in words else ("hinge0",)
    with pytest.raises(BadInput, match=words) as caught:
        identify(IdentifyJob((recording(),), arms.arm(2), joints, engine=""))
    assert "\n" not in str(caught.value)


def test_a_joint_that_was_not_recorded_is_named(arms):
    told = made(names=("hinge0", "other"))
    with pytest.raises(
        BadInput, match="joint 'hinge1' is not recorded, which the fit needs; recorded joints: hinge0, oth"
    ):
        identify(IdentifyJob((told,), arms.arm(2), ("hinge1",), engine=""))


@pytest.mark.parametrize("name", ["told.csv", "told.mcap", "told.bag"])
def test_recordings_survive_files(tmp_path, name):
    told = made(efforts=np.random.default_rng(1).normal(size=(500, 2)))
    write_joint_recording(tmp_path / name, told)
    back = read_joint_recording(tmp_path / name)
    assert back.names == told.names
    assert back.times == pytest.approx(told.times, abs=1e-6)
    assert back.positions == pytest.approx(told.positions, abs=1e-6)
    assert back.targets == pytest.approx(told.targets, abs=1e-6)
    assert back.efforts == pytest.approx(told.efforts, abs=1e-6)
    assert back.told("hinge0") == "position"
    assert back.told("nobody") == ""


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "has the columns"),
        ("x,y\n1,2\n", "has the columns"),
        ("time,a.angle\n0,1\n", "column 'a.angle' is none of"),
        ("time,a.target\n0,1\n", "no joint has a position"),
        ("time,a.position,a.target\n0,1\n", "3 numbers are wanted"),
        ("time,a.position,a.target\n", "is empty"),
    ],
)
def test_bad_tables_are_told_with_their_place(tmp_path, text, words):
    (tmp_path / "t.csv").write_text(text)
    with pytest.raises(BadInput, match=words):
        read_joint_recording(tmp_path / "t.csv")


def test_a_recorded_motion_has_targets_and_a_note_where_the_base_was_free(tmp_path):
    result = an.play("nao", "StandInit", seconds=2.5, record=tmp_path / "still.mcap")
    told = read_joint_recording(tmp_path / "still.mcap")
    assert not result.fallen
    assert told.told("LKneePitch") == "position"
    assert np.isfinite(told.targets).all()
    assert told.notes == ()
    an.walk("nao", distance=0.1, record=tmp_path / "walk.mcap")
    (note,) = read_joint_recording(tmp_path / "walk.mcap").notes
    assert "the base was not held: it went 0.1" in note


def test_targets_that_were_executed_come_before_those_that_were_asked_for(tmp_path):
    told = made()
    with BagWriter(tmp_path / "both.mcap") as bag:
        for topic in ("/joint_states", "/joint_targets", "/joint_targets/executed"):
            bag.add(BagTopic(topic, "sensor_msgs/msg/JointState", bag.encoding))
        for k, time in enumerate(told.times):
            rows = {
                "/joint_states": told.positions[k], "/joint_targets": [9.0, 9.0],
                "/joint_targets/executed": told.targets[k],
            }  # fmt: skip
            for topic, values in rows.items():
                message = messages.make(
                    "sensor_msgs/msg/JointState", header=messages.header(float(time)), name=list(told.names),
                    position=values,
                )  # fmt: skip
                bag.write(topic, round(time * 1e9), messages.to_cdr(message))
    assert read_joint_recording(tmp_path / "both.mcap").targets == pytest.approx(told.targets)
    assert (read_joint_recording(tmp_path / "both.mcap", "/joint_targets").targets == 9.0).all()


def test_a_file_that_is_nothing_of_the_kind_is_called_so(tmp_path):
    for name in ("notes.md", "picture.png"):
        (tmp_path / name).write_bytes(b"# Notes\n\xff")
        with pytest.raises(BadInput, match=rf"{name}: neither a recording of joints .* nor an experiment"):
            an.experiment.fit(tmp_path / name, tmp_path / "out", robot="nao")


def test_a_fit_asks_for_the_robot_and_refuses_strange_files(arms, tmp_path):
    write_joint_recording(tmp_path / "told.csv", made())
    with pytest.raises(BadInput, match="whose recording"):
        an.experiment.fit(tmp_path / "told.csv", tmp_path / "out")
    with pytest.raises(AndanteError, match="no parameter 'strength'"):
        an.experiment.fit(tmp_path / "told.csv", tmp_path / "out", robot=arms.arm(2), parameters=["strength"])
    with pytest.raises(BadInput, match="no such file"):
        an.experiment.fit(tmp_path / "gone.mcap", tmp_path / "out", robot=arms.arm(2))
    assert not (tmp_path / "out").exists()


def test_an_excitation_keeps_to_limits_and_speeds():
    robot = an.robot("rover")
    start = np.zeros(len(robot.joint_names))
    motion = excitation(robot, start, (), 12.0, 100.0)
    assert "front_left_wheel_joint" not in motion.moved  # it has no motor
    for k, joint in enumerate(robot.movable):
        if joint.name.endswith("steering_joint"):
            assert (motion.rows[:, k] >= joint.limits.lower).all()
            assert (motion.rows[:, k] <= joint.limits.upper).all()
        assert np.ptp(motion.rows[:, k]) > 0 or joint.name not in motion.moved
    with pytest.raises(AndanteError, match="no joint 'tail'"):
        excitation(robot, start, ("tail",))
    with pytest.raises(BadInput, match=r"leave .* s after the way to the middle pose; give 3.5 s or more"):
        excitation(an.robot("nao"), np.zeros(26), (), 3.0)


def test_excite_records_a_simulated_robot(tmp_path):
    done = an.experiment.excite("rover", tmp_path / "r.mcap", joints=["*_steering_joint"], seconds=4.0)
    told = read_joint_recording(tmp_path / "r.mcap")
    assert done.joints == ("front_left_steering_joint", "front_right_steering_joint")
    assert told.seconds == pytest.approx(4.0, abs=0.05)
    assert told.told("rear_left_wheel_joint") == "velocity"
    assert told.moved("front_left_steering_joint") > 0.1
    with pytest.raises(BadInput, match="exists already"):
        an.experiment.excite("rover", tmp_path / "r.mcap", seconds=4.0)
