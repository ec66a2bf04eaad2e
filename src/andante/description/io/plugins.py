"""Plugins that are sensors: what Gazebo measures by a plugin alone, without a <sensor>, and the topics of both.

Names of gazebo_ros, hector_gazebo_plugins and gz-sim are told by what their files are called. Drives are found by
`check.recognize.drive_plugin`; what a plugin says beyond that is kept in `Robot.plugins`.
"""

from __future__ import annotations

import re
from dataclasses import replace

from andante.description.link import SensorSpec
from andante.description.robot import Plugin, Robot

KINDS = {  # what a file's name holds -> kind of sensor
    "ros_imu": "imu",
    "imu_controller": "imu",
    "ros_gps": "gps",
    "ros_magnetic": "magnetometer",
    "ros_baro": "altimeter",
    "ros_ft_sensor": "force_torque",
    "forcetorque": "force_torque",
}
BODY = ("bodyname", "linkname", "framename", "frameid", "jointname", "reference")
TOPIC = ("topicname", "topic", "imagetopicname", "bumpertopicname", "remapping")
NOISE = ("gaussiannoise", "accelgaussiannoise", "rategaussiannoise")


def with_plugin_sensors(robot: Robot) -> Robot:
    """The robot with the sensors that only a plugin tells of, and with topics that stand in the plugin of a sensor."""
    sensors = list(robot.sensors)
    names = {sensor.name for sensor in sensors}
    for plugin in robot.plugins:
        values = _values(plugin)
        if values.get("sensor", "") in names:
            topic = _topic(values)
            for k, sensor in enumerate(sensors):
                if topic and sensor.name == values["sensor"] and not sensor.topic:
                    sensors[k] = replace(sensor, topic=topic)
            continue
        found = _sensor(robot, plugin, values)
        if found is not None and found.name not in names and not any(_same(found, other) for other in sensors):
            sensors.append(found)
            names.add(found.name)
    return robot if tuple(sensors) == robot.sensors else replace(robot, sensors=tuple(sensors))


def _values(plugin: Plugin) -> dict[str, str]:
    """Parameters by names without case, `_` and `-`."""
    return {re.sub(r"[_-]", "", key).casefold(): value.strip() for key, value in plugin.parameters.items()}


def _sensor(robot: Robot, plugin: Plugin, values: dict[str, str]) -> SensorSpec | None:
    """The sensor that a plugin is, None where it is none or names no link of the robot."""
    file = plugin.filename.casefold().replace("-", "_")
    kind = next((kind for word, kind in KINDS.items() if word in file), "")
    links = {link.name for link in robot.links}
    children = {joint.name: joint.child for joint in robot.joints}
    places = (children.get(values[key], values[key]) for key in BODY if key in values)
    link = next((place.lstrip("/") for place in places if place.lstrip("/") in links), "")
    if not kind or not link:
        return None
    parameters: dict[str, float | str] = {}
    noises = [value for key in NOISE if (value := _number(values.get(key, ""))) > 0]
    if kind == "imu" and noises:
        parameters = {
            f"{group}_{axis}_noise_stddev": noises[0] if group == "linear_acceleration" else noises[-1]
            for group in ("linear_acceleration", "angular_velocity")
            for axis in "xyz"
        }
    name = plugin.name or f"{link}_{kind}"
    rate = _number(values.get("updaterate", ""))
    return SensorSpec(name, kind, link, rate=rate, topic=_topic(values), parameters=parameters, source=plugin.source)


def _topic(values: dict[str, str]) -> str:
    """Topic of a plugin; of a ROS 2 remapping what stands right of `:=`."""
    text = next((values[key] for key in TOPIC if values.get(key)), "")
    return text.split()[0].rpartition(":=")[2] if text else ""


def _same(one: SensorSpec, other: SensorSpec) -> bool:
    return one.kind == other.kind and one.link == other.link


def _number(text: str) -> float:
    """A finite number >= 0, else 0."""
    try:
        value = float(text.split()[0]) if text else 0.0
    except (ValueError, IndexError):
        return 0.0
    return value if 0 <= value < 1e6 else 0.0
