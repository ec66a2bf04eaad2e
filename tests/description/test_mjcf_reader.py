"""The MJCF reader against MuJoCo's own compiler, and against what the format says."""

from __future__ import annotations

import math
from pathlib import Path

import mujoco
import numpy as np
import pytest
import trimesh
from mjcf_compare import assert_same_as_mujoco, compiled, read

from andante.description.io.mjcf.reader import read_mjcf_world
from andante.description.io.resolver import Resolver
from andante.description.io.xmltree import parse_xml
from andante.description.joint import JointType, Mimic
from andante.description.robot import Robot
from andante.description.shapes import Box, Capsule, Heightmap, Mesh, Plane, Sphere
from andante.description.source import Severity
from andante.description.world import World
from andante.errors import BadInput
from andante.geometry import SE3

ARM = """<mujoco model="arm">
  <compiler angle="radian"/>
  <worldbody>
    <body name="base" pos="0 0 0.5" euler="0.1 0.2 0.3">
      <geom type="cylinder" size="0.1 0.05"/>
      <body name="upper" pos="0.1 0 0.1" quat="0.9 0.1 0.2 0.3">
        <joint name="shoulder" pos="0.02 0.03 0.04" axis="0 1 0.5" range="-1 2" damping="0.5" armature="0.01"
               frictionloss="0.2" stiffness="3" springref="0.4" ref="0.3" actuatorfrcrange="-7 7"/>
        <geom type="capsule" fromto="0 0 0 0.3 0.1 0.05" size="0.03" density="800"/>
        <geom type="box" pos="0.3 0 0" size="0.05 0.04 0.03" mass="0.7" axisangle="0 1 1 0.5"/>
        <body name="fore" pos="0.3 0.1 0" zaxis="0.1 0.2 1">
          <joint name="slide" type="slide" axis="1 0 1" range="-0.1 0.2"/>
          <joint name="twist" axis="0 0 1"/>
          <geom type="ellipsoid" size="0.1 0.05 0.02" xyaxes="0 1 0 1 0 1"/>
          <geom type="sphere" size="0.04" pos="0.1 0 0"/>
        </body>
      </body>
    </body>
  </worldbody>
</mujoco>"""

CLASSES = """<mujoco model="dog">
  <compiler eulerseq="zyx" autolimits="true"/>
  <option timestep="0.004" gravity="0 0 -1.62"/>
  <default>
    <geom density="500" rgba="1 0 0 1"/>
    <joint damping="1" axis="0 1 0"/>
    <position kp="40"/>
    <default class="leg">
      <joint armature="0.02" range="-30 60"/>
      <geom type="capsule" size="0.02 0.1"/>
      <default class="visual"><geom contype="0" conaffinity="0" group="2" mass="0"/></default>
      <default class="hip"><joint axis="1 0 0"/></default>
    </default>
  </default>
  <worldbody>
    <geom name="floor" type="plane" size="0 0 1" density="1000"/>
    <light dir="0 0 -1" directional="true"/>
    <body name="trunk" pos="0 0 0.4">
      <freejoint name="root"/>
      <geom type="box" size="0.2 0.1 0.05"/>
      <site name="imu" pos="0.01 0 0.02" euler="90 0 0"/>
      <camera name="eye" pos="0.2 0 0" xyaxes="0 -1 0 0 0 1" fovy="60"/>
      <body name="thigh" pos="0.2 0.1 0" euler="10 20 30" childclass="leg">
        <joint name="abduct" class="hip"/>
        <joint name="swing"/>
        <geom pos="0 0 -0.1"/>
        <geom class="visual" type="sphere"/>
        <frame pos="0 0 -0.2" euler="0 0 90">
          <body name="calf" pos="0 0.05 0">
            <joint name="knee" limited="false" pos="0.01 0 0"/>
            <geom pos="0 0 -0.1"/>
            <geom type="box" size="0.01 0.01 0.01" pos="0 0 -0.2" friction="0.7 0.02" condim="4"/>
          </body>
        </frame>
      </body>
    </body>
  </worldbody>
  <actuator>
    <position joint="swing" forcerange="-20 20"/>
    <motor joint="abduct" ctrlrange="-5 5" gear="3"/>
    <velocity joint="knee" kv="2" gear="2"/>
  </actuator>
  <sensor>
    <accelerometer site="imu" noise="0.1"/><gyro site="imu"/><jointpos joint="knee"/>
  </sensor>
  <keyframe><key name="home" qpos="0 0 0.4 1 0 0 0 0.1 0.2 0.3"/></keyframe>
</mujoco>"""


