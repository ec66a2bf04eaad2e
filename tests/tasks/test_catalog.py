"""`an.robots`, `an.worlds`, `an.engines`, `an.doctor`; a broken package is a problem of its row."""

import json

import pytest

import andante as an
from andante.errors import BadInput
from andante.tasks import catalog


def test_what_ships_is_listed():
    robots = {each.name: each for each in an.robots()}
    assert robots["nao"].joints > robots["nao"].independent > 20
    assert "StandInit" in robots["nao"].poses
    assert "problem" not in robots["nao"].as_dict()
    worlds = {each.name: each for each in an.worlds()}
    assert worlds["lab"].shapes > 0
    engines = {each.name: each for each in an.engines()}
    assert engines["mujoco"].installed
    assert engines["mujoco"].advice == ""


@pytest.mark.parametrize(("load", "names", "listed"), [
    ("load_robot", "robot_names", "robots"), ("load_world", "world_names", "worlds"),
])  # fmt: skip
def test_a_broken_package_does_not_break_the_list(monkeypatch, load, names, listed):
    whole = getattr(catalog, load)

    def loaded(name):
        if name == "crab":
            raise BadInput("'crab' of the package crab-robot cannot be loaded")
        return whole(name)

    monkeypatch.setattr(catalog, load, loaded)
    monkeypatch.setattr(catalog, names, lambda: ("crab", *{"robots": ("waffle",), "worlds": ("lab",)}[listed]))
    broken, fine = getattr(catalog, listed)()
    assert broken.problem == "'crab' of the package crab-robot cannot be loaded"
    assert broken.as_dict()["problem"] == broken.problem
    assert not fine.problem


def test_a_broken_engine_is_told(monkeypatch):
    class Broken(dict):
        def __getitem__(self, name):
            raise BadInput(f"{name} cannot be loaded")

    monkeypatch.setattr(catalog, "ENGINES", Broken(spin=None))
    (row,) = catalog.engines()
    assert (row.name, row.installed, row.advice) == ("spin", False, "spin cannot be loaded")


def test_doctor_finds_the_engines():
    result = an.doctor()
    assert {"python", "platform", "findings", "settings"} == set(result.as_dict())
    assert "engine mujoco" in str(result)
    assert json.dumps(result.as_dict())
