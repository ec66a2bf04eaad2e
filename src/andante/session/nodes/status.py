"""/status: how the session is, ten times a second, also while it is paused."""

from __future__ import annotations

from typing import TYPE_CHECKING

from andante.bags import messages
from andante.control.publishers import Pose2D

from .node import LiveNode
from .recording import RecordingNode

if TYPE_CHECKING:
    from andante.session.session import LiveSession

EVERY = 10  # control periods, or idle moments of a paused session

Status = messages.cls("andante_msgs/msg/Status")


class StatusNode(LiveNode):
    """Tells behaviour, gait, speed, pace and whether it is recorded."""

    name = "status"

    def __init__(self, session: LiveSession) -> None:
        super().__init__(session)
        self._topic = self.advertise("/status", "andante_msgs/msg/Status")
        self._count = 0

    def update(self) -> None:
        """Every tenth time."""
        self._count += 1
        if self._count % EVERY and not self.session.paused:
            return
        if self.session.paused and self._count % 3:
            return
        if self._topic.wanted():
            self._topic.publish(self._status())

    def _status(self) -> object:
        session, stage = self.session, self.stage
        supervisor, walker = stage.supervisor, stage.walker
        x, y, heading = stage.position.tolist()
        recording = next((n for n in session.nodes if isinstance(n, RecordingNode)), None)
        paced = session.paced
        tumbles = walker.tumbles
        return Status(
            session.time,
            session.pacer.factor if paced else 0.0,
            session.pacer.load if paced else 0.0,
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
            stage.sim.fallen and not tumbles,
            supervisor.state if supervisor is not None else "",
            Pose2D(x, y, heading),
            float(walker.max_speed),
            float(walker.max_turn),
            recording is not None and recording.recording,
            "" if recording is None else recording.file,
            0 if recording is None else recording.messages,
        )
