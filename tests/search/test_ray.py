"""Ray: the same results as local processes, on one real local cluster for all tests of this file."""

import pytest

from andante.errors import BadInput, MissingExtra
from andante.search import StudyFolder, search
from andante.search.executors import make_executor

pytestmark = pytest.mark.xdist_group("ray")


@pytest.mark.parametrize("sampler", ["cmaes", "random"])
def test_ray_gives_what_local_processes_give(sampler, ray_cluster, study, tmp_path, sorted_lines):
    config = study(sampler, budget=40, batch=8, arguments={"wait": 0.005})
    search(tmp_path / "ray", config, executor="ray", workers=2)
    search(tmp_path / "local", config, executor="local", workers=2)
    assert sorted_lines(tmp_path / "ray") == sorted_lines(tmp_path / "local")
    session = StudyFolder.open(tmp_path / "ray").manifest()["sessions"][0]
    assert (session["executor"], session["workers"], session["count"]) == ("ray", 2, 40)
    assert ray_cluster.is_initialized()  # a cluster that was there before is left running


def test_dead_actors_are_replaced_and_deadly_candidates_given_up(ray_cluster, study, tmp_path):
    marks = tmp_path / "marks"
    marks.mkdir()
    config = study("random", budget=2, objective="Deadly", arguments={"folder": str(marks)}, seed=7)
    search(tmp_path / "s", config, executor="ray", workers=2)
    records = list(StudyFolder.open(tmp_path / "s").records())
    assert {record.seed % 5: record.error for record in records} == {0: "the worker died twice", 1: ""}
    assert len(list(marks.iterdir())) == 1


def test_candidates_without_end_are_given_up(ray_cluster, study, tmp_path):
    search(tmp_path / "s", study("random", budget=4, objective="Endless"), executor="ray", workers=2, timeout=0.5)
    errors = {record.seed % 4 == 0: record.error for record in StudyFolder.open(tmp_path / "s").records()}
    assert errors == {True: "took longer than 0.5 s", False: ""}


def test_an_actor_that_cannot_build_its_objective_says_why(ray_cluster, spec):
    with pytest.raises(BadInput, match="cannot be made with"):
        make_executor("ray", spec("Sphere", size=3), 1)


def test_without_ray_the_extra_is_named(monkeypatch, spec):
    monkeypatch.setattr("andante.search.executors.base.find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match=r"andante\[ray\]"):
        make_executor("ray", spec(), 1)
