"""`NaoqiRobot`: what all services share: the link to the session, the model, running calls, and each other."""

from __future__ import annotations

import threading
from collections import Counter
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from andante.bags import messages
from andante.bridges.client import Say
from andante.geometry import Array, so3

from .forms import CallError
from .link import RobotLink
from .model import RobotModel, read_robot, transform
from .tasks import Tasks

if TYPE_CHECKING:
    from .service import Method, Service

S = TypeVar("S", bound="Service")
JOINTS, TARGETS, ODOM, STATUS = "/joint_states", "/joint_targets/executed", "/odom", "/status"
STIFFNESS = "andante_msgs/srv/SetStiffness"


class NaoqiRobot:
    """A robot whose services are being offered. Made by a thread that is not the loop's."""

    def __init__(self, link: RobotLink, say: Say, folder: Path, sound: bool = True) -> None:
        self.link, self.say, self.folder, self.sound = link, say, folder, sound
        text = link.latest("/robot_description", 20.0)
        if text is None or not text.data:
            raise CallError("the session tells no /robot_description")
        self.model = RobotModel(read_robot(str(text.data)))
        self.tasks = Tasks()
        self.services: dict[str, Service] = {}
        self.stiffness = dict.fromkeys(self.model.joints, 1.0)
        self.calls: Counter[str] = Counter()
        self.stubbed: Counter[str] = Counter()
        self._lock = threading.Lock()
        self.ranges: dict[str, float] = {}  # what the sonars tell by their side [m]
        self._sensed: tuple[Any, dict[str, float]] = (None, {})  # a message, and what it says
        link.told = self._told
        for topic in (JOINTS, STATUS):
            link.listen(topic)
        for topic in (TARGETS, ODOM, "/switches"):
            link.listen(topic, 0.02)
        for topic in (JOINTS, STATUS, ODOM):
            if link.latest(topic, 20.0) is None:
                raise CallError(f"the session tells no {topic}")

    def _told(self, topic: str, message: Any) -> None:
        """Both sonars tell on one topic: keep the last of each."""
        if topic == "/sonar":
            frame = str(message.header.frame_id)
            self.ranges["Left" if "Left" in frame or frame.startswith("L") else "Right"] = float(message.range)

    def service(self, kind: type[S]) -> S:
        """Another service."""
        found = self.services[kind.name]
        assert isinstance(found, kind)
        return found

    def count(self, service: str, declared: Method) -> None:
        """Note a call; the first of a stub is told."""
        name = f"{service}.{declared.name}"
        with self._lock:
            self.calls[name] += 1
            if declared.stub:
                self.stubbed[name] += 1
                if self.stubbed[name] == 1:
                    self.say(f"{name} has no counterpart here; it is answered by an empty value")

    # ---- files -------------------------------------------------------------------------------------
    def existing(self, path: str) -> Path:
        """Where a file of the robot lies on this machine: in the folder of the bridge, wherever it was on the robot."""
        parts = [part for part in PurePosixPath(path.replace("\\", "/")).parts if part not in ("/", ".", "..")]
        if not parts or any("\0" in part or ":" in part for part in parts):
            raise CallError(f"{path!r} is no path of a file")
        return self.folder.joinpath(*parts)

    def file(self, folder: str, name: str) -> Path:
        """A file of the robot to be written; its folder is made."""
        path = self.existing(f"{folder}/{name}")
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    # ---- what is felt ------------------------------------------------------------------------------
    def sensed(self) -> dict[str, float]:
        """Joints by their encoders [rad]."""
        message = self.link.latest(JOINTS)
        if self._sensed[0] is not message:
            self._sensed = (message, _by_name(message))
        return dict(self._sensed[1])

    def commanded(self) -> dict[str, float]:
        """Joints as the servos are told [rad]."""
        message = self.link.latest(TARGETS, 0.5)
        found = self.sensed()
        if message is not None and len(message.position):
            found |= {name: v for name, v in _by_name(message).items() if np.isfinite(v)}
        return found

    def joints(self, sensors: bool) -> dict[str, float]:
        """By encoders or as commanded."""
        return self.sensed() if sensors else self.commanded()

    def world_from_root(self) -> Array:
        """Pose (4, 4) of the root in odom, by the robot's own estimate."""
        pose = self.link.latest(ODOM).pose.pose
        p, q = pose.position, pose.orientation
        return transform((p.x, p.y, p.z), so3.from_quaternion((q.x, q.y, q.z, q.w)))

    @property
    def status(self) -> Any:
        """The last /status."""
        return self.link.latest(STATUS)

    @property
    def fallen(self) -> bool:
        """Whether the fall manager says so."""
        return str(self.status.fall_state) not in ("", "upright")

    # ---- what is done ------------------------------------------------------------------------------
    def send_angles(self, angles: dict[str, float], fraction: float) -> None:
        """Send joints to positions, soon, at a fraction of their maximal speed."""
        names = list(angles)
        fields = {
            "joint_names": names,
            "joint_angles": np.array([angles[name] for name in names], dtype=np.float32),
            "speed": fraction,
        }
        kind = "naoqi_bridge_msgs/msg/JointAnglesWithSpeed"
        self.link.publish("/joint_angles", kind, fields, tuple(sorted(names)))

    def interpolate(self, points: dict[str, tuple[list[float], list[float]]], relative: bool = False) -> bool:
        """Move joints through times and positions and wait for the end; False where it was called off or taken."""
        times = [t for each, _ in points.values() for t in each]
        places = [p for _, each in points.values() for p in each]
        done, _ = self.link.work(
            "/interpolate_joints", "andante_msgs/action/InterpolateJoints", joints=list(points),
            counts=np.array([len(each) for each, _ in points.values()], dtype=np.uint32),
            times=np.array(times, dtype=float), positions=np.array(places, dtype=float), relative=relative,
        )  # fmt: skip
        return done

    def set_stiffness(self, wanted: dict[str, float]) -> None:
        """Set the stiffness of joints, those that change."""
        levels: dict[float, list[str]] = {}
        for name, value in wanted.items():
            if self.stiffness[name] != value:
                levels.setdefault(value, []).append(name)
                self.stiffness[name] = value
        for value, names in levels.items():
            self.link.call("/set_stiffness", STIFFNESS, joints=names, share=value)

    def say_aloud(self, text: str) -> None:
        """Words for the page and the log."""
        self.link.publish("/speech", "std_msgs/msg/String", {"data": text})

    def fade(self, name: str, color: tuple[float, float, float], seconds: float) -> None:
        """A light fades to a color."""
        red, green, blue = color
        fields = {
            "led_name": name,
            "color": {"r": red, "g": green, "b": blue, "a": 1.0},
            "fade_duration": messages.duration(max(0.0, seconds)),
        }
        self.link.publish("/fade_rgb", "naoqi_bridge_msgs/msg/FadeRGB", fields, name)


def _by_name(message: Any) -> dict[str, float]:
    return dict(zip((str(name) for name in message.name), np.asarray(message.position).tolist(), strict=False))
