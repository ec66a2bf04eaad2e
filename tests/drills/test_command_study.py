"""The study of commands counts what it says: ways, steps until a command is reached, limbs that touch."""

from __future__ import annotations

import math

import numpy as np
import pytest

from andante.description import load_robot
from andante.locomotion.gaits import Request, prepare


def test_every_combination_of_keys_is_held_once() -> None:
    import command_study as study

    assert len(study.KEYS) == len({frozenset(each) for each in study.KEYS}) == 26
    walk = prepare(load_robot("nao"), Request("walk")).walker
    asked = study.held("wdq", walk)(1.0)
    assert (asked.vx, asked.wz) == pytest.approx((walk.max_speed, walk.max_turn))
    assert asked.vy < -walk.measures.max_side  # beyond what it can: it is shaped


def test_streams_are_drawn_from_the_whole_range_and_stop() -> None:
    import command_study as study

    most = np.array([0.3, 0.1, 1.0])
    given = [study.stream(seed, most)(0.05 * k) for seed in range(5) for k in range(400)]
    asked = np.array([[each.vx, each.vy, each.wz] for each in given]) / most
    again = study.stream(5, most)(7.0)
    assert np.abs(asked).max() <= 1.0
    assert (asked.min(axis=0) < -0.9).all()
    assert (asked.max(axis=0) > 0.9).all()
    assert (asked == 0.0).all(axis=1).any()
    assert again == study.stream(5, most)(7.0) != study.stream(6, most)(7.0)


def test_a_command_counts_as_reached_when_two_steps_are_its_way() -> None:
    import command_study as study

    period, step = 0.01, 0.28
    times = study.SETTLE + np.arange(period, study.STEADY, period)
    foot = np.floor((times - study.SETTLE) / step) % 2
    speed = np.minimum(1.0, (times - study.SETTLE) / (3 * step))  # of the command, after three steps the whole
    rows = np.column_stack([times, np.outer(speed, [0.3, 0.0, 0.5]), np.zeros((len(times), 3)), foot])
    found = study.reached(rows, np.array([0.3, 0.0, 0.5]), np.array([0.35, 0.12, 1.0]))
    assert found["steps"] == 2  # the third and fourth are 92 % of it
    assert found["reached"] == pytest.approx(1.0)
    slow = study.reached(rows * [1, 0.5, 1, 0.5, 1, 1, 1, 1], np.array([0.3, 0.0, 0.5]), np.array([0.35, 0.12, 1.0]))
    assert slow["reached"] == pytest.approx(0.5)
    assert slow["steps"] > 10


def test_goals_are_free_and_not_far() -> None:
    import command_study as study

    from andante.description import load_world
    from andante.mapping.worlds import map_of_world

    grid = map_of_world(load_world("lab"))
    for seed in range(8):
        x, y, yaw = study.place_of(grid, np.zeros(3), seed)
        assert study.NEAREST <= math.hypot(x, y) <= study.FARTHEST
        assert abs(yaw) <= math.pi
        for k in range(8):
            near = (x + 0.3 * math.cos(k), y + 0.3 * math.sin(k))
            assert grid.at(near) == 0
