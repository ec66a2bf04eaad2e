"""Mesh files: every format gives the same solid; broken, hostile and huge files are refused with one line."""

from __future__ import annotations

import json
import logging
import struct
import warnings
from pathlib import Path

import numpy as np
import pytest
import trimesh

from andante.description.link import Visual
from andante.description.looks import pieces
from andante.description.mesh.files import load_mesh_file, load_mesh_parts
from andante.description.mesh.tools import WRITABLE, write_mesh
from andante.description.mesh.triangles import hull, triangles
from andante.description.shapes import Mesh
from andante.errors import BadInput
from andante.files import write_bytes

SIZE = np.array([0.1, 0.2, 0.3])


@pytest.fixture
def block() -> trimesh.Trimesh:
    mesh = trimesh.creation.box(extents=SIZE)
    mesh.apply_translation([0.01, 0.02, 0.03])
    return mesh


@pytest.mark.parametrize("suffix", WRITABLE)
def test_every_format_keeps_the_solid(tmp_path: Path, block: trimesh.Trimesh, suffix: str) -> None:
    path = tmp_path / f"block{suffix}"
    write_mesh(block, path)
    loaded = load_mesh_file(path)
    assert len(loaded.vertices) == 8
    assert loaded.is_watertight
    assert loaded.volume == pytest.approx(0.006, rel=1e-6)
    np.testing.assert_allclose(loaded.bounds, block.bounds, atol=1e-7)


def test_ascii_stl_and_text_gltf(tmp_path: Path, block: trimesh.Trimesh) -> None:
    (tmp_path / "a.stl").write_text(block.export(file_type="stl_ascii"))
    assert load_mesh_file(tmp_path / "a.stl").volume == pytest.approx(0.006, rel=1e-6)
    for name, data in trimesh.Scene(block).export(file_type="gltf").items():
        (tmp_path / name).write_bytes(data)
    assert load_mesh_file(tmp_path / "model.gltf").volume == pytest.approx(0.006, rel=1e-6)


def collada(unit: str = "1", axis: str = "<up_axis>Z_UP</up_axis>", doctype: str = "", nodes: str = "") -> str:
    nodes = nodes or '<node id="n"><instance_geometry url="#g"/></node>'
    return f"""<?xml version="1.0"?>{doctype}
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit meter="{unit}"/>{axis}</asset>
<library_geometries><geometry id="g"><mesh><source id="s"><float_array id="f" count="12">
0 0 0 1 0 0 0 2 0 0 0 3</float_array><technique_common><accessor source="#f" count="4" stride="3">
<param name="X" type="float"/><param name="Y" type="float"/><param name="Z" type="float"/></accessor></technique_common>
</source><vertices id="v"><input semantic="POSITION" source="#s"/></vertices><triangles count="4">
<input semantic="VERTEX" source="#v" offset="0"/><p>0 2 1 0 1 3 0 3 2 1 2 3</p></triangles></mesh></geometry>
</library_geometries><library_visual_scenes><visual_scene id="w">{nodes}</visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#w"/></scene></COLLADA>"""


@pytest.mark.parametrize(
    ("axis", "extent"),
    [
        ("<up_axis>Z_UP</up_axis>", [[0, 0, 0], [1, 2, 3]]),
        ("<up_axis>Y_UP</up_axis>", [[0, -3, 0], [1, 0, 2]]),
        ("", [[0, -3, 0], [1, 0, 2]]),  # COLLADA: y is up where nothing is said
        ("<up_axis>X_UP</up_axis>", [[-2, -3, 0], [0, 0, 1]]),
    ],
)
def test_collada_unit_and_up_axis(tmp_path: Path, axis: str, extent: list[list[float]]) -> None:
    path = tmp_path / "t.dae"
    path.write_text(collada("0.001", axis))
    loaded = load_mesh_file(path)
    np.testing.assert_allclose(loaded.bounds, np.multiply(extent, 0.001), atol=1e-12)
    assert loaded.volume == pytest.approx(1e-9)  # 1/6 * 1 * 2 * 3 mm^3, faces outwards


