"""`an.experiment`: run, merge, report; results print and plot."""

import pytest

import andante as an
from andante.errors import UnknownName


def test_names_and_references():
    assert "straight-walk" in an.experiment.names()
    assert "nao-straight-walk" in an.experiment.references()
    assert an.experiment.load("straight-walk").trials == 7


def test_a_run_prints_plots_and_is_reported(toys, tmp_path):
    result = an.experiment.run(f"{toys}:TOY", tmp_path / "run", trials=2, workers=0)
    assert result.as_dict()["complete"]
    assert str(result).startswith(f"{tmp_path / 'run'}: {result.wanted} of {result.wanted} trials; ")
    assert result.plot().axes
    report = an.experiment.report(tmp_path / "run")
    assert report.path.exists()
    assert str(report).startswith(report.verdict[0])
    assert report.plot().axes


def test_levels_of_factors_can_be_chosen(tmp_path):
    from andante.experiments.runner import with_settings

    made = with_settings(an.experiment.load("straight-walk"), factors={"distance": [0.5]})
    assert made.count == 21
    assert list(made.tests) == ["A", "D", "G"]
    with pytest.raises(UnknownName, match="no factor 'height'"):
        an.experiment.run("straight-walk", tmp_path / "run", factors={"height": [1.0]})


def test_modes_are_chosen_by_name(toys, tmp_path):
    with pytest.raises(UnknownName, match="no mode 'steady' in experiment 'straight-walk'; choices: line-following"):
        an.experiment.run("straight-walk", tmp_path / "run", mode="steady")
    with pytest.raises(UnknownName, match="no mode 'steady' in experiment 'toy'; choices: none"):
        an.experiment.fit(f"{toys}:TOY", tmp_path / "fit", mode="steady")
    assert not list(tmp_path.glob("run*")) + list(tmp_path.glob("fit*"))
