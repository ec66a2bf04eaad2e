"""Sensors of SDF. One table ties the elements of the file to the flat parameter names, for reading and writing."""

from __future__ import annotations

from andante.description.io.gazebo import SENSORS
from andante.description.io.xmltree import Node, number
from andante.description.link import SensorSpec
from andante.geometry import SE3

from .include import Reading
from .values import child_number, name_of, raw_pose, text_of

_KEPT = """contact sonar force_torque altimeter magnetometer logical_camera air_pressure air_speed rfid rfidtag
    wireless_receiver wireless_transmitter"""
_TYPES = {
    "imu": "imu",
    "lidar": "ray gpu_ray lidar gpu_lidar",
    "depth_camera": "depth depth_camera",
    "rgbd_camera": "rgbd rgbd_camera",
    "camera": """camera wideanglecamera wide_angle_camera thermal thermal_camera segmentation segmentation_camera
        boundingbox boundingbox_camera multicamera""",
    "gps": "gps navsat",
    **{kind: kind for kind in _KEPT.split()},
}
# SDF type -> our kind; the first type of a kind is the one that is written
KINDS = {sdf_type: kind for kind, types in _TYPES.items() for sdf_type in types.split()}
# the elements that may hold the values of a kind; the first is the one that is written
BODIES = {
    "lidar": ("ray", "lidar"),
    "depth_camera": ("camera",),
    "rgbd_camera": ("camera",),
    "gps": ("gps", "navsat"),
    "wireless_receiver": ("transceiver",),
    "wireless_transmitter": ("transceiver",),
}
HARMLESS = ("always_on", "visualize", "enable_metrics", "plugin", "frame")
QUIET = ("always_on", "visualize")
TEXTS = (
    *("format", "collision", "contact_topic", "geometry", "frame"),
    *("measure_direction", "essid", "distortion_center", "localization"),
)


def read_sensor(reading: Reading, node: Node, link: str, pose: SE3, prefix: str = "") -> tuple[SensorSpec, ...]:
    """The sensors of a <sensor> element (a multicamera gives several) on a link."""
    sdf_type = (node.get("type") or "").strip()
    marked = node.get("andante:name") or node.get("andante:unnamed")
    name = name_of(node) if marked else prefix + (node.get("name") or sdf_type or "sensor").strip()
    kind = (node.get("andante:kind") or KINDS.get(sdf_type, sdf_type)).strip() or "unknown"
    if sdf_type not in KINDS and node.get("andante:kind") is None:
        reading.report.info(node, f"sensor type {sdf_type[:40]!r} has no model here; it is kept by name")
    table = SENSORS.get(kind, {})
    bodies = [c for c in node.children if c.tag in BODIES.get(kind, (kind,))]
    known = ("pose", "update_rate", "topic", *QUIET, "plugin", *BODIES.get(kind, (kind,)))
    reading.report.leftovers(node, known, HARMLESS)
    rate = child_number(node, "update_rate", 0.0)
    own = {p.get("name") or "": _value(p.get("value") or "") for p in node.all("andante:parameter")}
    out: list[SensorSpec] = []
    places: list[Node | None] = [*bodies] or [None]
    topic = text_of(node, "topic")
    for body in places:
        parameters: dict[str, float | str] = {}
        if body is not None:
            _collect(reading, body, body, "", table, parameters)
        usual = next((t for t, k in KINDS.items() if k == kind), "")
        if sdf_type != usual and sdf_type in KINDS:
            parameters["sdf_type"] = sdf_type
        parameters.update(own)
        label, where = name, pose
        if len(bodies) > 1 and body is not None:
            label = f"{name}_{body.get('name') or len(out)}"
            where = pose @ raw_pose(body).motion
        out.append(SensorSpec(label, kind, link, where, max(rate, 0.0), topic, parameters, node.source))
    return tuple(out)


def _collect(
    reading: Reading, body: Node, node: Node, path: str, table: dict[str, str], out: dict[str, float | str]
) -> None:
    """Leaf values below the body of a sensor, by the table; other leaves keep their path as name."""
    for child in node.children:
        if child.tag.startswith("andante:"):
            continue
        here = f"{path}{child.tag}"
        if child.tag == "pose" and node is body:
            continue
        if child.tag == "noise" and child.get("type") and not child.get("andante:implied"):
            out[table.get(f"{here}/type", "noise_type")] = (child.get("type") or "").strip()
        if child.children:
            _collect(reading, body, child, here + "/", table, out)
            continue
        text = child.text.strip()
        if not text or child.get("andante:implied"):
            continue
        key = table.get(here) or here.replace("/", "_")
        if key in TEXTS or key.endswith("noise_type"):
            out[key] = text
        elif key in table.values():
            out[key] = number(child, text, f"<{child.tag}>", infinite=True)
        else:
            out[key] = _value(text)


def _value(text: str) -> float | str:
    """A number where the text is one, else the text."""
    try:
        value = float(text)
    except ValueError:
        return text
    return value if value == value else text
