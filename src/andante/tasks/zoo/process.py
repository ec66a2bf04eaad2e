"""A command in a process of its own with a limit of time: a crash or a hang costs that command and nothing else."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

MOST_OUTPUT = 4 * 1024 * 1024  # that is kept of a process [bytes]
POLL = 0.01  # [s]


@dataclass(frozen=True)
class Ran:
    """How a process ended."""

    code: int  # negative: by that signal
    stdout: str
    stderr: str
    seconds: float  # processor time where the system tells it, else wall time [s]
    timed_out: bool = False

    @cached_property
    def answer(self) -> dict[str, Any] | None:
        """The JSON object that it printed, None where it printed none."""
        try:
            found = json.loads(self.stdout)
        except ValueError:
            return None
        return found if isinstance(found, dict) else None

    @property
    def last_line(self) -> str:
        """The last line on standard error, else on standard output."""
        lines = [line.strip() for line in f"{self.stdout}\n{self.stderr}".splitlines() if line.strip()]
        return lines[-1] if lines else f"exit {self.code}"


def run(words: Sequence[str], folder: Path, environment: Mapping[str, str], limit: float) -> Ran:
    """Run a command in a folder, with variables beside those of this process, for at most `limit` [s]."""
    paths = [str(Path(__file__).parents[3]), *filter(None, [os.environ.get("PYTHONPATH")])]
    given = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), **environment}
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as errors:
        began = time.monotonic()
        try:
            process = subprocess.Popen(
                list(words), cwd=folder, env=given, stdin=subprocess.DEVNULL, stdout=out, stderr=errors,
                start_new_session=True,
            )  # fmt: skip
        except OSError as error:
            return Ran(127, "", str(error), 0.0)
        try:
            code, seconds = _wait(process, began + limit)
        except BaseException:
            _end(process)
            raise
        timed_out = code is None
        if code is None:
            _end(process)
            code = process.wait()
        return Ran(code, _read(out), _read(errors), seconds or time.monotonic() - began, timed_out)


def _wait(process: subprocess.Popen[bytes], deadline: float) -> tuple[int | None, float]:
    """Exit code (None: the deadline came first) and processor time [s], 0 where the system does not tell it."""
    while time.monotonic() < deadline:
        if hasattr(os, "wait4"):
            number, status, usage = os.wait4(process.pid, os.WNOHANG)
            if number:
                process.returncode = os.waitstatus_to_exitcode(status)
                return process.returncode, usage.ru_utime + usage.ru_stime
        elif process.poll() is not None:
            return process.returncode, 0.0
        time.sleep(POLL)
    return None, 0.0


def _end(process: subprocess.Popen[bytes]) -> None:
    """End it and what it started."""
    try:
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    except OSError:
        return


def _read(file: Any) -> str:
    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - MOST_OUTPUT))
    text: bytes = file.read()
    return text.decode(errors="replace")
