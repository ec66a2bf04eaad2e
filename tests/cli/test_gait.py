"""`andante gait`: JSON by the contract, studies that go on, exports that play, one-line errors."""

import json
import os
import signal
import subprocess
import sys
import time
import tomllib
from pathlib import Path

import pytest

OBJECTIVES = Path(__file__).parents[1] / "search" / "objectives.py"
SPHERE = ("--objective", f"{OBJECTIVES}:Sphere", "--workers", 0, "--json")
BEST = {"parameters", "fitness", "distance", "drift", "time", "fallen"}


def told(result):
    code, out, err = result
    assert (code, err) == (0, "")
    return json.loads(out)


def test_eval_gives_the_figures_of_one_gait(andante, tmp_path):
    first = told(andante("gait", "eval", "nao", "--seconds", 1, "--json"))
    assert set(first) > BEST
    assert (first["fallen"], first["time"], first["engine"], first["variant"]) == (False, 1.0, "mujoco", "smooth")
    assert -0.1 < first["distance"] < 0.3
    (tmp_path / "gait.toml").write_text("T = 0.9\nb = 30.0\n")
    words = ("gait", "eval", "nao", "--seconds", 1, "--params", tmp_path / "gait.toml", "--set", "A_h=5", "--json")
    second = told(andante(*words))
    assert {name: second["parameters"][name] for name in ("T", "b", "A_h")} == {"T": 0.9, "b": 30.0, "A_h": 5.0}
    assert second["parameters"]["s_k"] == first["parameters"]["s_k"]
    assert second["fitness"] != first["fitness"]
    code, out, err = andante("gait", "eval", "nao", "--seconds", 1, "--variant", "exact", "--set", "T=0.6")
    assert (code, err) == (0, "")
    assert out.startswith("nao on mujoco: fitness ")


def test_parameters_may_follow_each_other(andante):
    short = ("--seconds", 0.5, "--json")
    once = told(andante("gait", "eval", "nao", "--set", "T=0.6", "A_h=5", "b=20", *short))
    each = told(andante("gait", "eval", "nao", "--set", "T=0.6", "--set", "A_h=5", "--set", "b=20", *short))
    assert once == each
    assert once["parameters"]["b"] == 20.0


def test_a_study_of_the_nao_from_search_to_replay(andante, tmp_path):
    study = tmp_path / "study"
    common = ("--seconds", 0.6, "--freeze", "T=0.8", "--freeze", "s_k=40", "--workers", 1, "--json")
    found = told(andante("gait", "search", "nao", "--study", study, "--sampler", "cmaes", "--budget", 8, *common))
    assert {"study", "candidates", "rate", "best"} <= set(found)
    assert (found["study"], found["candidates"], found["failed"]) == (str(study), 8, 0)
    assert set(found["best"]) > BEST
    assert (found["best"]["parameters"]["T"], found["best"]["parameters"]["s_k"]) == (0.8, 40.0)
    more = told(andante("gait", "resume", study, "--budget", 12, "--workers", 0, "--json"))
    assert (more["candidates"], more["evaluated"], more["notices"]) == (12, 4, [])
    best = told(andante("gait", "best", study, "--top", 3, "--json"))
    assert best["best"] == best["top"][0] == more["best"]
    assert [row["fitness"] for row in best["top"]] == sorted((row["fitness"] for row in best["top"]), reverse=True)
    written = told(andante("gait", "export", study, tmp_path / "gait", "--cycles", 1, "--json"))
    parameters = tomllib.loads((tmp_path / "gait.toml").read_text())
    assert parameters == best["best"]["parameters"] == written["candidate"]["parameters"]
    again = told(andante("gait", "eval", "nao", "--params", tmp_path / "gait.toml", "--seconds", 0.6, "--json"))
    assert again["fitness"] == best["best"]["fitness"]
    played = told(andante("play", "nao", written["motion"], "--seconds", 1, "--json"))
    assert (played["kind"], played["robot"]) == ("keyframes", "nao")
    assert played["tracking"]["rms"] < 0.2
    stamp = json.loads((study / "manifest.json").read_text())["sessions"][0]["stamp"]
    assert (stamp["objective"]["engine"], stamp["objective"]["seconds"]) == ("mujoco", 0.6)


