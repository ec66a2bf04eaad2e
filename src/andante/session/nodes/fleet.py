"""/robots: who is in the session, for those who choose whom to drive."""

from __future__ import annotations

from typing import TYPE_CHECKING

from andante.bags import messages
from andante.bus import Namespace

from .node import LiveNode

if TYPE_CHECKING:
    from andante.session.session import LiveSession


class FleetNode(LiveNode):
    """/robots, latched; told anew when one comes or goes."""

    name = "fleet"

    def __init__(self, session: LiveSession) -> None:
        super().__init__(session)
        self._topic = self.advertise("/robots", "andante_msgs/msg/Robots", latched=True)
        self.lists = {"fleet": lambda: {name: robot.stage.robot.name for name, robot in session.robots.items()}}
        self._told: tuple[tuple[str, str, str], ...] = ()

    def update(self) -> None:
        """Tell it when it has changed."""
        rows = tuple(
            (name, robot.stage.robot.name, robot.bus.prefix if isinstance(robot.bus, Namespace) else "")
            for name, robot in self.session.robots.items()
        )
        if rows != self._told:
            self._told = rows
            names, robots, spaces = (list(column) for column in zip(*rows, strict=True))
            self._topic.publish(messages.make("andante_msgs/msg/Robots", names=names, robots=robots, namespaces=spaces))
