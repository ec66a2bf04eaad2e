"""Bridges: the session's bus over rosbridge, ROS 1, ROS 2 (DDS), Foxglove and NAOqi, each in a process of its own.

`start_server` serves a bus to browsers and programs; `run_beside` runs a bridge (`Ros1Bridge`, `Ros2Bridge`,
`FoxgloveBridge`, `RosbridgeBridge`, `NaoqiBridge`) beside a session that runs already; `SessionClient` is such a
session from outside.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from andante.lazy import lazy_names

from .client import BusClient, Directions, Graph, TopicInfo
from .server.access import Access, Limits, Page
from .server.link import Link
from .server.serve import Serving, serve_bus
from .server.start import ServerHandle, start_server

if TYPE_CHECKING:
    from .foxglove import FoxgloveBridge
    from .naoqi import NaoqiBridge
    from .ros1 import Ros1Bridge, Ros1Node
    from .ros2 import Ros2Bridge
    from .rosbridge.client import RosbridgeBridge, SessionClient, run_beside, session_url

__all__ = [
    "Access", "BusClient", "Directions", "FoxgloveBridge", "Graph", "Limits", "Link", "NaoqiBridge", "Page",
    "Ros1Bridge", "Ros1Node", "Ros2Bridge", "RosbridgeBridge", "ServerHandle", "Serving", "SessionClient", "TopicInfo",
    "run_beside", "serve_bus", "session_url", "start_server",
]  # fmt: skip

__getattr__ = lazy_names(__name__)
