"""Sensors of <gazebo> elements, and of the plain URDF <sensor> element, as `SensorSpec` with flat parameters."""

from __future__ import annotations

import math
from collections.abc import Mapping

from andante.description.io.gazebo import NOISE, SENSORS
from andante.description.io.xmltree import LARGEST, Node, number
from andante.description.link import Link, SensorSpec
from andante.geometry import SE3

from .parts import Context, origin, pose_element

KINDS = {
    **dict.fromkeys(("ray", "gpu_ray", "gpu_lidar"), "lidar"),
    "imu_sensor": "imu",
    "depth": "depth_camera",
    "rgbd": "rgbd_camera",
    "navsat": "gps",
    "bumper_sensor": "contact",
}
SEPARATE = frozenset(("pose", "origin", "update_rate", "updateRate", "topic", "plugin"))


def _below(top: str, kind: str, *parts: str) -> dict[str, str]:
    """Path and name of the parameters of a kind in an element, all or those that begin with some parts."""
    return {f"{top}/{path}": name for path, name in SENSORS[kind].items() if path.startswith(parts or ("",))}


WRITTEN: Mapping[str, Mapping[str, str]] = {  # what the writer nests, path -> name
    "lidar": _below("ray", "lidar"),
    **dict.fromkeys(
        ("camera", "depth_camera", "rgbd_camera"), _below("camera", "camera", "horizontal", "image", "clip", "noise")
    ),
    **{kind: _below(kind, kind) for kind in ("imu", "contact", "force_torque")},
}
_OLD_IMU = {  # Gazebo 1.x: one noise for all axes
    f"imu/noise/{old}/{tag}": f"{new}_{name}"
    for old, new in (("rate", "angular_velocity"), ("accel", "linear_acceleration"))
    for tag, name in NOISE.items()
} | {"imu/noise/type": "noise_type"}
PATHS: Mapping[str, str] = {
    **_below("sonar", "sonar", "min", "max", "radius"),
    **_OLD_IMU,
    **{path: name for table in WRITTEN.values() for path, name in table.items()},
    **_below("lidar", "lidar"),
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
                if not text.strip():
                    context.warn(element, f"{key} is empty; taken as not stated")
                    continue
                parameters[vertical + {"hfov": "horizontal_fov"}.get(key, key)] = scalar(text)
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
    return pose_element(element)
