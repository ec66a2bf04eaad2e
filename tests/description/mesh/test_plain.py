"""Triangles of plain mesh files without a mesh library: the same as with one; what is unusual is left to that."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import trimesh

from andante.description.mesh.files import load_mesh_file
from andante.description.mesh.plain import plain_triangles
from andante.description.mesh.tools import write_mesh
from andante.description.mesh.triangles import farthest, hull, reach
from andante.description.shapes import Mesh
from andante.errors import BadInput

NODE = (
    '<node><matrix>1 0 0 1  0 0 -1 2  0 1 0 3  0 0 0 1</matrix><node><scale>2 2 -2</scale><rotate>0 0 1 90</rotate>'
    '<translate>0.1 0 0</translate><instance_geometry url="#g"/></node><instance_geometry url="#g"/></node>'
)  # fmt: skip


def collada(node: str = NODE, primitive: str = "", unit: float = 0.5) -> str:
    places = "0 0 0 1 0 0 1 1 0 0 1 0 0 0 1"
    quads = '<polylist count="2"><input semantic="VERTEX" source="#v" offset="0"/><input semantic="NORMAL" source="#n" '
    quads += 'offset="1"/><vcount>4 3</vcount><p>0 0 1 0 2 0 3 0 0 0 1 0 4 0</p></polylist>'
    return f"""<COLLADA version="1.4.1" xmlns="http://www.collada.org/2005/11/COLLADASchema">
<asset><unit meter="{unit}"/><up_axis>Y_UP</up_axis></asset><library_geometries><geometry id="g"><mesh>
<source id="s"><float_array id="f" count="15">{places}</float_array><technique_common>
<accessor source="#f" count="5" stride="3"><param name="X" type="float"/><param name="Y" type="float"/>
<param name="Z" type="float"/></accessor></technique_common></source>
<source id="n"><float_array id="nf" count="3">0 0 1</float_array><technique_common><accessor source="#nf" count="1"
stride="3"><param name="X" type="float"/><param name="Y" type="float"/><param name="Z" type="float"/></accessor>
</technique_common></source><vertices id="v"><input semantic="POSITION" source="#s"/></vertices>
{primitive or quads}</mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="w">{node}</visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#w"/></scene></COLLADA>"""


FILES = {
    "quads.obj": "# c\nv 0 0 0 1 0 0\nv 1 0 0 1 0 0\nv 1 1 0 1 0 0\nv 0 1 0 1 0 0\nv 9 9 9 1 0 0\nvn 0 0 1\no one\n"
    "f 1//1 2//1 3//1 4//1\nf 1//1 3//1 2//1\n",
    "plain.obj": "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 0\nf 1 2 3\nf 4 3 2\n",
    "scene.dae": collada(),
}


def turned(vertices: np.ndarray, faces: np.ndarray) -> np.ndarray:
    """Triangles in order, each from its first corner in the order of x, y, z, the same way round."""
    rounded = np.round(vertices, 9) + 0.0
    found = [np.roll(corners, -np.lexsort(corners.T[::-1])[0], axis=0) for corners in rounded[faces]]
    return np.array(sorted(found, key=lambda corners: corners.ravel().tolist()))


@pytest.mark.parametrize("name", FILES)
def test_the_same_triangles_as_with_the_library(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(FILES[name])
    found, usual = plain_triangles(tmp_path / name), load_mesh_file(tmp_path / name)
    assert found is not None
    np.testing.assert_allclose(turned(*found), turned(np.asarray(usual.vertices), usual.faces), atol=1e-9)
    assert len(found[0]) == len(usual.vertices)


@pytest.mark.parametrize("suffix", [".stl", ".obj", ".dae"])
def test_written_files(suffix: str, tmp_path: Path) -> None:
    block = trimesh.creation.box(extents=(0.1, 0.2, 0.3))
    write_mesh(block, tmp_path / f"block{suffix}")
    found = plain_triangles(tmp_path / f"block{suffix}")
    assert found is not None
    assert found[0].shape == (8, 3)
    assert found[1].shape == (12, 3)


def test_ascii_stl(tmp_path: Path) -> None:
    block = trimesh.creation.box()
    (tmp_path / "a.stl").write_text(block.export(file_type="stl_ascii"))
    found = plain_triangles(tmp_path / "a.stl")
    assert found is not None
    assert found[0].shape == (8, 3)


SKIN = '<node><instance_controller url="#c"/></node>'
FANS = '<trifans count="1"><input semantic="VERTEX" source="#v" offset="0"/><p>0 1 2 3</p></trifans>'


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("relative.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf -3 -2 -1\n"),
        ("beyond.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n"),
        ("word.obj", "v 0 0 zero\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"),
        ("endless.obj", "v 0 0 inf\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"),
        ("nothing.obj", "v 0 0 0\n"),
        ("broken.stl", "solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\n"),
        ("skin.dae", collada(SKIN)),
        ("fans.dae", collada(primitive=FANS)),
        ("nobody.dae", collada('<node><instance_geometry url="#nobody"/></node>')),
        ("cut.dae", collada()[:700]),
        ("other.ply", "ply"),
    ],
)
def test_what_is_unusual_is_left_to_the_library(name: str, text: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text)
    assert plain_triangles(tmp_path / name) is None


def test_reach_is_that_of_the_hull(tmp_path: Path) -> None:
    write_mesh(trimesh.creation.icosphere(subdivisions=2), tmp_path / "ball.obj")
    ball = Mesh("ball.obj", path=tmp_path / "ball.obj", scale=(1.0, 2.0, -3.0))
    for direction in np.random.default_rng(0).normal(size=(20, 3)):
        assert reach(ball, direction) == pytest.approx(float((hull(ball)[0] @ direction).max()))
        assert farthest(ball, direction) @ direction == pytest.approx(reach(ball, direction))


def test_a_flat_mesh_reaches_nowhere(tmp_path: Path) -> None:
    (tmp_path / "flat.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nf 1 2 3\nf 2 4 3\n")
    with pytest.raises(BadInput, match="is flat"):
        reach(Mesh("flat.obj", path=tmp_path / "flat.obj"), np.array([0.0, 0.0, 1.0]))


def test_a_check_imports_no_mesh_library(tmp_path: Path) -> None:
    write_mesh(trimesh.creation.box(extents=(0.1, 0.2, 0.3)), tmp_path / "block.dae")
    shape = '<geometry><mesh filename="block.dae"/></geometry>'
    tensor = '<inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"/>'
    link = f'<link name="a"><inertial><mass value="1"/>{tensor}</inertial><visual>{shape}</visual>'
    link += f"<collision>{shape}</collision></link>"
    (tmp_path / "one.urdf").write_text(f'<robot name="r">{link}</robot>')
    code = (
        "import sys; sys.argv = ['andante', 'check', 'one.urdf', '--json']\n"
        "from andante.cli.main import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "heavy = ('trimesh', 'scipy', 'collada', 'pydantic', 'yaml', 'mujoco', 'numba', 'ssl')\n"
        "print([name for name in heavy if name in sys.modules])"
    )
    ran = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert ran.stdout.splitlines()[-1] == "[]"
