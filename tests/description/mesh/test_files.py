"""Our reader of binary STL against trimesh's."""

from __future__ import annotations

import struct
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import trimesh
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from andante.description import Mesh
from andante.description.mesh import files as stl
from andante.description.mesh.files import load_mesh_file
from andante.description.mesh.triangles import hull, triangles
from andante.errors import BadInput


def test_reads_what_trimesh_reads(tmp_path: Path) -> None:
    solid = trimesh.creation.annulus(0.02, 0.05, 0.01)
    path = tmp_path / "ring.stl"
    solid.export(path)
    data = path.read_bytes()
    assert stl.is_binary(data)
    vertices, faces = stl.merged(*stl.binary_triangles(data))
    theirs = trimesh.load_mesh(path)
    assert len(vertices) == len(theirs.vertices)
    np.testing.assert_array_equal(vertices[faces], np.asarray(theirs.vertices)[np.asarray(theirs.faces)])
    mesh = trimesh.Trimesh(vertices, faces, process=False)
    assert mesh.is_watertight
    assert mesh.volume == pytest.approx(solid.volume, rel=1e-5)


@given(arrays(np.float32, st.tuples(st.integers(1, 20), st.just(3), st.just(3)), elements=st.floats(-8, 8, width=32)))
def test_merging_changes_no_corner(corners: np.ndarray) -> None:
    rows = np.zeros(len(corners), stl.TRIANGLE)
    rows["corners"] = corners
    data = bytes(80) + struct.pack("<I", len(corners)) + rows.tobytes()
    plain, faces = stl.binary_triangles(data)
    np.testing.assert_array_equal(plain[faces], corners)
    vertices, told = stl.merged(plain, faces)
    np.testing.assert_allclose(vertices[told], corners, atol=stl.SAME)
    assert len(np.unique(np.round(vertices / stl.SAME), axis=0)) == len(vertices)


def test_other_bytes_are_not_binary_stl() -> None:
    whole = bytes(80) + struct.pack("<I", 1) + bytes(50)
    assert stl.is_binary(whole)
    for other in (b"", whole[:84], whole[:-1], whole + b"\0", b"solid a\nendsolid a\n"):
        assert not stl.is_binary(other)


def test_a_coordinate_that_is_no_number_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "bad.stl"
    rows = np.zeros(4, stl.TRIANGLE)
    rows["corners"][2, 1, 0] = np.nan
    path.write_bytes(bytes(80) + struct.pack("<I", 4) + rows.tobytes())
    with pytest.raises(BadInput, match="not a finite number"):
        load_mesh_file(path)
    with pytest.raises(BadInput, match="not a finite number"):
        triangles(Mesh("bad.stl", path=path))


def test_triangles_and_hull_agree_with_the_mesh_library(tmp_path: Path) -> None:
    solid = trimesh.creation.annulus(0.02, 0.05, 0.01)
    solid.export(tmp_path / "ring.stl")
    solid.export(tmp_path / "ring.ply")
    ours, theirs = (Mesh(f"ring.{kind}", path=tmp_path / f"ring.{kind}", scale=(1, 2, -1)) for kind in ("stl", "ply"))
    for tell in (triangles, hull):
        a, b = (trimesh.Trimesh(*tell(mesh), process=False) for mesh in (ours, theirs))
        assert a.is_watertight
        assert a.volume == pytest.approx(b.volume, rel=1e-5)


def test_a_robot_of_stl_meshes_needs_no_mesh_library() -> None:
    code = (
        "import sys; from andante.description import load_robot; from andante.description.solids import surface\n"
        "for link in load_robot('nao').links:\n"
        "    for shape in link.collisions: surface(shape.geometry)\n"
        "assert 'trimesh' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
