"""The publishers of the robot as nodes of a live session."""

from __future__ import annotations

from typing import TYPE_CHECKING

from andante.control.publishers import ClockPublisher, FeltPublisher, FootstepPublisher, StatePublisher
from andante.simulation.publishers import SensorPublisher, TruthPublisher

if TYPE_CHECKING:
    from andante.session.session import LiveSession


class ClockNode(ClockPublisher):
    """/clock."""

    def __init__(self, session: LiveSession) -> None:
        super().__init__(session.bus, lambda: session.stage)


class RobotStateNode(StatePublisher):
    """/joint_states, /tf, /tf_static, /odom, /robot_description."""

    def __init__(self, session: LiveSession) -> None:
        super().__init__(session.bus, lambda: session.stage)


class SensorNode(SensorPublisher):
    """What the robot feels."""

    def __init__(self, session: LiveSession) -> None:
        state = next((node for node in session.nodes if isinstance(node, StatePublisher)), None)
        super().__init__(session.bus, lambda: session.stage, state)


class FeltNode(FeltPublisher):
    """What a real robot feels."""

    def __init__(self, session: LiveSession) -> None:
        super().__init__(session.bus, lambda: session.stage)


class TruthNode(TruthPublisher):
    """/ground_truth."""

    def __init__(self, session: LiveSession) -> None:
        super().__init__(session.bus, lambda: session.stage, lambda: session.scene)


class FootstepNode(FootstepPublisher):
    """/footsteps."""

    def __init__(self, session: LiveSession) -> None:
        super().__init__(session.bus, lambda: session.stage)
