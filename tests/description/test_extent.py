"""Support functions and bounding boxes against the meshes of the same shapes."""

import numpy as np
import pytest

from andante.description import Box, Capsule, Cylinder, Ellipsoid, Heightmap, Plane, Sphere, load_robot
from andante.description.solids import as_trimesh, bounds, robot_bounds, support, support_point
from andante.errors import BadInput
from andante.geometry import SE3, so3

SHAPES = [
    Box((0.1, 0.2, 0.3)),
    Sphere(0.15),
    Cylinder(0.1, 0.4),
    Capsule(0.1, 0.3),
    Ellipsoid((0.1, 0.2, 0.3)),
    Heightmap(((0.0, 0.1), (0.2, -0.05)), (1.0, 2.0)),
]
rng = np.random.default_rng(4)


@pytest.mark.parametrize("shape", SHAPES[:5], ids=lambda s: type(s).__name__)
def test_support_is_the_reach_of_the_surface(shape):
    vertices = np.asarray(as_trimesh(shape, sections=96).vertices)
    for direction in rng.normal(size=(50, 3)):
        assert support(shape, direction) == pytest.approx(np.max(vertices @ direction), rel=0.01)


@pytest.mark.parametrize("shape", SHAPES, ids=lambda s: type(s).__name__)
def test_support_point_reaches_as_far(shape):
    for direction in [*rng.normal(size=(50, 3)), *np.eye(3), *-np.eye(3)]:
        assert support_point(shape, direction) @ direction == pytest.approx(support(shape, direction), abs=1e-12)


def test_bounds_hold_every_vertex_and_touch_it():
    for shape in SHAPES[:5]:
        pose = SE3.from_parts(so3.exp(rng.normal(size=3)), rng.normal(size=3))
        low, high = bounds(shape, pose)
        vertices = pose @ np.asarray(as_trimesh(shape, sections=96).vertices)
        assert (vertices >= low - 1e-9).all()
        assert (vertices <= high + 1e-9).all()
        assert vertices.max(axis=0) == pytest.approx(high, abs=0.01)


def test_planes_have_no_end():
    assert support(Plane(), (0, 0, 1)) == 0.0
    assert support(Plane(), (1, 0, 0)) == np.inf
    with pytest.raises(BadInput, match="plane"):
        support_point(Plane(), (1, 0, 0))


def test_robot_bounds_of_the_nao():
    low, high = robot_bounds(load_robot("nao"))
    assert high[2] - low[2] == pytest.approx(0.574, abs=0.02)  # its published height
    assert low[1] == pytest.approx(-high[1], abs=1e-6)
