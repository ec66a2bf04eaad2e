"""Files that a run shall write: checked before it starts, as an hour must not end on a misspelt name; and kept."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from andante.errors import BadInput, MissingFile

if TYPE_CHECKING:
    from .simulation import Simulation

RECORDINGS = (".csv", ".mcap")
VIDEOS = (".mp4", ".gif", ".webp")
PICTURES = (".png", ".jpg", ".jpeg", ".webp")


def check_outputs(wanted: Mapping[str, tuple[Path | None, Sequence[str]]]) -> None:
    """Raise BadInput when a file cannot be written: wrong suffix, no folder, a folder itself, or asked for twice.

    wanted: what it is ("recordings") to the path, None where it is not asked for, and the suffixes that it may have.
    """
    taken: set[Path] = set()
    for what, (path, suffixes) in wanted.items():
        if path is None:
            continue
        if path.suffix.lower() not in suffixes:
            raise BadInput(f"{path}: {what} are written as {', '.join(suffixes[:-1])} or {suffixes[-1]}")
        try:
            if not path.absolute().parent.is_dir():
                raise MissingFile(f"{path}: the folder does not exist; make it first")
            if path.is_dir():
                raise BadInput(f"{path} is a folder; give a file name")
            if path.exists() and not path.is_file():
                raise BadInput(f"{path} is not a regular file; give another name")
        except BadInput:
            raise
        except OSError as error:
            raise BadInput(f"{path} cannot be written: {error.strerror or error}") from None
        if path.absolute() in taken:
            raise BadInput(f"{path} is asked for twice; give two names")
        taken.add(path.absolute())


@contextmanager
def kept(sim: Simulation, record: Path | None, video: Path | None) -> Iterator[None]:
    """Record and film a simulation while the block runs, where that is asked for; the files are whole or absent."""
    with ExitStack() as stack:
        if record is not None:
            from .recorder import open_recorder

            sim.observers.append(stack.enter_context(open_recorder(record, sim)))
        if video is not None:
            from .film import Film

            sim.observers.append(stack.enter_context(Film(sim, video)))
        yield
