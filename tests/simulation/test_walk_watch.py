"""Statistics of a walk that a user drives: as those of a trial, from the moment the watch is made."""

from __future__ import annotations

import numpy as np
import pytest

from andante.errors import BadInput
from andante.locomotion.wave.fitness import statistics
from andante.locomotion.wave.gait import WaveGait
from andante.locomotion.wave.model import default_gait
from andante.robots.nao.experiments.trial import SETTLE, WaveTrial
from andante.simulation.simulation import Simulation, simulate
from andante.simulation.walk_watch import WalkWatch

PARAMETERS = default_gait("smooth").parameters


def walk(sim: Simulation, gait: WaveGait, seconds: float) -> None:
    for _ in range(round(seconds / 0.01)):
        sim.target(gait.advance(0.01))
        sim.run(0.01)


def test_it_sees_what_a_trial_sees() -> None:
    sim = simulate("nao")
    sim.run(SETTLE)
    watch = WalkWatch(sim, PARAMETERS.period)
    sim.observers.append(watch)
    gait = WaveGait(sim.robot, PARAMETERS, first=np.array(sim.engine.commands[sim.model].references))
    gait.start()
    walk(sim, gait, 2.0)
    seen, tried = watch.statistics, statistics(WaveTrial().run(PARAMETERS, seconds=2.0))
    for name in ("along", "aside", "turned", "deviation", "wobble", "energy", "mass", "time"):
        assert getattr(seen, name) == pytest.approx(getattr(tried, name), rel=1e-3, abs=1e-5), name
    assert seen.start == pytest.approx(tried.start)
    assert not seen.fallen
    sim.close()


def test_it_remembers_a_fall() -> None:
    sim = simulate("nao")
    watch = WalkWatch(sim, 1.0)
    sim.observers.append(watch)
    sim.push("torso", (0.0, 20.0, 0.0))
    sim.run(1.5)
    assert watch.statistics.fallen
    assert watch.statistics.planned == pytest.approx(1.48, abs=0.021)
    sim.close()


def test_a_period_is_positive() -> None:
    sim = simulate("nao")
    with pytest.raises(BadInput, match="period of a gait must be > 0 s, got 0"):
        WalkWatch(sim, 0.0)
    sim.close()
