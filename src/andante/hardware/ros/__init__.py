"""Robots behind ROS: over rosbridge, or at a ROS 1 master."""

from andante.errors import BadInput

from .link import RosLink
from .ros1 import Ros1Link
from .rosbridge import RosbridgeLink


def link_to(address: str) -> RosLink:
    """The line that an address asks for."""
    if address.startswith(("ws://", "wss://")):
        return RosbridgeLink(address)
    if address.startswith("http://"):
        return Ros1Link(address)
    raise BadInput(f"{address!r} is neither a rosbridge server (ws://host:9090) nor a ROS 1 master (http://host:11311)")
