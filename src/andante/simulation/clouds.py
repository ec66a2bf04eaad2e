"""Depths and points as messages: PointCloud2, Image of 32FC1 or 16UC1, CameraInfo. `mapping.io.clouds` reads them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from andante.bags import messages
from andante.errors import BadInput
from andante.geometry import Array
from andante.mapping.io.clouds import MILLIMETER
from andante.sensors import CameraModel

PointCloud2 = messages.cls("sensor_msgs/msg/PointCloud2")
PointField = messages.cls("sensor_msgs/msg/PointField")
Image = messages.cls("sensor_msgs/msg/Image")


def cloud_message(header: Any, points: Array) -> Any:
    """A PointCloud2 of points (n, 3) [m]: x, y, z as FLOAT32."""
    data = np.ascontiguousarray(points, dtype="<f4")
    fields = [PointField(name, 4 * k, 7, 1) for k, name in enumerate("xyz")]
    count = len(data)
    return PointCloud2(header, 1, count, fields, False, 12, 12 * count, data.reshape(-1).view(np.uint8), True)


def depth_message(header: Any, depths: NDArray[np.float32], encoding: str = "32FC1") -> Any:
    """An Image of depths (height, width) [m]: 32FC1 in meters, or 16UC1 in millimeters with 0 for no reading."""
    height, width = depths.shape
    if encoding == "32FC1":
        data = np.ascontiguousarray(depths, dtype="<f4")
    elif encoding == "16UC1":
        known = np.isfinite(depths) & (depths < 65.535)
        data = np.rint(np.where(known, depths, 0.0) / MILLIMETER).astype("<u2")
    else:
        raise BadInput(f"depth images are 32FC1 or 16UC1, got {encoding!r}")
    return Image(header, height, width, encoding, 0, data.itemsize * width, data.reshape(-1).view(np.uint8))


def info_message(header: Any, model: CameraModel) -> Any:
    """The CameraInfo of a pinhole camera without distortion."""
    f, x, y = model.focal_length, 0.5 * model.width - 0.5, 0.5 * model.height - 0.5
    return messages.make(
        "sensor_msgs/msg/CameraInfo",
        header=header,
        height=model.height,
        width=model.width,
        distortion_model="plumb_bob",
        d=np.zeros(5),
        k=np.array([f, 0.0, x, 0.0, f, y, 0.0, 0.0, 1.0]),
        r=np.eye(3).ravel(),
        p=np.array([f, 0.0, x, 0.0, 0.0, f, y, 0.0, 0.0, 0.0, 1.0, 0.0]),
    )
