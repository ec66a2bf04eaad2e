"""Sonar: what is in the cone and faces the sensor, with REP 117 limits."""

from __future__ import annotations

import math
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent))
from rooms import HERE, INSTALLED, carrier, floor, scene_of, thing

import andante as an
from andante.description import Box, Cylinder, SensorSpec
from andante.errors import BadInput
from andante.geometry import SE3
from andante.sensors import Sonar, SonarModel
from andante.sensors.sonar import cone_of_rays

CLEAN = SonarModel(cone=math.radians(60), range_min=0.25, range_max=2.55).without_errors()


def heard(*things, model: SonarModel = CLEAN, at: SE3 | None = None, engine: str = "mujoco") -> float:
    _, scene = scene_of(*things, at=at, engine=engine)
    return float(Sonar(carrier(), "base", HERE, model).measure(scene)[0])


@pytest.mark.parametrize("engine", INSTALLED)
def test_a_wall_is_heard_at_its_distance(engine):
    assert heard(thing("wall", Box((0.2, 4, 4)), (1.6, 0, 0)), engine=engine) == pytest.approx(1.5, abs=1e-6)


@pytest.mark.parametrize("degrees", [-25, -10, 10, 25])
def test_a_slanted_wall_is_heard_where_the_sound_meets_it_squarely(degrees):
    turn = math.radians(degrees)
    wall = thing("wall", Box((0.2, 8, 8)), (1.6 * math.cos(turn), 1.6 * math.sin(turn), 0.3), (0, 0, turn))
    assert heard(wall) == pytest.approx(1.5, rel=0.01)


def test_walls_too_slanted_and_the_floor_throw_no_sound_back():
    turn = math.radians(75)
    wall = thing("wall", Box((0.2, 8, 8)), (1.6 * math.cos(turn), 1.6 * math.sin(turn), 0.3), (0, 0, turn))
    assert heard(wall) == math.inf
    assert heard(floor(), at=SE3.from_xyz_rpy((0, 0, 0.4))) == math.inf
    assert heard(floor(), at=SE3.from_xyz_rpy((0, 0, 0.4), (0, math.pi / 2, 0))) == pytest.approx(0.4)


@pytest.mark.parametrize(
    ("degrees", "seen"), [(0, True), (-20, True), (28, True), (35, False), (-60, False), (180, False)]
)
def test_a_post_is_heard_inside_the_cone_only(degrees, seen):
    a = math.radians(degrees)
    value = heard(thing("post", Cylinder(0.1, 2.0), (1.5 * math.cos(a), 1.5 * math.sin(a), 0.3)))
    if seen:
        assert value == pytest.approx(1.4, abs=0.02)
    else:
        assert value == math.inf


def test_the_nearest_of_two_counts():
    near, far = thing("near", Cylinder(0.1, 2.0), (0.8, 0.2, 0.3)), thing("far", Box((0.2, 4, 4)), (2.0, 0, 0))
    assert heard(near, far) == pytest.approx(math.hypot(0.8, 0.2) - 0.1, abs=0.01)


def test_too_near_too_far_and_no_reading_after_rep_117():
    assert heard(thing("wall", Box((0.2, 4, 4)), (0.3, 0, 0))) == -math.inf
    assert heard(thing("wall", Box((0.2, 4, 4)), (3.1, 0, 0))) == math.inf
    assert math.isnan(heard(model=replace(CLEAN, dropout=1.0)))


def test_noise_and_resolution():
    _, scene = scene_of(thing("wall", Box((0.2, 4, 4)), (1.6, 0, 0)))
    sonar = Sonar(carrier(), "base", HERE, replace(CLEAN, noise_stddev=0.03, resolution=0.01))
    sonar.draw_from(np.random.default_rng(1))
    values = np.array([sonar.measure(scene)[0] for _ in range(3000)])
    assert values.mean() == pytest.approx(1.5, abs=0.003)
    assert values.std() == pytest.approx(0.03, rel=0.06)
    assert values * 100 == pytest.approx(np.rint(values * 100), abs=1e-9)


def test_rays_fill_the_cone():
    rays = cone_of_rays(0.5, 4)
    assert np.linalg.norm(rays, axis=1) == pytest.approx(np.ones(len(rays)))
    angles = np.arccos(rays[::3, 0])
    assert len(angles) == 1 + 6 + 12 + 18 + 24
    assert angles.max() == pytest.approx(0.5)
    assert np.arccos(np.clip((rays[::3] * rays[1::3]).sum(axis=1), -1, 1)).max() < 2e-3


def test_the_nao_hears_a_wall_with_both_ears():
    sim = an.simulate("nao", world="corridor", sensors=True, seed=2)
    sim.run(0.2)
    model = sim.sensors["Sonar/Left"].sensor.model
    assert (model.range_min, model.range_max, model.cone) == (0.25, 2.55, 1.0472)
    for name in ("Sonar/Left", "Sonar/Right"):
        assert 0.25 < sim.sensors[name].reading.values[0] < 2.55


@pytest.mark.parametrize(
    ("parameters", "fragment"),
    [
        ({"cone": 0.0}, "sensor 's': sonar cone must be an angle"),
        ({"range_min": 3.0, "range_max": 2.0}, "0 <= range_min < range_max, got 3.0 and 2.0"),
        ({"dropout": -0.1}, "sonar dropout must be a fraction"),
        ({"noise_stddev": -0.1}, "sonar noise_stddev"),
        ({"incidence": 3.0}, "sonar incidence"),
        ({"cone": "wide"}, "sensor 's': .*'wide'"),
    ],
)
def test_mistakes_are_named(parameters, fragment):
    with pytest.raises(BadInput, match=fragment):
        SonarModel.of(SensorSpec("s", "sonar", "base", parameters=parameters))


def test_an_sdf_cone_is_given_by_its_radius():
    spec = SensorSpec("s", "sonar", "base", parameters={"range_min": 0.1, "range_max": 2.0, "radius": 0.5})
    assert SonarModel.of(spec).cone == pytest.approx(2 * math.atan(0.25))
