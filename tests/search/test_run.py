"""Studies: the same candidates however they are run, stopped, resumed, cut into shards; what is wrong is said."""

import io
import json
import math
import os
import shutil
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from andante.errors import AndanteError, BadInput
from andante.search import (
    Ended,
    Evaluated,
    Grid,
    Notice,
    ObjectiveSpec,
    Real,
    Shard,
    Space,
    Started,
    StudyConfig,
    StudyFolder,
    check_objective,
    events,
    merge,
    resume,
    search,
    summarize,
)
from andante.search.executors import make_executor
from andante.search.executors.base import default_workers
from andante.search.folder import FolderInUse
from andante.search.progress import clock, progress_line
from andante.search.record import tail

LEVELS = Space({f"x{k}": Real(-2, 2, levels=(-1.0, 0.0, 1.0)) for k in range(4)})


def notices(stream):
    return [event.text for event in stream if isinstance(event, Notice)]


@pytest.mark.parametrize("sampler", ["grid", "random", "cmaes", "tpe", "nsga2", "elites"])
def test_a_study_stopped_anywhere_goes_on_as_if_it_had_not(sampler, study, tmp_path, sorted_lines):
    config = study(sampler, budget=75, batch=16, space=LEVELS, seed=4)
    search(tmp_path / "whole", config, workers=0)
    folder = StudyFolder.create(tmp_path / "parts", config)
    for wanted in (1, 15, 30, 47, 48, 74):
        stream = events(folder, workers=0)
        for event in stream:
            if isinstance(event, Evaluated) and event.done == wanted:
                stream.close()
                break
    ended = resume(tmp_path / "parts", workers=0)
    assert (ended.done, ended.evaluated) == (75, 1)
    assert sorted_lines(tmp_path / "parts") == sorted_lines(tmp_path / "whole")
    assert resume(tmp_path / "parts", workers=0).evaluated == 0
    more = [resume(tmp_path / name, budget=81, workers=0).done for name in ("whole", "parts")]
    assert more == [81, 81]
    assert sorted_lines(tmp_path / "parts") == sorted_lines(tmp_path / "whole")


@pytest.mark.parametrize("sampler", ["random", "cmaes", "elites"])
def test_workers_and_timing_make_no_difference(sampler, study, tmp_path, sorted_lines):
    config = study(sampler, budget=50, batch=8, arguments={"wait": 0.01})
    for workers in (0, 1, 3):
        search(tmp_path / str(workers), config, workers=workers)
    assert sorted_lines(tmp_path / "0") == sorted_lines(tmp_path / "1") == sorted_lines(tmp_path / "3")
    order = [json.loads(line)["index"] for line in (tmp_path / "3" / "results.jsonl").open()]
    assert order != sorted(order)  # the workers did not wait for each other


def test_the_grid_ends_when_all_is_drawn(study, tmp_path):
    ended = search(tmp_path / "s", study("grid", budget=500, space=LEVELS), workers=0)
    assert ended.done == 81
    assert {tuple(record.parameters.values()) for record in StudyFolder.open(tmp_path / "s").records()} == {
        tuple(LEVELS.cell(k).values()) for k in range(81)
    }
    assert resume(tmp_path / "s", workers=0).evaluated == 0


def test_events_tell_the_whole_story(study, tmp_path):
    folder = StudyFolder.create(tmp_path / "s", study("cmaes", budget=40))
    told = list(events(folder, workers=0))
    assert told[0] == Started(folder.path, 0, 40, 0, None)
    evaluated = told[1:-1]
    assert [event.done for event in evaluated] == list(range(1, 41))
    assert all(event.rate > 0 and event.left >= 0 for event in evaluated[1:])
    assert math.isnan(evaluated[0].rate)
    fitness = [event.record.fitness for event in evaluated]
    assert [event.best.fitness for event in evaluated] == [max(fitness[: k + 1]) for k in range(40)]
    assert isinstance(told[-1], Ended)
    assert (told[-1].best.fitness, told[-1].evaluated) == (max(fitness), 40)
    assert tail(folder.results)[0] == [event.record for event in evaluated]