@pytest.mark.parametrize("text", [ARM, CLASSES], ids=["arm", "classes"])
def test_same_masses_tensors_joints_and_poses_as_mujoco(text: str) -> None:
    robot = read(text)
    assert_same_as_mujoco(robot, compiled(text))
    assert not [p for p in robot.problems if p.severity is not Severity.INFO]


def test_fixed_arm_hangs_on_a_world_link() -> None:
    robot = read(ARM)
    assert robot.fixed_base
    assert robot.root == "world"
    assert [link.name for link in robot.links] == ["world", "base", "upper", "fore__slide", "fore"]
    shoulder = robot.joint("shoulder")
    assert (shoulder.limits.effort, shoulder.initial) == (7.0, 0.3)
    assert robot.joint("twist").type is JointType.CONTINUOUS
    assert isinstance(robot.link("upper").collisions[0].geometry, Capsule)
    assert robot.self_collide
    assert frozenset(("upper", "fore")) in robot.no_collision  # parent and child of a chain with a light link


def test_classes_actuators_sensors_and_poses() -> None:
    robot = read(CLASSES)
    assert not robot.fixed_base
    assert robot.root == "trunk"
    assert robot.name == "dog"
    thigh = robot.link("thigh")
    assert len(thigh.collisions) == 1
    assert len(thigh.visuals) == 2
    assert thigh.visuals[0].material.rgba == (1, 0, 0, 1)
    assert robot.joint("knee").dynamics.armature == 0.02
    assert robot.servos == {"swing": {"kp": 40.0}, "knee": {"kv": 8.0}}
    assert robot.joint("swing").limits.effort == 20
    assert robot.joint("abduct").limits.effort == 15
    assert robot.joint("swing").limits.upper == pytest.approx(math.radians(60))
    assert robot.pose("HOME") == {"abduct": 0.1, "swing": 0.2, "knee": 0.3}
    kinds = {sensor.name: sensor for sensor in robot.sensors}
    assert kinds["imu"].kind == "imu"
    assert kinds["imu"].parameters == {"accelerometer_noise_stddev": 0.1}
    eye = kinds["eye"]
    np.testing.assert_allclose(eye.pose.rotation, np.eye(3), atol=1e-12)  # looks along x, z up
    assert eye.parameters["horizontal_fov"] == pytest.approx(2 * math.atan(math.tan(math.radians(30)) * 4 / 3))
    assert [frame.name for frame in robot.frames] == ["imu"]
    foot = robot.link("calf").collisions[1].surface
    assert (foot.mu, foot.torsional, foot.rolling) == (0.7, 0.02, None)
    assert any("ground" in p.message or "worldbody" in p.message for p in robot.problems)


@pytest.mark.parametrize(
    "orientation",
    [
        'quat="0.5 -0.5 0.1 0.7"',
        'axisangle="1 2 3 40"',
        'xyaxes="1 0.1 0 0 1 0.2"',
        'zaxis="0 0 -1"',
        'zaxis="0.3 -1 -0.4"',
        'euler="10 -20 70"',
    ],
)
@pytest.mark.parametrize("sequence", ["xyz", "ZYX", "zXy"])
def test_orientations(orientation: str, sequence: str) -> None:
    text = f"""<mujoco><compiler eulerseq="{sequence}"/><worldbody><body name="a"><freejoint/><geom size="1"/>
    <body name="b" pos="1 2 3" {orientation}><geom type="box" size="1 2 3" pos="1 0 0"/></body></body>
    </worldbody></mujoco>"""
    assert_same_as_mujoco(read(text), compiled(text))


