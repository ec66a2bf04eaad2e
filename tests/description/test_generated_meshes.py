"""Meshes made by code: closed, in their bounds, made once, safe side by side."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import trimesh
from hypothesis import given, settings
from hypothesis import strategies as st

from andante.description.io import resolver as generate
from andante.description.io.resolver import Resolver
from andante.description.mesh import modeling as make
from andante.robots.nao.tables import sole_outline

# Extents of the shell of each NAO link in its frame [m]: low and high corner (x, y, z).
SHELLS = {
    "torso": ((-0.0525, -0.0961, -0.0965), (0.0583, 0.0961, 0.1333)),
    "head": ((-0.0607, -0.0665, -0.0027), (0.0581, 0.0665, 0.1137)),
    "l_bicep": ((-0.0495, -0.0243, -0.0411), (0.1089, 0.0365, 0.0415)),
    "l_thigh": ((-0.0442, -0.0408, -0.1233), (0.0516, 0.0488, 0.0197)),
    "l_tibia": ((-0.0397, -0.0412, -0.1257), (0.0511, 0.0524, 0.0215)),
    "l_foot": ((-0.0591, -0.0388, -0.0454), (0.1021, 0.0500, 0.0194)),
}


@pytest.fixture(scope="module")
def nao() -> dict[str, trimesh.Trimesh]:
    return {name: build() for name, build in generate.mesh_parts("nao").items()}


def test_every_mesh_is_closed_and_turned_outwards(nao: dict[str, trimesh.Trimesh]) -> None:
    for name, mesh in nao.items():
        assert mesh.is_watertight, name
        assert mesh.is_winding_consistent, name
        assert mesh.volume > 0, name
        assert np.isfinite(mesh.vertices).all(), name


def test_triangles_are_few(nao: dict[str, trimesh.Trimesh]) -> None:
    assert sum(len(mesh.faces) for mesh in nao.values()) < 41_000


@pytest.mark.parametrize("link", SHELLS)
def test_shells_have_the_size_of_the_robot(nao: dict[str, trimesh.Trimesh], link: str) -> None:
    parts = [mesh.bounds for name, mesh in nao.items() if name.startswith(link + "_")]
    low, high = np.min([p[0] for p in parts], axis=0), np.max([p[1] for p in parts], axis=0)
    np.testing.assert_allclose([low, high], SHELLS[link], atol=0.003)


def test_right_side_mirrors_the_left(nao: dict[str, trimesh.Trimesh]) -> None:
    pairs = [(mesh, nao["r_" + name[2:]]) for name, mesh in nao.items() if name.startswith("l_")]
    assert pairs
    for left, right in pairs:
        np.testing.assert_allclose(right.vertices, left.vertices * [1, -1, 1], atol=1e-15)


def test_every_look_of_the_description_has_its_mesh() -> None:
    from andante.description import load_robot
    from andante.description.shapes import Mesh

    robot = load_robot("nao")
    shapes = [visual.geometry for link in robot.links for visual in link.visuals]
    assert len(shapes) > 50
    for shape in shapes:
        assert isinstance(shape, Mesh)
        assert shape.path is not None
        assert shape.path.stat().st_size > 84


# ---- the cache ----------------------------------------------------------------------------------
def test_mesh_is_made_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    first = generate.generated_mesh("nao", "l_sole_hull")
    assert first is not None
    assert tmp_path in first.parents
    stamp = first.stat().st_mtime_ns
    assert generate.generated_mesh("nao", "l_sole_hull") == first
    assert first.stat().st_mtime_ns == stamp
    assert [path.name for path in first.parent.iterdir()] == ["l_sole_hull.stl"]


@pytest.mark.parametrize(
    ("robot", "part"),
    [("nao", "no_such_part"), ("nobody", "part"), ("..", "x"), ("nao", "../../x"), ("_meshing", "loft"), ("", "")],
)
def test_unknown_parts_are_none(robot: str, part: str) -> None:
    assert generate.generated_mesh(robot, part) is None


def test_unwritable_cache_falls_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    monkeypatch.setenv("XDG_CACHE_HOME", str(blocked))
    path = generate.generated_mesh("nao", "neck_dark")
    assert path is not None
    assert path.is_file()
    assert tmp_path not in path.parents


def test_resolver_makes_meshes_of_this_package_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    resolver = Resolver()
    found = resolver.resolve("package://andante/robots/nao/meshes/l_sole_hull.stl")
    assert found is not None
    assert found.is_file()
    for uri in (
        "package://andante/robots/nao/meshes/nothing.stl",
        "package://andante/robots/nao/meshes/l_sole_hull.dae",
        "package://andante/robots/nao/l_sole_hull.stl",
        "package://other/robots/nao/meshes/l_sole_hull.stl",
    ):
        assert resolver.resolve(uri) is None


SIDE_BY_SIDE = """
from andante.description.io.resolver import generated_mesh
import trimesh
print([len(trimesh.load(generated_mesh("nao", part), force="mesh").faces) for part in ("l_sole_hull", "neck_dark")])
"""


def test_processes_side_by_side_see_whole_files(tmp_path: Path) -> None:
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path)}
    workers = [
        subprocess.Popen([sys.executable, "-c", SIDE_BY_SIDE], env=environment, stdout=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    told = {worker.communicate(timeout=60)[0].strip() for worker in workers}
    assert told == {"[40, 240]"}
    assert not list(tmp_path.rglob("*.part"))


# ---- the tools ----------------------------------------------------------------------------------
def test_ellipsoid_and_prism_have_their_volume() -> None:
    ball = make.ellipsoid((1, 2, 3), (0.1, 0.2, 0.3), around=64, along=48)
    assert ball.volume == pytest.approx(4 / 3 * np.pi * 0.1 * 0.2 * 0.3, rel=0.01)
    np.testing.assert_allclose(ball.center_mass, (1, 2, 3), atol=1e-6)
    assert make.prism(sole_outline(), 0.0, 0.1).volume == pytest.approx(0.01165 * 0.1, rel=0.001)


def test_revolve_points_along_its_axis() -> None:
    rod = make.revolve([(0.0, 0.01), (0.5, 0.01)], (0.1, 0.2, 0.3), (0, 1, 0), around=48)
    np.testing.assert_allclose(rod.bounds, [[0.09, 0.2, 0.29], [0.11, 0.7, 0.31]], atol=1e-4)
    assert rod.volume == pytest.approx(np.pi * 0.01**2 * 0.5, rel=0.01)


def test_patch_lies_on_its_surface() -> None:
    ball = make.ellipsoid((0, 0, 0), (0.1, 0.1, 0.1), around=64, along=64)
    plate = make.patch(ball, (0, 0.2, 0), (0, 1, 0), make.circle(0.03, 24), lift=0.001, sink=0.002)
    radius = np.linalg.norm(plate.vertices, axis=1)
    seen = radius > 0.0995  # the rest is its sunken back
    assert plate.is_watertight
    assert seen.sum() == 5 * 24 + 1
    np.testing.assert_allclose(radius[seen], 0.101, atol=2e-4)
    assert plate.vertices[:, 1].min() == pytest.approx(np.sqrt(0.1**2 - 0.03**2) - 0.002, abs=2e-4)
    with pytest.raises(ValueError, match="beyond the surface"):
        make.patch(ball, (0, 0.2, 0), (0, 1, 0), make.circle(0.2))


def test_mirror_and_join_keep_bodies_closed() -> None:
    left = make.rounded_box((0, 0.3, 0), (0.1, 0.2, 0.3), 0.02)
    both = make.join(left, make.mirror(left))
    assert both.is_watertight
    assert both.volume == pytest.approx(2 * left.volume)
    np.testing.assert_allclose(both.bounds, [[-0.05, -0.4, -0.15], [0.05, 0.4, 0.15]], atol=1e-6)


@settings(max_examples=40, deadline=None)
@given(
    widths=st.lists(st.floats(0.01, 0.2), min_size=2, max_size=6),
    power=st.floats(1.2, 8.0),
    ends=st.tuples(st.floats(0.0, 0.02), st.floats(0.0, 0.02)),
    axis=st.sampled_from("xyz"),
)
def test_lofts_are_closed_and_stay_between_their_sections(
    widths: list[float], power: float, ends: tuple[float, float], axis: str
) -> None:
    sections = [make.Section(0.05 * i, (-w, w), (-w / 2, w / 2), power) for i, w in enumerate(widths)]
    body = make.loft(sections, axis, ends[0], ends[1], around=16, along=8, cap=3)
    assert body.is_watertight
    assert body.volume > 0
    assert np.abs(body.vertices).max() <= max(0.05 * (len(widths) - 1), *widths) + 1e-12


@settings(max_examples=30, deadline=None)
@given(
    points=st.lists(st.tuples(st.floats(-0.02, 0.02), st.floats(-0.02, 0.02)), min_size=2, max_size=4),
    radius=st.floats(0.001, 0.01),
)
def test_tubes_are_closed(points: list[tuple[float, float]], radius: float) -> None:
    path = [(0.03 * i, y, z) for i, (y, z) in enumerate(points)]
    bar = make.tube(path, [radius] * len(path))
    assert bar.is_watertight
    assert bar.volume > 0
