"""VRML: face sets with paint and pictures, moved shapes, both versions; broken and hostile files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from andante.description.link import Visual
from andante.description.looks import Piece, pieces
from andante.description.mesh.files import load_mesh_file, load_mesh_parts
from andante.description.shapes import Mesh
from andante.errors import BadInput

SQUARE = "coord Coordinate { point [ 0 0 0, 1 0 0, 1 1 0, 0 1 0 ] } coordIndex [ 0, 1, 2, 3, -1 ]"


def wrl(tmp_path: Path, text: str, head: str = "#VRML V2.0 utf8") -> Path:
    path = tmp_path / "m.wrl"
    path.write_text(f"{head}\n{text}")
    return path


def only(path: Path) -> Piece:
    (piece,) = pieces(Visual(Mesh(path.name, path)))
    return piece


def test_shapes_with_their_places_and_colors(tmp_path: Path) -> None:
    path = wrl(
        tmp_path,
        f"""# a comment with [ and "
        DEF Look Appearance {{ material Material {{ diffuseColor 1 0 0 transparency 0.25 }} }}
        Transform {{ translation 0 0 5 rotation 0 0 1 1.5707963 scale 2 2 2 children [
          Shape {{ appearance USE Look geometry DEF Face IndexedFaceSet {{ {SQUARE} }} }}
          Transform {{ translation 0 0 1 children Shape {{
            appearance Appearance {{ material Material {{ diffuseColor 0 1 0 }} }} geometry USE Face }} }} ] }}
        ROUTE A.x TO B.y
        PROTO Thing [ field SFFloat x 1 ] {{ Group {{ }} }}""",
    )
    first, second = load_mesh_parts(path)
    np.testing.assert_allclose(first.vertices, [[0, 0, 5], [0, 2, 5], [-2, 2, 5], [-2, 0, 5]], atol=1e-6)
    assert first.color == (1, 0, 0, 0.75)
    assert second.color == (0, 1, 0, 1)
    assert second.vertices[0].tolist() == pytest.approx([0, 0, 7])
    assert len(first.faces) == 2


def test_painted_vertices_and_faces(tmp_path: Path) -> None:
    colors = "color Color { color [ 1 0 0, 0 1 0, 0 0 1, 1 1 1 ] }"
    piece = only(wrl(tmp_path, f"Shape {{ geometry IndexedFaceSet {{ {SQUARE} {colors} }} }}"))
    assert piece.corner_colors is not None
    assert piece.corner_colors[0, :, :3].tolist() == [[255, 0, 0], [0, 255, 0], [0, 0, 255]]
    two = SQUARE.replace("0, 1, 2, 3, -1", "0 1 2 -1 0 2 3 -1")
    piece = only(
        wrl(
            tmp_path,
            f"Shape {{ geometry IndexedFaceSet {{ {two} {colors} colorPerVertex FALSE colorIndex [ 2 1 ] }} }}",
        )
    )
    assert piece.corner_colors is not None
    assert piece.corner_colors[:, 0, :3].tolist() == [[0, 0, 255], [0, 255, 0]]


def test_a_picture(tmp_path: Path) -> None:
    Image.new("RGB", (2, 2), (0, 0, 255)).save(tmp_path / "sky.png")
    places = "texCoord TextureCoordinate { point [ 0 0, 1 0, 1 1, 0 1 ] }"
    look = 'appearance Appearance { texture ImageTexture { url [ "http://example.invalid/a.png" "sky.png" ] } }'
    piece = only(wrl(tmp_path, f"Shape {{ {look} geometry IndexedFaceSet {{ {SQUARE} {places} }} }}"))
    assert piece.texture is not None
    assert piece.uv is not None
    assert piece.texture.mean == pytest.approx((0, 0, 1, 1))
    np.testing.assert_allclose(piece.uv[0], [[0, 0], [1, 0], [1, 1]])


def test_solids_stand_along_y(tmp_path: Path) -> None:
    path = wrl(tmp_path, "Shape { geometry Cylinder { radius 1 height 4 } } Shape { geometry Box { size 1 2 3 } }")
    tall, box = load_mesh_parts(path)
    assert np.ptp(tall.vertices, axis=0) == pytest.approx([2, 4, 2], rel=0.02)
    assert np.ptp(box.vertices, axis=0) == pytest.approx([1, 2, 3])
    mesh = load_mesh_file(path)
    assert mesh.volume == pytest.approx(6 + 4 * np.pi, rel=0.02)


def test_version_one(tmp_path: Path) -> None:
    path = wrl(
        tmp_path,
        """Separator { Material { diffuseColor [ 0 0 1 ] } Translation { translation 1 0 0 }
        Coordinate3 { point [ 0 0 0, 1 0 0, 0 1 0 ] } IndexedFaceSet { coordIndex [ 0, 1, 2, -1 ] } }""",
        "#VRML V1.0 ascii",
    )
    (part,) = load_mesh_parts(path)
    assert part.color == (0, 0, 1, 1)
    assert part.vertices[:, 0].tolist() == [1, 2, 1]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "Shape { geometry IndexedFaceSet { coord Coordinate { point [ 0 0 0 ] } coordIndex [ 0 1 2 ] } }",
            "names vertex",
        ),
        ("Shape { geometry Box {", "breaks off"),
        ("Shape { geometry USE Nothing }", "before its DEF"),
        ("Group { children [ " * 200, "levels"),
        ("Shape { geometry Box { size 1e300 1e300 1e300 } }", "coordinate"),
        ("Group { }", "no triangles"),
        ("DEF A Group { children [ USE A ] }", "before its DEF"),
        (
            "DEF A0 Group { } "
            + " ".join(f"DEF A{k} Group {{ children [ USE A{k - 1} USE A{k - 1} ] }}" for k in range(1, 40)),
            "refused",
        ),
    ],
)
def test_bad_files_are_refused_in_one_line(tmp_path: Path, text: str, message: str) -> None:
    path = wrl(tmp_path, text)
    with pytest.raises(BadInput, match=message) as told:
        load_mesh_parts(path)
    assert str(path) in str(told.value)
    assert "\n" not in str(told.value)
