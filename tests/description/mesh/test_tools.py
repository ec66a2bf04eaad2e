"""Mesh tools on solids whose answers are known."""

from __future__ import annotations

import math

import numpy as np
import pytest
import trimesh

from andante.description.mesh import tools
from andante.errors import BadInput
from andante.geometry import SE3, so3


def block(size: tuple[float, float, float] = (0.1, 0.2, 0.4), at: tuple[float, ...] = (1, 2, 3)) -> trimesh.Trimesh:
    mesh = trimesh.creation.box(extents=size)
    mesh.apply_translation(at)
    return mesh


def test_rotate_by_roll_pitch_yaw() -> None:
    turned = tools.rotate(block(), (0.0, 0.0, math.pi / 2))
    np.testing.assert_allclose(turned.bounds, [[-2.1, 0.95, 2.8], [-1.9, 1.05, 3.2]], atol=1e-12)
    angles = (0.3, -0.4, 1.2)
    np.testing.assert_allclose(
        tools.rotate(block(), angles).vertices, np.asarray(block().vertices) @ so3.from_rpy(angles).T
    )


def test_scale_and_mirror_keep_the_solid_outside_in_order() -> None:
    assert tools.scale(block(), 2.0).volume == pytest.approx(0.008 * 8)
    mirrored = tools.scale(block(), (-1.0, 1.0, 3.0))
    assert mirrored.volume == pytest.approx(0.008 * 3)
    np.testing.assert_allclose(mirrored.bounds[:, 0], [-1.05, -0.95])


def test_recenter_by_box_and_by_mass() -> None:
    np.testing.assert_allclose(tools.recenter(block()).bounds, [[-0.05, -0.1, -0.2], [0.05, 0.1, 0.2]], atol=1e-12)
    cone = trimesh.creation.cone(radius=1.0, height=4.0)
    moved = tools.recenter(cone, "mass")
    np.testing.assert_allclose(moved.bounds[:, 2], [-1.0, 3.0], atol=1e-9)  # centre of mass at a quarter of the height


def test_split_gives_every_face_once() -> None:
    both = trimesh.util.concatenate([block(), trimesh.creation.icosphere(subdivisions=1)])
    both.visual.face_colors = np.tile([10, 20, 30, 255], (len(both.faces), 1))
    parts = tools.split(both)
    assert [len(part.faces) for part in parts] == [80, 12]
    assert parts[1].volume == pytest.approx(0.008)
    assert parts[1].visual.face_colors[0].tolist() == [10, 20, 30, 255]
    assert len(tools.split(block())) == 1


def test_split_keeps_loose_triangles() -> None:
    mesh = trimesh.Trimesh([[0, 0, 0], [1, 0, 0], [0, 1, 0], [5, 0, 0], [6, 0, 0], [5, 1, 0]], [[0, 1, 2], [3, 4, 5]])
    assert [len(part.faces) for part in tools.split(mesh)] == [1, 1]


def test_hull() -> None:
    pair = trimesh.util.concatenate([block((1, 1, 1), (0, 0, 0)), block((1, 1, 1), (2, 0, 0))])
    hull = tools.convex_hull(pair)
    assert hull.volume == pytest.approx(3.0)
    assert hull.is_convex
    tiny = tools.convex_hull(tools.scale(pair, 1e-5))
    assert len(tiny.vertices) == 8
    assert tiny.volume == pytest.approx(3e-15)


@pytest.mark.parametrize("points", [[[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]], [[0, 0, 0]] * 4])
def test_flat_mesh_has_no_hull(points: list[list[float]]) -> None:
    with pytest.raises(BadInput, match="flat"):
        tools.convex_hull(trimesh.Trimesh(points, [[0, 1, 2], [1, 3, 2]], process=False))


def test_boxes() -> None:
    pose = SE3.from_xyz_rpy((1, 2, 3), (0.3, 0.5, 0.7))
    mesh = trimesh.creation.box(extents=(0.1, 0.2, 0.4))
    mesh.apply_transform(pose.matrix)
    aligned, where = tools.bounding_box(mesh)
    np.testing.assert_allclose(where.translation, [1, 2, 3], atol=1e-9)
    fitted, at = tools.oriented_box(mesh)
    assert sorted(fitted.size) == pytest.approx([0.1, 0.2, 0.4], rel=1e-6)
    assert np.prod(fitted.size) < np.prod(aligned.size)
    assert np.linalg.det(at.rotation) == pytest.approx(1.0)
    inside = at.inverse() @ np.asarray(mesh.vertices)
    assert (np.abs(inside) <= np.asarray(fitted.size) / 2 + 1e-9).all()
    wrapped = tools.box_mesh(fitted, at)
    assert wrapped.volume == pytest.approx(0.008, rel=1e-6)
    np.testing.assert_allclose(wrapped.bounds, mesh.bounds, atol=1e-6)


def test_flat_mesh_still_has_a_box() -> None:
    flat = trimesh.Trimesh([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]], [[0, 1, 2], [1, 3, 2]])
    box, _ = tools.oriented_box(flat)
    assert box.size[:2] == pytest.approx((1.0, 1.0))
    assert 0 < box.size[2] < 1e-5


def test_report() -> None:
    told = tools.report(block())
    assert (told.vertices, told.faces, told.parts, told.watertight) == (8, 12, 1, True)
    assert told.volume == pytest.approx(0.008)
    assert told.area == pytest.approx(2 * (0.02 + 0.04 + 0.08))
    assert told.lower == pytest.approx((0.95, 1.9, 2.8))
    box = block()
    assert tools.report(trimesh.Trimesh(box.vertices, box.faces[1:], process=False)).volume is None


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: tools.scale(block(), 0.0), "scale"),
        (lambda: tools.scale(block(), math.inf), "scale"),
        (lambda: tools.rotate(block(), (0.0, math.nan, 0.0)), "rotation"),
        (lambda: tools.rotate(block(), (0.0, 1.0)), "rotation"),
    ],
)
def test_misuse(call, message: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(BadInput, match=message):
        call()
