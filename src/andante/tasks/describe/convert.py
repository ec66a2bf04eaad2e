"""`an.convert`: a robot, world or map in another format."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from andante.description import Problem, Robot, World
from andante.description.io.convert import convert_file
from andante.errors import BadInput
from andante.tasks.result import Result

MAPS = (".yaml", ".yml")


@dataclass(frozen=True)
class ConvertResult(Result):
    """The file that was written, and what there is to say about it."""

    path: Path
    problems: tuple[Problem, ...]

    def __str__(self) -> str:
        return "\n".join([*map(str, self.problems), f"wrote {self.path}"])


def convert(
    source: Robot | World | Path | str,
    out: Path | str,
    arguments: Mapping[str, str] | None = None,
    *,
    meshes: Path | str | None = None,
    height: float | None = None,
    resolution: float = 0.05,
) -> ConvertResult:
    """Convert a robot or world: .xacro .urdf .sdf .world .xml (MJCF); also a map.yaml to a world and back.

    Args:
        source: a `Robot`, a `World`, a name or a path.
        out: file to write, its suffix says the format.
        arguments: `name:=value` arguments of the source.
        meshes: folder to copy the meshes to; the file then refers to the copies.
        height: maps: of the lidar that sees the world (0.2 m), or of the walls to pull up (1 m).
        resolution: of the map of a world [m].

    Returns:
        The file and what could not be kept. All files appear whole or not at all.
    """
    target, folder = Path(out), None if meshes is None else Path(meshes)
    given = source if isinstance(source, Robot | World) else str(source)
    if arguments and not isinstance(given, str):
        raise BadInput(f"{given.name!r} is loaded already; arguments belong to a file: {', '.join(arguments)}")
    if target.suffix.lower() in MAPS or (isinstance(given, str) and Path(given).suffix.lower() in MAPS):
        from .maps import convert_map  # compiled code: only when it is needed

        written = convert_map(given, target, height, resolution, MAPS)
    else:
        written = convert_file(given, target, arguments, folder)
    return ConvertResult(written.path, written.problems)
