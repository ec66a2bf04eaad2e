"""Nodes that only robots of one kind have, from their packages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from andante.description import ROBOTS
from andante.plugins import load_reference

from .node import LiveNode

if TYPE_CHECKING:
    from andante.session.session import LiveSession


class OwnNode(LiveNode):
    """Holds the nodes that the package of the present robot names (`RobotPackage.nodes`)."""

    name = "own"

    def __init__(self, session: LiveSession) -> None:
        super().__init__(session)
        self.nodes: list[LiveNode] = []
        self._make()

    def _make(self) -> None:
        name = self.stage.robot.name
        reference = ROBOTS[name].nodes if name in ROBOTS else ""
        for make in load_reference(reference) if reference else ():
            self.nodes.append(make(self.session))

    def rebuilt(self) -> None:
        """Another scene has another robot, or the same one anew."""
        self._end()
        self._make()

    def repopulated(self) -> None:
        """Others came or went."""
        for node in self.nodes:
            node.repopulated()

    def update(self) -> None:
        """A control period is over."""
        for node in self.nodes:
            node.update()

    def _end(self) -> None:
        for node in reversed(self.nodes):
            node.close()
        self.nodes = []

    def close(self) -> None:
        """Leave the bus."""
        self._end()
        super().close()