def test_the_grid_of_the_source_is_there(andante, tmp_path):
    words = ("--seconds", 0.1, "--workers", 0, "--variant", "exact", "--argument", "ranges=source", "--json")
    found = told(
        andante("gait", "search", "nao", "--study", tmp_path / "s", "--sampler", "grid", "--budget", 4, *words)
    )
    assert found["candidates"] == 4
    periods = {0.6, 0.9, 1.2, 1.5, 1.8, 2.1, 2.4}
    lines = (tmp_path / "s" / "results.jsonl").read_text().splitlines()
    assert {json.loads(line)["parameters"]["T"] for line in lines} <= periods


def test_words_for_people(andante, tmp_path):
    words = ("--objective", f"{OBJECTIVES}:Sphere", "--workers", 0)
    code, out, err = andante("gait", "search", "nao", "--study", "s", "--budget", 20, *words)
    assert (code, err) == (0, "")
    assert out.splitlines()[0].startswith("s: 20 candidates, ")
    assert "fitness -" in out.splitlines()[1]
    code, out, err = andante("gait", "best", "s", "--top", 2)
    assert (code, out.count("candidate ")) == (0, 2)
    code, out, _ = andante("gait", "export", "s", "mine.toml", "--index", 3)
    assert (code, out) == (0, "wrote mine.toml\n")
    os.truncate("s/results.jsonl", os.path.getsize("s/results.jsonl") - 5)
    code, out, err = andante("gait", "resume", "s", "--workers", 0)
    assert (code, err.count("\n")) == (0, 1)
    assert err.startswith("andante: s/results.jsonl: line 20, the last, was not written to its end")


def test_shards_merge(andante, tmp_path):
    for number in range(2):
        told(andante("gait", "search", "nao", "--study", f"p{number}", "--sampler", "random", "--budget", 15,
                     "--shard", f"{number}/2", *SPHERE))  # fmt: skip
    whole = told(andante("gait", "search", "nao", "--study", "w", "--sampler", "random", "--budget", 15, *SPHERE))
    merged = told(andante("gait", "merge", "all", "p0", "p1", "--json"))
    assert merged["best"] == whole["best"]
    assert merged["candidates"] == 15
    assert told(andante("gait", "merge", "p0", "p1", "-o", "again", "--json"))["best"] == whole["best"]
    code, out, err = andante("gait", "merge", "all", "p0", "p1")
    assert (code, out) == (2, "")
    assert err == "andante: all exists already; name a new folder with --out\n"


