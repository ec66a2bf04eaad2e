"""`an.zoo`: put every file of a list through `check`, `sim`, `convert`, `walk`, `navigate` and a picture, resumable."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import Any

from andante._version import __version__
from andante.description import robot_names, world_names
from andante.errors import BadInput, UnknownName
from andante.files import Closing, write_whole
from andante.physics.registry import ENGINES, installed
from andante.progress import bar
from andante.tasks.inputs import Pose, pose_of
from andante.tasks.result import HIDDEN, Result

from .figures import Figure, Row, figures_of, median_check, row_of
from .listing import Animal, read_list
from .page import page
from .process import run
from .steps import STEPS, Part, Settings, parts_of

RESULTS, PAGE = "results.jsonl", "index.html"
Key = tuple[str, str, str]  # file, step, case


@dataclass(frozen=True)
class ZooResult(Result):
    """What the files of a list did; `figures` count them, `rows` have one entry per file."""

    figures: tuple[Figure, ...]
    rows: tuple[Row, ...]
    check_median: float | None  # processor time of `check` [s]
    page: Path
    ran: int = field(metadata=HIDDEN)  # processes of this call; the others were done before

    def __str__(self) -> str:
        time = [] if self.check_median is None else [f"check: {self.check_median:.2f} s of processor time (median)"]
        return "\n".join([*map(str, self.figures), *time, f"wrote {self.page}"])


def zoo(
    listing: Path | str,
    *,
    out: Path | str = "zoo-results",
    only: Sequence[str] | None = None,
    steps: Sequence[str] | None = None,
    workers: int = 1,
    limit: float = 600.0,
    again: bool = False,
    world: str = "",
    start: Pose = (0.0, -0.8, 0.0),
    goal: Pose = (2.5, -0.3, 0.0),
    visitor: str = "",
    progress: bool = False,
) -> ZooResult:
    """Put robots and worlds of other makers through every command, each in a process of its own.

    Args:
        listing: a .tsv file with a line per file: file, kind, source, xacro arguments, roots, what it is, ...
        out: folder of the results; what is there already is not run again.
        only: texts of which a file's name must have one; None: all files.
        steps: of check, sim, convert, carry, walk, navigate, picture; None: all.
        workers: processes side by side.
        limit: of one process [s].
        again: run also what was run before.
        world: that wheeled robots drive in; empty: lab.
        start, goal: of their drive, x, y [m] and yaw [rad].
        visitor: robot that is put into worlds; empty: the first that is registered.
        progress: print progress on stderr.

    Returns:
        Figures with the misses named, a row per file, and a page in the folder.
    """
    chosen = STEPS if steps is None else tuple(steps)
    UnknownName.check("step", chosen, STEPS, "zoo")
    animals = [a for a in read_list(Path(listing)) if only is None or any(text in a.key for text in only)]
    if not animals:
        raise BadInput(f"{listing} has no file with {' or '.join(map(repr, only or ()))} in its name")
    if workers < 1:
        raise BadInput(f"workers must be at least 1, got {workers}")
    engines = tuple(name for name in ENGINES if installed(ENGINES[name]))
    place = world or ("lab" if "lab" in world_names() else world_names()[0])
    settings = Settings(
        engines, visitor or robot_names()[0], place, pose_of("start", start), pose_of("goal", goal), limit
    )
    folder = Path(out).absolute()
    folder.mkdir(parents=True, exist_ok=True)
    with Records(folder / RESULTS) as records:
        todo = [*_todo(animals, chosen, settings, folder, {} if again else records.found)]
        _work(todo, settings, records, workers, progress)
    rows = tuple(row_of(animal, records.of(animal)) for animal in animals)
    figures = tuple(figures_of(rows))
    pictures = {a.key: f"{_name(a)}/picture.png" for a in animals if (folder / _name(a) / "picture.png").is_file()}
    write_whole(folder / PAGE, page(f"Zoo: {len(rows)} files, Andante {__version__}", figures, rows, pictures))
    return ZooResult(figures, rows, median_check(rows), folder / PAGE, sum(len(parts) for _, parts in todo))


def _name(animal: Animal) -> str:
    """Folder of what is written of a file."""
    return sha256(animal.key.encode()).hexdigest()[:12]


def _todo(
    animals: Sequence[Animal], steps: Sequence[str], settings: Settings, folder: Path, done: Mapping[Key, object]
) -> Iterator[tuple[Animal, Sequence[Part]]]:
    for animal in animals:
        parts = [*parts_of(animal, steps, settings, folder / _name(animal))]
        missing = [part for part in parts if (animal.key, part.step, part.case) not in done]
        if missing:
            yield animal, missing


def _work(
    todo: Sequence[tuple[Animal, Sequence[Part]]], settings: Settings, records: Records, workers: int, progress: bool
) -> None:
    """Run all parts; those of one file one after another, as some read what others wrote."""
    total, done, lock = sum(len(parts) for _, parts in todo), 0, Lock()
    with bar("zoo", progress) as report, ThreadPoolExecutor(workers) as pool:

        def one(work: tuple[Animal, Sequence[Part]]) -> None:
            nonlocal done
            animal, parts = work
            (records.path.parent / _name(animal)).mkdir(exist_ok=True)
            for part in parts:
                ran = run(part.words, animal.folder, animal.environment, settings.limit)
                with lock:
                    records.add((animal.key, part.step, part.case), {**part.judge(ran), "seconds": ran.seconds})
                    done += 1
                    report(done, total, f"zoo: {part.step} {part.case} of {animal.file}")

        try:
            for _ in pool.map(one, todo):
                pass
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


class Records(Closing):
    """The file of results: a JSON line per process that was run. The last line of a key counts, torn lines do not."""

    def __init__(self, path: Path) -> None:
        self.path, self.found = path, dict[Key, Mapping[str, Any]]()
        torn = False
        if path.exists():
            data = path.read_bytes()
            torn = bool(data) and not data.endswith(b"\n")
            for line in data.splitlines():
                try:
                    table = json.loads(line)
                    self.found[table["file"], table["step"], table["case"]] = table
                except (ValueError, KeyError, TypeError):
                    continue
        self._file = path.open("ab")
        if torn:
            self._file.write(b"\n")

    def add(self, key: Key, values: Mapping[str, Any]) -> None:
        """Write a result; it is on the disk when this returns."""
        table = {"file": key[0], "step": key[1], "case": key[2], **values}
        self.found[key] = table
        self._file.write(json.dumps(table).encode() + b"\n")
        self._file.flush()
        os.fsync(self._file.fileno())

    def of(self, animal: Animal) -> dict[tuple[str, str], Mapping[str, Any]]:
        """The results of one file, by step and case."""
        return {(step, case): table for (file, step, case), table in self.found.items() if file == animal.key}

    def close(self) -> None:
        """Close the file."""
        self._file.close()
