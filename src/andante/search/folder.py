"""A study as a folder: study.toml (what is searched), results.jsonl (what came out), manifest.json (versions)."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from andante.errors import BadInput, MissingFile
from andante.files import MOST_BYTES, read_text
from andante.parsing import parse_json

from .config import StudyConfig, check_budget, read_config
from .lock import FolderLock
from .record import Record
from .results import Appender, Scan, cut
from .stamps import differences
from .tables import write_whole

CONFIG, RESULTS, MANIFEST, LOCK = "study.toml", "results.jsonl", "manifest.json", "lock"


@dataclass(frozen=True)
class StudyFolder:
    """A study on disk, to read; `writing` opens it for one process that adds to it."""

    path: Path
    config: StudyConfig

    @classmethod
    def open(cls, path: Path | str) -> StudyFolder:
        """The study of a folder."""
        path = Path(path)
        if not (path / CONFIG).is_file():
            raise MissingFile(f"{path}: no study there (no {CONFIG}); `andante gait search` makes one")
        return cls(path, read_config(path / CONFIG))

    @classmethod
    def create(cls, path: Path | str, config: StudyConfig) -> StudyFolder:
        """A new study in a folder that is empty or not there yet; study.toml comes last, so it is whole or absent."""
        path, config = Path(path), config.settled()
        if path.exists() and not path.is_dir():
            raise BadInput(f"{path} is a file; give the name of a folder")
        path.mkdir(parents=True, exist_ok=True)
        with FolderLock(path):
            if (path / CONFIG).exists():
                raise BadInput(f"{path} holds a study already; go on with `andante gait resume {path}`")
            ours = {LOCK, MANIFEST, RESULTS, *(f".{name}.tmp" for name in (CONFIG, MANIFEST))}
            strange = sorted(entry.name for entry in path.iterdir() if entry.name not in ours)
            if strange or ((path / RESULTS).exists() and (path / RESULTS).stat().st_size):
                raise BadInput(f"{path} is not empty (it holds {(strange or [RESULTS])[0]}); give another folder")
            manifest = {"format": 1, "fingerprint": config.fingerprint, "sessions": []}
            write_whole(path / MANIFEST, json.dumps(manifest, indent=1) + "\n")
            (path / RESULTS).touch()
            write_whole(path / CONFIG, config.text())
        return cls(path, config)

    @property
    def results(self) -> Path:
        """The file of results."""
        return self.path / RESULTS

    def records(self) -> Scan:
        """All results, one at a time; a line that is just being written is left out."""
        return Scan(self.results)

    def manifest(self) -> dict[str, Any]:
        """Fingerprint and sessions: when, how many candidates, which versions."""
        try:
            table = parse_json(read_text(self.path / MANIFEST, MOST_BYTES))
            if isinstance(table["fingerprint"], str) and all(map(_is_session, table["sessions"])):
                return table
        except (BadInput, ValueError, KeyError, TypeError):
            pass
        raise BadInput(f"{self.path / MANIFEST} is missing or damaged; take it from a backup")

    def with_budget(self, budget: int) -> StudyFolder:
        """The same study with another budget, written down."""
        check_budget(budget)
        changed = replace(self, config=replace(self.config, budget=budget))
        write_whole(self.path / CONFIG, changed.config.text())
        return changed

    @contextmanager
    def writing(self, budget: int | None = None) -> Iterator[StudyWriter]:
        """The study held by this process alone; FolderInUse names the process that holds it else."""
        with FolderLock(self.path):
            fresh = StudyFolder.open(self.path)
            if fresh.config.islands > 1:
                raise BadInput(
                    f"{self.path} was merged of {fresh.config.islands} islands; resume those, and merge again"
                )
            if fresh.config.fingerprint != fresh.manifest()["fingerprint"]:
                raise BadInput(
                    f"{self.path / CONFIG} was changed after the study began; undo that, or start a new study"
                )
            if budget is not None and budget != fresh.config.budget:
                fresh = fresh.with_budget(budget)
            writer = StudyWriter(fresh)
            try:
                yield writer
            finally:
                writer.close()


def _is_session(entry: Any) -> bool:
    """Whether an entry of the manifest tells start, end, first candidate and number of candidates."""
    return (
        isinstance(entry, dict)
        and isinstance(entry.get("stamp", {}), dict)
        and isinstance(entry["started"], int | float)
        and isinstance(entry["first"], int)
        and (entry["ended"] is None or (isinstance(entry["ended"], int | float) and isinstance(entry["count"], int)))
    )


class StudyWriter:
    """Adds results and sessions to a study; made by `StudyFolder.writing`."""

    def __init__(self, folder: StudyFolder) -> None:
        self.folder = folder
        self._appender: Appender | None = None
        self._started = time.time()
        self.count = 0  # candidates in the file

    def known(self) -> Iterator[Record]:
        """The results so far. Afterwards a torn last line is cut off; it is told in `torn`."""
        scan = self.folder.records()
        yield from scan
        self.torn = scan.torn
        self.count = scan.count
        if scan.torn:
            cut(self.folder.results, scan.end)
        self._appender = Appender(self.folder.results)

    torn: str = ""

    def begin(self, stamp: Mapping[str, Any], executor: str, workers: int) -> list[str]:
        """Note a session in the manifest; where versions or settings differ from the session before."""
        manifest = self.folder.manifest()
        sessions = manifest["sessions"]
        changed = differences(sessions[-1].get("stamp", {}), stamp) if sessions and self.count else []
        self._started = time.time()
        sessions.append(
            {
                "started": round(self._started, 3),
                "ended": None,
                "first": self.count,
                "count": None,
                "executor": executor,
                "workers": workers,
                "stamp": dict(stamp),
            }
        )
        self._write(manifest)
        return changed

    def append(self, record: Record) -> None:
        """Add one result; it is in the file when this returns."""
        if self._appender is None:
            raise BadInput("read the known results of a study before adding to it")
        self._appender.append(record)
        self.count += 1

    def close(self) -> None:
        """Bring everything to the disk and note the end of the session."""
        if self._appender is None:
            return
        self._appender.close()
        self._appender = None
        manifest = self.folder.manifest()
        if manifest["sessions"] and manifest["sessions"][-1]["ended"] is None:
            last = manifest["sessions"][-1]
            last["ended"], last["count"] = round(time.time(), 3), self.count - last["first"]
            self._write(manifest)

    def _write(self, manifest: Mapping[str, Any]) -> None:
        write_whole(self.folder.path / MANIFEST, json.dumps(manifest, indent=1) + "\n")
