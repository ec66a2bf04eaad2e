"""`andante bench walk`: both sides do the same work, and a difference is told."""

from __future__ import annotations

import numpy as np
import pytest

from andante.bench import walk as bench_walk
from andante.bench.physics import Unequal
from andante.bench.rows import BENCHMARKS

STANDING = bench_walk.Case("nao standing", "nao", "")
WALKING = bench_walk.Case("shell walking", "shell", "tripod")


def test_it_is_found_by_name():
    assert BENCHMARKS["walk"] == f"{bench_walk.__name__}:run"


@pytest.mark.parametrize("case", [STANDING, WALKING])
def test_a_tape_brings_the_bare_loop_to_the_same_bits(case, monkeypatch):
    monkeypatch.setattr(bench_walk, "SETTLING", 0.2)
    monkeypatch.setattr(bench_walk, "STARTING", 0.3)
    loop = bench_walk.begin(case)
    sim = bench_walk.simulation(loop)
    start = sim.engine.snapshot()
    tapes = [bench_walk.record(loop) for _ in range(2)]
    assert sum(steps for tape in tapes for steps, _ in tape) == round(2 * bench_walk.SLICE / sim.engine.dt)
    end = sim.engine.data.qpos.copy()
    sim.engine.restore(start)
    assert not np.array_equal(sim.engine.data.qpos, end)
    for tape in tapes:
        bench_walk.play(sim, tape)
    assert np.array_equal(sim.engine.data.qpos, end)
    sim.close()


def test_rows_have_both_sides_and_a_gait_that_is_missing_is_told(monkeypatch, capsys):
    monkeypatch.setattr(bench_walk, "CASES", (STANDING, bench_walk.Case("nao crawling", "nao", "crawl on its belly")))
    monkeypatch.setattr(bench_walk, "PASSES", 1)
    (row,) = bench_walk.run(0.2, quiet=False)
    assert row.case == "nao standing"
    assert row.andante > 0
    assert row.baseline > 0
    assert row.unit == "x real time"
    assert "left out: nao crawling: robot 'nao' has no gait" in capsys.readouterr().err


def test_sides_that_differ_are_no_benchmark(monkeypatch):
    real = bench_walk.record

    def forgetful(sim):
        return [(steps, references * 0.0) for steps, references in real(sim)]

    monkeypatch.setattr(bench_walk, "record", forgetful)
    monkeypatch.setattr(bench_walk, "PASSES", 1)
    with pytest.raises(Unequal, match="nao standing: the sides ended"):
        bench_walk.measure(STANDING, 0.3)
