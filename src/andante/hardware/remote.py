"""What bodies at the far end of a line share: who they are, what happened in words, and a `with` block that closes."""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable
from typing import Any, Self

import numpy as np

from andante.control.body import Body
from andante.description import Robot, load_robot
from andante.errors import BadInput
from andante.files import Closing
from andante.geometry import Array

NOTES_KEPT = 100
BEHIND = 0.05  # a loop that is later than this does not try to catch up [s]


class RemoteBody(Body, Closing):
    """A robot reached over a line that a thread keeps; `say` is called with each line on what happens to it."""

    def __init__(self, robot: Robot | str, say: Callable[[str], None] | None) -> None:
        self.robot = load_robot(robot) if isinstance(robot, str) else robot
        self.notes: deque[str] = deque(maxlen=NOTES_KEPT)  # what happened, in words
        self._listener = say
        self._closed = False
        self._due = math.nan  # when the present control period is over, of its clock [s]

    def connect(self, timeout: float = 10.0, *, reach: float = math.inf) -> Self:
        """Wait until the robot answers and its rate is measured; refused in words when it does not in a time [s].

        reach: how long an address that refuses connections is tried [s].
        """
        return self

    def advance(self, seconds: float) -> None:
        """Wait until a time [s] after the end of the last call; who is late goes on at once."""
        if not (math.isfinite(seconds) and seconds >= 0):
            raise BadInput(f"a body advances by a time >= 0 s, got {seconds}")
        now = self.time
        self._due = now + seconds if math.isnan(self._due) else max(self._due + seconds, now - BEHIND)
        self._wait_until(self._due)

    def _wait_until(self, due: float) -> None:
        """Wait until a time of the body's clock [s]."""
        left = due - self.time
        if left > 0:
            time.sleep(left)

    def _say(self, words: str) -> None:
        self.notes.append(words)
        if self._listener is not None:
            try:
                self._listener(words)
            except Exception as error:  # it must not end the line's thread
                self._listener = None
                self.notes.append(f"the listener failed and is not called any more: {type(error).__name__}: {error}")

    def _refuse_closed(self) -> None:
        if self._closed:
            raise BadInput(f"body {self.name!r} is closed; make a new one")


def measured(gyro: Array, acceleration: Array) -> dict[str, Any]:
    """Fields of a `BodyState` for what an IMU measures; who measures nothing keeps the values of rest."""
    told = {"gyro": gyro, "acceleration": acceleration}
    return {name: values for name, values in told.items() if not np.isnan(values).all()}
