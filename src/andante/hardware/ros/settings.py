"""Topics of a robot behind ROS, and how the table [body] of a parameter file changes them.

[body]
targets = "trajectory"                  # targets (the default), angles, trajectory, positions, none
targets_topic = "/arm_controller/joint_trajectory"
joints = ["shoulder", "elbow"]          # commanded together, in the order of the controller
joint_states = "/robot/joint_states"
imu = ""                                # an empty name: the robot has none
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from andante.bags import messages
from andante.description import Robot
from andante.errors import BadInput, UnknownName
from andante.sensors.topics import plain

from .orders import JOINT_STATE, BaseVelocity, JointAngles, JointOrders, JointPositions, JointTargets, JointTrajectory

IMU, ODOMETRY = "sensor_msgs/msg/Imu", "nav_msgs/msg/Odometry"
FOOT_FORCES, LASER_SCAN = "andante_msgs/msg/FootForces", "sensor_msgs/msg/LaserScan"
CLOCK = "rosgraph_msgs/msg/Clock"
WAYS: dict[str, type[JointOrders]] = {
    "targets": JointTargets,
    "angles": JointAngles,
    "trajectory": JointTrajectory,
    "positions": JointPositions,
}


@dataclass(frozen=True)
class RosTopics:
    """Where the robot tells of itself; an empty name: nowhere. Joint states, else odometry, are its sign of life."""

    joint_states: str = "/joint_states"
    imu: str = "/imu/data"
    odometry: str = "/odom"
    foot_force: str = "/{robot}/foot_force"
    scan: str = "/scan"
    clock: str = "/clock"

    def __post_init__(self) -> None:
        if not (self.joint_states or self.odometry):
            raise BadInput("a body needs the topic of its joint states or that of its odometry")

    def of(self, robot: Robot) -> RosTopics:
        """The topics of a robot: of what its file has sensors for."""
        kinds = {spec.kind for spec in robot.sensors}
        force = self.foot_force.format(robot=plain(robot.name)) if "force" in kinds else ""
        return replace(self, foot_force=force, scan=self.scan if "lidar" in kinds else "")

    @property
    def types(self) -> dict[str, str]:
        """Type of the messages of every topic."""
        known = {
            self.joint_states: JOINT_STATE,
            self.imu: IMU,
            self.odometry: ODOMETRY,
            self.foot_force: FOOT_FORCES,
            self.scan: LASER_SCAN,
            self.clock: CLOCK,
        }
        return {topic: kind for topic, kind in known.items() if topic}


def ros_options(table: Mapping[str, Any]) -> dict[str, Any]:
    """Options of a `RosBody` from a table [body]; names and values are checked."""
    names = {field.name for field in fields(RosTopics)}
    words = ("targets", "targets_topic", "stiffness_topic", "velocity")
    numbers = ("speed", "least_time", "timeout")
    own = (*words, *numbers, "joints", "stamped")
    for name, value in table.items():
        if name not in (*names, *own):
            raise UnknownName.among("[body] parameter", name, (*sorted(names), *own))
        if name in (*names, *words) and not isinstance(value, str):
            raise BadInput(f"[body] {name} is a word, got {value!r}")
        if name in numbers and (isinstance(value, bool) or not isinstance(value, int | float)):
            raise BadInput(f"[body] {name} is a number, got {value!r}")
    options: dict[str, Any] = {"topics": RosTopics(**{name: table[name] for name in names if name in table})}
    way = table.get("targets", "targets")
    if way not in (*WAYS, "none"):
        raise UnknownName.among("way of targets", way, (*WAYS, "none"))
    options["joints"] = None if way == "none" else _orders(WAYS[way], table)
    velocity = table.get("velocity", "/cmd_vel")
    options["velocity"] = BaseVelocity(velocity, bool(table.get("stamped", False))) if velocity else None
    if "timeout" in table:
        options["timeout"] = float(table["timeout"])
    return options


def _orders(kind: type[JointOrders], table: Mapping[str, Any]) -> JointOrders:
    given: dict[str, Any] = {}
    if "targets_topic" in table:
        given["topic"] = table["targets_topic"]
        if kind is JointTargets:
            given["stop_topic"] = f"{table['targets_topic']}/stop"
    if "joints" in table:
        if not isinstance(table["joints"], list) or not all(isinstance(name, str) for name in table["joints"]):
            raise BadInput(f"[body] joints is a list of names, got {table['joints']!r}")
        given["together"] = tuple(table["joints"])
    given |= {name: float(table[name]) for name in ("speed", "least_time") if name in table}
    if "stiffness_topic" in table:
        given["stiffness_topic"] = table["stiffness_topic"]
    known = {field.name for field in fields(kind)}  # type: ignore[arg-type]
    for name in given:
        if name not in known:
            raise BadInput(f"[body] {'joints' if name == 'together' else name} does not go with this way of targets")
    return kind(**given)


def described(way: JointOrders | BaseVelocity) -> dict[str, str]:
    """Topic and type of a way of commands."""
    return {"topic": way.topic, "type": messages.type_name(way.type_name)}
