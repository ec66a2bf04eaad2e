"""Lidars by name, with the figures of their makers.

RPLIDAR: rates, ranges and angles of the A2 at 8000 and the A3 at 16000 samples per second. Accuracy: 1 % of the range
(A2), 1 % to 3 m and 2.5 % beyond 5 m (A3). LDS-01 (TurtleBot3): ±15 mm below 0.5 m, ±3.5 % precision beyond. What a
maker gives as a bound is taken as three standard deviations; drop-outs of a few per mille are assumed.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from andante.description.sensor import SensorSpec
from andante.errors import UnknownName

from .lidar_model import TURN, LidarModel

RPLIDAR_A2 = LidarModel(
    rate=10.0,
    beams=800,
    angle_min=-math.pi,
    angle_increment=TURN / 800,
    range_min=0.15,
    range_max=12.0,
    noise_stddev=0.003,
    noise_proportional=0.01 / 3,
    resolution=0.00025,
    dropout=0.003,
)
RPLIDAR_A3 = LidarModel(
    rate=15.0,
    beams=1067,
    angle_min=-math.pi,
    angle_increment=TURN / 1067,
    range_min=0.2,
    range_max=25.0,
    noise_stddev=0.003,
    noise_proportional=0.025 / 3,
    resolution=0.00025,
    dropout=0.003,
)
LDS_01 = LidarModel(
    rate=5.0,
    beams=360,
    angle_min=0.0,
    angle_increment=TURN / 360,
    range_min=0.12,
    range_max=3.5,
    noise_stddev=0.005,
    noise_proportional=0.035 / 3,
    resolution=0.001,
    dropout=0.005,
)
LIDARS: Mapping[str, LidarModel] = {"rplidar_a2": RPLIDAR_A2, "rplidar_a3": RPLIDAR_A3, "lds_01": LDS_01}


def lidar_model(spec: SensorSpec) -> LidarModel:
    """The lidar of a description; its parameter `model` names one of `LIDARS`, whose figures fill what is not said."""
    name = spec.parameters.get("model")
    if name is None:
        return LidarModel.of(spec)
    known = str(name).strip().lower().replace("-", "_").replace(" ", "_")
    if known not in LIDARS:
        raise UnknownName.among("lidar model", str(name), LIDARS, f"sensor {spec.name!r}")
    return LidarModel.of(spec, LIDARS[known])
