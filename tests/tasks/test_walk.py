"""`walk`: goals in numbers, a result that tells itself, and nothing that changes by being watched."""

from __future__ import annotations

import json

import numpy as np
import pytest

import andante as an
from andante.control.loop import ControlLoop
from andante.control.walking import WalkGoal, WalkGuide, WalkSettings, walk_to
from andante.errors import BadInput
from andante.locomotion.gaits import Request, prepare
from andante.simulation.truth import TrueWalk
from andante.tasks.walk import WalkResult, walk

CONTRACT = {"engine", "gait", "distance", "drift", "turned", "time", "fallen"}


@pytest.fixture(scope="module")
def short() -> WalkResult:
    return walk("nao", velocity=(0.15, 0.0, 0.1), seconds=1.0, seed=3)


def test_a_result_tells_itself(short):
    assert (short.robot, short.world, short.engine, short.gait) == ("nao", "empty", "mujoco", "walk")
    assert short.arrived
    assert not short.fallen
    assert set(short.as_dict()) >= {*CONTRACT, "estimated", "reckoned"}
    assert "path" not in short.as_dict()
    assert str(short).startswith("nao on mujoco, gait walk: 0.")
    assert str(short).endswith("standing")
    assert short.path[0] == pytest.approx([0.0, 0.0, 0.0, 0.0])
    assert short.path[-1, 1] == pytest.approx(short.distance, abs=0.01)
    assert np.degrees(short.path[-1, 3]) == pytest.approx(short.turned, abs=1.0)
    assert np.diff(short.path[:, 0]) == pytest.approx(0.02)
    assert short.plot().axes
    assert "<table>" in short._repr_html_()


def test_recording_changes_nothing(short, tmp_path):
    again = walk(an.robot("nao"), velocity=(0.15, 0.0, 0.1), seconds=1.0, seed=3, record=tmp_path / "walk.mcap")
    assert np.array_equal(again.path, short.path)
    assert np.array_equal(again.estimated, short.estimated)
    assert (tmp_path / "walk.mcap").stat().st_size > 10_000


def test_a_loop_in_python_is_the_same_walk(short):
    ready = prepare(an.robot("nao"), Request(""))
    sim = an.simulate(ready.robot, pose=ready.pose, sensors=True, seed=3)
    guide, truth = WalkGuide(ready.walker, WalkGoal(velocity=(0.15, 0.0, 0.1), seconds=1.0)), TrueWalk(sim)
    loop = ControlLoop(sim, ready.walker, command=guide)
    loop.run(WalkSettings.settle)
    assert walk_to(loop, guide, truth)
    assert truth.moved[:2] == (short.distance, short.drift)
    assert np.array_equal(truth.path, short.path)
    sim.close()


def test_a_push_in_numbers_is_the_push_in_words():
    wishes = {"velocity": (0.0, 0.0, 0.0), "seconds": 0.5, "seed": 1}
    words, numbers = (walk("nao", push=push, **wishes) for push in ("1.5 left 0.3", (1.5, "left", 0.3)))
    assert np.array_equal(words.path, numbers.path)
    assert np.abs(words.path[:, 2]).max() > 0.003


@pytest.mark.parametrize(
    ("wishes", "words"),
    [
        ({}, "a walk needs one of distance, turn or velocity with seconds, got none"),
        ({"distance": 1.0, "push": "hard"}, "push 'hard' should be"),
        ({"distance": 1.0, "push": (1.0, "left", -1.0)}, "should be 'N·s direction time'"),
        ({"distance": 1.0, "record": "walk.txt"}, "walk.txt: recordings are written as"),
        ({"distance": 1.0, "arguments": {"leg": "1"}}, "'nao' is loaded already"),
    ],
)
def test_bad_wishes_are_told_before_anything_moves(wishes, words):
    with pytest.raises(BadInput, match=words):
        walk(an.robot("nao"), **wishes)


def test_results_are_plain_json(short):
    told = json.loads(json.dumps(short.as_dict(), default=lambda value: value.tolist()))
    assert told["reckoned"] == told["estimated"]
