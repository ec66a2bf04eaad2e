"""Finding the files that descriptions name."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from andante.description.io.resolver import VARIABLES, Resolver


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    for name in ("src/my_robot/urdf/r.urdf", "src/my_robot/meshes/a.stl", "src/other/b.stl", "models/table/model.sdf"):
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("x")
    return tmp_path


def test_package_upwards_from_the_asking_file(tree: Path) -> None:
    asking = tree / "src/my_robot/urdf/r.urdf"
    assert Resolver().resolve("package://my_robot/meshes/a.stl", asking) == tree / "src/my_robot/meshes/a.stl"
    assert Resolver().resolve("package://other/b.stl", asking) == tree / "src/other/b.stl"
    assert Resolver().resolve("package://none/b.stl", asking) is None
    assert Resolver().resolve("package://my_robot/none.stl", asking) is None


def test_search_folders_and_the_environment(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert Resolver([tree / "src"]).resolve("package://other/b.stl") == tree / "src/other/b.stl"
    assert Resolver([tree / "src/other"]).resolve("package://other/b.stl") == tree / "src/other/b.stl"
    monkeypatch.setenv("ROS_PACKAGE_PATH", os.pathsep.join(["", "/none", str(tree / "src")]))
    assert Resolver().resolve("package://other/b.stl") == tree / "src/other/b.stl"
    monkeypatch.setenv("GAZEBO_MODEL_PATH", str(tree / "models"))
    assert Resolver().resolve("model://table/model.sdf") == tree / "models/table/model.sdf"


def test_plain_paths(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asking, mesh = tree / "src/my_robot/urdf/r.urdf", tree / "src/my_robot/meshes/a.stl"
    assert Resolver().resolve("../meshes/a.stl", asking) == asking.parent / "../meshes/a.stl"
    assert Resolver().resolve(str(mesh), asking) == mesh
    assert Resolver().resolve(f"file://{mesh}", asking) == mesh
    monkeypatch.chdir(mesh.parent)
    assert Resolver().resolve("a.stl") == Path.cwd() / "a.stl"


def test_own_data() -> None:
    folder = Resolver().package("andante")
    assert folder is not None
    assert (folder / "worlds").is_dir()


@pytest.mark.parametrize(
    "uri",
    [
        "",
        "package://",
        "package:///a.stl",
        "package://../x",
        "package://./x",
        "package://..\\x/y",
        "http://example.com/a.stl",
        "ftp://x/y",
        "a\0b",
        "x" * 5000,
        "package://" + "x" * 5000 + "/y",
        "package://a\0b/c",
        "file://",
        ".",
        "..",
    ],
)
def test_nothing_is_found_for_nonsense(tree: Path, uri: str) -> None:
    asking = tree / "src/my_robot/urdf/r.urdf"
    assert Resolver([tree]).resolve(uri, asking) is None


def test_package_names_are_single_folders(tree: Path) -> None:
    for name in ("", ".", "..", "../src", "src/other", "..\\src"):
        assert Resolver([tree]).package(name) is None


@pytest.mark.parametrize(
    "variable",
    ["ROS_PACKAGE_PATH", "GAZEBO_MODEL_PATH", "GAZEBO_RESOURCE_PATH", "GZ_SIM_RESOURCE_PATH", "SDF_PATH"],
)
def test_relative_roots_are_relative_to_where_the_program_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    mesh = tmp_path / "roots" / "pack" / "meshes" / "a.stl"
    mesh.parent.mkdir(parents=True)
    mesh.touch()
    asking = tmp_path / "far" / "away" / "r.urdf"
    asking.parent.mkdir(parents=True)
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(variable, "roots")
    resolver = Resolver()
    monkeypatch.chdir(asking.parent)
    assert resolver.package("pack", asking) == mesh.parents[1]
    assert resolver.resolve("package://pack/meshes/a.stl", asking) == mesh
    assert resolver.resolve("model://pack/meshes/a.stl", asking) == mesh
    assert resolver.resolve("pack/meshes/a.stl", asking) == mesh
    assert resolver.resolve("pack\\meshes\\a.stl", asking) == mesh


def test_packages_are_found_by_the_name_that_they_give_themselves(tmp_path: Path) -> None:
    deep = tmp_path / "stack" / "group" / "folder"
    deep.mkdir(parents=True)
    (deep / "package.xml").write_text("<package><name>crab</name></package>")
    (deep / "urdf").mkdir()
    assert Resolver([tmp_path]).package("crab") == deep  # at any depth below a root
    assert Resolver().package("crab", deep / "urdf" / "crab.urdf") == deep  # upwards from a file in it
    assert Resolver([tmp_path]).package("lobster") is None


def test_ament_prefixes_hold_packages_below_share(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "share" / "crab").mkdir(parents=True)
    monkeypatch.setenv("AMENT_PREFIX_PATH", str(tmp_path))
    assert Resolver().package("crab") == tmp_path / "share" / "crab"


def test_a_mesh_whose_package_is_not_there_is_found_beside_the_file(tmp_path: Path) -> None:
    for name in ("urdf/r.urdf", "meshes/visual/arm.stl", "urdf/hand.stl", "far/away/deep/x/meshes/visual/leg.stl"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    asking, resolver = tmp_path / "urdf" / "r.urdf", Resolver()
    for uri in (
        "package://gone/meshes/visual/arm.stl",
        "/home/me/robot/meshes/visual/arm.stl",
        "visual/../visual/arm.stl",
    ):
        assert resolver.resolve(uri, asking) is None
    arm = tmp_path / "meshes" / "visual" / "arm.stl"
    assert resolver.beside("package://gone/meshes/visual/arm.stl", asking) == arm
    assert resolver.beside("/home/me/robot/meshes/visual/arm.stl", asking) == arm
    assert resolver.beside("package://gone/hand.stl", asking) == tmp_path / "urdf" / "hand.stl"
    assert resolver.beside("package://gone/arm.stl", asking) is None  # a name alone may be another's
    assert resolver.beside("https://host/meshes/visual/arm.stl", asking) is None
    assert resolver.beside("package://gone/../../../etc/passwd", asking) is None