def test_own_ranges_starts_options_and_arguments(andante, tmp_path):
    (tmp_path / "space.toml").write_text("[x0]\nlow = 0.5\nhigh = 0.75\n[x1]\ngrid = [0.0, 1.0]\nfrozen = 1.0\n")
    (tmp_path / "start.toml").write_text("x0 = 0.6\nx1 = 1.0\nx2 = 0.5\nx3 = 0.5\n")
    more = ("--space", "space.toml", "--params", "start.toml", "--option", "sigma=0.01", "--batch", 4)
    found = told(andante("gait", "search", "nao", "--study", "s", "--budget", 4, *more, *SPHERE))
    parameters = found["best"]["parameters"]
    assert parameters["x1"] == 1.0
    assert parameters["x0"] == pytest.approx(0.6, abs=0.02)
    assert parameters["x2"] == pytest.approx(0.5, abs=0.2)
    told(andante("gait", "search", "nao", "--study", "d", "--budget", 4, "--argument", "dimensions=2", *SPHERE))
    assert tomllib.loads((tmp_path / "d" / "study.toml").read_text())["objective"]["arguments"] == {"dimensions": 2}
    over = told(andante("gait", "search", "nao", "--study", "m", "--budget", 9999, "--minutes", 0.005, *SPHERE))
    assert 0 < over["candidates"] < 9999


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("eval", "nao", "--set", "T"), "'T' should look like NAME=VALUE"),
        (("eval", "nao", "--set", "Q=3"), "no parameter 'Q'; choices: T, A_h"),
        (("eval", "nao", "--set", "T=fast"), "T needs a finite number, got 'fast'"),
        (("eval", "nao", "--set", "T=nan"), "T needs a finite number"),
        (("eval", "nao", "--variant", "rough"), "choices: exact, smooth"),
        (("eval", "nao", "--params", "none.toml"), "none.toml: no such parameter file"),
        (("eval", "nao", "--seconds", "-1"), "a trial lasts"),
        (("eval", "nao", "--engine", "steam"), "no engine 'steam'"),
        (("eval", "nao", "--fitness", "fast"), "fast"),
        (("eval", "rover"), "the wave gait is made for nao"),
        (("eval", "nobody"), "nobody"),
        (("search", "nao"), "Missing option '--study'; see andante gait search --help"),
        (("search", "nao", "--study", "s", "--sampler", "luck"), "no sampler 'luck'; choices: grid, random"),
        (("search", "nao", "--study", "s", "--budget", "0"), "a budget is a number of candidates"),
        (("search", "nao", "--study", "s", "--workers", "-2"), "number of workers"),
        (("search", "nao", "--study", "s", "--executor", "slurm"), "choices: local, ray"),
        (("search", "nao", "--study", "s", "--shard", "3/2"), "a shard is i/n"),
        (("search", "nao", "--study", "s", "--freeze", "Z=1"), "no parameter 'Z'"),
        (("search", "nao", "--study", "s", "--option", "speed=1"), "no option of cmaes 'speed'"),
        (("search", "nao", "--study", "s", "--seed", "-1"), "'--seed'"),
        (("search", "nao", "--study", "s", "--minutes", "0"), "minutes is a time"),
        (("search", "nao", "--study", "s", "--timeout", "0"), "timeout of a candidate"),
        (("search", "nao", "--study", "s", "--space", "none.toml"), "none.toml"),
        (("search", "nao", "--study", "s", "--objective", "none.py:Name"), "none.py: no such file"),
        (("search", "nao", "--study", "s", "--objective", "name"), "file.py:Name"),
        (("search", "nao", "--study", "s", "--argument", "wings=2"), "unexpected keyword argument 'wings'"),
        (("search", "nao", "--study", "full"), "full is not empty (it holds notes.txt)"),
        (("search", "rover", "--study", "s"), "the wave gait is made for nao"),
        (("resume", "none"), "none: no study there"),
        (("best", "none"), "none: no study there"),
        (("best", "full", "--top", "0"), "top is a number from 1"),
        (("export", "none", "out"), "none: no study there"),
        (("merge", "out", "none"), "none: no study there"),
        (("merge", "out"), "name the folders of the shards"),
        (("dance",), "No such command 'dance'"),
    ],
)
def test_bad_input_is_one_line(andante, tmp_path, words, said):
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "notes.txt").write_text("x")
    code, out, err = andante("gait", *words)
    assert (code, out) == (2, "")
    assert said in err
    assert err.count("\n") == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["full"]


def test_exports_that_cannot_be(andante, tmp_path):
    told(andante("gait", "search", "nao", "--study", "s", "--budget", 4, "--batch", 4, *SPHERE))
    for words, said in (
        (("out", "--rank", 9), "has 4 candidates with a fitness; rank 9"),
        (("out", "--rank", 0), "rank is a number from 1"),
        (("out", "--index", 99), "has no candidate 99"),
        (("gone/out",), "the folder does not exist"),
    ):
        code, out, err = andante("gait", "export", "s", *words)
        assert (code, out, err.count("\n")) == (2, "", 1)
        assert said in err
    assert [path.name for path in tmp_path.iterdir()] == ["s"]


@pytest.mark.skipif(sys.platform == "win32", reason="other signals there")
def test_ctrl_c_says_how_to_go_on(tmp_path):
    words = ["gait", "search", "nao", "--study", "s", "--budget", "100000", "--objective", f"{OBJECTIVES}:Sphere",
             "--argument", "wait=0.02", "--workers", "2", "--json"]  # fmt: skip
    run = subprocess.Popen(
        [sys.executable, "-m", "andante", *words],
        cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    results = tmp_path / "s" / "results.jsonl"
    for _ in range(1500):
        if results.exists() and results.stat().st_size > 1000:
            break
        time.sleep(0.02)
    run.send_signal(signal.SIGINT)
    out, err = run.communicate(timeout=30)
    assert (run.returncode, out) == (130, "")
    assert err == "andante: finished candidates are kept; continue with: andante gait resume s\nandante: stopped\n"
    manifest = json.loads((tmp_path / "s" / "manifest.json").read_text())
    assert manifest["sessions"][0]["count"] == results.read_bytes().count(b"\n") > 2