def test_collada_nodes_move_their_parts(tmp_path: Path) -> None:
    path = tmp_path / "t.dae"
    nodes = (
        '<node id="n"><translate>1 0 0</translate><scale>-1 1 1</scale><instance_geometry url="#g"/></node>'
        '<node id="m"><translate>5 0 0</translate><instance_geometry url="#g"/></node>'
    )
    path.write_text(collada(nodes=nodes))
    parts = load_mesh_parts(path)
    assert len(parts) == 2
    np.testing.assert_allclose(parts[0].vertices.max(axis=0), [1, 2, 3])
    np.testing.assert_allclose(parts[0].vertices.min(axis=0), [0, 0, 0])
    assert load_mesh_file(path).volume == pytest.approx(2.0)  # the mirrored part is turned outwards


def test_submesh_by_name_and_center(tmp_path: Path) -> None:
    text = "o left\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\no right\nv 4 0 0\nv 6 0 0\nv 4 2 0\nf 4 5 6\n"
    path = tmp_path / "two.obj"
    path.write_text(text)
    assert sorted(part.name for part in load_mesh_parts(path)) == ["left", "right"]
    vertices, faces = triangles(Mesh("two.obj", path, (2.0, 1.0, 1.0), "right", True))
    assert faces.shape == (1, 3)
    np.testing.assert_allclose([vertices.min(axis=0), vertices.max(axis=0)], [[-2, -1, 0], [2, 1, 0]])
    with pytest.raises(BadInput, match=r"no submesh 'middle'; it has: left, right"):
        triangles(Mesh("two.obj", path, submesh="middle"))


def test_mirroring_scale_turns_faces(tmp_path: Path, block: trimesh.Trimesh) -> None:
    path = tmp_path / "b.stl"
    write_mesh(block, path)
    vertices, faces = triangles(Mesh("b.stl", path, (-1.0, 1.0, 2.0)))
    assert trimesh.Trimesh(vertices, faces, process=False).volume == pytest.approx(0.012, rel=1e-6)
    with pytest.raises(BadInput, match="scale"):
        triangles(Mesh("b.stl", path, (0.0, 1.0, 1.0)))


def test_hull_closes_a_dent(tmp_path: Path) -> None:
    a, b = trimesh.creation.box(extents=[1, 1, 1]), trimesh.creation.box(extents=[1, 1, 1])
    b.apply_translation([3, 0, 0])
    path = tmp_path / "two.stl"
    write_mesh(trimesh.util.concatenate([a, b]), path)
    vertices, faces = hull(Mesh("two.stl", path))
    assert trimesh.Trimesh(vertices, faces).volume == pytest.approx(4.0)


def test_changed_file_is_read_again(tmp_path: Path, block: trimesh.Trimesh) -> None:
    path = tmp_path / "b.stl"
    write_mesh(block, path)
    assert np.ptp(triangles(Mesh("b", path))[0][:, 0]) == pytest.approx(0.1)
    block.apply_scale(2)
    write_mesh(block, path)
    assert np.ptp(triangles(Mesh("b", path))[0][:, 0]) == pytest.approx(0.2)


def mesh_color(mesh: Mesh) -> tuple[float, float, float, float] | None:
    (piece,) = pieces(Visual(mesh))
    return piece.flat


