"""Depths and points as messages: PointCloud2, Image of 32FC1 or 16UC1, CameraInfo; and back to arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from andante.bags import messages
from andante.errors import BadInput
from andante.geometry import Array
from andante.sensors import CameraModel

PointCloud2 = messages.cls("sensor_msgs/msg/PointCloud2")
PointField = messages.cls("sensor_msgs/msg/PointField")
Image = messages.cls("sensor_msgs/msg/Image")
MOST_POINTS = 20_000_000  # of a cloud that is read
FLOATS = {7: 4, 8: 8}  # datatype of a PointField: its bytes
MILLIMETER = 1e-3


def cloud_message(header: Any, points: Array) -> Any:
    """A PointCloud2 of points (n, 3) [m]: x, y, z as FLOAT32."""
    data = np.ascontiguousarray(points, dtype="<f4")
    fields = [PointField(name, 4 * k, 7, 1) for k, name in enumerate("xyz")]
    count = len(data)
    return PointCloud2(header, 1, count, fields, False, 12, 12 * count, data.reshape(-1).view(np.uint8), True)


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
