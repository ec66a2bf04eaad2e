"""ALRedBallDetection and ALLandMarkDetection: what the cameras see, by OpenCV, while somebody has subscribed."""

from __future__ import annotations

import math
import threading
from dataclasses import dataclass
from typing import Any

import numpy as np

from andante import vision
from andante.bridges.naoqi.model import position6d
from andante.bridges.naoqi.names import CAMERAS, FRAME_ROBOT
from andante.bridges.naoqi.service import Extractor, method

from .memory import Memory
from .video import Video

RESOLUTION = 1  # 320 x 240


@dataclass(frozen=True)
class Spot:
    """Something in a picture: angles of its center (left +, down +) and of its size [rad]."""

    yaw: float
    pitch: float
    width: float
    height: float
    heading: float = 0.0
    number: int = 0


def find_ball(pixels: np.ndarray, across: float) -> Spot | None:
    """The largest red disk in an RGB picture that is `across` wide [rad]; its sizes are angular radii."""
    ball = vision.find_ball(pixels, _eye(pixels, across))
    if ball is None:
        return None
    x, y, z = ball.direction.tolist()
    return Spot(math.atan2(y, x), -math.atan2(z, x), ball.radius, ball.radius)


def find_marks(pixels: np.ndarray, across: float) -> list[Spot]:
    """Square ArUco marks (4 x 4, 50 of them) in an RGB picture that is `across` wide [rad], with their numbers."""
    eye, out = _eye(pixels, across), []
    for mark in vision.find_marks(pixels, eye):
        x, y, z = eye.rays(mark.corners).T
        yaws, pitches = np.arctan2(y, x), -np.arctan2(z, x)
        top = mark.corners[1] - mark.corners[0]
        out.append(Spot(
            float(yaws.mean()), float(pitches.mean()), float(np.ptp(yaws)), float(np.ptp(pitches)),
            math.atan2(float(top[1]), float(top[0])), mark.number,
        ))  # fmt: skip
    return out


def _eye(pixels: np.ndarray, across: float) -> vision.Pinhole:
    return vision.Pinhole(pixels.shape[1], pixels.shape[0], across)


class Looking(Extractor):
    """An extractor that looks through a camera, in a thread of its own while somebody has subscribed."""

    def __init__(self, robot: Any) -> None:
        super().__init__(robot)
        self.camera = 0
        self._thread: threading.Thread | None = None
        self._closed = False

    def close(self) -> None:
        """Look no more."""
        self._closed = True

    def watch(self) -> None:
        """Begin to look where somebody wants it."""
        if self.active and (self._thread is None or not self._thread.is_alive()):
            self._thread = threading.Thread(target=self._look, name=self.name, daemon=True)
            self._thread.start()

    def _look(self) -> None:
        while self.active and not self._closed:
            try:
                self.look()
            except Exception as error:
                self.robot.say(f"{self.name}: {error}")
                self.subscribers.clear()
                return
            self.link.sleep(1e-3 * max(30, self.getCurrentPeriod()))

    def look(self) -> None:
        """Take a picture and tell what is in it."""

    def picture(self) -> tuple[np.ndarray, float]:
        """Pixels of now and how wide they look [rad]."""
        return self.robot.service(Video).shoot(self.camera, RESOLUTION).pixels, self.model.view(CAMERAS[self.camera])[0]

    def seen(self, parts: list[Any]) -> list[Any]:
        """What ALMemory tells of something that was seen: time, it, camera poses in torso and robot, camera."""
        shot = self.robot.service(Video).shoot(self.camera, RESOLUTION)
        joints, root = self.robot.sensed(), self.robot.world_from_root()
        camera = root @ self.model.root_from(CAMERAS[self.camera], joints)
        torso = root @ self.model.root_from(self.model.torso, joints)
        frame = self.model.world_from(FRAME_ROBOT, joints, root)
        poses = [position6d(np.linalg.inv(each) @ camera) for each in (torso, frame)]
        return [list(shot.stamp), *parts, *poses]

    @method("camera:int")
    def setActiveCamera(self, camera: int) -> bool:
        """0 top, 1 bottom."""
        self.camera = camera if camera in (0, 1) else self.camera
        return camera in (0, 1)

    @method()
    def getActiveCamera(self) -> int:
        """0 top, 1 bottom."""
        return self.camera


class RedBallDetection(Looking):
    """Looks for a red ball."""

    name = "ALRedBallDetection"
    outputs = ("redBallDetected",)

    def look(self) -> None:
        """redBallDetected, or an empty value."""
        ball = find_ball(*self.picture())
        memory = self.robot.service(Memory)
        if ball is None:
            memory.insertData("redBallDetected", [])
            return
        value = self.seen([[ball.yaw, ball.pitch, ball.width, ball.height]])
        memory.raise_event("redBallDetected", [*value, self.camera])


class LandMarkDetection(Looking):
    """Looks for marks: square ArUco ones take the place of the NAO's round ones."""

    name = "ALLandMarkDetection"
    outputs = ("LandmarkDetected",)

    def look(self) -> None:
        """LandmarkDetected, or an empty value."""
        marks = find_marks(*self.picture())
        memory = self.robot.service(Memory)
        if not marks:
            memory.insertData("LandmarkDetected", [])
            return
        listed = [[[0, m.yaw, m.pitch, m.width, m.height, m.heading], [m.number]] for m in marks]
        memory.raise_event("LandmarkDetected", [*self.seen([listed]), CAMERAS[self.camera]])
