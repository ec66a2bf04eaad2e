"""Ray: the same results as local processes. One test holds all, so that a run on several workers starts one cluster."""

import pytest

from andante.errors import BadInput, MissingExtra
from andante.search import StudyFolder, search
from andante.search.executors import make_executor


def test_one_cluster_does_what_local_processes_do(ray_cluster, study, spec, tmp_path, sorted_lines):
    same_results(study, tmp_path, sorted_lines)
    assert ray_cluster.is_initialized()  # a cluster that was there before is left running
    dead_actors(study, tmp_path)
    candidates_without_end(study, tmp_path)
    with pytest.raises(BadInput, match="cannot be made with"):
        make_executor("ray", spec("Sphere", size=3), 1)


def same_results(study, tmp_path, sorted_lines):
    for sampler in ("cmaes", "random"):
        config = study(sampler, budget=40, batch=8, arguments={"wait": 0.005})
        for name in ("ray", "local"):
            search(tmp_path / f"{name}_{sampler}", config, executor=name, workers=2)
        assert sorted_lines(tmp_path / f"ray_{sampler}") == sorted_lines(tmp_path / f"local_{sampler}")
        session = StudyFolder.open(tmp_path / f"ray_{sampler}").manifest()["sessions"][0]
        assert (session["executor"], session["workers"], session["count"]) == ("ray", 2, 40)


def dead_actors(study, tmp_path):
    marks = tmp_path / "marks"
    marks.mkdir()
    config = study("random", budget=2, objective="Deadly", arguments={"folder": str(marks)}, seed=7)
    search(tmp_path / "deadly", config, executor="ray", workers=2)
    records = list(StudyFolder.open(tmp_path / "deadly").records())
    assert {record.seed % 5: record.error for record in records} == {0: "the worker died twice", 1: ""}
    assert len(list(marks.iterdir())) == 1


def candidates_without_end(study, tmp_path):
    config = study("random", budget=4, objective="Endless")
    search(tmp_path / "endless", config, executor="ray", workers=2, timeout=0.5)
    errors = {record.seed % 4 == 0: record.error for record in StudyFolder.open(tmp_path / "endless").records()}
    assert errors == {True: "took longer than 0.5 s", False: ""}


def test_without_ray_the_extra_is_named(monkeypatch, spec):
    monkeypatch.setattr("andante.search.executors.find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match=r"andante\[ray\]"):
        make_executor("ray", spec(), 1)
