"""Legged robots made in a few lines: any number of legs, upright or sprawled, at any azimuths."""

import math


def walker(azimuths, radius=0.15, femur=0.1, tibia=0.12, limit=2.0, names=None, arm=False):
    """URDF of a robot with sprawled three-joint legs at these azimuths [deg] around its body."""
    out = [
        '<robot name="sample"><link name="body"><inertial><mass value="2"/>'
        '<inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.02"/></inertial>'
        f'<collision><geometry><cylinder radius="{0.8 * radius}" length="0.04"/></geometry></collision></link>'
    ]
    for i, azimuth in enumerate(azimuths):
        leg = names[i] if names else f"leg{i}"
        a = math.radians(azimuth)
        out.append(_link(f"{leg}_coxa", 0.02) + _link(f"{leg}_femur", femur) + _link(f"{leg}_tibia", tibia, foot=True))
        place = f"{radius * math.cos(a)} {radius * math.sin(a)} 0"
        out.append(_joint(f"{leg}_yaw", "body", f"{leg}_coxa", place, f"0 0 {a}", "0 0 1", limit))
        out.append(_joint(f"{leg}_hip", f"{leg}_coxa", f"{leg}_femur", "0.02 0 0", "0 0 0", "0 1 0", limit))
        out.append(_joint(f"{leg}_knee", f"{leg}_femur", f"{leg}_tibia", f"{femur} 0 0", "0 0 0", "0 1 0", limit))
    if arm:
        out.append(_link("upper_arm", 0.1) + _link("hand", 0.1, foot=True))
        out.append(_joint("shoulder", "body", "upper_arm", "0 0 0.05", "0 -1.57 0", "0 1 0", 0.5))
        out.append(_joint("elbow", "upper_arm", "hand", "0.1 0 0", "0 0 0", "0 1 0", 0.5))
    return "".join(out) + "</robot>"


def _link(name, length, foot=False):
    shape = ""
    if foot:
        shape = f'<collision><origin xyz="{length} 0 0"/><geometry><sphere radius="0.008"/></geometry></collision>'
    return (
        f'<link name="{name}"><inertial><origin xyz="{length / 2} 0 0"/><mass value="0.05"/>'
        f'<inertia ixx="5e-5" ixy="0" ixz="0" iyy="5e-5" iyz="0" izz="5e-5"/></inertial>{shape}</link>'
    )


def _joint(name, parent, child, xyz, rpy, axis, limit):
    return (
        f'<joint name="{name}" type="revolute"><parent link="{parent}"/><child link="{child}"/>'
        f'<origin xyz="{xyz}" rpy="{rpy}"/><axis xyz="{axis}"/>'
        f'<limit lower="{-limit}" upper="{limit}" effort="6" velocity="8"/></joint>'
    )