@pytest.mark.parametrize(
    "geom",
    [
        'type="box" fromto="0 0 0 1 2 3" size="0.1"',
        'type="ellipsoid" fromto="0 0 1 1 2 -3" size="0.1"',
        'type="cylinder" fromto="0 0 0 0 0 2" size="0.1"',
        'type="capsule" size="0.1 0.3" mass="2"',
        'type="sphere" size="0.1" density="300" pos="1 0 0"',
        'type="box" size="0.1 0.2 0.3" group="4"',
    ],
)
def test_inertia_of_geoms(geom: str) -> None:
    text = f"""<mujoco><worldbody><body name="a"><freejoint/>
    <geom {geom}/><geom size="0.2"/></body></worldbody></mujoco>"""
    robot, model = read(text), compiled(text)
    assert_same_as_mujoco(robot, model)
    w, x, y, z = model.geom_quat[0]
    pose = SE3.from_xyz_quaternion(model.geom_pos[0], (x, y, z, w))
    assert robot.link("a").collisions[0].pose.close_to(pose, 1e-9)


@pytest.mark.parametrize("compiler", ["", 'inertiafromgeom="true"', 'inertiafromgeom="false"'])
@pytest.mark.parametrize("inertia", ['diaginertia="1 2 2.5" quat="1 2 3 4"', 'fullinertia="1 2 2.5 0.1 0.2 -0.3"'])
def test_inertial_element(compiler: str, inertia: str) -> None:
    text = f"""<mujoco><compiler {compiler}/><worldbody><body name="a"><freejoint/>
    <inertial mass="3" pos="1 2 3" {inertia}/><geom size="0.2"/></body></worldbody></mujoco>"""
    assert_same_as_mujoco(read(text), compiled(text))


