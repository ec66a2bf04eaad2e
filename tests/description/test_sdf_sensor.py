"""Sensors of SDF as flat parameters."""

import numpy as np
import pytest
from sdf_samples import LINKS, joint, messages, robot

from andante.description.link import SensorSpec


def sensor(kind: str, body: str, head: str = "") -> SensorSpec:
    return robot(f'<link name="a"><sensor name="s" type="{kind}">{head}{body}</sensor></link>').sensors[0]


def test_lidar_in_both_spellings() -> None:
    inner = (
        "<scan><horizontal><samples>10</samples><min_angle>-1</min_angle><max_angle>1</max_angle></horizontal></scan>"
        "<range><min>0.1</min><max>5</max></range><noise><type>gaussian</type><stddev>0.01</stddev></noise>"
    )
    for kind, tag in (("ray", "ray"), ("gpu_ray", "ray"), ("lidar", "lidar"), ("gpu_lidar", "lidar")):
        found = sensor(kind, f"<{tag}>{inner}</{tag}>", "<update_rate>5</update_rate><topic>scan</topic>")
        assert (found.kind, found.rate, found.topic) == ("lidar", 5.0, "scan")
        p = found.parameters
        assert (p["samples"], p["min_angle"], p["max_angle"], p["range_min"], p["range_max"]) == (10, -1, 1, 0.1, 5)
        assert (p["noise_stddev"], p["noise_type"]) == (0.01, "gaussian")


def test_imu_noise() -> None:
    noise = '<noise type="gaussian"><stddev>2e-4</stddev><bias_mean>1e-5</bias_mean></noise>'
    found = sensor("imu", f"<imu><linear_acceleration><z>{noise}</z></linear_acceleration></imu>")
    assert found.parameters["linear_acceleration_z_noise_stddev"] == 2e-4
    assert found.parameters["linear_acceleration_z_bias_mean"] == 1e-5


def test_camera_pose_and_multicamera() -> None:
    camera = '<camera name="{}"><pose>0 {} 0 0 0 0</pose><image><width>64</width><height>48</height></image></camera>'
    r = robot(
        '<link name="a"><sensor name="s" type="multicamera"><pose>1 0 0 0 0 0</pose>'
        f"{camera.format('left', 1)}{camera.format('right', -1)}</sensor></link>"
    )
    assert [s.name for s in r.sensors] == ["s_left", "s_right"]
    assert np.allclose(r.sensors[1].pose.translation, (1, -1, 0))
    assert r.sensors[0].parameters["width"] == 64.0


@pytest.mark.parametrize(
    ("kind", "body", "name", "value"),
    [
        ("contact", "<contact><collision>c</collision></contact>", "collision", "c"),
        ("sonar", "<sonar><min>0</min><max>3</max><radius>0.5</radius></sonar>", "range_max", 3.0),
        ("altimeter", "<altimeter><vertical_position><noise><stddev>1</stddev></noise></vertical_position></altimeter>",
         "position_noise_stddev", 1.0),
        ("magnetometer", "<magnetometer><x><noise><mean>2</mean></noise></x></magnetometer>", "x_noise_mean", 2.0),
        ("navsat", "<navsat><velocity_sensing><vertical><noise><mean>2</mean></noise></vertical></velocity_sensing>"
         "</navsat>", "velocity_vertical_noise_mean", 2.0),
        ("logical_camera", "<logical_camera><near>0.5</near></logical_camera>", "near", 0.5),
    ],
)  # fmt: skip
def test_other_kinds(kind: str, body: str, name: str, value: float | str) -> None:
    assert sensor(kind, body).parameters[name] == value


def test_force_torque_on_a_joint() -> None:
    text = joint(
        inner='<pose>0 0 1 0 0 0</pose><sensor name="ft" type="force_torque"><update_rate>9</update_rate></sensor>'
    )
    found = robot(LINKS + text).sensors[0]
    assert (found.kind, found.link, found.parameters["joint"], found.rate) == ("force_torque", "b", "j", 9.0)
    assert np.allclose(found.pose.translation, (0, 0, 1))


def test_unknown_sensors_and_elements_are_kept_and_told() -> None:
    r = robot('<link name="a"><sensor name="s" type="nose"><nose><size>3</size></nose><smell/></sensor></link>')
    assert r.sensors[0].kind == "nose"
    assert r.sensors[0].parameters["size"] == 3.0
    assert "'nose' has no model" in messages(r)
    assert "<smell>" in messages(r)


def test_sensor_plugins_reach_the_robot() -> None:
    plugin = '<plugin name="p" filename="f.so"><a>1</a><b><a>2</a><c>3</c></b></plugin>'
    r = robot(f'<link name="a"><sensor name="s" type="imu">{plugin}</sensor></link>{plugin}')
    assert [p.parameters for p in r.plugins] == [{"a": "1 2", "c": "3"}] * 2
