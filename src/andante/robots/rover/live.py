"""The rover's computer as a node of a live session: tags, filters, AHRS, odometry, AMCL, telemetry and waypoints.

It is the computer of the trials, fed from the car of the session, simulated behind its line (`onboard.SessionCar`) or
real. The session's localization is its AMCL, so that maps, goals and poses by hand are those of the session.
"""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from andante import mobile
from andante.bags import messages
from andante.control.body import Twist
from andante.control.publishers import MAP, stamp
from andante.errors import BadInput
from andante.geometry import Array, se2
from andante.hardware import SerialBody, State
from andante.hardware.serial.messages import Fault, Log
from andante.localization import LikelihoodField, MonteCarloLocalizer
from andante.mapping import OccupancyGrid, Scan
from andante.mobile.publisher import flat_message
from andante.mobile.sensing import Odometry, OnMap
from andante.session.nodes.navigation import NavigationNode, navigation_of
from andante.session.nodes.node import LiveNode
from andante.session.real import Mirror

from .computer import RoverComputer
from .guides import WaypointGuide
from .onboard import PARAMETERS, SessionCar, computer_of, feed, laser_pose, simulated_setup

if TYPE_CHECKING:
    from andante.session.session import LiveSession

UWB = "frame_uwb"
ROUND = 0.02  # between two rounds of the computer [s]
RATE, SLOW = 50.0, 10.0  # of what is told [Hz]
SAMPLES = 50  # of the first tag that align the UWB frame
MOVES = 0.03  # faster than this it does not stand [m/s, rad/s]
STATE_PERIOD = 0.5  # [s]


class CarLocalizer(OnMap):
    """Where odom lies on the map by the computer of the car, which takes the scans itself."""

    def __init__(self, node: RoverNode, odometry: Odometry, start: Array) -> None:
        self._node, self._odometry, self._last = node, odometry, np.array(start, dtype=float)

    @property
    def mcl(self) -> MonteCarloLocalizer:  # type: ignore[override]
        """The particles of the computer."""
        assert self._node.computer.localizer is not None
        return self._node.computer.localizer

    @property
    def map_from_odom(self) -> Array:  # type: ignore[override]
        """By the newest pose of the computer; where it was put before there is one."""
        computer, now = self._node.computer, self._node.car_time
        if computer.located:
            self._last = np.asarray(se2.compose(computer.pose(now), se2.inverse(self._odometry.at(now))), dtype=float)
        return self._last

    @property
    def trusted(self) -> bool:
        """Whether it knows where it is, and sees."""
        return self._node.computer.located and not self._node.computer.blind

    def update(self, scan: Scan, odom: Array) -> None:
        """The computer has its own scans."""

    def relocalize(self, scan: Scan) -> None:
        """Look for the pose anew by the tags, standing."""
        self._node.computer.put()

    def place(self, pose: ArrayLike, odom: Array, deviation: ArrayLike = (0.1, 0.1, 0.1)) -> None:
        """The rear axle stands at a pose x, y, yaw, as somebody says."""
        self._node.computer.place(pose, deviation, self._node.car_time)


class _Led:
    """The car as a waypoint is named to it."""

    def __init__(self, body: SerialBody) -> None:
        self.body = body

    @property
    def time(self) -> float:
        """Of the car [s]."""
        return self.body.time

    @property
    def twist(self) -> Twist | None:
        """None: the firmware drives by itself."""
        return None

    @twist.setter
    def twist(self, twist: Twist | None) -> None:
        if isinstance(self.body, SessionCar):
            self.body.waypoint = twist is None


