"""Recordings and clips of a session, started and stopped from the bus, and recordings played back onto it."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from andante.bags import TopicChoice, messages
from andante.bags.reader import SUFFIXES
from andante.bus import Namespace, Player, Recorder
from andante.errors import AndanteError, BadInput, UnknownName
from andante.simulation.recording import NAVIGATION, SESSION_ONLY

from .node import Answer, LiveNode, file_in

if TYPE_CHECKING:
    from andante.session.clip import Clip
    from andante.session.session import LiveSession


EVERY = 0.1  # between two words on how far a replay is [s]
GLIMPSE = 0.1  # that a replay goes on from where it was put, to show it [s]
LATE = 0.25  # a loop that was away for longer goes on from where it was [s]

ReplayState = messages.cls("andante_msgs/msg/ReplayState")


class RecordingNode(LiveNode):
    """/record_start /record_stop /clip; `recording`, `file` and `messages` are told on /status."""

    name = "recording"

    def __init__(self, session: LiveSession) -> None:
        super().__init__(session)
        self.advertise_service("/clip", "andante_msgs/srv/Clip", self._film)
        self.advertise_service("/record_start", "andante_msgs/srv/Record", self._start)
        self.advertise_service("/record_stop", "andante_msgs/srv/Record", self._stop)
        self._recorder: Recorder | None = None
        self.file, self._count = "", 0
        self._navigates: set[str] = set()  # robots whose navigation is recorded
        self._all = False  # whether nobody named topics
        self._clip: Clip | None = None
        self.lists = {
            "clips": lambda: dict.fromkeys(files(self.folder, "*.mp4"), ""),
            "recordings": lambda: dict.fromkeys(recordings(self.folder), ""),
        }

    @property
    def folder(self) -> Path:
        """Where recordings and clips are kept."""
        return self.session.folder

    @property
    def recording(self) -> bool:
        """Whether a recording is being written."""
        return self._recorder is not None and self._recorder.active

    @property
    def messages(self) -> int:
        """Messages of the present or the last recording."""
        return self._recorder.count if self._recorder is not None else self._count

    def _start(self, request: Any) -> Answer:
        if self.recording:
            raise BadInput(f"{self.file} is being recorded; stop it first")
        kind = str(request.format) or "mcap"
        if kind not in ("mcap", "bag"):
            raise BadInput(f"recordings are mcap or bag, got {kind!r}")
        topics = tuple(str(topic) for topic in request.topics)
        path = file_in(self.folder, str(request.name), self.stage.name, f".{kind}")
        self._navigates, self._all = set(), not topics
        choice = self._choice(topics)
        missing = choice.missing(self.bus.topics())
        self._recorder = Recorder(self.bus, path, choice)
        self.file, self._count = path.name, 0
        note = f"; no publisher yet of {', '.join(missing)}" if missing else ""
        return {"message": f"{path.name}{note}", "file": path.name}

    def _choice(self, topics: tuple[str, ...] = ()) -> TopicChoice:
        """The named topics, else all that tell of the robots: those of a navigation once it leads or maps."""
        self._navigates |= self._led
        exclude = ["/robots"] if len(self.session.robots) == 1 else []
        for name, robot in self.session.robots.items():
            unused = SESSION_ONLY if name in self._navigates else (*SESSION_ONLY, *NAVIGATION)
            space = robot.bus.prefix if isinstance(robot.bus, Namespace) else ""
            exclude += [space + topic for topic in unused]
        return TopicChoice(topics, exclude=() if topics else tuple(exclude))

    @property
    def _led(self) -> set[str]:
        """Robots that are led by their navigation, or make their map."""
        return {
            name for name, robot in self.session.robots.items()
            if robot.teleop.navigates or any(isinstance(node, LiveNode) and node.makes_map for node in robot.nodes)
        }  # fmt: skip

    def _stop(self, _: Any) -> Answer:
        if self._recorder is None:
            raise BadInput("nothing is being recorded")
        self._recorder.close()
        self._count, error = self._recorder.count, self._recorder.error
        self._recorder = None
        if error:
            raise BadInput(f"the recording had ended early: {error}")
        return {"message": f"{self.file}, {self._count} messages", "file": self.file, "messages": self._count}

    def _film(self, request: Any) -> Answer:
        if self._clip is not None:
            raise BadInput("a clip is being made; wait until it is ready")
        from andante.session.clip import LONGEST, Clip

        seconds = float(request.seconds) or 5.0
        if not 0 < seconds <= LONGEST:
            raise BadInput(f"a clip lasts up to {LONGEST:g} s, got {seconds:g}")
        path = file_in(self.folder, str(request.name), "clip", ".mp4")
        self._clip = Clip(self.stage.sim, path, seconds)
        return {"message": f"{path.name}, {seconds:g} s", "file": path.name}

    def update(self) -> None:
        """Keep a recording safe, also in a pause; look at the scene for a clip, and say when it is ready."""
        if self._recorder is not None:
            if self._all and self._led - self._navigates:
                self._recorder.change(self._choice())
            self._recorder.keep_safe()
        if self._clip is None:
            return
        if self._clip.collecting:
            self._clip.look()
            return
        ended = self._clip.poll()
        if ended is not None:
            self.bus.log("info" if ended.endswith("ready") else "warn", ended, self.name)
            self._clip = None

    def rebuilt(self) -> None:
        """A clip of the old scene is drawn as far as it came."""
        if self._clip is not None and self._clip.collecting:
            self._clip.close()
            self._clip = None
            self.bus.log("warn", "the scene was rebuilt; the clip is aborted", self.name)

    def repopulated(self) -> None:
        """A clip shows one scene; a recording tells of all robots."""
        self.rebuilt()
        if self._recorder is not None and self._all:
            self._recorder.change(self._choice())

    def close(self) -> None:
        """End what is being made."""
        if self._clip is not None:
            self._clip.close()
        if self._recorder is not None:
            self._recorder.close()
        super().close()


class ReplayNode(LiveNode):
    """/replay /replay_pause /replay_stop, topic /replay/state.

    The session is held meanwhile: its time stands still, and on the topics of the recording nobody else is heard.
    Topics by which the robot is commanded are left out. At the end the session goes on where it was, at rest.
    """

    name = "replay"

    def __init__(self, session: LiveSession, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(session)
        self._state = self.advertise("/replay/state", "andante_msgs/msg/ReplayState", latched=True)
        self.advertise_service("/replay", "andante_msgs/srv/Replay", self._play)
        self.advertise_service("/replay_pause", "std_srvs/srv/SetBool", self._pause)
        self.advertise_service("/replay_stop", "std_srvs/srv/Trigger", self._stop)
        self._clock = clock
        self._player: Player | None = None
        self._file, self._since, self._told, self._now = "", 0.0, 0.0, 0.0
        self._paused = False
        self._tell()

    @property
    def playing(self) -> bool:
        """Whether a recording is being played."""
        return self._player is not None

    def _play(self, request: Any) -> Answer:
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
        self._file, self._since, self._paused = name, self._clock(), bool(request.paused)
        self.session.holder = self._end
        for note in self._player.notes:
            self.bus.log("warn", f"{name}: {note}", self.name)
        if self._paused:
            self._player.advance(GLIMPSE / speed)  # what a page shows of that instant
        self._tell()
        duration = self._player.bag.duration
        return {"message": f"{name}, {duration:.1f} s at speed {speed:g}", "duration": duration}

    def _commands(self) -> tuple[str, ...]:
        """Topics that nodes of the session obey."""
        mine = {node.name for node in self.session.nodes if isinstance(node, LiveNode)}
        return tuple(topic for node in self.bus.graph() if node.name in mine for topic in node.subscribes)

    def _pause(self, request: Any) -> str:
        if self._player is None:
            raise BadInput("nothing is being played")
        self._paused, self._since = bool(request.data), self._clock()
        self._tell()
        return f"{self._file}: {'paused' if self._paused else 'goes on'} at {self._player.position:.1f} s"

    def _stop(self, _: Any) -> str:
        if self._player is None:
            raise BadInput("nothing is being played")
        name = self._file
        self._end()
        return f"{name}: stopped, the session continues"

    def update(self) -> None:
        """Play on by the wall time that has passed."""
        player = self._player
        if player is None or self._paused:
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
            self._state.publish(ReplayState("", 0.0, 0.0, 0.0, False, False))
        else:
            self._state.publish(
                ReplayState(self._file, player.position, player.bag.duration, player.speed, player.loop, self._paused)
            )

    def close(self) -> None:
        """Let go of the bag."""
        if self._player is not None:
            self._player.close()
            self._player = None
        super().close()


def files(folder: Path, *patterns: str) -> list[str]:
    """Names of the files in a folder that fit one of the patterns, the newest last; half-written ones are left out."""
    found = []
    for path in (p for pattern in patterns for p in folder.glob(pattern) if not p.name.startswith(".")):
        with suppress(OSError):  # a link that leads nowhere, or gone in the meantime
            found.append((path.stat().st_mtime, path.name))
    return [name for _, name in sorted(found)]


def recordings(folder: Path) -> list[str]:
    """Names of the recordings in a folder, the newest last."""
    return files(folder, *(f"*{suffix}" for suffix in SUFFIXES))
