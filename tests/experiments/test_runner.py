"""Runs: the same trials however they are run, kill -9, shards, failures as data, damage that is said."""

import random
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from andante.errors import BadInput, UnknownName
from andante.experiments import RunJob, Values, experiment_of, merge_runs, rows_of, run_experiment
from andante.experiments.runner import with_settings
from andante.experiments.table import columns_of, write_csv, write_parquet
from andante.experiments.variation import model_at, read_model, write_model
from andante.search import Evaluated, StudyFolder


def lines(folder):
    return sorted((folder / "results.jsonl").read_bytes().splitlines())


def test_a_run_has_every_trial_once_and_engines_meet_the_same_luck(toy, tmp_path):
    heard = []
    outcome = run_experiment(RunJob(toy, tmp_path / "run", workers=0), listen=heard.append)
    assert (outcome.trials, outcome.wanted, outcome.failed) == (toy.count, 40, 0)
    assert outcome.as_dict()["complete"]
    assert sum(isinstance(event, Evaluated) for event in heard) == 40
    rows = {(row.source, row.test, row.trial): row for row in rows_of(tmp_path / "run", toy)}
    assert len(rows) == 40
    for (source, test, trial), row in rows.items():
        other = rows["bullet", test, trial]
        assert row.seed == other.seed
        assert row.drawn == other.drawn
        if source == "mujoco":
            assert other.measures["x"] - row.measures["x"] == pytest.approx(0.2 * row.factors["way"])
    assert len({row.seed for row in rows.values()}) == 20
    assert experiment_of(tmp_path / "run") == replace(toy, fit={})
    again = run_experiment(RunJob(toy, tmp_path / "run", workers=0))
    assert (again.evaluated, again.trials) == (0, 40)


def test_kill_drill(toy, tmp_path):
    folder, dice = tmp_path / "killed", random.Random(1)
    for _ in range(3):
        known = len(lines(folder)) if (folder / "results.jsonl").exists() else 0
        run = subprocess.Popen([sys.executable, str(Path(__file__).parent / "run_toy.py"), str(folder), "2"])
        aim, patience = known + dice.randint(2, 8), time.monotonic() + 60
        while not (folder / "results.jsonl").exists() or len(lines(folder)) < aim:
            assert run.poll() is None
            assert time.monotonic() < patience
            time.sleep(0.01)
        run.send_signal(signal.SIGKILL)
        run.wait(timeout=30)
        with (folder / "results.jsonl").open("ab") as file:
            file.write(b'{"crc":"00'[: dice.randint(0, 9)])
    slow = replace(toy, arguments={"wait": 0.05})
    ended = run_experiment(RunJob(slow, folder, workers=2))
    assert 0 < ended.evaluated < toy.count
    run_experiment(RunJob(slow, tmp_path / "whole", workers=0))
    assert lines(folder) == lines(tmp_path / "whole")


def test_shards_make_the_whole(toy, tmp_path):
    parts = [tmp_path / f"part{k}" for k in range(3)]
    for k, part in enumerate(parts):
        outcome = run_experiment(RunJob(toy, part, workers=0, shard=f"{k}/3"))
        assert outcome.trials == outcome.wanted
    run_experiment(RunJob(toy, tmp_path / "whole", workers=0))
    merged = merge_runs(tmp_path / "merged", parts)
    assert (merged.trials, merged.wanted) == (40, 40)
    assert lines(tmp_path / "merged") == lines(tmp_path / "whole")
    other = replace(toy, seed=9)
    run_experiment(RunJob(other, tmp_path / "other", workers=0))
    with pytest.raises(BadInput, match="parts of different studies"):
        merge_runs(tmp_path / "bad", [parts[0], tmp_path / "other"])


def test_failures_and_timeouts_are_data(toy, tmp_path):
    bad = replace(toy, arguments={"bad": 1.0, "stuck": 2.0}, trials=1, engines=("mujoco",), timeout=0.5)
    outcome = run_experiment(RunJob(bad, tmp_path / "run", workers=2))
    assert (outcome.trials, outcome.failed) == (4, 4)
    values = Values.of(bad, rows_of(tmp_path / "run", bad))
    words = sorted(row.error for row in values.failures)
    assert words == ["ValueError: no way of 1"] * 2 + ["took longer than 0.5 s"] * 2
    assert len(values.get("mujoco", values.tests[0], "x")) == 0
    assert sum(values.counts.values()) == 4


@pytest.mark.parametrize(
    ("trial", "words"),
    [
        ("few_measures", "the trial gives no 'planar'; it gives x"),
        ("not_a_number", "the measure 'x' must be a number, got 'far'"),
    ],
)
def test_trials_that_measure_nothing(toy, toys, tmp_path, trial, words):
    one = replace(toy, trial=f"{toys}:{trial}", trials=1, engines=("mujoco",))
    run_experiment(RunJob(one, tmp_path / "run", workers=0))
    assert all(words in row.error for row in rows_of(tmp_path / "run", one))


