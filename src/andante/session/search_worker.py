"""The loop's side of a gait search: a process that is started, listened to without waiting, and stopped."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

STOP_TIMEOUT = 10.0  # until a process that does not end is killed [s]


class SearchWorker:
    """One search process. `poll` gives what it has said since; nothing here waits but `close`."""

    def __init__(self, job: dict[str, Any]) -> None:
        paths = [str(Path(__file__).parents[3]), *(entry for entry in sys.path if entry)]
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "andante.session.search_process", json.dumps(job)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(dict.fromkeys(paths))},
        )
        self._said: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            with contextlib.suppress(ValueError):
                self._said.put(json.loads(line))
        code = self._process.wait()
        self._said.put({"op": "gone", "code": code})

    def poll(self) -> list[dict[str, Any]]:
        """What came since the last call, oldest first."""
        out = []
        with contextlib.suppress(queue.Empty):
            while True:
                out.append(self._said.get_nowait())
        return out

    def ask_to_stop(self) -> None:
        """Let it end after the present candidate."""
        with contextlib.suppress(OSError, ValueError):
            assert self._process.stdin is not None
            self._process.stdin.write(b"stop\n")
            self._process.stdin.close()

    def close(self) -> None:
        """End it, by force if it does not by itself."""
        self.ask_to_stop()
        try:
            self._process.wait(STOP_TIMEOUT)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._reader.join(1.0)
        assert self._process.stdout is not None
        self._process.stdout.close()