class RoverNode(LiveNode):
    """/uwb/tag0/position ... /ahrs/rpy, /car/odometry, /car/pose, /car/telemetry, /car/state out; /car/waypoint in;
    /car/start, /car/stop, /car/align. With the parameter /car/source_names also the topics of the source.
    """

    name = "car"

    def __init__(self, session: LiveSession) -> None:
        super().__init__(session)
        self._guide: WaypointGuide | None = None
        self._grid: OccupancyGrid | None = None
        self._log: Log | None = None
        self._words, self._said_at = "", -math.inf  # of the state
        self._seen = self._round = self._told = -math.inf
        self._moved = False  # since it last stood
        self.car = self._car()
        if self.car is None:
            return
        setup, height = (self.car.setup, None) if self.car.setup is not None else simulated_setup(self.stage.sim)
        assert setup is not None
        self.computer: RoverComputer = computer_of(
            self.car, self.stage.robot, None, setup, height, seed=self.stage.choice.seed,
            say=lambda words: self.bus.log("info", words, self.name),
        )  # fmt: skip
        self._laser = laser_pose(self.stage.robot)
        self._align(self.stage.origin)
        self.stage.localizer = self._localizer
        self._topics()

    def _car(self) -> SerialBody | None:
        """The car behind its line; None: it has no line here, or no tags."""
        stage = self.stage
        body = stage.sim.real if isinstance(stage.sim, Mirror) else stage.moved
        if not isinstance(body, SerialBody) or not (isinstance(body, SessionCar) or body.setup is not None):
            return None
        return body

    @property
    def car_time(self) -> float:
        """Of the car's clock [s]."""
        assert self.car is not None
        return self.car.time

    def _topics(self) -> None:
        point, posed = "geometry_msgs/msg/PointStamped", "geometry_msgs/msg/PoseStamped"
        self._places = [self.advertise(f"/uwb/tag{k}/position", point, SLOW) for k in (0, 1)]
        self._filtered = self.advertise("/uwb/tag0/filtered", point, SLOW)
        self._by_tags = self.advertise("/uwb/pose", posed, SLOW)
        self._rpy = self.advertise("/ahrs/rpy", "geometry_msgs/msg/Vector3Stamped", RATE)
        self._odometry = self.advertise("/car/odometry", "nav_msgs/msg/Odometry", RATE)
        self._pose = self.advertise("/car/pose", posed, RATE)
        self._telemetry = self.advertise("/car/telemetry", "andante_msgs/msg/CarTelemetry", RATE)
        self._state = self.advertise("/car/state", "std_msgs/msg/String", latched=True)
        self._static = self.advertise("/tf_static", "tf2_msgs/msg/TFMessage", latched=True)
        self.subscribe("/car/waypoint", point, lambda message: self.go_to(message.point.x, message.point.y))
        self.advertise_service("/car/start", "std_srvs/srv/Trigger", lambda _: self.run(True))
        self.advertise_service("/car/stop", "std_srvs/srv/Trigger", lambda _: self.run(False))
        self.advertise_service("/car/align", "std_srvs/srv/Trigger", lambda _: self.align())
        self._source: SourceNames | None = None
        help_ = "also the topics of the source: /tag_pose0, /robot_pose, /waypoint_publisher, /start_and_stop ..."
        self.bus.parameters.declare("/car/source_names", False, None, self._name_all, help_, node=self.name)

    def _name_all(self, on: bool) -> None:
        if self._source is not None:
            self._source.close()
        self._source = SourceNames(self) if on else None

    def _localizer(self, odometry: Odometry, start: Array) -> OnMap | Any:
        self._follow_map()
        if self.computer.localizer is None:
            return mobile.OdometryOnly(start)
        return CarLocalizer(self, odometry, start)

    # ---- what is asked of it -----------------------------------------------------------------------
    def go_to(self, x: float, y: float) -> str:
        """Name a waypoint on the map [m] to the firmware, which drives there by its own law."""
        if not (math.isfinite(x) and math.isfinite(y) and max(abs(x), abs(y)) < 1e4):
            raise BadInput(f"a waypoint is x, y on the map as finite numbers, got {x}, {y}")
        if not self.computer.located:
            raise BadInput(f"the car does not know where it is: {self.stand}")
        assert self.car is not None
        navigation = navigation_of(self.session).live
        if navigation is not None:
            navigation.cancel()
        self.session.teleop.release()
        self._run(True)
        self._guide = WaypointGuide(_Led(self.car), np.array([x, y], dtype=float))
        self._guide.start()
        return f"waypoint x {x:.2f} m, y {y:.2f} m"

    def run(self, on: bool) -> str:
        """Let the motors turn, or stop them and forget the waypoint."""
        self._run(on)
        if not on:
            self._end_waypoint("")
        return "the motors may turn" if on else "the motors are stopped"

    def _run(self, on: bool) -> None:
        assert self.car is not None
        if isinstance(self.car, SessionCar):
            self.car.running = on
        (self.car.start if on else self.car.stop)()

    def align(self) -> str:
        """Find the UWB frame anew from where the car stands."""
        if not self.computer.located:
            raise BadInput(f"the car does not know where it is: {self.stand}")
        self._align(self.computer.pose(self.car_time))
        return "stand still until the UWB frame is found"

    def _align(self, pose: ArrayLike) -> None:
        self.computer.map_from_uwb = None
        self.computer.align(se2.compose(pose, self._laser), SAMPLES)

    # ---- one control period ------------------------------------------------------------------------
    def update(self) -> None:
        """Feed the computer, see to the waypoint, and tell what is wanted."""
        if self.car is None:
            return
        now = self.car.time
        if now >= self._round + ROUND - 1e-6 or now < self._round:
            self._round = now
            self._follow_map()
            since, self._seen = self._seen, now
            feed(self.computer, self.car, since if since <= now else now - ROUND, now)
            self._stand(now)
            self._lead()
            self._pass_on()
        self._tell(now)

    def _follow_map(self) -> None:
        """Localize on the map of the session, whichever that is now."""
        grid = (
            navigation_of(self.session).the_map()
            if any(isinstance(n, NavigationNode) for n in self.session.nodes)
            else None
        )
        if grid is not self._grid:
            self._grid = grid
            self.computer.use_map(None if grid is None else LikelihoodField(grid, PARAMETERS), self.car_time)

    def _stand(self, now: float) -> None:
        """A car that was driven before it knew where it is begins anew where it stands."""
        if self.computer.located:
            return
        moves = bool(np.abs(self.computer.twist).max() > MOVES)
        if moves:
            self._moved = True
        elif self._moved:
            self._moved = False
            if self.computer.aligned:
                self.computer.put()
            else:
                self._align(se2.compose(self.stage.origin, self.computer.odometry.at(now)))

    def _lead(self) -> None:
        """See that the firmware has its waypoint, until it is there or something stands in the way."""
        guide, guard = self._guide, self.stage.guard
        if guide is None:
            return
        if isinstance(self.car, SessionCar) and not self.car.waypoint:
            self._end_waypoint("driven by hand: the waypoint is forgotten")
        elif guide.arrived:
            self._end_waypoint("the waypoint is reached")
        elif guard is not None and guard.on and self.stage.wheels is not None:
            time = self.stage.sim.time
            seen = guard.monitor.check(time, self.stage.wheels.odometry.at(time), self.computer.twist)
            if seen.action not in ("clear", "slow"):  # the firmware knows no slower approach
                self._end_waypoint(f"the collision monitor stopped the car: {seen.words}")
            else:
                guide.update()
        else:
            guide.update()

    def _end_waypoint(self, words: str) -> None:
        self._guide = None
        if isinstance(self.car, SessionCar):
            self.car.waypoint = False
        if words:
            self.bus.log("info", words, self.name)

    def _pass_on(self) -> None:
        """Words of the firmware, into the log."""
        assert self.car is not None
        logs = self.car.logs
        known = max((i + 1 for i, log in enumerate(logs) if log is self._log), default=0)
        for log in logs[known:]:
            self.bus.log("info", f"firmware: {log.text}", self.name)
            self._log = log

    # ---- what is told ------------------------------------------------------------------------------
    @property
    def stand(self) -> str:
        """How far the computer is, in words."""
        computer = self.computer
        if computer.located:
            return "blind: no scan has echoes" if computer.blind else "ready"
        if computer.localizer is None:
            return "no map"
        return "settling: it stands and looks for its pose" if computer.aligned else "aligning: let it stand still"

    def _tell(self, now: float) -> None:
        computer, clock = self.computer, self.bus.clock.now
        if not 0 <= clock - self._said_at < STATE_PERIOD:
            self._said_at = clock
            self._tell_state()
        uwb = self.header(UWB)
        for place, topic in zip(computer.tags.places, self._places, strict=True):
            if place is not None and topic.wanted():
                topic.publish(_point(uwb, place))
        if self._filtered.wanted() and np.isfinite(filtered := computer.tags.filtered(now)).all():
            self._filtered.publish(_point(uwb, [*filtered, 0.0]))
        if self._by_tags.wanted() and np.isfinite(by_tags := computer.pose_by_tags(now)).all():
            self._by_tags.publish(self._posed(by_tags))
        if self._rpy.wanted():
            roll, pitch, yaw = (float(v) for v in computer.tags.ahrs.rpy)
            self._rpy.publish(
                messages.make("geometry_msgs/msg/Vector3Stamped", header=uwb, vector={"x": roll, "y": pitch, "z": yaw})
            )
        if self._odometry.wanted():
            self._odometry.publish(self._odom(now))
        if computer.located and self._pose.wanted():
            self._pose.publish(self._posed(computer.pose(now)))
        if self._telemetry.wanted() and (told := self.telemetry()) is not None:
            self._telemetry.publish(told)
        if self._source is not None:
            self._source.tell(now)

    def _tell_state(self) -> None:
        computer = self.computer
        uwb = None if computer.map_from_uwb is None else [round(float(v), 4) for v in computer.map_from_uwb]
        words = json.dumps(
            {
                "state": self.stand, "aligned": computer.aligned, "located": computer.located, "map_from_uwb": uwb,
                "fixes": computer.tags.fixes, "waypoint": self._guide is not None,
                "connected": self.car is not None and self.car.connected,
            }
        )  # fmt: skip
        if words == self._words:
            return
        if uwb is not None and json.dumps(uwb) not in self._words:
            frames = messages.make("tf2_msgs/msg/TFMessage", transforms=[self.transform(uwb)])
            self.bus.tf.set(frames, static=True)
            self._static.publish(frames)
        self._words = words
        self._state.publish(messages.make("std_msgs/msg/String", data=words))

    def transform(self, pose: ArrayLike) -> Any:
        """map -> frame_uwb as a message."""
        x, y, yaw = (float(v) for v in np.asarray(pose, dtype=float))
        return messages.make(
            "geometry_msgs/msg/TransformStamped",
            header={"stamp": stamp(self.bus.clock.now), "frame_id": self.bus.frame(MAP)},
            child_frame_id=self.bus.frame(UWB),
            transform={
                "translation": {"x": x, "y": y}, "rotation": {"z": math.sin(yaw / 2), "w": math.cos(yaw / 2)}
            },
        )  # fmt: skip

    def telemetry(self) -> Any:
        """The newest telemetry as a message; None before the first."""
        assert self.car is not None
        told = self.car.telemetry
        if told is None:
            return None
        return messages.make(
            "andante_msgs/msg/CarTelemetry", header=self.header(self.stage.robot.root),
            state=State(told.state).name.lower(), fault=Fault(told.fault).name.lower(), throttle=int(told.throttle),
            steering=int(told.steering), voltage=told.voltage / 1000.0, ticks_left=int(told.ticks_left),
            ticks_right=int(told.ticks_right), yaw=float(self.car.yaw), waypoint=int(told.waypoint),
        )  # fmt: skip

    def _posed(self, pose: Array) -> Any:
        made = messages.cls("geometry_msgs/msg/PoseStamped")
        return made(self.header(MAP), flat_message([float(v) for v in pose]))

    def _odom(self, now: float) -> Any:
        vx, vy, wz = (float(v) for v in self.computer.twist)
        return messages.make(
            "nav_msgs/msg/Odometry", header=self.header("odom"), child_frame_id=self.bus.frame(self.stage.robot.root),
            pose={"pose": flat_message([float(v) for v in self.computer.odometry.ahead(now)])},
            twist={"twist": {"linear": {"x": vx, "y": vy}, "angular": {"z": wz}}},
        )  # fmt: skip

    def close(self) -> None:
        """Leave the bus."""
        if self.car is not None:
            self._name_all(False)
            self.bus.parameters.remove("/car/source_names")
        super().close()


