"""Bridges: the session's bus over rosbridge, ROS 1, ROS 2 (DDS) and Foxglove, each in a process of its own."""

from __future__ import annotations

from .access import Access
from .limits import Limits
from .link import Link
from .pages import Page
from .serve import Serving, serve_bus
from .start import ServerHandle, start_server

__all__ = ["Access", "Limits", "Link", "Page", "ServerHandle", "Serving", "serve_bus", "start_server"]
