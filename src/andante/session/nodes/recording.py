"""Recordings and clips of a session, started and stopped from the bus."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from andante.bags import TopicChoice
from andante.bus import Recorder
from andante.errors import BadInput
from andante.session.files import file_in
from andante.simulation.recording import NAVIGATION, SESSION_ONLY

from .node import Answer, LiveNode

if TYPE_CHECKING:
    from andante.session.clip import Clip
    from andante.session.session import LiveSession


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
        self._navigates = False  # whether the navigation is recorded
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
        choice = self._choice(topics)
        missing = choice.missing(self.bus.topics())
        self._recorder = Recorder(self.bus, path, choice)
        self.file, self._count = path.name, 0
        note = f"; no publisher yet of {', '.join(missing)}" if missing else ""
        return {"message": f"{path.name}{note}", "file": path.name}

    def _choice(self, topics: tuple[str, ...] = ()) -> TopicChoice:
        """The named topics, else all that tell of the robot: those of the navigation once it has a goal."""
        self._navigates = bool(topics) or self._led
        exclude = SESSION_ONLY if self._navigates else (*SESSION_ONLY, *NAVIGATION)
        return TopicChoice(topics, exclude=() if topics else exclude)

    @property
    def _led(self) -> bool:
        return self.session.teleop.navigates

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
            if not self._navigates and self._led:
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

    def close(self) -> None:
        """End what is being made."""
        if self._clip is not None:
            self._clip.close()
        if self._recorder is not None:
            self._recorder.close()
        super().close()


def files(folder: Path, *patterns: str) -> list[str]:
    """Names of the files in a folder that fit one of the patterns, the newest last; half-written ones are left out."""
    found = [p for pattern in patterns for p in folder.glob(pattern) if not p.name.startswith(".")]
    return [p.name for p in sorted(found, key=lambda p: (p.stat().st_mtime, p.name))]


def recordings(folder: Path) -> list[str]:
    """Names of the recordings in a folder, the newest last."""
    return files(folder, "*.mcap", "*.bag")
