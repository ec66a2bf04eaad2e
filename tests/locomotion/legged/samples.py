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


def upright(size=1.0, mass=10.0, center=(0.0, 0.0, 0.0), effort=30.0, roll=True):
    """URDF of a quadruped that stands on straight legs: hips that tilt aside (`roll`), then hip and knee across.

    At size 1 it is 0.4 m long, with thighs and shins of 0.2 m and this mass [kg]; masses grow with size³, efforts [N m]
    with size⁴. center: of the trunk's mass, at size 1 [m].
    """
    length, trunk, leg = 0.2 * size, 0.6 * mass * size**3, 0.1 * mass * size**3
    middle = " ".join(str(size * v) for v in center)
    sides = tuple(size * v for v in (0.4, 0.2, 0.1))
    box = f'<collision><geometry><box size="{sides[0]} {sides[1]} {sides[2]}"/></geometry></collision>'
    out = [f'<robot name="upright">{_bare("trunk", trunk, middle, sides, box)}']
    thin = (0.03 * size, 0.03 * size, length)
    for name, x, y in (("a", 1, 1), ("b", 1, -1), ("c", -1, 1), ("d", -1, -1)):
        parent, at = "trunk", f"{0.2 * size * x} {0.16 * size * y} 0"
        joints = [(f"{name}_swing", f"{name}_thigh", "0 1 0"), (f"{name}_knee", f"{name}_shin", "0 1 0")]
        if roll:
            out.append(_bare(f"{name}_hip", 0.3 * leg, "0 0 0", (thin[0],) * 3))
            joints.insert(0, (f"{name}_tilt", f"{name}_hip", "1 0 0"))
            at = f"{0.2 * size * x} {0.08 * size * y} 0"
        foot = f'<origin xyz="0 0 {-length}"/><geometry><sphere radius="{0.02 * size}"/></geometry>'
        out.append(_bare(f"{name}_thigh", 0.45 * leg, f"0 0 {-length / 2}", thin))
        out.append(_bare(f"{name}_shin", 0.25 * leg, f"0 0 {-length / 2}", thin, f"<collision>{foot}</collision>"))
        for joint, child, axis in joints:
            out.append(
                f'<joint name="{joint}" type="revolute"><parent link="{parent}"/><child link="{child}"/>'
                f'<origin xyz="{at}"/><axis xyz="{axis}"/>'
                f'<limit lower="-2.6" upper="2.6" effort="{effort * size**4}" velocity="15"/></joint>'
            )
            parent, at = child, f"0 {0.08 * size * y} 0" if child.endswith("hip") else f"0 0 {-length}"
    return "".join(out) + "</robot>"


def _bare(name, mass, middle, size, shapes=""):
    x, y, z = (mass / 12 * (sum(s * s for s in size) - own * own) for own in size)
    return (
        f'<link name="{name}"><inertial><origin xyz="{middle}"/><mass value="{mass}"/>'
        f'<inertia ixx="{x}" ixy="0" ixz="0" iyy="{y}" iyz="0" izz="{z}"/></inertial>{shapes}</link>'
    )


def phantomx():
    """URDF of a hexapod with the figures of the PhantomX Mk-II, solids in place of its meshes.

    Lengths, joint ranges and where the legs sit: HexapodParam and HexapodConst of the projects phantomx-leg-display and
    gait-generation-by-graph-search (hase111111); masses, torque and speed: phantomx_description (HumaRobotics).
    """
    coxa, femur, tibia = 0.052, 0.066, 0.130  # [m]
    part = 0.024357719  # [kg] of each leg link; the coxa is two of them
    hips = {"f": (0.120, 0.060, 45), "m": (0.0, 0.100, 90), "r": (-0.120, 0.060, 135)}
    ranges = {"coxa": (-81, 81), "femur": (-99, 105), "tibia": (-25.5, 145)}  # [deg], down positive
    out = [f'<robot name="phantomx_like">{_solid("body", 0.97559947, "0 0 0", (0.24, 0.12, 0.04))}']
    for side, sign in (("l", 1), ("r", -1)):
        for row, (x, y, azimuth) in hips.items():
            leg = f"{side}{row}"
            for link, length, mass, parent, at, turn, axis in (
                ("coxa", coxa, 2 * part, "body", f"{x} {sign * y} 0", math.radians(sign * azimuth), "0 0 1"),
                ("femur", femur, part, f"coxa_{leg}", f"{coxa} 0 0", 0.0, "0 1 0"),
                ("tibia", tibia, part, f"femur_{leg}", f"{femur} 0 0", 0.0, "0 1 0"),
            ):
                low, high = (math.radians(v) for v in ranges[link])
                size = (length, 0.02, 0.02)
                tip = '<sphere radius="0.006"/>' if link == "tibia" else None
                out.append(_solid(f"{link}_{leg}", mass, f"{length / 2} 0 0", size, tip and (length - 0.006, tip)))
                out.append(
                    f'<joint name="j_{link}_{leg}" type="revolute"><parent link="{parent}"/>'
                    f'<child link="{link}_{leg}"/>'
                    f'<origin xyz="{at}" rpy="0 0 {turn}"/><axis xyz="{axis}"/>'
                    f'<limit lower="{low}" upper="{high}" effort="2.8" velocity="5.6548668"/></joint>'
                )
    return "".join(out) + "</robot>"


def _solid(name, mass, middle, size, tip=None):
    shapes = ""
    if name == "body":
        shapes = f'<collision><geometry><box size="{size[0]} {size[1]} {size[2]}"/></geometry></collision>'
    if tip:
        shapes = f'<collision><origin xyz="{tip[0]} 0 0"/><geometry>{tip[1]}</geometry></collision>'
    return _bare(name, mass, middle, size, shapes)
