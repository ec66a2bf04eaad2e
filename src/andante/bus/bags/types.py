"""Types of a bag by the texts it carries, and its messages in the other wire form."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from andante.bus import _ros1, messages
from andante.bus._texts import full_text, md5_of, named
from andante.errors import BadInput

from .topics import BagTopic

HEADER = "std_msgs/msg/Header"
MOST_DEPTH = 50  # of types in each other
Convert = Callable[[bytes | memoryview], bytes]


def types_of_text(text: str, name: str) -> dict[str, Any]:
    """The types that a definition holds; raises BadInput when it cannot be read."""
    from rosbags.typesys import get_types_from_idl, get_types_from_msg

    try:
        if text.lstrip().startswith("=" * 80 + "\nIDL: "):
            table: dict[str, Any] = {}
            for part in text.split("=" * 80 + "\n")[1:]:
                table |= get_types_from_idl(part.split("\n", 1)[1])
            return table
        table = dict(get_types_from_msg(text, name))
        if name not in table:  # rosbags renames what is neither msg nor action
            table[name] = table.pop(next(iter(table)))
        return table
    except Exception as error:
        told = " ".join(str(error).split())[:80]
        raise BadInput(f"{name}: its definition cannot be read ({told})") from None


def private_store(text: str, name: str, ros2: bool) -> Any:
    """A type store with only what a definition holds; ros2 lays headers out without sequence number."""
    from rosbags.typesys import Stores, get_typestore

    table = types_of_text(text, name)
    if ros2 and HEADER in table:
        table[HEADER] = messages.store().fielddefs[HEADER]
    types = get_typestore(Stores.EMPTY)
    for known in ("builtin_interfaces/msg/Time", "builtin_interfaces/msg/Duration"):
        table.setdefault(known, messages.store().fielddefs[known])
    refuse_gaps(name, table)
    try:
        types.register(table)
    except Exception as error:
        raise BadInput(f"{name}: its definition cannot be used ({' '.join(str(error).split())[:80]})") from None
    return types


def refuse_gaps(name: str, table: Mapping[str, Any]) -> None:
    """Raise BadInput where a type in the table names another that is not there, or holds itself."""
    seen: set[str] = set()

    def visit(each: str, above: tuple[str, ...]) -> None:
        if each not in table:
            raise BadInput(f"{name}: its definition names {each} and does not say how that is laid out")
        if each in above or len(above) >= MOST_DEPTH:
            what = f"{each} holds itself" if each in above else f"more than {MOST_DEPTH} types in each other"
            raise BadInput(f"{name}: its definition cannot be used ({what})")
        if each in seen:
            return
        for _, described in table[each][1]:
            other = named(described)
            if other is not None:
                visit(other, (*above, each))
        seen.add(each)

    visit(name, ())


def md5_of_text(text: str, name: str) -> str:
    """The ROS 1 sum of a type by its definition."""
    return md5_of(private_store(text, name, ros2=False), name)


def usual(topic: BagTopic) -> bool:
    """Whether the type of a topic is one that the bus knows, laid out in the same way."""
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
        and [(field.lower(), described) for field, described in ours[name][1] if field != _EMPTY]
        == [(field.lower(), described) for field, described in fields if field != _EMPTY]
        for name, (_, fields) in table.items()
    )


_EMPTY = "structure_needs_at_least_one_member"


def refuse_strange(topic: BagTopic) -> None:
    """Raise BadInput for messages that are neither ROS 1 nor ROS 2."""
    if topic.encoding not in ("cdr", "ros1"):
        raise BadInput(
            f"{topic.name}: its messages are {topic.encoding or 'of no encoding'}, not those of ROS (cdr, ros1)"
        )


def as_topic(topic: BagTopic, encoding: str) -> BagTopic:
    """The topic as a bag of another encoding describes it."""
    refuse_strange(topic)
    ros = 1 if encoding == "ros1" else 2
    if usual(topic):
        return replace(topic, encoding=encoding, definition=messages.definition(topic.type, ros))
    if topic.encoding == encoding:
        return topic
    if not topic.definition:
        raise BadInput(f"{topic.name}: the bag does not say how {topic.type} is laid out, and it is not known here")
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
            if _ros1.alike(name):
                return lambda data: bytes(_ros1.to_cdr(messages.store(), name, data))
            return lambda data: messages.to_cdr(messages.from_ros1(name, data))
        return lambda data: messages.to_ros1(messages.from_cdr(name, data))
    types = private_store(topic.definition, topic.type, ros2=True)
    if topic.encoding == "ros1":
        return lambda data: bytes(_ros1.to_cdr(types, topic.type, data))
    return lambda data: bytes(types.cdr_to_ros1(data, topic.type))
