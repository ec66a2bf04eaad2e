"""Meshes in MuJoCo's own format, read as MuJoCo reads them; broken ones are refused in words."""

from __future__ import annotations

from pathlib import Path

import mujoco
import numpy as np
import pytest

from andante.description.mesh.files import load_mesh_parts
from andante.errors import BadInput

CORNERS = np.array([[0, 0, 0], [1, 0, 0], [0, 2, 0], [0, 0, 3]], "<f4")
FACES = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]], "<i4")
PLACES = np.array([[0, 0], [1, 0], [0, 1], [0.25, 0.25]], "<f4")


def msh(corners: np.ndarray = CORNERS, faces: np.ndarray = FACES, places: np.ndarray = PLACES) -> bytes:
    head = np.array([len(corners), 0, len(places), len(faces)], "<i4")
    return head.tobytes() + corners.tobytes() + places.tobytes() + faces.tobytes()


def test_it_is_read_as_mujoco_reads_it(tmp_path: Path) -> None:
    (tmp_path / "m.msh").write_bytes(msh())
    (part,) = load_mesh_parts(tmp_path / "m.msh")
    body = '<worldbody><geom type="mesh" mesh="m"/></worldbody>'
    (tmp_path / "m.xml").write_text(f'<mujoco><asset><mesh name="m" file="m.msh"/></asset>{body}</mujoco>')
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "m.xml"))
    assert part.vertices.tolist() == CORNERS.tolist()
    assert len(part.faces) == model.mesh_facenum[0]
    assert part.uv is not None
    assert part.uv[0, 1].tolist() == [0, 0]  # of corner 2, which lies at the lower edge


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "is empty"),
        (b"abc", "is not MuJoCo's .msh"),
        (msh()[:-4], "is truncated: its header announces 4 vertices, 4 faces"),
        (msh(faces=np.array([[0, 1, 9]], "<i4")), "names vertices that it has not"),
        (msh(corners=CORNERS * np.float32(np.nan)), "names vertices that it has not"),
    ],
)
def test_broken_ones_are_refused(tmp_path: Path, data: bytes, words: str) -> None:
    (tmp_path / "m.msh").write_bytes(data)
    with pytest.raises(BadInput, match=words):
        load_mesh_parts(tmp_path / "m.msh")
