"""`Child`: a module of Andante in a process of its own, with the import path of this one.

A child must not outlive whoever started it, even where that was killed. Who is told something reads its input, which
ends then; any other one is started as `python -m andante.child MODULE WORDS`, which watches the input for it.
"""

from __future__ import annotations

import contextlib
import os
import queue
import runpy
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

LAST = 4000  # bytes of its errors that are kept
FAREWELL = 10.0  # that a child has to end tidily when its parent has gone [s]


class Child:
    """A running process; what it writes to standard error is kept for `last_words`.

    Args:
        words: module and arguments, as after `python -m`.
        told: whether `tell` writes to its input; it then has to end by itself when that does.
        heard: whether the lines of its output come into the queue `said`, and an empty one when it ends.
        environment: variables that it gets unless they are set already.
    """

    def __init__(
        self, *words: str, told: bool = False, heard: bool = False, environment: Mapping[str, str] | None = None
    ) -> None:
        self._errors = b""  # the end of what it writes there
        paths = [str(Path(__file__).parents[1]), *(entry for entry in sys.path if entry)]
        path = os.pathsep.join(dict.fromkeys(paths))
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-m", *(() if told else ("andante.child",)), *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE if heard else subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env={**(environment or {}), **os.environ, "PYTHONPATH": path},
        )
        self.said: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._readers = [threading.Thread(target=read, daemon=True) for read in (self._read, self._read_errors)]
        for reader in self._readers:
            reader.start()

    def _read(self) -> None:
        for line in self.process.stdout or ():
            self.said.put(line)
        self.said.put(b"")

    def _read_errors(self) -> None:
        assert self.process.stderr is not None
        with contextlib.suppress(OSError, ValueError):
            while data := os.read(self.process.stderr.fileno(), 1 << 16):
                self._errors = (self._errors + data)[-LAST:]

    @property
    def alive(self) -> bool:
        """Whether it runs."""
        return self.process.poll() is None

    def tell(self, text: str) -> None:
        """Write to its input, and close that; nothing happens where it is closed already."""
        assert self.process.stdin is not None
        with contextlib.suppress(OSError, ValueError):
            self.process.stdin.write(text.encode())
            self.process.stdin.close()

    def last_words(self) -> str:
        """The last line that it wrote to standard error, empty where there is none."""
        if not self.alive:
            self._readers[1].join(1.0)  # reads to the end
        lines = self._errors.decode(errors="replace").split("\n")
        return next((line.strip() for line in reversed(lines) if line.strip()), "")

    def end(self, patience: float = 5.0, ask: bool = True) -> int:
        """End it, by force after `patience` [s]; its exit code. ask: it is asked to by a signal first."""
        if ask and self.alive:
            self.process.terminate()
        try:
            code = self.process.wait(patience)
        except subprocess.TimeoutExpired:
            self.process.kill()
            code = self.process.wait()
        for reader in self._readers:
            reader.join(1.0)
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()
        return code


def main(words: Sequence[str]) -> None:
    """Run a module as `python -m` does, until the input ends: then by SIGTERM, and by force after `FAREWELL`."""
    threading.Thread(target=_end_with_input, args=(sys.stdin.fileno(),), daemon=True).start()
    sys.argv = list(words)
    runpy.run_module(words[0], run_name="__main__", alter_sys=True)


def _end_with_input(source: int) -> None:
    with contextlib.suppress(OSError):
        while os.read(source, 1 << 10):
            pass
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(FAREWELL)
    os._exit(1)


if __name__ == "__main__":
    main(sys.argv[1:])
