"""ROS 1 in plain Python: a node that speaks to a master, TCPROS, and the bridge between it and a session."""

from __future__ import annotations

from .bridge import Ros1Bridge
from .ends import Kind
from .node import Ros1Node

__all__ = ["Kind", "Ros1Bridge", "Ros1Node"]
