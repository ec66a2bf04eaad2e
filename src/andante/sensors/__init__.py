"""Sensor models with noise, rate, latency and seeds. Behaviours see these readings, never the engine's truth."""

from .channel import Bank, Channel
from .contact import ContactSwitch
from .encoders import EffortSensors, PositionEncoders, VelocityFromEncoders
from .force import FootForce, shares
from .imu import Imu
from .noise import Noise
from .sensor import Reading, Scene, Sensor
from .suite import SensorSuite

__all__ = [
    "Bank",
    "Channel",
    "ContactSwitch",
    "EffortSensors",
    "FootForce",
    "Imu",
    "Noise",
    "PositionEncoders",
    "Reading",
    "Scene",
    "Sensor",
    "SensorSuite",
    "VelocityFromEncoders",
    "shares",
]
