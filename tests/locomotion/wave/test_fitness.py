"""Statistics and fitness equal what one computes by hand."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from andante.errors import BadInput, UnknownName
from andante.locomotion.wave.fitness import (
    Track,
    WaveStatistics,
    better_fitness,
    deviation,
    fitness_named,
    source_fitness,
    statistics,
    transport_cost,
)


def pose(x: float, y: float, yaw: float = 0.0) -> list[float]:
    return [x, y, 0.3, 0.0, 0.0, math.sin(yaw / 2), math.cos(yaw / 2)]


def track(poses: list[list[float]], **changes: object) -> Track:
    usual = Track(
        times=np.arange(len(poses)) * 1.0,
        poses=np.array(poses),
        power=np.array([9.0, *[2.0] * (len(poses) - 1)]),
        cycles=np.array([0.0, 1.0, 2.0, 3.0]),
        seconds=float(len(poses) - 1),
        fallen=False,
        mass=5.0,
    )
    return replace(usual, **changes)  # type: ignore[arg-type]


def figures(**changes: object) -> WaveStatistics:
    usual = WaveStatistics(
        start=(0.0, 0.0), end=(0.36, 0.0), time=6.0, planned=6.0, distance=0.36, along=0.36, aside=0.0, turned=0.0,
        deviation=0.04, wobble=0.0, energy=0.0, mass=5.0, fallen=False,
    )  # fmt: skip
    return replace(usual, **changes)  # type: ignore[arg-type]


def test_statistics_of_a_straight_way() -> None:
    s = statistics(track([pose(0, 0), pose(0.1, 0), pose(0.2, 0), pose(0.3, 0.04)]))
    assert (s.start, s.end) == ((0.0, 0.0), (0.3, 0.04))
    assert s.distance == pytest.approx(math.hypot(0.3, 0.04))
    assert (s.along, s.aside, s.turned) == pytest.approx((0.3, 0.04, 0.0))
    assert (s.time, s.planned, s.energy, s.mass) == (3.0, 3.0, 6.0, 5.0)
    assert s.deviation == pytest.approx((0.0 + 0.1 + 0.1 + math.hypot(0.1, 0.04)) / 4)
    assert s.wobble == 0.0
    assert not s.fallen


def test_ahead_is_where_it_looked_at_the_start() -> None:
    s = statistics(track([pose(1, 2, math.pi / 2), pose(0.9, 2.5, 3.0), pose(0.9, 2.5, -3.0)]))
    assert (s.along, s.aside) == pytest.approx((0.5, 0.1))
    assert s.turned == pytest.approx(2 * math.pi - 3.0 - math.pi / 2)  # through the half turn, unwrapped


def test_only_cycles_that_began_count() -> None:
    fell = track([pose(0, 0), pose(0.2, 0)], cycles=np.array([0.0, 0.5, 1.5]), fallen=True, seconds=6.0)
    s = statistics(fell)
    assert s.fallen
    assert s.deviation == pytest.approx(0.05)  # 0 and 0.1 m
    assert (s.time, s.planned) == (1.0, 6.0)


def test_the_first_cycle_is_counted_from_the_origin() -> None:
    assert deviation(np.array([[0.3, 0.4], [0.3, 0.5]])) == pytest.approx((0.5 + 0.1) / 2)
    assert deviation(np.zeros((0, 2))) == 0.0


def test_wobble_is_the_tilt_about_its_mean() -> None:
    tilts = [0.0, 0.2, 0.0, 0.2]
    poses = [[0, 0, 0.3, 0.0, math.sin(a / 2), 0.0, math.cos(a / 2)] for a in tilts]
    assert statistics(track(poses)).wobble == pytest.approx(math.sin(0.2) / 2)


def test_the_source_by_hand() -> None:
    # d = 36 cm, tau = 6 s, e = 4 cm, y0 = 0 raised to 10: sqrt(46656 / 6) sqrt(1 / 4) 1
    assert source_fitness(figures()) == pytest.approx(math.sqrt(7776.0) / 2)
    drifted = figures(end=(0.36, 0.05))
    assert source_fitness(drifted) == pytest.approx(math.sqrt(7776.0) / 2 * 10 / 15)
    stood_aside = figures(start=(0.0, 0.2), end=(0.36, 0.15))
    assert source_fitness(stood_aside) == pytest.approx(math.sqrt(7776.0) / 2 * 20 / 25)
    assert source_fitness(figures(deviation=0.0)) == pytest.approx(math.sqrt(7776.0 / 1e-7))
    assert source_fitness(figures(fallen=True)) == 0.0
    assert source_fitness(figures(time=0.0)) == 0.0


def test_the_flaws_of_the_source_are_there() -> None:
    assert source_fitness(figures(along=-0.36)) == source_fitness(figures())  # backward is as good
    assert source_fitness(figures(start=(0.0, -0.2), end=(0.36, 0.0))) == 0.0  # nothing below the line
    assert source_fitness(figures(start=(0.0, -0.2), end=(0.36, 0.1))) < 0


def test_the_better_one_by_hand() -> None:
    free = figures(energy=5.0 * 9.81 * 0.36 * 2.0)  # cost of transport 2
    assert better_fitness(free) == pytest.approx(0.36 - 0.002 * 2)
    worse = replace(free, aside=-0.05, turned=0.3, wobble=0.1)
    assert better_fitness(worse) == pytest.approx(0.36 - 0.05 - 0.03 - 0.02 - 0.004)
    assert better_fitness(figures(along=0.01, energy=1.0)) == pytest.approx(0.01 - 0.04)
    assert better_fitness(figures(along=-0.36)) < 0


def test_a_fall_is_worse_the_sooner_it_comes() -> None:
    soon, late = (better_fitness(figures(fallen=True, time=t)) for t in (1.0, 5.0))
    assert soon == pytest.approx(0.0 - 5 / 6 - 0.2)
    assert soon < late < -0.2
    assert late < better_fitness(figures(along=0.0, distance=0.0))


def test_cost_of_transport_has_a_top() -> None:
    assert transport_cost(figures(energy=1e6)) == 20.0
    assert transport_cost(figures(along=0.04, energy=0.0)) == 20.0
    assert transport_cost(figures(fallen=True)) == 20.0
    assert transport_cost(figures(energy=5 * 9.81 * 0.36)) == pytest.approx(1.0)


def test_fitness_by_name(tmp_path: Path) -> None:
    assert fitness_named("better") is better_fitness
    assert fitness_named("source") is source_fitness
    with pytest.raises(UnknownName, match=r"no fitness 'best'; choices: better, source, file.py:Name"):
        fitness_named("best")
    file = tmp_path / "mine.py"
    file.write_text("def far(s): return s.along\ndef bad(s): return 'x'\ndef nan(s): return float('nan')\nthree = 3\n")
    assert fitness_named(f"{file}:far")(figures()) == 0.36
    with pytest.raises(BadInput, match="bad gave no number"):
        fitness_named(f"{file}:bad")(figures())
    with pytest.raises(BadInput, match="nan gave nan; a fitness is a finite number"):
        fitness_named(f"{file}:nan")(figures())
    with pytest.raises(BadInput, match="three is no function"):
        fitness_named(f"{file}:three")