@pytest.mark.parametrize(
    "compiler",
    [
        'balanceinertia="true"',
        'settotalmass="7"',
        'balanceinertia="true" boundmass="10"',
        'balanceinertia="true" boundinertia="20"',
        'balanceinertia="true" inertiagrouprange="1 2"',
    ],
)
def test_compiler_rules_for_mass(compiler: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # MuJoCo leaves a log of its warnings where it runs
    tensor = "1 2 9" if "balance" in compiler else "1 2 2"
    text = f"""<mujoco><compiler {compiler}/><worldbody><body name="a"><freejoint/>
    <inertial mass="3" pos="1 2 3" diaginertia="{tensor}"/>
    <body name="b"><geom size="0.2"/><geom type="box" size="0.1 0.2 0.3" group="1" pos="1 0 0"/></body></body>
    </worldbody></mujoco>"""
    assert_same_as_mujoco(read(text), compiled(text))


@pytest.mark.parametrize("rule", ["", 'inertia="legacy"', 'inertia="exact"', 'inertia="convex"'])
@pytest.mark.parametrize("extra", ["", 'scale="2 1 0.5"', 'refpos="0.1 0.2 0" refquat="0.7 0 0.7 0.1" scale="2 2 2"'])
def test_mesh_inertia_and_frames(tmp_path: Path, rule: str, extra: str) -> None:
    (tmp_path / "meshes").mkdir()
    trimesh.creation.cone(radius=0.5, height=2.0).export(tmp_path / "meshes" / "m.stl")
    text = f"""<mujoco><compiler meshdir="meshes"/><asset><mesh name="m" file="m.stl" {extra} {rule}/></asset>
    <worldbody><body name="a"><freejoint/><geom type="mesh" mesh="m" pos="1 2 3" euler="10 20 30"/></body>
    </worldbody></mujoco>"""
    path = tmp_path / "r.xml"
    robot, model = read(text, path), compiled(text, path)
    assert_same_as_mujoco(robot, model, tolerance=1e-5)
    assert robot.link("a").collisions[0].geometry.path == tmp_path / "meshes" / "m.stl"


def test_dented_mesh_has_the_mass_that_mujoco_gives_it(tmp_path: Path) -> None:
    pair = [trimesh.creation.box(extents=(1, 1, 1)), trimesh.creation.box(extents=(1, 1, 1))]
    pair[1].apply_translation([3, 0.5, 0])
    trimesh.util.concatenate(pair).export(tmp_path / "two.stl")
    text = """<mujoco><asset><mesh file="two.stl"/></asset><worldbody><body name="a"><freejoint/>
    <geom type="mesh" mesh="two"/></body></worldbody></mujoco>"""
    assert_same_as_mujoco(read(text, tmp_path / "r.xml"), compiled(text, tmp_path / "r.xml"), tolerance=1e-5)


def test_collision_masks() -> None:
    def robot(masks: list[str]) -> Robot:
        geoms = "".join(
            f'<body name="b{i}" pos="{i} 0 0"><joint name="j{i}"/><geom size="0.1" {m}/></body>'
            for i, m in enumerate(masks)
        )
        return read(
            f'<mujoco><worldbody><body name="a"><freejoint/><geom size="0.1"/>{geoms}</body></worldbody></mujoco>'
        )

    assert robot(["", ""]).self_collide
    mixed = robot(['contype="1" conaffinity="0"', 'contype="1" conaffinity="0"', ""])
    assert mixed.self_collide
    assert mixed.no_collision == {frozenset(("b0", "b1"))}
    assert not robot(['contype="1" conaffinity="0"', 'contype="1" conaffinity="0"']).self_collide
    bits = robot(['contype="2" conaffinity="2"', 'contype="4" conaffinity="4"'])
    assert bits.link("b0").collisions[0].surface.collide_bitmask == 2
    assert not bits.self_collide


@pytest.mark.parametrize(("said", "mu"), [("", 0.7), ('priority="1"', 0.0)])
def test_cheap_contacts_of_limbs_rub_on_the_floor(said: str, mu: float) -> None:
    """Two geoms of equal priority touch with the larger condim and friction: condim 1 rubs on a floor of 3."""
    geom = f'<geom type="sphere" size="0.1" friction=".7" condim="1" {said}/>'
    text = f"<mujoco><worldbody><body name='b'><freejoint/>{geom}</body></worldbody></mujoco>"
    assert read(text).link("b").collisions[0].surface.mu == mu


def test_equalities() -> None:
    text = """<mujoco><compiler angle="radian"/><worldbody><body name="a"><freejoint/><geom size="0.1"/>
    <body name="b" pos="1 0 0"><joint name="j1" ref="0.2"/><geom size="0.1"/>
      <body name="c" pos="0 1 0" euler="0 0 1"><joint name="j2" axis="1 0 0"/><geom size="0.1"/></body></body>
    <body name="d" pos="0 2 0"><joint name="j3" ref="0.1"/><geom size="0.1"/></body></body></worldbody>
    <equality><joint joint1="j3" joint2="j1" polycoef="0.5 2 0 0 0"/>
    <connect name="pin" body1="c" body2="d" anchor="0.1 0.2 0.3"/><weld body1="b" body2="d"/></equality>
    <contact><exclude body1="b" body2="d"/></contact></mujoco>"""
    robot = read(text)
    assert robot.joint("j3").mimic == Mimic("j1", 2.0, pytest.approx(0.1 + 0.5 - 2 * 0.2))
    assert frozenset(("b", "d")) in robot.no_collision
    pin, weld = robot.loops
    assert (pin.type, weld.type) == (JointType.BALL, JointType.FIXED)
    model = compiled(text)
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    c, d = (model.body(n).id for n in "cd")
    anchor = data.xmat[c].reshape(3, 3) @ pin.pose.translation + data.xpos[c]
    in_d = data.xmat[d].reshape(3, 3).T @ (anchor - data.xpos[d])
    np.testing.assert_allclose(pin.joint_from_child.inverse().translation, in_d, atol=1e-9)
    np.testing.assert_allclose(in_d, model.eq_data[1][3:6], atol=1e-9)


def test_gains_of_servos_at_the_joint() -> None:
    text = """<mujoco><worldbody><body name="a"><joint name="j" armature="0.1"/>
    <inertial mass="2" pos="0.5 0 0" diaginertia="0.1 0.1 0.1"/></body></worldbody><actuator>%s</actuator></mujoco>"""
    cases = {
        '<position joint="j" kp="10" kv="2" gear="3"/>': {"kp": 90.0, "kd": 18.0},
        '<general joint="j" gainprm="30" biastype="affine" biasprm="0 -30 -4"/>': {"kp": 30.0, "kd": 4.0},
        '<general joint="j" gainprm="5" biastype="affine" biasprm="0 0 -5"/>': {"kv": 5.0},
        '<position joint="j" kp="10" dampratio="1"/>': {"kp": 10.0, "kd": 2 * math.sqrt(10 * (0.1 + 0.1 + 2 * 0.25))},
    }
    for element, expected in cases.items():
        robot = read(text % element)
        assert robot.servos["j"] == pytest.approx(expected)
        model = compiled(text % element)
        gear = model.actuator_gear[0, 0]
        if "kp" in expected:
            assert expected["kp"] == pytest.approx(model.actuator_gainprm[0, 0] * gear**2)
            assert expected["kd"] == pytest.approx(-model.actuator_biasprm[0, 2] * gear**2)


@pytest.mark.parametrize(
    ("text", "fragment"),
    [
        ("<tendon><spatial name='t'/></tendon>", "<tendon> <spatial>"),
        ("<deformable><skin name='s'/></deformable>", "<deformable> <skin>"),
        ("<actuator><muscle joint='j'/></actuator>", "<muscle>"),
        ("<actuator><motor tendon='t'/></actuator>", "<motor>"),
        ("<actuator><motor joint='none'/></actuator>", "'none', which does not exist"),
        ("<equality><tendon tendon1='t'/></equality>", "<tendon>"),
        ("<contact><pair geom1='a' geom2='b'/></contact>", "<pair>"),
        ("<worldbody><composite type='cable'/></worldbody>", "<composite>"),
        ("<worldbody><replicate count='3'/></worldbody>", "<replicate>"),
        ("<asset><model file='x'/></asset>", "<model>"),
        ("<asset><mesh name='m' vertex='0 0 0'/></asset>", "STL or OBJ"),
        ("<extension><plugin plugin='x'/></extension>", "<plugin>"),
        ("<compiler future='1'/>", "future"),
    ],
)
def test_nothing_is_dropped_silently(text: str, fragment: str) -> None:
    robot = read(
        f"""<mujoco>
        <worldbody><body name="a"><joint name="j"/><geom size="1"/></body></worldbody>
        {text}</mujoco>"""
    )
    told = [p for p in robot.problems if fragment in p.message]
    assert told
    assert all(p.source.line == 3 and p.source.file == "test.xml" for p in told)


def test_includes(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "leg.xml").write_text(
        '<mujocoinclude><body name="leg"><joint name="j"/><geom size="0.1"/></body></mujocoinclude>'
    )
    text = """<mujoco><worldbody><body name="a"><freejoint/><geom size="0.2"/>
    <include file="parts/leg.xml"/></body></worldbody></mujoco>"""
    robot = read(text, tmp_path / "main.xml")
    assert_same_as_mujoco(robot, compiled(text, tmp_path / "main.xml"))
    assert robot.link("leg").source.file.endswith("leg.xml")
    (tmp_path / "parts" / "leg.xml").write_text('<mujoco><include file="parts/leg.xml"/></mujoco>')
    with pytest.raises(BadInput, match="includes itself"):
        read(text, tmp_path / "main.xml")
    with pytest.raises(BadInput, match="not found"):
        read('<mujoco><include file="none.xml"/></mujoco>', tmp_path / "main.xml")


def test_includes_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "b.xml").write_text("<mujoco><size/></mujoco>")
    (tmp_path / "a.xml").write_text('<mujoco><include file="b.xml"/><include file="b.xml"/></mujoco>')
    text = "<mujoco>" + '<include file="a.xml"/>' * 100 + "</mujoco>"
    with pytest.raises(BadInput, match="more than 200 includes"):
        read(text, tmp_path / "main.xml")
    monkeypatch.setattr("andante.description.io.mjcf.spec.MAX_INCLUDED_BYTES", 100)
    with pytest.raises(BadInput, match="in all"):
        read('<mujoco><include file="a.xml"/><include file="a.xml"/></mujoco>', tmp_path / "main.xml")


