"""What a live session tells of its robot and itself: the publishers of the robot, /status, topics by old names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from andante.bags import messages
from andante.control import publishers
from andante.control.diagnostics import DiagnosticsPublisher
from andante.control.walking import LyingSense
from andante.simulation.publishers import SensorPublisher, TruthPublisher

from .node import LiveNode
from .recording import RecordingNode

if TYPE_CHECKING:
    from andante.session.session import LiveSession


class _OfSession(publishers.RobotPublisher):
    """A publisher of the robot of a session."""

    def __init__(self, session: LiveSession) -> None:
        super().__init__(session.bus, lambda: session.stage)


class ClockNode(_OfSession, publishers.ClockPublisher):
    """/clock."""


class RobotStateNode(_OfSession, publishers.StatePublisher):
    """/joint_states, /tf, /tf_static, /odom, /robot_description."""


class FeltNode(_OfSession, publishers.FeltPublisher):
    """What a real robot feels."""


class FootstepNode(_OfSession, publishers.FootstepPublisher):
    """/footsteps."""


class TargetNode(_OfSession, publishers.TargetPublisher):
    """/joint_targets/executed."""


class VelocityNode(_OfSession, publishers.VelocityPublisher):
    """/velocity/asked, /velocity/executed."""


class DiagnosticsNode(_OfSession, DiagnosticsPublisher):
    """/diagnostics."""


class SensorNode(SensorPublisher):
    """What the robot feels."""

    def __init__(self, session: LiveSession) -> None:
        state = next((node for node in session.nodes if isinstance(node, publishers.StatePublisher)), None)
        super().__init__(session.bus, lambda: session.stage, state)


class TruthNode(TruthPublisher):
    """/ground_truth."""

    def __init__(self, session: LiveSession) -> None:
        super().__init__(session.bus, lambda: session.stage, lambda: session.scene)


RENAMED = {  # old -> new
    "/contacts": "/ground_truth/contacts",
    "/com": "/ground_truth/com",
    "/support_polygon": "/ground_truth/support_polygon",
}


class AliasNode(LiveNode):
    """Relays topics under their old names while somebody listens."""

    name = "aliases"

    def __init__(self, session: LiveSession) -> None:
        super().__init__(session)
        types = self.bus.topics()
        known = {old: new for old, new in RENAMED.items() if new in types}
        self._old = {old: self.advertise(old, types[new]) for old, new in known.items()}
        self._relayed: set[str] = set()

    def update(self) -> None:
        """Begin to relay what somebody has begun to listen to."""
        for old, publisher in self._old.items():
            if old not in self._relayed and publisher.wanted():
                self._relayed.add(old)
                new = RENAMED[old]
                self.bus.log("warn", f"topic {old} is now {new}; the old name goes in the next version", self.name)

                def relay(message: Any, to: Any = publisher) -> None:
                    if to.wanted():
                        to.publish(message)

                self.subscribe(new, self.bus.topics()[new], relay)


STATUS_EVERY = 10  # control periods, or idle moments of a paused session

Status = messages.cls("andante_msgs/msg/Status")


class StatusNode(LiveNode):
    """Tells behaviour, gait, speed, pace and whether it is recorded."""

    name = "status"

    def __init__(self, session: LiveSession) -> None:
        super().__init__(session)
        self._topic = self.advertise("/status", "andante_msgs/msg/Status")
        self._count = 0
        self.rebuilt()

    def rebuilt(self) -> None:
        """Another robot, perhaps: how it lies is felt anew."""
        self._lies = LyingSense(self.stage.robot)

    def update(self) -> None:
        """Every tenth time."""
        self._count += 1
        self._lies.feel(self.stage.state)
        if self._count % STATUS_EVERY and not self.session.paused:
            return
        if self.session.paused and self._count % 3:
            return
        if self._topic.wanted():
            self._topic.publish(self._status())

    def _status(self) -> object:
        session, stage = self.session, self.stage
        supervisor, walker = stage.supervisor, stage.walker
        x, y, heading = stage.position.tolist()
        hub = session.hub
        recording = next((n for n in hub.nodes if isinstance(n, RecordingNode)), None)
        paced = session.paced
        tumbles = walker.tumbles
        return Status(
            session.time,
            hub.pacer.factor if paced else 0.0,
            hub.pacer.load if paced else 0.0,
            session.paused,
            session.scene,
            stage.sim.address,
            session.choice.world_name,
            stage.name,
            session.behaviour,
            stage.activities.waiting or stage.activities.present.detail,
            stage.ready.gait,
            session.teleop.speed,
            stage.activities.present.resting and not (supervisor is not None and supervisor.busy),
            self._lies() and not tumbles,
            supervisor.state if supervisor is not None else "",
            publishers.Pose2D(x, y, heading),
            float(walker.max_speed),
            float(walker.max_turn),
            recording is not None and recording.recording,
            "" if recording is None else recording.file,
            0 if recording is None else recording.messages,
        )
