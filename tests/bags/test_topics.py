"""Topics of bags: the choice of them, their quality of service, and their messages in either wire form."""

from __future__ import annotations

from dataclasses import replace

import pytest

from andante.bags import BagTopic, TopicChoice, messages
from andante.bags.topics import as_topic, chosen, converter, decoder, is_latched, learn, qos_text, usual
from andante.errors import BadInput

TWIST = "geometry_msgs/msg/Twist"
STAMPED = "geometry_msgs/msg/PointStamped"
OWN = "test_topics_msgs/msg/Pair"


def topic(kind: str, encoding: str = "cdr", text: str | None = None) -> BagTopic:
    known = messages.definition(kind, 1 if encoding == "ros1" else 2) if text is None else text
    return BagTopic("/t", kind, encoding, known)


def test_choices_of_every_kind() -> None:
    assert chosen(None).takes("/any")
    assert chosen("/a").takes("/a")
    assert not chosen(["/a", "camera/*"]).takes("/b")
    assert chosen(["/a", "camera/*"]).takes("/camera/info")
    same = TopicChoice(("/a",), exclude=("/a",))
    assert chosen(same) is same
    assert not same.takes("/a")
    assert TopicChoice(("/a", "/x*")).missing(["/a", "/b"]) == ["/x*"]


@pytest.mark.parametrize("sensor", [False, True])
@pytest.mark.parametrize("latched", [False, True])
def test_quality_of_service_as_rosbag2_writes_it(latched: bool, sensor: bool) -> None:
    import yaml

    (profile,) = yaml.safe_load(qos_text(latched, sensor))
    assert profile["durability"] == (1 if latched else 2)
    assert profile["reliability"] == (2 if sensor else 1)
    assert profile["depth"] == (5 if sensor else 1 if latched else 10)
    assert profile["deadline"] == {"sec": 9223372036, "nsec": 854775807}
    assert profile["avoid_ros_namespace_conventions"] is False
    assert is_latched(qos_text(latched, sensor)) is latched


@pytest.mark.parametrize("kind", [TWIST, STAMPED, "std_msgs/msg/String"])
def test_messages_go_to_the_other_form_and_back(kind: str) -> None:
    two = messages.to_cdr(messages.make(kind))
    one = converter(topic(kind), "ros1")(two)
    assert one == messages.to_ros1(messages.make(kind))
    assert converter(topic(kind, "ros1"), "cdr")(one) == two
    assert converter(topic(kind), "cdr")(two) == two
    assert messages.to_dict(decoder(topic(kind, "ros1"))(one)) == messages.to_dict(messages.make(kind))
    assert as_topic(topic(kind), "ros1").definition == messages.definition(kind, 1)


def test_types_that_only_the_bag_knows() -> None:
    strange = topic(OWN, text="int32 a\nfloat64 b\n")
    assert not usual(strange)
    made = decoder(strange)(b"\0\1\0\0" + (7).to_bytes(4, "little") + b"\0" * 12)
    assert (made.a, made.b) == (7, 0.0)
    assert "int32 a" in as_topic(strange, "ros1").definition
    learn(strange)
    assert usual(strange)
    assert messages.make(OWN, a=3).a == 3


def test_what_cannot_be_told_is_refused() -> None:
    with pytest.raises(BadInput, match="its messages are json, not those of ROS"):
        converter(replace(topic(TWIST), encoding="json"), "cdr")
    with pytest.raises(BadInput, match="does not say how nowhere/msg/Thing is laid out"):
        decoder(BagTopic("/t", "nowhere/msg/Thing"))
    with pytest.raises(BadInput, match="is not a regular expression"):
        TopicChoice(regex="(")
