"""UWB tags: true distances, what walls add, outliers, drop-outs, and where anchors are by default."""

from __future__ import annotations

import math
import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent))
from rooms import HERE, INSTALLED, carrier, scene_of, thing

import andante as an
from andante.description import Box, SensorSpec, World
from andante.errors import BadInput
from andante.geometry import SE3
from andante.sensors import SensorSuite, UwbErrors, UwbTag, anchors_of

ANCHORS = {"a": (3.0, 0.0, 1.0), "b": (0.0, 4.0, 1.0), "c": (-2.0, -1.0, 2.0)}
WALL = thing("wall", Box((0.1, 2.0, 3.0)), (1.5, 0.0, 1.0))


def tag(errors: UwbErrors | None = None, seed: int = 0) -> UwbTag:
    made = UwbTag(carrier(), "base", SE3.from_xyz_rpy((0.0, 0.0, 0.2)), ANCHORS, errors, "tag0")
    made.draw_from(np.random.default_rng(seed))
    return made


@pytest.mark.parametrize("engine", INSTALLED)
def test_true_distances_and_what_stands_in_between(engine):
    _, scene = scene_of(WALL, at=SE3.from_xyz_rpy((0.2, 0.1, 0.3), (0, 0, 1.0)), engine=engine)
    here = np.array([0.2, 0.1, 0.5])
    wanted = [math.dist(here, place) for place in ANCHORS.values()]
    assert tag(UwbErrors.none()).measure(scene) == pytest.approx(wanted, abs=1e-9)
    distance, blocked = tag().blocked(scene)
    assert distance == pytest.approx(wanted)
    assert blocked.tolist() == [True, False, False]


def test_a_wall_adds_its_bias_and_only_where_it_stands():
    errors = UwbErrors(stddev=0.05, wall_bias=0.4, outliers=0.0, dropout=0.0)
    _, free = scene_of()
    _, behind = scene_of(WALL)
    sensor = tag(errors, seed=2)
    open_air = np.array([sensor.measure(free) for _ in range(3000)])
    walled = np.array([sensor.measure(behind) for _ in range(3000)])
    truth = np.array([math.dist((0, 0, 0.5), place) for place in ANCHORS.values()])
    assert open_air.mean(axis=0) == pytest.approx(truth, abs=0.005)
    assert open_air.std(axis=0) == pytest.approx([0.05] * 3, rel=0.05)
    added = walled.mean(axis=0) - truth
    assert 0.2 - 0.01 < added[0] < 0.6 + 0.01
    assert added[1:] == pytest.approx([0.0, 0.0], abs=0.005)
    assert walled[:, 0].std() > open_air[:, 0].std()
    factors = [tag(errors, seed).measure(behind)[0] - truth[0] for seed in range(400)]
    assert np.mean(factors) == pytest.approx(0.4, abs=0.03)  # over many rooms


def test_outliers_are_too_long_and_missing_ranges_are_nan():
    _, scene = scene_of()
    sensor = tag(UwbErrors(stddev=0.0, outliers=0.2, outlier_reach=3.0, dropout=0.1), seed=5)
    truth = np.array([math.dist((0, 0, 0.5), place) for place in ANCHORS.values()])
    error = np.array([sensor.measure(scene) for _ in range(4000)]) - truth
    kept = error[~np.isnan(error)]
    assert np.isnan(error).mean() == pytest.approx(0.1, abs=0.01)
    assert (kept >= -1e-12).all()
    assert (kept > 1e-9).mean() == pytest.approx(0.2, abs=0.015)
    assert kept.max() <= 3.0
    assert kept[kept > 1e-9].mean() == pytest.approx(1.5, abs=0.1)
    far = tag(UwbErrors(stddev=0.0, outliers=0.0, dropout=0.0, range_max=3.5))
    assert np.isnan(far.measure(scene)).tolist() == [False, True, False]


def test_a_suite_reads_errors_and_anchors_from_the_description_and_is_seeded():
    spec = SensorSpec("tag", "uwb", "base", HERE, 20.0, parameters={"noise_stddev": 0.3, "outliers": 0.0, "dropout": 0})
    made, scene = scene_of(robot=carrier(spec))
    runs = []
    for seed in (1, 1, 2):
        suite = SensorSuite(made, scene.model, seed=seed, anchors=ANCHORS)
        suite.update()
        runs.append(suite["tag"].reading.values)
    assert np.array_equal(runs[0], runs[1])
    assert not np.array_equal(runs[0], runs[2])
    assert suite["tag"].sensor.errors.stddev == 0.3
    assert suite["tag"].sensor.labels == ("a", "b", "c")
    state = suite.save()
    after = []
    for _ in range(2):
        made.step(50)
        suite.update()
        after.append(suite["tag"].reading.values)
        made.restore(made.snapshot())
        suite.load(state)
    assert np.array_equal(after[0], after[1])


def test_the_rover_measures_to_four_anchors_of_the_lab():
    sim = an.simulate("rover", world="lab", sensors=True)
    assert list(sim.sensors.anchors) == ["0x6902", "0x6e7a", "0x6e44", "0x6e6c"]
    p0, p1, p2, p3 = (np.array(place) for place in sim.sensors.anchors.values())
    assert (p1 - p0)[1] > 4
    assert (p1 - p0)[[0, 2]] == pytest.approx([0, 0])
    assert (p2 - p0)[0] > 6
    assert (p2 - p0)[1:] == pytest.approx([0, 0])
    assert p3[2] > p0[2]
    assert np.abs(np.array([p0, p1, p2, p3])[:, :2]).max() < 4.0  # inside the walls
    sim.run(0.3)
    assert sim.sensors["tag0"].reading.values.shape == (4,)


def test_anchors_are_models_of_that_name_else_corners():
    own = (thing("anchor_1", Box((0.1, 0.1, 0.1)), (1, 2, 3)), thing("anchor_0", Box((0.1, 0.1, 0.1)), (4, 5, 6)))
    assert anchors_of(World("w", models=own)) == {"anchor_0": (4.0, 5.0, 6.0), "anchor_1": (1.0, 2.0, 3.0)}
    corners = np.array(list(anchors_of(World("w")).values()))
    assert np.ptp(corners[:, 0]) == pytest.approx(8.0 - 0.6)
    assert np.ptp(corners[:, 1]) == pytest.approx(6.0 - 0.6)


@pytest.mark.parametrize(
    ("make", "fragment"),
    [
        (lambda: UwbErrors(stddev=-1.0), "uwb stddev must be at least 0 m"),
        (lambda: UwbErrors(outliers=2.0), "uwb outliers must be a fraction between 0 and 1, got 2.0"),
        (lambda: UwbErrors(range_max=0.0), "uwb range_max must be above 0"),
        (lambda: UwbTag(carrier(), "base", HERE, {}), "uwb tag 'tag0' needs anchors"),
        (lambda: UwbTag(carrier(), "base", HERE, {"a": (0.0, math.nan, 0.0)}), "finite x y z"),
        (
            lambda: UwbErrors.of(SensorSpec("t", "uwb", "base", parameters={"dropout": "some"})),
            "sensor 't': .*'some'",
        ),
    ],
)
def test_mistakes_are_named(make, fragment):
    with pytest.raises(BadInput, match=fragment):
        make()
