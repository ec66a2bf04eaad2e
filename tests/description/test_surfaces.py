"""Triangles of solids against those of the mesh library and closed formulas."""

from __future__ import annotations

import numpy as np
import pytest
import trimesh
from hypothesis import given
from hypothesis import strategies as st
from trimesh import creation

from andante.description.shapes import Box, Capsule, Cylinder, Ellipsoid, Geometry, Sphere
from andante.description.solids import revolved, surface, volume

SIDES = 24
THEIRS = {
    Box((1.0, 2.0, 3.0)): creation.box((1, 2, 3)),
    Cylinder(0.2, 0.7): creation.cylinder(0.2, 0.7, sections=SIDES),
    Sphere(0.4): creation.uv_sphere(0.4, count=[SIDES, SIDES]),
}
lengths = st.floats(1e-3, 10.0)
solids = st.one_of(
    st.builds(Box, st.tuples(lengths, lengths, lengths)),
    st.builds(Sphere, lengths),
    st.builds(Cylinder, lengths, lengths),
    st.builds(Capsule, lengths, lengths),
    st.builds(Ellipsoid, st.tuples(lengths, lengths, lengths)),
)


@pytest.mark.parametrize("geometry", THEIRS, ids=lambda geometry: type(geometry).__name__)
def test_beside_the_mesh_library(geometry: Geometry) -> None:
    ours, theirs = trimesh.Trimesh(*surface(geometry, SIDES), process=False), THEIRS[geometry]
    np.testing.assert_allclose(ours.bounds, theirs.bounds, rtol=5e-3)  # their ball has no equator
    assert ours.volume == pytest.approx(theirs.volume, rel=0.01)


@given(solids, st.integers(6, 40))
def test_closed_outward_and_inscribed(geometry: Geometry, sections: int) -> None:
    mesh = trimesh.Trimesh(*surface(geometry, sections), process=False)
    assert mesh.is_watertight
    assert mesh.is_winding_consistent
    exact = volume(geometry)
    assert 0.6 * exact < mesh.volume <= exact * (1 + 1e-9)
    np.testing.assert_allclose(mesh.bounds[1, 2], -mesh.bounds[0, 2])


def test_a_cone_of_revolution() -> None:
    cone = trimesh.Trimesh(*revolved([(1.0, 0.0)], 0.0, 3.0, 400), process=False)
    assert cone.volume == pytest.approx(np.pi, rel=1e-3)
