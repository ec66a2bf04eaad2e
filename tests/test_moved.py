"""Modules, names, keywords and attributes of 0.1.0 are found by their old names, with a warning, for one version."""

import importlib
import inspect
import subprocess
import sys
from dataclasses import dataclass, field
from operator import attrgetter
from pathlib import Path

import pytest

import andante as an
from andante._moved import moved, moved_names, renamed
from andante.locomotion.gaits import Request, prepare


def test_every_old_name_leads_to_a_module_that_is_there():
    for old, new in moved().items():
        assert importlib.util.find_spec(new) is not None, f"{old} leads to {new}, which is not there"
        assert old != new


@pytest.mark.parametrize("old", ["andante.runtime.simulation", "andante.runtime.live", "andante.bus.bags.recorder"])
def test_an_old_name_gives_the_new_module_and_warns(old):
    new = moved()[old]
    code = f"import {old} as a, {new} as b; assert a is b and b.__name__ == {new!r} and b.__spec__.name == {new!r}"
    done = subprocess.run([sys.executable, "-W", "default", "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert f"DeprecationWarning: {old} is {new} now" in done.stderr


def test_what_never_was_is_not_found():
    with pytest.raises(ModuleNotFoundError, match="nothing"):
        importlib.import_module("andante.nothing")


ROOMS = (
    (Path(__file__).parent / "names_0_1_0.txt").read_text(encoding="utf-8").splitlines()
)  # `__all__` of 0.1.0, and its pages


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("line", ROOMS, ids=[line.partition(":")[0] for line in ROOMS])
def test_every_public_name_of_0_1_0_is_found_where_it_was(line):
    room, _, names = line.partition(": ")
    module = __import__(room, fromlist=names.split())  # as `from room import ...` does
    missing = [name for name in names.split() if not hasattr(module, name)]
    assert not missing


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_every_old_name_leads_to_a_name_that_is_there():
    for module, names in moved_names().items():
        for old, new in names.items():
            home, _, name = new.partition(":")
            assert getattr(importlib.import_module(module), old) is attrgetter(name)(importlib.import_module(home))


def test_an_old_name_warns_and_keeps_source_and_other_names():
    import andante.physics

    with pytest.warns(DeprecationWarning, match=r"andante\.physics\.Actor is andante\.physics\.Model now"):
        assert andante.physics.Actor is andante.physics.Model
    assert "Engine" in inspect.getsource(andante.physics)
    with pytest.raises(AttributeError, match=r"'andante\.physics' has no attribute 'Nothing'"):
        _ = andante.physics.Nothing


@renamed(place="start")
def begin(start=0, *, seed=0):
    return start, seed


@renamed()
@dataclass(frozen=True)
class Limits:
    max_speed: float = field(default=1.0, metadata={"was": "top_speed"})


def test_old_keywords_and_attributes_are_taken_with_a_warning():
    assert begin(1, seed=2) == (1, 2)
    with pytest.warns(DeprecationWarning, match="argument 'place' of begin is start now"):
        assert begin(place=3) == (3, 0)
    with pytest.warns(DeprecationWarning, match="argument 'top_speed' of Limits is max_speed now"):
        made = Limits(top_speed=2.0)
    with pytest.warns(DeprecationWarning, match=r"Limits\.top_speed is max_speed now"):
        assert made.top_speed == made.max_speed == 2.0
    assert list(inspect.signature(Limits).parameters) == ["max_speed"]


def test_old_words_of_a_simulation():
    with pytest.warns(DeprecationWarning, match="'place' of simulate"):
        sim = an.simulate("waffle", place=(1.0, 2.0, 0.0))
    assert sim.base_pose[:2] == pytest.approx([1.0, 2.0])
    with pytest.warns(DeprecationWarning, match=r"Simulation\.actor is model now"):
        assert sim.actor == sim.model
    with pytest.warns(DeprecationWarning, match=r"Engine\.actor is model_index now"):
        assert sim.engine.actor("waffle") == sim.model
    with pytest.warns(DeprecationWarning, match=r"argument 'actor' of Engine\.set_base is model now"):
        sim.engine.set_base(actor=sim.model, pose=(0.5, 0.0, 0.1, 0.0, 0.0, 0.0, 1.0))
    with pytest.warns(DeprecationWarning, match=r"argument 'actor' of Engine\.link_poses is model now"):
        assert sim.engine.link_poses(actor=sim.model)[0, 0] == pytest.approx(0.5)
    with pytest.warns(DeprecationWarning, match=r"Engine\.actors is models now"):
        assert sim.engine.actors is sim.engine.models
    with pytest.warns(DeprecationWarning, match=r"Contacts\.actor_a is model_a now"):
        assert sim.engine.contacts().actor_a.ndim == 1
    with pytest.warns(DeprecationWarning, match=r"MujocoEngine\.model is mj_model now"):
        assert sim.engine.model is sim.engine.mj_model
    sim.close()


def test_a_walker_with_the_old_names_of_its_limits():
    with pytest.warns(DeprecationWarning, match="Old.top_speed is max_speed now"):

        class Old(an.Walker):
            top_speed = 0.4

            def update(self, readings, command, dt):
                return None

    assert (Old().max_speed, Old().top_speed, Old().max_turn) == (0.4, 0.4, 0.0)


OLD_GAIT = """
import numpy as np

class Old:
    top_turn = stopping_time = 1.0
    standing, position = True, np.zeros(3)

    def __init__(self, robot):
        self.top_speed = 0.3

    def update(self, readings, command, dt):
        return np.zeros(2)
"""


def test_a_gait_that_was_written_for_0_1_0(tmp_path):
    file = tmp_path / "old.py"
    file.write_text(OLD_GAIT, encoding="utf-8")
    with pytest.warns() as told:
        walker = prepare(an.robot("waffle"), Request(f"{file}:Old")).walker
    assert (walker.max_speed, walker.max_turn, walker.top_speed) == (0.3, 1.0, 0.3)
    assert any("Old.top_speed is max_speed now" in str(each.message) for each in told)
