"""Recordings and clips of a session, started and stopped from the bus."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from andante.errors import BadInput
from andante.runtime.live.files import file_in

from .node import Answer, LiveNode

if TYPE_CHECKING:
    from andante.runtime.live.clip import Clip
    from andante.runtime.live.session import LiveSession


class RecordingNode(LiveNode):
    """/clip; `recording`, `file` and `messages` are told on /status."""

    name = "recording"

    def __init__(self, session: LiveSession) -> None:
        super().__init__(session)
        self.offer("/clip", "andante_msgs/srv/Clip", self._film)
        self.recording, self.file, self.messages = False, "", 0
        self._clip: Clip | None = None
        self.lists = {"clips": self._clips}

    @property
    def folder(self) -> Any:
        """Where recordings and clips are kept."""
        return self.session.folder

    def _clips(self) -> dict[str, str]:
        found = sorted(p.name for p in self.folder.glob("*.mp4")) if self.folder.is_dir() else []
        return dict.fromkeys(found, "")

    def _film(self, request: Any) -> Answer:
        if self._clip is not None:
            raise BadInput("a clip is being made; wait until it is ready")
        from andante.runtime.live.clip import LONGEST, Clip

        seconds = float(request.seconds) or 5.0
        if not 0 < seconds <= LONGEST:
            raise BadInput(f"a clip lasts up to {LONGEST:g} s, got {seconds:g}")
        path = file_in(self.folder, str(request.name), "clip", ".mp4")
        self._clip = Clip(self.stage.sim, path, seconds)
        return {"message": f"{path.name}, {seconds:g} s", "file": path.name}

    def update(self) -> None:
        """Look at the scene for a clip, and say when it is ready."""
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
            self.bus.log("warn", "the scene was built anew; the clip is given up", self.name)

    def close(self) -> None:
        """End what is being made."""
        if self._clip is not None:
            self._clip.close()
        super().close()