def world(text: str) -> World:
    return read_mjcf_world(parse_xml(text.encode(), "w.xml"), Path("w.xml"), Resolver())


def test_world() -> None:
    scene = world(
        """<mujoco model="scene"><option timestep="0.005" gravity="0 0 -3.7" iterations="30"/>
        <asset><hfield name="h" nrow="2" ncol="3" size="2 1 0.5 0.1" elevation="0 0 0  1 0 0"/></asset>
        <worldbody><light name="sun" pos="0 0 3" dir="0 0 -1" directional="true"/>
        <geom type="plane" size="5 5 1"/><geom type="hfield" hfield="h" pos="9 0 0"/>
        <body name="table" pos="1 0 0.5" euler="0 0 90"><geom type="box" size="0.5 0.3 0.02"/></body>
        <body name="ball" pos="0 0 2"><freejoint/><geom size="0.1"/></body>
        <body name="door" pos="3 0 1"><joint name="hinge" pos="-0.5 0 0"/><geom type="box" size="0.5 0.02 1"/></body>
        </worldbody><equality><weld body1="ball" body2="door"/></equality></mujoco>"""
    )
    assert scene.gravity == (0, 0, -3.7)
    assert (scene.physics.dt, scene.physics.iterations) == (0.005, 30)
    assert scene.lights[0].kind == "directional"
    placed = {p.name: p for p in scene.models}
    assert list(placed) == ["ground", "table", "ball", "door"]
    shapes = [c.geometry for c in placed["ground"].robot.links[0].collisions]
    assert isinstance(shapes[0], Plane)
    assert isinstance(shapes[1], Heightmap)
    assert shapes[1].heights == ((0.5, 0.0, 0.0), (0.0, 0.0, 0.0))  # row 0 is at -y, the last of the text
    assert shapes[1].size == (4.0, 2.0)
    assert placed["table"].fixed
    assert placed["table"].pose.rpy[2] == pytest.approx(math.pi / 2)
    assert isinstance(placed["table"].robot.links[0].collisions[0].geometry, Box)
    assert not placed["ball"].fixed
    assert placed["ball"].pose.translation.tolist() == [0, 0, 2]
    assert isinstance(placed["ball"].robot.links[0].collisions[0].geometry, Sphere)
    assert placed["door"].fixed
    assert placed["door"].robot.root == "world"
    assert placed["door"].robot.link_poses()["door"].translation.tolist() == [3, 0, 1]
    assert any("couples two objects" in p.message for p in scene.problems)


