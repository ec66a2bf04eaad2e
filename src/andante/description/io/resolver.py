"""Finds the files that a description names: package://, model://, file://, relative paths. Never fetches.

`package://NAME/rest` and `model://NAME/rest` are looked up below the search folders (given ones, those in
ROS_PACKAGE_PATH, AMENT_PREFIX_PATH, GAZEBO_MODEL_PATH, SDF_PATH and the Ignition/Gazebo resource paths) and upwards
from the asking file: a folder called NAME, also below models/ and share/, or one whose package.xml has that name; then
at any depth below the search folders. Relative folders are relative to where the program was started.
`package://andante/...` is the data of this installation itself.

`package://andante/robots/ROBOT/meshes/PART.stl` is made when first asked for, by the function PART of the table
`meshes` of the robot's package, and kept in a cache of the user. The cache folder carries a hash of the code and tables
beside that table, so a changed design is made anew.
"""

from __future__ import annotations

import atexit
import hashlib
import importlib.util
import os
import re
import shutil
import sys
import tempfile
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from andante.description.load import ROBOTS
from andante.errors import BadInput
from andante.files import write_bytes
from andante.plugins import load_reference

from .fuel import fuel_file

if TYPE_CHECKING:
    import trimesh

    from .xmltree import Node

SOURCES = (".py", ".csv", ".xacro")
OWN = Path(__file__).resolve().parents[2]  # src/andante: holds robots/ and worlds/
VARIABLES = (
    *("ROS_PACKAGE_PATH", "GAZEBO_MODEL_PATH", "SDF_PATH", "IGN_GAZEBO_RESOURCE_PATH", "GZ_SIM_RESOURCE_PATH"),
    *("GAZEBO_RESOURCE_PATH", "AMENT_PREFIX_PATH"),
)
LEVELS_UP = 6
LEVELS_DOWN = 5
LEVELS_BESIDE = 2
MOST_FOLDERS = 5000  # that are looked into for packages
MOST_HEAD = 64 * 1024  # of a package.xml [bytes]
PACKAGE_NAME = re.compile(rb"<name>([^<]*)</name>")


