"""ALRedBallDetection and ALLandMarkDetection: what the cameras see, by OpenCV, while somebody has subscribed."""

from __future__ import annotations

import math
import threading
from dataclasses import dataclass
from typing import Any

import numpy as np

from andante.bridges.naoqi.model import position6d
from andante.bridges.naoqi.names import CAMERAS, FRAME_ROBOT, HORIZONTAL_FOV
from andante.bridges.naoqi.service import Extractor, method

from .memory import Memory
from .video import Video, angles_at

RESOLUTION = 1  # 320 x 240
LEAST_AREA = 12.0  # of a ball [px]
ROUND = 0.55  # least share of its enclosing circle that a ball fills
REDS = (((0, 110, 60), (9, 255, 255)), ((170, 110, 60), (179, 255, 255)))  # hue [2 deg], saturation, value


@dataclass(frozen=True)
class Spot:
    """Something in a picture: angles of its center (left +, down +) and of its size [rad]."""

    yaw: float
    pitch: float
    width: float
    height: float
    heading: float = 0.0
    number: int = 0


def find_ball(pixels: np.ndarray) -> Spot | None:
    """The largest red disk in an RGB picture; its sizes are angular radii."""
    import cv2

    hsv = cv2.cvtColor(pixels, cv2.COLOR_RGB2HSV)
    mask = np.zeros(hsv.shape[:2], dtype=np.uint8)
    for low, high in REDS:
        mask |= cv2.inRange(hsv, np.array(low), np.array(high))
    found, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    best: tuple[float, Any] | None = None
    for outline in found:
        area = float(cv2.contourArea(outline))
        (x, y), radius = cv2.minEnclosingCircle(outline)
        if area >= LEAST_AREA and area >= ROUND * math.pi * radius**2 and (best is None or area > best[0]):
            best = (area, (x, y, radius))
    if best is None:
        return None
    x, y, radius = best[1]
    height, width = pixels.shape[:2]
    yaw, pitch = angles_at((x + 0.5) / width, (y + 0.5) / height)
    size = math.atan(radius * 2 * math.tan(HORIZONTAL_FOV / 2) / width)
    return Spot(yaw, pitch, size, size)


def find_marks(pixels: np.ndarray) -> list[Spot]:
    """Square ArUco marks (4 x 4, 50 of them) in an RGB picture, with their numbers."""
    import cv2

    detector = cv2.aruco.ArucoDetector(cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50))
    corners, numbers, _ = detector.detectMarkers(cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY))
    height, width = pixels.shape[:2]
    out = []
    for square, number in zip(corners, [] if numbers is None else numbers.ravel().tolist(), strict=True):
        places = [angles_at(float(x) / width, float(y) / height) for x, y in square.reshape(4, 2)]
        yaws, pitches = [p[0] for p in places], [p[1] for p in places]
        top = square.reshape(4, 2)[1] - square.reshape(4, 2)[0]
        out.append(Spot(
            sum(yaws) / 4, sum(pitches) / 4, max(yaws) - min(yaws), max(pitches) - min(pitches),
            math.atan2(float(top[1]), float(top[0])), int(number),
        ))  # fmt: skip
    return out


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
        ball = find_ball(self.robot.service(Video).shoot(self.camera, RESOLUTION).pixels)
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
        marks = find_marks(self.robot.service(Video).shoot(self.camera, RESOLUTION).pixels)
        memory = self.robot.service(Memory)
        if not marks:
            memory.insertData("LandmarkDetected", [])
            return
        listed = [[[0, m.yaw, m.pitch, m.width, m.height, m.heading], [m.number]] for m in marks]
        memory.raise_event("LandmarkDetected", [*self.seen([listed]), CAMERAS[self.camera]])
