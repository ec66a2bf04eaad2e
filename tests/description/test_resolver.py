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
