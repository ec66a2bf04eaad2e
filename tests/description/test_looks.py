"""Looks of visuals: several materials and pictures of one mesh, painted vertices, wrapped shapes; strangers' limits."""

from __future__ import annotations

import io
import json
import struct
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from andante.description.link import Material, Visual
from andante.description.looks import Piece, pieces
from andante.description.mesh import textures
from andante.description.shapes import Box, Cylinder, Geometry, Heightmap, Mesh, Plane, Sphere

RED, GREEN, BLUE, YELLOW = (255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 0)
SQUARE = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\n"


def quarters(path: Path) -> Path:
    """A picture of four fields: red and green above, blue and yellow below."""
    pixels = np.zeros((16, 16, 3), dtype=np.uint8)
    pixels[:8, :8], pixels[:8, 8:], pixels[8:, :8], pixels[8:, 8:] = RED, GREEN, BLUE, YELLOW
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(pixels).save(path)
    return path


def seen(piece: Piece) -> dict[tuple[float, ...], tuple[int, ...]]:
    """Color of the picture near every corner, a little inside the face."""
    assert piece.uv is not None
    assert piece.texture is not None
    inside = 0.8 * piece.uv + 0.2 * piece.uv.mean(axis=1, keepdims=True)
    corners = piece.vertices[piece.faces].reshape(-1, 3)
    colors = piece.texture.at(inside).reshape(-1, 4)[:, :3]
    return {tuple(np.round(p, 6)): tuple(int(v) for v in c) for p, c in zip(corners, colors, strict=True)}


@pytest.fixture
def square(tmp_path: Path) -> Path:
    """An OBJ file with a picture on one triangle and plain red on the other."""
    quarters(tmp_path / "q.png")
    (tmp_path / "s.mtl").write_text("newmtl p\nKd 1 1 1\nmap_Kd q.png\nnewmtl r\nKd 1 0 0\n")
    (tmp_path / "s.obj").write_text(f"mtllib s.mtl\n{SQUARE}usemtl p\nf 1/1 2/2 3/3\nusemtl r\nf 1/1 3/3 4/4\n")
    return tmp_path / "s.obj"


def test_every_material_of_a_mesh_is_a_piece(square: Path) -> None:
    found = pieces(Visual(Mesh("s.obj", square)))
    assert len(found) == 2
    pictured, plain = sorted(found, key=lambda piece: piece.texture is None)
    assert seen(pictured) == {(0, 0, 0): BLUE, (1, 0, 0): YELLOW, (1, 1, 0): GREEN}
    assert plain.rgba == (1, 0, 0, 1)


def test_stated_color_goes_before_the_file_but_not_before_its_picture(square: Path) -> None:
    found = pieces(Visual(Mesh("s.obj", square), material=Material("", (0.0, 0.0, 1.0, 0.5))))
    assert sorted((piece.texture is not None, piece.rgba) for piece in found) == [
        (False, (0.0, 0.0, 1.0, 0.5)),
        (True, (1.0, 1.0, 1.0, 0.5)),
    ]


