"""What topics and types of ROS are called in DDS, and what the ends of a topic say about their type."""

from __future__ import annotations

from andante.bags import messages


def dds_topic(name: str) -> str:
    """`rt/joint_states` of `/joint_states`."""
    return f"rt{name}"


def request_topic(service: str) -> str:
    """`rq/pauseRequest` of the service `/pause`."""
    return f"rq{service}Request"


def reply_topic(service: str) -> str:
    """`rr/pauseReply` of the service `/pause`."""
    return f"rr{service}Reply"


def dds_type(type_name: str) -> str:
    """`sensor_msgs::msg::dds_::JointState_` of `sensor_msgs/msg/JointState`."""
    package, kind, name = type_name.split("/")
    return f"{package}::{kind}::dds_::{name}_"


def user_data(type_name: str) -> bytes:
    """What writers and readers of ROS 2 from Iron on say about their type."""
    return f"typehash={messages.type_hash(type_name)};".encode()
