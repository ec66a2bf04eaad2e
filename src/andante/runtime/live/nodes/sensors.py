"""What the robot feels, on its topics: IMU, lidar, sonar, load cells of the feet, bumpers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from andante.bags import messages
from andante.bus import Publisher
from andante.runtime.live.estimate import quaternion_product
from andante.sensors import Channel, FootForce, Imu, Lidar, Sonar

from .node import LiveNode, Quaternion, Vector3
from .robot_state import RobotStateNode, sensor_frame

if TYPE_CHECKING:
    from andante.runtime.live.session import LiveSession

IMU_RATE, FORCE_RATE, RANGE_RATE = 100.0, 50.0, 40.0  # [Hz], at most

NO_TURN = np.array([-1.0, 0, 0, 0, 0, 0, 0, 0, 0])  # covariance that says: no orientation here
TILT_KNOWN = np.diag([4e-4, 4e-4, 1e-2]).ravel()
GYRO_NOISE = np.diag([1e-4, 1e-4, 1e-4]).ravel()
ACCELERATION_NOISE = np.diag([1e-2, 1e-2, 1e-2]).ravel()

ImuMessage = messages.cls("sensor_msgs/msg/Imu")
LaserScan = messages.cls("sensor_msgs/msg/LaserScan")
RangeMessage = messages.cls("sensor_msgs/msg/Range")
FootForceMessage = messages.cls("andante_msgs/msg/FootForce")
FootForces = messages.cls("andante_msgs/msg/FootForces")


class SensorNode(LiveNode):
    """/imu/data, /scan, /sonar, /NAME/foot_force: those that the robot has. Each reading is told once."""

    name = "sensors"

    def __init__(self, session: LiveSession) -> None:
        super().__init__(session)
        self._topics: list[Publisher] = []
        self.rebuilt()

    def rebuilt(self) -> None:
        """Another robot has other sensors."""
        for topic in self._topics:
            self.drop(topic)
        self._topics = []
        suite = self.stage.sim.sensors
        assert suite is not None
        specs = {spec.name: spec for spec in self.stage.robot.sensors}
        self._frame = {name: sensor_frame(spec) for name, spec in specs.items()}
        self._told: dict[str, float] = {}
        self._imus = [c for c in suite if isinstance(c.sensor, Imu)][:1]
        self._lidars = [c for c in suite if isinstance(c.sensor, Lidar)][:1]
        self._sonars = [c for c in suite if isinstance(c.sensor, Sonar)]
        self._feet = [c for c in suite if isinstance(c.sensor, FootForce)]
        self._imu = self._topic("/imu/data", "sensor_msgs/msg/Imu", IMU_RATE, self._imus)
        self._scan = self._topic("/scan", "sensor_msgs/msg/LaserScan", RANGE_RATE, self._lidars)
        self._sonar = self._topic("/sonar", "sensor_msgs/msg/Range", None, self._sonars)
        self._force = self._topic(
            f"/{self.stage.name}/foot_force", "andante_msgs/msg/FootForces", FORCE_RATE, self._feet
        )
        states = [node for node in self.session.nodes if isinstance(node, RobotStateNode)]
        self._state = states[0] if states else None

    def _topic(self, name: str, kind: str, rate: float | None, channels: list[Channel]) -> Publisher | None:
        if not channels:
            return None
        made = self.advertise(name, kind, rate, sensor=True)
        self._topics.append(made)
        return made

    def update(self) -> None:
        """New readings of those whom somebody listens to."""
        if self._imu is not None and self._imu.wanted():
            self._tell_imu(self._imu, self._imus[0])
        if self._scan is not None and self._scan.wanted():
            self._tell_scan(self._scan, self._lidars[0])
        if self._sonar is not None and self._sonar.wanted():
            self._tell_sonars(self._sonar)
        if self._force is not None and self._force.wanted():
            self._tell_feet(self._force)

    def _fresh(self, channel: Channel) -> Any:
        """The newest reading if it was not told before."""
        reading = channel.reading
        if reading is None or reading.time <= self._told.get(channel.name, -1.0):
            return None
        self._told[channel.name] = reading.time
        return reading

    def _tell_imu(self, topic: Publisher, channel: Channel) -> None:
        reading = self._fresh(channel)
        if reading is None:
            return
        v = reading.values.tolist()
        turn, known = Quaternion(0.0, 0.0, 0.0, 1.0), NO_TURN
        if self._state is not None and self._state.estimate.imu is not None:
            body = self._state.estimate.pose.tolist()
            turn = Quaternion(*quaternion_product((body[3], body[4], body[5], body[6]), self._state.estimate.imu))
            known = TILT_KNOWN
        topic.publish(
            ImuMessage(
                self.header(self._frame.get(channel.name, channel.name), reading.time),
                turn,
                known,
                Vector3(v[0], v[1], v[2]),
                GYRO_NOISE,
                Vector3(v[3], v[4], v[5]),
                ACCELERATION_NOISE,
            )
        )

    def _tell_scan(self, topic: Publisher, channel: Channel) -> None:
        reading = self._fresh(channel)
        if reading is None:
            return
        lidar = channel.sensor
        assert isinstance(lidar, Lidar)
        sweep, m = lidar.sweep(reading), lidar.model
        ranges = sweep.ranges if m.rows == 1 else sweep.ranges[m.level_row]
        topic.publish(
            LaserScan(
                self.header(self._frame.get(channel.name, lidar.link), sweep.time),
                float(sweep.angles[0]),
                float(sweep.angles[-1]),
                float(m.angle_increment),
                float(m.time_increment),
                1.0 / channel.rate,
                float(m.range_min),
                float(m.range_max),
                ranges.astype(np.float32),
                np.zeros(0, dtype=np.float32),
            )
        )

    def _tell_sonars(self, topic: Publisher) -> None:
        for channel in self._sonars:
            reading = self._fresh(channel)
            if reading is None:
                continue
            sonar = channel.sensor
            assert isinstance(sonar, Sonar)
            m = sonar.model
            topic.publish(
                RangeMessage(
                    self.header(self._frame.get(channel.name, sonar.link), reading.time),
                    0,
                    float(m.cone),
                    float(m.range_min),
                    float(m.range_max),
                    float(reading.values[0]),
                )
            )

    def _tell_feet(self, topic: Publisher) -> None:
        feet = []
        for channel in self._feet:
            values = channel.values
            if values is not None:
                cells = np.array(values, dtype=float)
                feet.append(FootForceMessage(channel.name.removesuffix("/force"), cells, float(cells.sum())))
        if feet:
            topic.publish(FootForces(self.header(self.stage.robot.root), feet))
