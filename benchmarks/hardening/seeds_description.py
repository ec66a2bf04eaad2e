# ruff: noqa: E501 (tables of data)
"""Seeds: robots and worlds as URDF, xacro, SDF and MJCF, and the side file of a robot."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import andante.description as description

from .seeds import Seed, words
from .seeds_meshes import cube, height_png

DATA = Path(description.__file__).parents[1]
ARM = b"""<?xml version="1.0"?>
<robot name="arm">
  <material name="grey"><color rgba="0.5 0.5 0.5 1"/></material>
  <link name="base"><inertial><origin xyz="0 0 0.05" rpy="0 0 0"/><mass value="2.0"/>
    <inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"/></inertial>
    <visual><geometry><mesh filename="cube.stl" scale="1 1 1"/></geometry><material name="grey"/></visual>
    <collision><geometry><box size="0.2 0.2 0.1"/></geometry></collision></link>
  <link name="upper"><inertial><mass value="1.0"/>
    <inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.005"/></inertial>
    <collision><geometry><cylinder radius="0.04" length="0.3"/></geometry></collision></link>
  <link name="lower"><inertial><mass value="0.5"/>
    <inertia ixx="0.005" ixy="0" ixz="0" iyy="0.005" iyz="0" izz="0.002"/></inertial>
    <collision><geometry><mesh filename="file://cube.stl" scale="0.5 0.5 0.5"/></geometry></collision></link>
  <link name="tip"><inertial><mass value="0.1"/><inertia ixx="0.001" ixy="0" ixz="0" iyy="0.001" iyz="0" izz="0.001"/>
    </inertial></link>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/><origin xyz="0 0 0.2" rpy="0 0 0"/>
    <axis xyz="0 1 0"/><limit lower="-1.5" upper="1.5" effort="20" velocity="3"/><dynamics damping="0.1" friction="0.01"/>
  </joint>
  <joint name="elbow" type="revolute"><parent link="upper"/><child link="lower"/><origin xyz="0 0 0.3" rpy="0 0.1 0"/>
    <axis xyz="0 1 0"/><limit lower="-2" upper="2" effort="10" velocity="3"/><mimic joint="shoulder" multiplier="0.5"/>
  </joint>
  <joint name="wrist" type="continuous"><parent link="lower"/><child link="tip"/><origin xyz="0 0 0.1"/><axis xyz="0 0 1"/>
    <limit effort="2" velocity="3"/></joint>
  <transmission name="t"><type>transmission_interface/SimpleTransmission</type>
    <joint name="shoulder"><hardwareInterface>hardware_interface/PositionJointInterface</hardwareInterface></joint>
    <actuator name="m"><mechanicalReduction>50</mechanicalReduction></actuator></transmission>
  <gazebo reference="base"><mu1>0.8</mu1><mu2>0.8</mu2><kp>1e6</kp><kd>1</kd><material>Gazebo/Grey</material>
    <sensor name="laser" type="ray"><update_rate>10</update_rate><ray><scan><horizontal><samples>90</samples>
    <min_angle>-1.5</min_angle><max_angle>1.5</max_angle></horizontal></scan><range><min>0.1</min><max>8</max></range></ray>
    </sensor></gazebo>
</robot>
"""
XACRO = b"""<?xml version="1.0"?>
<robot xmlns:xacro="http://www.ros.org/wiki/xacro" name="beast">
  <xacro:arg name="legs" default="4"/>
  <xacro:property name="radius" value="0.05"/>
  <xacro:property name="table" value="${load_yaml('beast.yaml')}"/>
  <xacro:include filename="parts.xacro"/>
  <link name="body"><inertial><mass value="${table['mass'] * 2}"/><inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0"
    izz="0.1"/></inertial><collision><geometry><box size="0.4 0.3 ${2 * radius}"/></geometry></collision></link>
  <xacro:leg name="fl" x="0.2" y="0.15"/><xacro:leg name="fr" x="0.2" y="-0.15"/>
  <xacro:if value="${int($(arg legs)) > 2}"><xacro:leg name="rl" x="-0.2" y="0.15"/><xacro:leg name="rr" x="-0.2" y="-0.15"/>
  </xacro:if>
