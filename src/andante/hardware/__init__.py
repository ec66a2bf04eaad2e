"""Robots to be read and commanded alike: simulated ones, a car at a serial port, and any robot behind ROS."""

from andante.control.body import Body, BodyCommand, BodyState, Health, JointTarget, Power

from .board import Battery, Board, BoardLine
from .car import Car
from .checks import check_body
from .endpoint import VERSION, WATCHDOG, Endpoint
from .firmware import BoardOutput, BoardSensors, Firmware
from .framing import FrameReader, LineCounters
from .host import HostLink
from .loopback import Loopback
from .messages import MESSAGES, Answer, Fault, State
from .parameters import PARAMETERS, Parameter
from .ports import Port, PortInfo, SerialPort, serial_ports
from .pwm import PwmChannel
from .ros_body import RosBody, RosTopics
from .ros_body_orders import BaseVelocity, JointAngles, JointTrajectory
from .ros_body_ros1 import Ros1Link
from .ros_body_rosbridge import RosbridgeLink
from .serial_body import SerialBody
from .simulated import SimulatedBody

__all__ = [
    "MESSAGES",
    "PARAMETERS",
    "VERSION",
    "WATCHDOG",
    "Answer",
    "BaseVelocity",
    "Battery",
    "Board",
    "BoardLine",
    "BoardOutput",
    "BoardSensors",
    "Body",
    "BodyCommand",
    "BodyState",
    "Car",
    "Endpoint",
    "Fault",
    "Firmware",
    "FrameReader",
    "Health",
    "HostLink",
    "JointAngles",
    "JointTarget",
    "JointTrajectory",
    "LineCounters",
    "Loopback",
    "Parameter",
    "Port",
    "PortInfo",
    "Power",
    "PwmChannel",
    "Ros1Link",
    "RosBody",
    "RosTopics",
    "RosbridgeLink",
    "SerialBody",
    "SerialPort",
    "SimulatedBody",
    "State",
    "check_body",
    "serial_ports",
]
