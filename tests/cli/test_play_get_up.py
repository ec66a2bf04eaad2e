"""`andante play nao get-up` and recordings as scripts rely on them."""

import json

import pytest


def test_gets_up(andante):
    code, out, err = andante("play", "nao", "get-up", "--json")
    data = json.loads(out)
    assert (code, err) == (0, "")
    assert (data["motion"], data["kind"], data["finished"], data["fallen"]) == ("get_up", "get up", True, False)
    assert 5 < data["time"] < 30
    assert data["base"][2] > 0.3


def test_lies_when_time_is_short(andante):
    code, out, _ = andante("play", "nao", "Get_Up_Belly", "--seconds", "0.3")
    assert code == 0
    assert "not finished" in out
    assert "fallen" in out


def test_sim_lies_in_a_lying_pose(andante):
    code, out, _ = andante("sim", "nao", "--pose", "LyingBack", "--seconds", "0.2", "--json")
    data = json.loads(out)
    assert code == 0
    assert data["fallen"] is True
    assert data["base"][2] < 0.1


@pytest.mark.parametrize("suffix", ["csv", "mcap"])
def test_sim_recorded_and_played(andante, tmp_path, suffix):
    path = tmp_path / f"run.{suffix}"
    assert andante("sim", "nao", "--seconds", "0.4", "--record", path)[0] == 0
    code, out, _ = andante("play", "nao", path, "--speed", "2", "--joints", "L*", "--json")
    data = json.loads(out)
    assert (code, data["kind"], data["finished"]) == (0, "recording", True)
    assert data["time"] < 0.4


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["play", "nao", "Sit"], "'Sit' is no standing pose"),
        (["play", "nao", "get-up", "--loop", "2"], "get-up is played once; loop is for motions and actions"),
        (["play", "shell", "get-up"], "no pose or motion 'get-up'"),
        (["play", "nao", "none.mcap"], "none.mcap: no such file"),
        (["play", "nao", "wave_hand", "--joints", "L*"], "wave_hand is not a recording; joints are picked"),
    ],
)
def test_bad_input_is_one_line(andante, words, said):
    code, out, err = andante(*words)
    assert (code, out) == (2, "")
    assert said in err
    assert len(err.strip().splitlines()) == 1
