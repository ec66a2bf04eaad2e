"""Robots on four or six legs, under their bodies or beside them."""

from __future__ import annotations

import math
from dataclasses import dataclass

from made_robots.urdf import File, Vec, ball, box, box_inertia, cylinder, rod_inertia


@dataclass(frozen=True)
class Legs:
    """A robot on four or six legs; lengths at scale 1."""

    name: str
    scale: float = 1.0
    weight: float = 1.0  # times its mass
    joints: int = 3  # of a leg: 2 without a hip that tilts, 4 with an ankle
    order: tuple[int, ...] = (0, 1, 2, 3)
    names: tuple[str, ...] = ("front_left", "front_right", "rear_left", "rear_right")
    flip: bool = False  # axes of the right legs mirrored
    foot: str = "ball"  # ball, box, none (only a cylinder as shin), seen (a ball without collision)
    limits: str = 'lower="-1.5" upper="1.5" effort="{effort:.4g}" velocity="12"'
    root: str = "base_link"
    dummy: bool = False  # a root without mass above the body
    knees: str = ""  # "in": rear knees bend ahead
    sprawled: bool = False
    six: bool = False
    frames: bool = False  # joint frames turned, axes z as CAD exports have them

    def make(self) -> File:
        """The file."""
        out, s = File(self.name), self.scale
        length, width, thick = (0.5 * s, 0.3 * s, 0.1 * s) if not self.sprawled else (0.3 * s, 0.2 * s, 0.05 * s)
        mass = (6.0 if not self.sprawled else 1.5) * s**3 * self.weight
        body = self.root
        if self.dummy:
            out.link(self.root, mass=0.0)
            body = "trunk"
            out.joint("root_fixed", self.root, body, kind="fixed")
        out.link(body, box(length, width, thick), mass=mass, inertia=box_inertia(mass, length, width, thick))
        xs = (1, 0, -1) if self.six else (1, -1)
        corners = [(x * length / 2, y * width / 2) for x in xs for y in (1, -1)]
        corners = [corners[i] for i in self.order] if len(self.order) == len(corners) else corners
        for name, (x, y) in zip(self._names(len(corners)), corners, strict=True):
            (self._sprawled_leg if self.sprawled else self._leg)(out, body, name, x, y)
        return out

    def _names(self, count: int) -> list[str]:
        if len(self.names) == count:
            return [self.names[i] for i in self.order] if len(self.order) == count else list(self.names)
        return [f"leg{i + 1}" for i in range(count)]

    def _joint(
        self, out: File, name: str, parent: str, child: str, at: Vec, axis: Vec, low: float, high: float
    ) -> None:
        """A joint, as asked for: mirrored, in turned frames, with other limits."""
        effort = 40.0 * self.scale**4 * self.weight
        words = self.limits.format(effort=effort, low=low, high=high)
        if "lower" in words:
            words = words.replace('lower="-1.5"', f'lower="{low}"').replace('upper="1.5"', f'upper="{high}"')
        sign = -1.0 if self.flip and at[1] < 0 else 1.0
        if sign < 0:
            words = words.replace(f'lower="{low}"', f'lower="{-high}"').replace(f'upper="{high}"', f'upper="{-low}"')
        kind = "revolute" if "lower" in words else "continuous"
        if self.frames and abs(axis[1]) > 0.5:  # axis y as z of a frame turned about x, and back in the child
            bent = f"{child}_frame"
            out.joint(name, parent, bent, at, (0, 0, sign), kind, (-math.pi / 2, 0, 0), words)
            out.link(bent, mass=0.0)
            out.joint(f"{name}_back", bent, child, rpy=(math.pi / 2, 0, 0), kind="fixed")
            return
        out.joint(name, parent, child, at, [sign * a for a in axis], kind, limits=words)

    def _leg(self, out: File, body: str, name: str, x: float, y: float) -> None:
        s, m = self.scale, self.scale**3 * self.weight
        side, bend = math.copysign(1.0, y), (-1.0 if self.knees == "in" and x < 0 else 1.0)
        aside, long, radius = 0.06 * s, 0.2 * s, 0.02 * s
        parent, at = body, (x, y, 0.0)
        if self.joints > 2:
            out.link(
                f"{name}_hip",
                cylinder(radius, aside),
                rpy=(math.pi / 2, 0, 0),
                mass=0.3 * m,
                inertia=rod_inertia(0.3 * m, aside, radius),
                collision=False,
            )
            self._joint(out, f"{name}_hip_roll", body, f"{name}_hip", at, (1, 0, 0), -0.8, 0.8)
            parent, at = f"{name}_hip", (0.0, side * aside, 0.0)
        out.link(
            f"{name}_thigh",
            cylinder(radius, long),
            (0, 0, -long / 2),
            mass=0.5 * m,
            inertia=rod_inertia(0.5 * m, long, radius),
        )
        self._joint(out, f"{name}_hip_pitch", parent, f"{name}_thigh", at, (0, 1, 0), *_about(bend, -0.6, 1.6))
        shins = ("shin",) if self.joints < 4 else ("shin", "toe")
        over = f"{name}_thigh"
        for index, part in enumerate(shins):
            size = long / len(shins) if len(shins) > 1 else long
            out.link(
                f"{name}_{part}",
                cylinder(0.7 * radius, size),
                (0, 0, -size / 2),
                mass=0.15 * m,
                inertia=rod_inertia(0.15 * m, size, radius),
                collision=self.foot != "seen" or index < len(shins) - 1,
            )
            where = (0.0, 0.0 if not self.flip else math.copysign(1e-9, y), -long if index == 0 else -size)
            limits = _about(bend, -2.4, -0.1) if index == 0 else _about(bend, -0.5, 1.5)
            self._joint(
                out, f"{name}_{'knee' if index == 0 else 'ankle'}", over, f"{name}_{part}", where, (0, 1, 0), *limits
            )
            over, end = f"{name}_{part}", -size
        if self.foot in ("ball", "box", "seen"):
            shape = box(0.04 * s, 0.04 * s, 0.02 * s) if self.foot == "box" else ball(0.022 * s)
            out.link(f"{name}_foot", shape, mass=0.03 * m, inertia=(1e-5 * m,) * 3, collision=self.foot != "seen")
            out.joint(f"{name}_foot_fixed", over, f"{name}_foot", (0, 0, end), kind="fixed")

    def _sprawled_leg(self, out: File, body: str, name: str, x: float, y: float) -> None:
        s, m = self.scale, self.scale**3 * self.weight
        turn = math.atan2(y, 0.6 * x)
        coxa, femur, tibia, radius = 0.05 * s, 0.08 * s, 0.12 * s, 0.01 * s
        effort = self.limits.format(effort=4.0 * s**4 * self.weight)
        out.link(
            f"{name}_coxa",
            box(coxa, radius, radius),
            (coxa / 2, 0, 0),
            mass=0.05 * m,
            inertia=(1e-5 * m,) * 3,
            collision=False,
        )
        out.joint(f"{name}_yaw", body, f"{name}_coxa", (x, y, 0), (0, 0, 1), rpy=(0, 0, turn), limits=effort)
        out.link(f"{name}_femur", box(femur, radius, radius), (femur / 2, 0, 0), mass=0.05 * m, inertia=(1e-5 * m,) * 3)
        out.joint(f"{name}_lift", f"{name}_coxa", f"{name}_femur", (coxa, 0, 0), (0, 1, 0), limits=effort)
        out.link(f"{name}_tibia", box(tibia, radius, radius), (tibia / 2, 0, 0), mass=0.05 * m, inertia=(1e-5 * m,) * 3)
        out.joint(
            f"{name}_knee",
            f"{name}_femur",
            f"{name}_tibia",
            (femur, 0, 0),
            (0, 1, 0),
            limits=effort.replace('upper="1.5"', 'upper="2.4"'),
        )
        if self.foot == "ball":
            out.link(f"{name}_tip", ball(radius), mass=0.01 * m, inertia=(1e-6 * m,) * 3)
            out.joint(f"{name}_tip_fixed", f"{name}_tibia", f"{name}_tip", (tibia, 0, 0), kind="fixed")


def _about(bend: float, low: float, high: float) -> tuple[float, float]:
    return (low, high) if bend > 0 else (-high, -low)
