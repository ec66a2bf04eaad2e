"""Clouds and depth images of bags, with the poses of their sensors."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from andante.bags import open_bag
from andante.errors import BadInput
from andante.geometry import Array

from .bags import TF_TYPES, FrameTree, pose_of_message

ROOTS = ("map", "world", "odom")  # frames that points are told in: the outermost that is known
MOST_POINTS = 20_000_000  # of a cloud that is read
FLOATS = {7: 4, 8: 8}  # datatype of a PointField: its bytes
MILLIMETER = 1e-3
EVERY = 4  # pixels of a depth image between those that are used
CLOUD, IMAGE, INFO = "sensor_msgs/msg/PointCloud2", "sensor_msgs/msg/Image", "sensor_msgs/msg/CameraInfo"


def clouds_of(log: Path) -> Iterator[tuple[Array, Array]]:
    """Origins (3,) and points (n, 3) [m] of all clouds and depth images of a bag whose sensor has a pose by then."""
    with open_bag(log) as bag:
        frames, lenses = FrameTree(), dict[str, tuple[float, float, float]]()
        images = any(topic.type == IMAGE for topic in bag.topics)
        for entry, _, message in bag.decoded():
            topic, kind = entry.name, entry.type
            if kind in TF_TYPES:
                for each in message.transforms:
                    with suppress(ValueError):  # no numbers
                        frames.set(each.header.frame_id, each.child_frame_id, pose_of_message(each.transform))
            elif kind == INFO:
                lenses[topic.rsplit("/", 1)[0]] = (float(message.k[0]), float(message.k[2]), float(message.k[5]))
            elif kind == CLOUD and not (images and topic.endswith("/depth/points")):
                pose = frames.outermost(message.header.frame_id, ROOTS)
                if pose is not None:
                    yield pose.translation, np.asarray(pose @ points_of_cloud(message)).reshape(-1, 3)
            elif kind == IMAGE and message.encoding in ("32FC1", "16UC1"):
                pose, lens = frames.outermost(message.header.frame_id, ROOTS), lenses.get(topic.rsplit("/", 1)[0])
                if pose is not None and lens is not None:
                    yield pose.translation, np.asarray(pose @ pixels(message, *lens)).reshape(-1, 3)


def pixels(message: Any, focal: float, x: float, y: float) -> Array:
    """Points (n, 3) [m] of every few pixels of a depth image, in axes with x ahead and z up."""
    if not (math.isfinite(focal) and focal > 0):
        raise BadInput(f"a camera_info has a focal length of {focal}")
    depths = depths_of_image(message)[::EVERY, ::EVERY].astype(float)
    v, u = np.nonzero(np.isfinite(depths) & (depths > 0.0))
    z = depths[v, u]
    return np.stack([z, z * (x - EVERY * u) / focal, z * (y - EVERY * v) / focal], axis=-1)


def points_of_cloud(message: Any) -> Array:
    """Points (n, 3) [m] of a PointCloud2, without those that are not finite."""
    places = {field.name: (int(field.offset), int(field.datatype)) for field in message.fields}
    if not all(name in places and places[name][1] in FLOATS for name in "xyz"):
        raise BadInput(f"a cloud needs x, y and z as floats, got {', '.join(places) or 'no fields'}")
    count, step = int(message.width) * int(message.height), int(message.point_step)
    data = np.asarray(message.data, dtype=np.uint8)
    room = max(offset + FLOATS[kind] for offset, kind in (places[name] for name in "xyz"))
    if count > MOST_POINTS or step < room or len(data) < count * step:
        raise BadInput(f"a cloud of {count} points of {step} bytes has {len(data)} bytes")
    order = ">" if message.is_bigendian else "<"
    layout: Any = {
        "names": list("xyz"),
        "formats": [f"{order}f{FLOATS[places[name][1]]}" for name in "xyz"],
        "offsets": [places[name][0] for name in "xyz"],
        "itemsize": step,
    }
    rows = np.frombuffer(data[: count * step].tobytes(), dtype=np.dtype(layout))
    points = np.stack([rows[name].astype(np.float64) for name in "xyz"], axis=-1)
    return points[np.isfinite(points).all(axis=1)]


def depths_of_image(message: Any) -> NDArray[np.float32]:
    """Depths (height, width) float32 [m] of an Image of 32FC1 or 16UC1; NaN where there is no reading."""
    kinds = {"32FC1": "f4", "16UC1": "u2", "mono16": "u2"}
    if message.encoding not in kinds:
        raise BadInput(f"depth images are 32FC1 or 16UC1, got {message.encoding!r}")
    kind: np.dtype[Any] = np.dtype((">" if message.is_bigendian else "<") + kinds[message.encoding])
    height, width, step = int(message.height), int(message.width), int(message.step)
    data = np.asarray(message.data, dtype=np.uint8)
    if step < width * kind.itemsize or len(data) < height * step:
        raise BadInput(f"a depth image of {width} x {height} pixels has {len(data)} bytes")
    rows = data[: height * step].reshape(height, step)[:, : width * kind.itemsize]
    values = np.frombuffer(rows.tobytes(), dtype=kind).reshape(height, width).astype(np.float32)
    if kind.kind == "f":
        return values
    return np.where(values > 0, values * np.float32(MILLIMETER), np.float32(np.nan))
