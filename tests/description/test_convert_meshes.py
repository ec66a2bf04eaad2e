"""`convert_file` with a folder for meshes: everything is written or nothing, and only meshes are copied."""

from pathlib import Path

import pytest
import trimesh
from PIL import Image

from andante.description.io.convert import convert_file
from andante.description.io.open import read_robot
from andante.description.link import Visual
from andante.description.looks import pieces
from andante.errors import AndanteError

PART = """<link name="{name}"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>
<collision><geometry><mesh filename="{file}"/></geometry></collision></link>"""
JOINT = """<joint name="j{name}" type="fixed"><parent link="l0"/><child link="{name}"/></joint>"""


def described(folder: Path, *files: str) -> str:
    links = "".join(PART.format(name=f"l{k}", file=file) for k, file in enumerate(files))
    joints = "".join(JOINT.format(name=f"l{k}") for k in range(1, len(files)))
    path = folder / "r.urdf"
    path.write_text(f'<robot name="r">{links}{joints}</robot>')
    return str(path)


@pytest.fixture
def boxes(tmp_path: Path) -> Path:
    """Boxes of different sizes under the same names, in and beside a folder."""
    (tmp_path / "other").mkdir()
    for size, name in ((1, "box.stl"), (2, "other/box.stl"), (3, "box.dae"), (4, "box.obj")):
        box = trimesh.creation.box(extents=(size, size, size))
        data = box.export(file_type=name[-3:])
        (tmp_path / name).write_bytes(data if isinstance(data, bytes) else data.encode())
    return tmp_path


def sizes(path: Path) -> list[float]:
    from andante.description.mesh.triangles import triangles

    robot = read_robot(path)
    return [float(triangles(link.collisions[0].geometry)[0].max()) for link in robot.links]


@pytest.mark.parametrize("suffix", [".urdf", ".sdf", ".xml"])
def test_copies_keep_apart_what_has_equal_names(boxes: Path, suffix: str, monkeypatch: pytest.MonkeyPatch) -> None:
    source = described(boxes, "box.stl", "other/box.stl", "box.dae", "box.obj")
    monkeypatch.chdir(boxes)
    out = Path(f"out{suffix}")
    convert_file(source, out, meshes=Path("new/meshes"))
    assert {path.name for path in (boxes / "new/meshes").iterdir()} >= {"box.stl", "box_1.stl", "box.dae", "box.obj"}
    assert sizes(out) == [0.5, 1.0, 1.5, 2.0]


@pytest.mark.parametrize(
    ("file", "said"),
    [
        ("other.txt", "unknown suffix"),
        ("text.stl", "text.stl"),
        ("/proc/self/mem", "unknown suffix"),
    ],
)
def test_a_file_that_is_no_mesh_leaves_nothing_behind(boxes: Path, file: str, said: str) -> None:
    (boxes / "other.txt").write_text("of somebody else")
    (boxes / "text.stl").write_text("of somebody else")
    (boxes / "out").mkdir()
    with pytest.raises(AndanteError, match=said) as told:
        convert_file(described(boxes, "box.stl", file), boxes / "out" / "r.xml", meshes=boxes / "out" / "a" / "b")
    assert "somebody" not in str(told.value)
    assert list((boxes / "out").iterdir()) == []


def test_what_a_mesh_names_beside_it_comes_along(boxes: Path) -> None:
    (boxes / "box.mtl").write_text("newmtl red\nKd 1 0 0\n")
    (boxes / "secret.txt").write_text("of somebody else")
    shape = (boxes / "box.obj").read_text()
    (boxes / "box.obj").write_text(f"mtllib box.mtl\nmtllib ../{boxes.name}/secret.txt\nmtllib secret.txt\n{shape}")
    convert_file(described(boxes, "box.obj"), boxes / "out.urdf", meshes=boxes / "new")
    assert {path.name for path in (boxes / "new").iterdir()} == {"box.obj", "box.mtl"}
    (boxes / "other" / "box.mtl").write_text("newmtl red\nKd 0 1 0\n")
    (boxes / "other" / "ball.obj").write_text(f"mtllib box.mtl\n{shape}")
    with pytest.raises(AndanteError, match="differ, and --meshes would put them in one place"):
        convert_file(described(boxes, "box.obj", "other/ball.obj"), boxes / "out.urdf", meshes=boxes / "newer")


def test_the_pictures_of_a_mesh_come_along(tmp_path: Path) -> None:
    (tmp_path / "textures").mkdir()
    (tmp_path / "meshes").mkdir()
    Image.new("RGB", (2, 2), (9, 8, 7)).save(tmp_path / "textures" / "skin.png")
    (tmp_path / "meshes" / "a.mtl").write_text("newmtl m\nKd 1 1 1\nmap_Kd ../textures/skin.png\n")
    (tmp_path / "meshes" / "a.obj").write_text(
        "mtllib a.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nvt 0 0\nvt 1 0\nvt 0 1\nusemtl m\n"
        "f 1/1 2/2 3/3\nf 1/1 2/2 4/3\nf 1/1 3/2 4/3\nf 2/1 3/2 4/3\n"
    )
    out = tmp_path / "out"
    out.mkdir()
    convert_file(described(tmp_path, "meshes/a.obj"), out / "r.urdf", meshes=out / "copies")
    assert (out / "copies" / "skin.png").is_file()
    mesh = read_robot(out / "r.urdf").links[0].collisions[0].geometry
    (piece,) = pieces(Visual(mesh))
    assert piece.texture is not None
    assert piece.texture.pixels[0, 0, :3].tolist() == [9, 8, 7]


@pytest.mark.parametrize("suffix", ["urdf", "sdf"])
def test_a_stated_picture_is_written_so_that_it_is_found(tmp_path: Path, suffix: str) -> None:
    Image.new("RGB", (2, 2), (9, 8, 7)).save(tmp_path / "skin.png")
    (tmp_path / "r.urdf").write_text(
        """<robot name="r"><link name="a"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>
        <visual><geometry><box size="1 1 1"/></geometry><material name="m"><color rgba="1 1 0 1"/>
        <texture filename="skin.png"/></material></visual></link></robot>"""
    )
    (tmp_path / "out").mkdir()
    written = tmp_path / "out" / f"again.{suffix}"
    convert_file(str(tmp_path / "r.urdf"), written)
    material = read_robot(written).links[0].visuals[0].material
    assert material.path is not None
    assert material.path.resolve() == tmp_path / "skin.png"
    assert material.rgba == (1, 1, 0, 1)


def test_old_meshes_stay_when_the_description_cannot_be_written(boxes: Path) -> None:
    (boxes / "old").mkdir()
    (boxes / "old" / "box.stl").write_text("old")
    (boxes / "r.xml").mkdir()
    with pytest.raises(AndanteError, match="it is a folder"):
        convert_file(described(boxes, "box.stl"), boxes / "r.xml", meshes=boxes / "old")
    assert [(path.name, path.read_text()) for path in (boxes / "old").iterdir()] == [("box.stl", "old")]
    described(boxes, "old/box.stl")
    (boxes / "old" / "box.stl").write_bytes((boxes / "box.stl").read_bytes())
    convert_file(str(boxes / "r.urdf"), boxes / "s.urdf", meshes=boxes / "old")  # already there
    assert sizes(boxes / "s.urdf") == [0.5]
