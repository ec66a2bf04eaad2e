"""Robots on two legs."""

from __future__ import annotations

from dataclasses import dataclass

from made_robots.urdf import File, Vec, ball, box, box_inertia, cylinder, rod_inertia, text


@dataclass(frozen=True)
class Biped:
    """A robot on two legs with soles, 0.9 m tall at scale 1."""

    name: str
    scale: float = 1.0
    weight: float = 1.0
    yaw: bool = True  # hip yaw
    roll: bool = True  # ankle roll
    arms: bool = True
    flip: bool = False
    limits: bool = True
    order: str = "yrp"  # of hip yaw, roll, pitch
    root: str = "pelvis"
    sole: str = "box"  # box, or balls (four small ones)
    sides: tuple[str, str] = ("left", "right")
    narrow: bool = False  # small feet

    def make(self) -> File:
        """The file."""
        out, s, m = File(self.name), self.scale, self.scale**3 * self.weight
        out.link(
            self.root,
            box(0.12 * s, 0.2 * s, 0.1 * s),
            mass=4 * m,
            inertia=box_inertia(4 * m, 0.12 * s, 0.2 * s, 0.1 * s),
        )
        out.link(
            "chest",
            box(0.15 * s, 0.25 * s, 0.3 * s),
            (0, 0, 0.15 * s),
            mass=8 * m,
            inertia=box_inertia(8 * m, 0.15 * s, 0.25 * s, 0.3 * s),
        )
        self._joint(out, "waist", self.root, "chest", (0, 0, 0.06 * s), (0, 0, 1), -1, 1)
        for side, y in zip(self.sides, (1.0, -1.0), strict=True):
            self._leg(out, side, y)
            if self.arms:
                out.link(
                    f"{side}_upper_arm",
                    cylinder(0.03 * s, 0.2 * s),
                    (0, 0, -0.1 * s),
                    mass=0.7 * m,
                    inertia=rod_inertia(0.7 * m, 0.2 * s, 0.03 * s),
                )
                self._joint(
                    out, f"{side}_shoulder", "chest", f"{side}_upper_arm", (0, 0.19 * y * s, 0.25 * s), (0, 1, 0), -2, 2
                )
                out.link(
                    f"{side}_forearm",
                    cylinder(0.025 * s, 0.2 * s),
                    (0, 0, -0.1 * s),
                    mass=0.5 * m,
                    inertia=rod_inertia(0.5 * m, 0.2 * s, 0.025 * s),
                )
                self._joint(
                    out, f"{side}_elbow", f"{side}_upper_arm", f"{side}_forearm", (0, 0, -0.2 * s), (0, 1, 0), -2, 0.1
                )
        return out

    def _joint(
        self, out: File, name: str, parent: str, child: str, at: Vec, axis: Vec, low: float, high: float
    ) -> None:
        sign = -1.0 if self.flip and name.startswith(self.sides[1]) else 1.0
        if sign < 0:
            low, high = -high, -low
        effort = 150.0 * self.scale**4 * self.weight
        words = f'lower="{low}" upper="{high}" effort="{effort:.5g}" velocity="15"' if self.limits else ""
        out.joint(
            name, parent, child, at, [sign * a for a in axis], "revolute" if words else "continuous", limits=words
        )

    def _leg(self, out: File, side: str, y: float) -> None:
        s, m = self.scale, self.scale**3 * self.weight
        axes = {"y": ((0, 0, 1), -0.8, 0.8), "r": ((1, 0, 0), -0.6, 0.6), "p": ((0, 1, 0), -1.8, 1.0)}
        words = {"y": "hip_yaw", "r": "hip_roll", "p": "hip_pitch"}
        order = [key for key in self.order if self.yaw or key != "y"]
        parent, at = self.root, (0.0, 0.09 * y * s, -0.05 * s)
        for key in order:
            last = key == order[-1]
            child = f"{side}_thigh" if last else f"{side}_{words[key]}_link"
            if last:
                out.link(
                    child,
                    cylinder(0.04 * s, 0.28 * s),
                    (0, 0, -0.16 * s),
                    mass=2 * m,
                    inertia=rod_inertia(2 * m, 0.3 * s, 0.04 * s),
                )
            else:
                out.link(
                    child,
                    box(0.04 * s, 0.04 * s, 0.04 * s),
                    mass=0.4 * m,
                    inertia=(4e-4 * m * s * s,) * 3,
                    collision=False,
                )
            axis, low, high = axes[key]
            self._joint(out, f"{side}_{words[key]}", parent, child, at, axis, low, high)
            parent, at = child, (0.0, 0.0, 0.0)
        out.link(
            f"{side}_shin",
            cylinder(0.035 * s, 0.26 * s),
            (0, 0, -0.15 * s),
            mass=1.5 * m,
            inertia=rod_inertia(1.5 * m, 0.3 * s, 0.035 * s),
        )
        self._joint(out, f"{side}_knee", f"{side}_thigh", f"{side}_shin", (0, 0, -0.32 * s), (0, 1, 0), 0.0, 2.2)
        foot, over = f"{side}_foot", f"{side}_shin"
        if self.roll:
            out.link(f"{side}_ankle", mass=0.2 * m, inertia=(2e-4 * m * s * s,) * 3)
            self._joint(out, f"{side}_ankle_pitch", over, f"{side}_ankle", (0, 0, -0.32 * s), (0, 1, 0), -1.0, 1.0)
            self._joint(out, f"{side}_ankle_roll", f"{side}_ankle", foot, (0, 0, 0), (1, 0, 0), -0.6, 0.6)
        else:
            self._joint(out, f"{side}_ankle_pitch", over, foot, (0, 0, -0.32 * s), (0, 1, 0), -1.0, 1.0)
        long, wide = (0.16 * s, 0.07 * s) if self.narrow else (0.22 * s, 0.11 * s)
        inertia = box_inertia(0.8 * m, long, wide, 0.03 * s)
        if self.sole == "box":
            out.link(foot, box(long, wide, 0.03 * s), (0.04 * s, 0, -0.045 * s), mass=0.8 * m, inertia=inertia)
        else:
            corners = [(x, w) for x in (0.04 * s - long / 2, 0.04 * s + long / 2) for w in (-wide / 2, wide / 2)]
            shapes = "".join(
                f'<collision><origin xyz="{text((x, w, -0.05 * s))}"/><geometry>{ball(0.01 * s)}</geometry></collision>'
                for x, w in corners
            )
            out.raw(
                f'<link name="{foot}"><inertial><origin xyz="{text((0.04 * s, 0, -0.045 * s))}"/>'
                f'<mass value="{0.8 * m:.5g}"/><inertia ixx="{inertia[0]:.5g}" iyy="{inertia[1]:.5g}" '
                f'izz="{inertia[2]:.5g}" ixy="0" ixz="0" iyz="0"/></inertial>{shapes}</link>'
            )
