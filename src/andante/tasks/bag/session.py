"""Bags and running sessions: record one over its WebSocket, replay a bag into one."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from andante.bags import BagTopic, BagWriter, TopicChoice, messages
from andante.bridges.client import BusClient, Graph, Say, quiet
from andante.bridges.encoding import Frame
from andante.bridges.rosbridge.client import SessionClient, session_url
from andante.bus import Player, Sample
from andante.errors import AndanteError, BadInput
from andante.tasks.bridge import run_until_stopped

GONE = 3.0  # after so long without connection the session has ended [s]
LOOK = 0.1  # between looks at time and connection [s]
UNTIMED = 1.0  # messages wait for the first time that the session tells no longer than this [s]
CLOCK = "/clock"


@dataclass
class SessionRecording:
    """Writes what a session says until it is cancelled or the session ends; a bridge for `run_beside`.

    Messages that come before the session has told its time wait for it: latched ones from before get the time of the
    start, and no message gets a time of another clock.
    """

    client: SessionClient
    writer: BagWriter
    choice: TopicChoice
    say: Say = quiet
    error: str = ""  # of the disk
    _heard: dict[str, Any] = field(default_factory=dict)
    _now: float = 0.0  # newest time of the session's clock [s]
    _untimed: list[Frame] = field(default_factory=list)  # that came before any time was known
    _begun: float = field(default_factory=time.monotonic)

    async def run(self) -> None:
        """Record; returns when the session is gone, raises BadInput when the disk refuses."""
        self.client.subscribe(CLOCK, self._tick)
        watching = self.client.on_graph(self._look)
        self._look(self.client.graph)
        lost: float | None = None
        try:
            while not self.error:
                await asyncio.sleep(LOOK)
                self._guarded(self._write_untimed)
                self._guarded(self.writer.keep_safe)
                if self.client.connected:
                    lost = None
                elif lost is None:
                    lost = time.monotonic()
                elif time.monotonic() - lost > GONE:
                    self.say("the session has ended")
                    return
            raise BadInput(f"recording stopped: {self.error}")
        finally:
            watching.close()
            for listening in self._heard.values():
                listening.close()
            self._begun = -UNTIMED  # what still waits is written as it is
            self._guarded(self._write_untimed)

    def _look(self, graph: Graph) -> None:
        """Listen to topics that have come up."""
        for name, info in graph.topics.items():
            if info.publishers and name not in self._heard and self.choice.takes(name):
                self._heard[name] = self.client.subscribe(name, self._take)

    @property
    def _timed(self) -> bool:
        """Whether the time is known, or will not be told."""
        if self._now > 0.0 or self.client.now > 0.0:
            return True
        tells = self.client.stamped or CLOCK in self.client.graph.topics
        return not tells or time.monotonic() - self._begun > UNTIMED

    def _tick(self, frame: Frame) -> None:
        self._now = messages.seconds(messages.from_cdr(frame.type_name, frame.cdr).clock)

    def _take(self, frame: Frame) -> None:
        if not self.error:
            self._untimed.append(frame)
            self._guarded(self._write_untimed)

    def _write_untimed(self) -> None:
        """Write what has come, once the time is known."""
        while self._untimed and self._timed and not self.error:
            self._write(self._untimed.pop(0))

    def _write(self, frame: Frame) -> None:
        writer = self.writer
        if not writer.knows(frame.topic):
            info = self.client.graph.topics[frame.topic]
            ros = 1 if writer.encoding == "ros1" else 2
            text = messages.definition(frame.type_name, ros)
            writer.add(
                BagTopic(
                    frame.topic, frame.type_name, writer.encoding, text, latched=bool(info.latched), sensor=info.sensor
                )
            )
        data = frame.cdr
        if writer.encoding == "ros1":
            data = messages.to_ros1(messages.from_cdr(frame.type_name, frame.cdr))
        stamp = frame.stamp
        if frame.latched or not stamp:
            stamp = max(stamp, self._now, self.client.now)
        if not stamp and not self.client.stamped:
            stamp = time.time()  # a server that tells no time
        writer.write(frame.topic, round(stamp * 1e9), data)

    def _guarded(self, work: Callable[[], None]) -> None:
        try:
            work()
        except OSError as error:
            self.error = f"{self.writer.path}: {error.strerror or error}"
            self.writer.abandon()
        except AndanteError as error:
            self.say(str(error))


def record_session(
    session: str,
    out: Path,
    choice: TopicChoice,
    seconds: float | None = None,
    max_size: int | None = None,
    say: Say = quiet,
) -> BagWriter:
    """Record a running session (port or address) until interrupted, its end, or for some seconds; the completed bag.

    Nothing is left behind when no session answers.
    """
    made: list[BagWriter] = []
    begun = time.monotonic()

    def told(text: str) -> None:
        if seconds is None or time.monotonic() - begun < seconds or not made:  # our own end is no news
            say(text)

    def make(client: SessionClient) -> SessionRecording:
        nonlocal begun
        begun = time.monotonic()
        writer = BagWriter(out, max_size)
        made.append(writer)
        messages.load(writer.encoding)  # before "recording" is said: from then on nothing is to be waited for
        say(f"recording {writer.path}; Ctrl-C stops it")
        return SessionRecording(client, writer, choice, told)

    try:
        run_until_stopped(session, make, seconds, told)
    finally:
        for writer in made:
            writer.close()
    if not made:
        raise BadInput(f"stopped before a session answered at {session_url(session)}")
    return made[0]


@dataclass
class SessionReplay:
    """Publishes a bag into a session; a bridge for `run_beside`."""

    client: BusClient
    player: Player
    sent: int = 0

    async def run(self) -> None:
        """Play to the end."""
        for topic in self.player.bag.topics:
            if self.player.choice.takes(topic.name):
                self.player.bus.subscribe(topic.name, None, self._send, queue=10_000, whole=True)
        last = time.monotonic()
        while not self.player.finished:
            now = time.monotonic()
            self.player.advance(now - last)
            last = now
            await asyncio.sleep(0.005)

    def _send(self, sample: Sample) -> None:
        self.client.publish(sample.topic, sample.type, sample.cdr, create=True)
        self.sent += 1


def replay_into(session: str, player: Player, say: Say = quiet) -> int:
    """Replay a bag into a running session (port or address); the number of messages sent."""
    made: list[SessionReplay] = []

    def make(client: BusClient) -> SessionReplay:
        made.append(SessionReplay(client, player))
        return made[0]

    run_until_stopped(session, make, None, say)
    return made[0].sent