def test_a_stated_picture_lies_where_the_mesh_says(square: Path, tmp_path: Path) -> None:
    Image.new("RGB", (4, 4), (9, 8, 7)).save(tmp_path / "dark.png")
    found = pieces(Visual(Mesh("s.obj", square), material=Material("", None, "dark.png", tmp_path / "dark.png")))
    assert all(piece.texture is not None and piece.uv is not None for piece in found)
    assert {piece.texture.pixels[0, 0, :3].tolist()[0] for piece in found if piece.texture} == {9}
    (tmp_path / "bare.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    material = Material("", None, "dark.png", tmp_path / "dark.png")
    (bare,) = pieces(Visual(Mesh("bare.obj", tmp_path / "bare.obj"), material=material))
    assert bare.texture is None
    assert bare.rgba == pytest.approx((9 / 255, 8 / 255, 7 / 255, 1.0))


def test_a_mirrored_mesh_keeps_its_picture_in_place(square: Path) -> None:
    found = pieces(Visual(Mesh("s.obj", square, scale=(-1.0, 1.0, 1.0))))
    pictured = next(piece for piece in found if piece.texture is not None)
    assert seen(pictured) == {(0, 0, 0): BLUE, (-1, 0, 0): YELLOW, (-1, 1, 0): GREEN}
    a, b, c = pictured.vertices[pictured.faces[0]]
    assert np.cross(b - a, c - a)[2] > 0  # still seen from above


def test_painted_vertices(tmp_path: Path) -> None:
    (tmp_path / "p.ply").write_text(
        "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n"
        "property uchar red\nproperty uchar green\nproperty uchar blue\nelement face 1\n"
        "property list uchar int vertex_indices\nend_header\n0 0 0 255 0 0\n1 0 0 0 255 0\n0 1 0 0 0 255\n3 0 1 2\n"
    )
    (piece,) = pieces(Visual(Mesh("p.ply", tmp_path / "p.ply")))
    assert piece.corner_colors is not None
    assert piece.corner_colors[0, :, :3].tolist() == [list(RED), list(GREEN), list(BLUE)]
    assert piece.flat == pytest.approx((1 / 3, 1 / 3, 1 / 3, 1), abs=0.01)


def collada(picture: str) -> str:
    """A square in COLLADA, one triangle with a picture and one plain green, and a third whose material is missing."""
    source = "".join(
        f'<source id="{name}"><float_array id="{name}a" count="{len(values.split())}">{values}</float_array>'
        f'<technique_common><accessor source="#{name}a" count="4" stride="{len(axes)}">'
        + "".join(f'<param name="{a}" type="float"/>' for a in axes)
        + "</accessor></technique_common></source>"
        for name, values, axes in (("p", "0 0 0 1 0 0 1 1 0 0 1 0", "XYZ"), ("t", "0 0 1 0 1 1 0 1", "ST"))
    )
    inputs = '<input semantic="VERTEX" source="#v" offset="0"/><input semantic="TEXCOORD" source="#t" offset="1"/>'
    triangles = "".join(
        f'<triangles count="1" material="{m}">{inputs}<p>{p}</p></triangles>'
        for m, p in (("A", "0 0 1 1 2 2"), ("B", "0 0 2 2 3 3"), ("C", "1 1 0 0 3 3"))
    )
    sampler = (
        '<newparam sid="s"><surface type="2D"><init_from>i</init_from></surface></newparam>'
        '<newparam sid="m"><sampler2D><source>s</source></sampler2D></newparam>'
    )
    paints = {"A": '<texture texture="m" texcoord="t"/>', "B": "<color>0 1 0 1</color>"}
    effects = "".join(
        f'<effect id="{k}e"><profile_COMMON>{sampler if k == "A" else ""}<technique sid="c"><lambert><diffuse>{paint}'
        "</diffuse></lambert></technique></profile_COMMON></effect>"
        for k, paint in paints.items()
    )
    materials = "".join(f'<material id="{k}m"><instance_effect url="#{k}e"/></material>' for k in "ABC")
    bound = "".join(f'<instance_material symbol="{k}" target="#{k}m"/>' for k in "ABC")
    return f"""<?xml version="1.0"?><COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit meter="1"/><up_axis>Z_UP</up_axis></asset>
<library_images><image id="i"><init_from>{picture}</init_from></image></library_images>
<library_effects>{effects}</library_effects><library_materials>{materials}</library_materials>
<library_geometries><geometry id="g"><mesh>{source}<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
{triangles}</mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="V"><node id="n"><instance_geometry url="#g"><bind_material><technique_common>
{bound}</technique_common></bind_material></instance_geometry></node></visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#V"/></scene></COLLADA>"""


@pytest.mark.parametrize("name", ["q.png", "../materials/textures/q.png", "file:///C:/somewhere/else/q.png"])
def test_collada_materials_and_pictures_of_a_gazebo_model(tmp_path: Path, name: str) -> None:
    quarters(tmp_path / "materials" / "textures" / "q.png")
    file = tmp_path / "meshes" / "s.dae"
    file.parent.mkdir()
    file.write_text(collada(name))
    found = pieces(Visual(Mesh("s.dae", file)))
    pictured = next(piece for piece in found if piece.texture is not None)
    assert seen(pictured) == {(0, 0, 0): BLUE, (1, 0, 0): YELLOW, (1, 1, 0): GREEN}
    assert any(piece.rgba == pytest.approx((0, 1, 0, 1)) for piece in found if piece.texture is None)
    assert sum(len(piece.faces) for piece in found) == 3  # also the one whose material is not there


@pytest.mark.parametrize("kind", ["buffer", "file"])
def test_gltf_stands_upright_with_its_picture(tmp_path: Path, kind: str) -> None:
    picture = quarters(tmp_path / "q.png").read_bytes()
    points = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0]], dtype="<f4").tobytes()
    places = np.array([[0, 1], [1, 1], [1, 0]], dtype="<f4").tobytes()  # from the upper left corner
    data = points + places + picture + bytes(-len(picture) % 4)
    views = [(0, 36), (36, 24), (60, len(picture))]
    tree = {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0, "TEXCOORD_0": 1}, "material": 0}]}],
        "materials": [{"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}],
        "textures": [{"source": 0}],
        "images": [{"bufferView": 2, "mimeType": "image/png"} if kind == "buffer" else {"uri": "q.png"}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"},
            {"bufferView": 1, "componentType": 5126, "count": 3, "type": "VEC2"},
        ],
        "bufferViews": [{"buffer": 0, "byteOffset": at, "byteLength": size} for at, size in views],
        "buffers": [{"byteLength": len(data)}],
    }
    text = json.dumps(tree).encode()
    text += b" " * (-len(text) % 4)
    body = struct.pack("<II", len(text), 0x4E4F534A) + text + struct.pack("<II", len(data), 0x004E4942) + data
    (tmp_path / "s.glb").write_bytes(b"glTF" + struct.pack("<II", 2, 12 + len(body)) + body)
    (piece,) = pieces(Visual(Mesh("s.glb", tmp_path / "s.glb")))
    assert seen(piece) == {(0, 0, 0): BLUE, (1, 0, 0): YELLOW, (1, 0, 1): GREEN}  # y of the file is z here


@pytest.mark.parametrize(
    ("shape", "corner", "color"),
    [
        (Box((2.0, 2.0, 2.0)), (1, -1, 1), RED),
        (Plane(size=(2.0, 2.0)), (-1, 1, 0), RED),
        (Heightmap(((0.0, 0.0), (0.0, 0.0)), (2.0, 2.0)), (1, 1, 0), GREEN),
    ],
)
def test_pictures_on_simple_shapes(
    tmp_path: Path, shape: Geometry, corner: tuple[int, ...], color: tuple[int, ...]
) -> None:
    picture = quarters(tmp_path / "q.png")
    (piece,) = pieces(Visual(shape, material=Material("", None, "q.png", picture)))
    if isinstance(shape, Box):  # the side that looks along +x, seen from there
        chosen = (piece.vertices[piece.faces][:, :, 0] > 0.99).all(axis=1)
        assert piece.uv is not None
        piece = Piece(piece.vertices, piece.faces[chosen], piece.rgba, piece.texture, piece.uv[chosen])
    assert seen(piece)[corner] == color


@pytest.mark.parametrize("shape", [Cylinder(1.0, 2.0), Sphere(1.0)])
def test_no_triangle_of_a_round_shape_spans_the_whole_picture(tmp_path: Path, shape: Geometry) -> None:
    picture = quarters(tmp_path / "q.png")
    (piece,) = pieces(Visual(shape, material=Material("", None, "q.png", picture)))
    assert piece.uv is not None
    side = np.linalg.norm(piece.vertices[piece.faces][..., :2], axis=2).min(axis=1) > 0.1
    assert np.ptp(piece.uv[side][..., 0], axis=1).max() < 0.6


def test_pictures_of_strangers_stay_within_limits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Image.new("RGB", (3000, 20), RED).save(tmp_path / "wide.png")
    wide = textures.load_texture(tmp_path / "wide.png")
    assert wide is not None
    assert wide.pixels.shape[1] == textures.EDGE
    monkeypatch.setattr(textures, "MAX_PIXELS", 100)
    Image.new("RGB", (20, 20), RED).save(tmp_path / "many.png")
    assert textures.load_texture(tmp_path / "many.png") is None
    (tmp_path / "broken.png").write_bytes(b"\x89PNG\r\n\x1a\nnothing")
    (tmp_path / "program.png").write_bytes(b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 10 10\nshowpage\n")
    for name in ("broken.png", "program.png", "none.png"):
        assert textures.load_texture(tmp_path / name) is None
    secret = quarters(tmp_path / "away" / "deep" / "deeper" / "secret.png")
    inner = tmp_path / "here" / "model" / "meshes"
    inner.mkdir(parents=True)
    for name in (
        str(secret),
        "../../../away/deep/deeper/secret.png",
        "http://example.invalid/secret.png",
        "secret.txt",
    ):
        assert textures.find_texture(inner / "m.dae", name) is None


def test_no_file_can_pose_as_a_stand_in(tmp_path: Path) -> None:
    from PIL.PngImagePlugin import PngInfo

    quarters(tmp_path / "q.png")
    assert textures.meant_by(Image.open(io.BytesIO(textures.stand_in(tmp_path / "q.png")))) == tmp_path / "q.png"
    told, out = PngInfo(), io.BytesIO()
    told.add_itxt("andante", str(tmp_path / "q.png"))
    Image.new("RGB", (1, 1)).save(out, "PNG", pnginfo=told)
    picture = Image.open(out)
    assert textures.meant_by(picture) is picture
