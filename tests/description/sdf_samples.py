"""SDF texts and short cuts for the tests of the SDF reader and writer."""

from __future__ import annotations

from pathlib import Path

from andante.description.io.resolver import Resolver
from andante.description.io.sdf.reader import read_sdf_robot, read_sdf_world
from andante.description.io.xmltree import parse_xml
from andante.description.robot import Robot
from andante.description.world import World

HERE = Path("sample.sdf")


def robot(body: str, version: str = "1.9", path: Path = HERE, name: str = "m", attributes: str = "") -> Robot:
    """The robot of a <model> with that body."""
    text = f'<sdf version="{version}"><model name="{name}" {attributes}>{body}</model></sdf>'
    return read_sdf_robot(parse_xml(text.encode(), str(path)), path, Resolver())


def world(body: str, version: str = "1.9", path: Path = HERE, folders: tuple[Path, ...] = ()) -> World:
    """The world with that body."""
    text = f'<sdf version="{version}"><world name="w">{body}</world></sdf>'
    return read_sdf_world(parse_xml(text.encode(), str(path)), path, Resolver(folders))


def messages(thing: Robot | World) -> str:
    """All findings, one per line."""
    return "\n".join(str(problem) for problem in thing.problems)


Z = "<axis><xyz>0 0 1</xyz></axis>"
LINKS = '<link name="a"/><link name="b"><pose>1 0 0 0 0 0</pose></link>'


def joint(
    kind: str = "revolute", inner: str = "<axis><xyz>0 0 1</xyz></axis>", name: str = "j", ends: str = "a b"
) -> str:
    """A <joint> between two links."""
    parent, child = ends.split()
    return f'<joint name="{name}" type="{kind}"><parent>{parent}</parent><child>{child}</child>{inner}</joint>'


FULL = """<?xml version="1.0"?>
<sdf version="1.9">
  <world name="full">
    <gravity>0 0 -9.5</gravity>
    <physics name="p" type="ode"><max_step_size>0.002</max_step_size>
      <ode><solver><type>quick</type><iters>60</iters></solver>
      <constraints><cfm>1e-5</cfm><erp>0.2</erp></constraints></ode></physics>
    <scene><ambient>0.1 0.2 0.3 1</ambient><background>0.4 0.5 0.6 1</background></scene>
    <light name="lamp" type="spot"><pose>0 0 3 0 0 0</pose><diffuse>1 0.9 0.8 1</diffuse>
      <direction>0 0.1 -1</direction><cast_shadows>true</cast_shadows></light>
    <frame name="corner"><pose>5 5 0 0 0 1.5</pose></frame>
    <model name="floor"><static>true</static><link name="l"><collision name="c"><geometry><plane>
      <normal>0 0 1</normal><size>20 30</size></plane></geometry><surface><friction><ode><mu>0.8</mu><mu2>0.6</mu2>
      <fdir1>1 0 0</fdir1></ode><torsional><coefficient>0.1</coefficient></torsional></friction>
      <bounce><restitution_coefficient>0.3</restitution_coefficient></bounce><contact>
      <collide_bitmask>0x0f</collide_bitmask><ode><kp>1e12</kp><kd>10</kd><max_vel>0.1</max_vel><min_depth>0.001</min_depth>
      </ode></contact></surface></collision></link></model>
    <model name="cart" canonical_link="body">
      <pose relative_to="corner">1 0 0.5 0 0 0</pose>
      <self_collide>true</self_collide>
      <link name="wheel"><pose relative_to="axle"/><inertial><mass>0.5</mass><inertia><ixx>0.01</ixx><iyy>0.01</iyy>
        <izz>0.02</izz></inertia></inertial>
        <collision name="c"><geometry><cylinder><radius>0.1</radius><length>0.05</length></cylinder></geometry>
        </collision>
        <visual name="v"><geometry><capsule><radius>0.1</radius><length>0.05</length></capsule></geometry>
        <material><diffuse>1 0 0 1</diffuse></material></visual></link>
      <link name="body"><gravity>false</gravity><inertial><pose>0.1 0 0 0.3 0.2 0.1</pose><mass>3</mass><inertia>
        <ixx>0.1</ixx>        <iyy>0.2</iyy><izz>0.25</izz><ixy>0.01</ixy></inertia></inertial>
        <collision name="c"><pose>0 0 0.1 0 0 0.3</pose><geometry><box><size>1 0.5 0.2</size></box></geometry>
        </collision>
        <collision name="e"><geometry><ellipsoid><radii>0.1 0.2 0.3</radii></ellipsoid></geometry></collision>
        <sensor name="eye" type="camera"><pose>0.5 0 0.1 0 0.2 0</pose><update_rate>30</update_rate><topic>image</topic>
          <camera><horizontal_fov>1.2</horizontal_fov><image><width>640</width><height>480</height></image>
          <clip><near>0.1</near><far>50</far></clip><noise><type>gaussian</type><mean>0</mean><stddev>0.007</stddev></noise>
          </camera></sensor>
        <sensor name="scan" type="lidar"><lidar><scan><horizontal><samples>360</samples><resolution>1</resolution>
          <min_angle>-3.1</min_angle><max_angle>3.1</max_angle></horizontal></scan>
          <range><min>0.1</min><max>12</max><resolution>0.01</resolution></range></lidar></sensor>
        <sensor name="imu" type="imu"><imu><angular_velocity><x><noise type="gaussian"><mean>0</mean>
          <stddev>2e-4</stddev>
          </noise></x></angular_velocity></imu></sensor></link>
      <joint name="axle" type="revolute"><pose relative_to="body">0.3 0.3 0 1.5707963267948966 0 0</pose>
        <parent>body</parent><child>wheel</child><axis><xyz>0 0 1</xyz><limit><lower>-1</lower><upper>2</upper>
        <effort>5</effort><velocity>10</velocity></limit><dynamics><damping>0.1</damping><friction>0.2</friction>
        <spring_reference>0.3</spring_reference><spring_stiffness>0.4</spring_stiffness></dynamics></axis>
        <sensor name="ft" type="force_torque"><force_torque><frame>child</frame></force_torque></sensor></joint>
      <frame name="tip" attached_to="wheel"><pose>0 0 0.2 0 0 0</pose></frame>
      <model name="arm"><pose>0 0 0.4 0 0 0.7</pose><link name="hand"/><link name="finger"/>
        <joint name="grip" type="prismatic"><parent>hand</parent><child>finger</child><axis>
        <xyz expressed_in="__model__">0 1 0</xyz><limit><lower>0</lower><upper>0.1</upper></limit></axis></joint>
      </model>
      <joint name="mount" type="fixed"><parent>body</parent><child>arm::hand</child></joint>
      <plugin name="drive" filename="libdrive.so"><wheel_radius>0.1</wheel_radius></plugin>
    </model>
  </world>
</sdf>
"""
