"""What a bag knows about a topic, the choice of topics, and their messages as objects or in the other wire form."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import partial
from typing import Any

from andante.errors import BadInput

from . import messages
from .messages import ros1
from .messages.definitions import HEADER, full_text, private_store, refuse_gaps, types_of_text
from .messages.interface_files import EMPTY


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
    depth, endless = 5 if sensor else 1 if latched else 10, ":\n    sec: 9223372036\n    nsec: 854775807\n"
    return (
        f"- history: 1\n  depth: {depth}\n  reliability: {2 if sensor else 1}\n  durability: {1 if latched else 2}\n"
        f"  deadline{endless}  lifespan{endless}  liveliness: 1\n  liveliness_lease_duration{endless}"
        "  avoid_ros_namespace_conventions: false"
    )


def is_latched(qos: str) -> bool:
    """Whether a publisher's quality of service, as rosbag2 writes it, keeps messages for those who come later."""
    return "durability: 1" in qos or "durability: transient_local" in qos


Convert = Callable[[bytes | memoryview], bytes]


def usual(topic: BagTopic) -> bool:
    """Whether the type of a topic is one that is known here, laid out in the same way."""
    ours = (messages.ros1_store() if topic.encoding == "ros1" else messages.store()).fielddefs
    if topic.type not in ours:
        return False
    if not topic.definition:
        return True
    try:
        table = types_of_text(topic.definition, topic.type)
    except BadInput:
        return False
    return all(
        name in ours
        and [(field.lower(), described) for field, described in ours[name][1] if field != EMPTY]
        == [(field.lower(), described) for field, described in fields if field != EMPTY]
        for name, (_, fields) in table.items()
    )


def refuse_strange(topic: BagTopic) -> None:
    """Raise BadInput for messages that are neither ROS 1 nor ROS 2."""
    if topic.encoding not in ("cdr", "ros1"):
        raise BadInput(
            f"{topic.name}: its messages are {topic.encoding or 'of no encoding'}, not those of ROS (cdr, ros1)"
        )


def _refuse_untold(topic: BagTopic) -> None:
    if not topic.definition:
        raise BadInput(f"{topic.name}: the bag does not say how {topic.type} is laid out, and it is not known here")


def as_topic(topic: BagTopic, encoding: str) -> BagTopic:
    """The topic as a bag of another encoding describes it."""
    refuse_strange(topic)
    ros = 1 if encoding == "ros1" else 2
    if usual(topic):
        return replace(topic, encoding=encoding, definition=messages.definition(topic.type, ros))
    if topic.encoding == encoding:
        return topic
    _refuse_untold(topic)
    types = private_store(topic.definition, topic.type, ros2=ros == 2)
    if ros == 1 and HEADER in types.fielddefs:
        types.fielddefs[HEADER] = messages.ros1_store().fielddefs[HEADER]
    return replace(topic, encoding=encoding, definition=full_text(types, topic.type, ros1=ros == 1))


def converter(topic: BagTopic, encoding: str) -> Convert:
    """The function that turns the messages of a topic into another encoding."""
    refuse_strange(topic)
    if topic.encoding == encoding:
        return bytes
    if usual(topic):
        name = topic.type
        if topic.encoding == "ros1":
            if ros1.alike(name):
                return lambda data: bytes(ros1.to_cdr(messages.store(), name, data))
            return lambda data: messages.to_cdr(messages.from_ros1(name, data))
        return lambda data: messages.to_ros1(messages.from_cdr(name, data))
    types = private_store(topic.definition, topic.type, ros2=True)
    if topic.encoding == "ros1":
        return lambda data: bytes(ros1.to_cdr(types, topic.type, data))
    return lambda data: bytes(types.cdr_to_ros1(data, topic.type))


def decoder(topic: BagTopic) -> Callable[[bytes], Any]:
    """The function that makes message objects of the bytes of a topic.

    They are of the known class where the type is laid out as it is known here, else by the definition in the bag.
    """
    refuse_strange(topic)
    name, one = topic.type, topic.encoding == "ros1"
    if usual(topic):
        return partial(messages.from_ros1 if one else messages.from_cdr, name)
    _refuse_untold(topic)
    types = private_store(topic.definition, name, ros2=not one)
    if one:
        return partial(ros1.taken, types, name)
    return lambda data: types.deserialize_cdr(data, name)


def learn(topic: BagTopic) -> None:
    """Make a type that only the bag knows known everywhere in this process."""
    refuse_strange(topic)
    if usual(topic):
        return
    _refuse_untold(topic)
    ours = messages.store()
    table = types_of_text(topic.definition, topic.type)
    table.pop(HEADER, None)
    refuse_gaps(topic.type, {**ours.fielddefs, **table})
    ours.register(table)
