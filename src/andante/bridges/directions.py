"""Which topics of a session go out through a bridge, and which come in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from .client import BRIDGE_NODE, Graph, TopicInfo


@dataclass(frozen=True)
class Directions:
    """Patterns of names: what goes out, what comes in, and what stays at home."""

    out: tuple[str, ...] = ("*",)
    into: tuple[str, ...] = ("*",)
    without: tuple[str, ...] = ()

    def outgoing(self, graph: Graph) -> dict[str, TopicInfo]:
        """Topics that a node of the session publishes."""
        return {
            name: topic
            for name, topic in graph.topics.items()
            if any(node != BRIDGE_NODE for node in topic.publishers) and self._fits(name, self.out)
        }

    def incoming(self, graph: Graph) -> dict[str, TopicInfo]:
        """Topics that a node of the session hears and none publishes."""
        own = self.outgoing(graph)
        return {
            name: topic
            for name, topic in graph.topics.items()
            if topic.heard and name not in own and self._fits(name, self.into)
        }

    def services(self, graph: Graph) -> list[str]:
        """Services that are offered outside."""
        return [name for name in graph.services if self._fits(name, self.out)]

    def _fits(self, name: str, patterns: Sequence[str]) -> bool:
        wanted = any(fnmatchcase(name, pattern) for pattern in patterns)
        return wanted and not any(fnmatchcase(name, pattern) for pattern in self.without)
