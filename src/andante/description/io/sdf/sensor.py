"""Sensors of SDF. One table ties the elements of the file to the flat parameter names, for reading and writing."""

from __future__ import annotations

from collections.abc import Mapping

from andante.description.io.xmltree import Node, number
from andante.description.link import SensorSpec
from andante.geometry import SE3

from .include import Reading
from .values import child_number, name_of, raw_pose, text_of

NOISE: Mapping[str, str] = {  # element -> end of the parameter's name
    "type": "noise_type",
    "mean": "noise_mean",
    "stddev": "noise_stddev",
    "bias_mean": "bias_mean",
    "bias_stddev": "bias_stddev",
    "dynamic_bias_stddev": "dynamic_bias_stddev",
    "dynamic_bias_correlation_time": "dynamic_bias_correlation_time",
    "precision": "noise_precision",
}


# SDF type -> our kind; the first type of a kind is the one that is written
KINDS = {
    "imu": "imu",
    "ray": "lidar",
    "gpu_ray": "lidar",
    "lidar": "lidar",
    "gpu_lidar": "lidar",
    "camera": "camera",
    "depth": "depth_camera",
    "depth_camera": "depth_camera",
    "rgbd": "rgbd_camera",
    "rgbd_camera": "rgbd_camera",
    "wideanglecamera": "camera",
    "wide_angle_camera": "camera",
    "thermal": "camera",
    "thermal_camera": "camera",
    "segmentation": "camera",
    "segmentation_camera": "camera",
    "boundingbox": "camera",
    "boundingbox_camera": "camera",
    "multicamera": "camera",
    "contact": "contact",
    "sonar": "sonar",
    "force_torque": "force_torque",
    "gps": "gps",
    "navsat": "gps",
    "altimeter": "altimeter",
    "magnetometer": "magnetometer",
    "logical_camera": "logical_camera",
    "air_pressure": "air_pressure",
    "air_speed": "air_speed",
    "rfid": "rfid",
    "rfidtag": "rfidtag",
    "wireless_receiver": "wireless_receiver",
    "wireless_transmitter": "wireless_transmitter",
}
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
    "format",
    "collision",
    "contact_topic",
    "geometry",
    "frame",
    "measure_direction",
    "essid",
    "distortion_center",
    "localization",
)


def _axes(group: str, label: str) -> dict[str, str]:
    """Noise of the three axes below an element."""
    return {
        f"{group}{axis}/noise/{tag}": f"{label}{axis}_{name}" for axis in ("x", "y", "z") for tag, name in NOISE.items()
    }


def _noise(path: str, label: str) -> dict[str, str]:
    return {f"{path}noise/{tag}": f"{label}{name}" for tag, name in NOISE.items()}


# path below the body of a kind -> parameter
TABLE: dict[str, dict[str, str]] = {
    "lidar": {
        "scan/horizontal/samples": "samples",
        "scan/horizontal/resolution": "sample_resolution",
        "scan/horizontal/min_angle": "min_angle",
        "scan/horizontal/max_angle": "max_angle",
        "scan/vertical/samples": "vertical_samples",
        "scan/vertical/resolution": "vertical_sample_resolution",
        "scan/vertical/min_angle": "vertical_min_angle",
        "scan/vertical/max_angle": "vertical_max_angle",
        "range/min": "range_min",
        "range/max": "range_max",
        "range/resolution": "resolution",
        **_noise("", ""),
    },
    "camera": {
        "horizontal_fov": "horizontal_fov",
        "image/width": "width",
        "image/height": "height",
        "image/format": "format",
        "clip/near": "near",
        "clip/far": "far",
        "depth_camera/clip/near": "depth_near",
        "depth_camera/clip/far": "depth_far",
        "distortion/k1": "k1",
        "distortion/k2": "k2",
        "distortion/k3": "k3",
        "distortion/p1": "p1",
        "distortion/p2": "p2",
        "distortion/center": "distortion_center",
        "lens/intrinsics/fx": "fx",
        "lens/intrinsics/fy": "fy",
        "lens/intrinsics/cx": "cx",
        "lens/intrinsics/cy": "cy",
        **_noise("", ""),
    },
    "imu": {
        "orientation_reference_frame/localization": "localization",
        **_axes("angular_velocity/", "angular_velocity_"),
        **_axes("linear_acceleration/", "linear_acceleration_"),
    },
    "contact": {"collision": "collision", "topic": "contact_topic"},
    "sonar": {"geometry": "geometry", "min": "range_min", "max": "range_max", "radius": "radius"},
    "force_torque": {
        "frame": "frame",
        "measure_direction": "measure_direction",
        **_axes("force/", "force_"),
        **_axes("torque/", "torque_"),
    },
    "gps": {
        **_noise("position_sensing/horizontal/", "position_horizontal_"),
        **_noise("position_sensing/vertical/", "position_vertical_"),
        **_noise("velocity_sensing/horizontal/", "velocity_horizontal_"),
        **_noise("velocity_sensing/vertical/", "velocity_vertical_"),
    },
    "altimeter": {**_noise("vertical_position/", "position_"), **_noise("vertical_velocity/", "velocity_")},
    "magnetometer": _axes("", ""),
    "logical_camera": {
        "near": "near",
        "far": "far",
        "aspect_ratio": "aspect_ratio",
        "horizontal_fov": "horizontal_fov",
    },
    "air_pressure": {"reference_altitude": "reference_altitude", **_noise("pressure/", "")},
    "wireless_transmitter": {k: k for k in ("essid", "frequency", "power", "gain")},
    "wireless_receiver": {k: k for k in ("min_frequency", "max_frequency", "power", "gain", "sensitivity")},
}
TABLE["depth_camera"] = TABLE["rgbd_camera"] = TABLE["camera"]


def read_sensor(reading: Reading, node: Node, link: str, pose: SE3, prefix: str = "") -> tuple[SensorSpec, ...]:
    """The sensors of a <sensor> element (a multicamera gives several) on a link."""
    sdf_type = (node.get("type") or "").strip()
    marked = node.get("andante:name") or node.get("andante:unnamed")
    name = name_of(node) if marked else prefix + (node.get("name") or sdf_type or "sensor").strip()
    kind = (node.get("andante:kind") or KINDS.get(sdf_type, sdf_type)).strip() or "unknown"
    if sdf_type not in KINDS and node.get("andante:kind") is None:
        reading.report.info(node, f"sensor type {sdf_type[:40]!r} has no model here; it is kept by name")
    table = TABLE.get(kind, {})
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
        key = table.get(here)
        if key is None:
            key = here.replace("/", "_")
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
