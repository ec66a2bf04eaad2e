"""What all nodes of a live session share."""

from __future__ import annotations

import re
import time
from collections import deque
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from andante._moved import renamed_attributes
from andante.control.publishers import RobotPublisher
from andante.errors import AndanteError, BadInput

if TYPE_CHECKING:
    from andante.session.command_api import CommandApi
    from andante.session.session import LiveSession
    from andante.session.stage import Stage


PLAIN = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.\-]{0,80}")


def plain_name(name: str, default: str) -> str:
    """A name without folders, else the default with the time of day; BadInput for any other."""
    if not name:
        return f"{default}_{time.strftime('%Y%m%d_%H%M%S')}"
    if not PLAIN.fullmatch(name) or ".." in name:
        raise BadInput(f"{name!r}: a name here has letters, digits, _ - and . and no folder")
    return name


def file_in(folder: Path, name: str, default: str, suffix: str) -> Path:
    """A file of that name in a folder, which is made if need be; one that exists is never overwritten."""
    plain = plain_name(name, default)
    path = folder / (plain if plain.endswith(suffix) else plain + suffix)
    folder.mkdir(parents=True, exist_ok=True)
    if path.exists():
        if name:
            raise BadInput(f"{path.name}: exists already; choose another name")
        path = next(p for k in range(2, 10_000) if not (p := path.with_name(f"{path.stem}_{k}{suffix}")).exists())
    return path


Answer = Mapping[str, Any]
QUIET, MOST_TOLD = 1.0, 5  # the same warning again comes no sooner than this [s], nor more than so many of a topic


@renamed_attributes(operator="command_api", hear="subscribe", offer="advertise_service")
class LiveNode(RobotPublisher):
    """A participant with `advertise`, `subscribe` and `advertise_service`; all ends with `close`.

    `lists` are the kinds of names that it knows, for completion and menus.
    """

    lists: Mapping[str, Callable[[], Mapping[str, str]]] = {}

    def __init__(self, session: LiveSession) -> None:
        super().__init__(session.bus, lambda: session.stage)
        self.session = session

    @property
    def stage(self) -> Stage:
        """The present scene."""
        return self.session.stage

    @property
    def command_api(self) -> CommandApi:
        """Requests to the present robot."""
        return self.session.command_api

    @property
    def makes_map(self) -> bool:
        """Whether it makes a map now, which belongs into recordings."""
        return False

    # ---- on the bus --------------------------------------------------------------------------------
    def subscribe(self, topic: str, kind: str, callback: Callable[[Any], str | None], queue: int = 20) -> Any:
        """Messages in; a text becomes a line in the log, an error a warning: once a second, five different ones."""
        told: deque[tuple[str, float]] = deque(maxlen=MOST_TOLD)

        def heard(message: Any) -> None:
            try:
                line = callback(message)
            except AndanteError as error:
                now = self.bus.clock.now
                lately = [words for words, when in told if now - when < QUIET]
                if len(lately) < MOST_TOLD and str(error) not in lately:
                    told.append((str(error), now))
                    self.bus.log("warn", f"{topic}: {error}", self.name)
            else:
                if line:
                    self.bus.log("info", f"{topic}: {line}", self.name)

        made = self.bus.subscribe(topic, kind, heard, queue, node=self.name)
        self._handles.append(made)
        return made

    def advertise_service(self, name: str, kind: str, handler: Callable[[Any], Answer | str | None]) -> Any:
        """A service whose response has `success` and `message`; it answers with the error, and logs a line per call.

        The handler returns the fields of the response, or the message alone.
        """

        def answered(request: Any) -> Answer:
            try:
                made = handler(request)
            except AndanteError as error:
                self.bus.log("warn", f"{name}: {error}", self.name)
                return {"success": False, "message": str(error)}
            answer = {"message": made} if isinstance(made, str) else dict(made or {})
            self.bus.log("info", f"{name}: {answer.get('message') or 'done'}", self.name)
            return {"success": True, **answer}

        made = self.bus.provide(name, kind, answered, self.name)
        self._handles.append(made)
        return made
