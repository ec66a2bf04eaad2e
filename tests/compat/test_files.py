"""What was written by and for 0.1.0 is read by this version: studies, recordings, launch, rig and motion files.

How the files were made stands in files/README.md.
"""

import json
import os
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

from andante.cli import main as cli


@pytest.fixture
def andante(capsys, monkeypatch, files):
    """Runs a command in the folder of the files; its JSON."""
    monkeypatch.chdir(files)

    def run(*words):
        monkeypatch.setattr("sys.argv", ["andante", *map(str, words), "--json"])
        with pytest.raises(SystemExit) as ended:
            cli.main()
        out, err = capsys.readouterr()
        assert not ended.value.code, err
        return json.loads(out)

    return run


def test_a_launch_file_runs_and_ends_where_it_did(andante, files):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        ended = andante("launch", "launch.toml")
    assert ended["robot"] == "waffle"
    assert ended["behaviour"] in ("drive", "balance")  # a base that is told to stop stands sooner now
    assert ended["seconds"] == pytest.approx(0.6)
    # 0.4 s at 0.2 m/s: 0.1.0 told 0.079 m, without the ramp that a driven base has now
    assert ended["position"][0] == pytest.approx(0.07, abs=0.02)
    told = andante("bag", "info", "runs/drive.mcap")
    assert {"/joint_states", "/odom", "/scan", "/imu/data", "/tf", "/clock", "/status"} <= {
        topic["name"] for topic in told["topics"]
    }


def test_a_launch_file_of_a_humanoid_runs(andante):
    ended = andante("launch", "launch_nao.toml")
    assert not ended["fallen"]


@pytest.mark.parametrize(("name", "messages"), [("drive.mcap", 223), ("sim.mcap", None), ("stand.bag", None)], ids=str)
def test_a_recording_is_read(andante, name, messages):
    told = andante("bag", "info", name)
    assert told["messages"] > 20
    if messages:
        assert told["messages"] == messages
    assert not told.get("torn")


def test_a_recorded_drive_is_mapped(andante, files):
    told = andante("map", "drive.mcap", "-o", "map")
    assert told["scans"] == 4
    assert (files / "map.pgm").stat().st_size > 100


@pytest.mark.parametrize("recording", ["stand.bag", "sim.csv"])
def test_a_recording_is_played_on_the_robot(andante, recording):
    told = andante("play", "nao", recording)
    assert told["seconds"] > 0.05
    assert not told["fallen"]


@pytest.mark.parametrize("motion", ["best.motion.toml", "bend_knees.action"])
def test_a_motion_file_passes_the_check(andante, motion):
    told = andante("play", "nao", motion, "--check")
    assert not [problem for problem in told["problems"] if problem.get("severity") == "error"]


def test_a_rig_file_serves_a_walk(andante):
    told = andante("walk", "shell", "--rig", "shell.rig.toml", "--velocity", "0.05 0 0", "--seconds", "1")
    assert told["gait"]
    assert not told["fallen"]


def test_exported_gait_parameters_are_tried(andante):
    told = andante("gait", "eval", "nao", "--params", "best.toml", "--seconds", "1")
    assert np.isfinite(told["fitness"])


def test_a_gait_study_is_read_resumed_and_exported(andante, files):
    study = files / "studies" / "gait"
    assert andante("gait", "best", study)["best"]["index"] == 0
    andante("gait", "export", study, "anew", "--cycles", "1")
    assert (files / "anew.toml").read_text().splitlines()[1:] == (files / "best.toml").read_text().splitlines()[1:]
    again = andante("gait", "resume", study, "--budget", 6, "--workers", 0)
    assert again["candidates"] == 6
    assert again["evaluated"] == 2
    assert again["failed"] == 0


def test_a_gait_study_gives_the_same_fitness_as_then(files):
    """With the rounding of the machine that wrote it: OpenBLAS takes other code for other processors, principal axes of
    links differ by 1e-15 then, and contacts make 1e-3 of it within the second."""
    cpu = Path("/proc/cpuinfo")
    rounds_alike = cpu.is_file() and "avx512vl" in cpu.read_text().split()
    study = files / "studies" / "gait"
    old = [json.loads(line) for line in (study / "results.jsonl").read_text().splitlines()]
    (study / "results.jsonl").write_text("")
    command = (sys.executable, "-m", "andante", "gait", "resume", str(study), "--workers", "0")
    rounding = {"OPENBLAS_CORETYPE": "SkylakeX"} if rounds_alike else {}
    subprocess.run(command, check=True, env=os.environ | rounding, stdout=subprocess.DEVNULL)
    new = [json.loads(line) for line in (study / "results.jsonl").read_text().splitlines()]
    assert [row["parameters"] for row in new] == [row["parameters"] for row in old]
    within = 1e-6 if rounds_alike else 5e-3
    assert [row["fitness"] for row in new] == pytest.approx([row["fitness"] for row in old], rel=within)


EXPERIMENTS = (
    "straight-walk", "turn-in-place", "wave-gait", "hexapod-gaits", "rover-trials", "localization", "navigation",
    "engine-parity",
)  # fmt: skip


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_a_half_done_experiment_is_reported(andante, files, name):
    told = andante("experiment", "report", files / "studies" / name)
    assert any("1 trial" in line for line in told["verdict"])
    assert (files / "studies" / name / "report" / "report.html").stat().st_size > 1000


@pytest.mark.parametrize("name", ["straight-walk", "turn-in-place"])
def test_a_half_done_experiment_is_still_the_same_one(andante, files, name):
    """Reports show more of its trials by now, and it may be run in other modes."""
    folder = files / "studies" / name
    run = ("experiment", "run", name, "-o", folder, "--workers", 0, "--trials", 1, "--engines", "mujoco")
    told = andante(*run, "--minutes", 1e-12)
    assert (told["trials"], told["evaluated"], told["complete"]) == (1, 0, False)


def test_a_half_done_experiment_goes_on(andante, files):
    told = andante(
        "experiment",
        "run",
        "wave-gait",
        "-o",
        files / "studies" / "wave-gait",
        "--workers",
        0,
        "--trials",
        1,
        "--engines",
        "mujoco",
    )
    assert told["complete"]
    assert told["evaluated"] == 2
    assert told["failed"] == 0


def test_an_experiment_in_python_runs(andante):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        told = andante("experiment", "run", "pendulum.py:PENDULUM", "-o", "pendulum", "--trials", 1, "--workers", 0)
    assert told["complete"]
    assert told["failed"] == 0
