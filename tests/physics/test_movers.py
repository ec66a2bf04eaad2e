"""Things that a script moves: on every engine where they should be at every time, seen by rays, and touched."""

import math
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

import andante as an
from andante.description import load_world
from andante.description.trajectory import Trajectory, along
from andante.errors import BadInput, UnknownName

HALL = """
[[people]]
path = [[2, -1], [2, 1]]
speed = 1.0
[[carts]]
path = [[-1.2, 0], [-0.2, 0]]
speed = 0.5
[[doors]]
hinge = [0, 3]
times = [0.5, 0.5, 1, 1]
[[movers]]
waypoints = [[0, 4, 0, 0], [2, 4, 2, 90]]
loop = false
"""


@pytest.fixture
def hall(tmp_path: Path) -> Path:
    path = tmp_path / "hall.toml"
    path.write_text(HALL)
    return path


@pytest.mark.parametrize("engine", ["mujoco", "bullet", "dart", "ode"])
def test_movers_are_where_their_script_says_and_are_met(hall: Path, engine: str) -> None:
    with closing(an.simulate("waffle", hall, engine, sensors=True)) as sim:
        person, cart, door, mover = (sim.engine.model_index(n) for n in ("person_1", "cart_1", "door_1", "mover_1"))
        sim.run(1.0)
        assert sim.engine.base_pose(person)[:2] == pytest.approx([2.0, 0.0], abs=0.011)
        turn = sim.engine.base_pose(door)
        assert 2 * math.atan2(turn[5], turn[6]) == pytest.approx(math.pi / 2, abs=0.04)
        hit = sim.engine.cast_rays([[0.3, 0.0, 0.5]], [[1.0, 0.0, 0.0]], 5.0)
        assert hit.model[0] == person
        assert hit.distance[0] == pytest.approx(2.0 - 0.22 - 0.3, abs=0.01)
        assert np.nanmin(sim.scans(0.5)[-1].ranges) < 2.0
        touched = False
        for _ in range(12):
            sim.run(0.1)
            found = sim.engine.contacts_of(sim.model)
            touched = touched or bool((found.model_b == cart).any())
        assert touched
        assert sim.engine.base_pose(mover)[:2] == pytest.approx([4.0, 2.0], abs=0.011)
        if engine != "dart":  # which knows no speed of what is welded to its world
            assert sim.base_pose[0] > 0.05


def test_a_run_comes_back_to_a_snapshot_with_everybody_in_place(hall: Path) -> None:
    with closing(an.simulate("waffle", hall)) as sim:
        person = sim.engine.model_index("person_1")
        sim.run(0.5)
        kept, place = sim.snapshot(), sim.engine.base_pose(person).copy()
        sim.run(0.7)
        sim.restore(kept)
        assert sim.engine.base_pose(person) == pytest.approx(place)


def test_a_walk_goes_there_and_back_from_any_moment() -> None:
    walk = along([[0, 0], [2, 0]], 1.0)
    assert walk.duration == pytest.approx(4.0, abs=0.01)
    assert walk.at(1.0)[0].translation[:2].tolist() == pytest.approx([1.0, 0.0])
    assert walk.at(3.0)[1][:2].tolist() == pytest.approx([-1.0, 0.0], abs=2e-3)
    late = along([[0, 0], [2, 0]], 1.0, phase=3.0)
    for t in (0.0, 0.5, 0.9, 1.7, 3.2, 4.5):
        there = walk.at(t + 3.0)[0].translation
        assert late.at(t)[0].translation.tolist() == pytest.approx(there.tolist(), abs=0.01)
    loop = along([[0, 0], [1, 0], [1, 1]], 1.0, back=False)
    assert loop.duration == pytest.approx(2 + math.sqrt(2), abs=0.01)


@pytest.mark.parametrize(
    ("times", "poses"),
    [((), ()), ((0.0, 0.0), ((0.0,) * 6,) * 2), ((0.0,), ((math.nan,) * 6,)), ((-1.0,), ((0.0,) * 6,))],
)
def test_a_trajectory_of_rubbish_is_refused(times: tuple[float, ...], poses: tuple[tuple[float, ...], ...]) -> None:
    with pytest.raises(BadInput):
        Trajectory(times, poses)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[[people]]\nspeed = 1.0", "path is missing"),
        ("[[people]]\npath = [[0, 0]]", "two points"),
        ("[[people]]\npath = [[0, 0], [1, 0]]\nspeed = 0", "speed > 0"),
        ("[[carts]]\npath = [[0, 0], [1, 0]]\nsize = [1, 0, 1]", "size is three lengths"),
        ("[[doors]]\nhinge = [0]", "[[doors]] 1"),
        ("[people]\npath = 1", "[[people]] sections"),
        ('[[people]]\nname = "ground"\npath = [[0, 0], [1, 0]]', "already"),
    ],
)
def test_a_file_that_is_no_moving_world_is_refused_with_its_place(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "w.toml"
    path.write_text(text)
    with pytest.raises(BadInput, match=r"w\.toml") as told:
        load_world(path)
    assert words in str(told.value)
    assert "w.toml" in str(told.value)


def test_unknown_keys_are_told(tmp_path: Path) -> None:
    (tmp_path / "w.toml").write_text("[[people]]\npfad = [[0, 0], [1, 0]]")
    with pytest.raises(UnknownName, match="pfad"):
        load_world(tmp_path / "w.toml")
