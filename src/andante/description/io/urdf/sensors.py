"""Sensors of <gazebo> elements, and of the plain URDF <sensor> element, as `SensorSpec` with flat parameters."""

from __future__ import annotations

import math
from collections.abc import Mapping

from andante.description.io.sdf.sensor import NOISE
from andante.description.io.xmltree import LARGEST, Node, number, vector
from andante.description.link import IDENTITY, Link, SensorSpec
from andante.geometry import SE3

from .parts import Context, origin, pose_of

KINDS = {
    "ray": "lidar",
    "gpu_ray": "lidar",
    "gpu_lidar": "lidar",
    "imu_sensor": "imu",
    "depth": "depth_camera",
    "rgbd": "rgbd_camera",
    "navsat": "gps",
    "bumper_sensor": "contact",
}
_AXES = ("x", "y", "z")
_CAMERA = {
    "camera/horizontal_fov": "horizontal_fov",
    "camera/image/width": "width",
    "camera/image/height": "height",
    "camera/image/format": "format",
    "camera/clip/near": "near",
    "camera/clip/far": "far",
    **{f"camera/noise/{tag}": name for tag, name in NOISE.items()},
}
_OLD_IMU = {  # Gazebo 1.x: one noise for all axes
    f"imu/noise/{old}/{tag}": f"{new}_{name}"
    for old, new in (("rate", "angular_velocity"), ("accel", "linear_acceleration"))
    for tag, name in NOISE.items()
} | {"imu/noise/type": "noise_type"}
_SONAR = {
    "sonar/min": "range_min",
    "sonar/max": "range_max",
    "sonar/radius": "radius",
    "ray/range/min": "range_min",
    "ray/range/max": "range_max",
}
_CONTACT = {"contact/collision": "collision", "contact/topic": "contact_topic"}
_FORCE_TORQUE = {
    "force_torque/frame": "frame",
    "force_torque/measure_direction": "measure_direction",
    **{
        f"force_torque/{quantity}/{axis}/noise/{tag}": f"{quantity}_{axis}_{name}"
        for quantity in ("force", "torque")
        for axis in _AXES
        for tag, name in NOISE.items()
    },
}
SEPARATE = frozenset(("pose", "origin", "update_rate", "updateRate", "topic", "plugin"))


def _lidar(top: str) -> dict[str, str]:
    scan = {
        "samples": "samples",
        "resolution": "sample_resolution",
        "min_angle": "min_angle",
        "max_angle": "max_angle",
    }
    return {
        **{f"{top}/scan/horizontal/{tag}": name for tag, name in scan.items()},
        **{f"{top}/scan/vertical/{tag}": f"vertical_{name}" for tag, name in scan.items()},
        f"{top}/range/min": "range_min",
        f"{top}/range/max": "range_max",
        f"{top}/range/resolution": "resolution",
        **{f"{top}/noise/{tag}": name for tag, name in NOISE.items()},
    }


def _imu() -> dict[str, str]:
    table = {"imu/orientation_reference_frame/localization": "localization"}
    for quantity in ("angular_velocity", "linear_acceleration"):
        for axis in _AXES:
            for tag, name in NOISE.items():
                table[f"imu/{quantity}/{axis}/noise/{tag}"] = f"{quantity}_{axis}_{name}"
    return table


WRITTEN: Mapping[str, Mapping[str, str]] = {  # what the writer nests, path -> name
    "lidar": _lidar("ray"),
    "camera": _CAMERA,
    "depth_camera": _CAMERA,
    "rgbd_camera": _CAMERA,
    "imu": _imu(),
    "contact": _CONTACT,
    "force_torque": _FORCE_TORQUE,
}
PATHS: Mapping[str, str] = {
    **_SONAR,
    **_OLD_IMU,
    **{path: name for table in WRITTEN.values() for path, name in table.items()},
    **_lidar("lidar"),
}


def scalar(text: str) -> float | str:
    """The number that a text is, or the text itself."""
    text = text.strip()
    try:
        value = float(text) if "_" not in text else math.nan
    except ValueError:
        return text
    return value if math.isfinite(value) and abs(value) <= LARGEST else text


def gazebo_sensor(node: Node, link: str, context: Context) -> SensorSpec:
    """Sensor in SDF form; every scalar below it becomes a parameter, known paths under their usual name."""
    kind = (node.get("type") or "").strip()
    if not kind:
        context.warn(node, "has no type; kept as 'unknown'")
        kind = "unknown"
    rate = node.find("update_rate") or node.find("updateRate")
    topic = node.find("topic")
    parameters: dict[str, float | str] = {}
    for path, element in _leaves(node):
        name = PATHS.get(path) or path.replace("/", "_")
        value = scalar(element.text)
        if isinstance(value, str) and value.casefold() in ("nan", "inf", "-inf"):
            raise element.error(f"should be a finite number, got {value}")
        parameters[name] = value
    return SensorSpec(
        (node.get("name") or "").strip() or f"{link}_{kind}",
        KINDS.get(kind, kind),
        link,
        _pose(node, context),
        _rate(rate),
        topic.text.strip() if topic is not None else "",
        parameters,
        node.source,
    )


def urdf_sensor(node: Node, links: Mapping[str, Link], context: Context) -> SensorSpec | None:
    """The <sensor> element of the URDF specification: parent link, origin, and camera or ray inside."""
    parent = node.find("parent")
    name = (parent.get("link") or "") if parent is not None else ""
    if name not in links:
        context.warn(node, f"its parent link {name!r} does not exist; ignored")
        return None
    kind, parameters = (node.get("type") or "").strip(), dict[str, float | str]()
    for child in node.children:
        if child.tag in ("parent", "origin"):
            continue
        kind = kind or child.tag
        for element in child.walk():
            vertical = "vertical_" if element.tag == "vertical" else ""
            for key, text in element.attributes.items():
                alias = {"hfov": "horizontal_fov"}.get(key, key)
                parameters[vertical + alias] = scalar(text)
    rate = number(node, node.get("update_rate"), "update_rate", 0.0)
    kind = KINDS.get(kind, kind) or "unknown"
    return SensorSpec(node.get("name") or f"{name}_{kind}", kind, name, origin(node), rate, "", parameters, node.source)


def _leaves(node: Node, prefix: str = "") -> list[tuple[str, Node]]:
    out: list[tuple[str, Node]] = []
    for child in node.children:
        if (not prefix and child.tag in SEPARATE) or child.tag == "plugin":
            continue
        path = f"{prefix}{child.tag}"
        if child.tag == "noise" and child.get("type"):  # the newer form of <type> inside
            out.append((f"{path}/type", Node("type", text=str(child.get("type")), source=child.source)))
        out += _leaves(child, path + "/") if child.children else [(path, child)]
    return out


def _rate(node: Node | None) -> float:
    if node is None:
        return 0.0
    rate = number(node, node.text, "update_rate", 0.0)
    if rate < 0:
        raise node.error(f"should be >= 0 Hz, got {rate:g}")
    return rate


def _pose(node: Node, context: Context) -> SE3:
    """link_from_sensor of <pose> (x y z roll pitch yaw) or <origin>."""
    element = node.find("pose")
    if element is None:
        return origin(node)
    for key in ("relative_to", "frame"):
        if element.get(key):
            context.warn(element, f"{key}={element.get(key)!r} is not understood here; the pose is taken in the link")
    x, y, z, roll, pitch, yaw = vector(element, element.text, 6, "pose", (0.0,) * 6)
    return pose_of((x, y, z), (roll, pitch, yaw)) if any((x, y, z, roll, pitch, yaw)) else IDENTITY
