"""Height fields from files, beside what MuJoCo itself makes of them."""

import io
import struct
from pathlib import Path

import mujoco
import numpy as np
import pytest
from PIL import Image

from andante.description import Heightmap
from andante.description.io.mjcf.reader import read_mjcf_world
from andante.description.io.resolver import Resolver
from andante.description.io.xmltree import parse_xml
from andante.errors import BadInput

MODEL = """<mujoco><asset><hfield name="h" {} size="2 1 0.5 0.1"/></asset>
<worldbody><geom type="hfield" hfield="h"/></worldbody></mujoco>"""


def binary(grid) -> bytes:
    grid = np.asarray(grid, dtype="<f4")
    return struct.pack("<ii", *grid.shape) + grid.tobytes()


def png(grid) -> bytes:
    out = io.BytesIO()
    Image.fromarray(np.asarray(grid, dtype=np.uint8)).save(out, "PNG")
    return out.getvalue()


def read(folder: Path, attributes: str):
    path = folder / "w.xml"
    path.write_text(MODEL.format(attributes))
    return path, read_mjcf_world(parse_xml(path.read_bytes(), str(path)), path, Resolver())


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("h.bin", binary([[0.0, 1.0, 2.0], [4.0, 3.0, 1.5]])),
        ("h.png", png([[0, 50, 100], [255, 30, 60], [10, 20, 200]])),
    ],
)
def test_heights_are_those_of_mujoco(tmp_path, name, data):
    (tmp_path / name).write_bytes(data)
    path, world = read(tmp_path, f'file="{name}"')
    shape = world.models[0].robot.links[0].collisions[0].geometry
    assert isinstance(shape, Heightmap)
    assert shape.size == (4.0, 2.0)
    model = mujoco.MjModel.from_xml_path(str(path))
    rows, columns = int(model.hfield_nrow[0]), int(model.hfield_ncol[0])
    theirs = model.hfield_data.reshape(rows, columns) * model.hfield_size[0, 2]
    np.testing.assert_allclose(np.array(shape.heights), theirs, atol=1e-6)


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("h.bin", b"123", "is not a height field file"),
        ("h.bin", binary(np.zeros((2, 3)))[:-4], "2 x 3 values in 28 bytes"),
        ("h.bin", struct.pack("<ii", -2, -3), "-2 x -3 values"),
        ("h.bin", struct.pack("<ii", 1 << 30, 1 << 30), "is not a height field file"),
        ("h.bin", binary([[0.0, np.nan], [1.0, 2.0]]), "not finite"),
        ("h.png", b"\x89PNG no", "is not a readable PNG"),
        ("h.png", png(np.zeros((3, 4)))[:-30], "is not a readable PNG"),
        ("h.png", png(np.zeros((1, 4))), "2 x 2 to"),
    ],
)
def test_files_that_hold_no_heights(tmp_path, name, data, words):
    (tmp_path / name).write_bytes(data)
    with pytest.raises(BadInput, match=words) as told:
        read(tmp_path, f'file="{name}"')
    assert name in str(told.value)


def test_what_else_can_be_wrong(tmp_path):
    with pytest.raises(BadInput, match="elevation needs 6 numbers, got 2"):
        read(tmp_path, 'nrow="2" ncol="3" elevation="1 2"')
    with pytest.raises(BadInput, match="height field 'h' does not exist or could not be read"):
        read(tmp_path, 'file="none.png"')
