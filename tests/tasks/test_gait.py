"""`an.gait`: one gait, a study from making to export, and mistakes by the names of the arguments."""

import pytest

import andante as an
from andante.errors import BadInput


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    folder = tmp_path_factory.mktemp("studies") / "s"
    result = an.gait.search("nao", folder, sampler="random", budget=3, workers=0, seconds=0.3)
    return folder, result


def test_one_gait(tmp_path):
    result = an.gait.evaluate("nao", {"T": 0.6}, seconds=0.3)
    assert result.parameters["T"] == 0.6
    assert {"robot", "engine", "variant", "parameters", "fitness", "distance", "fallen"} <= set(result.as_dict())
    assert result.as_dict()["fitness"] == result.fitness
    assert str(result).startswith("nao on mujoco: fitness ")
    with pytest.raises(an.AndanteError, match="Tail"):
        an.gait.evaluate("nao", {"Tail": 0.6}, seconds=0.3)


def test_a_study_prints_and_plots(study):
    folder, result = study
    assert set(result.as_dict()) >= {"study", "candidates", "rate", "best"}
    assert (result.summary.candidates, result.evaluated) == (3, 3)
    assert str(result).startswith(f"{folder}: 3 candidates")
    (axes,) = result.plot().axes
    assert axes.get_ylabel() == "fitness"
    assert "<img" in result._repr_html_()


def test_resume_best_export_merge(study, tmp_path):
    folder, _ = study
    assert an.gait.resume(folder, workers=0).evaluated == 0
    assert len(an.gait.best(folder, top=2).as_dict()["top"]) == 2
    made = an.gait.export(folder, tmp_path / "g", cycles=2)
    assert made.parameters.exists()
    assert str(made) == f"wrote {tmp_path / 'g.toml'}\nwrote {tmp_path / 'g.motion.toml'}"
    assert an.gait.merge(tmp_path / "m", [folder]).best == an.gait.best(folder).best


def test_mistakes_name_the_arguments(study, tmp_path):
    folder, _ = study
    for work, words in (
        (lambda: an.gait.best(folder, top=0), "^top is a number"),
        (lambda: an.gait.export(folder, tmp_path / "g", rank=9), "; rank 9 is not among them"),
        (lambda: an.gait.resume(folder, minutes=-1.0), "^minutes is a time"),
    ):
        with pytest.raises(BadInput, match=words):
            work()
