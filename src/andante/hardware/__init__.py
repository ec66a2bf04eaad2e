"""Robots to be read and commanded alike: simulated ones, a car at a serial port, and any robot behind ROS."""

from typing import TYPE_CHECKING

from andante.lazy import lazy_names

if TYPE_CHECKING:
    from andante.control.body import Body, BodyCommand, BodyState, Health, JointTarget, Power

    from . import pozyx, rplidar
    from .checks import check_body
    from .open import dry_run, open_body, open_lidar
    from .ros.body import RosBody
    from .ros.orders import BaseVelocity, JointAngles, JointPositions, JointTargets, JointTrajectory
    from .ros.ros1 import Ros1Link
    from .ros.rosbridge import RosbridgeLink
    from .ros.settings import RosTopics
    from .serial.board import Battery, Board, FirmwareOnBoard
    from .serial.body import SerialBody
    from .serial.car import PARAMETERS, Car, Parameter, PwmChannel
    from .serial.endpoint import VERSION, WATCHDOG, Endpoint, FrameReader, LineCounters
    from .serial.firmware import BoardOutput, BoardSensors, Firmware
    from .serial.host import HostLink
    from .serial.messages import MESSAGES, Answer, Fault, State
    from .serial.ports import Loopback, Port, PortInfo, SerialPort, serial_ports

__all__ = [
    "MESSAGES", "PARAMETERS", "VERSION", "WATCHDOG", "Answer", "BaseVelocity", "Battery", "Board", "BoardOutput",
    "BoardSensors", "Body", "BodyCommand", "BodyState", "Car", "Endpoint", "Fault", "Firmware", "FirmwareOnBoard",
    "FrameReader", "Health", "HostLink", "JointAngles", "JointPositions", "JointTarget", "JointTargets",
    "JointTrajectory", "LineCounters", "Loopback", "Parameter", "Port", "PortInfo", "Power", "PwmChannel", "Ros1Link",
    "RosBody", "RosTopics", "RosbridgeLink", "SerialBody", "SerialPort", "State", "check_body", "dry_run", "open_body",
    "open_lidar", "pozyx", "rplidar", "serial_ports",
]  # fmt: skip

__getattr__ = lazy_names(__name__)
