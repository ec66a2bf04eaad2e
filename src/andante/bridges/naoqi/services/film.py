"""ALVideoRecorder: films of what a camera sees, in a folder of this machine."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import numpy as np

from andante.bridges.naoqi.forms import CallError
from andante.bridges.naoqi.names import RESOLUTIONS
from andante.bridges.naoqi.service import method

from .video import Shooting, Video

FORMATS = {"MJPG": "MJPG", "IYUV": "I420"}  # what NAOqi calls them, and their four letters
LONGEST = 600.0  # [s]


class VideoRecorder(Shooting):
    """Films, picture by picture as the session's renderer gives them; a film lasts as long as what it shows."""

    name = "ALVideoRecorder"

    def __init__(self, robot: Any) -> None:
        super().__init__(robot)
        self._rate, self._format, self._space = 15.0, "MJPG", 13
        self._film: Film | None = None

    def close(self) -> None:
        """End the film that is being made."""
        if self._film is not None:
            self._film.end()

    @method("rate:float")
    def setFrameRate(self, rate: float) -> None:
        """Pictures a second, 1 to 30."""
        if not 1.0 <= rate <= 30.0:
            raise CallError(f"the frame rate is 1 to 30, got {rate:g}")
        self._rate = rate

    @method()
    def getFrameRate(self) -> float:
        """As it was set."""
        return self._rate

    @method("format:text")
    def setVideoFormat(self, kind: str) -> None:
        """MJPG or IYUV (not compressed)."""
        if kind not in FORMATS:
            raise CallError(f"the format is one of {', '.join(FORMATS)}, got {kind}")
        self._format = kind

    @method()
    def getVideoFormat(self) -> str:
        """As it was set."""
        return self._format

    @method("folder:text name:text overwrite:bool?", blocking=True)
    def startRecording(self, folder: str, name: str, overwrite: bool = True) -> None:
        """Begin a film NAME.avi in a folder."""
        if self.isRecording():
            raise CallError("a film is being made; stopRecording ends it")
        file = self.robot.file(folder, f"{Path(name).stem or 'video'}.avi")
        if file.exists() and not overwrite:
            raise CallError(f"{file.name} is there already")
        self._film = Film(self, file, FORMATS[self._format], self._rate, self._camera, self._resolution)

    @method(blocking=True)
    def stopRecording(self) -> list[Any]:
        """End it: how many pictures it has, and its path."""
        if self._film is None:
            raise CallError("no film is being made")
        film, self._film = self._film, None
        return [film.end(), str(film.file)]

    @method()
    @method(name="isVideoRecording")
    def isRecording(self) -> bool:
        """Whether a film is being made."""
        return self._film is not None and self._film.goes_on


class Film:
    """One film, written in a thread of its own; a picture of a slow renderer stands until the next one."""

    def __init__(self, owner: VideoRecorder, file: Path, kind: str, rate: float, camera: int, resolution: int) -> None:
        import cv2

        self.file, self._owner, self._rate = file, owner, rate
        self._shoot = (camera, resolution)
        self._writer = cv2.VideoWriter(str(file), cv2.VideoWriter.fourcc(*kind), rate, RESOLUTIONS[resolution])
        if not self._writer.isOpened():
            raise CallError(f"{file.name} cannot be written")
        self.count, self.goes_on = 0, True
        self._thread = threading.Thread(target=self._run, name=f"film {file.name}", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        link, video = self._owner.link, self._owner.robot.service(Video)
        begin = link.now
        try:
            while self.goes_on and link.now - begin < LONGEST:
                shot = video.shoot(*self._shoot)
                due = max(self.count + 1, round((link.now - begin) * self._rate))
                picture = np.ascontiguousarray(shot.pixels[:, :, ::-1])
                for _ in range(due - self.count):
                    self._writer.write(picture)
                self.count = due
                link.sleep(max(0.005, begin + self.count / self._rate - link.now))
        except Exception as error:  # the session ends
            self._owner.robot.say(f"ALVideoRecorder: {error}")
        self.goes_on = False
        self._writer.release()

    def end(self) -> int:
        """Stop; how many pictures it has."""
        self.goes_on = False
        self._thread.join(10.0)
        return self.count