def _point(header: Any, place: ArrayLike) -> Any:
    x, y, z = (float(v) for v in np.asarray(place, dtype=float))
    return messages.make("geometry_msgs/msg/PointStamped", header=header, point={"x": x, "y": y, "z": z})


class SourceNames(LiveNode):
    """The topics of the source: /tag_pose0, /tag_pose1, /orientation, /robot_pose, /yaw, /tf_tag2map out;
    /waypoint_publisher and /start_and_stop in.
    """

    name = "car_source"

    def __init__(self, node: RoverNode) -> None:
        super().__init__(node.session)
        point = "geometry_msgs/msg/Point"
        self._node, self._told = node, False
        self._tags = [self.advertise(f"/tag_pose{k}", point, SLOW) for k in (0, 1)]
        self._turn = self.advertise("/orientation", "geometry_msgs/msg/Vector3", RATE)
        self._pose = self.advertise("/robot_pose", point, RATE)
        self._yaw = self.advertise("/yaw", "std_msgs/msg/Float32", RATE)
        self._frame = self.advertise("/tf_tag2map", "geometry_msgs/msg/TransformStamped", latched=True)
        self.subscribe("/waypoint_publisher", point, lambda message: node.go_to(message.x, message.y))
        self.subscribe("/start_and_stop", "std_msgs/msg/Float32", lambda message: node.run(bool(message.data)))

    def tell(self, now: float) -> None:
        """What is wanted now [s]."""
        computer = self._node.computer
        for place, topic in zip(computer.tags.places, self._tags, strict=True):
            if place is not None and topic.wanted():
                x, y, z = (float(v) for v in place)
                topic.publish(messages.make("geometry_msgs/msg/Point", x=x, y=y, z=z))
        if self._turn.wanted():
            x, y, z = (float(v) for v in computer.tags.ahrs.rpy)
            self._turn.publish(messages.make("geometry_msgs/msg/Vector3", x=x, y=y, z=z))
        if computer.located and self._pose.wanted():
            x, y, z = (float(v) for v in computer.pose(now))
            self._pose.publish(messages.make("geometry_msgs/msg/Point", x=x, y=y, z=z))
        car = self._node.car
        if car is not None and math.isfinite(car.yaw) and self._yaw.wanted():
            self._yaw.publish(messages.make("std_msgs/msg/Float32", data=float(car.yaw)))
        if computer.map_from_uwb is not None and not self._told:
            self._told = True
            self._frame.publish(self._node.transform(computer.map_from_uwb))


NODES = (RoverNode,)
