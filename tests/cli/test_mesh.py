"""`andante mesh`: files in, files out, nothing half-written."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import trimesh
from typer.testing import CliRunner

from andante.cli.main import app
from andante.description.mesh.files import load_mesh_file
from andante.errors import BadInput


def run(*arguments: object) -> str:
    result = CliRunner().invoke(app, ["mesh", *(str(a) for a in arguments)])
    if result.exception is not None:
        raise result.exception
    return result.output


@pytest.fixture
def pair(tmp_path: Path) -> Path:
    """A box 1 x 2 x 3 at x = 0 and a unit cube at x = 5."""
    cube = trimesh.creation.box(extents=(1, 1, 1))
    cube.apply_translation([5, 0, 0])
    path = tmp_path / "pair.stl"
    trimesh.util.concatenate([trimesh.creation.box(extents=(1, 2, 3)), cube]).export(path)
    return path


@pytest.mark.parametrize("suffix", [".stl", ".obj", ".ply", ".glb", ".dae"])
def test_convert(pair: Path, suffix: str) -> None:
    out = pair.with_name(f"out{suffix}")
    assert "24 faces" in run(pair, out)
    assert load_mesh_file(out).volume == pytest.approx(7.0)


def test_scale_rotate_center(pair: Path) -> None:
    out = pair.with_name("out.obj")
    run(pair, out, "--scale", "0.001", "--rotate", f"0 0 {np.pi / 2}", "--center")
    np.testing.assert_allclose(np.ptp(load_mesh_file(out).vertices, axis=0), [0.002, 0.006, 0.003], atol=1e-8)
    np.testing.assert_allclose(load_mesh_file(out).bounds.sum(axis=0), 0, atol=1e-8)
    run(pair, out, "--scale", "1 2 1")
    assert load_mesh_file(out).volume == pytest.approx(14.0)


def test_split_and_json(pair: Path) -> None:
    told = json.loads(run(pair, pair.with_name("part.stl"), "--split", "--json"))
    assert [Path(row["file"]).name for row in told["files"]] == ["part_0.stl", "part_1.stl"]
    assert sorted(row["volume"] for row in told["files"]) == pytest.approx([1.0, 6.0])
    assert all(row["watertight"] for row in told["files"])
    assert not pair.with_name("part.stl").exists()
    assert sorted(p.name for p in pair.parent.iterdir()) == ["pair.stl", "part_0.stl", "part_1.stl"]


def test_hull_and_box(pair: Path) -> None:
    run(pair, pair.with_name("hull.stl"), "--hull")
    hull = load_mesh_file(pair.with_name("hull.stl"))
    assert hull.is_convex
    assert hull.volume > 7
    run(pair, pair.with_name("box.stl"), "--box")
    assert load_mesh_file(pair.with_name("box.stl")).volume == pytest.approx(36.0)
    run(pair, pair.with_name("boxes.stl"), "--split", "--box")
    assert load_mesh_file(pair.with_name("boxes_0.stl")).is_convex


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("IN", "out.step"), "cannot write"),
        (("IN", "out"), "without suffix"),
        (("IN", "none/out.stl"), "no such folder"),
        (("none.stl", "out.stl"), "no such file"),
        (("IN", "out.stl", "--hull", "--box"), "not both"),
        (("IN", "out.stl", "--rotate", "1 2"), "--rotate needs 3 numbers"),
        (("IN", "out.stl", "--rotate", "a b c"), "--rotate needs 3 numbers"),
        (("IN", "out.stl", "--rotate", "nan 0 0"), "finite"),
        (("IN", "out.stl", "--scale", "0"), "scale"),
        (("IN", "out.stl", "--scale", "1 2"), "--scale needs 1 or 3"),
    ],
)
def test_mistakes_write_nothing(pair: Path, arguments: tuple[str, ...], message: str) -> None:
    files = [pair if a == "IN" else pair.parent / a for a in arguments[:2]]
    with pytest.raises(BadInput, match=message):
        run(*files, *arguments[2:])
    assert [p.name for p in pair.parent.iterdir()] == ["pair.stl"]


def test_flat_hull_writes_nothing(tmp_path: Path) -> None:
    flat = tmp_path / "flat.obj"
    flat.write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    with pytest.raises(BadInput, match="flat"):
        run(flat, tmp_path / "hull.stl", "--hull")
    assert [p.name for p in tmp_path.iterdir()] == ["flat.obj"]


def test_split_that_cannot_be_finished_writes_nothing(pair: Path) -> None:
    pair.with_name("part_1.stl").mkdir()
    with pytest.raises(BadInput, match=r"part_1\.stl cannot be written"):
        run(pair, pair.with_name("part.stl"), "--split")
    assert sorted(p.name for p in pair.parent.iterdir()) == ["pair.stl", "part_1.stl"]


def test_inertia_of_a_mass(pair: Path) -> None:
    out = pair.with_name("part.stl")
    told = run(pair, out, "--split", "--mass", 7)
    assert '<origin xyz="0 0 0"/>\n  <mass value="6"/>\n  <inertia ixx="6.5" ixy="0" ixz="0" iyy="5"' in told
    assert '<origin xyz="5 0 0"/>\n  <mass value="1"/>' in told
    row = json.loads(run(pair, out, "--scale", "0.1", "--box", "--mass", 1, "--json"))["files"][0]
    assert row["com"] == pytest.approx([0.25, 0, 0], abs=1e-9)
    assert row["inertia"][3] == pytest.approx((0.6**2 + 0.3**2) / 12)
    with pytest.raises(BadInput, match="positive number of kilograms"):
        run(pair, out, "--mass", 0)
