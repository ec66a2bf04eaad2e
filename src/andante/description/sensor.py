"""Sensors as a description file states them; the models that produce data live in `andante.sensors`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from andante.geometry import SE3

from .link import IDENTITY
from .source import Source


@dataclass(frozen=True)
class SensorSpec:
    """One sensor on a link.

    kind: imu, force (one load cell, e.g. an FSR), contact, bumper, touch, button, sonar, lidar, camera, uwb,
    gps, force_torque, infrared, microphone ... anything else is kept under its own name.
    parameters: flat names with units of the source format, e.g. camera: horizontal_fov, width, height, near, far;
    lidar: samples, min_angle, max_angle, range_min, range_max, resolution; noise: noise_stddev, bias_stddev, ...
    """

    name: str
    kind: str
    link: str
    pose: SE3 = IDENTITY  # link_from_sensor
    rate: float = 0.0  # [Hz]; 0: every step
    topic: str = ""
    parameters: Mapping[str, float | str] = field(default_factory=dict)
    source: Source = field(default=Source(), compare=False)
