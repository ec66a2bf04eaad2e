"""Keys of ALMemory under Device/SubDeviceList: joints, inertial unit, load cells, switches, sonars, battery."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from andante.bags import messages
from andante.bridges.naoqi.model import position6d
from andante.bridges.naoqi.robot import JOINTS
from andante.gravity import GRAVITY

from .memory import DEVICES, Memory, Provider

if TYPE_CHECKING:
    from andante.bridges.naoqi.robot import NaoqiRobot

IMU, SONAR, SWITCHES = "/imu/data", "/sonar", "/switches"
CELLS = ("FrontLeft", "FrontRight", "RearLeft", "RearRight")
FEET = {"LFoot": "l_ankle", "RFoot": "r_ankle"}
RAW_ACC, RAW_GYR = -56.0 / GRAVITY, 2.7 * 180 / math.pi  # units of the first inertial boards: 56 is 1 g, 2.7 is 1 deg/s
SONAR_FAR = 5.0  # told where no echo comes [m]


def provide_devices(robot: NaoqiRobot) -> None:
    """Give ALMemory all keys of the hardware."""
    memory = robot.service(Memory)
    for key, provider in _keys(robot):
        memory.provide(DEVICES + key + "/Value", provider)
    for key, value in (
        ("RobotConfig/Body/Type", "NAO"), ("RobotConfig/Body/BaseVersion", robot.model.version),
        ("RobotConfig/Head/BaseVersion", robot.model.version), ("RobotConfig/Head/Type", "NAO"),
        ("Device/DeviceList/ChestBoard/BodyId", "simulated"), ("DCM/Realtime", True), ("DCM/Simulation", True),
        ("NAOqiReady", True), ("BatteryChargeChanged", 100), ("BatteryPowerPluggedChanged", True),
        ("robotHasFallen", False), ("footContactChanged", True), ("WordRecognized", ["", 0.0]), ("FaceDetected", []),
        ("LandmarkDetected", []), ("redBallDetected", []), ("SpeechDetected", False), ("robotIsWakeUp", True),
        ("AutonomousLife/State", "disabled"), ("BehaviorsRun", []),
    ):  # fmt: skip
        memory.insertData(key, value)
    memory.provide("DCM/Time", partial(_clock, robot))


def _clock(robot: NaoqiRobot) -> int:
    """When the joints were measured, by the robot's clock [ms]."""
    return round(1e3 * messages.seconds(robot.link.latest(JOINTS).header.stamp))


def _keys(robot: NaoqiRobot) -> Iterator[tuple[str, Provider]]:
    for name in robot.model.joints:
        yield f"{name}/Position/Sensor", partial(_of, robot.sensed, name)
        yield f"{name}/Position/Actuator", partial(_of, robot.commanded, name)
        yield f"{name}/Hardness/Actuator", partial(robot.stiffness.__getitem__, name)
        yield f"{name}/ElectricCurrent/Sensor", lambda: 0.0
        yield f"{name}/Temperature/Sensor", lambda: 38.0
    yield from _inertial(robot)
    yield from _forces(robot)
    for spec in robot.model.robot.sensors:
        if spec.kind in ("touch", "button", "bumper"):
            yield f"{spec.name}/Sensor", partial(_touched, robot, spec.name)
    for side in ("Left", "Right"):
        yield f"US/{side}/Sensor", partial(distance, robot, side)
        for echo in range(1, 10):
            memory_key = f"{DEVICES}US/{side}/Sensor/Value{echo}"
            robot.service(Memory).provide(memory_key, partial(distance, robot, side))
    yield "Battery/Charge/Sensor", lambda: 1.0
    yield "Battery/Current/Sensor", lambda: -0.5
    yield "Battery/Temperature/Sensor", lambda: 30.0
    yield "Head/Temperature/Sensor", lambda: 45.0