def test_troubled_candidates_are_recorded_as_failed(study, tmp_path):
    search(tmp_path / "s", study("cmaes", budget=48, objective="Troubled"), workers=2)
    records = {record.seed % 6: record for record in StudyFolder.open(tmp_path / "s").records()}
    assert records[0].error == "ValueError: bad luck"
    assert records[1].error == records[2].error == "the fitness is not a finite number"
    assert records[3].error.startswith("TypeError: object is nothing that JSON can hold")
    assert records[4].error == "SystemExit: 3"
    assert (records[5].error, records[5].failed) == ("", False)
    summary = summarize(StudyFolder.open(tmp_path / "s"), 3)
    assert (summary.candidates, len(summary.best)) == (48, 3)
    assert 0 < summary.failed < 48


def test_dead_workers_are_replaced_and_deadly_candidates_given_up(study, tmp_path):
    marks = tmp_path / "marks"
    marks.mkdir()
    config = study("random", budget=4, objective="Deadly", arguments={"folder": str(marks)}, seed=1)
    search(tmp_path / "s", config, workers=2)
    records = sorted(StudyFolder.open(tmp_path / "s").records(), key=lambda record: record.seed % 5)
    assert [(record.seed % 5, record.error) for record in records] == [
        (0, "the worker died twice (signal 9)"),
        (1, ""),
        (2, ""),
        (4, ""),
    ]
    assert len(list(marks.iterdir())) == 1


def test_candidates_without_end_are_given_up(study, tmp_path):
    search(tmp_path / "s", study("random", budget=6, objective="Endless"), workers=2, timeout=0.3)
    errors = {record.seed % 4 == 0: record.error for record in StudyFolder.open(tmp_path / "s").records()}
    assert errors == {True: "took longer than 0.3 s", False: ""}


def test_a_torn_line_is_said_cut_and_evaluated_again(study, tmp_path, sorted_lines):
    config = study("cmaes", budget=40)
    search(tmp_path / "whole", config, workers=0)
    shutil.copytree(tmp_path / "whole", tmp_path / "torn")
    results = tmp_path / "torn" / "results.jsonl"
    os.truncate(results, results.stat().st_size - 9)
    assert summarize(StudyFolder.open(tmp_path / "torn")).candidates == 39
    stream = events(StudyFolder.open(tmp_path / "torn"), workers=0)
    assert "line 40, the last" in notices(stream)[0]
    assert sorted_lines(tmp_path / "torn") == sorted_lines(tmp_path / "whole")


def test_damage_stops_a_study_before_anything_is_written(study, tmp_path):
    search(tmp_path / "s", study("random", budget=10), workers=0)
    results = tmp_path / "s" / "results.jsonl"
    lines = results.read_bytes().splitlines(keepends=True)
    damaged = b"".join([*lines[:4], lines[4].replace(b"x0", b"x9"), *lines[5:]])
    results.write_bytes(damaged)
    with pytest.raises(BadInput, match="line 5 is damaged"):
        resume(tmp_path / "s", budget=20, workers=0)
    assert results.read_bytes() == damaged
    results.write_bytes(b"".join([*lines[:4], *lines[5:]]))  # as the message advises
    assert resume(tmp_path / "s", workers=0).evaluated == 11


def test_one_process_at_a_time(study, tmp_path):
    folder = StudyFolder.create(tmp_path / "s", study("random", budget=10))
    stream = events(folder, workers=0)
    next(stream)
    with pytest.raises(FolderInUse, match=f"in use by process {os.getpid()} "):
        resume(tmp_path / "s", workers=0)
    stream.close()
    assert resume(tmp_path / "s", workers=0).done == 10


