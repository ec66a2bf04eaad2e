"""ALRobotPosture."""

from __future__ import annotations

import math
from typing import Any

from andante.bridges.naoqi.forms import CallError
from andante.bridges.naoqi.names import FAMILIES
from andante.bridges.naoqi.service import Service, method

from .memory import Memory

NEAR = 0.2  # joints this near to a posture have it [rad]
LYING = math.radians(55.0)  # a torso that leans further lies
ALIASES = {"poseinit": "StandInit", "posezero": "StandZero", "standup": "Stand", "init": "StandInit"}
WALKS = ("moveTo", "walkTo", "navigateTo")
UP_TIME, SETTLE = 60.0, 0.5  # to get up; to come to rest off the feet [s]
PACE = 0.5  # speed of the session's poses at the full speed of a posture
WAYS = {"Sit": ("sit_down",), "SitRelax": ("sit_down_relaxed",), "LyingBack": ("lie_down_back",),
        "LyingBelly": ("lie_down_belly",)}  # fmt: skip


class Posture(Service):
    """Goes to postures by their names and tells in which one the robot is."""

    name = "ALRobotPosture"

    def __init__(self, robot: Any) -> None:
        super().__init__(robot)
        self._tries = 3
        self._poses: dict[str, dict[str, float]] = {}
        self._last = ("", "")
        self._taken: tuple[str, dict[str, float]] = (
            "",
            {},
        )  # a posture off the feet, and the joints that it ended with

    def start(self) -> None:
        """The postures that the session knows."""
        for name in FAMILIES:
            try:
                found = self.link.call("/get_pose", "andante_msgs/srv/GetPose", name=name)
            except CallError:
                continue
            self._poses[name] = dict(zip(map(str, found.joints), found.positions.tolist(), strict=True))

    # ---- where it is -------------------------------------------------------------------------------
    def tilt(self) -> tuple[float, float]:
        """How far the torso leans from upright, and how much of that ahead (1: on the belly, -1: on the back)."""
        up = self.robot.world_from_root()[2, :3]
        return math.acos(max(-1.0, min(1.0, float(up[2])))), -float(up[0])

    @method()
    def getPosture(self) -> str:
        """The posture that the robot is in, or Unknown."""
        joints, lies = self.robot.sensed(), self.tilt()[0] > LYING
        name, ended = self._taken
        if name and all(abs(joints[joint] - value) < NEAR for joint, value in ended.items()):
            return name
        best, least = "Unknown", NEAR
        for name, pose in self._poses.items():
            if lies != name.startswith("Lying"):
                continue
            names = [joint for joint in pose if joint in joints and not joint.endswith("Hand")]
            worst = max(abs(joints[joint] - pose[joint]) for joint in names)
            if worst < least:
                best, least = name, worst
        return best

    @method()
    def getPostureFamily(self) -> str:
        """Standing, Sitting, LyingBelly ..., or Unknown."""
        tilt, ahead = self.tilt()
        if tilt > LYING:
            return "LyingBelly" if ahead > 0.5 else "LyingBack" if ahead < -0.5 else "Unknown"
        found = self.getPosture()
        if found != "Unknown":
            return FAMILIES[found]
        joints = self.robot.sensed()
        knees = [joints.get(f"{side}KneePitch", 0.0) for side in "LR"]
        hips = [joints.get(f"{side}HipPitch", 0.0) for side in "LR"]
        if max(hips) < -1.2:
            return "Sitting"
        return "Standing" if max(knees) < 1.9 else "Crouching"

    @method()
    def getPostureList(self) -> list[str]:
        """All that can be asked for."""
        return sorted(self._poses)

    @method()
    def getPostureFamilyList(self) -> list[str]:
        """All families."""
        return ["Belly", "Left", "Back", "Right", "Sitting", "SittingOnChair", "Standing", "Unknown"]

    # ---- going there -------------------------------------------------------------------------------
    def _known(self, name: str) -> str | None:
        wanted = ALIASES.get(name.casefold(), name).casefold()
        return next((each for each in self._poses if each.casefold() == wanted), None)

    def go(self, name: str, speed: float) -> bool:
        """Go to a posture, getting up where need be; whether the robot is there."""
        pose = self._known(name)
        if pose is None:
            self.robot.say(f"ALRobotPosture.goToPosture: no posture {name}; there are {', '.join(sorted(self._poses))}")
            return False
        self.tasks.cancel(lambda task: task.method in WALKS)
        self.link.drive(None)  # who takes a posture walks no more
        if not self.tasks.own(self.model.joints):
            return False
        self.robot.set_stiffness(dict.fromkeys(self.model.joints, 1.0))
        for _ in range(max(1, self._tries)):
            if not self.link.wait_until(lambda: not self.robot.fallen, UP_TIME):
                return False
            if (FAMILIES[pose] != "Standing" or self.rise()) and self._take(pose, speed):
                return True
        return False

    def rise(self) -> bool:
        """Get up where the robot lies or sits; whether it stands."""
        if self.getPostureFamily() in ("Standing", "Crouching"):
            return True
        self._taken = ("", {})
        self.link.call("/play", "andante_msgs/srv/Play", name="get_up", speed=1.0, rounds=0)
        self.link.sleep(1.0)
        return self.link.wait_until(lambda: self.getPostureFamily() == "Standing" and self._rests(), UP_TIME)

    def _rests(self) -> bool:
        return bool(self.robot.status.standing) and str(self.robot.status.behaviour) != "get up"

    def _take(self, pose: str, speed: float) -> bool:
        try:
            kind = "naoqi_bridge_msgs/action/BodyPoseWithSpeed"
            done, _ = self.link.work("/body_pose_with_speed", kind, posture_name=self._way(pose), speed=PACE * speed)
        except CallError as error:
            self.robot.say(f"ALRobotPosture.goToPosture({pose}): {error}")
            return False
        if not done:
            return False
        if FAMILIES[pose] != "Standing":
            self.link.sleep(SETTLE)
            there = self.getPostureFamily() == FAMILIES[pose]
            self._taken = (pose, self.robot.sensed()) if there else ("", {})
            return there
        self._taken = ("", {})
        return self.link.wait_until(lambda: self.getPosture() == pose, 2.0) or self._near(pose)

    def _way(self, pose: str) -> str:
        """A motion of the robot that leads there where it is no standing posture, else the posture itself."""
        if FAMILIES[pose] == "Standing":
            return pose
        known = set(map(str, self.link.call("/list", "andante_msgs/srv/List", kind="motions").names))
        return next((name for name in WAYS.get(pose, ()) if name in known), pose)

    def _near(self, pose: str) -> bool:
        joints = self.robot.sensed()
        return all(abs(joints[n] - v) < 2 * NEAR for n, v in self._poses[pose].items() if n in joints)

    @method("posture:text speed:float extra:any*", blocking=True)
    def goToPosture(self, name: str, speed: float, *_: Any) -> bool:
        """Go to a posture at a fraction of the speed, getting up where need be; whether the robot is there."""
        if not 0.0 < speed <= 1.0:
            raise CallError(f"the speed is a fraction above 0 and up to 1, got {speed:g}")
        return self.go(name, speed)

    @method("posture:text speed:float", blocking=True)
    def applyPosture(self, name: str, speed: float) -> bool:
        """Bring the joints straight to a posture."""
        pose = self._known(name)
        if pose is None:
            return False
        joints, here = self._poses[pose], self.robot.commanded()
        if not self.tasks.own(joints):
            return False
        fraction = max(0.05, min(1.0, speed))
        way = max(abs(v - here[n]) / (fraction * self.model.limits(n)[2]) for n, v in joints.items())
        time = max(0.3, 1.5 * way)
        points = {n: ([time], [self.model.clip(n, v)]) for n, v in joints.items() if n != "RHipYawPitch"}
        return self.robot.interpolate(points)

    @method()
    def stopMove(self) -> None:
        """Stop on the way to a posture."""
        self.tasks.cancel(lambda task: task.method in ("goToPosture", "applyPosture"))

    @method("tries:int")
    def setMaxTryNumber(self, tries: int) -> None:
        """How often it tries to get up."""
        if tries != -1 and tries < 1:
            raise CallError(f"the number of tries is 1 or more, or -1, got {tries}")
        self._tries = 10 if tries == -1 else min(tries, 10)

    def watch(self) -> None:
        """Tell of another posture."""
        if not self._poses:
            return
        found = (self.getPosture(), self.getPostureFamily())
        memory = self.robot.service(Memory)
        if found[0] != self._last[0]:
            memory.raise_event("PostureChanged", found[0])
        if found[1] != self._last[1]:
            memory.raise_event("PostureFamilyChanged", found[1])
        self._last = found
