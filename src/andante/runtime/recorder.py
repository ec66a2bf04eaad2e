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

from andante.bags import BagTopic, BagWriter, messages
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
        self._file: IO[str] | BagWriter = self._open()
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
        self._count += 1

    def __enter__(self) -> Recorder:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    @abstractmethod
    def _open(self) -> IO[str] | BagWriter:
        """Open the file."""

    @abstractmethod
    def _begin(self, sim: Simulation) -> None:
        """Write what comes before the first instant."""

    @abstractmethod
    def _write(self, sim: Simulation) -> None:
        """Write one instant."""


class CsvRecorder(Recorder):
    """One row per instant; every row is on disk when the next one starts."""

    def _open(self) -> IO[str]:
        file = self.path.open("w", newline="", encoding="utf-8", buffering=1)
        self._rows = csv.writer(file)
        return file

    def _begin(self, sim: Simulation) -> None:
        self._rows.writerow(["time", *BASE_COLUMNS, *sim.robot.joint_names])

    def _write(self, sim: Simulation) -> None:
        values = np.concatenate([sim.base_pose, sim.joints.position])
        self._rows.writerow([f"{sim.time:.6f}", *(f"{v:.9g}" for v in values)])


class McapRecorder(Recorder):
    """A ROS 2 log in one MCAP file."""

    def _open(self) -> BagWriter:
        self.path.unlink(missing_ok=True)
        self._writer = BagWriter(self.path, split_jumps=False, chunk_size=CHUNK)
        return self._writer

    def _begin(self, sim: Simulation) -> None:
        self._sensors: SensorMessages | None = None
        if sim.sensors is not None:
            self._sensors = SensorMessages(sim.robot, sim.sensors, messages.cls, messages.header, self._send)
            frames = [
                self._transform(sim.time, name, pose.vector, link)
                for name, (link, pose) in self._sensors.frames().items()
            ]
            if frames:
                message = messages.cls("tf2_msgs/msg/TFMessage")(frames)
                self._send("/tf_static", "tf2_msgs/msg/TFMessage", message, sim.time)

    def _send(self, topic: str, type_name: str, message: Any, time: float) -> None:
        if not self._writer.knows(topic):
            self._writer.add(BagTopic(topic, type_name, definition=messages.definition(type_name)))
        self._writer.write(topic, round(time * 1e9), messages.to_cdr(message))

    def _write(self, sim: Simulation) -> None:
        now, joints = sim.time, sim.joints
        clock = messages.cls("rosgraph_msgs/msg/Clock")(messages.time(now))
        self._send("/clock", "rosgraph_msgs/msg/Clock", clock, now)
        state = messages.cls("sensor_msgs/msg/JointState")(
            messages.header(now, ""), list(joints.names), joints.position, joints.velocity, joints.effort
        )
        self._send("/joint_states", "sensor_msgs/msg/JointState", state, now)
        poses = sim.engine.link_poses(sim.actor)
        names = [link.name for link in sim.robot.links]
        transforms = [self._transform(now, name, pose) for name, pose in zip(names, poses, strict=True)]
        self._send("/tf", "tf2_msgs/msg/TFMessage", messages.cls("tf2_msgs/msg/TFMessage")(transforms), now)
        root = messages.cls("geometry_msgs/msg/PoseStamped")(messages.header(now, "world"), self._pose(sim.base_pose))
        self._send("/ground_truth/pose", "geometry_msgs/msg/PoseStamped", root, now)
        if self._sensors is not None:
            self._sensors.write(now)

    def _pose(self, pose: Any) -> Any:
        point = messages.cls("geometry_msgs/msg/Point")(*pose[:3])
        return messages.cls("geometry_msgs/msg/Pose")(point, messages.cls("geometry_msgs/msg/Quaternion")(*pose[3:]))

    def _transform(self, now: float, child: str, pose: Any, parent: str = "world") -> Any:
        vector = messages.cls("geometry_msgs/msg/Vector3")(*pose[:3])
        turn = messages.cls("geometry_msgs/msg/Quaternion")(*pose[3:])
        moved = messages.cls("geometry_msgs/msg/Transform")(vector, turn)
        return messages.cls("geometry_msgs/msg/TransformStamped")(messages.header(now, parent), child, moved)


RECORDERS: Mapping[str, type[Recorder]] = {".csv": CsvRecorder, ".mcap": McapRecorder}


def open_recorder(path: Path, sim: Simulation) -> Recorder:
    """The recorder for a file name."""
    kind = RECORDERS.get(path.suffix.lower())
    if kind is None:
        raise BadInput(f"{path}: recordings are written as {' or '.join(RECORDERS)}")
    return kind(path, sim)
