"""What to do about a mesh that was not found: where a file of its name lies, or where it is looked for."""

from __future__ import annotations

import os
from pathlib import Path

from .shapes import Mesh
from .source import Source

USUAL_FOLDERS = ("", "meshes", "mesh", "models", "visual", "collision", "meshes/visual", "meshes/collision")
LEVELS_UP = 2
ELSEWHERE = "put it beside the file or set ROS_PACKAGE_PATH (GAZEBO_MODEL_PATH)"


def mesh_remedy(mesh: Mesh, source: Source) -> str:
    """Advice for a mesh without a file that the description `source` names: the name that would work, if there is one.

    Looked at are the folder of the description and the two above it, there the path that the name ends in and a file
    of the same name in the usual folders; upper and lower case do not matter.
    """
    rest = mesh.uri.partition("://")[2].partition("/")[2] if "://" in mesh.uri else mesh.uri
    parts = [part for part in rest.replace("\\", "/").split("/") if part not in ("", ".", "..")]
    if not parts or not source.file:
        return ELSEWHERE
    home = Path(source.file).resolve().parent
    for base in [home, *home.parents][: LEVELS_UP + 1]:
        for folder in dict.fromkeys(["/".join(parts[:-1]), *USUAL_FOLDERS]):
            if found := _same_name(base / folder, parts[-1]):
                return f'write filename="{Path(os.path.relpath(found, home)).as_posix()}": that file is there'
    return ELSEWHERE


def _same_name(folder: Path, name: str) -> Path | None:
    """A file of that name, also in other letters of case."""
    try:
        exact = folder / name
        if exact.is_file():
            return exact
        return next((each for each in sorted(folder.iterdir()) if each.name.lower() == name.lower()), None)
    except (OSError, ValueError):
        return None