def test_colors(tmp_path: Path, block: trimesh.Trimesh) -> None:
    write_mesh(block, tmp_path / "plain.stl")
    assert mesh_color(Mesh("plain", tmp_path / "plain.stl")) is None
    block.visual.face_colors = [255, 0, 51, 255]
    for suffix in (".dae", ".glb", ".ply"):
        write_mesh(block, tmp_path / f"red{suffix}")
        color = mesh_color(Mesh("red", tmp_path / f"red{suffix}"))
        assert color == pytest.approx((1.0, 0.0, 0.2, 1.0), abs=0.01), suffix
    (tmp_path / "m.mtl").write_text("newmtl green\nKd 0 1 0\n")
    (tmp_path / "g.obj").write_text("mtllib m.mtl\nusemtl green\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    assert mesh_color(Mesh("g", tmp_path / "g.obj")) == pytest.approx((0, 1, 0, 1), abs=0.01)


def test_only_files_beside_the_mesh_are_read(tmp_path: Path) -> None:
    (tmp_path / "secret.mtl").write_text("newmtl green\nKd 0 1 0\n")
    inner = tmp_path / "inner"
    inner.mkdir()
    for name in ("../secret.mtl", str(tmp_path / "secret.mtl"), "http://example.invalid/m.mtl"):
        path = inner / "g.obj"
        path.write_text(f"mtllib {name}\nusemtl green\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
        assert mesh_color(Mesh("g", path)) != pytest.approx((0, 1, 0, 1), abs=0.01)


def gltf(**changes: object) -> str:
    tree: dict[str, object] = {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
        "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"}],
        "bufferViews": [{"buffer": 0, "byteLength": 36}],
        "buffers": [{"uri": "data.bin", "byteLength": 36}],
    }
    return json.dumps(tree | changes)


def test_gltf_reads_its_buffer(tmp_path: Path) -> None:
    (tmp_path / "data.bin").write_bytes(struct.pack("<9f", 0, 0, 0, 1, 0, 0, 0, 1, 0))
    (tmp_path / "t.gltf").write_text(gltf())
    assert load_mesh_file(tmp_path / "t.gltf").area == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"buffers": [{"uri": "http://example.invalid/x.bin", "byteLength": 36}]}, "refused"),
        ({"buffers": [{"uri": "/etc/passwd", "byteLength": 36}]}, "refused"),
        ({"buffers": [{"uri": "../data.bin", "byteLength": 36}]}, "not a file that may be read"),
        ({"accessors": [{"componentType": 5126, "count": 10**12, "type": "VEC3"}]}, "counts"),
        ({"accessors": [{"componentType": 5126, "count": 10**6, "type": "VEC3"}]}, "buffer view"),
        ({"nodes": [{"children": [0], "mesh": 0}]}, "circle"),
        ({"nodes": [{"children": [7]}]}, "does not exist"),
        ({"extensionsRequired": ["KHR_draco_mesh_compression"]}, "compression"),
        ({"nodes": 5}, "list"),
    ],
)
def test_bad_gltf(tmp_path: Path, changes: dict[str, object], message: str) -> None:
    (tmp_path / "data.bin").write_bytes(b"\0" * 36)
    folder = tmp_path / "inner"
    folder.mkdir()
    (folder / "t.gltf").write_text(gltf(**changes))
    with pytest.raises(BadInput, match=message):
        load_mesh_file(folder / "t.gltf")


