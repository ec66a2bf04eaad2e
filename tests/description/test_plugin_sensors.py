"""Sensors that a file tells of by plugins of Gazebo alone, and topics in the plugins of sensors."""

from __future__ import annotations

from pathlib import Path

import pytest

from andante.description.io.open import read_robot

LINK = """<link name="{}"><inertial><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/>
</inertial></link>"""


def robot(tmp_path: Path, gazebo: str) -> object:
    joint = '<joint name="ankle" type="fixed"><parent link="base"/><child link="foot"/></joint>'
    text = f'<robot name="r">{LINK.format("base")}{LINK.format("foot")}{joint}{gazebo}</robot>'
    (tmp_path / "r.urdf").write_text(text)
    return read_robot(tmp_path / "r.urdf")


@pytest.mark.parametrize("file", ["libgazebo_ros_imu.so", "libhector_gazebo_ros_imu.so"])
def test_an_imu_by_its_plugin_alone(tmp_path: Path, file: str) -> None:
    values = {"bodyName": "base", "updateRate": "50.0", "topicName": "imu", "gaussianNoise": "0.01"}
    inside = "".join(f"<{tag}>{text}</{tag}>" for tag, text in values.items())
    made = robot(tmp_path, f'<gazebo><plugin name="imu_plugin" filename="{file}">{inside}</plugin></gazebo>')
    (imu,) = made.sensors  # type: ignore[attr-defined]
    assert (imu.name, imu.kind, imu.link, imu.rate, imu.topic) == ("imu_plugin", "imu", "base", 50, "imu")
    assert imu.parameters["angular_velocity_z_noise_stddev"] == pytest.approx(0.01)


def test_a_force_sensor_at_a_joint(tmp_path: Path) -> None:
    inside = "<jointName>ankle</jointName>"
    text = f'<gazebo><plugin name="ft" filename="libgazebo_ros_ft_sensor.so">{inside}</plugin></gazebo>'
    (sensor,) = robot(tmp_path, text).sensors  # type: ignore[attr-defined]
    assert (sensor.kind, sensor.link) == ("force_torque", "foot")


def test_topics_of_ros_2_and_no_sensor_twice(tmp_path: Path) -> None:
    text = """<gazebo reference="base"><sensor name="imu" type="imu"><plugin name="p"
    filename="libgazebo_ros_imu_sensor.so"><ros><remapping>~/out:=imu/data_raw</remapping></ros></plugin></sensor></gazebo>
    <gazebo><plugin name="again" filename="libgazebo_ros_imu.so"><bodyName>base</bodyName></plugin></gazebo>"""
    (imu,) = robot(tmp_path, text).sensors  # type: ignore[attr-defined]
    assert (imu.name, imu.topic) == ("imu", "imu/data_raw")


@pytest.mark.parametrize(
    "plugin",
    [
        '<plugin name="a" filename="libgazebo_ros_imu.so"><bodyName>nowhere</bodyName></plugin>',
        '<plugin name="b" filename="libgazebo_ros_force.so"><bodyName>base</bodyName></plugin>',
        '<plugin name="c" filename="libgazebo_ros_joint_state_publisher.so"/>',
    ],
)
def test_other_plugins_are_no_sensors(tmp_path: Path, plugin: str) -> None:
    made = robot(tmp_path, f"<gazebo>{plugin}</gazebo>")
    assert made.sensors == ()  # type: ignore[attr-defined]
    assert len(made.plugins) == 1  # type: ignore[attr-defined]
