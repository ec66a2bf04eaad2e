"""Does MuJoCo itself take an MJCF file: elements and attributes that its schema lacks are errors there, not here."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from andante.description.source import Problem, Severity, Source

LINE = re.compile(r"line (\d+)")
FILES = re.compile(r"opening file|could not open|unknown file|decoder|not found", re.IGNORECASE)


def schema_problems(path: Path) -> Iterator[Problem]:
    """One error with what MuJoCo says where it refuses the text of a file; missing files are told elsewhere."""
    import mujoco

    try:
        mujoco.MjSpec.from_file(str(path))
    except (ValueError, mujoco.FatalError) as error:
        said = " ".join(str(error).split())
        if not FILES.search(said):
            line = LINE.search(said)
            told = f"MuJoCo refuses this file: {said.removeprefix('XML Error: ').removeprefix('Error: ')}"
            yield Problem(Severity.ERROR, told, Source(str(path), int(line[1]) if line else 0))
