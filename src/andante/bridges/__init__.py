"""Bridges: the session's bus over rosbridge, ROS 1, ROS 2 (DDS) and Foxglove, each in a process of its own."""

from __future__ import annotations

from .server.access import Access, Limits, Page
from .server.link import Link
from .server.serve import Serving, serve_bus
from .server.start import ServerHandle, start_server

__all__ = ["Access", "Limits", "Link", "Page", "ServerHandle", "Serving", "serve_bus", "start_server"]
