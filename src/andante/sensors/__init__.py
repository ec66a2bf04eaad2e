"""Sensor models with noise, rate, latency and seeds. Behaviours see these readings, never the engine's truth."""

from .camera import CameraModel, CameraSensor, Picture
from .channel import Bank, Channel
from .contact import ContactSwitch
from .encoders import EffortSensors, PositionEncoders, VelocityFromEncoders
from .force import FootForce, shares
from .imu import Imu
from .lidar import Lidar, Sweep
from .lidar_model import LidarModel
from .noise import Noise
from .presets import LDS_01, LIDARS, RPLIDAR_A2, RPLIDAR_A3
from .sensor import Reading, Scene, Sensor
from .sonar import Sonar, SonarModel
from .suite import SensorSuite
from .uwb import UwbErrors, UwbTag, anchors_of
from .wheel_encoders import WheelEncoders, WheelErrors, wheel_joints

__all__ = [
    "LDS_01",
    "LIDARS",
    "RPLIDAR_A2",
    "RPLIDAR_A3",
    "Bank",
    "CameraModel",
    "CameraSensor",
    "Channel",
    "ContactSwitch",
    "EffortSensors",
    "FootForce",
    "Imu",
    "Lidar",
    "LidarModel",
    "Noise",
    "Picture",
    "PositionEncoders",
    "Reading",
    "Scene",
    "Sensor",
    "SensorSuite",
    "Sonar",
    "SonarModel",
    "Sweep",
    "UwbErrors",
    "UwbTag",
    "VelocityFromEncoders",
    "WheelEncoders",
    "WheelErrors",
    "anchors_of",
    "shares",
    "wheel_joints",
]
