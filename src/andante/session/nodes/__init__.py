"""The nodes of a live session, one concept each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .actions import ActionNode
from .camera import CameraNode
from .clock import ClockNode
from .commands import CommandNode
from .footsteps import FootstepNode
from .navigation import NavigationNode
from .node import LiveNode
from .parameters import ParameterNode
from .recording import RecordingNode
from .replay import ReplayNode
from .robot_state import RobotStateNode
from .search import SearchNode
from .sensors import SensorNode
from .services import ServiceNode
from .status import StatusNode
from .terminal import TerminalNode
from .truth import TruthNode
from .walker import WalkerNode

NODES = (
    ClockNode,
    RobotStateNode,
    SensorNode,
    CameraNode,
    TruthNode,
    FootstepNode,
    ParameterNode,
    CommandNode,
    ServiceNode,
    ActionNode,
    WalkerNode,
    NavigationNode,
    SearchNode,
    RecordingNode,
    ReplayNode,
    TerminalNode,
    StatusNode,
)


def all_nodes() -> tuple[Callable[[Any], LiveNode], ...]:
    """Every node, in the order in which they act."""
    return NODES


__all__ = ["NODES", "LiveNode", "all_nodes"]
