"""`Child`: a module of Andante in a process of its own, with the import path of this one."""

from __future__ import annotations

import contextlib
import os
import queue
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping
from pathlib import Path


class Child:
    """A running process; what it writes to standard error is kept for `last_words`.

    Args:
        words: module and arguments, as after `python -m`.
        told: whether `tell` writes to its input.
        heard: whether the lines of its output come into the queue `said`, and an empty one when it ends.
        environment: variables that it gets unless they are set already.
    """

    def __init__(
        self, *words: str, told: bool = False, heard: bool = False, environment: Mapping[str, str] | None = None
    ) -> None:
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 (closed by end)
        paths = [str(Path(__file__).parents[1]), *(entry for entry in sys.path if entry)]
        path = os.pathsep.join(dict.fromkeys(paths))
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-m", *words],
            stdin=subprocess.PIPE if told else subprocess.DEVNULL,
            stdout=subprocess.PIPE if heard else subprocess.DEVNULL,
            stderr=self._errors,
            env={**(environment or {}), **os.environ, "PYTHONPATH": path},
        )
        self.said: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        for line in self.process.stdout or ():
            self.said.put(line)
        self.said.put(b"")

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
        self._errors.seek(0)
        lines = self._errors.read()[-4000:].decode(errors="replace").split("\n")
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
        self._reader.join(1.0)
        for stream in (self.process.stdin, self.process.stdout, self._errors):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()
        return code
