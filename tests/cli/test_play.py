"""`andante play` as scripts rely on it."""

import json

import pytest


def test_json_of_a_pose(andante):
    code, out, err = andante("play", "nao", "STANDZERO", "--seconds", "0.5", "--speed", "2", "--json")
    data = json.loads(out)
    assert (code, err) == (0, "")
    assert (data["robot"], data["motion"], data["kind"], data["engine"]) == ("nao", "StandZero", "pose", "mujoco")
    assert {"tracking", "fallen", "time", "finished", "seconds", "problems", "base"} <= set(data)
    assert {"max", "rms", "joint"} == set(data["tracking"])
    assert data["fallen"] is False


@pytest.mark.engine("bullet")
def test_words_record_and_loops(andante, tmp_path):
    motion = tmp_path / "nod.csv"
    motion.write_text("time,HeadPitch\n0.2,0.3\n0.4,0\n")
    code, out, _ = andante(
        "play", "nao", motion, "--loop", "2", "--record", tmp_path / "run.csv", "--world", "lab", "--engine", "bullet"
    )
    assert code == 0
    assert "nao played nod (keyframes) on bullet: finished after 0.80 s" in out
    assert "joints follow within" in out
    assert (tmp_path / "run.csv").read_text().count("\n") > 40
    code, out, _ = andante("play", "nao", motion, "--loop", "0", "--seconds", "0.5", "--json")
    data = json.loads(out)
    assert data["finished"] is False
    assert data["time"] is None


def test_check_moves_nothing_and_names_lines(andante, tmp_path):
    code, out, _ = andante("play", "shell", "wave_leg", "--check")
    assert (code, out.strip().splitlines()[-1]) == (0, "wave_leg (action) for shell: ok")
    code, out, _ = andante("play", "shell", "wave_leg", "--set", "height=0.2", "--check", "--json")
    data = json.loads(out)
    assert (code, data["ok"], data["kind"]) == (0, False, "action")
    assert data["problems"][0]["severity"] == "error"
    assert data["problems"][0]["where"].endswith("wave_leg.action:10")
    code, out, _ = andante("play", "shell", "wave_leg", "--set", "height=0.2", "--check")
    assert code == 0
    assert "not ok" in out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["play", "nao", "tango"], "Crouch"),
        (["play", "nobody", "dance"], "nao"),
        (["play", "nao", "no/such.toml"], "no/such.toml"),
        (["play", "nao", "point", "--set", "reach"], "NAME=VALUE"),
        (["play", "nao", "point", "--set", "size=1"], "reach, height, beat"),
        (["play", "nao", "wave_hand", "--engine", "magic"], "mujoco"),
        (["play", "nao"], "MOTION"),
        (["play", "nao", "wave_hand", "--picture", "end.txt"], "end.txt: pictures are written as .png"),
        (["play", "nao", "wave_hand", "--video", "run.avi"], "run.avi: videos are written as .mp4"),
        (["play", "nao", "wave_hand", "--record", "none/run.csv"], "the folder does not exist"),
        (["play", "nao", "wave_hand", "--seconds", "soon"], "--seconds"),
    ],
)
def test_bad_input_is_one_line(andante, words, said):
    code, out, err = andante(*words)
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert said in err


def test_key_frames_back_in_time_and_unknown_joints(andante, tmp_path):
    path = tmp_path / "m.toml"
    path.write_text("[[keys]]\ntime = 1.0\nHeadYaw = 0.1\n[[keys]]\ntime = 0.5\nHeadYaw = 0.2\n")
    code, _, err = andante("play", "nao", path)
    assert code == 2
    assert f"{path}:4: key 2" in err
    path.write_text("[[keys]]\ntime = 1.0\nTail = 0.1\n")
    code, _, err = andante("play", "nao", path)
    assert code == 2
    assert "no joint 'Tail'" in err
    assert "HeadYaw" in err
