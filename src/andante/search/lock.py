"""One writer per folder: a lock that the operating system takes back when its process dies, however it dies."""

from __future__ import annotations

import json
import os
import socket
import sys
import time
from pathlib import Path
from types import TracebackType

from andante.errors import AndanteError


class FolderInUse(AndanteError):
    """Another process writes to the folder; the message names it."""


class FolderLock:
    """Holds the file `lock` of a folder; FolderInUse when another process does."""

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

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()


def holder_of(folder: Path) -> str | None:
    """Who writes to a folder now, in words; None: nobody."""
    if not (folder / "lock").exists():
        return None
    file = os.open(folder / "lock", os.O_RDWR)
    try:
        _lock(file)
    except OSError:
        return _holder(file)
    finally:
        os.close(file)
    return None


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
        os.lseek(file, 1 << 20, os.SEEK_SET)  # away from the text, which others shall read
        msvcrt.locking(file, msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _lock(file: int) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
