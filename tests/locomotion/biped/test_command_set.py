"""Commands that steps can carry out: the set, how a command is shaped into it, and that none lets the robot fall."""

from __future__ import annotations

import itertools
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from andante.control.loop import ControlLoop
from andante.description import load_robot
from andante.locomotion import Command
from andante.locomotion.biped import command_set as module
from andante.locomotion.biped.command_set import (
    MIRROR,
    PRESSED,
    CommandSet,
    polygon_gap,
    pressing,
    rehearse,
)
from andante.locomotion.biped.walk import BipedWalk
from andante.locomotion.gaits import Request, prepare
from andante.simulation.simulation import simulate

READY = prepare(load_robot("nao"), Request("walk"))
WALK: BipedWalk = READY.walker
TOPS = np.array([WALK.measures.max_speed, WALK.measures.max_side, WALK.measures.max_turn])
finite = st.floats(-3.0, 3.0)


def the_set() -> CommandSet:
    assert WALK.commands is not None
    return WALK.commands


@given(finite, finite, finite)
@settings(max_examples=200)
def test_shaping_keeps_the_direction_and_ends_in_the_set(vx: float, vy: float, wz: float) -> None:
    asked = np.array([vx, vy, wz]) * TOPS
    done = np.array(the_set().shaped(tuple(asked)))
    assert the_set().use(tuple(done)) <= 1.0 + 1e-9
    if the_set().use(tuple(asked)) <= 1.0:
        assert done == pytest.approx(asked)
    else:
        assert the_set().use(tuple(done)) == pytest.approx(1.0)
        assert np.cross(done, asked) == pytest.approx(0.0, abs=1e-9)
    mirrored = the_set().shaped(tuple(asked * MIRROR))
    assert mirrored == pytest.approx(done * MIRROR)