PLY = (
    b"ply\nformat ascii 1.0\nelement vertex %d\nproperty float x\nproperty float y\nproperty float z\n"
    b"element face %d\nproperty list uchar int vertex_indices\nend_header\n"
)
BILLION = '<!DOCTYPE c [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>'
DOUBLING = "".join(
    f'<node id="k{i}"><instance_node url="#k{i + 1}"/><instance_node url="#k{i + 1}"/></node>' for i in range(40)
)


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("a.stl", b"", "empty"),
        ("a.stl", b"\x00\x01garbage" * 30, "not a whole STL"),
        ("a.stl", b"solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\n", "truncated"),
        ("a.stl", b"solid x\nendsolid x\n", "STL"),
        ("a.stl", b"\0" * 80 + struct.pack("<I", 0), "no triangles"),
        ("a.stl", b"\0" * 80 + struct.pack("<I", 4_000_000_000) + b"\0" * 50, "announces"),
        ("a.stl", b"\0" * 80 + struct.pack("<I12fH", 1, *[float("nan")] * 12, 0), "finite"),
        ("a.stl", b"\0" * 80 + struct.pack("<I12fH", 1, *[3e38] * 12, 0), "finite"),
        ("a.obj", b"v 0 0 0\nf 1 2 900\n", "a.obj"),
        ("a.obj", b"\xff\xfe\x00binary", "a.obj"),
        ("a.obj", b"v 0 0 0\nv 1 0 0\nv 1e308 1 0\nf 1 2 3\n", "finite"),
        ("a.ply", b"solid", "not a PLY"),
        ("a.ply", b"ply\nformat ascii 1.0\nelement vertex 99999999999\nend_header\n", "a.ply"),
        ("a.ply", PLY % (3, 99999999999) + b"0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n", "truncated"),
        (
            "a.dae",
            collada().replace("triangles", "polylist").replace("<p>", "<vcount>999999999</vcount><p>").encode(),
            "corners",
        ),
        ("a.glb", b"PK\x03\x04 zip", "glTF"),
        ("a.glb", b"glTF" + struct.pack("<II", 2, 9999) + b"\0" * 20, "truncated"),
        ("a.dae", b"PK\x03\x04 zipped collada", "XML"),
        ("a.dae", b"<robot/>", "COLLADA"),
        ("a.dae", collada(doctype=BILLION).encode(), "entit"),
        ("a.dae", collada(unit="nan").encode(), "meter"),
        ("a.dae", collada(axis="<up_axis>Q</up_axis>").encode(), "up_axis"),
        ("a.dae", collada(nodes='<node id="n"><instance_node url="#n"/></node>').encode(), "circle"),
        (
            "a.dae",
            collada(nodes=DOUBLING + '<node id="k40"><instance_geometry url="#g"/></node>').encode(),
            "more than 5000 instances",
        ),
        ("a.zip", b"PK\x03\x04", "suffix"),
        ("a.urdf", b"<robot/>", "suffix"),
        ("a.step", b"x", "suffix"),
    ],
)
def test_broken_files_are_one_clear_line(tmp_path: Path, name: str, data: bytes, message: str) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(BadInput, match=message) as caught:
        load_mesh_file(path)
    assert "\n" not in str(caught.value)
    assert name in str(caught.value)


def test_truncated_binary_files(tmp_path: Path, block: trimesh.Trimesh) -> None:
    for suffix in (".stl", ".glb", ".dae"):
        path = tmp_path / f"b{suffix}"
        write_mesh(block, path)
        path.write_bytes(path.read_bytes()[:-60])
        with pytest.raises(BadInput, match=rf"b\{suffix}"):
            load_mesh_file(path)


def test_missing_file_and_huge_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(BadInput, match="was not found"):
        triangles(Mesh("package://x/y.stl"))
    with pytest.raises(BadInput, match="cannot be read"):
        triangles(Mesh("y.stl", tmp_path / "y.stl"))
    monkeypatch.setattr("andante.description.mesh.files.MAX_BYTES", 100)
    (tmp_path / "y.stl").write_bytes(b"x" * 200)
    with pytest.raises(BadInput, match="refused"):
        load_mesh_file(tmp_path / "y.stl")


def test_nothing_is_said(tmp_path: Path, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "g.obj"
    path.write_text("mtllib none.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    caplog.set_level(logging.DEBUG)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        load_mesh_file(path)
    assert capfd.readouterr() == ("", "")
    assert caplog.records == []
    assert not logging.getLogger("trimesh.util").disabled


def test_writing_is_all_or_nothing(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="cannot be written"):
        write_bytes(b"x", tmp_path / "none" / "a.stl")
    (tmp_path / "folder.stl").mkdir()
    with pytest.raises(BadInput, match="cannot be written"):
        write_bytes(b"x", tmp_path / "folder.stl")
    assert [p.name for p in tmp_path.iterdir()] == ["folder.stl"]


def test_relative_indices_of_obj(tmp_path: Path) -> None:
    path = tmp_path / "r.obj"
    path.write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf -3 -2 -1\nv 0 0 5\nv 9 0 5\nv 0 9 5\nf -3//-1 -2 -1\n")
    corners = load_mesh_file(path).triangles
    assert sorted(np.ptp(t, axis=0)[0] for t in corners) == [1, 9]
    assert {float(t[:, 2].max()) for t in corners} == {0.0, 5.0}


def test_many_objects_are_read_as_one(tmp_path: Path) -> None:
    path = tmp_path / "many.obj"
    path.write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\n" + "".join(f"o x{i}\nf 1 2 3\n" for i in range(6000)))
    assert len(load_mesh_parts(path)) == 1
