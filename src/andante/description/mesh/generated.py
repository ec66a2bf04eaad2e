"""Meshes of robots that are made by code when first asked for and kept in a cache of the user.

`package://andante/robots/ROBOT/meshes/PART.stl` is made by the function PART of the table `meshes` of the robot's
package. The cache folder carries a hash of the code and tables beside that table, so a changed design is made anew.
"""

from __future__ import annotations

import atexit
import hashlib
import importlib.util
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from andante.description.load import ROBOTS
from andante.errors import BadInput
from andante.files import write_bytes
from andante.plugins import load_reference

if TYPE_CHECKING:
    import trimesh

SOURCES = (".py", ".csv", ".xacro")


def mesh_parts(robot: str) -> Mapping[str, Callable[[], trimesh.Trimesh]]:
    """The generated meshes of a registered robot by part name; empty when it has none."""
    table = ROBOTS[robot].meshes if robot in ROBOTS else ""
    return load_reference(table) if table else {}


def generated_mesh(robot: str, part: str) -> Path | None:
    """Binary STL file of a part of a registered robot, made if need be; None when there is no such part."""
    if not part.isidentifier() or robot not in ROBOTS or not ROBOTS[robot].meshes:
        return None
    for place in (cache_folder, _scratch):
        try:
            target = place() / f"{robot}-{_fingerprint(ROBOTS[robot].meshes)}" / f"{part}.stl"
            if target.is_file():
                return target
            make = mesh_parts(robot).get(part)
            if make is None:
                return None
            data = make().export(file_type="stl")
            assert isinstance(data, bytes)
            target.parent.mkdir(parents=True, exist_ok=True)
            write_bytes(data, target)
        except (OSError, RuntimeError, BadInput):  # not writable, or no home folder
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


@cache
def _fingerprint(table: str) -> str:
    """Hash of the sources beside the module of a mesh table and of the tools that meshes are made with."""
    spec = importlib.util.find_spec(table.partition(":")[0])
    folder = Path(spec.origin).parent if spec and spec.origin else None
    digest = hashlib.sha256()
    for path in (Path(__file__).with_name("modeling.py"), *(sorted(folder.iterdir()) if folder else ())):
        if path.suffix in SOURCES:
            digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


@cache
def _scratch() -> Path:
    """A folder of this process alone, for when the cache cannot be written; removed at exit."""
    folder = Path(tempfile.mkdtemp(prefix="andante-meshes-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder
