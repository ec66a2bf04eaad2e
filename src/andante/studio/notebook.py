"""`show`: the studio inside a notebook, as a frame; the session runs in a process of its own.

shown = an.show("nao", world="lab")     # the last value of a cell is displayed
shown.close()
"""

from __future__ import annotations

import contextlib
import html
import json
import queue
import subprocess
import sys
import threading
import time
import weakref
from pathlib import Path
from typing import IO, Any

from andante.description import Robot, World
from andante.errors import AndanteError, BadInput, TimedOut
from andante.tasks.inputs import file_of

PATIENCE = 60.0  # for the session to start; a first start compiles kernels [s]


class Shown:
    """A running studio that a notebook displays as a frame."""

    def __init__(self, process: subprocess.Popen[str], url: str, height: int) -> None:
        self.url, self.height = url, height
        self._process = process
        self._end = weakref.finalize(self, _stop, process)  # with the notebook's kernel at the latest

    @property
    def alive(self) -> bool:
        """Whether the session runs."""
        return self._process.poll() is None

    def close(self) -> None:
        """End the session."""
        self._end()

    def _repr_html_(self) -> str:
        address = html.escape(self.url, quote=True)
        style = f"width:100%;height:{self.height}px;border:1px solid #8884;border-radius:8px"
        return f'<iframe src="{address}" style="{style}" title="Andante Studio" allow="gamepad; fullscreen"></iframe>'

    def __repr__(self) -> str:
        return f"Shown({self.url!r}{'' if self.alive else ', ended'})"


def show(
    robot: Robot | str | Path = "nao",
    world: World | str | Path = "lab",
    engine: str = "mujoco",
    *,
    height: int = 640,
    port: int = 0,
) -> Shown:
    """Start a studio and return what a notebook shows as a frame of that height [px]; `close` ends it."""
    if not 100 <= height <= 5000:
        raise BadInput(f"the height of the frame is 100 to 5000 pixels, got {height}")
    command = [sys.executable, "-m", "andante", "studio", file_of(robot), "--world", file_of(world), "--engine", engine]
    command += ["--port", str(port), "--no-browser", "--json"]
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        return Shown(process, _address(process), height)
    except BaseException:
        _stop(process)
        raise


def _address(process: subprocess.Popen[str]) -> str:
    """The address that the studio tells on its first line of output."""
    assert process.stdout is not None
    assert process.stderr is not None
    lines: queue.Queue[str] = queue.Queue()
    threading.Thread(target=_pump, args=(process.stdout, lines), daemon=True).start()
    words: queue.Queue[str] = queue.Queue()
    threading.Thread(target=_pump, args=(process.stderr, words), daemon=True).start()
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        with contextlib.suppress(queue.Empty):
            told: Any = json.loads(lines.get(timeout=0.1) or "{}")
            if "url" in told:
                return str(told["url"])
        if process.poll() is not None and lines.empty():
            time.sleep(0.1)
            last = ""
            while not words.empty():
                last = words.get_nowait().strip() or last
            raise AndanteError(f"the studio did not start: {last.removeprefix('andante: ') or 'it ended at once'}")
    raise TimedOut(f"the studio did not start within {PATIENCE:g} s")


def _pump(stream: IO[str], lines: queue.Queue[str]) -> None:
    with contextlib.suppress(ValueError):
        for line in stream:
            lines.put(line)


def _stop(process: subprocess.Popen[str]) -> None:
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(6.0)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    for stream in (process.stdin, process.stdout, process.stderr):
        if stream is not None:
            with contextlib.suppress(OSError):
                stream.close()
