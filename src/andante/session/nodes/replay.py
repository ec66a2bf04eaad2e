"""Recordings of the session's folder played back onto the bus, so that pages and bridges see them as they were."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from andante.bags import messages
from andante.errors import AndanteError, BadInput, UnknownName

from .node import Answer, LiveNode
from .recording import RecordingNode, recordings

if TYPE_CHECKING:
    from andante.bus import Player
    from andante.session.session import LiveSession

EVERY = 0.1  # between two words on how far it is [s]
LATE = 0.25  # a loop that was away for longer goes on from where it was [s]

ReplayState = messages.cls("andante_msgs/msg/ReplayState")


class ReplayNode(LiveNode):
    """/replay /replay_stop, topic /replay/state.

    The session is held meanwhile: its time stands still, and on the topics of the recording nobody else is heard.
    Topics by which the robot is commanded are left out. At the end the session goes on where it was, at rest.
    """

    name = "replay"

    def __init__(self, session: LiveSession, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(session)
        self._state = self.advertise("/replay/state", "andante_msgs/msg/ReplayState", latched=True)
        self.advertise_service("/replay", "andante_msgs/srv/Replay", self._play)
        self.advertise_service("/replay_stop", "std_srvs/srv/Trigger", self._stop)
        self._clock = clock
        self._player: Player | None = None
        self._file, self._since, self._told, self._now = "", 0.0, 0.0, 0.0
        self._tell()

    @property
    def playing(self) -> bool:
        """Whether a recording is being played."""
        return self._player is not None

    def _play(self, request: Any) -> Answer:
        from andante.bags import TopicChoice
        from andante.bus import Player

        folder, name = self.session.folder, str(request.name)
        if name not in recordings(folder) or (folder / name).resolve().parent != folder.resolve():
            raise UnknownName.among("recording", name, recordings(folder))
        for node in self.session.nodes:
            if isinstance(node, RecordingNode) and node.recording and node.file == name:
                raise BadInput(f"{name} is being recorded; stop it first")
        self._end()
        self._now = self.bus.clock.now
        choice = TopicChoice(exclude=self._commands())
        speed = float(request.speed) or 1.0
        try:
            self._player = Player(
                self.bus, folder / name, speed, bool(request.loop), float(request.start), choice, node=self.name,
                alone=True,
            )  # fmt: skip
        except BaseException:
            self._go_on()
            raise
        self._file, self._since = name, self._clock()
        self.session.holder = self._end
        for note in self._player.notes:
            self.bus.log("warn", f"{name}: {note}", self.name)
        self._tell()
        duration = self._player.bag.duration
        return {"message": f"{name}, {duration:.1f} s at speed {speed:g}", "duration": duration}

    def _commands(self) -> tuple[str, ...]:
        """Topics that nodes of the session obey."""
        mine = {node.name for node in self.session.nodes if isinstance(node, LiveNode)}
        return tuple(topic for node in self.bus.graph() if node.name in mine for topic in node.subscribes)

    def _stop(self, _: Any) -> str:
        if self._player is None:
            raise BadInput("nothing is being played")
        name = self._file
        self._end()
        return f"{name}: stopped, the session continues"

    def update(self) -> None:
        """Play on by the wall time that has passed."""
        player = self._player
        if player is None:
            return
        now = self._clock()
        passed, self._since = min(now - self._since, LATE), now
        try:
            player.advance(passed)
        except AndanteError as error:
            self.bus.log("error", f"{self._file}: {error}", self.name)
            player.finished = True
        if player.finished:
            name, count = self._file, player.count
            self._end()
            self.bus.log("info", f"{name}: finished after {count} messages, the session continues", self.name)
        elif now - self._told >= EVERY:
            self._tell()

    def _end(self) -> None:
        if self._player is None:
            return
        self._player.close()
        self._player, self._file = None, ""
        self._go_on()
        self._tell()

    def _go_on(self) -> None:
        """Back to the time at which the session was held; whatever was steered meanwhile is forgotten."""
        if self.bus.clock.now != self._now:
            self.bus.clock.reset(self._now)
        self.session.teleop.release()
        self.session.holder = None

    def _tell(self) -> None:
        self._told = self._clock()
        player = self._player
        if player is None:
            self._state.publish(ReplayState("", 0.0, 0.0, 0.0, False))
        else:
            self._state.publish(
                ReplayState(self._file, player.position, player.bag.duration, player.speed, player.loop)
            )

    def close(self) -> None:
        """Let go of the bag."""
        if self._player is not None:
            self._player.close()
            self._player = None
        super().close()
