"""What bodies at the far end of a line share: who they are, what happened in words, and a `with` block that closes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable
from types import TracebackType
from typing import Self

from andante.description import Robot, load_robot
from andante.errors import BadInput

NOTES_KEPT = 100


class RemoteBody(ABC):
    """A robot reached over a line that a thread keeps; `say` is called with each line on what happens to it."""

    def __init__(self, robot: Robot | str, say: Callable[[str], None] | None) -> None:
        self.robot = load_robot(robot) if isinstance(robot, str) else robot
        self.notes: deque[str] = deque(maxlen=NOTES_KEPT)  # what happened, in words
        self._listener = say
        self._closed = False

    @property
    def name(self) -> str:
        """Name of the robot."""
        return self.robot.name

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Joints of the robot file."""
        return self.robot.joint_names

    @abstractmethod
    def close(self) -> None:
        """Stop, and let the line go; what is already closed stays so."""

    def _say(self, words: str) -> None:
        self.notes.append(words)
        if self._listener is not None:
            try:
                self._listener(words)
            except Exception as error:  # it must not end the line's thread
                self._listener = None
                self.notes.append(f"the listener failed and is not told any more: {type(error).__name__}: {error}")

    def _refuse_closed(self) -> None:
        if self._closed:
            raise BadInput(f"body {self.name!r} is closed; make a new one")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
