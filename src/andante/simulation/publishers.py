"""Publishers of a simulated robot: the readings of its sensors, and the simulator's truth under /ground_truth."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from andante.bags import messages
from andante.bus import Bus, Publisher
from andante.control.estimate import quaternion_product
from andante.control.publishers import (
    WORLD,
    Header,
    JointState,
    Point,
    Quaternion,
    RobotPublisher,
    StatePublisher,
    Vector3,
    pose_message,
    stamp,
)
from andante.control.view import RobotView
from andante.control.walking import LyingSense
from andante.geometry import Array, so3
from andante.geometry.hull import convex_hull
from andante.sensors import (
    CameraSensor,
    Channel,
    DepthCamera,
    FootForce,
    Imu,
    Lidar,
    Reading,
    Sonar,
    UwbTag,
    WheelEncoders,
)
from andante.sensors.topics import DEPTH_IMAGE, DEPTH_INFO, SensorTopic, plain, sensor_topics

from .clouds import cloud_message, depth_message, info_message
from .simulation import Simulation

NO_TURN = np.array([-1.0, 0, 0, 0, 0, 0, 0, 0, 0])  # covariance that says: no orientation here
TILT_KNOWN = np.diag([4e-4, 4e-4, 1e-2]).ravel()
GYRO_NOISE = np.diag([1e-4, 1e-4, 1e-4]).ravel()
ACCELERATION_NOISE = np.diag([1e-2, 1e-2, 1e-2]).ravel()
ULTRASOUND, INFRARED = 0, 1
LINK_RATE, TRUTH_RATE, JOINT_RATE, STATUS_RATE = 30.0, 20.0, 50.0, 10.0  # [Hz]
FLAT = 0.03  # contacts this far above the lowest one do not carry [m]
NO_IMAGE = np.zeros(0, dtype=np.float32)
CLOUD = "sensor_msgs/msg/PointCloud2"

ImuMessage = messages.cls("sensor_msgs/msg/Imu")
LaserScan = messages.cls("sensor_msgs/msg/LaserScan")
RangeMessage = messages.cls("sensor_msgs/msg/Range")
FootForceMessage = messages.cls("andante_msgs/msg/FootForce")
FootForces = messages.cls("andante_msgs/msg/FootForces")
LinkPoses = messages.cls("andante_msgs/msg/LinkPoses")
Contact = messages.cls("andante_msgs/msg/Contact")
Contacts = messages.cls("andante_msgs/msg/Contacts")
Point32 = messages.cls("geometry_msgs/msg/Point32")


class SensorPublisher(RobotPublisher):
    """What the robot feels, on the topics of `sensor_topics`: every reading of those whom somebody listens to, once."""

    name = "sensors"

    def __init__(self, bus: Bus, view: Callable[[], RobotView], state: StatePublisher | None = None) -> None:
        super().__init__(bus, view)
        self._state = state
        self._topics: dict[str, Publisher] = {}
        self.rebuilt()

    def rebuilt(self) -> None:
        """Another robot has other sensors."""
        for topic in self._topics.values():
            self.drop(topic)
        self._topics = {}
        self._told: dict[str, float] = {}
        self._woken: set[str] = set()  # depth cameras that are on because somebody listens
        suite = simulation(self.view).sensors
        self._channels = [] if suite is None else list(suite)
        self._table = sensor_topics(self.view.robot, self._channels)
        self._feet = [channel for channel in self._channels if isinstance(channel.sensor, FootForce)]
        for channel in self._channels:
            entry = self._table.get(channel.name)
            if entry is None or isinstance(channel.sensor, CameraSensor):  # cameras tell once they are on
                continue
            if entry.cloud:
                self._cloud(entry)
            if isinstance(channel.sensor, DepthCamera):
                self._info(entry)
            anchors = channel.sensor.labels if isinstance(channel.sensor, UwbTag) else ("",)
            for anchor in anchors:
                self._topic(entry, anchor)

    def _topic(self, entry: SensorTopic, anchor: str = "") -> Publisher:
        name = f"{entry.topic}/{plain(anchor)}" if anchor else entry.topic
        if name not in self._topics:
            self._topics[name] = self.advertise(name, entry.type, entry.rate, sensor=True)
        return self._topics[name]

    def _cloud(self, entry: SensorTopic) -> Publisher:
        """The topic of the points of a sensor."""
        if entry.cloud not in self._topics:
            self._topics[entry.cloud] = self.advertise(entry.cloud, CLOUD, entry.rate, sensor=True)
        return self._topics[entry.cloud]

    def _info(self, entry: SensorTopic) -> Publisher:
        """The topic that tells the lens of a depth camera."""
        name = entry.topic.removesuffix(DEPTH_IMAGE.format("")[1:]) + DEPTH_INFO.format("")[1:]
        if name not in self._topics:
            self._topics[name] = self.advertise(name, "sensor_msgs/msg/CameraInfo", entry.rate, sensor=True)
        return self._topics[name]

    def update(self) -> None:
        """New readings of those whom somebody listens to."""
        for channel in self._channels:
            entry = self._table.get(channel.name)
            if entry is None or (self._feet and channel in self._feet[1:]):
                continue
            sensor = channel.sensor
            if isinstance(sensor, CameraSensor):
                if sensor.on:
                    self._tell_picture(entry, sensor, channel)
            elif isinstance(sensor, DepthCamera):
                self._tell_depths(entry, sensor, channel)
            elif isinstance(sensor, UwbTag):
                self._tell_ranges(entry, sensor, channel)
            elif self._topic(entry).wanted() or (entry.cloud and self._cloud(entry).wanted()):
                reading = self._fresh(channel)
                if reading is not None:
                    message = self._message(entry, channel, reading)
                    if message is not None:
                        self._topic(entry).publish(message)
                        if entry.cloud and isinstance(sensor, Lidar) and self._cloud(entry).wanted():
                            points = sensor.model.points(reading.values)
                            self._cloud(entry).publish(cloud_message(self.header(entry.frame, reading.time), points))

    def _fresh(self, channel: Channel) -> Reading | None:
        """The newest reading if it was not told before."""
        reading = channel.reading
        if reading is None or reading.time <= self._told.get(channel.name, -1.0):
            return None
        self._told[channel.name] = reading.time
        return reading

    def _message(self, entry: SensorTopic, channel: Channel, reading: Reading) -> Any:
        sensor, frame = channel.sensor, entry.frame
        if isinstance(sensor, Imu):
            return self._imu(frame, reading)
        if isinstance(sensor, Lidar):
            return self._scan(frame, sensor, channel, reading)
        if isinstance(sensor, Sonar):
            m = sensor.model
            return self._range(frame, reading, ULTRASOUND, m.cone, m.range_min, m.range_max, reading.values[0])
        if isinstance(sensor, WheelEncoders):
            none = np.zeros(0)
            return JointState(self.header("", reading.time), list(sensor.joints), reading.values, none, none)
        feet = []
        for foot in self._feet:
            if foot.values is not None:
                cells = np.array(foot.values, dtype=float)
                feet.append(FootForceMessage(foot.name.removesuffix("/force"), cells, float(cells.sum())))
        return FootForces(self.header(self.view.robot.root), feet)

    def _imu(self, frame: str, reading: Reading) -> Any:
        v = reading.values.tolist()
        turn, known = Quaternion(0.0, 0.0, 0.0, 1.0), NO_TURN
        if self._state is not None and self._state.estimate.imu is not None:
            body = self._state.estimate.pose.tolist()
            turn = Quaternion(*quaternion_product((body[3], body[4], body[5], body[6]), self._state.estimate.imu))
            known = TILT_KNOWN
        return ImuMessage(
            self.header(frame, reading.time), turn, known, Vector3(v[0], v[1], v[2]), GYRO_NOISE,
            Vector3(v[3], v[4], v[5]), ACCELERATION_NOISE,
        )  # fmt: skip

    def _scan(self, frame: str, lidar: Lidar, channel: Channel, reading: Reading) -> Any:
        """The level row of a sweep; None for one that began before the run."""
        sweep, m = lidar.sweep(reading), lidar.model
        if sweep.time < 0:
            return None
        ranges = sweep.ranges if m.rows == 1 else sweep.ranges[m.level_row]
        return LaserScan(
            self.header(frame, sweep.time), float(sweep.angles[0]), float(sweep.angles[-1]), float(m.angle_increment),
            float(m.time_increment), 1.0 / channel.rate, float(m.range_min), float(m.range_max),
            ranges.astype(np.float32), NO_IMAGE,
        )  # fmt: skip

    def _range(
        self, frame: str, reading: Reading, kind: int, cone: float, low: float, high: float, value: float
    ) -> Any:
        return RangeMessage(self.header(frame, reading.time), kind, float(cone), float(low), float(high), float(value))

    def _tell_ranges(self, entry: SensorTopic, tag: UwbTag, channel: Channel) -> None:
        reading = self._fresh(channel)
        if reading is None:
            return
        for anchor, value in zip(tag.labels, reading.values, strict=True):
            topic = self._topic(entry, anchor)
            if math.isfinite(value) and topic.wanted():
                topic.publish(self._range(entry.frame, reading, INFRARED, 0.0, 0.0, tag.errors.range_max, value))

    def _tell_depths(self, entry: SensorTopic, camera: DepthCamera, channel: Channel) -> None:
        """Depths, lens and points; a depth camera is on while somebody listens, or whoever uses it has turned it on."""
        image, cloud, info = self._topic(entry), self._cloud(entry), self._info(entry)
        if any(self.bus.topic(each.topic).subscriptions for each in (image, cloud)):
            camera.turn_on()
            self._woken.add(channel.name)
        elif channel.name in self._woken:
            camera.turn_off()
            self._woken.discard(channel.name)
        reading = self._fresh(channel) if camera.on else None
        picture = None if reading is None else camera.picture(float(reading.values[0]))
        if picture is None:
            return
        header = self.header(entry.frame, picture.time)
        if image.wanted():
            image.publish(depth_message(header, picture.image))
        if info.wanted():
            info.publish(info_message(header, camera.model))
        if cloud.wanted():
            cloud.publish(cloud_message(header, camera.model.points(picture.image)))

    def _tell_picture(self, entry: SensorTopic, camera: CameraSensor, channel: Channel) -> None:
        reading, topic = self._fresh(channel), self._topic(entry)
        picture = None if reading is None else camera.picture(float(reading.values[0]))
        if picture is not None and topic.wanted():
            height, width, _ = picture.image.shape
            kind = messages.cls("sensor_msgs/msg/Image")
            header = self.header(entry.frame, picture.time)
            topic.publish(kind(header, height, width, "rgb8", 0, 3 * width, picture.image.ravel()))


class TruthPublisher(RobotPublisher):
    """What only the simulator knows, for those who watch and measure. Behaviours never see it.

    /ground_truth/pose, joint_states, links, contacts, com and support_polygon.
    """

    name = "ground_truth"

    def __init__(self, bus: Bus, view: Callable[[], RobotView], scene: Callable[[], int] = lambda: 0) -> None:
        super().__init__(bus, view)
        self._scene = scene
        self._pose = self.advertise("/ground_truth/pose", "geometry_msgs/msg/PoseStamped", JOINT_RATE)
        self._joints = self.advertise("/ground_truth/joint_states", "sensor_msgs/msg/JointState", JOINT_RATE)
        self._links = self.advertise("/ground_truth/links", "andante_msgs/msg/LinkPoses", LINK_RATE)
        self._contacts = self.advertise("/ground_truth/contacts", "andante_msgs/msg/Contacts", TRUTH_RATE)
        self._com = self.advertise("/ground_truth/com", "geometry_msgs/msg/PointStamped", TRUTH_RATE)
        self._support = self.advertise("/ground_truth/support_polygon", "geometry_msgs/msg/PolygonStamped", TRUTH_RATE)
        self.rebuilt()

    @property
    def sim(self) -> Simulation:
        """The simulation."""
        return simulation(self.view)

    def rebuilt(self) -> None:
        """Names of all links that can move."""
        engine, model = self.sim.engine, self.sim.model
        self._models = [a.index for a in engine.models if a.index == model or not a.fixed or a.placement.motion]
        self._models.sort(key=lambda index: index != model)
        self._names: list[str] = []
        for index in self._models:
            placed = engine.models[index]
            prefix = "" if index == model else f"{placed.name}::"
            self._names += [prefix + link.name for link in placed.tree.robot.links]
        self._link_names = [[link.name for link in a.tree.robot.links] for a in engine.models]

    def repopulated(self) -> None:
        """Other links can move."""
        self.rebuilt()

    def update(self) -> None:
        """What is due now."""
        sim = self.sim
        if self._pose.wanted():
            kind = "geometry_msgs/msg/PoseStamped"
            self._pose.publish(messages.make(kind, header=self.header(WORLD), pose=pose_message(sim.base_pose)))
        if self._joints.wanted():
            joints = sim.joints
            values = (joints.position, joints.velocity, joints.effort)
            header = Header(stamp(self.bus.clock.now), "")
            self._joints.publish(JointState(header, list(joints.names), *(np.array(v) for v in values)))
        if self._links.wanted():
            poses = np.concatenate([sim.engine.link_poses(index) for index in self._models]).ravel()
            self._links.publish(LinkPoses(self.header(WORLD), self._scene(), self._names, poses))
        if self._contacts.wanted():
            self._contacts.publish(self._touching())
        if self._com.wanted():
            x, y, z = self.center_of_mass().tolist()
            kind = "geometry_msgs/msg/PointStamped"
            self._com.publish(messages.make(kind, header=self.header(WORLD), point=Point(x, y, z)))
        if self._support.wanted():
            corners = [Point32(*corner) for corner in self.support().tolist()]
            kind = "geometry_msgs/msg/PolygonStamped"
            self._support.publish(messages.make(kind, header=self.header(WORLD), polygon={"points": corners}))

    def _touching(self) -> Any:
        sim = self.sim
        found = sim.engine.contacts_of(sim.model)
        columns = (found.link_a, found.model_b, found.link_b, found.position, found.normal, found.force)
        out = []
        for link, other, touched, position, normal, force in zip(*(c.tolist() for c in columns), strict=True):
            what = f"{sim.engine.models[other].name}::{self._link_names[other][touched]}"
            mine = self._link_names[sim.model][link]
            out.append(Contact(mine, what, Point(*position), Vector3(*normal), Vector3(*force)))
        return Contacts(self.header(WORLD), out)

    def center_of_mass(self) -> Array:
        """True center of mass in the world (3,) [m]."""
        sim = self.sim
        masses, coms = sim.engine.models[sim.model].tree.weights
        poses = sim.engine.body_poses(sim.model)
        turned = np.einsum("nij,nj->ni", so3.from_quaternion(poses[:, 3:]), coms)
        return np.asarray(masses @ (poses[:, :3] + turned) / max(float(masses.sum()), 1e-9), dtype=float)

    def support(self) -> Array:
        """Corners (n, 3) of the hull of the points that carry the robot, counter-clockwise [m]."""
        sim = self.sim
        found = sim.engine.contacts_of(sim.model)
        mine = found.model_b != sim.model
        points: Array = found.position[mine]
        if len(points) == 0:
            return np.zeros((0, 3))
        points = points[points[:, 2] < points[:, 2].min() + FLAT]
        if len(points) < 3:
            return points
        hull = convex_hull(points[:, :2])
        return points if hull is None else points[hull.vertices]


class StatusPublisher(RobotPublisher):
    """/status of a run without a session, so that its recording is shown as that of one."""

    name = "status"

    def __init__(self, bus: Bus, view: Callable[[], RobotView]) -> None:
        super().__init__(bus, view)
        self._topic = self.advertise("/status", "andante_msgs/msg/Status", STATUS_RATE)
        self._lies = LyingSense(self.view.robot)

    def update(self) -> None:
        """Tell what the robot does."""
        self._lies.feel(self.view.state)
        if not self._topic.wanted():
            return
        view, sim, walker = self.view, simulation(self.view), self.view.walker
        x, y, heading = view.position.tolist()
        moves = view.loop is not None and view.loop.asked.moving
        self._topic.publish(
            messages.make(
                "andante_msgs/msg/Status",
                sim_time=self.bus.clock.now,
                engine=sim.engine.name,
                world=sim.engine.world.name,
                robot=view.name,
                behaviour="drive" if moves else "hold",
                standing=walker.standing,
                fallen=self._lies() and not walker.tumbles,
                position={"x": x, "y": y, "theta": heading},
                top_speed=walker.max_speed,
                top_turn=walker.max_turn,
                recording=True,
            )
        )


def simulation(view: RobotView) -> Simulation:
    """The simulation behind a view."""
    assert isinstance(view.body, Simulation)
    return view.body
