"""A command in a process of its own with a terminal on stderr: what it has announced can be read until it is killed."""

from __future__ import annotations

import os
import pty
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

COUNT = re.compile(rb"(\d+)/(\d+)")
ANSI = re.compile(rb"\x1b\[[0-9;?]*[A-Za-z]")


class Victim:
    """Runs `andante WORDS` with a pseudo terminal, so that the progress line is written."""

    def __init__(self, words: Sequence[str | Path], folder: Path) -> None:
        ours, theirs = pty.openpty()
        os.set_blocking(ours, False)
        self._terminal, self._heard = ours, b""
        environment = {**os.environ, "TERM": "xterm", "COLUMNS": "160", "HOME": str(folder)}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "andante", *map(str, words)], stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs,
            cwd=folder, env=environment,
        )  # fmt: skip
        os.close(theirs)

    def heard(self) -> str:
        """Everything on the terminal so far, without its control sequences."""
        while True:
            try:
                data = os.read(self._terminal, 65536)
            except OSError:  # nothing new, or the far end is closed
                break
            if not data:
                break
            self._heard += data
        return ANSI.sub(b"", self._heard).decode(errors="replace")

    @property
    def announced(self) -> int:
        """The largest count `n/N` of the progress line."""
        return max((int(a) for a, _ in COUNT.findall(self.heard().encode())), default=0)

    @property
    def running(self) -> bool:
        """Whether it has not ended."""
        return self.process.poll() is None

    def wait_until(self, ready: Callable[[], bool], patience: float) -> bool:
        """Whether `ready` came true before the end of the process and of patience [s]."""
        end = time.monotonic() + patience
        while time.monotonic() < end and self.running:
            self.heard()
            if ready():
                return True
            time.sleep(0.01)
        return ready()

    def kill(self) -> None:
        """kill -9."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(60)

    def finish(self, patience: float) -> int:
        """Its exit code."""
        self.wait_until(lambda: not self.running, patience)
        if self.running:
            self.kill()
            raise TimeoutError(f"not at its end after {patience:g} s")
        return self.process.returncode

    def close(self) -> None:
        """Let go of the terminal, and of the process if it still runs."""
        if self.running:
            self.kill()
        os.close(self._terminal)


def children(pid: int) -> list[int]:
    """Processes that a process has started."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == pid:
            found.append(int(path.parent.name))
    return found


def gone(pids: list[int], patience: float) -> bool:
    """Whether processes end by themselves within some time [s]."""
    end = time.monotonic() + patience
    while time.monotonic() < end:
        if not any(Path(f"/proc/{pid}").exists() for pid in pids):
            return True
        time.sleep(0.1)
    return False
