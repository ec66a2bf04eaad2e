"""Courses and rough ground: heights where they were asked for, the shipped course the same as the made one."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import andante
from andante.description import load_world
from andante.description.courses import CourseSettings, course, rough_ground
from andante.errors import BadInput, UnknownName
from andante.navigation.footsteps import ground_of_world

SHIPPED = Path(andante.__file__).parent / "worlds" / "course.sdf"


def heights(world, *places: float):
    terrain = ground_of_world(world, resolution=0.01, step=0.3)
    return [terrain.height(x, 0.003) for x in places]


def test_parts_lie_where_they_should():
    flat, platform, bar, top, *stairs = heights(course(), 0.3, 0.9, 1.81, 3.23, 4.8, 5.1, 5.5, 5.9)
    assert flat == 0.0
    assert platform == pytest.approx(0.02, abs=1e-5)
    assert bar == pytest.approx(0.01, abs=1e-5)
    assert top == pytest.approx(0.8 * math.tan(math.radians(7.0)), abs=0.005)
    assert stairs == pytest.approx([0.03, 0.06, 0.09, 0.06], abs=1e-5)


def test_parts_can_be_left_out():
    bare = course(CourseSettings(platform=0.0, bar=0.0, ramp=0.0, stairs=0))
    assert [model.name for model in bare.models] == ["floor"]
    only = course(CourseSettings(platform=0.0, bar=0.0, ramp=0.0, stairs=1, rise=0.05))
    assert heights(only, 0.7) == pytest.approx([0.05], abs=1e-5)


def test_the_shipped_course_is_the_usual_one():
    places = np.linspace(0.2, 6.5, 40)
    np.testing.assert_allclose(heights(load_world(SHIPPED), *places), heights(course(), *places), atol=1e-6)


@pytest.mark.parametrize("kind", ["steps", "waves", "stones"])
def test_rough_ground_follows_its_seed_and_height(kind):
    one, same, other = (rough_ground(kind, seed, height=0.03, size=(1.0, 1.0)) for seed in (1, 1, 2))
    places = np.linspace(0.62, 1.58, 25)
    first = heights(one, *places)
    assert first == heights(same, *places)
    assert first != heights(other, *places)
    assert 0.005 < max(first) <= 0.03 + 1e-6


@pytest.mark.parametrize(
    ("make", "kind"),
    [
        (lambda: CourseSettings(rise=math.nan), BadInput),
        (lambda: CourseSettings(ramp=1.5), BadInput),
        (lambda: rough_ground("lava"), UnknownName),
        (lambda: rough_ground("steps", cell=0.02, size=(50.0, 50.0)), BadInput),
    ],
)
def test_bad_numbers(make, kind):
    with pytest.raises(kind):
        make()
