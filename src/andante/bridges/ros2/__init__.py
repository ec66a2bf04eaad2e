"""ROS 2 over DDS: topics with the names, types, hashes and qualities of service of ROS 2 (experimental)."""

from __future__ import annotations

from .bridge import Ros2Bridge
from .ends import Participant

__all__ = ["Participant", "Ros2Bridge"]
