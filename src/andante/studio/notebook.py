"""`show`: the studio inside a notebook, as a frame; the session runs in a process of its own.

shown = an.show("nao", world="lab")     # the last value of a cell is displayed
shown.close()
"""

from __future__ import annotations

import contextlib
import html
import json
import queue
import time
import weakref
from pathlib import Path
from typing import Any

from andante.child import Child
from andante.description import Robot, World
from andante.errors import AndanteError, BadInput, TimedOut
from andante.settings import DEFAULT_ENGINE, DEFAULT_ROBOT, STUDIO_WORLD
from andante.tasks.inputs import file_of

STOP_TIMEOUT = 6.0  # until a session that does not end is killed [s]
PATIENCE = 60.0  # for the session to start; a first start compiles kernels [s]


class Shown:
    """A running studio that a notebook displays as a frame."""

    def __init__(self, child: Child, url: str, height: int) -> None:
        self.url, self.height, self._child = url, height, child
        self._end = weakref.finalize(self, child.end, STOP_TIMEOUT)  # with the notebook's kernel at the latest

    @property
    def alive(self) -> bool:
        """Whether the session runs."""
        return self._child.alive

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
    robot: Robot | str | Path = DEFAULT_ROBOT,
    world: World | str | Path = STUDIO_WORLD,
    engine: str = DEFAULT_ENGINE,
    *,
    height: int = 640,
    port: int = 0,
) -> Shown:
    """Start a studio and show it inside a notebook.

    Args:
        robot: a `Robot` that has a file, a name or a path.
        world: a `World` that has a file, a name or a path.
        engine: mujoco, bullet, dart or ode.
        height: of the frame in the notebook [px].
        port: of the page; 0 takes a free one.

    Returns:
        What the notebook shows as a frame; `close` ends the studio.
    """
    if not 100 <= height <= 5000:
        raise BadInput(f"the height of the frame is 100 to 5000 pixels, got {height}")
    where = ["--world", file_of(world), "--engine", engine, "--port", str(port)]
    child = Child("andante", "studio", file_of(robot), *where, "--no-browser", "--json", heard=True)
    try:
        return Shown(child, _address(child), height)
    except BaseException:
        child.end(STOP_TIMEOUT)
        raise


def _address(child: Child) -> str:
    """The address that the studio tells on its first line of output."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        with contextlib.suppress(queue.Empty):
            told: Any = json.loads(child.said.get(timeout=0.1) or "{}")
            if "url" in told:
                return str(told["url"])
        if not child.alive and child.said.empty():
            why = child.last_words().removeprefix("andante: ") or "it ended at once"
            raise AndanteError(f"the studio did not start: {why}")
    raise TimedOut(f"the studio did not start within {PATIENCE:g} s")