@pytest.mark.parametrize("damage", [b"", b"rubbish", b"corners of a smaller set"])
def test_a_set_is_kept_for_the_next_process_and_found_anew_where_the_file_is_damaged(
    damage: bytes, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    corners, rehearsed = the_set().corners, []
    monkeypatch.setattr(module.place, "folder", lambda: tmp_path / "kept")
    monkeypatch.setattr(module, "_rehearsed", lambda walk: rehearsed.append(walk) or corners)
    for _ in range(3):  # processes
        monkeypatch.setattr(module, "_FOUND", {})
        module.command_set(WALK)
        assert len(rehearsed) == 1  # by the first
    (kept,) = (tmp_path / "kept").iterdir()  # nothing half written beside it
    assert np.array_equal(np.load(kept), corners)
    if damage.startswith(b"corners"):
        np.save(kept, np.full((2, 3), np.nan))
    else:
        kept.write_bytes(damage)
    monkeypatch.setattr(module, "_FOUND", {})
    assert np.array_equal(module.command_set(WALK).corners, corners)
    assert len(rehearsed) == 2
    monkeypatch.setattr(module.place, "folder", lambda: kept)  # a file: nothing can be kept
    monkeypatch.setattr(module, "_FOUND", {})
    module.command_set(WALK)
    assert len(rehearsed) == 3


def test_the_set_holds_most_of_every_axis_and_half_of_the_boxes() -> None:
    for axis, sign in itertools.product(range(3), (-1.0, 1.0)):
        top = sign * TOPS * np.eye(3)[axis]
        assert the_set().use(tuple(0.9 * top)) <= 1.0
    rng = np.random.default_rng(0)
    for axis in (1, 2):
        points = np.zeros((2000, 3))
        points[:, 0], points[:, axis] = rng.uniform(-1, 1, 2000), rng.uniform(-1, 1, 2000)
        assert np.mean([the_set().use(tuple(each * TOPS)) <= 1.0 for each in points]) > 0.5


def test_the_set_of_the_same_body_is_found_once_and_of_another_anew() -> None:
    same = prepare(load_robot("nao"), Request("walk")).walker
    slower = prepare(load_robot("nao"), Request("walk", parameters={"step_time": 0.35})).walker
    assert same.commands is WALK.commands
    assert slower.commands is not WALK.commands
    assert slower.commands.corners != pytest.approx(WALK.commands.corners)


def test_a_rehearsal_tells_what_is_too_fast() -> None:
    slow, fast = rehearse(WALK, (0.3 * TOPS[0], 0.0, 0.0)), rehearse(WALK, (1.6 * TOPS[0], 0.0, 0.0))
    most = WALK.settings.lag_way * WALK.measures.center
    assert slow.lag < 0.1 * most
    assert fast.lag > most
    assert slow.gap > 0.0
    assert WALK.phase == "stand"  # it was only thought of


def test_soles_are_pressed_inside_their_edges_whatever_is_commanded() -> None:
    """Back and turning at 77 % of both tops the right sole was pressed 12 mm from its edge; on ODE it then tipped."""
    assert pressing(WALK, tuple(TOPS * [-0.77, 0.0, -0.77])) > PRESSED + 0.02
    for way in ([-1.0, 0.0, -1.0], [-1.0, 0.0, 1.0], [-1.0, 1.0, -1.0], [1.0, -0.5, 0.7], [-0.6, 0.2, -1.0]):
        done = the_set().shaped(tuple(TOPS * way))
        assert pressing(WALK, done) < PRESSED + 0.02  # between the directions that were tried


def test_gaps_of_polygons() -> None:
    square = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    assert polygon_gap(square, square + np.array([1.5, 0.2])) == pytest.approx(0.5)
    assert polygon_gap(square, square + np.array([0.9, 0.0])) == pytest.approx(-0.1)


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_a_command_that_is_no_number_is_a_stop(bad: float) -> None:
    ready = prepare(load_robot("nao"), Request("walk"))
    sim = simulate(ready.robot, pose=ready.pose, sensors=True)
    loop = ControlLoop(sim, ready.walker, command=lambda state: Command(vx=bad if state.time > 1.0 else 0.1, wz=0.0))
    loop.run(3.0)
    assert ready.walker.standing
    assert not sim.fallen
    sim.close()


def fell(commands: list[tuple[float, Command]], seconds: float, seed: int = 0) -> bool:
    """Whether the NAO falls under commands from given times [s] on."""
    ready = prepare(load_robot("nao"), Request("walk"))
    sim = simulate(ready.robot, pose=ready.pose, sensors=True, seed=seed)
    loop = ControlLoop(
        sim, ready.walker, command=lambda state: [each for at, each in commands if at <= state.time or at == 0.0][-1]
    )
    down = loop.run(seconds, until=lambda: sim.fallen)
    sim.close()
    return down


KEYS = [keys for keys in itertools.product((-1, 0, 1), repeat=3) if any(keys)]
HARD = [(1, 1, 0), (1, -1, 1), (-1, 0, -1), (-1, 1, -1)]  # those that let 0.1.0 fall


@pytest.mark.parametrize("keys", [*HARD, *(pytest.param(k, marks=pytest.mark.drill) for k in KEYS if k not in HARD)])
def test_no_combination_of_keys_lets_it_fall(keys: tuple[int, int, int]) -> None:
    commands = [(0.0, Command()), (0.5, Command(*(float(each) for each in np.array(keys) * TOPS)))]
    assert not fell(commands, 10.5 if keys not in HARD else 6.0)


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.drill) for seed in range(1, 9))])
def test_no_random_stream_of_commands_lets_it_fall(seed: int) -> None:
    rng = np.random.default_rng([7, seed])
    commands, time = [(0.0, Command())], 0.5
    while time < 20.0:
        stop = rng.random() < 0.12
        asked = np.zeros(3) if stop else rng.uniform(-1, 1, 3) * TOPS
        commands.append((time, Command(*asked.tolist())))
        time += rng.uniform(0.1, 2.0)
    assert not fell(commands, 20.0, seed)


def test_a_command_reversed_ten_times_a_second_lets_it_stand() -> None:
    commands = [(0.0, Command())]
    commands += [(0.5 + 0.1 * i, Command(*(TOPS * (-1) ** i).tolist())) for i in range(50)]
    assert not fell(commands, 6.0)
