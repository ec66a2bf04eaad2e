"""Meshes for the page: layout, smooth and sharp edges, coarse forms."""

from __future__ import annotations

import io
import struct

import numpy as np
import pytest
import trimesh
from PIL import Image

from andante.description.mesh.textures import Texture
from andante.studio.buffers import MAGIC, PICTURED, TRANSPARENT, Part, coarse, mesh_bytes, smooth

WHITE = (1.0, 1.0, 1.0, 1.0)


def read(data: bytes) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, int]:
    """The buffer read as the page does."""
    assert data[:4] == MAGIC
    vertices, indices, flags = struct.unpack("<III", data[4:16])
    at = 16
    positions = np.frombuffer(data, "<f4", 3 * vertices, at).reshape(-1, 3)
    normals = np.frombuffer(data, np.int8, 4 * vertices, at + 12 * vertices).reshape(-1, 4)
    colors = np.frombuffer(data, np.uint8, 4 * vertices, at + 16 * vertices).reshape(-1, 4)
    faces = np.frombuffer(data, "<u4", indices, at + 20 * vertices).reshape(-1, 3)
    assert len(data) == 16 + 20 * vertices + 4 * indices
    return positions, normals, colors, faces, flags


def part(mesh: trimesh.Trimesh, rgba: tuple[float, float, float, float] = WHITE) -> Part:
    return Part(np.asarray(mesh.vertices), np.asarray(mesh.faces), rgba)


def test_a_box_keeps_its_edges() -> None:
    positions, normals, _, faces, flags = read(mesh_bytes([part(trimesh.creation.box(extents=(1, 2, 3)))]))
    assert len(positions) == 24  # three normals at each of eight corners
    assert len(faces) == 12
    assert flags == 0
    assert (np.abs(normals[:, :3]).sum(axis=1) == 127).all()  # along the axes
    corners = positions[faces]
    outward = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    assert (np.einsum("ij,ij->i", outward, normals[faces[:, 0], :3].astype(float)) > 0).all()


def test_a_ball_is_smooth_and_its_normals_point_outwards() -> None:
    ball = trimesh.creation.icosphere(subdivisions=3)
    positions, normals, *_ = read(mesh_bytes([part(ball)]))
    assert len(positions) == len(ball.vertices)
    along = np.einsum("ij,ij->i", positions, normals[:, :3] / 127.0)
    assert along.min() > 0.99


def test_loose_triangles_are_joined_before_they_are_smoothed() -> None:
    ball = trimesh.creation.icosphere(subdivisions=2)
    loose = ball.vertices[ball.faces].reshape(-1, 3)
    points, _, _ = smooth(loose, np.arange(len(loose)).reshape(-1, 3))
    assert len(points) == len(ball.vertices)


def test_triangles_without_area_go() -> None:
    points, _, faces = smooth(np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [2, 0, 0]]), np.array([[0, 1, 2], [0, 1, 3]]))
    assert len(points) == 3
    assert len(faces) == 1


def test_parts_keep_their_colors_and_glass_is_marked() -> None:
    box = trimesh.creation.box(extents=(1, 1, 1))
    parts = [part(box, (1.0, 0.0, 0.0, 1.0)), part(box, (0.0, 0.0, 1.0, 0.5))]
    _, _, colors, faces, flags = read(mesh_bytes(parts))
    assert colors[faces[0, 0]].tolist() == [255, 0, 0, 255]
    assert colors[faces[-1, 0]].tolist() == [0, 0, 255, 128]
    assert flags == TRANSPARENT


def test_nothing_is_an_empty_mesh() -> None:
    assert mesh_bytes([]) == MAGIC + bytes(12)
    assert mesh_bytes([Part(np.zeros((0, 3)), np.zeros((0, 3), dtype=int), WHITE)]) == MAGIC + bytes(12)


