"""What the <gazebo> elements of a URDF add, and what is told about those that mean nothing here."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from urdf_samples import ARM

from andante.description.io.resolver import Resolver
from andante.description.io.urdf.reader import read_urdf
from andante.description.io.xmltree import parse_xml
from andante.description.robot import Robot
from andante.description.source import Severity
from andante.errors import BadInput

BODY = (
    '<robot name="r"><link name="a"><visual><geometry><box size="1 1 1"/></geometry></visual>'
    '<collision name="c0"><geometry><box size="1 1 1"/></geometry></collision>'
    '<collision name="c1"><geometry><box size="1 1 1"/></geometry></collision></link><link name="b"/>'
    '<joint name="j" type="continuous"><parent link="a"/><child link="b"/></joint>\n{}</robot>'
)


def read(text: str) -> Robot:
    return read_urdf(parse_xml(text.encode(), "g.urdf"), Path("g.urdf"), Resolver())


def on(reference: str, inside: str) -> Robot:
    mark = f' reference="{reference}"' if reference else ""
    return read(BODY.format(f"<gazebo{mark}>{inside}</gazebo>"))


@pytest.fixture(scope="module")
def arm() -> Robot:
    return read(ARM)


def test_surfaces_reach_every_collision(arm: Robot) -> None:
    for collision in arm.link("base").collisions:
        s = collision.surface
        assert (s.mu, s.mu2, s.kp, s.kd, s.max_velocity, s.min_depth) == (0.9, 0.8, 1e6, 10, 0.01, 0.001)
        assert s.fdir1 == (1, 0, 0)
    assert arm.link("base").self_collide is True
    assert arm.link("upper").self_collide is None
    assert arm.link("wheel").gravity is False


def test_springs(arm: Robot) -> None:
    assert (arm.joint("spin").dynamics.stiffness, arm.joint("spin").dynamics.reference) == (2, 0.5)


def test_sensors_are_flattened(arm: Robot) -> None:
    eye, scan, tag, wrist = arm.sensors
    assert (eye.kind, eye.link, eye.rate, eye.topic) == ("camera", "upper", 30, "eye/image")
    assert eye.parameters == {
        "horizontal_fov": 1.2,
        "width": 640,
        "height": 480,
        "near": 0.05,
        "far": 20,
        "noise_type": "gaussian",
        "noise_stddev": 0.007,
    }
    assert np.allclose(eye.pose.translation, [0.1, 0, 0])
    assert np.allclose(eye.pose.rpy, [0, 0.2, 0])
    assert (scan.kind, scan.rate, scan.topic) == ("lidar", 10, "scan")
    assert scan.parameters == {
        "samples": 360,
        "min_angle": -3.1,
        "max_angle": 3.1,
        "range_min": 0.1,
        "range_max": 12,
        "resolution": 0.01,
        "noise_stddev": 0.02,
    }
    assert (tag.kind, tag.rate) == ("uwb", 16)
    assert tag.parameters == {"range_max": 40, "noise_stddev": 0.05, "channel": "five"}
    assert (wrist.kind, wrist.link, wrist.parameters) == ("force_torque", "tool", {"joint": "grip"})


def test_imu_noise_in_both_forms() -> None:
    new = on(
        "a",
        '<sensor name="i" type="imu"><imu><angular_velocity><x><noise type="gaussian"><stddev>0.01</stddev></noise></x>'
        "</angular_velocity></imu></sensor>",
    )
    assert new.sensors[0].parameters == {
        "angular_velocity_x_noise_type": "gaussian",
        "angular_velocity_x_noise_stddev": 0.01,
    }
    old = on(
        "a",
        '<sensor name="i" type="imu"><imu><noise><type>gaussian</type><rate><stddev>0.02</stddev></rate><accel>'
        "<bias_mean>0.1</bias_mean></accel></noise></imu></sensor>",
    )
    assert old.sensors[0].parameters == {
        "noise_type": "gaussian",
        "angular_velocity_noise_stddev": 0.02,
        "linear_acceleration_bias_mean": 0.1,
    }


@pytest.mark.parametrize(
    ("given", "kind"),
    [
        ("ray", "lidar"),
        ("gpu_lidar", "lidar"),
        ("depth", "depth_camera"),
        ("navsat", "gps"),
        ("gps", "gps"),
        ("sonar", "sonar"),
        ("contact", "contact"),
        ("force", "force"),
        ("bumper", "bumper"),
        ("touch", "touch"),
        ("microphone", "microphone"),
    ],
)
def test_kinds_of_sensors(given: str, kind: str) -> None:
    assert on("a", f'<sensor name="s" type="{given}"/>').sensors[0].kind == kind


def test_plugins_anywhere(arm: Robot) -> None:
    assert [plugin.name for plugin in arm.plugins] == ["eye_ros", "drive"]
    drive = arm.plugins[1]
    assert drive.filename == "libgazebo_ros_diff_drive.so"
    assert drive.parameters == {"left_joint": "a", "remapping": "cmd_vel:=go odom:=way"}
    (own,) = on("b", '<plugin name="p" filename="p.so"><gain>3</gain></plugin>').plugins
    assert own.parameters == {"gain": "3", "reference": "b"}


def test_colors_fill_only_bare_visuals(arm: Robot) -> None:
    assert on("a", "<material>Gazebo/Red</material>").link("a").visuals[0].material.rgba == (1, 0, 0, 1)
    own = on("a", "<visual><material><diffuse>0.1 0.2 0.3 1</diffuse></material></visual>")
    assert own.link("a").visuals[0].material.rgba == (0.1, 0.2, 0.3, 1)
    colored = read(ARM.replace("</robot>", '<gazebo reference="base"><material>Gazebo/Red</material></gazebo></robot>'))
    assert colored.link("base").visuals == arm.link("base").visuals


def test_surface_of_one_collision() -> None:
    inside = (
        '<collision name="c1"><surface><friction><ode><mu>0.3</mu></ode><torsional><coefficient>0.1</coefficient>'
        "</torsional></friction><bounce><restitution_coefficient>0.5</restitution_coefficient></bounce>"
        "<contact><collide_bitmask>0x05</collide_bitmask></contact></surface></collision>"
    )
    first, second = on("a", inside).link("a").collisions
    assert first.surface.mu is None
    s = second.surface
    assert (s.mu, s.torsional, s.restitution, s.collide_bitmask) == (0.3, 0.1, 0.5, 5)


def test_robot_settings() -> None:
    robot = on(
        "",
        '<self_collide>true</self_collide><static>true</static><disable_collisions link1="a" link2="b"/>'
        '<frame name="tip" attached_to="b"><pose>1 2 3 0 0 0</pose></frame>',
    )
    assert robot.self_collide
    assert robot.fixed_base
    assert robot.no_collision == {frozenset(("a", "b"))}
    assert robot.frames[0].pose.translation.tolist() == [1, 2, 3]


@pytest.mark.parametrize(
    ("reference", "inside", "severity", "fragment"),
    [
        ("a", "<maxContacts>3</maxContacts>", Severity.INFO, "maxContacts"),
        ("a", "<sticky>3</sticky>", Severity.WARNING, "sticky"),
        ("j", "<implicitSpringDamper>1</implicitSpringDamper>", Severity.INFO, "implicitSpringDamper"),
        ("j", "<disableFixedJointLumping>true</disableFixedJointLumping>", Severity.INFO, "disableFixedJointLumping"),
        ("j", "<provideFeedback>true</provideFeedback>", Severity.INFO, "provideFeedback"),
        ("j", "<stopCfm>0.1</stopCfm>", Severity.INFO, "stopCfm"),
        ("j", "<wobble>0.1</wobble>", Severity.WARNING, "wobble"),
        ("nobody", "<mu1>1</mu1>", Severity.WARNING, "nobody"),
        ("", "<weather>rain</weather>", Severity.WARNING, "weather"),
        ("a", "<material>Gazebo/Plaid</material>", Severity.INFO, "Plaid"),
        ("a", '<sensor name="s"/>', Severity.WARNING, "no type"),
        ("a", '<plugin name="p"/>', Severity.WARNING, "filename"),
        ("a", 2 * '<sensor name="s" type="imu"/>', Severity.WARNING, "stands already at g.urdf:2"),
    ],
)
def test_nothing_is_dropped_silently(reference: str, inside: str, severity: Severity, fragment: str) -> None:
    (problem,) = on(reference, inside).problems
    assert problem.severity is severity
    assert fragment in problem.message
    assert str(problem.source) == "g.urdf:2"


@pytest.mark.parametrize(
    ("reference", "inside"),
    [
        ("a", "<mu1>rough</mu1>"),
        ("a", "<kp>1e308</kp>"),
        ("a", "<gravity>maybe</gravity>"),
        ("a", '<sensor name="s" type="imu"><update_rate>-5</update_rate></sensor>'),
        ("a", '<sensor name="s" type="imu"><pose>1 2 3</pose></sensor>'),
        ("a", '<sensor name="s" type="sonar"><range_max>nan</range_max></sensor>'),
        ("a", '<collision index="7"><surface/></collision>'),
        ("j", "<springStiffness>nan</springStiffness>"),
        ("", '<disable_collisions link1="a" link2="ghost"/>'),
    ],
)
def test_bad_values_are_refused_with_the_line(reference: str, inside: str) -> None:
    with pytest.raises(BadInput, match=r"^g\.urdf:2: "):
        on(reference, inside)


def test_one_name_for_link_and_joint() -> None:
    text = """<robot name="r"><link name="a"/><link name="x"><collision><geometry><sphere radius="1"/></geometry>
      </collision></link><joint name="x" type="continuous"><parent link="a"/><child link="x"/></joint>
      <gazebo reference="x"><mu1>0.5</mu1><springStiffness>3</springStiffness></gazebo></robot>"""
    robot = read(text)
    assert robot.link("x").collisions[0].surface.mu == 0.5
    assert robot.joint("x").dynamics.stiffness == 3
    assert not [p for p in robot.problems if p.severity is Severity.WARNING]


def test_plain_urdf_sensor() -> None:
    robot = read("""<robot name="r"><link name="a"/><sensor name="cam" update_rate="20"><parent link="a"/>
      <origin xyz="1 0 0"/><camera><image width="640" height="480" hfov="1.5" near="0.1" far="9"/></camera></sensor>
      </robot>""")
    (camera,) = robot.sensors
    assert (camera.kind, camera.rate, camera.link) == ("camera", 20, "a")
    assert camera.parameters == {"width": 640, "height": 480, "horizontal_fov": 1.5, "near": 0.1, "far": 9}
