"""URDF and xacro texts that several tests share."""

ARM = """<?xml version="1.0"?>
<robot name="arm">
  <material name="steel"><color rgba="0.6 0.6 0.7 1"/></material>
  <link name="base">
    <inertial><origin xyz="0 0 0.1" rpy="0 0 0"/><mass value="2.5"/>
      <inertia ixx="0.01" ixy="0.001" ixz="0" iyy="0.02" iyz="0" izz="0.015"/></inertial>
    <visual name="body"><origin xyz="0 0 0.1"/><geometry><box size="0.2 0.3 0.2"/></geometry>
      <material name="steel"/></visual>
    <collision name="hull"><origin xyz="0 0 0.1"/><geometry><box size="0.2 0.3 0.2"/></geometry></collision>
    <collision name="foot"><geometry><cylinder radius="0.2" length="0.02"/></geometry></collision>
  </link>
  <link name="upper">
    <inertial><origin xyz="0.1 0 0" rpy="0.3 -0.2 1.1"/><mass value="1"/>
      <inertia ixx="0.001" ixy="0" ixz="0" iyy="0.002" iyz="0" izz="0.0025"/></inertial>
    <visual><geometry><sphere radius="0.05"/></geometry>
      <material name="skin"><color rgba="1 0.8 0.7 0.5"/><texture filename="skin.png"/></material></visual>
    <collision><origin xyz="0.1 0 0" rpy="0 1.5707963267948966 0"/>
      <geometry><cylinder radius="0.04" length="0.2"/></geometry></collision>
  </link>
  <link name="lower"/>
  <link name="wheel"><inertial><mass value="0.2"/>
    <inertia ixx="1e-4" ixy="0" ixz="0" iyy="1e-4" iyz="0" izz="2e-4"/></inertial></link>
  <link name="slider"/> <link name="drifter"/> <link name="plate"/> <link name="tool"/>
  <joint name="shoulder" type="revolute">
    <origin xyz="0 0 0.2" rpy="0.1 0.2 0.3"/><parent link="base"/><child link="upper"/><axis xyz="0 0.6 0.8"/>
    <calibration rising="0.1"/>
    <dynamics damping="0.5" friction="0.25" armature="0.003"/>
    <limit lower="-1.5" upper="1.25" effort="30" velocity="2.5"/>
    <safety_controller soft_lower_limit="-1.4" soft_upper_limit="1.2" k_position="10" k_velocity="3"/>
  </joint>
  <joint name="elbow" type="revolute">
    <origin xyz="0.2 0 0"/><parent link="upper"/><child link="lower"/><axis xyz="0 1 0"/>
    <limit lower="-2" upper="2" effort="10" velocity="3"/>
    <mimic joint="shoulder" multiplier="-0.5" offset="0.1"/>
  </joint>
  <joint name="spin" type="continuous"><parent link="lower"/><child link="wheel"/><axis xyz="0 0 1"/></joint>
  <joint name="slide" type="prismatic"><parent link="base"/><child link="slider"/>
    <limit lower="0" upper="0.5" effort="100" velocity="1"/></joint>
  <joint name="drift" type="floating"><parent link="slider"/><child link="drifter"/></joint>
  <joint name="glide" type="planar"><parent link="base"/><child link="plate"/><axis xyz="0 0 1"/></joint>
  <joint name="grip" type="fixed"><origin xyz="0 0.1 0" rpy="0 1.5707963267948966 0.4"/>
    <parent link="lower"/><child link="tool"/></joint>
  <transmission name="shoulder_drive">
    <type>transmission_interface/SimpleTransmission</type>
    <joint name="shoulder"><hardwareInterface>hardware_interface/EffortJointInterface</hardwareInterface></joint>
    <actuator name="motor"><mechanicalReduction>50</mechanicalReduction></actuator>
  </transmission>
  <gazebo reference="base">
    <mu1>0.9</mu1><mu2>0.8</mu2><kp>1000000.0</kp><kd>10</kd><maxVel>0.01</maxVel><minDepth>0.001</minDepth>
    <fdir1>1 0 0</fdir1><selfCollide>true</selfCollide>
  </gazebo>
  <gazebo reference="wheel"><turnGravityOff>true</turnGravityOff></gazebo>
  <gazebo reference="spin"><springStiffness>2</springStiffness><springReference>0.5</springReference></gazebo>
  <gazebo reference="upper">
    <sensor name="eye" type="camera"><pose>0.1 0 0 0 0.2 0</pose><update_rate>30</update_rate>
      <camera><horizontal_fov>1.2</horizontal_fov><image><width>640</width><height>480</height></image>
        <clip><near>0.05</near><far>20</far></clip><noise><type>gaussian</type><stddev>0.007</stddev></noise></camera>
      <plugin name="eye_ros" filename="libgazebo_ros_camera.so"><topicName>eye/image</topicName></plugin></sensor>
    <sensor name="scan" type="gpu_ray"><update_rate>10</update_rate><topic>scan</topic>
      <ray><scan><horizontal><samples>360</samples><min_angle>-3.1</min_angle><max_angle>3.1</max_angle></horizontal>
      </scan><range><min>0.1</min><max>12</max><resolution>0.01</resolution></range>
      <noise><stddev>0.02</stddev></noise></ray></sensor>
    <sensor name="tag" type="uwb"><pose>0 0 0.1 0 0 0</pose><update_rate>16</update_rate>
      <range_max>40</range_max><noise_stddev>0.05</noise_stddev><channel>five</channel></sensor>
  </gazebo>
  <gazebo reference="grip"><sensor name="wrist" type="force_torque"><update_rate>100</update_rate></sensor></gazebo>
  <gazebo>
    <plugin name="drive" filename="libgazebo_ros_diff_drive.so"><left_joint>a</left_joint>
      <ros><remapping>cmd_vel:=go</remapping><remapping>odom:=way</remapping></ros></plugin>
  </gazebo>
</robot>
"""

MACROS = """<?xml version="1.0"?>
<robot xmlns:xacro="http://www.ros.org/wiki/xacro" name="walker">
  <xacro:arg name="legs" default="2"/>
  <xacro:property name="radius" value="${0.1 * 2}"/>
  <xacro:property name="stop"><limit lower="-1" upper="1" effort="5" velocity="6"/></xacro:property>
  <xacro:macro name="leg" params="name parent:=body length:=${radius*2} *origin">
    <link name="${name}">
      <inertial><mass value="${length}"/><inertia ixx="1e-3" ixy="0" ixz="0" iyy="1e-3" iyz="0" izz="1e-3"/></inertial>
      <collision><geometry><sphere radius="${radius / 4}"/></geometry></collision>
    </link>
    <joint name="${name}_hip" type="revolute">
      <xacro:insert_block name="origin"/><parent link="${parent}"/><child link="${name}"/><axis xyz="0 1 0"/>
      <xacro:insert_block name="stop"/>
    </joint>
  </xacro:macro>
  <link name="body"/>
  <xacro:leg name="left"><origin xyz="0 ${radius} 0" rpy="0 0 ${radians(90)}"/></xacro:leg>
  <xacro:if value="${int('$(arg legs)') > 1}">
    <xacro:leg name="right" length="0.7"><origin xyz="0 ${-radius} 0"/></xacro:leg>
  </xacro:if>
</robot>
"""
