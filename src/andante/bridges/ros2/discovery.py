"""`ros_discovery_info`: which node of ROS has which writers and readers, for `ros2 node list` and `ros2 node info`.

Every participant of ROS 2 publishes a rmw_dds_common/msg/ParticipantEntitiesInfo on this topic. It names DDS entities
by gids, which are their GUIDs: 16 bytes from Iron on, 24 with zeros behind up to Humble. $ROS_DISTRO says which it is.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np

from andante.bridges.client import BRIDGE_NODE

TOPIC = "ros_discovery_info"
TYPE = "rmw_dds_common/msg/ParticipantEntitiesInfo"
OLD = ("dashing", "eloquent", "foxy", "galactic", "humble")
OWN_NODE = "/andante_bridge"  # has what no node of the session has


@dataclass
class NodeEnds:
    """GUIDs of the readers and writers of one node."""

    readers: list[bytes] = field(default_factory=list)
    writers: list[bytes] = field(default_factory=list)


@cache
def types(old: bool) -> Any:
    """The `rosbags` type store of ROS 2 up to Humble, or after it."""
    from rosbags.typesys import Stores, get_typestore

    return get_typestore(Stores.ROS2_HUMBLE if old else Stores.ROS2_JAZZY)


def is_old() -> bool:
    """Whether $ROS_DISTRO names a release with long gids."""
    return os.environ.get("ROS_DISTRO", "").lower() in OLD


def owner(nodes: Iterable[str]) -> str:
    """The node to which an end is ascribed: the first of the session's own."""
    return next((node for node in nodes if node and node != BRIDGE_NODE), OWN_NODE)


def entities_info(participant: bytes, nodes: Mapping[str, NodeEnds], old: bool = False) -> bytes:
    """The message as CDR bytes.

    Args:
        participant: its GUID.
        nodes: by full names.
        old: with long gids.
    """
    store = types(old)
    message, node_info, gid = (
        store.types[f"rmw_dds_common/msg/{name}"] for name in ("ParticipantEntitiesInfo", "NodeEntitiesInfo", "Gid")
    )

    def gids(guids: Iterable[bytes]) -> list[Any]:
        return [gid(data=np.frombuffer(guid.ljust(24 if old else 16, b"\0"), np.uint8)) for guid in guids]

    infos = []
    for name, ends in sorted(nodes.items()):
        space, _, short = name.rpartition("/")
        infos.append(node_info(space or "/", short, gids(ends.readers), gids(ends.writers)))
    packed = store.serialize_cdr(message(gids([participant])[0], infos), TYPE)
    return bytes(packed)
