"""The nodes of a live session, one concept each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from andante.control.publishers import RobotPublisher

from .camera import CameraNode
from .commands import ActionNode, CommandNode
from .expression import ExpressionNode
from .fleet import FleetNode
from .machines import MachineNode
from .mapping import MappingNode
from .move_base import MoveBaseNode
from .moves import MoveNode
from .navigation import NavigationNode
from .node import LiveNode
from .own import OwnNode
from .parameters import ParameterNode
from .recording import RecordingNode, ReplayNode
from .robot import (
    AliasNode,
    ClockNode,
    DiagnosticsNode,
    FeltNode,
    FootstepNode,
    RobotStateNode,
    SensorNode,
    StatusNode,
    TargetNode,
    TruthNode,
    VelocityNode,
)
from .search import SearchNode
from .services import RobotServiceNode, ServiceNode
from .switches import SwitchNode
from .terminal import TerminalNode
from .walker import WalkerNode

# The clock comes after the state of its instant: who follows the clock has that state already.
NODES = (
    RobotStateNode, SensorNode, CameraNode, TruthNode, TargetNode, FootstepNode, VelocityNode, ClockNode, ParameterNode,
    CommandNode, ServiceNode, ActionNode, MoveNode, SwitchNode, ExpressionNode, WalkerNode, OwnNode,
    NavigationNode, MappingNode, MoveBaseNode, MachineNode, SearchNode, RecordingNode, ReplayNode, TerminalNode,
    StatusNode, DiagnosticsNode, AliasNode, FleetNode,
)  # fmt: skip
# Of every robot beside the first one; time, scene, recordings and searches are those of the session.
COMPANION_NODES: tuple[Callable[[Any], RobotPublisher], ...] = (
    RobotStateNode, SensorNode, CameraNode, TruthNode, TargetNode, FootstepNode, VelocityNode, ParameterNode,
    CommandNode, RobotServiceNode, ActionNode, MoveNode, SwitchNode, ExpressionNode, WalkerNode, OwnNode,
    NavigationNode, MappingNode, MoveBaseNode, TerminalNode, StatusNode, DiagnosticsNode,
)  # fmt: skip


def all_nodes(real: bool = False) -> tuple[Callable[[Any], RobotPublisher], ...]:
    """Every node, in the order in which they act; of a real robot what it feels, and no truth."""
    if not real:
        return NODES
    return tuple(FeltNode if node is SensorNode else node for node in NODES if node not in (TruthNode, CameraNode))


__all__ = ["COMPANION_NODES", "NODES", "LiveNode", "all_nodes"]
