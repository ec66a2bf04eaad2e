"""Meshes of the built-in robots, made by code when first asked for and kept in a cache of the user.

`package://andante/robots/ROBOT/meshes/PART.stl` is made by the function PART of the table `MESHES` in ROBOT/meshes.py.
The cache folder carries a hash of the code and tables that the mesh comes from, so a changed design is made anew.
"""

from __future__ import annotations

import atexit
import hashlib
import importlib
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import trimesh


HERE = Path(__file__).resolve().parent
SOURCES = (".py", ".csv", ".xacro")


def mesh_parts(robot: str) -> Mapping[str, Callable[[], trimesh.Trimesh]]:
    """The generated meshes of a built-in robot by part name; empty when it has none."""
    if not robot.isidentifier() or not (HERE / robot / "meshes.py").is_file():
        return {}
    return importlib.import_module(f"{__package__}.{robot}.meshes").MESHES


def generated_mesh(robot: str, part: str) -> Path | None:
    """Binary STL file of a part of a built-in robot, made if need be; None when there is no such part."""
    if not part.isidentifier() or not robot.isidentifier():
        return None
    for place in (cache_folder, _scratch):
        try:
            target = place() / f"{robot}-{_fingerprint(robot)}" / f"{part}.stl"
            if target.is_file():
                return target
            make = mesh_parts(robot).get(part)
            if make is None:
                return None
            _write(target, make())
        except (OSError, RuntimeError):  # not writable, or no home folder
            continue
        return target
    return None


def cache_folder() -> Path:
    """Where generated meshes are kept: below XDG_CACHE_HOME or the platform's own cache folder."""
    asked = os.environ.get("XDG_CACHE_HOME")
    if asked:
        base = Path(asked)
    elif sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = Path.home() / ".cache"
    return base / "andante" / "meshes"


def _write(target: Path, mesh: trimesh.Trimesh) -> None:
    """Write whole or not at all, so that processes working side by side never see half a file."""
    data = mesh.export(file_type="stl")
    assert isinstance(data, bytes)
    target.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=target.parent, suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.replace(name, target)
    except OSError:
        Path(name).unlink(missing_ok=True)
        raise


@cache
def _fingerprint(robot: str) -> str:
    digest = hashlib.sha256()
    for folder in (HERE / "_meshing", HERE / robot):
        for path in sorted(folder.iterdir()):
            if path.suffix in SOURCES:
                digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


@cache
def _scratch() -> Path:
    """A folder of this process alone, for when the cache cannot be written; removed at exit."""
    folder = Path(tempfile.mkdtemp(prefix="andante-meshes-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder
