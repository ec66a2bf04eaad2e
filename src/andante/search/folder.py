"""A study as a folder: study.toml (what is searched), results.jsonl (what came out), manifest.json (versions)."""

from __future__ import annotations

import json
import os
import platform
import socket
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from andante._version import __version__
from andante.errors import AndanteError, BadInput, MissingFile
from andante.files import MOST_BYTES, read_text, write_whole
from andante.parsing import parse_json
from andante.userfile import user_file_stamp

from .config import StudyConfig, check_budget, read_config
from .objective import Objective
from .record import Appender, Record, Scan, cut, plain

CONFIG, RESULTS, MANIFEST, LOCK = "study.toml", "results.jsonl", "manifest.json", "lock"
PACKAGES = ("numpy", "scipy", "numba")
OF_SAMPLERS = {"cmaes": ("cmaes",), "tpe": ("optuna",), "nsga2": ("optuna",)}


class FolderInUse(AndanteError):
    """Another process writes to the folder; the message names it."""


class FolderLock:
    """One writer per folder: holds its file `lock`; FolderInUse when another process does.

    The operating system releases the lock when its process dies, however it dies.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / "lock"
        self._file = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            _lock(self._file)
        except OSError:
            holder = _holder(self._file)
            os.close(self._file)
            self._file = -1
            raise FolderInUse(f"{folder} is in use by {holder}; wait until it ends, or stop it") from None
        told = {"process": os.getpid(), "host": socket.gethostname(), "since": time.strftime("%Y-%m-%d %H:%M:%S")}
        os.ftruncate(self._file, 0)
        os.lseek(self._file, 0, os.SEEK_SET)
        os.write(self._file, json.dumps(told).encode() + b"\n")

    def release(self) -> None:
        """Let others in."""
        if self._file >= 0:
            os.ftruncate(self._file, 0)
            os.close(self._file)
            self._file = -1

    def __enter__(self) -> FolderLock:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()


def _holder(file: int) -> str:
    os.lseek(file, 0, os.SEEK_SET)
    try:
        told = json.loads(os.read(file, 4096))
        return f"process {told['process']} on {told['host']} since {told['since']}"
    except (ValueError, KeyError, TypeError, OSError):
        return "another process"


if sys.platform == "win32":
    import msvcrt

    def _lock(file: int) -> None:
        os.lseek(file, 1 << 20, os.SEEK_SET)  # away from the text, which others read
        msvcrt.locking(file, msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _lock(file: int) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


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
            made = cls(path, config)
            made.write_manifest({"format": 1, "fingerprint": config.fingerprint, "sessions": []})
            (path / RESULTS).touch()
            write_whole(path / CONFIG, config.text())
        return made

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
            table: dict[str, Any] = parse_json(read_text(self.path / MANIFEST, MOST_BYTES))
            if isinstance(table["fingerprint"], str) and all(map(_is_session, table["sessions"])):
                return table
        except (BadInput, ValueError, KeyError, TypeError):
            pass
        raise BadInput(f"{self.path / MANIFEST} is missing or damaged; take it from a backup")

    def write_manifest(self, manifest: Mapping[str, Any]) -> None:
        """Write the manifest anew."""
        write_whole(self.path / MANIFEST, json.dumps(manifest, indent=1) + "\n")

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
    """Whether an entry of the manifest has start, end, first candidate and number of candidates."""
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
        """The results so far. Afterwards a torn last line is cut off; it is reported in `torn`."""
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
        session = {"started": round(self._started, 3), "ended": None, "first": self.count, "count": None}
        sessions.append({**session, "executor": executor, "workers": workers, "stamp": dict(stamp)})
        self.folder.write_manifest(manifest)
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
            self.folder.write_manifest(manifest)


def stamp_of(config: StudyConfig, objective: Objective) -> dict[str, Any]:
    """Versions, machine, the objective's own stamp, and the content of users' files as a hash."""
    stamp: dict[str, Any] = {
        "andante": __version__,
        "python": platform.python_version(),
        "machine": f"{platform.system()} {platform.machine()}",
    }
    for name in (*PACKAGES, *OF_SAMPLERS.get(config.sampler, ())):
        try:
            stamp[name] = version(name)
        except PackageNotFoundError:
            continue
    stamp |= user_file_stamp(config.objective.factory) | user_file_stamp(config.sampler)
    return {**stamp, "objective": plain(dict(objective.stamp()))}


def differences(before: Mapping[str, Any], now: Mapping[str, Any], above: str = "") -> list[str]:
    """Where two stamps differ, as "numpy 2.0 -> 2.1"."""
    found: list[str] = []
    for name in dict.fromkeys((*before, *now)):
        old, new = before.get(name), now.get(name)
        path = f"{above}.{name}" if above else name
        if isinstance(old, Mapping) and isinstance(new, Mapping):
            found += differences(old, new, path)
        elif old != new:
            found.append(f"{path} {'none' if old is None else old} -> {'none' if new is None else new}")
    return found