def test_changed_versions_and_settings_are_said(study, spec, tmp_path):
    folder = StudyFolder.create(tmp_path / "s", study("random", budget=10))
    search_some = events(folder, workers=0)
    for _ in range(4):
        next(search_some)
    search_some.close()
    manifest = json.loads((tmp_path / "s" / "manifest.json").read_text())
    manifest["sessions"][0]["stamp"].update(numpy="1.0", objective={"engine": "steam"})
    (tmp_path / "s" / "manifest.json").write_text(json.dumps(manifest))
    said = notices(events(folder, workers=0))
    assert len(said) == 1
    assert "numpy 1.0 -> " in said[0]
    assert "objective.engine steam -> none" in said[0]
    assert "objective.wait none -> 0.0" in said[0]
    sessions = folder.manifest()["sessions"]
    assert [session["count"] for session in sessions] == [3, 7]
    text = (tmp_path / "s" / "study.toml").read_text()
    (tmp_path / "s" / "study.toml").write_text(text.replace("low = -2.0", "low = -3.0", 1))
    with pytest.raises(BadInput, match=r"study.toml was changed after the study began"):
        resume(tmp_path / "s", workers=0)


def test_other_candidates_than_the_sampler_proposes_are_said(study, tmp_path):
    search(tmp_path / "s", study("cmaes", budget=20, seed=1), workers=0)
    other = StudyFolder.create(tmp_path / "t", study("cmaes", budget=30, seed=2))
    shutil.copy(tmp_path / "s" / "results.jsonl", other.results)
    assert "candidate 0 is another than cmaes proposes now" in notices(events(other, workers=0))[0]
    assert summarize(other).candidates == 30


@pytest.mark.parametrize("sampler", ["grid", "random", "cmaes"])
def test_shards_merge_into_the_whole(sampler, study, tmp_path, sorted_lines):
    config = study(sampler, budget=50, space=LEVELS)
    parts = [tmp_path / f"part{k}" for k in range(3)]
    for number, part in enumerate(parts):
        ended = search(part, replace(config, shard=Shard(number, 3)), workers=0)
        assert ended.done == len(range(number, 50, 3))
    made = merge(tmp_path / "all", parts)
    assert made.candidates == 50
    order = [record.index for record in made.study.records()]
    assert order == list(range(50))
    summary = summarize(made.study)
    assert summary.rate > 0
    if sampler == "cmaes":
        with pytest.raises(BadInput, match="merged of 3 islands"):
            resume(tmp_path / "all", workers=0)
        return
    search(tmp_path / "whole", config, workers=0)
    assert sorted_lines(tmp_path / "all") == sorted_lines(tmp_path / "whole")
    assert resume(tmp_path / "all", budget=60, workers=0).evaluated == 10
    again = merge(tmp_path / "again", [tmp_path / "all", parts[0]])  # known twice, counted once
    assert again.candidates == 60


def test_what_does_not_fit_is_not_merged(study, tmp_path):
    search(tmp_path / "a", study("random", budget=5, seed=1), workers=0)
    search(tmp_path / "b", study("random", budget=5, seed=2), workers=0)
    with pytest.raises(BadInput, match="parts of different studies"):
        merge(tmp_path / "out", [tmp_path / "a", tmp_path / "b"])
    with pytest.raises(BadInput, match="each once"):
        merge(tmp_path / "out", [tmp_path / "a", tmp_path / "a"])
    with pytest.raises(BadInput, match="is there already"):
        merge(tmp_path / "a", [tmp_path / "b"])
    c = StudyFolder.create(tmp_path / "c", study("random", budget=5, seed=1))
    shutil.copy(tmp_path / "b" / "results.jsonl", c.results)
    with pytest.raises(BadInput, match="candidate 0 has different results"):
        merge(tmp_path / "out", [tmp_path / "a", tmp_path / "c"])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "b", "c"]


