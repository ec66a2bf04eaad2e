"""Solids: closed formulas, triangles and integrals agree with textbook values and with each other."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
import trimesh

from andante.description.mesh.tools import write_mesh
from andante.description.shapes import (
    Box,
    Capsule,
    Cylinder,
    Ellipsoid,
    Geometry,
    Heightmap,
    Mesh,
    Plane,
    Sphere,
)
from andante.description.solids import as_trimesh, bounds, box_around, inertia_of, mesh_moments, volume
from andante.errors import BadInput, MissingFile
from andante.geometry import SE3

SOLIDS: list[Geometry] = [
    Box((0.1, 0.2, 0.3)),
    Sphere(0.2),
    Cylinder(0.1, 0.4),
    Capsule(0.1, 0.4),
    Ellipsoid((0.1, 0.2, 0.3)),
]

HERE = SE3.identity()


def test_textbook_tensors() -> None:
    def diagonal(geometry: Geometry) -> list[float]:
        return np.diag(inertia_of(geometry, mass=2.0).inertia.matrix).tolist()

    assert diagonal(Box((1.0, 2.0, 3.0))) == pytest.approx([2 / 12 * 13, 2 / 12 * 10, 2 / 12 * 5])
    assert diagonal(Sphere(0.5)) == pytest.approx([2 / 5 * 2 * 0.25] * 3)
    r, h = 0.3, 0.8
    assert diagonal(Cylinder(r, h)) == pytest.approx([2 / 12 * (3 * r * r + h * h)] * 2 + [2 / 2 * r * r])
    assert diagonal(Ellipsoid((1.0, 2.0, 3.0))) == pytest.approx([2 / 5 * 13, 2 / 5 * 10, 2 / 5 * 5])


def test_capsule_is_tube_and_two_half_spheres() -> None:
    r, h, density = 0.3, 0.8, 500.0
    tube, caps = density * math.pi * r * r * h, density * 4 / 3 * math.pi * r**3
    offset = h / 2 + 3 * r / 8
    half_sphere = 83 / 320 * r * r  # about its own centre of mass, across the axis, per mass
    across = tube * (3 * r * r + h * h) / 12 + caps * (half_sphere + offset**2)
    along = tube * r * r / 2 + caps * 2 / 5 * r * r
    solid = inertia_of(Capsule(r, h), density=density)
    assert solid.inertia.mass == pytest.approx(tube + caps)
    assert np.diag(solid.inertia.matrix).tolist() == pytest.approx([across, across, along])


@pytest.mark.parametrize("geometry", SOLIDS, ids=lambda g: type(g).__name__)
def test_triangles_converge_to_the_formula(geometry: Geometry) -> None:
    exact = inertia_of(geometry, density=1.0)
    mesh = as_trimesh(geometry, sections=128)
    assert mesh.is_watertight
    moments = mesh_moments(mesh)
    assert moments.volume == pytest.approx(exact.volume, rel=2e-3)
    np.testing.assert_allclose(moments.com, 0, atol=1e-9)
    np.testing.assert_allclose(moments.tensor, exact.inertia.matrix, rtol=4e-3, atol=1e-9)
    lower, upper = bounds(geometry, HERE)
    assert (mesh.bounds[0] >= lower - 1e-9).all()
    assert (mesh.bounds[1] <= upper + 1e-9).all()
    np.testing.assert_allclose(mesh.bounds[1], upper, rtol=2e-3)


def test_mesh_integral_is_exact_for_a_moved_box(tmp_path: Path) -> None:
    size, center = (0.1, 0.2, 0.3), (5.0, -3.0, 2.0)
    box = trimesh.creation.box(extents=size)
    box.apply_translation(center)
    write_mesh(box, tmp_path / "b.obj")
    solid = inertia_of(Mesh("b.obj", tmp_path / "b.obj"), density=1000.0)
    assert solid.exact
    assert solid.inertia.mass == pytest.approx(6.0, rel=1e-9)
    assert solid.inertia.com == pytest.approx(center, abs=1e-9)
    np.testing.assert_allclose(
        solid.inertia.matrix, inertia_of(Box(size), mass=6.0).inertia.matrix, rtol=1e-6, atol=1e-9
    )


def test_mirrored_mesh_has_positive_mass(tmp_path: Path) -> None:
    write_mesh(trimesh.creation.box(extents=(1, 2, 3)), tmp_path / "b.stl")
    solid = inertia_of(Mesh("b.stl", tmp_path / "b.stl", (-1.0, 1.0, 1.0)), density=1.0)
    assert solid.inertia.mass == pytest.approx(6.0)
    assert (np.linalg.eigvalsh(solid.inertia.matrix) > 0).all()


def test_open_mesh_falls_back_to_its_hull_and_says_so(tmp_path: Path) -> None:
    box = trimesh.creation.box(extents=(1, 1, 1))
    open_box = trimesh.Trimesh(box.vertices, box.faces[:-2], process=False)
    write_mesh(open_box, tmp_path / "o.stl")
    solid = inertia_of(Mesh("o.stl", tmp_path / "o.stl"), mass=3.0)
    assert not solid.exact
    assert "does not close" in solid.note
    assert solid.volume == pytest.approx(1.0)
    assert solid.inertia.matrix == pytest.approx(np.eye(3) * 3 / 6)


def test_mass_and_density_agree() -> None:
    for geometry in SOLIDS:
        by_density = inertia_of(geometry, density=700.0).inertia
        by_mass = inertia_of(geometry, mass=by_density.mass).inertia
        assert by_mass.moments == pytest.approx(by_density.moments)
        assert by_density.mass == pytest.approx(700 * volume(geometry))


def test_height_map_surface() -> None:
    ground = Heightmap(((0.0, 0.0, 0.0), (0.0, 1.0, 0.0)), (4.0, 2.0))
    mesh = as_trimesh(ground)
    np.testing.assert_allclose(mesh.bounds, [[-2, -1, 0], [2, 1, 1]])
    np.testing.assert_allclose(bounds(ground, HERE), mesh.bounds)
    assert (mesh.face_normals[:, 2] > 0).all()
    assert [0.0, 1.0, 1.0] in mesh.vertices.tolist()  # row 1 is at +y, column 1 in the middle


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: inertia_of(Box((1, 1, 1))), "either"),
        (lambda: inertia_of(Box((1, 1, 1)), mass=1.0, density=1.0), "either"),
        (lambda: inertia_of(Box((1, 1, 1)), mass=-1.0), "mass"),
        (lambda: inertia_of(Box((1, 1, 1)), density=math.nan), "density"),
        (lambda: inertia_of(Plane(), mass=1.0), "plane"),
        (lambda: volume(Heightmap(((0.0, 0.0), (0.0, 0.0)), (1.0, 1.0))), "heightmap"),
        (lambda: as_trimesh(Plane()), "infinite"),
        (lambda: as_trimesh(Heightmap(((0.0,),), (1.0, 1.0))), "2 x 2"),
        (lambda: as_trimesh(Heightmap(((0.0, math.nan), (0.0, 0.0)), (1.0, 1.0))), "finite"),
    ],
)
def test_misuse(call, message: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(BadInput, match=message):
        call()


def test_the_box_around_shapes_leaves_planes_and_missing_meshes_out() -> None:
    ball, missing = (Sphere(0.5), SE3.from_xyz_rpy((1.0, 0.0, 0.0))), (Mesh("nowhere.stl"), SE3.identity())
    low, high = box_around([ball, (Plane(), SE3.identity()), (Box((2.0, 4.0, 6.0)), SE3.identity()), missing]) or ()
    assert np.allclose(low, (-1.0, -2.0, -3.0))
    assert np.allclose(high, (1.5, 2.0, 3.0))
    assert box_around([(Plane(), SE3.identity()), missing]) is None
    with pytest.raises(MissingFile, match="nowhere"):
        box_around([ball, missing], strict=True)