def test_damage_is_said(toy, tmp_path):
    run_experiment(RunJob(toy, tmp_path / "run", workers=0))
    file = tmp_path / "run" / "results.jsonl"
    text = bytearray(file.read_bytes())
    text[len(text) // 2] ^= 1
    file.write_bytes(text)
    with pytest.raises(BadInput, match=r"results.jsonl: line \d+ is damaged"):
        list(rows_of(tmp_path / "run", toy))


def test_other_experiments_and_folders_are_refused(toy, tmp_path):
    run_experiment(RunJob(toy, tmp_path / "run", workers=0))
    with pytest.raises(BadInput, match="holds another experiment, or the same with other settings"):
        run_experiment(RunJob(replace(toy, trials=6), tmp_path / "run", workers=0))
    with pytest.raises(BadInput, match="no experiment was run there"):
        experiment_of(tmp_path)
    with pytest.raises(BadInput, match="minutes is a time > 0"):
        run_experiment(RunJob(toy, tmp_path / "new", workers=0, minutes=0))
    assert not (tmp_path / "new").exists()


def test_a_folder_goes_on_when_reports_have_learned_to_show_more(toy, tmp_path):
    fewer = replace(toy, measures={"x": toy.measures["x"]}, title="older")
    part = run_experiment(RunJob(replace(fewer, trials=5), tmp_path / "run", workers=0, shard="0/2"))
    whole = run_experiment(RunJob(toy, tmp_path / "run", workers=0, shard="0/2"))
    assert (whole.trials, whole.evaluated) == (part.trials, 0)
    assert list(experiment_of(tmp_path / "run").measures) == ["x"]  # as it was begun


def test_a_mode_is_run_and_the_usual_one_is_the_run_without(toy, tmp_path):
    toy = replace(toy, modes={"usual": {}, "wrong": {"bad": 2.0}}, trials=1)
    usual = run_experiment(RunJob(with_settings(toy, mode="usual"), tmp_path / "usual", workers=0))
    assert run_experiment(RunJob(replace(toy, modes={}), tmp_path / "usual", workers=0)).evaluated == 0
    wrong = run_experiment(RunJob(with_settings(toy, mode="wrong"), tmp_path / "wrong", workers=0))
    assert (usual.failed, wrong.failed) == (0, 4)
    assert experiment_of(tmp_path / "wrong").mode == "wrong"
    with pytest.raises(BadInput, match="holds another experiment"):
        run_experiment(RunJob(toy, tmp_path / "wrong", workers=0))
    with pytest.raises(UnknownName, match="no mode 'other' in experiment 'toy'; choices: usual, wrong"):
        with_settings(toy, mode="other")


def test_settings_replace_those_of_the_file(toy):
    made = with_settings(toy, ["mujoco"], trials=2, seed=4, timeout=1.0)
    assert (made.engines, made.trials, made.seed, made.timeout) == (("mujoco",), 2, 4, 1.0)
    assert with_settings(toy) == toy


def test_tables_hold_every_row(toy, tmp_path):
    import pyarrow.parquet as pq

    run_experiment(RunJob(toy, tmp_path / "run", workers=0))
    assert write_csv(tmp_path / "a.csv", toy, rows_of(tmp_path / "run", toy)) == 40
    head = (tmp_path / "a.csv").read_text().splitlines()[0]
    assert head.split(",") == list(columns_of(toy))
    assert write_parquet(tmp_path / "a.parquet", toy, rows_of(tmp_path / "run", toy)) == 40
    table = pq.read_table(tmp_path / "a.parquet").to_pydict()
    rows = list(rows_of(tmp_path / "run", toy))
    assert table["x"] == [row.measures["x"] for row in rows]
    assert table["pace"] == [row.factors["pace"] for row in rows]
    assert table["way"] == [row.factors["way"] for row in rows]


def test_results_are_streamed(toy, tmp_path):
    import tracemalloc

    many = replace(toy, trials=100, engines=("mujoco",))
    run_experiment(RunJob(many, tmp_path / "run", workers=0))
    one = (tmp_path / "run" / "results.jsonl").stat().st_size
    tracemalloc.start()
    count = write_csv(tmp_path / "all.csv", many, rows_of(tmp_path / "run", many))
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert count == 400
    assert most < one / 2  # rows come and go


def test_models_hold_for_their_level(tmp_path):
    model = {"stride": 1.1, "curl": 0.0, "curl@speed=40": 0.5, "aim@gait=wave": 0.2}
    assert model_at(model, {"speed": 40}) == {"stride": 1.1, "curl": 0.5}
    assert model_at(model, {"speed": 80.0, "gait": "wave"}) == {"stride": 1.1, "curl": 0.0, "aim": 0.2}
    write_model(tmp_path / "m.toml", model, {"experiment": "x"})
    assert read_model(tmp_path / "m.toml") == model
    (tmp_path / "bad.toml").write_text('[model]\nstride = "long"\n')
    with pytest.raises(BadInput, match=r"model.stride must be a number"):
        read_model(tmp_path / "bad.toml")
    (tmp_path / "bad.toml").write_text("a = 1\n")
    with pytest.raises(BadInput, match=r"the table \[model\] is missing"):
        read_model(tmp_path / "bad.toml")
    with pytest.raises(BadInput, match="no such file"):
        read_model(tmp_path / "gone.toml")


def test_a_model_reaches_the_trials(toy, tmp_path):
    run_experiment(RunJob(toy, tmp_path / "run", workers=0, model={"gain": 2.0}))
    values = Values.of(toy, rows_of(tmp_path / "run", toy))
    assert values.get("mujoco", "pace=slow way=1", "x").mean() == pytest.approx(2.0, abs=0.03)
    assert StudyFolder.open(tmp_path / "run").config.objective.arguments["model"] == {"gain": 2.0}