def test_the_front_of_several_aims(study, tmp_path):
    search(tmp_path / "s", study("nsga2", budget=160, batch=16, arguments={"dimensions": 2}), workers=0)
    folder = StudyFolder.open(tmp_path / "s")
    aims = [record.told().objectives for record in folder.records()]
    unbeaten = {
        mine
        for mine in aims
        if not any(other != mine and all(a >= b for a, b in zip(other, mine, strict=True)) for other in aims)
    }
    assert {record.told().objectives for record in summarize(folder).front} == unbeaten
    assert len(unbeaten) > 1


def test_folders_that_are_no_place_for_a_study(study, tmp_path):
    (tmp_path / "file").write_text("x")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thesis.tex").write_text("x")
    search(tmp_path / "s", study("random", budget=3), workers=0)
    for name, told in (("file", "is a file"), ("full", "it holds thesis.tex"), ("s", "gait resume")):
        with pytest.raises(BadInput, match=told):
            search(tmp_path / name, study("random"), workers=0)
    with pytest.raises(BadInput, match="no study there"):
        StudyFolder.open(tmp_path / "full")
    (tmp_path / "half").mkdir()  # as a process leaves it that is killed before the study is whole
    for name in ("lock", "manifest.json", "results.jsonl", ".study.toml.tmp"):
        (tmp_path / "half" / name).touch()
    assert search(tmp_path / "half", study("random", budget=3), workers=0).done == 3


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("format = 1", "format = 2", "format 2 is not known"),
        ("seed = 0", 'seed = "x"', "seed is missing or no number"),
        ("seed = 0", "seed = -1", "a seed is"),
        ("budget = 3", "budget = 0", "budget is a number of candidates"),
        ('shard = "0/1"', 'shard = "1/1"', "i/n"),
        ("islands = 1", "islands = 1\ncolour = 3", "entry 'colour' is not known"),
        ("[space.x0]", "[spice.x0]", "not known"),
        ("format = 1", "format = ", "study.toml"),
        ("objectives.py:Sphere", "objectives", "file.py:Name or andante.module:Name"),
    ],
)
def test_study_files_are_checked(old, new, told, study, tmp_path):
    search(tmp_path / "s", study("random", budget=3), workers=0)
    file = tmp_path / "s" / "study.toml"
    assert old in file.read_text()
    file.write_text(file.read_text().replace(old, new))
    with pytest.raises(BadInput) as error:
        StudyFolder.open(tmp_path / "s")
    assert str(error.value).startswith(str(file))
    assert told in str(error.value)
    assert "\n" not in str(error.value)


def test_a_manifest_that_is_gone_is_said(study, tmp_path):
    search(tmp_path / "s", study("random", budget=3), workers=0)
    (tmp_path / "s" / "manifest.json").write_text("{")
    with pytest.raises(BadInput, match=r"manifest.json is missing or damaged"):
        resume(tmp_path / "s", budget=5)


def test_configurations_come_back_from_their_text(study, tmp_path):
    config = study(
        "cmaes",
        options={"sigma": 0.1, "start": {"x0": 1e-9, "x1": 2.0, "x2": 0, "x3": 1.5}},
        shard=Shard(1, 3),
        seed=2**40,
    )
    folder = StudyFolder.create(tmp_path / "s", config)
    assert StudyFolder.open(tmp_path / "s").config == folder.config == config.settled()
    assert folder.config.batch == 16
    assert replace(config, shard=Shard(), budget=5).fingerprint == config.fingerprint != study("tpe").fingerprint


def test_objectives_are_checked(spec, tmp_path):
    assert check_objective(spec("Sphere").build()) == []
    assert check_objective(spec("Mixed").build()) == []
    assert "the second time: calls" in check_objective(spec("Unsteady").build())[0]
    assert 'no finite number as "fitness"' in str(check_objective(spec("Troubled").build(), seed=1))
    assert "ValueError: bad luck" in check_objective(spec("Troubled").build(), seed=0)[0]
    assert check_objective(object())[0].startswith("`space` is missing")


