"""Recordings of a run: a table (.csv) or a ROS 2 log (.mcap), written as the run goes so that nothing is lost.

MCAP has profile `ros2` with CDR messages: /clock, /joint_states, /tf (world to every link), /ground_truth/pose, and
the sensors as `recorded_sensors` tells (/scan, /odom, /imu/NAME, ...). CSV has one row per instant: time, root pose,
joint positions.
"""

from __future__ import annotations

import csv
from abc import ABC, abstractmethod
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import IO, Any

import numpy as np

from andante.errors import BadInput

from .recorded_sensors import SensorMessages
from .simulation import Simulation

RATE = 50.0  # [Hz]
CHUNK = 32 * 1024  # of an MCAP file [bytes]: what a killed process loses at most
BASE_COLUMNS = ("x", "y", "z", "qx", "qy", "qz", "qw")


class Recorder(ABC):
    """An observer that keeps a run in a file; closing completes it."""

    def __init__(self, path: Path, sim: Simulation) -> None:
        self.path = path
        self._count = 0
        self._file: IO[Any] = self._open()
        try:
            self._begin(sim)
            self.update(sim)
        except BaseException:
            self._file.close()
            raise

    @property
    def next_time(self) -> float:
        """When the next row is due [s]."""
        return self._count / RATE

    def update(self, sim: Simulation) -> None:
        """Write the present instant."""
        self._write(sim)
        self._file.flush()
        self._count += 1

    def __enter__(self) -> Recorder:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end()
        self._file.close()

    @abstractmethod
    def _open(self) -> IO[Any]:
        """Open the file."""

    @abstractmethod
    def _begin(self, sim: Simulation) -> None:
        """Write what comes before the first instant."""

    @abstractmethod
    def _write(self, sim: Simulation) -> None:
        """Write one instant."""

    @abstractmethod
    def _end(self) -> None:
        """Complete the file."""


class CsvRecorder(Recorder):
    """One row per instant; every row is on disk when the next one starts."""

    def _open(self) -> IO[Any]:
        return self.path.open("w", newline="", encoding="utf-8", buffering=1)

    def _begin(self, sim: Simulation) -> None:
        self._rows = csv.writer(self._file)
        self._rows.writerow(["time", *BASE_COLUMNS, *sim.robot.joint_names])

    def _write(self, sim: Simulation) -> None:
        values = np.concatenate([sim.base_pose, sim.joints.position])
        self._rows.writerow([f"{sim.time:.6f}", *(f"{v:.9g}" for v in values)])

    def _end(self) -> None:
        self._file.flush()


class McapRecorder(Recorder):
    """A ROS 2 log in one MCAP file."""

    def _open(self) -> IO[Any]:
        return self.path.open("wb")

    def _begin(self, sim: Simulation) -> None:
        from mcap.writer import Writer
        from rosbags.typesys import Stores, get_typestore

        self._store = get_typestore(Stores.ROS2_HUMBLE)
        self._writer = Writer(self._file, chunk_size=CHUNK)
        self._writer.start(profile="ros2", library="andante")
        self._schemas: dict[str, int] = {}
        self._channels: dict[str, int] = {}
        self._sensors: SensorMessages | None = None
        if sim.sensors is not None:
            self._sensors = SensorMessages(sim.robot, sim.sensors, self._type, self._header, self._send)
            frames = [
                self._transform(sim.time, name, pose.vector, link)
                for name, (link, pose) in self._sensors.frames().items()
            ]
            if frames:
                message = self._type("tf2_msgs/msg/TFMessage")(frames)
                self._send("/tf_static", "tf2_msgs/msg/TFMessage", message, sim.time)

    def _end(self) -> None:
        self._writer.finish()  # type: ignore[no-untyped-call]

    def _type(self, name: str) -> Any:
        return self._store.types[name]

    def _send(self, topic: str, type_name: str, message: Any, time: float) -> None:
        if topic not in self._channels:
            if type_name not in self._schemas:
                text = self._store.generate_msgdef(type_name, ros_version=2)[0]
                self._schemas[type_name] = self._writer.register_schema(type_name, "ros2msg", text.encode())
            self._channels[topic] = self._writer.register_channel(topic, "cdr", self._schemas[type_name])
        stamp = round(time * 1e9)
        data = bytes(self._store.serialize_cdr(message, type_name))
        self._writer.add_message(self._channels[topic], stamp, data, stamp)

    def _header(self, time: float, frame: str) -> Any:
        return self._type("std_msgs/msg/Header")(self._stamp(time), frame)

    def _stamp(self, time: float) -> Any:
        nanoseconds = round(time * 1e9)
        return self._type("builtin_interfaces/msg/Time")(nanoseconds // 10**9, nanoseconds % 10**9)

    def _write(self, sim: Simulation) -> None:
        now, joints = sim.time, sim.joints
        self._send("/clock", "rosgraph_msgs/msg/Clock", self._type("rosgraph_msgs/msg/Clock")(self._stamp(now)), now)
        state = self._type("sensor_msgs/msg/JointState")(
            self._header(now, ""), list(joints.names), joints.position, joints.velocity, joints.effort
        )
        self._send("/joint_states", "sensor_msgs/msg/JointState", state, now)
        poses = sim.engine.link_poses(sim.actor)
        names = [link.name for link in sim.robot.links]
        transforms = [self._transform(now, name, pose) for name, pose in zip(names, poses, strict=True)]
        self._send("/tf", "tf2_msgs/msg/TFMessage", self._type("tf2_msgs/msg/TFMessage")(transforms), now)
        root = self._type("geometry_msgs/msg/PoseStamped")(self._header(now, "world"), self._pose(sim.base_pose))
        self._send("/ground_truth/pose", "geometry_msgs/msg/PoseStamped", root, now)
        if self._sensors is not None:
            self._sensors.write(now)

    def _pose(self, pose: Any) -> Any:
        point = self._type("geometry_msgs/msg/Point")(*pose[:3])
        return self._type("geometry_msgs/msg/Pose")(point, self._type("geometry_msgs/msg/Quaternion")(*pose[3:]))

    def _transform(self, now: float, child: str, pose: Any, parent: str = "world") -> Any:
        vector = self._type("geometry_msgs/msg/Vector3")(*pose[:3])
        turn = self._type("geometry_msgs/msg/Quaternion")(*pose[3:])
        moved = self._type("geometry_msgs/msg/Transform")(vector, turn)
        return self._type("geometry_msgs/msg/TransformStamped")(self._header(now, parent), child, moved)


RECORDERS: Mapping[str, type[Recorder]] = {".csv": CsvRecorder, ".mcap": McapRecorder}


def open_recorder(path: Path, sim: Simulation) -> Recorder:
    """The recorder for a file name."""
    kind = RECORDERS.get(path.suffix.lower())
    if kind is None:
        raise BadInput(f"{path}: recordings are written as {' or '.join(RECORDERS)}")
    return kind(path, sim)
