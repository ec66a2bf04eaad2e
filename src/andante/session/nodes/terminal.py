"""/terminal: the session by typed lines, with help, keys and completion."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

from andante.errors import AndanteError
from andante.session.commands import COMMANDS, Terminal

from .node import Answer, LiveNode
from .services import ServiceNode

if TYPE_CHECKING:
    from andante.session.session import LiveSession

LONGEST = 1000  # characters of a line


class TerminalNode(LiveNode):
    """One service: a line in, text out. Every line is in the log."""

    name = "terminal"

    def __init__(self, session: LiveSession) -> None:
        super().__init__(session)
        self._terminal = Terminal(session, self._names)
        self._handles.append(self.bus.provide("/terminal", "andante_msgs/srv/Command", self._command, self.name))
        self.lists = {"commands": lambda: {name: command.help for name, command in COMMANDS.items()}}

    def _names(self, kind: str) -> dict[str, str]:
        services = next(node for node in self.session.nodes if isinstance(node, ServiceNode))
        return services.listed(kind)

    def update(self) -> None:
        """Commands that last for a while go on."""
        self._terminal.go_on()

    def rebuilt(self) -> None:
        """Whatever lasted ends with the scene."""
        self._terminal.let_go()

    def _command(self, request: Any) -> Answer:
        line = str(request.line)[:LONGEST]
        if request.complete:
            return {"success": True, "text": "", "completions": self._terminal.complete(line)}
        try:
            words = shlex.split(line, comments=True)
        except ValueError as error:
            return {"success": False, "text": f"{line!r}: {error}"}
        if not words:
            return {"success": True, "text": ""}
        self.bus.log("info", f"> {' '.join(words)}", self.name)
        try:
            return {"success": True, "text": self._terminal.run(words)}
        except (AndanteError, ValueError) as error:
            text = str(error) if isinstance(error, AndanteError) else f"{' '.join(words)}: {error}"
            self.bus.log("warn", text, self.name)
            return {"success": False, "text": text}
