"""Sensor models with noise, rate, latency and seeds. Behaviours see these readings, never the engine's truth."""

from .camera import CameraModel, CameraSensor, Picture, PictureSensor
from .channel import Bank, Channel, Noise
from .contact import ContactSwitch, FootForce, load_fractions
from .depth import DEPTH_CAMERAS, XTION, DepthCamera, DepthModel
from .lidar import LDS_01, LIDARS, RPLIDAR_A2, RPLIDAR_A3, VLP_16, Lidar, LidarModel, Sweep
from .proprioception import (
    EffortSensors,
    Imu,
    PositionEncoders,
    VelocityFromEncoders,
    WheelEncoders,
    WheelErrors,
    wheel_joints,
)
from .sensor import Reading, Scene, Sensor
from .sonar import Sonar, SonarModel
from .suite import SensorSuite
from .uwb import UwbErrors, UwbTag, anchors_of

__all__ = [
    "DEPTH_CAMERAS", "LDS_01", "LIDARS", "RPLIDAR_A2", "RPLIDAR_A3", "VLP_16", "XTION", "Bank", "CameraModel",
    "CameraSensor", "Channel", "ContactSwitch", "DepthCamera", "DepthModel", "EffortSensors", "FootForce", "Imu",
    "Lidar", "LidarModel", "Noise", "Picture", "PictureSensor", "PositionEncoders", "Reading", "Scene", "Sensor",
    "SensorSuite", "Sonar", "SonarModel", "Sweep", "UwbErrors", "UwbTag", "VelocityFromEncoders", "WheelEncoders",
    "WheelErrors", "anchors_of", "load_fractions", "wheel_joints",
]  # fmt: skip
