"""Writes sensors and plugins: native elements by the table of `sdf_sensor`, the rest as <andante:parameter>."""

from __future__ import annotations

from andante.description.link import SensorSpec
from andante.description.robot import Plugin
from andante.geometry import SE3

from .sdf_sensor import BODIES, KINDS, TABLE
from .sdf_write_link import below
from .sdf_xml import XML_NAME, Element, Names, Version, add_pose, label, write_value

NOISE_AS_ELEMENT = ("lidar", "camera", "depth_camera", "rgbd_camera")  # <noise><type> instead of <noise type>
WHOLE = ("samples", "vertical_samples", "width", "height")


def write_sensor(owner: Element, sensor: SensorSpec, pose: SE3, names: Names, version: Version) -> None:
    """A <sensor> below a link or a joint; kinds that SDF lacks are of type custom."""
    element = owner.add("sensor")
    sdf_type = sensor.parameters.get("sdf_type") or next((t for t, k in KINDS.items() if k == sensor.kind), "custom")
    label(element, names.fresh("sensor", sensor.name), sensor.name)
    element.attributes["type"] = str(sdf_type)
    if KINDS.get(str(sdf_type)) != sensor.kind:
        version.need(9)
        element.attributes["andante:kind"] = sensor.kind
    add_pose(element, pose, version)
    if sensor.rate:
        element.add("update_rate", sensor.rate)
    if sensor.topic:
        element.add("topic", sensor.topic)
    paths = {name: path for path, name in reversed(TABLE.get(sensor.kind, {}).items())}
    body: Element | None = None
    for name, value in sensor.parameters.items():
        if name in ("sdf_type", "joint"):
            continue
        path = paths.get(name)
        if path is None or (isinstance(value, str) and not value.strip()):
            element.add("andante:parameter", name=name, value=write_value(value))
            continue
        if body is None:
            body = element.add(BODIES.get(sensor.kind, (sensor.kind,))[0])
        group, _, tag = path.rpartition("/")
        place = below(body, group)
        if tag == "type" and sensor.kind not in NOISE_AS_ELEMENT:
            place.attributes["type"] = str(value)
        elif name in WHOLE and isinstance(value, float) and value.is_integer():
            place.add(tag, int(value))
        else:
            place.add(tag, value)
    if body is not None:
        _complete(body, sensor.kind)


def _complete(body: Element, kind: str) -> None:
    """What the standard demands beside what is stated: a type of every noise."""
    stack = [body]
    while stack:
        node = stack.pop()
        stack += node.children
        if node.tag != "noise" or "type" in node.attributes or any(c.tag == "type" for c in node.children):
            continue
        if kind in NOISE_AS_ELEMENT:
            node.children.insert(0, Element("type", {"andante:implied": "true"}, "gaussian"))
        else:
            node.attributes |= {"type": "gaussian", "andante:implied": "true"}


def write_plugin(owner: Element, plugin: Plugin) -> None:
    """A <plugin> with its parameters as leaf elements."""
    element = owner.add("plugin", name=plugin.name or "plugin", filename=plugin.filename or "none")
    if not plugin.name:
        element.attributes["andante:unnamed"] = "true"
    if not plugin.filename:
        element.attributes["andante:no_file"] = "true"
    for name, value in plugin.parameters.items():
        if XML_NAME.match(name) and not name.casefold().startswith("xml"):
            element.add(name, value)
        else:
            element.add("andante:parameter", value, name=name)
