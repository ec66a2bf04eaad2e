"""What is tried in a search: files by their full path, a user's own objective and ranges, starts that are complete."""

import sys
from pathlib import Path

import pytest

from andante.errors import BadInput, UnknownName
from andante.search import ObjectiveSpec
from andante.tasks.gait.study import GaitTask, is_gait, study_config

OWN = """
from andante.search import Objective, Space, Real

class Mine(Objective):
    def __init__(self, seconds=1.0, gain=2.0):
        self.seconds, self.gain = seconds, gain
        self.space = Space({"x": Real(-1.0, 1.0)})
    def evaluate(self, parameters, seed):
        return {"fitness": self.gain * parameters["x"]}

nothing = 3
"""


@pytest.fixture
def own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(OWN)
    return tmp_path


def test_a_study_finds_its_files_from_any_folder(own):
    robot = own / "robot.urdf"
    robot.write_text("<robot name='r'><link name='l'/></robot>")
    spec = GaitTask("robot.urdf", fitness="mine.py:Mine").spec()
    assert spec.arguments["robot"] == str(robot.resolve())
    assert spec.arguments["fitness"] == f"{(own / 'mine.py').resolve()}:Mine"
    assert "robust" not in spec.arguments  # only where it is wanted: studies of old have none
    assert GaitTask("nao").spec().arguments["robot"] == "nao"
    assert GaitTask("nao", robust=True).spec().arguments["robust"] is True


def test_an_objective_of_ones_own_gets_the_settings_that_it_has_arguments_for(own):
    task = GaitTask("nao", seconds=4.0, objective="mine.py:Mine", arguments={"gain": 5.0})
    spec = task.spec()
    assert dict(spec.arguments) == {"seconds": 4.0, "gain": 5.0}
    assert spec.build().gain == 5.0
    assert task.default_parameters() == {}
    assert not is_gait(spec.factory)


@pytest.mark.parametrize(("name", "words"), [("Mine", "is named file.py:Name"), ("mine.py:nothing", "is not a class")])
def test_what_is_no_objective(own, name, words):
    with pytest.raises(BadInput, match=words):
        GaitTask("nao", objective=name).spec()


def test_the_gaits_of_packages_are_known_also_by_names_of_old(monkeypatch):
    monkeypatch.delitem(sys.modules, "andante.runtime.wave_objective", raising=False)  # told where it is imported first
    assert is_gait(GaitTask("nao").spec().factory)
    with pytest.warns(DeprecationWarning, match="wave_objective"):
        assert is_gait("andante.runtime.wave_objective:WaveObjective")
    assert isinstance(GaitTask("shell").spec(), ObjectiveSpec)  # of a robot whose package names none


def test_a_start_is_complete_and_keeps_what_is_frozen(tmp_path):
    file = tmp_path / "start.toml"
    file.write_text("T = 0.9\n")
    config = study_config(GaitTask("nao"), params=file, frozen={"b": 40.0}, shard="1/3", seed=7)
    start = config.options["start"]
    assert (start["T"], start["b"]) == (0.9, 40.0)
    shipped = GaitTask("nao").default_parameters()
    assert start["A_h"] == shipped["A_h"]
    assert "b" in config.space.frozen
    assert "b" not in config.space.names
    assert (config.shard.number, config.shard.count) == (1, 3)


def test_ranges_of_ones_own_replace_some_and_leave_the_others(tmp_path):
    file = tmp_path / "space.toml"
    file.write_text("[T]\nlow = 0.5\nhigh = 0.6\n")
    usual = study_config(GaitTask("nao")).space
    chosen = study_config(GaitTask("nao"), space=file).space
    assert set(chosen.parameters) == set(usual.parameters)
    assert chosen.parameters["T"] != usual.parameters["T"]
    assert chosen.parameters["A_h"] == usual.parameters["A_h"]
    file.write_text("[stride]\nlow = 0.5\nhigh = 0.6\n")
    with pytest.raises(BadInput, match=r"space\.toml: .*stride"):
        study_config(GaitTask("nao"), space=file)


def test_parameters_that_no_gait_has_are_refused(tmp_path):
    file = tmp_path / "start.toml"
    file.write_text("stride = 0.9\n")
    with pytest.raises((BadInput, UnknownName), match="stride"):
        study_config(GaitTask("nao"), params=Path(file))