def _inertial(robot: NaoqiRobot) -> Iterator[tuple[str, Provider]]:
    unit = "InertialSensor/"
    for k, axis in enumerate("XYZ"):
        yield f"{unit}Gyroscope{axis}/Sensor", partial(_gyro, robot, axis)
        yield f"{unit}Gyr{axis}/Sensor", partial(_gyro, robot, axis, RAW_GYR)
        yield f"{unit}Accelerometer{axis}/Sensor", partial(_acceleration, robot, axis)
        yield f"{unit}Acc{axis}/Sensor", partial(_acceleration, robot, axis, RAW_ACC)
        yield f"{unit}Angle{axis}/Sensor", partial(_nth, lean, k, robot)
    yield f"{unit}GyrRef/Sensor", lambda: 1200.0


def _of(joints: Callable[[], dict[str, float]], name: str) -> float:
    return joints()[name]


def _nth(numbers: Callable[..., Sequence[float]], k: int, *given: Any) -> float:
    return numbers(*given)[k]


def _touched(robot: NaoqiRobot, name: str) -> float:
    return float(pressed(robot).get(name, False))


def _weight(robot: NaoqiRobot, foot: str) -> float:
    return sum(cells(robot, foot))


def _gyro(robot: NaoqiRobot, axis: str, unit: float = 1.0) -> float:
    message = robot.link.latest(IMU)
    return 0.0 if message is None else unit * float(getattr(message.angular_velocity, axis.lower()))


def _acceleration(robot: NaoqiRobot, axis: str, unit: float = 1.0) -> float:
    message = robot.link.latest(IMU)
    return 0.0 if message is None else unit * float(getattr(message.linear_acceleration, axis.lower()))


def lean(robot: NaoqiRobot) -> tuple[float, float, float]:
    """Roll, pitch, yaw of the torso as the robot believes [rad]."""
    wx, wy, wz = position6d(robot.world_from_root())[3:]
    return wx, wy, wz


def cells(robot: NaoqiRobot, foot: str) -> list[float]:
    """Load on the four cells of a foot [kg]."""
    topic = f"/{robot.model.robot.name}/foot_force"
    message = robot.link.latest(topic)
    for each in () if message is None else message.feet:
        if str(each.link) == FEET[foot]:
            return [max(0.0, float(v)) / GRAVITY for v in each.cells]
    return [0.0] * 4


def _forces(robot: NaoqiRobot) -> Iterator[tuple[str, Provider]]:
    for foot in FEET:
        for k, cell in enumerate(CELLS):
            yield f"{foot}/FSR/{cell}/Sensor", partial(_nth, cells, k, robot, foot)
        yield f"{foot}/FSR/TotalWeight/Sensor", partial(_weight, robot, foot)
        for k, axis in enumerate("XY"):
            yield f"{foot}/FSR/CenterOfPressure/{axis}/Sensor", partial(_nth, pressure, k, robot, foot)


def pressure(robot: NaoqiRobot, foot: str) -> tuple[float, float]:
    """Center of pressure of a foot in the ankle's frame [m]; 0, 0 while it is in the air."""
    loads = cells(robot, foot)
    places = [spec.pose.translation for spec in robot.model.robot.sensors if spec.name.startswith(f"{foot}/FSR/")]
    total = sum(loads)
    if total < 0.05 or len(places) != len(loads):
        return 0.0, 0.0
    x, y = (sum(w * float(p[i]) for w, p in zip(loads, places, strict=True)) / total for i in (0, 1))
    return x, y


def pressed(robot: NaoqiRobot) -> dict[str, bool]:
    """Bumpers, touch pads and buttons."""
    message = robot.link.latest(SWITCHES, 0.5)
    if message is None:
        return {}
    return {str(name): bool(on) for name, on in zip(message.names, message.pressed, strict=True)}


def distance(robot: NaoqiRobot, side: str) -> float:
    """What a sonar tells [m]; far where no echo comes."""
    robot.link.latest(SONAR, 0.5)
    value = robot.ranges.get(side, math.inf)
    return value if math.isfinite(value) else SONAR_FAR
