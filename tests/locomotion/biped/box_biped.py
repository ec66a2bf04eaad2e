"""A biped of boxes as URDF text, of any size: pelvis, trunk, two legs of six joints, flat or round feet."""

from __future__ import annotations

HIP, THIGH, SHIN, ANKLE = 0.09, 0.4, 0.4, 0.09  # lengths at size 1 [m]
DENSITY = {"pelvis": 20.0, "trunk": 12.0, "thigh": 4.0, "shin": 3.0, "foot": 1.2}  # masses at size 1 [kg]
BEND = 0.4  # of the hips in the stance [rad]


def stance(left: str = "left", right: str = "right") -> dict[str, float]:
    """Knees bent, soles level."""
    bent = {"hip_pitch": -BEND, "knee": 2 * BEND, "ankle_pitch": -BEND}
    return {f"{side}_{joint}": value for side in (left, right) for joint, value in bent.items()}


def biped(
    size: float = 1.0,
    *,
    effort: float = 400.0,
    foot: str = "box",
    outside: float = 0.0,
    waist: bool = False,
    backward: bool = False,
    legs: tuple[str, ...] = ("left", "right"),
    arms: float = 0.0,
    toes: bool = False,
    knee: tuple[float, float] = (-2.5, 2.5),
    ankle_roll: bool = True,
) -> str:
    """The robot; masses grow with size³, efforts with size⁴.

    effort: of every joint at size 1 [N m]; foot: box or capsules; outside: of the foot beside its ankle at size 1 [m];
    waist: the trunk is the root and carries the pelvis; backward: it looks along -x; arms: length of arms of six joints
    that end in hands, straight out to the sides, 0: none; toes: on joints of their own; knee: limits of the knees
    [rad]; ankle_roll: whether soles tilt sideways.
    """
    s, strong = size, effort * size**4
    way = -1.0 if backward else 1.0

    def link(name: str, box: tuple[float, float, float], at: tuple[float, float, float], shapes: str = "") -> str:
        m = DENSITY[name.split("_")[-1]] * s**3
        x, y, z = (edge * s for edge in box)
        inertia = f'ixx="{m * (y * y + z * z) / 12}" iyy="{m * (x * x + z * z) / 12}" izz="{m * (x * x + y * y) / 12}"'
        place = " ".join(str(v * s) for v in at)
        solid = (
            shapes or f'<collision><origin xyz="{place}"/><geometry><box size="{x} {y} {z}"/></geometry></collision>'
        )
        return (
            f'<link name="{name}"><inertial><origin xyz="{place}"/><mass value="{m}"/>'
            f'<inertia {inertia} ixy="0" ixz="0" iyz="0"/></inertial>{solid}</link>'
        )

    def joint(name: str, parent: str, child: str, at: tuple[float, float, float], axis: str) -> str:
        low, high = knee if name.endswith("knee") else (-2.5, 2.5)
        kind = "revolute" if ankle_roll or not name.endswith("ankle_roll") else "fixed"
        return (
            f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
            f'<origin xyz="{at[0] * s} {at[1] * s} {at[2] * s}"/><axis xyz="{axis}"/>'
            f'<limit lower="{low}" upper="{high}" effort="{strong}" velocity="20"/></joint>'
        )

    def massless(name: str) -> str:
        m = 0.3 * s**3
        i = m * (0.05 * s) ** 2
        return (
            f'<link name="{name}"><inertial><mass value="{m}"/>'
            f'<inertia ixx="{i}" iyy="{i}" izz="{i}" ixy="0" ixz="0" iyz="0"/></inertial></link>'
        )

    pitch = f"0 {way} 0"
    parts = [link("pelvis", (0.16, 0.24, 0.12), (0.0, 0.0, 0.02)), link("trunk", (0.16, 0.26, 0.4), (0.0, 0.0, 0.25))]
    if waist:
        parts.append(joint("waist", "trunk", "pelvis", (0.0, 0.0, 0.0), "0 0 1"))
    else:
        parts.append(
            '<joint name="spine" type="fixed"><parent link="pelvis"/><child link="trunk"/></joint>',
        )
    for side in legs:
        out = way * (1.0 if side == "left" else -1.0)
        y = out * outside
        x = way * 0.03
        if foot == "box":
            shapes = (
                f'<collision><origin xyz="{x * s} {y * s} {(0.02 - ANKLE) * s}"/><geometry>'
                f'<box size="{0.22 * s} {0.12 * s} {0.04 * s}"/></geometry></collision>'
            )
        else:
            shapes = "".join(
                f'<collision><origin xyz="{x * s} {(y + dy) * s} {(0.03 - ANKLE) * s}" rpy="0 1.5707963267948966 0"/>'
                f'<geometry><capsule radius="{0.03 * s}" length="{0.16 * s}"/></geometry></collision>'
                for dy in (-0.05, 0.05)
            )
        n = side
        parts += [
            massless(f"{n}_hip1"), massless(f"{n}_hip2"), massless(f"{n}_ankle"),
            link(f"{n}_thigh", (0.1, 0.1, 0.3), (0.0, 0.0, -0.2)),
            link(f"{n}_shin", (0.08, 0.08, 0.28), (0.0, 0.0, -0.2)),
            link(f"{n}_foot", (0.22, 0.12, 0.04), (x, y, 0.02 - ANKLE), shapes),
            joint(f"{n}_hip_yaw", "pelvis", f"{n}_hip1", (0.0, out * HIP, -0.06), "0 0 1"),
            joint(f"{n}_hip_roll", f"{n}_hip1", f"{n}_hip2", (0.0, 0.0, 0.0), "1 0 0"),
            joint(f"{n}_hip_pitch", f"{n}_hip2", f"{n}_thigh", (0.0, 0.0, 0.0), pitch),
            joint(f"{n}_knee", f"{n}_thigh", f"{n}_shin", (0.0, 0.0, -THIGH), pitch),
            joint(f"{n}_ankle_pitch", f"{n}_shin", f"{n}_ankle", (0.0, 0.0, -SHIN), pitch),
            joint(f"{n}_ankle_roll", f"{n}_ankle", f"{n}_foot", (0.0, 0.0, 0.0), "1 0 0"),
        ]  # fmt: skip
        if toes:
            parts += [
                link(f"{n}_toe_foot", (0.06, 0.12, 0.03), (way * 0.03, 0.0, 0.015), ""),
                joint(f"{n}_toe", f"{n}_foot", f"{n}_toe_foot", (x + way * 0.11, y, -ANKLE), pitch),
            ]
        if arms:
            chain = [f"{n}_arm{k}" for k in range(5)] + [f"{n}_hand_foot"]
            parts += [massless(name) for name in chain[:5]] + [link(chain[5], (0.1, 0.1, 0.1), (0.0, out * 0.05, 0.0))]
            for k, name in enumerate(chain):
                at = (0.0, out * 0.2, 0.4) if k == 0 else (0.0, out * arms / 5, 0.0)
                parts.append(
                    joint(f"{name}_joint", "trunk" if k == 0 else chain[k - 1], name, at, ("1 0 0", pitch)[k % 2])
                )
    return f'<robot name="boxes">{"".join(parts)}</robot>'
