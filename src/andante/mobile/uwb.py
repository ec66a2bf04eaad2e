"""The UWB anchors and tags of a simulated robot as localization takes them."""

from __future__ import annotations

import numpy as np

from andante.description.robot import Robot
from andante.errors import BadInput
from andante.geometry import SE3
from andante.localization.uwb import UwbSetup, in_source_frame
from andante.sensors import SensorSuite, UwbTag


def uwb_setup(robot: Robot, sensors: SensorSuite) -> UwbSetup:
    """Anchors in the source's UWB frame and tags told from the first tag, as localization takes them."""
    tags = [channel.sensor for channel in sensors if isinstance(channel.sensor, UwbTag)]
    if not tags:
        raise BadInput("the robot has no UWB tag; add a <sensor type='uwb'> to its file")
    places = in_source_frame(list(tags[0].anchors.values()))
    anchors = {name: _three(place) for name, place in zip(tags[0].anchors, places, strict=True)}
    poses = robot.link_poses()
    on_robot = {tag.name: (poses[tag.link] @ tag.pose).translation for tag in tags}
    first = on_robot[tags[0].name]
    return UwbSetup(anchors, {name: _three(place - first) for name, place in on_robot.items()})


def world_from_uwb(sensors: SensorSuite) -> SE3:
    """Pose of the source's UWB frame in the world: anchor 0 is its origin, 1 gives +y, 2 gives +x."""
    places = np.array(list(sensors.anchors.values()), dtype=float)
    local = in_source_frame(places)
    rotation = np.linalg.lstsq(local[1:], places[1:] - places[0], rcond=None)[0].T
    if len(places) == 3 or np.linalg.matrix_rank(local[1:]) < 3:
        rotation[:, 2] = np.cross(rotation[:, 0], rotation[:, 1])
    return SE3.from_parts(rotation, places[0])


def _three(values: np.ndarray) -> tuple[float, float, float]:
    return float(values[0]), float(values[1]), float(values[2])