</robot>
"""
PARTS = b"""<?xml version="1.0"?>
<robot xmlns:xacro="http://www.ros.org/wiki/xacro">
  <xacro:macro name="segment" params="name length:=0.2 mass:=${table['leg']} *inside">
    <link name="${name}"><inertial><origin xyz="0 0 ${-length / 2}"/><mass value="${mass}"/>
      <inertia ixx="0.001" ixy="0" ixz="0" iyy="0.001" iyz="0" izz="0.001"/></inertial><xacro:insert_block name="inside"/></link>
  </xacro:macro>
  <xacro:macro name="leg" params="name x y">
    <xacro:segment name="${name}_hip" length="0.05"><visual><geometry><sphere radius="0.01"/></geometry></visual></xacro:segment>
    <xacro:segment name="${name}_thigh"><visual><geometry><sphere radius="0.01"/></geometry></visual></xacro:segment>
    <xacro:segment name="${name}_shank"><collision><origin xyz="0 0 -0.2"/><geometry><sphere radius="${radius / 2}"/></geometry>
      </collision></xacro:segment>
    <joint name="${name}_roll" type="revolute"><parent link="body"/><child link="${name}_hip"/><origin xyz="${x} ${y} 0"/>
      <axis xyz="1 0 0"/><limit lower="-0.8" upper="0.8" effort="20" velocity="8"/></joint>
    <joint name="${name}_pitch" type="revolute"><parent link="${name}_hip"/><child link="${name}_thigh"/>
      <axis xyz="0 1 0"/><limit lower="${-radians(90)}" upper="${pi / 2}" effort="20" velocity="8"/></joint>
    <joint name="${name}_knee" type="revolute"><parent link="${name}_thigh"/><child link="${name}_shank"/>
      <origin xyz="0 0 -0.2"/><axis xyz="0 1 0"/><limit lower="-2.4" upper="0" effort="20" velocity="8"/></joint>
  </xacro:macro>
