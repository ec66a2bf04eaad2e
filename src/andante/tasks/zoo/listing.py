"""The list of a zoo: files of other makers, one per line, with what they need and what a reference tool says of them.

Columns between tabs: file, kind (urdf, xacro, sdf, mjcf, world), source, xacro arguments, package roots (`:` between
them), what it is (biped, quadruped, hexapod, wheeled, arm, ...), what happened before, what a reference tool says. Only
the first is needed. Files and roots are relative to the folder of the list; lines that begin with `#` are comments.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from andante.errors import BadInput
from andante.files import read_text

COLUMNS = 8
LEGGED = ("biped", "quadruped", "hexapod")
WHEELED = ("wheeled",)
WORLD = "world"
SUFFIXES = {".urdf": "urdf", ".xacro": "xacro", ".sdf": "sdf", ".world": WORLD, ".xml": "mjcf", ".mjcf": "mjcf"}
ROOT_VARIABLES = ("ROS_PACKAGE_PATH", "GAZEBO_MODEL_PATH", "SDF_PATH", "GZ_SIM_RESOURCE_PATH")


@dataclass(frozen=True)
class Animal:
    """One file of the list."""

    file: str  # as the list names it
    kind: str
    arguments: tuple[str, ...]  # name:=value
    roots: tuple[Path, ...]
    what: str
    before: str = ""
    said: str = ""  # of a reference tool by the list
    folder: Path = Path()  # of the list

    @property
    def path(self) -> Path:
        """The file itself."""
        return self.folder / self.file

    @property
    def is_world(self) -> bool:
        """Whether robots are put into it."""
        return self.kind == WORLD

    @property
    def key(self) -> str:
        """What tells it from the others in a folder of results."""
        return " ".join((self.file, *self.arguments))

    @property
    def environment(self) -> dict[str, str]:
        """The variables by which its packages and models are found."""
        roots = os.pathsep.join(map(str, self.roots))
        return dict.fromkeys(ROOT_VARIABLES, roots) if roots else {}

    @property
    def accepted_by_list(self) -> bool | None:
        """What the list says of the reference tool's verdict; None where it says nothing."""
        if not self.said:
            return None
        return "refused" not in self.said


def read_list(path: Path) -> list[Animal]:
    """The files of a list; BadInput where a line cannot be used."""
    folder, animals = path.absolute().parent, list[Animal]()
    for number, line in enumerate(read_text(path).splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        cells = [cell.strip() for cell in line.split("\t")]
        file, kind, _source, arguments, roots, what, before, said = (cells + [""] * COLUMNS)[:COLUMNS]
        kind = kind or SUFFIXES.get(Path(file).suffix.lower(), "")
        if not kind:
            raise BadInput(
                f"{path}:{number}: {file!r} names no kind in its second column (urdf, xacro, sdf, mjcf, world)"
            )
        places = tuple(folder / part for part in roots.split(":") if part)
        animals.append(Animal(file, kind, tuple(arguments.split()), places, what, before, said, folder))
    if not animals:
        raise BadInput(f"{path} lists no file; one line per file, columns between tabs")
    return animals
