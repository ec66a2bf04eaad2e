"""What is asked of NAOqi and told to it: its keys and calls as messages of the wire contract of other bodies."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from andante.bags import messages
from andante.gravity import GRAVITY
from andante.hardware.ros.orders import JOINT_STATE
from andante.hardware.ros.settings import FOOT_FORCES, IMU, ODOMETRY

DEVICES = "Device/SubDeviceList/"
TIME, SIMULATED, FALLEN = "DCM/Time", "DCM/Simulation", "robotHasFallen"
JOINTS, INERTIAL, ODOM, FORCES = "/joint_states", "/imu/data", "/odom", "/foot_force"
ANGLES, STIFFNESS, VELOCITY = "/joint_angles", "/joint_stiffness", "/cmd_vel"
AXES = "XYZ"
FEET = {"l_ankle": "LFoot", "r_ankle": "RFoot"}  # link: what its load cells are called
CELLS = ("FrontLeft", "FrontRight", "RearLeft", "RearRight")
UNTOLD = [-1.0, *[0.0] * 8]  # a covariance that says that nobody measures


class Call(NamedTuple):
    """A method of a service and what it is given."""

    service: str
    method: str
    arguments: tuple[Any, ...] = ()

    def __str__(self) -> str:
        return f"{self.service}.{self.method}"


def keys_of(joints: Sequence[str]) -> list[str]:
    """Keys of ALMemory that tell how the robot is: its time, joints, inertial unit and load cells."""
    keys = [TIME, FALLEN]
    keys += [f"{DEVICES}{name}/Position/Sensor/Value" for name in joints]
    keys += [
        f"{DEVICES}InertialSensor/{kind}{axis}/Sensor/Value" for kind in ("Gyroscope", "Accelerometer") for axis in AXES
    ]
    return keys + [f"{DEVICES}{foot}/FSR/{cell}/Sensor/Value" for foot in FEET.values() for cell in CELLS]


class Told(NamedTuple):
    """What the robot has told at one instant; NaN: not told."""

    time: float  # of its own clock [s]
    fallen: bool
    joints: Mapping[str, float]  # [rad]
    gyro: tuple[float, ...]  # [rad/s]
    acceleration: tuple[float, ...]  # [m/s²]
    forces: Mapping[str, list[float]]  # link: load cells [N]
    place: tuple[float, float, float]  # x, y [m], heading [rad] by its odometry


def understood(joints: Sequence[str], values: Sequence[Any], place: Sequence[Any]) -> Told:
    """The values of `keys_of` and those of getRobotPosition."""
    numbers = [_number(value) for value in values]
    count = len(joints)
    if len(numbers) != 2 + count + 6 + len(FEET) * len(CELLS):
        raise ValueError(f"{len(numbers)} values came for {2 + count + 6 + len(FEET) * len(CELLS)} keys")
    felt, loads = numbers[2 + count : 8 + count], numbers[8 + count :]
    forces = {
        link: [GRAVITY * value for value in loads[4 * k : 4 * k + 4]]
        for k, link in enumerate(FEET)
        if all(map(math.isfinite, loads[4 * k : 4 * k + 4]))
    }
    x, y, yaw = ([_number(value) for value in place] + [math.nan] * 3)[:3]
    return Told(
        1e-3 * numbers[0], values[1] is True or numbers[1] == 1.0, dict(zip(joints, numbers[2:], strict=False)),
        tuple(felt[:3]), tuple(felt[3:]), forces, (x, y, yaw),
    )  # fmt: skip


def told_messages(told: Told, before: Told | None) -> dict[str, Any]:
    """Messages by topic that say the same; speeds follow from what was told before."""
    head = messages.header(told.time)
    known = {name: value for name, value in told.joints.items() if math.isfinite(value)}
    made = {JOINTS: messages.make(JOINT_STATE, header=head, name=list(known), position=list(known.values()))}
    gyro, felt = _vector(told.gyro), _vector(told.acceleration)
    made[INERTIAL] = messages.make(
        IMU, header=head, orientation_covariance=UNTOLD,
        angular_velocity=gyro or {}, angular_velocity_covariance=[0.0] * 9 if gyro else UNTOLD,
        linear_acceleration=felt or {}, linear_acceleration_covariance=[0.0] * 9 if felt else UNTOLD,
    )  # fmt: skip
    if told.forces:
        feet = [{"link": link, "cells": cells} for link, cells in told.forces.items()]
        made[FORCES] = messages.make(FOOT_FORCES, header=head, feet=feet)
    if all(map(math.isfinite, told.place)):
        made[ODOM] = _odometry(told, before, head)
    return made


def _odometry(told: Told, before: Told | None, head: Any) -> Any:
    x, y, yaw = told.place
    vx = vy = wz = 0.0
    passed = told.time - before.time if before is not None else 0.0
    if before is not None and passed > 0:
        dx, dy = x - before.place[0], y - before.place[1]
        c, s = math.cos(yaw), math.sin(yaw)
        vx, vy = (c * dx + s * dy) / passed, (c * dy - s * dx) / passed
        wz = math.remainder(yaw - before.place[2], 2 * math.pi) / passed
    half = 0.5 * yaw
    pose = {"position": {"x": x, "y": y}, "orientation": {"z": math.sin(half), "w": math.cos(half)}}
    twist = {"linear": {"x": vx, "y": vy}, "angular": {"z": wz}}
    return messages.make(ODOMETRY, header=head, pose={"pose": pose}, twist={"twist": twist})


def _vector(values: Sequence[float]) -> dict[str, float] | None:
    """As a geometry_msgs/Vector3, None where nothing is measured; an axis that is missing stays NaN."""
    if not any(map(math.isfinite, values)):
        return None
    return dict(zip("xyz", values, strict=True))


def _number(value: Any) -> float:
    plain = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if plain and math.isfinite(value) else math.nan


def call_of(topic: str, message: Any) -> Call:
    """The call that carries out a message to the robot."""
    if topic == ANGLES:
        names = [str(name) for name in message.joint_names]
        return Call("ALMotion", "setAngles", (names, [float(v) for v in message.joint_angles], float(message.speed)))
    if topic == STIFFNESS:
        return Call("ALMotion", "setStiffnesses", ([str(n) for n in message.name], [float(v) for v in message.effort]))
    twist = float(message.linear.x), float(message.linear.y), float(message.angular.z)  # qi takes long for numpy
    return Call("ALMotion", "move", twist) if any(twist) else Call("ALMotion", "stopMove")