</robot>
"""
SIDE = b"""[poses.Stand]
shoulder = 0.3
elbow = -0.5
[servos."*"]
kp = 60.0
kd = 2.0
effort = 12
[collisions]
self_collide = true
never = [["base", "lower"]]
"""
READ = ("check {in}/%s --json", "check {in}/%s", "convert {in}/%s {out}/x.urdf", "convert {in}/%s {out}/x.sdf",
        "convert {in}/%s {out}/x.xml --meshes {out}/meshes")  # fmt: skip
SLOW = ("sim {in}/%s --seconds 0.004 --json","sim {in}/%s --seconds 0.004 --engine bullet --json", "sim {in}/%s --seconds 0.004 --engine dart --json",
        "sim {in}/%s --seconds 0.004 --engine ode --json")  # fmt: skip


def reading(file: str, *more: str) -> tuple[tuple[str, ...], ...]:
    """The commands that read a robot."""
    return words(*(line % file for line in READ), *more)


def slow_ones(file: str) -> tuple[tuple[str, ...], ...]:
    """The commands that simulate a robot."""
    return words(*(line % file for line in SLOW))


def seeds() -> Iterator[Seed]:
    """Robots, worlds and side files."""
    mesh = {"cube.stl": cube("stl")}
    slow = slow_ones("arm.urdf")
    ik = "ik {in}/arm.urdf --tip tip --target 0.1~0~0.5~nan~nan~nan --json"
    yield Seed("urdf", "arm", {"arm.urdf": ARM, **mesh}, reading("arm.urdf", ik), ("arm.urdf",), slow)
    made = {suffix: _converted("waffle", suffix) for suffix in (".urdf", ".sdf", ".xml")}
    yield Seed("urdf", "waffle", {"w.urdf": made[".urdf"]}, reading("w.urdf"), (), slow_ones("w.urdf"))
    yield Seed("sidecar", "arm", {"arm.toml": SIDE, "arm.urdf": ARM, **mesh},
               words("check {in}/arm.urdf", "check {in}/arm.urdf --json"), ("arm.toml",),
               words("sim {in}/arm.urdf --pose Stand --seconds 0.004 --json"))  # fmt: skip
    beast = {
        "beast.urdf.xacro": XACRO,
        "parts.xacro": PARTS,
        "beast.yaml": b"mass: 4.0\nleg: 0.3\nmore: [1, 2, {a: b}]\n",
    }
    yield Seed("xacro", "beast", beast, reading("beast.urdf.xacro", "check {in}/beast.urdf.xacro legs:=2 --json"), (),
               words("rig {in}/beast.urdf.xacro --json", "rig {in}/beast.urdf.xacro -o {out}/r.toml"))  # fmt: skip
    own = {path.name: path.read_bytes() for path in sorted((DATA / "robots" / "waffle").iterdir()) if path.is_file()}
    own = {name: data for name, data in own.items() if name.endswith((".xacro", ".toml"))}
    yield Seed("xacro", "waffle", own, reading("waffle.urdf.xacro"))
    yield Seed("sdf", "waffle", {"w.sdf": made[".sdf"]}, reading("w.sdf"), (), slow_ones("w.sdf"))
    yield Seed("mjcf", "waffle", {"w.xml": made[".xml"]}, reading("w.xml"), (), slow_ones("w.xml"))
    yield Seed("mjcf", "pendulum", {"p.xml": PENDULUM, "cube.stl": cube("stl"), "hill.png": height_png()}, reading("p.xml"),
               ("p.xml", "p.xml", "hill.png"), slow_ones("p.xml"))  # fmt: skip
    yield from _worlds()


def _worlds() -> Iterator[Seed]:
    places = DATA / "worlds"
    models = {str(path.relative_to(places)): path.read_bytes() for path in sorted(places.rglob("model.*"))}
    common = ("check {in}/%s --json", "convert {in}/%s {out}/m.sdf", "convert {in}/%s {out}/m.xml",
              "convert {in}/%s {out}/m.yaml")  # fmt: skip
    for name in ("lab", "slope", "corridor"):
        file = f"{name}.sdf"
        files = {file: (places / file).read_bytes(), **(models if name == "lab" else {})}
        lines = [line % file for line in common]
        yield Seed("sdf", name, files, words(*lines), (file, file, *(m for m in models if name == "lab")),
                   words(f"sim waffle --world {{in}}/{file} --seconds 0.004 --json"))  # fmt: skip
    hill = {"hill.world": HILL, "hill.png": height_png()}
    yield Seed("sdf", "hill", hill, words("check {in}/hill.world --json", "convert {in}/hill.world {out}/h.xml"), (),
               words("sim waffle --world {in}/hill.world --seconds 0.004 --json"))  # fmt: skip


def _converted(robot: str, suffix: str) -> bytes:
    """A built-in robot written in another format."""
    from andante.description.io.convert import convert_file

    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / f"x{suffix}"
        convert_file(robot, out, {}, None)
        return out.read_bytes()


PENDULUM = b"""<mujoco model="pendulum">
  <compiler angle="radian" meshdir="." autolimits="true"/>
  <option timestep="0.002" gravity="0 0 -9.81"/>
  <default><geom friction="0.8 0.01 0.001"/><default class="arm"><joint damping="0.1" armature="0.01"/></default></default>
  <asset><mesh name="cube" file="cube.stl" scale="0.1 0.1 0.1"/><hfield name="hill" file="hill.png" size="2 2 0.2 0.1"/>
    <texture name="grid" type="2d" builtin="checker" width="64" height="64" rgb1="1 1 1" rgb2="0 0 0"/>
    <material name="grid" texture="grid"/></asset>
  <worldbody>
    <body name="cart" pos="0 0 1"><freejoint/><geom type="box" size="0.2 0.1 0.05" mass="1"/>
      <site name="imu" pos="0 0 0"/>
      <body name="pole" pos="0 0 0.05" childclass="arm"><joint name="hinge" type="hinge" axis="0 1 0" range="-1 1"/>
        <geom type="capsule" fromto="0 0 0 0 0 0.5" size="0.02"/><geom type="mesh" mesh="cube" pos="0 0 0.5" mass="0.1"/>
        <body name="slider" pos="0 0 0.2"><joint name="slide" type="slide" axis="0 0 1" range="-0.1 0.1"/>
          <inertial pos="0 0 0" mass="0.2" diaginertia="0.001 0.001 0.001"/><geom type="sphere" size="0.03"/></body></body></body>
  </worldbody>
  <actuator><position name="servo" joint="hinge" kp="20" ctrlrange="-1 1"/><motor joint="slide" gear="2"/></actuator>
  <sensor><gyro name="gyro" site="imu"/><jointpos joint="hinge"/></sensor>
  <equality><joint joint1="slide" joint2="hinge" polycoef="0 0.1 0 0 0"/></equality>
  <keyframe><key name="up" qpos="0 0 1 1 0 0 0 0.1 0"/></keyframe>
</mujoco>
"""
HILL = b"""<?xml version="1.0"?>
<sdf version="1.7"><world name="hill"><gravity>0 0 -9.81</gravity>
  <physics type="ode"><max_step_size>0.002</max_step_size></physics>
  <model name="ground"><static>true</static><link name="link"><collision name="c"><geometry><heightmap><uri>hill.png</uri>
    <size>10 10 1</size><pos>0 0 0</pos></heightmap></geometry></collision></link></model>
  <model name="wall"><static>1</static><pose>2 0 0.5 0 0 0.3</pose><link name="l"><collision name="c"><geometry>
    <polyline><point>0 0</point><point>1 0</point><point>1 1</point><point>0 1</point><height>0.5</height></polyline></geometry>
    <surface><friction><ode><mu>0.9</mu></ode></friction></surface></collision></link></model>
  <light name="sun" type="directional"><direction>0 0 -1</direction></light>
</world></sdf>
"""