@pytest.mark.parametrize(
    ("inside", "message"),
    [
        ("", "no <body>"),
        ("<worldbody><body><geom type='cube'/></body></worldbody>", "one of plane"),
        ("<worldbody><body><geom type='box' size='1'/></body></worldbody>", "needs 3 numbers"),
        ("<worldbody><body><geom size='-1'/></body></worldbody>", "positive"),
        ("<worldbody><body><geom size='nan'/></body></worldbody>", "finite"),
        ("<worldbody><body><geom size='1e308'/></body></worldbody>", "finite"),
        ("<worldbody><body quat='0 0 0 0'/></worldbody>", "zero"),
        ("<worldbody><body quat='1 0 0 0' euler='0 0 0'/></worldbody>", "one orientation"),
        ("<worldbody><body pos='1 2'/></worldbody>", "3 numbers"),
        ("<worldbody><body><joint axis='0 0 0'/></body></worldbody>", "zero"),
        ("<worldbody><body><joint limited='true' range='1 -1'/></body></worldbody>", "range"),
        ("<worldbody><body><joint type='spiral'/></body></worldbody>", "one of hinge"),
        ("<worldbody><body name='a'/><body name='a'/></worldbody>", "two bodies"),
        ("<worldbody><body><body><freejoint/></body></body></worldbody>", "free joint"),
        ("<worldbody><body><geom class='x' size='1'/></body></worldbody>", "default class 'x'"),
        ("<worldbody><body><geom type='mesh' mesh='m'/></body></worldbody>", "mesh 'm' does not exist"),
        ("<worldbody><body><inertial mass='-1' pos='0 0 0' diaginertia='1 1 1'/></body></worldbody>", "negative"),
        ("<worldbody><body><inertial mass='1' pos='0 0 0'/></body></worldbody>", "diaginertia is missing"),
        ("<compiler coordinate='global'/>", "local"),
        ("<compiler angle='turns'/>", "degree, radian"),
        ("<compiler eulerseq='xyw'/>", "eulerseq"),
        ("<default class='a'><default/></default>", "class name"),
        ("<worldbody><body name='b'><joint/></body></worldbody><keyframe><key qpos='1 2'/></keyframe>", "1 numbers"),
        ("<asset><hfield name='h' nrow='99999' ncol='99999' size='1 1 1 1'/></asset>", "at most"),
        ("<asset><mesh file='a.stl' scale='0 1 1'/></asset>", "scale"),
    ],
)
def test_mistakes_name_file_and_line(inside: str, message: str) -> None:
    with pytest.raises(BadInput, match=message) as caught:
        read(f"<mujoco>{inside}</mujoco>")
    assert "test.xml:1" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_missing_mesh_is_kept_without_a_path() -> None:
    robot = read(
        """<mujoco><asset><mesh file="none.stl"/></asset><worldbody><body name="a"><freejoint/>
        <inertial mass="1" pos="0 0 0" diaginertia="1 1 1"/><geom type="mesh" mesh="none"/></body>
        </worldbody></mujoco>"""
    )
    mesh = robot.link("a").collisions[0].geometry
    assert isinstance(mesh, Mesh)
    assert (mesh.path, mesh.uri) == (None, "none.stl")


