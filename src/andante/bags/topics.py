"""What a bag knows about a topic, and the choice of topics by name, pattern or expression."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from andante.errors import BadInput


@dataclass(frozen=True)
class BagTopic:
    """A topic of a bag."""

    name: str
    type: str  # pkg/msg/Name
    encoding: str = "cdr"  # or ros1
    definition: str = ""  # text of the type and of all types inside
    count: int = 0  # messages
    latched: bool = False
    sensor: bool = False  # best effort


@dataclass(frozen=True)
class TopicChoice:
    """Which topics: names or patterns like /camera/*, or all; less those excluded. Nothing named: all."""

    names: tuple[str, ...] = ()
    regex: str = ""
    exclude: tuple[str, ...] = ()  # names or patterns
    exclude_regex: str = ""

    def __post_init__(self) -> None:
        for what, text in (("regex", self.regex), ("exclude_regex", self.exclude_regex)):
            try:
                re.compile(text)
            except re.error as error:
                raise BadInput(f"{what} {text!r} is not a regular expression ({error})") from None

    def takes(self, topic: str) -> bool:
        """Whether a topic is chosen."""
        if any(_fits(topic, pattern) for pattern in self.exclude):
            return False
        if self.exclude_regex and re.search(self.exclude_regex, topic):
            return False
        if not self.names and not self.regex:
            return True
        if self.regex and re.search(self.regex, topic):
            return True
        return any(_fits(topic, pattern) for pattern in self.names)

    def missing(self, topics: Iterable[str]) -> list[str]:
        """Names and patterns that none of the topics fits."""
        there = list(topics)
        return [pattern for pattern in self.names if not any(_fits(topic, pattern) for topic in there)]


ALL = TopicChoice()


def chosen(topics: TopicChoice | Iterable[str] | str | None) -> TopicChoice:
    """A choice of whatever names topics: None for all, a name, a list of names and patterns."""
    if topics is None:
        return ALL
    if isinstance(topics, TopicChoice):
        return topics
    return TopicChoice((topics,) if isinstance(topics, str) else tuple(topics))


def _fits(topic: str, pattern: str) -> bool:
    return topic == pattern or fnmatchcase(
        topic, pattern if pattern.startswith(("/", "*", "?", "[")) else f"/{pattern}"
    )


def qos_text(latched: bool, sensor: bool) -> str:
    """The quality of service of a publisher as rosbag2 (Humble) writes it: a list in YAML with numbers for names."""
    endless = {"sec": 9223372036, "nsec": 854775807}
    profile: dict[str, Any] = {
        "history": 1,  # keep last
        "depth": 5 if sensor else 1 if latched else 10,
        "reliability": 2 if sensor else 1,
        "durability": 1 if latched else 2,
        "deadline": endless,
        "lifespan": endless,
        "liveliness": 1,
        "liveliness_lease_duration": endless,
        "avoid_ros_namespace_conventions": False,
    }
    lines = []
    for key, value in profile.items():
        if isinstance(value, dict):
            lines.append(f"  {key}:\n" + "\n".join(f"    {part}: {number}" for part, number in value.items()))
        else:
            lines.append(f"  {key}: {str(value).lower() if isinstance(value, bool) else value}")
    return "- " + "\n".join(lines)[2:]


def is_latched(qos: str) -> bool:
    """Whether a publisher's quality of service, as rosbag2 writes it, keeps messages for those who come later."""
    return "durability: 1" in qos or "durability: transient_local" in qos
