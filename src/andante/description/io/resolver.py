"""Finds the files that a description names: package://, model://, file://, relative paths. Never fetches.

`package://NAME/rest` and `model://NAME/rest` are looked up below the search folders (given ones, those in
ROS_PACKAGE_PATH, GAZEBO_MODEL_PATH, SDF_PATH and the Ignition/Gazebo resource paths) and upwards from the asking file:
a folder called NAME, also below models/. `package://andante/...` is the data of this installation itself; meshes that
a robot's package makes (`package://andante/robots/ROBOT/meshes/PART.stl`) are made when first asked for.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from andante.description.mesh.generated import generated_mesh

OWN = Path(__file__).resolve().parents[2]  # src/andante: holds robots/ and worlds/
VARIABLES = (
    "ROS_PACKAGE_PATH",
    "GAZEBO_MODEL_PATH",
    "SDF_PATH",
    "IGN_GAZEBO_RESOURCE_PATH",
    "GZ_SIM_RESOURCE_PATH",
)
LEVELS_UP = 6


class Resolver:
    """Maps a URI of a description file to an existing path, or None."""

    def __init__(self, folders: Sequence[Path] = ()) -> None:
        from_environment = [
            Path(part) for name in VARIABLES for part in os.environ.get(name, "").split(os.pathsep) if part
        ]
        self.folders = [*folders, *from_environment]

    def resolve(self, uri: str, asking: Path | None = None) -> Path | None:
        """Existing file for a URI; `asking` is the file that names it."""
        scheme, separator, rest = uri.partition("://")
        if not separator:
            return self._plain(Path(uri), asking)
        if scheme == "file":
            return self._plain(Path(rest), asking)
        if scheme in ("package", "model"):
            name, _, inside = rest.partition("/")
            folder = self.package(name, asking)
            found = _existing(folder / inside) if folder else None
            return _generated(inside) if found is None and name == "andante" else found
        return None

    def package(self, name: str, asking: Path | None = None) -> Path | None:
        """Folder of a ROS package or Gazebo model of that name."""
        if name == "andante":
            return OWN
        if not name or name in (".", "..") or "/" in name or "\\" in name:
            return None
        for base in [*self.folders, *_upwards(asking)]:
            for candidate in (base / name, base / "models" / name, base):
                if candidate.name == name and _is_folder(candidate):
                    return candidate
        return None

    def _plain(self, path: Path, asking: Path | None) -> Path | None:
        if path.is_absolute():
            return _existing(path)
        bases = ([asking.parent] if asking else [Path.cwd()]) + self.folders
        return next((found for base in bases if (found := _existing(base / path))), None)


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
