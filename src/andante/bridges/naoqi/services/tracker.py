"""ALTracker, ALRedBallTracker and ALFaceTracker: head and feet follow a target that the cameras see."""

from __future__ import annotations

import math
import threading
from typing import Any

import numpy as np

from andante.bridges.naoqi.forms import CallError
from andante.bridges.naoqi.model import from_position6d
from andante.bridges.naoqi.names import CAMERAS, FRAME_ROBOT, FRAME_TORSO
from andante.bridges.naoqi.service import Service, method
from andante.geometry import Array

from .memory import Memory
from .motion import Motion
from .motion.walk import gait_of, speeds_of
from .video import Video
from .vision import RESOLUTION, Spot, find_ball, find_marks

TARGETS = ("RedBall", "Face", "LandMark", "LandMarks", "People", "Sound")
MODES = ("Head", "BodyRotation", "WholeBody", "Move", "Navigate")
BALL = 0.06  # usual diameter of a red ball [m]
PERIOD = 0.1  # [s]
LOST = 1.0  # after which a target counts as lost [s]
GAIN = 0.6  # share of the angle to the target that the head turns at once
FARTHEST = 5.0  # [m]


class Tracker(Service):
    """Follows a target: RedBall and LandMark are seen, Face, People and Sound never."""

    name = "ALTracker"

    def __init__(self, robot: Any) -> None:
        super().__init__(robot)
        self._targets: dict[str, Any] = {}
        self._active, self._mode, self._effector = "", "Head", "None"
        self._relative = [0.3, 0.0, 0.0, 0.1, 0.1, 0.3]
        self._place: Array | None = None  # of the target in FRAME_ROBOT [m]
        self._seen_at = -math.inf
        self._search = True
        self._thread: threading.Thread | None = None

    def close(self) -> None:
        """Follow no more."""
        self._active = ""

    # ---- targets -----------------------------------------------------------------------------------
    @method("name:text parameters:any?")
    def registerTarget(self, name: str, parameters: Any = None) -> None:
        """RedBall with its diameter [m], LandMark with [size, [numbers]], Face with its width ..."""
        if name not in TARGETS:
            raise CallError(f"no target {name}; there are {', '.join(TARGETS)}")
        self._targets[name] = parameters

    @method("name:text")
    def unregisterTarget(self, name: str) -> None:
        """Forget a target."""
        self._targets.pop(name, None)

    @method("names:names")
    def unregisterTargets(self, names: list[str]) -> None:
        """Forget some."""
        for name in names:
            self.unregisterTarget(name)

    @method()
    def unregisterAllTargets(self) -> None:
        """Forget all."""
        self._targets.clear()

    @method()
    def getRegisteredTargets(self) -> list[str]:
        """Their names."""
        return list(self._targets)

    @method()
    def getSupportedTargets(self) -> list[str]:
        """All that can be registered."""
        return list(TARGETS)

    @method("name:text")
    def track(self, name: str) -> None:
        """Follow a target from now on."""
        if name not in self._targets:
            raise CallError(f"target {name} is not registered")
        self._active, self._seen_at, self._place = name, self.link.now, None
        self.robot.service(Memory).raise_event("ALTracker/ActiveTargetChanged", name)
        if self._thread is None or not self._thread.is_alive():
            self._thread = threading.Thread(target=self._follow, name="ALTracker", daemon=True)
            self._thread.start()

    @method("name:text event:text?")
    def trackEvent(self, name: str, _: str = "") -> None:
        """Noted."""
        self._active = name

    @method()
    def stopTracker(self) -> None:
        """Follow no more."""
        was, self._active = self._active, ""
        if was and self._mode in ("Move", "Navigate", "WholeBody"):
            self.link.drive(None)

    @method()
    def getActiveTarget(self) -> str:
        """Its name."""
        return self._active

    @method()
    def isActive(self) -> bool:
        """Whether it follows something."""
        return bool(self._active)

    @method()
    def isTargetLost(self) -> bool:
        """Whether it has not been seen for a second."""
        return bool(self._active) and self.link.now - self._seen_at > LOST

    @method()
    def isNewTargetDetected(self) -> bool:
        """Whether it is seen now."""
        return self._place is not None and self.link.now - self._seen_at < LOST

    @method("frame:int?")
    def getTargetPosition(self, frame: int = FRAME_TORSO) -> list[float]:
        """x, y, z [m] of the target, empty where it was never seen."""
        if self._place is None:
            return []
        joints, root = self.robot.sensed(), self.robot.world_from_root()
        world = self.model.world_from(FRAME_ROBOT, joints, root) @ np.append(self._place, 1.0)
        found = np.linalg.inv(self.model.world_from(frame, joints, root)) @ world
        return [float(v) for v in found[:3]]

    # ---- ways --------------------------------------------------------------------------------------
    @method("mode:text")
    def setMode(self, mode: str) -> None:
        """Head, WholeBody, Move ..."""
        if mode not in MODES:
            raise CallError(f"the mode is one of {', '.join(MODES)}, got {mode}")
        self._mode = mode

    @method()
    def getMode(self) -> str:
        """As it was set."""
        return self._mode

    @method()
    def getAvailableModes(self) -> list[str]:
        """All."""
        return list(MODES)

    @method("effector:text")
    def setEffector(self, effector: str) -> None:
        """None, Arms, LArm or RArm."""
        if effector not in ("None", "Arms", "LArm", "RArm"):
            raise CallError(f"the effector is None, Arms, LArm or RArm, got {effector}")
        self._effector = effector

    @method()
    def getEffector(self) -> str:
        """As it was set."""
        return self._effector

    @method("position:numbers")
    def setRelativePosition(self, position: Any) -> None:
        """Where to stay from the target: x, y [m], theta, and tolerances of each."""
        if not isinstance(position, list) or len(position) not in (3, 6):
            raise CallError("the relative position has 6 numbers")
        self._relative = [*position, *self._relative[len(position) :]]

    @method()
    def getRelativePosition(self) -> list[float]:
        """As it was set."""
        return self._relative

    @method("on:bool")
    def toggleSearch(self, on: bool) -> None:
        """Whether it looks round for a target that it has lost."""
        self._search = on

    @method()
    def isSearchEnabled(self) -> bool:
        """As it was set."""
        return self._search

    # ---- looking -----------------------------------------------------------------------------------
    def _direction(self, place: Any, frame: int) -> tuple[float, float]:
        joints, root = self.robot.commanded(), self.robot.world_from_root()
        torso = root @ self.model.root_from(self.model.torso, joints)
        point = np.linalg.inv(torso) @ self.model.world_from(frame, joints, root) @ np.append(place, 1.0)
        neck = np.linalg.inv(self.model.root_from(self.model.torso, joints)) @ self.model.root_from("Head", joints)
        x, y, z = (point[:3] - neck[:3, 3]).tolist()
        return math.atan2(y, x), -math.atan2(z, math.hypot(x, y))

    @method("place:numbers frame:int fraction:fraction whole:bool? | place:numbers fraction:fraction whole:bool?",
            blocking=True)  # fmt: skip
    def lookAt(self, place: Any, *given: Any) -> None:
        """Turn the head to x, y, z [m] in a frame, and wait."""
        frame, fraction = (given[0], given[1]) if len(given) > 1 and not isinstance(given[1], bool) else (0, given[0])
        if not isinstance(place, list) or len(place) < 3:
            raise CallError("a place has three numbers")
        yaw, pitch = self._direction(place[:3], int(frame))
        self.robot.service(Motion).angleInterpolationWithSpeed(["HeadYaw", "HeadPitch"], [yaw, pitch], fraction)

    @method("effector:text place:numbers frame:int fraction:fraction", blocking=True)
    def pointAt(self, effector: str, place: Any, frame: int, fraction: float) -> None:
        """Point with an arm to x, y, z [m] in a frame, and wait."""
        if effector not in ("LArm", "RArm", "Arms"):
            raise CallError(f"the effector is LArm, RArm or Arms, got {effector}")
        arms = ("LArm", "RArm") if effector == "Arms" else (effector,)
        joints, root = self.robot.commanded(), self.robot.world_from_root()
        torso = root @ self.model.root_from(self.model.torso, joints)
        point = (np.linalg.inv(torso) @ self.model.world_from(frame, joints, root) @ np.append(place[:3], 1.0))[:3]
        targets: dict[str, float] = {}
        for arm in arms:
            shoulder = self.model.root_from(f"{arm[0]}ShoulderPitch", joints)[:3, 3]
            way = point - shoulder
            reached = shoulder + 0.2 * way / max(1e-6, float(np.linalg.norm(way)))
            targets |= self.model.solve(arm, from_position6d([*reached, 0.0, 0.0, 0.0]), 7, joints)
        motion = self.robot.service(Motion)
        motion.angleInterpolationWithSpeed(list(targets), list(targets.values()), fraction)

    # ---- following ---------------------------------------------------------------------------------
    def _spot(self) -> tuple[Spot, int, float] | None:
        """The target in the picture of a camera: where, by which camera, and how far [m]."""
        for camera in (0, 1):
            pixels = self.robot.service(Video).shoot(camera, RESOLUTION).pixels
            across = self.model.view(CAMERAS[camera])[0]
            if self._active == "RedBall":
                ball = find_ball(pixels, across)
                size = float(self._targets.get("RedBall") or BALL)
                if ball is not None:
                    return ball, camera, 0.5 * size / math.tan(max(1e-3, ball.width))
            elif self._active.startswith("LandMark"):
                wanted = self._targets.get(self._active) or [0.1, []]
                size, numbers = (float(wanted[0]), list(wanted[1])) if isinstance(wanted, list) else (float(wanted), [])
                for mark in find_marks(pixels, across):
                    if not numbers or mark.number in numbers:
                        return mark, camera, 0.5 * size / math.tan(max(1e-3, mark.width / 2))
            else:
                return None
        return None

    def _follow(self) -> None:
        lost = False
        while self._active:
            try:
                found = self._spot()
                if found is not None:
                    self._see(*found)
                    lost = False
                elif self.link.now - self._seen_at > LOST and not lost:
                    lost = True
                    self.robot.service(Memory).raise_event("ALTracker/TargetLost", self._active)
                    if self._mode in ("Move", "Navigate", "WholeBody"):
                        self.link.drive(None)
            except Exception as error:
                self.robot.say(f"ALTracker: {error}")
                self._active = ""
            self.link.sleep(PERIOD)

    def _see(self, spot: Spot, camera: int, distance: float) -> None:
        joints, root = self.robot.sensed(), self.robot.world_from_root()
        seen = root @ self.model.root_from(CAMERAS[camera], joints)
        far = min(distance, FARTHEST)
        ray = np.array([1.0, math.tan(spot.yaw), -math.tan(spot.pitch)])
        world = seen @ np.append(far * ray / np.linalg.norm(ray), 1.0)
        self._place = (np.linalg.inv(self.model.world_from(FRAME_ROBOT, joints, root)) @ world)[:3]
        self._seen_at = self.link.now
        yaw, pitch = self._direction(self._place, FRAME_ROBOT)
        angles = {}
        for name, wanted in (("HeadYaw", yaw), ("HeadPitch", pitch)):
            angles[name] = self.model.clip(name, joints[name] + GAIN * (wanted - joints[name]))
        self.robot.send_angles(angles, 0.3)
        if self._mode in ("Move", "Navigate", "WholeBody"):
            self._approach()

    def _approach(self) -> None:
        assert self._place is not None
        x, y = float(self._place[0]), float(self._place[1])
        dx, dy, _, tx, ty, tt = self._relative
        ahead, aside, turn = x - dx, y - dy, math.atan2(y, max(x, 0.05))
        if abs(ahead) <= tx and abs(aside) <= max(ty, 0.02) and abs(turn) <= max(tt, 0.1):
            self.link.drive(None)
            self.robot.service(Memory).raise_event("ALTracker/TargetReached", self._active)
            return
        vx, vy, wz = speeds_of(gait_of([]))
        self.link.drive((max(-vx, min(vx, ahead)), max(-vy, min(vy, 0.3 * aside)), max(-wz, min(wz, turn))))


class RedBallTracker(Service):
    """The tracker of old programs."""

    name = "ALRedBallTracker"
    target = "RedBall"

    def _tracker(self) -> Tracker:
        return self.robot.service(Tracker)

    @method()
    def startTracker(self) -> None:
        """Follow with the head."""
        self._tracker().registerTarget(self.target, BALL)
        self._tracker().track(self.target)

    @method()
    def stopTracker(self) -> None:
        """Follow no more."""
        self._tracker().stopTracker()

    @method()
    def isActive(self) -> bool:
        """Whether it follows."""
        return self._tracker().isActive()

    @method()
    def isNewData(self) -> bool:
        """Whether the target is seen now."""
        return self._tracker().isNewTargetDetected()

    @method()
    def getPosition(self) -> list[float]:
        """x, y, z [m] in the torso."""
        return self._tracker().getTargetPosition(FRAME_TORSO) or [0.0, 0.0, 0.0]

    @method("on:bool")
    def setWholeBodyOn(self, on: bool) -> None:
        """Noted."""
        self._tracker().setMode("WholeBody" if on else "Head")


class FaceTracker(RedBallTracker):
    """Faces are never seen."""

    name = "ALFaceTracker"
    target = "Face"