class Resolver:
    """Maps a URI of a description file to an existing path, or None."""

    def __init__(self, folders: Sequence[Path] = ()) -> None:
        from_environment = [
            Path(part).absolute() for name in VARIABLES for part in os.environ.get(name, "").split(os.pathsep) if part
        ]
        self.folders = [*(Path(folder).absolute() for folder in folders), *from_environment]
        self.opened: dict[Path, Node] = {}  # root elements of included files

    def resolve(self, uri: str, asking: Path | None = None) -> Path | None:
        """Existing file for a URI; `asking` is the file that names it."""
        scheme, separator, rest = uri.partition("://")
        if "\\" in rest or (not separator and "\\" in uri):  # written on Windows
            found = None if os.sep == "\\" else self.resolve(uri.replace("\\", "/"), asking)
            if found is not None:
                return found
        if not separator:
            return self._plain(Path(uri), asking)
        if scheme == "file":
            return self._plain(Path(rest), asking)
        if scheme in ("package", "model"):
            name, _, inside = rest.partition("/")
            folder = self.package(name, asking)
            found = _existing(folder / inside) if folder else None
            return _generated(inside) if found is None and name == "andante" else found
        return fuel_file(uri) if scheme in ("http", "https") else None

    def beside(self, uri: str, asking: Path) -> Path | None:
        """A file that lies near the asking one as the end of its name says, where `resolve` finds none.

        Files move without the package that their names begin with. Tried are the last parts of the name, two or more of
        them, in the folder of the asking file and the two above it; the file's name alone in that folder only.
        """
        rest = uri.partition("://")[2] if "://" in uri else uri
        parts = [part for part in rest.replace("\\", "/").split("/") if part not in ("", ".", "..")]
        if not parts or uri.startswith(("http://", "https://")) or "\0" in uri:
            return None
        home = _upwards(asking)[: LEVELS_BESIDE + 1]
        for base in home:
            for first in range(len(parts) - 1):
                if found := _existing(base.joinpath(*parts[first:])):
                    return found
        return _existing(home[0] / parts[-1]) if home else None

    def package(self, name: str, asking: Path | None = None) -> Path | None:
        """Folder of a ROS package or Gazebo model of that name."""
        if name == "andante":
            return OWN
        if not name or name in (".", "..") or "/" in name or "\\" in name:
            return None
        for base in [*self.folders, *_upwards(asking)]:
            for candidate in (base / name, base / "models" / name, base / "share" / name, base):
                if candidate.name == name and _is_folder(candidate):
                    return candidate
            if _package_name(base / "package.xml") == name:
                return base
        return self._packages_below.get(name)

    @cached_property
    def _packages_below(self) -> dict[str, Path]:
        """Packages and models at any depth below the search folders, by name, as rospack crawls them."""
        found: dict[str, Path] = {}
        queue = deque((folder, 0) for folder in self.folders)
        for _ in range(MOST_FOLDERS):
            if not queue:
                break
            folder, depth = queue.popleft()
            try:
                entries = {entry.name: entry.is_dir() for entry in os.scandir(folder)}
            except OSError:
                continue
            name = _package_name(folder / "package.xml") if "package.xml" in entries else ""
            if name or entries.keys() & {"model.config", "manifest.xml"}:
                found.setdefault(name or folder.name, folder)
            elif depth < LEVELS_DOWN:
                below = sorted(entry for entry, is_folder in entries.items() if is_folder and entry[0] != ".")
                queue.extend((folder / entry, depth + 1) for entry in below)
        return found

    def _plain(self, path: Path, asking: Path | None) -> Path | None:
        if path.is_absolute():
            return _existing(path)
        bases = ([asking.parent] if asking else [Path.cwd()]) + self.folders
        return next((found for base in bases if (found := _existing(base / path))), None)


@cache
def _package_name(file: Path) -> str:
    """The name that a package.xml gives; empty where there is none."""
    try:
        found = PACKAGE_NAME.search(file.read_bytes()[:MOST_HEAD]) if file.is_file() else None
    except (OSError, ValueError):
        return ""
    return found[1].decode(errors="replace").strip() if found else ""


def _upwards(asking: Path | None) -> list[Path]:
    if asking is None:
        return []
    try:
        return list(asking.resolve().parents)[:LEVELS_UP]
    except (OSError, ValueError, RuntimeError):
        return []


def _generated(inside: str) -> Path | None:
    """A mesh of a registered robot, made on demand: robots/ROBOT/meshes/PART.stl."""
    parts = inside.split("/")
    if len(parts) != 4 or parts[0] != "robots" or parts[2] != "meshes" or not parts[3].endswith(".stl"):
        return None
    return generated_mesh(parts[1], parts[3].removesuffix(".stl"))


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False


def _existing(path: Path) -> Path | None:
    try:
        return path if path.is_file() else None
    except (OSError, ValueError):
        return None


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


def cache_folder(name: str = "meshes") -> Path:
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
    return base / "andante" / name


@cache
def _fingerprint(table: str) -> str:
    """Hash of the sources beside the module of a mesh table and of the tools that meshes are made with."""
    spec = importlib.util.find_spec(table.partition(":")[0])
    folder = Path(spec.origin).parent if spec and spec.origin else None
    digest = hashlib.sha256()
    for path in (OWN / "description" / "mesh" / "modeling.py", *(sorted(folder.iterdir()) if folder else ())):
        if path.suffix in SOURCES:
            digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


@cache
def _scratch() -> Path:
    """A folder of this process alone, for when the cache cannot be written; removed at exit."""
    folder = Path(tempfile.mkdtemp(prefix="andante-meshes-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder
