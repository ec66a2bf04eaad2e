"""`FrameTree`, and ROS bags: scans, odometry, IMU and frames of rosbag1, rosbag2 (.db3, .mcap) and MCAP files."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from andante.bags import Bag, BagTopic, messages, open_bag
from andante.description import load_robot
from andante.description.io.xmltree import read_bytes
from andante.errors import BadInput
from andante.geometry import SE3, so3
from andante.mapping.records import ImuReading, Log, Odometry, Record, believable
from andante.mapping.scan import Scan

MAX_BYTES = 1024 * 1024
ROBOT_FILES = (".urdf", ".xacro", ".sdf", ".xml", ".mjcf")


class FrameTree:
    """Frames with the pose of each in its parent; names without a leading slash."""

    def __init__(self) -> None:
        self._up: dict[str, tuple[str, SE3]] = {}

    def set(self, parent: str, child: str, pose: SE3) -> None:
        """Put a child into its parent: parent_from_child."""
        self._up[bare(child)] = (bare(parent), pose)

    def __contains__(self, frame: str) -> bool:
        return bare(frame) in self._up or any(parent == bare(frame) for parent, _ in self._up.values())

    @property
    def names(self) -> tuple[str, ...]:
        """All frames."""
        return tuple(sorted({*self._up, *(parent for parent, _ in self._up.values())}))

    def pose(self, base: str, frame: str) -> SE3 | None:
        """base_from_frame, or None where the two do not hang together."""
        ours, theirs = self._chain(bare(base)), self._chain(bare(frame))
        for name, pose in theirs.items():
            if name in ours:
                return ours[name].inverse() @ pose
        return None

    def outermost(self, frame: str, roots: Sequence[str]) -> SE3 | None:
        """root_from_frame of the outermost of some frames that it hangs below (or is), None where there is none."""
        found = [pose for name, pose in self._chain(bare(frame)).items() if name in roots]
        return found[-1] if found else None

    def _chain(self, frame: str) -> dict[str, SE3]:
        """Every frame above (and itself) with its pose of `frame`: above_from_frame."""
        poses = {frame: SE3.identity()}
        at, pose = frame, SE3.identity()
        while at in self._up:
            parent, step = self._up[at]
            if parent in poses:  # a loop
                break
            pose = step @ pose
            poses[parent] = pose
            at = parent
        return poses


def bare(frame: str) -> str:
    """A frame name without the slash that ROS 1 put in front."""
    return frame.lstrip("/")


def read_frames(path: Path) -> FrameTree:
    """Frames of a robot file, or of text lines `parent child x y z yaw pitch roll` or `... x y z qx qy qz qw`."""
    if path.suffix.lower() in ROBOT_FILES:
        return _of_robot(path)
    tree = FrameTree()
    for number, line in enumerate(read_bytes(path, MAX_BYTES).decode("utf-8", errors="replace").splitlines(), start=1):
        words = line.split("#")[0].replace(",", " ").split()
        if not words:
            continue
        where = f"{path}:{number}"
        try:
            values = np.array(words[2:], dtype=float)
        except ValueError:
            values = np.zeros(0)
        if len(values) not in (6, 7) or not believable(values):
            raise BadInput(f"{where}: a line is 'parent child x y z yaw pitch roll' or '... x y z qx qy qz qw'")
        if len(values) == 7 and np.linalg.norm(values[3:]) < 1e-6:
            raise BadInput(f"{where}: the quaternion is zero")
        pose = SE3.from_vector(values) if len(values) == 7 else SE3.from_xyz_rpy(values[:3], values[:2:-1])
        tree.set(words[0], words[1], pose)
    if not tree.names:
        raise BadInput(f"{path}: holds no frames; a line is 'parent child x y z yaw pitch roll'")
    return tree


def _of_robot(path: Path) -> FrameTree:
    robot, tree = load_robot(str(path)), FrameTree()
    for name, pose in robot.link_poses().items():
        if name != robot.root:
            tree.set(robot.root, name, pose)
    return tree


SCAN, ODOM, IMU, TF = (
    "sensor_msgs/msg/LaserScan",
    "nav_msgs/msg/Odometry",
    "sensor_msgs/msg/Imu",
    "tf2_msgs/msg/TFMessage",
)
TF_TYPES = (TF, "tf/msg/tfMessage")
USUAL = {
    SCAN: ("/scan", "/base_scan", "/scan_filtered"),
    ODOM: ("/odom", "/odometry/filtered"),
    IMU: ("/imu/data", "/imu"),
}
BASES = ("base_footprint", "base_link", "base")
ODOM_FRAMES = ("odom", "odom_combined")


@dataclass(frozen=True)
class LogOptions:
    """What cannot be guessed from a log; empty: guess."""

    scan: str = ""  # topic of the scans; in a CARMEN log the kind of line, FLASER or RLASER
    odom: str = ""  # topic of the odometry
    imu: str = ""  # topic of the IMU
    base_frame: str = ""  # frame of the robot
    tf: Path | None = None  # robot file, or lines `parent child x y z yaw pitch roll`


def read_bag(path: Path, options: LogOptions) -> Log:
    """Records of a bag in the order in which they were recorded."""
    with open_bag(path) as bag:
        return _Reader(bag, options).read()


class _Reader:
    def __init__(self, bag: Bag, choice: LogOptions) -> None:
        self.bag, self.path, self.choice = bag, bag.path, choice
        self.frames = FrameTree()
        if choice.tf is not None:
            self.frames = read_frames(choice.tf)
        self._told = self.frames.names  # by the file
        self.notes: list[str] = []
        self.broken = 0

    def read(self) -> Log:
        read = list(self._messages())
        base = self._base(read)
        records: list[Record] = []
        places: dict[str, tuple[SE3, bool]] = {}
        mounts: dict[str, SE3 | None] = {}  # of IMUs
        through_tf = not any(kind == ODOM for kind, _, _ in read) and not self.choice.odom
        for kind, time, message in read:
            with self._counted():
                if kind == SCAN:
                    frame = bare(message.header.frame_id)
                    if frame not in places:
                        places[frame] = self._place(base, frame)
                        self._check_told(frame)
                    records.append(_scan(message, time, places[frame][0]))
                elif kind == ODOM:
                    pose = message.pose.pose
                    records.append(Odometry(time, _planar(_se3(pose.position, pose.orientation))))
                elif kind == IMU:
                    frame = bare(message.header.frame_id)
                    if frame not in mounts:
                        mounts[frame] = self.frames.pose(base, frame) if base else None
                    records.append(imu_reading(message, time, mounts[frame]))
                elif through_tf:
                    records += self._tf_odometry(message, base)
        self._tell(records, places, base, through_tf)
        return Log(self.path.name, tuple(records), (*self.bag.notes, *self.notes))

    def _messages(self) -> Iterator[tuple[str, float, Any]]:
        """Kind, stamp [s] and message, of the chosen topics; frames are put into the tree on the way."""
        for topic, _, message in self.bag.decoded(self._choose(self.bag.topics)):
            taken: tuple[str, float, Any] | None = None
            with self._counted():
                if topic.type in TF_TYPES:
                    self._learn(message)
                    taken = TF, 0.0, message
                else:
                    taken = topic.type, messages.seconds(message.header.stamp), message
            if taken is not None:
                yield taken

    @contextlib.contextmanager
    def _counted(self) -> Iterator[None]:
        """Leave single broken messages out, and count them."""
        try:
            yield
        except Exception:
            self.broken += 1

    def _choose(self, there: list[BagTopic]) -> list[str]:
        """The topics to read: one of each kind, and all of tf."""
        counts = {topic.name: topic.count for topic in there}
        topics = {kind: [topic.name for topic in there if topic.type == kind] for kind in (SCAN, ODOM, IMU)}
        chosen = [topic.name for topic in there if topic.type in TF_TYPES]
        for kind, asked, flag in (
            (SCAN, self.choice.scan, "--scan"),
            (ODOM, self.choice.odom, "--odom"),
            (IMU, self.choice.imu, "--imu"),
        ):
            found = topics[kind]
            if asked:
                match = [topic for topic in found if topic.lstrip("/") == asked.lstrip("/")]
                if not match:
                    listed = ", ".join(found) or "none of that type"
                    raise BadInput(
                        f"{self.path}: {flag} {asked}: no such {kind.split('/')[-1]} topic; it has: {listed}"
                    )
                chosen.append(match[0])
            elif found:
                usual = [topic for topic in USUAL[kind] if topic in found]
                pick = usual[0] if usual else max(found, key=lambda topic: counts[topic])
                if len(found) > 1:
                    others = ", ".join(topic for topic in found if topic != pick)
                    self.notes.append(f"{self.path.name}: takes {pick}; {flag} chooses another of {others}")
                chosen.append(pick)
        if not topics[SCAN]:
            held = sorted(f"{topic.name} ({topic.type.split('/')[-1]})" for topic in there)
            listed = ", ".join(held[:12]) or "nothing"
            raise BadInput(f"{self.path}: has no sensor_msgs/LaserScan topic to map from; it holds {listed}")
        return chosen

    def _learn(self, message: Any) -> None:
        """Put the transforms of a tf message into the tree, unless a file was given for them."""
        for entry in message.transforms[:10_000]:
            child = bare(entry.child_frame_id)
            if self.choice.tf is None or child not in self.frames:
                pose = pose_of_message(entry.transform)
                self.frames.set(entry.header.frame_id, child, pose)

    def _base(self, read: list[tuple[str, float, Any]]) -> str:
        if self.choice.base_frame:
            base = bare(self.choice.base_frame)
            if self.frames.names and base not in self.frames:
                listed = ", ".join(self.frames.names[:20])
                raise BadInput(f"{self.path}: --base-frame {base}: no such frame; frames: {listed}")
            return base
        for kind, _, message in read:
            if kind == ODOM and message.child_frame_id and bare(message.child_frame_id) in self.frames:
                return bare(message.child_frame_id)
        return next((name for name in BASES if name in self.frames), "")

    def _place(self, base: str, frame: str) -> tuple[SE3, bool]:
        """Pose of a sensor on the robot, and whether it is known."""
        if base and frame == base:
            return SE3.identity(), True
        pose = self.frames.pose(base, frame) if base else None
        return (SE3.identity(), False) if pose is None else (pose, True)

    def _check_told(self, frame: str) -> None:
        """Note a file of frames that says nothing of the lidar's."""
        if self.choice.tf is not None and frame not in self._told:
            listed = ", ".join(self._told[:6])
            self.notes.append(f"{self.choice.tf}: has no frame {frame}, in which the scans are; its frames: {listed}")

    def _tf_odometry(self, message: Any, base: str) -> list[Record]:
        """Odometry from transforms between an odometry frame and the robot."""
        out: list[Record] = []
        for entry in message.transforms:
            if bare(entry.header.frame_id) in ODOM_FRAMES and bare(entry.child_frame_id) in (base, *BASES):
                pose = pose_of_message(entry.transform)
                out.append(Odometry(messages.seconds(entry.header.stamp), _planar(pose)))
        return out

    def _tell(self, records: list[Record], places: dict[str, tuple[SE3, bool]], base: str, through_tf: bool) -> None:
        name = self.path.name
        broken = self.broken + self.bag.broken
        if broken:
            self.notes.append(f"{name}: {broken} broken messages left out")
        if not any(isinstance(record, Scan) for record in records):
            raise BadInput(f"{self.path}: holds no readable scan ({broken} broken messages)")
        for frame, (_, known) in places.items():
            if not known:
                self.notes.append(
                    f"{name}: no transform from {base or 'a base frame'} to {frame or 'the scan frame'}; the lidar is "
                    f"taken to sit at the robot's center; --tf FILE tells where it is, --base-frame names the robot"
                )
        if not any(isinstance(record, Odometry) for record in records):
            self.notes.append(
                f"{name}: has no odometry (topic or tf); scans are matched without it; --odom names a topic"
            )
        elif through_tf:
            self.notes.append(f"{name}: has no odometry topic; odometry taken from tf")


def pose_of_message(transform: Any) -> SE3:
    """Of a Transform; ValueError where it has no numbers."""
    return _se3(transform.translation, transform.rotation)


def _se3(position: Any, turn: Any) -> SE3:
    quaternion = np.array([turn.x, turn.y, turn.z, turn.w], dtype=float)
    if not (np.abs(quaternion) < 1e6).all() or np.linalg.norm(quaternion) < 1e-6:
        quaternion = np.array([0.0, 0.0, 0.0, 1.0])
    place = [position.x, position.y, position.z]
    if not believable(place):
        raise ValueError("not finite")
    return SE3.from_xyz_quaternion(place, quaternion)


def _planar(pose: SE3) -> tuple[float, float, float]:
    x, y, _ = pose.translation
    yaw = so3.to_rpy(pose.rotation)[2]
    return float(x), float(y), float(yaw)


def _scan(message: Any, time: float, place: SE3) -> Scan:
    roll, pitch, yaw = (float(angle) for angle in so3.to_rpy(place.rotation))
    x, y, z = (float(value) for value in place.translation)
    ranges = np.asarray(message.ranges, dtype=float)
    angle, step = float(message.angle_min), float(message.angle_increment)
    if abs(abs(roll) - np.pi) < 0.1:  # mounted upside down: beams run the other way round
        angle, step, roll = -angle, -step, roll - np.copysign(np.pi, roll)
    low, high = max(0.0, float(message.range_min)), float(message.range_max)
    if not high > low:
        low, high = 0.0, float("inf")
    gap = float(message.time_increment)
    gap = gap if np.isfinite(gap) and 0 <= gap * len(ranges) < 2.0 else 0.0
    return Scan(time, ranges, angle, step, low, high, gap, (x, y, yaw), max(0.0, z), (roll, pitch))


def imu_reading(message: Any, time: float, mount: SE3 | None = None) -> ImuReading:
    """A reading turned into the robot's axes; no orientation where its covariance begins with -1."""
    w, a, q = message.angular_velocity, message.linear_acceleration, message.orientation
    turn = np.eye(3) if mount is None else mount.rotation
    gyro, force = turn @ np.array([w.x, w.y, w.z]), turn @ np.array([a.x, a.y, a.z])
    if not (believable(gyro) and believable(force)):
        raise ValueError("not finite")
    quaternion = np.array([q.x, q.y, q.z, q.w], dtype=float)
    orientation = None
    if message.orientation_covariance[0] != -1 and believable(quaternion) and np.linalg.norm(quaternion) > 0.5:
        roll, pitch, yaw = so3.to_rpy(so3.from_quaternion(quaternion) @ turn.T)
        orientation = (float(roll), float(pitch), float(yaw))
    gx, gy, gz = (float(value) for value in gyro)
    fx, fy, fz = (float(value) for value in force)
    return ImuReading(time, (gx, gy, gz), (fx, fy, fz), orientation)
