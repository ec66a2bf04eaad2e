"""What all nodes of a live session share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from andante.control.publishers import RobotPublisher
from andante.errors import AndanteError

if TYPE_CHECKING:
    from andante.session.command_api import CommandApi
    from andante.session.session import LiveSession
    from andante.session.stage import Stage

Answer = Mapping[str, Any]
QUIET = 1.0  # the same warning again comes no sooner than this [s]


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

    # ---- on the bus --------------------------------------------------------------------------------
    def subscribe(self, topic: str, kind: str, callback: Callable[[Any], str | None], queue: int = 20) -> Any:
        """Messages in; an error becomes a warning in the log (the same one once a second), a text a line."""
        told = ("", -QUIET)

        def heard(message: Any) -> None:
            nonlocal told
            try:
                line = callback(message)
            except AndanteError as error:
                now = self.bus.clock.now
                if str(error) != told[0] or now - told[1] >= QUIET:
                    told = (str(error), now)
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
