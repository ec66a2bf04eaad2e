"""Calls that take time: each runs in a thread of its own, has a number, and can be called off."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Iterable
from typing import Any

_local = threading.local()
_numbers = itertools.count(1)


class CallTask:
    """One running call."""

    def __init__(self, service: str, method: str) -> None:
        self.service, self.method, self.number = service, method, next(_numbers)
        self.resources: tuple[str, ...] = ()  # joints that it moves
        self.canceled = False

    def cancel(self) -> None:
        """Ask for its end."""
        self.canceled = True


def current_task() -> CallTask | None:
    """The call that this thread works on."""
    return getattr(_local, "task", None)


class Tasks:
    """All calls that run now."""

    def __init__(self) -> None:
        self._running: dict[int, CallTask] = {}
        self._free = threading.Condition()

    def __iter__(self) -> Any:
        return iter(list(self._running.values()))

    def start(self, task: CallTask, work: Callable[[], None]) -> None:
        """Run the work of a task in a thread of its own."""
        self._running[task.number] = task

        def run() -> None:
            _local.task = task
            try:
                work()
            finally:
                with self._free:
                    self._running.pop(task.number, None)
                    self._free.notify_all()

        threading.Thread(target=run, name=f"{task.service}.{task.method}", daemon=True).start()

    def own(self, resources: Iterable[str]) -> bool:
        """Wait until no earlier call moves these joints, and take them; False where the call was called off."""
        task, wanted = current_task(), frozenset(resources)
        if task is None:
            return True
        with self._free:
            task.resources = tuple(wanted)
            while any(
                other.number < task.number and not wanted.isdisjoint(other.resources)
                for other in self._running.values()
            ):
                if task.canceled:
                    return False
                self._free.wait(0.05)
        return not task.canceled

    def cancel(self, chosen: Callable[[CallTask], bool]) -> int:
        """Call off those that are chosen; how many."""
        found = [task for task in self if chosen(task)]
        for task in found:
            task.cancel()
        return len(found)

    def busy(self, resources: Iterable[str]) -> bool:
        """Whether a call moves any of these joints."""
        wanted = frozenset(resources)
        return any(not wanted.isdisjoint(task.resources) for task in self)

    def close(self) -> None:
        """Call all off."""
        self.cancel(lambda task: True)