def test_a_picture_follows_the_plain_parts() -> None:
    pixels = np.zeros((2, 2, 4), dtype=np.uint8)
    pixels[:] = (10, 20, 250, 255)
    square = np.array([[0.0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]])
    faces = np.array([[0, 1, 2], [0, 2, 3]])
    texture, uv = Texture("blue", pixels), square[faces][..., :2]
    pictured = Part(square, faces, WHITE, texture=texture, uv=uv)
    data = mesh_bytes([part(trimesh.creation.box(extents=(1, 1, 1))), pictured])
    plain = mesh_bytes([part(trimesh.creation.box(extents=(1, 1, 1)))])
    assert data.startswith(plain)
    rest = data[len(plain) :]
    assert rest[:4] == PICTURED
    vertices, indices, flags, size = struct.unpack("<IIII", rest[4:20])
    assert (vertices, indices, flags) == (4, 6, 0)
    places = np.frombuffer(rest, "<f4", 8, 20 + 20 * 4 + 4 * 6).reshape(-1, 2)
    points = np.frombuffer(rest, "<f4", 12, 20).reshape(-1, 3)
    np.testing.assert_allclose(places, np.stack([points[:, 0], 1 - points[:, 1]], axis=1))  # from the upper left corner
    start = 20 + 20 * 4 + 4 * 6 + 32
    with Image.open(io.BytesIO(rest[start : start + size])) as image:
        assert image.convert("RGB").getpixel((0, 0)) == (10, 20, 250)
    assert len(rest) == start + size + (-size % 4)


def test_painted_corners_keep_their_colors() -> None:
    paint = np.zeros((1, 3, 4), dtype=np.uint8)
    paint[0] = [[255, 0, 0, 255], [0, 255, 0, 255], [0, 0, 255, 255]]
    triangle = Part(np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0]]), np.array([[0, 1, 2]]), WHITE, paint)
    positions, _, colors, faces, _ = read(mesh_bytes([triangle]))
    assert {tuple(positions[i]): colors[i].tolist() for i in faces[0]}[1.0, 0.0, 0.0] == [0, 255, 0, 255]


def test_a_coarse_part_is_painted_as_its_picture_was() -> None:
    ball = trimesh.creation.icosphere(subdivisions=4)
    pixels = np.zeros((2, 2, 4), dtype=np.uint8)
    pixels[0], pixels[1] = (255, 0, 0, 255), (0, 0, 255, 255)  # red above
    uv = np.stack([np.full(ball.faces.shape, 0.5), 0.5 + 0.5 * ball.vertices[ball.faces][..., 2]], axis=-1)
    small = coarse(Part(ball.vertices, ball.faces, WHITE, texture=Texture("two", pixels), uv=uv), 0.1)
    assert small.texture is None
    assert small.corner_colors is not None
    height = small.vertices[small.faces][..., 2]
    assert (small.corner_colors[height > 0.2][:, 0] == 255).all()
    assert (small.corner_colors[height < -0.2][:, 2] == 255).all()


@pytest.mark.parametrize("fraction", [0.5, 0.2, 0.05])
def test_coarse_meshes_keep_their_form(fraction: float) -> None:
    ball = part(trimesh.creation.icosphere(subdivisions=4))
    small = coarse(ball, fraction)
    assert len(small.faces) == pytest.approx(fraction * len(ball.faces), rel=0.05)
    corners = small.vertices[small.faces]
    assert (np.abs(np.linalg.norm(small.vertices, axis=1) - 1.0) < 0.1 / np.sqrt(len(small.faces) / 256)).all()
    volume = np.einsum("ij,ij->i", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])).sum() / 6
    assert volume == pytest.approx(4 / 3 * np.pi, rel=0.06)
    assert (np.diff(np.sort(small.faces, axis=1), axis=1) > 0).all()


def test_flat_faces_lose_their_triangles_first() -> None:
    plate = trimesh.creation.box(extents=(1.0, 1.0, 0.1)).subdivide_loop(0).subdivide().subdivide().subdivide()
    small = coarse(part(plate), 0.1)
    assert np.ptp(small.vertices, axis=0) == pytest.approx([1.0, 1.0, 0.1], abs=1e-5)


def test_a_part_of_few_triangles_stays_as_it_is() -> None:
    tiny = part(trimesh.creation.box(extents=(0.01, 0.01, 0.01)))
    assert coarse(tiny, 0.01) is tiny
