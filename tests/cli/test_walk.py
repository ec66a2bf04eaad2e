"""`andante rig` and `andante walk`: JSON by the contract, files whole or absent, one-line errors."""

import json
import shutil
from pathlib import Path

import pytest


def test_rig_writes_what_walk_reads(andante, tmp_path):
    path = tmp_path / "shell.rig.toml"
    code, out, err = andante("rig", "shell", "-o", path, "--json")
    assert (code, err) == (0, "")
    assert [leg["foot"] for leg in json.loads(out)["legs"]] == [f"lower_foot_{k}" for k in range(1, 7)]
    record = tmp_path / "walk.csv"
    words = ("walk", "shell", "--rig", path, "--velocity", "0.08 0 0", "--seconds", 2, "--record", record, "--json")
    code, out, err = andante(*words)
    assert (code, err) == (0, "")
    told = json.loads(out)
    assert {"engine", "gait", "distance", "drift", "turned", "time", "fallen"} <= set(told)
    assert (told["engine"], told["gait"], told["fallen"]) == ("mujoco", "tripod", False)
    assert 0.05 < told["distance"] < 0.25
    assert told["time"] > 2.0
    assert record.stat().st_size > 1000
    code, out, _ = andante("rig", "shell")
    assert code == 0
    assert "[[legs]]" in out


def test_sim_stands_in_the_rig_beside_the_file(andante, tmp_path):
    pybullet_data = pytest.importorskip("pybullet_data")
    shutil.copytree(Path(pybullet_data.getDataPath()) / "a1", tmp_path / "a1")
    file = tmp_path / "a1" / "a1.urdf"
    _, out, _ = andante("rig", file, "-o", tmp_path / "a1" / "a1.rig.toml", "--json")
    height = json.loads(out)["height"]
    code, out, _ = andante("sim", file, "--seconds", 1, "--json")
    assert code == 0
    assert json.loads(out)["base"][2] == pytest.approx(height, abs=0.02)
    assert not json.loads(out)["fallen"]


def test_parameters_and_words(andante, tmp_path):
    params = tmp_path / "gait.toml"
    params.write_text("step_height = 0.02\nduty = 0.6\n")
    code, out, err = andante("walk", "shell", "--params", params, "--turn", 20, "--push", "0.5 left 0.5")
    assert (code, err) == (0, "")
    assert "gait tripod" in out


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("walk", "shell"), "a walk needs one of distance, turn or velocity with seconds, got none"),
        (("walk", "shell", "--distance", 1, "--turn", 90), "got distance and turn"),
        (("walk", "shell", "--velocity", "1 0 0"), "must be given together"),
        (("walk", "shell", "--velocity", "1 0", "--seconds", 1), "vx vy wz"),
        (("walk", "shell", "--distance", "nan"), "distance must be"),
        (("walk", "shell", "--distance", 1, "--speed", 0), "percentage"),
        (("walk", "shell", "--distance", 1, "--gait", "gallop"), "tripod, ripple, wave"),
        (("walk", "rover", "--distance", 1), "no legs to walk on"),
        (("walk", "shell", "--distance", 1, "--params", "missing.toml"), "missing.toml"),
        (("walk", "shell", "--distance", 1, "--rig", "missing.toml"), "missing.toml"),
        (("walk", "shell", "--distance", 1, "--record", "x.txt"), "x.txt"),
        (("walk", "shell", "--distance", 1, "--push", "hard"), "push"),
        (("rig", "waffle"), "no legs"),
        (("rig", "shell", "--knees", "odd"), "same, back"),
        (("rig", "shell", "-o", "rig.txt"), "toml"),
    ],
)
def test_bad_input_is_one_line(andante, words, told, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, out, err = andante(*words)
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert told in err
    assert not list(tmp_path.iterdir())