@pytest.mark.parametrize("name", ["ant", "humanoid", "pusher", "reacher", "inverted_double_pendulum"])
def test_models_of_others(name: str) -> None:
    data = pytest.importorskip("pybullet_data", reason="needs the extra `bullet`, whose data holds MJCF models")
    path = Path(data.getDataPath()) / "mjcf" / f"{name}.xml"
    assert_same_as_mujoco(read(path.read_text(), path), mujoco.MjModel.from_xml_path(str(path)))


def test_bodies_left_out_of_a_robot_are_told() -> None:
    robot = read(
        """<mujoco><worldbody>
        <body name="a"><joint name="j"/><geom size="1"/></body><body name="b"><joint name="k"/><geom size="1"/></body>
        <body name="prop"><geom size="1"/></body></worldbody></mujoco>"""
    )
    assert [link.name for link in robot.links] == ["world", "a", "b"]
    assert any("'prop'" in p.message and p.source.line == 3 for p in robot.problems)


def test_attributes_that_mujoco_does_not_know_are_told_and_left_out() -> None:
    robot = read(
        """<mujoco><default><joint colour="red" damping="2"/><sparkle/></default>
        <worldbody><body name="a"><joint name="j" colour="blue"/><geom size="1" shine="3"/></body></worldbody>
        </mujoco>"""
    )
    told = " ".join(p.message for p in robot.problems)
    assert "<joint colour>" in told
    assert "<geom shine>" in told
    assert "<sparkle>" in told
    assert robot.joint("j").dynamics.damping == 2


