"""A bridge to another world in a process of its own, as `andante bridge NAME SESSION` runs it, watched by a session."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from andante.errors import BadInput

from .session import LiveSession

KINDS = ("ros1", "ros2", "foxglove", "rosbridge")
STOP_TIMEOUT = 5.0  # until a bridge that does not end is killed [s]


def bridge_words(options: Mapping[str, Any]) -> list[str]:
    """Options of a launch file as words of the command line: lists are repeated, true and false become flags."""
    out: list[str] = []
    for name, value in options.items():
        flag = f"--{name.replace('_', '-')}"
        if isinstance(value, bool):
            out.append(flag if value else f"--no-{flag[2:]}")
        elif isinstance(value, list):
            out += [word for entry in value for word in (flag, str(entry))]
        else:
            out += [flag, str(value)]
    return out


class BridgeProcess:
    """A running bridge; when it ends by itself that is told once, and the session goes on."""

    def __init__(self, session: LiveSession, name: str, url: str, options: Mapping[str, Any]) -> None:
        if name not in KINDS:
            raise BadInput(f"no bridge {name!r}; choices: {', '.join(KINDS)}")
        self.session, self.name = session, name
        self._said = tempfile.TemporaryFile()  # noqa: SIM115 (closed by stop)
        paths = [str(Path(__file__).parents[3]), *(entry for entry in sys.path if entry)]
        self._process: subprocess.Popen[bytes] | None = subprocess.Popen(
            [sys.executable, "-P", "-m", "andante", "bridge", name, url, *bridge_words(options)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=self._said,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(dict.fromkeys(paths))},
        )
        session.inbound.append(self.poll)

    @property
    def alive(self) -> bool:
        """Whether it runs."""
        return self._process is not None and self._process.poll() is None

    def poll(self) -> None:
        """Tell of its end."""
        if self._process is None or self._process.poll() is None:
            return
        code, self._process = self._process.returncode, None
        self._said.seek(0)
        words = self._said.read()[-2000:].decode(errors="replace").strip().splitlines()
        why = words[-1].removeprefix("andante: ") if words else f"code {code}"
        self.session.log(f"bridge {self.name} exited ({why}); the session continues without it", "error")

    def stop(self) -> None:
        """End it, by force if it does not by itself."""
        if self._process is not None and self._process.poll() is None:
            self._process.terminate()
            try:
                self._process.wait(STOP_TIMEOUT)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        self._process = None
        self._said.close()
