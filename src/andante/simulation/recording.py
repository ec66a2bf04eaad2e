"""Recordings of a run: a bag (.mcap, .bag) with the topics of a live session, or a table (.csv).

A bag is written through the same publishers as those of a session: /clock, /joint_states, /joint_targets/executed,
/tf, /odom, /cmd_vel, the sensors as `andante.sensors.topics` says, and the simulator's truth under /ground_truth. A
table has one row per instant: time, root pose, joint positions, by the truth. Of a real robot both tell what it
measures and estimates. They are written as the run goes, so that nothing is lost.
"""

from __future__ import annotations

import csv
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from andante.bags import TopicChoice, messages
from andante.bus import Bus
from andante.bus.recorder import Recorder
from andante.control.body import Body
from andante.control.diagnostics import DiagnosticsPublisher
from andante.control.estimate import BaseEstimate
from andante.control.publishers import (
    ClockPublisher,
    FeltPublisher,
    FootstepPublisher,
    RobotPublisher,
    StatePublisher,
    SwitchPublisher,
    TargetPublisher,
    VelocityPublisher,
)
from andante.control.view import RobotView
from andante.errors import BadInput

from .publishers import SensorPublisher, StatusPublisher, TruthPublisher
from .simulation import Simulation

TABLE_RATE, BAG_RATE = 50.0, 100.0  # [Hz]
BASE_COLUMNS = ("x", "y", "z", "qx", "qy", "qz", "qw")
# Topics of a live session that are not recorded unless they are named: pictures (drawn only for those who look), points
# of depth images (which are recorded themselves), replays (recordings already), searches and old names; and those of a
# navigation that nobody uses.
SESSION_ONLY = (
    "/camera/*",
    "*/depth/points",
    "/replay/*",
    "/search/*",
    "/contacts",
    "/com",
    "/support_polygon",
    "/move_base/*",
    "/navigation/state",
    "/mapping/*",
)
NAVIGATION = ("/map", "/amcl_pose", "/particlecloud", "/plan", "/local_plan", "/costmap")


class Recording(ABC):
    """An observer that keeps a run in a file; closing completes it."""

    rate: float

    def __init__(self, path: Path) -> None:
        self.path, self._count = path, 0

    @property
    def next_time(self) -> float:
        """When the next instant is due [s]."""
        return self._count / self.rate

    def update(self, body: Body) -> None:
        """Write the present instant."""
        try:
            self._write(body)
        except OSError as error:
            raise BadInput(f"the recording ended early: {self.path}: {error.strerror or error}") from None
        self._count = round(body.time * self.rate) + 1

    def __enter__(self) -> Recording:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    @abstractmethod
    def _write(self, body: Body) -> None:
        """Write one instant."""

    @abstractmethod
    def close(self) -> None:
        """Complete the file."""


class TableRecording(Recording):
    """One row per instant; every row is on disk when the next one starts."""

    rate = TABLE_RATE

    def __init__(self, path: Path, body: Body, view: RobotView | None = None) -> None:
        super().__init__(path)
        self._estimate = None if isinstance(body, Simulation) else BaseEstimate(view or RobotView(body))
        self._file = path.open("w", newline="", encoding="utf-8", buffering=1)
        self._rows = csv.writer(self._file)
        self._rows.writerow(["time", *BASE_COLUMNS, *body.robot.joint_names])
        self.update(body)

    def _write(self, body: Body) -> None:
        if self._estimate is None:
            assert isinstance(body, Simulation)
            values = np.concatenate([body.base_pose, body.joints.position])
        else:
            self._estimate.update()
            values = np.concatenate([self._estimate.pose, self._estimate.view.state.position])
        self._rows.writerow([f"{body.time:.6f}", *(f"{v:.9g}" for v in values)])

    def close(self) -> None:
        """Complete the file."""
        try:
            self._file.close()
        except OSError as error:
            raise BadInput(f"the recording ended early: {self.path}: {error.strerror or error}") from None


class BagRecording(Recording):
    """A bag with everything that a session would publish of the robot.

    Args:
        path: .mcap, .bag, or a folder for rosbag2.
        body: a simulation with sensors, or a real robot.
        view: of the robot and what moves it; None: nobody does.
    """

    rate = BAG_RATE

    def __init__(self, path: Path, body: Body, view: RobotView | None = None) -> None:
        super().__init__(path)
        self.view = view or RobotView(body)
        self.bus = Bus()
        self.bus.clock.advance_to(body.time)
        self._told = False  # that it ended early
        self._recorder = Recorder(self.bus, path, TopicChoice(exclude=SESSION_ONLY))
        self._velocity = self.bus.advertise("/cmd_vel", "geometry_msgs/msg/Twist", node="command")
        self._publishers = robot_publishers(self.bus, lambda: self.view)
        told = f"{body.name} on {body.address}"
        if isinstance(body, Simulation):
            told = f"{body.name} in {body.engine.world.name} on {body.address}, seed {body.seed}"
        self.bus.log("info", told, "recording")
        self.update(body)

    def _write(self, body: Body) -> None:
        self.bus.clock.advance_to(max(body.time, self.bus.clock.now))
        self.view.watch()
        if self.view.loop is not None:
            asked = self.view.loop.asked
            twist = {"linear": {"x": asked.vx, "y": asked.vy}, "angular": {"z": asked.wz}}
            self._velocity.publish(messages.make("geometry_msgs/msg/Twist", **twist))
        for publisher in self._publishers:
            publisher.update()
        self.bus.spin()
        self._check()

    def close(self) -> None:
        """Complete the file; BadInput where the disk did not take its end."""
        for publisher in self._publishers:
            publisher.close()
        self._recorder.close()
        self._check()

    def _check(self) -> None:
        """Tell once that the disk took no more."""
        if self._recorder.error and not self._told:
            self._told = True
            raise BadInput(f"the recording ended early: {self._recorder.error}")


def robot_publishers(bus: Bus, view: Callable[[], RobotView]) -> list[RobotPublisher]:
    """All that tells of a robot on a bus, in the order in which they act; the truth only of a simulated one."""
    state = StatePublisher(bus, view)
    more = [make(bus, view, state) for make in view().publishers]
    felt: list[RobotPublisher] = [FeltPublisher(bus, view)]
    if isinstance(view().body, Simulation):
        felt = [SensorPublisher(bus, view, state), TruthPublisher(bus, view), StatusPublisher(bus, view)]
    kinds = (
        TargetPublisher, SwitchPublisher, FootstepPublisher, VelocityPublisher, DiagnosticsPublisher, ClockPublisher,
    )  # fmt: skip
    return [*more, state, *felt, *(kind(bus, view) for kind in kinds)]


def open_recording(path: Path, body: Body, view: RobotView | None = None) -> Recording:
    """The recording for a file name."""
    if path.suffix.lower() == ".csv":
        return TableRecording(path, body, view)
    return BagRecording(path, body, view)


@contextmanager
def record(sim: Simulation, path: Path | str, view: RobotView | None = None) -> Iterator[Recording]:
    """Record a simulation while the block runs.

    Args:
        sim: the simulation, with sensors for a bag.
        path: .mcap, .bag or .csv.
        view: of what moves the robot; None: nobody does.
    """
    with open_recording(Path(path), sim, view) as recording:
        sim.observers.append(recording)
        try:
            yield recording
        finally:
            sim.observers.remove(recording)