def test_mujoco_is_handed_no_file_and_no_more_than_it_can_take(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[str] = []
    parse = mujoco.MjSpec.from_string
    monkeypatch.setattr(mujoco.MjSpec, "from_string", lambda text: (given.append(text), parse(text))[1])
    monkeypatch.chdir(tmp_path)
    read(
        """<mujoco><size memory="900T"/><asset><mesh name="m" file="/etc/passwd"/><texture file="/etc/hosts"/>
        <material name="k"/></asset><extension><plugin plugin="x"/></extension>
        <worldbody><body name="a"><freejoint/><geom size="1" material="k" user="1 2"/>
        <geom type="mesh" mesh="m" mass="0"/><flexcomp name="f" file="/etc/passwd"/></body></worldbody></mujoco>"""
    )
    assert not any(word in given[0] for word in ("/etc", "plugin", "flexcomp", "memory", "user="))
    assert not list(tmp_path.iterdir())  # MuJoCo left no log of warnings
    monkeypatch.setattr("andante.description.io.mjcf.spec.MAX_PARTS", 20)
    with pytest.raises(BadInput, match="more than 20 bodies"):
        read("<mujoco><worldbody>" + '<geom size="1"/>' * 30 + "</worldbody></mujoco>")


def test_meshes_without_volume_give_no_mass_and_are_told(tmp_path: Path) -> None:
    flat = trimesh.Trimesh([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]], [[0, 1, 2], [1, 3, 2]], process=False)
    flat.export(tmp_path / "flat.stl")
    robot = read(
        """<mujoco><asset><mesh file="flat.stl"/></asset><worldbody><body name="a"><freejoint/>
        <geom size="0.1"/><geom type="mesh" mesh="flat"/></body></worldbody></mujoco>""",
        tmp_path / "r.xml",
    )
    assert any("no mass could be computed" in p.message for p in robot.problems)
    assert robot.mass == pytest.approx(1000 * 4 / 3 * math.pi * 0.1**3)
    assert len(robot.link("a").collisions) == 2


@pytest.mark.parametrize("tensor", ['diaginertia="1 2 9"', 'diaginertia="0 0 0"', 'fullinertia="-1 2 2 0 0 0"'])
def test_tensors_that_no_body_has_are_read_as_they_stand(tensor: str) -> None:
    robot = read(
        f"""<mujoco><worldbody><body name="a"><freejoint/><inertial mass="2" pos="0 0 1" {tensor}/>
        </body></worldbody></mujoco>"""
    )
    inertia = robot.link("a").inertia
    assert inertia is not None
    assert inertia.com == (0, 0, 1)
    values = [float(v) for v in tensor.split('"')[1].split()]
    np.testing.assert_allclose(np.diag(inertia.matrix), values[:3])


def test_sites_may_lie_from_one_point_to_another() -> None:
    robot = read(
        """<mujoco><default><default class="ray"><site type="capsule" size="0.01 0.1"/></default></default>
        <worldbody><body name="b"><freejoint/><geom size="0.1"/><site name="s" class="ray" fromto="0 0 0 0 0.2 0"/>
        </body></worldbody><sensor><rangefinder name="r" site="s"/></sensor></mujoco>"""
    )
    (sensor,) = robot.sensors
    assert np.allclose(sensor.pose.translation, (0, 0.1, 0))
    assert np.allclose(sensor.pose.rotation[:, 2], (0, -1, 0)) or np.allclose(sensor.pose.rotation[:, 2], (0, 1, 0))


def test_geoms_that_are_paired_with_the_floor_touch_it() -> None:
    robot = read(
        """<mujoco><default><geom contype="0" conaffinity="0"/></default>
        <worldbody><body name="b"><freejoint/><geom name="trunk" size="0.1"/>
          <body name="leg"><joint name="j"/><geom name="sole" size="0.1"/><geom name="shin" size="0.1"/></body></body>
        <body name="cube"><freejoint/><geom name="side" type="box" size="0.1 0.1 0.1"/></body></worldbody>
        <contact><pair geom1="sole" geom2="floor" friction="0.6 0.6"/><pair geom1="trunk" geom2="shin"/></contact>
        </mujoco>"""
    )
    touching = {shape.name: shape.surface.mu for link in robot.links for shape in link.collisions}
    assert touching == {"sole": 0.6}
    (told,) = [problem for problem in robot.problems if "<pair>" in problem.message]
    assert told.source.line == 5
