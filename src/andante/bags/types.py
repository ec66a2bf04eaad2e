"""The messages of a topic as objects, and in the other wire form."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from andante.errors import BadInput

from . import messages
from .messages import ros1
from .messages.definitions import HEADER, full_text, private_store, refuse_gaps, types_of_text
from .messages.interface_files import EMPTY
from .topics import BagTopic

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