@pytest.mark.parametrize(
    ("factory", "arguments", "told"),
    [
        ("os:system", {}, "file.py:Name or andante.module:Name"),
        ("andante.search.space:Nothing", {}, "no objective"),
        ("andante.search.space:Value", {}, "is no class or function"),
        ("andante.search.space:Grid", {"values": [1.0]}, "needs `space`"),
        ("FILE:Sphere", {"size": 3}, "cannot be made with {'size': 3}"),
        ("FILE:Sphere", {"size": float("nan")}, "plain numbers, words and lists"),
        ("none.py:Sphere", {}, "no such file"),
    ],
)
def test_objectives_that_cannot_be(factory, arguments, told):
    file = Path(__file__).parent / "objectives.py"
    with pytest.raises(AndanteError) as error:
        ObjectiveSpec(factory.replace("FILE", str(file)), arguments).build()
    assert told in str(error.value)
    assert "\n" not in str(error.value)


def test_executors_that_cannot_be(spec):
    for words, told in (
        (("slurm", spec()), "no executor 'slurm'; choices: local, ray"),
        (("local", spec(), -1), "number of workers"),
        (("local", spec(), 0, 1.0), "needs at least one worker"),
        (("local", spec(), 1, -1.0), "timeout of a candidate"),
    ):
        with pytest.raises(AndanteError) as error:
            make_executor(*words)
        assert told in str(error.value)
    assert default_workers() >= 1


def test_nothing_but_failures_is_said(study, tmp_path):
    (tmp_path / "bad.py").write_text(
        "from andante.search import Real, Space\n"
        "class Bad:\n"
        "    space = Space({'x': Real(0, 1), 'y': Real(0, 1)})\n"
        "    def evaluate(self, parameters, seed):\n"
        "        raise KeyError('legs')\n"
        "    def stamp(self):\n"
        "        return {}\n"
    )
    spec = ObjectiveSpec(f"{tmp_path / 'bad.py'}:Bad")
    folder = StudyFolder.create(tmp_path / "s", StudyConfig(spec, spec.build().space, "cmaes", budget=40))
    told = notices(events(folder, workers=0))
    assert told == ["the first 8 evaluations of this session all failed: KeyError: 'legs'"]
    summary = summarize(folder)
    assert (summary.candidates, summary.failed, summary.best) == (40, 40, ())


def test_a_worker_that_cannot_build_its_objective_says_why(spec):
    pool = make_executor("local", spec("Unbuildable"), 1)
    try:
        with pytest.raises(BadInput, match=r"Unbuildable fails \(ValueError: no such thing\)"):
            pool.wait(30.0)
    finally:
        pool.close()


def test_the_progress_line_tells_rate_time_left_and_the_best(study, tmp_path, monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    folder = StudyFolder.create(tmp_path / "s", study("cmaes", budget=40))
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setenv("TERM", "xterm")
    with progress_line(True) as listen:
        for event in (Notice("look"), *events(folder, workers=0)):
            listen(event)
    text = screen.getvalue()
    assert "andante: look" in text
    assert "40/40" in text
    assert "0:00 left" in text
    assert "/s" in text
    assert f"best {summarize(folder).best[0].fitness:.5g} (candidate" in text
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    with progress_line(True) as listen:
        listen(Notice("nobody looks"))
    assert sys.stderr.getvalue() == ""
    assert (clock(59.6), clock(3600 * 2 + 65)) == ("1:00", "2:01:05")


def test_grids_and_choices_pass_through_processes(study, tmp_path, sorted_lines):
    config = study("tpe", budget=12, objective="Mixed", batch=6)
    for workers in (0, 1):
        search(tmp_path / str(workers), config, workers=workers)
    assert sorted_lines(tmp_path / "0") == sorted_lines(tmp_path / "1")
    assert isinstance(config.space.parameters["g"], Grid)
    assert isinstance(StudyConfig.from_dict(config.as_dict()), StudyConfig)
