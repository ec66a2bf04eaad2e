"""Bases on wheels."""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass

from made_robots.urdf import File, Vec, ball, box, box_inertia, cylinder, rod_inertia, text


@dataclass(frozen=True)
class Wheeled:
    """A base on wheels, 0.4 m long at scale 1."""

    name: str
    kind: str = "diff"  # diff, fork, skid4, skid6, ackermann, tricycle, mecanum, omni3, omni4
    caster: float = -1.0  # where casters stand, +1 ahead, 0: both ends
    scale: float = 1.0
    lidar: bool = True
    mesh: bool = False  # wheels have meshes only
    axis: Vec = (0, 1, 0)  # of wheels: z with turned frames, -y ...
    plugin: bool = False
    footprint: bool = True  # a root without mass on the ground
    limits: str = ""  # of wheel joints
    inertia: bool = True  # of wheels

    def make(self) -> File:
        """The file."""
        out, s = File(self.name), self.scale
        m = s**3
        long, wide, tall, radius = 0.4 * s, 0.3 * s, 0.12 * s, 0.07 * s
        body = "base_link"
        if self.footprint:
            out.link("base_footprint", mass=0.0)
            out.joint("base_joint", "base_footprint", body, (0, 0, radius), kind="fixed")
        lift = tall / 2 - 0.02 * s
        ahead = 0.04 * s * self.caster if self.kind in ("diff", "fork") else 0.0  # over its stand, not over its axle
        out.link(
            body, box(long, wide, tall), (ahead, 0, lift), mass=8 * m, inertia=box_inertia(8 * m, long, wide, tall)
        )
        half = wide / 2 + 0.03 * s
        if self.kind in ("diff", "fork"):
            self._wheel(out, body, "left_wheel", (0, half, 0))
            self._wheel(out, body, "right_wheel", (0, -half, 0))
            for where in (1.0, -1.0) if self.caster == 0 else (self.caster,):
                self._caster(out, body, where, long, radius)
        elif self.kind in ("skid4", "mecanum"):
            for x, front in ((1, "front"), (-1, "rear")):
                for y, side in ((1, "left"), (-1, "right")):
                    self._wheel(out, body, f"{front}_{side}_wheel", (0.13 * s * x, half * y, 0))
        elif self.kind == "skid6":
            for x, front in ((1, "front"), (0, "middle"), (-1, "rear")):
                for y, side in ((1, "left"), (-1, "right")):
                    self._wheel(out, body, f"{front}_{side}_wheel", (0.15 * s * x, half * y, 0))
        elif self.kind in ("ackermann", "tricycle"):
            for y, side in ((1, "left"), (-1, "right")):
                self._wheel(out, body, f"rear_{side}_wheel", (-0.14 * s, half * y, 0))
            steered = ((1, "left"), (-1, "right")) if self.kind == "ackermann" else ((0, "front"),)
            for y, side in steered:
                out.link(f"{side}_steer", mass=0.1 * m, inertia=(1e-4 * m * s * s,) * 3)
                out.joint(
                    f"{side}_steering",
                    body,
                    f"{side}_steer",
                    (0.14 * s if y else 0.24 * s, half * y, 0),
                    (0, 0, 1),
                    limits='lower="-0.7" upper="0.7" effort="10" velocity="5"',
                )
                self._wheel(out, f"{side}_steer", f"front_{side}_wheel", (0, 0, 0))
        else:
            count = int(self.kind[-1])
            for i in range(count):
                turn = 2 * math.pi * i / count + math.pi / count
                at = (0.22 * s * math.cos(turn), 0.22 * s * math.sin(turn), 0)
                self._wheel(out, body, f"wheel_{i + 1}", at, turn - math.pi / 2)
        if self.lidar:
            out.link("laser", cylinder(0.03 * s, 0.04 * s), mass=0.1 * m, inertia=(1e-4 * m * s * s,) * 3)
            out.joint("laser_joint", body, "laser", (0.1 * s, 0, tall + 0.02 * s), kind="fixed")
            out.raw(
                '<gazebo reference="laser"><sensor type="ray" name="lidar"><update_rate>10</update_rate><ray><scan>'
                "<horizontal><samples>360</samples><min_angle>-3.1416</min_angle><max_angle>3.1416</max_angle>"
                "</horizontal></scan><range><min>0.1</min><max>10</max></range></ray></sensor></gazebo>"
            )
        if self.plugin:
            out.raw(self._plugin(half))
        return out

    def _plugin(self, half: float) -> str:
        if self.kind == "mecanum":
            corners = "".join(
                f"<{front}_{side}_joint>{front.replace('back', 'rear')}_{side}_wheel_joint</{front}_{side}_joint>"
                for front in ("front", "back")
                for side in ("left", "right")
            )
            kind = 'filename="ignition-gazebo-mecanum-drive-system" name="ignition::gazebo::systems::MecanumDrive"'
            return f"<gazebo><plugin {kind}>{corners}</plugin></gazebo>"
        return (
            '<gazebo><plugin name="diff" filename="libgazebo_ros_diff_drive.so">'
            "<left_joint>left_wheel_joint</left_joint>"
            f"<right_joint>right_wheel_joint</right_joint><wheel_separation>{2 * half:.4g}</wheel_separation>"
            f"<wheel_diameter>{0.14 * self.scale:.4g}</wheel_diameter></plugin></gazebo>"
        )

    def _wheel(self, out: File, parent: str, name: str, at: Vec, yaw: float = 0.0) -> None:
        s, radius, thick = self.scale, 0.07 * self.scale, 0.04 * self.scale
        m = 0.5 * s**3
        shape = f'<mesh filename="wheel.stl" scale="{text((s, s, s))}"/>' if self.mesh else cylinder(radius, thick)
        inertia = rod_inertia(m, thick, radius)
        mass = m if self.inertia else 0.0
        if abs(self.axis[2]) > 0.5:  # the frame is turned, the wheel is not
            out.link(name, shape, mass=mass, inertia=inertia)
            rpy: Vec = (-math.pi / 2, 0, yaw)
        else:
            out.link(name, shape, rpy=(math.pi / 2, 0, 0), mass=mass, inertia=inertia)
            rpy = (0, 0, yaw)
        out.joint(f"{name}_joint", parent, name, at, self.axis, "continuous", rpy, self.limits)

    def _caster(self, out: File, body: str, where: float, long: float, radius: float) -> None:
        s, ahead = self.scale, 0.04 * self.scale * self.caster
        word = "front" if where > 0 else "rear"
        small = 0.025 * s
        if self.kind == "diff":
            out.link(f"{word}_caster", ball(small), mass=0.1 * s**3, inertia=(3e-5 * s**5,) * 3)
            out.joint(
                f"{word}_caster_joint",
                body,
                f"{word}_caster",
                (ahead + where * 0.4 * long, 0, small - radius),
                kind="fixed",
            )
            out.raw(f'<gazebo reference="{word}_caster"><mu1>0.01</mu1><mu2>0.01</mu2></gazebo>')
            return
        out.link(f"{word}_fork", mass=0.1 * s**3, inertia=(1e-4 * s**5,) * 3)
        out.joint(
            f"{word}_swivel",
            body,
            f"{word}_fork",
            (ahead + where * 0.4 * long, 0, small - radius + 0.02 * s),
            (0, 0, 1),
            "continuous",
            limits="",
        )
        out.link(
            f"{word}_caster_wheel",
            cylinder(small, 0.02 * s),
            rpy=(math.pi / 2, 0, 0),
            mass=0.1 * s**3,
            inertia=(3e-5 * s**5,) * 3,
        )
        out.joint(
            f"{word}_caster_roll",
            f"{word}_fork",
            f"{word}_caster_wheel",
            (-0.02 * s, 0, -0.02 * s),
            (0, 1, 0),
            "continuous",
            limits="",
        )


def wheel_mesh(radius: float, thick: float, sides: int = 36) -> bytes:
    """A binary STL of a cylinder along z."""
    rim = [
        (radius * math.cos(2 * math.pi * i / sides), radius * math.sin(2 * math.pi * i / sides)) for i in range(sides)
    ]
    faces = []
    for (x0, y0), (x1, y1) in zip(rim, rim[1:] + rim[:1], strict=True):
        low, high = -thick / 2, thick / 2
        faces += [((x0, y0, low), (x1, y1, low), (x1, y1, high)), ((x0, y0, low), (x1, y1, high), (x0, y0, high))]
        faces += [((0, 0, high), (x0, y0, high), (x1, y1, high)), ((0, 0, low), (x1, y1, low), (x0, y0, low))]
    body = b"".join(struct.pack("<12fH", 0, 0, 0, *(v for corner in face for v in corner), 0) for face in faces)
    return bytes(80) + struct.pack("<I", len(faces)) + body
