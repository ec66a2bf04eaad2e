"""Parts of written MJCF: geoms, assets, actuators, equalities, exclusions, keyframes, sensors."""

from __future__ import annotations

import math
import os
import struct
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path
from xml.etree.ElementTree import Element, SubElement

import numpy as np

from andante.description import Collision, Joint, JointType, Robot, SensorSpec, Visual
from andante.description.io.xmltree import free_name
from andante.description.mesh.tools import mesh_bytes
from andante.description.mesh.triangles import load as load_mesh
from andante.description.shapes import Box, Capsule, Cylinder, Ellipsoid, Geometry, Heightmap, Mesh, Plane, Sphere
from andante.errors import Unsupported
from andante.geometry import SE3

from .bodies import WIDTH
from .parts import SENSOR_FROM_CAMERA
from .record import HINGE, LOOP_SITE, SENSOR_SITE
from .spec import z_towards

TOUCH_KINDS = ("force", "contact", "bumper", "touch", "button")
VISUAL_GROUP, COLLISION_GROUP, NEVER_GROUP = "2", "3", "5"
LOOPS = {  # how joints that close loops are written
    JointType.BALL: "connect",
    JointType.FIXED: "weld",
    JointType.REVOLUTE: "connect",
    JointType.CONTINUOUS: "connect",
}
HINGE_LENGTH = 0.1  # between the two points that make a hinge [m]
MAX_FACES = 200_000  # MuJoCo refuses larger STL files


def text(*values: float) -> str:
    """Numbers with all their digits, separated by blanks."""
    return " ".join(repr(float(v)).removesuffix(".0") for v in values)


def set_pose(element: Element, pose: SE3) -> None:
    """pos and quat (w x y z) of a pose, left out where they are zero."""
    if np.any(pose.translation != 0):
        element.set("pos", text(*pose.translation))
    if not np.array_equal(pose.rotation, np.eye(3)):
        x, y, z, w = pose.quaternion
        element.set("quat", text(w, x, y, z))


class Assets:
    """Collects the meshes and height fields that the geoms use into one <asset>."""

    def __init__(
        self, element: Element, out: Path, folder: Path | None, copies: Mapping[Path, Path] | None = None
    ) -> None:
        self.element, self.out, self.folder = element, out, folder
        self.copies = dict(copies or {})  # mesh files that are to be there, and what they will be copied from
        self.names: dict[object, str] = {}
        self.taken = {f"file:{path.stem}" for path in self.copies if path.suffix.lower() == ".obj"}
        self.exports: list[tuple[bytes, Path]] = []

    def mesh(self, mesh: Mesh, where: str, collides: bool) -> str:
        """Asset name of a mesh; files that MuJoCo cannot read are exported when there is a folder for them."""
        if mesh.path is None:
            raise Unsupported(f"{where}: mesh {mesh.uri!r} was not found, so MJCF cannot refer to it")
        key = (mesh, collides)
        if key not in self.names:
            file = mesh.path
            if mesh.submesh or mesh.center_submesh or not _readable(self.copies.get(file, file)):
                file = self._exported(mesh, where)
            name = self._name(file.stem)
            # a shell needs no volume, so open meshes may be shown; hulls collide
            element = SubElement(self.element, "mesh", name=name, file=self._reference(file))
            element.set("inertia", "convex" if collides else "shell")
            if mesh.scale != (1.0, 1.0, 1.0):
                element.set("scale", text(*mesh.scale))
            self.names[key] = name
        return self.names[key]

    def heights(self, field: Heightmap) -> tuple[str, float]:
        """Asset name of a height field, and how high its lowest point is."""
        grid = np.asarray(field.heights, dtype=float)
        low, rise = float(grid.min()), float(np.ptp(grid))
        key = (field.heights, field.size)
        if key not in self.names:
            self.names[key] = self._name(Path(field.uri).stem or "heights")
            unit = (grid - low) / rise if rise > 0 else np.zeros_like(grid)
            rows, columns = map(str, grid.shape)
            size = text(field.size[0] / 2, field.size[1] / 2, rise if rise > 0 else 1.0, 0.1)
            element = SubElement(self.element, "hfield", name=self.names[key], nrow=rows, ncol=columns, size=size)
            element.set("elevation", text(*unit[::-1].ravel()))
        return self.names[key], low

    def _exported(self, mesh: Mesh, where: str) -> Path:
        assert mesh.path is not None
        if self.folder is None:
            part = f" (part {mesh.submesh!r})" if mesh.submesh else ""
            raise Unsupported(
                f"{where}: MuJoCo cannot read mesh {mesh.path.name}{part}; it reads binary STL of up to {MAX_FACES} "
                f"faces and OBJ: convert it with `andante mesh` or give a folder for meshes"
            )
        stem = self._name(mesh.path.stem + (f"_{mesh.submesh}" if mesh.submesh else ""), "file:")
        target = self.folder / f"{stem}.obj"
        whole = replace(mesh, path=self.copies.get(mesh.path, mesh.path), scale=(1.0, 1.0, 1.0))
        self.exports.append((mesh_bytes(load_mesh(whole), target.suffix), target))
        return target

    def _reference(self, file: Path) -> str:
        """Relative to the written file where it lies below its folder, absolute otherwise."""
        full, base = file.absolute(), self.out.absolute().parent
        return full.relative_to(base).as_posix() if full.is_relative_to(base) else os.fspath(full)

    def _name(self, stem: str, space: str = "") -> str:
        return free_name(space + stem, self.taken, first=1).removeprefix(space)


def _readable(file: Path) -> bool:
    """Whether MuJoCo itself reads the file: OBJ, or binary STL that is not too large."""
    if file.suffix.lower() == ".obj":
        return True
    if file.suffix.lower() != ".stl":
        return False
    try:
        with file.open("rb") as stream:
            head = stream.read(84)
        size = file.stat().st_size
    except OSError:
        return False
    count = struct.unpack_from("<I", head, 80)[0] if len(head) == 84 else 0
    return 0 < count <= MAX_FACES and size == 84 + 50 * count


def add_visual(parent: Element, visual: Visual, assets: Assets, where: str, static: bool) -> None:
    """A geom that is seen and never touched."""
    geom = _geom(parent, visual.geometry, visual.pose, assets, where, static, collides=False)
    geom.attrib |= {"contype": "0", "conaffinity": "0", "group": VISUAL_GROUP}
    if visual.material.rgba is not None:
        geom.set("rgba", text(*visual.material.rgba))


def add_collision(
    parent: Element, collision: Collision, assets: Assets, where: str, static: bool, self_collide: bool
) -> None:
    """A geom that is touched and not seen; without self-collision it touches others but nothing of its own kind."""
    geom = _geom(parent, collision.geometry, collision.pose, assets, where, static, collides=True)
    surface = collision.surface
    mask = 1 if surface.collide_bitmask is None else surface.collide_bitmask & 0x7FFFFFFF
    geom.set("group", COLLISION_GROUP if mask else NEVER_GROUP)
    if mask != 1:
        geom.set("contype", str(mask))
    if not self_collide or mask == 0:
        geom.set("conaffinity", "0")
    elif mask != 1:
        geom.set("conaffinity", str(mask))
    condim = 6 if surface.rolling is not None else 4 if surface.torsional is not None else 3
    friction = [1.0 if surface.mu is None else surface.mu, surface.torsional or 0.0, surface.rolling or 0.0]
    if surface.mu == 0 and condim == 3:
        geom.set("condim", "1")
    elif condim > 3 or surface.mu is not None:
        geom.set("friction", text(*friction[: {3: 1, 4: 2, 6: 3}[condim]]))
        if condim > 3:
            geom.set("condim", str(condim))
    for key in ("solref", "solimp", "margin", "gap"):
        if (value := getattr(surface, key)) is not None:
            geom.set(key, text(*value) if isinstance(value, tuple) else text(value))


def _geom(
    parent: Element, geometry: Geometry, pose: SE3, assets: Assets, where: str, static: bool, collides: bool
) -> Element:
    geom = SubElement(parent, "geom")
    match geometry:
        case Box(size=size):
            geom.attrib |= {"type": "box", "size": text(*(v / 2 for v in size))}
        case Sphere(radius=radius):
            geom.attrib |= {"type": "sphere", "size": text(radius)}
        case Cylinder(radius=radius, length=length) | Capsule(radius=radius, length=length):
            geom.attrib |= {"type": type(geometry).__name__.lower(), "size": text(radius, length / 2)}
        case Ellipsoid(radii=radii):
            geom.attrib |= {"type": "ellipsoid", "size": text(*radii)}
        case Mesh():
            geom.attrib |= {"type": "mesh", "mesh": assets.mesh(geometry, where, collides)}
        case Plane() | Heightmap() if not static:
            raise Unsupported(f"{where}: MuJoCo allows planes and height maps on fixed bodies only; use a box")
        case Plane(normal=normal, size=size):
            geom.attrib |= {"type": "plane", "size": text(size[0] / 2, size[1] / 2, 1.0)}
            pose = pose @ SE3.from_parts(z_towards(np.asarray(normal, dtype=float)), np.zeros(3))
        case Heightmap():
            name, low = assets.heights(geometry)
            geom.attrib |= {"type": "hfield", "hfield": name}
            pose = pose @ SE3.from_parts(np.eye(3), [0.0, 0.0, low])
    set_pose(geom, pose)
    return geom


def servo_values(robot: Robot, joint: Joint) -> dict[str, float]:
    """Servo values that the robot states for a joint, patterns resolved in their order."""
    values: dict[str, float] = {}
    for pattern, stated in robot.servos.items():
        if fnmatchcase(joint.name, pattern):
            values |= stated
    return values


def add_actuators(actuator: Element, robot: Robot) -> dict[str, dict[str, float]]:
    """Position and velocity servos; returned are the values that these elements cannot hold, by joint."""
    left: dict[str, dict[str, float]] = {}
    for joint in robot.movable:
        values = servo_values(robot, joint)
        if "kp" in values:
            element = SubElement(actuator, "position", name=joint.name, joint=joint.name, kp=text(values.pop("kp")))
            if "kd" in values:
                element.set("kv", text(values.pop("kd")))
        elif "kv" in values:
            element = SubElement(actuator, "velocity", name=joint.name, joint=joint.name, kv=text(values.pop("kv")))
        else:
            element = None
        effort = values.get("effort", math.inf)
        if element is not None and 0 < effort < joint.limits.effort:
            element.set("forcerange", text(-effort, effort))
            if math.isfinite(joint.limits.effort):
                values.pop("effort")
        if values:
            left[joint.name] = values
    return left


def add_equalities(equality: Element, bodies: Mapping[str, Element], robot: Robot) -> None:
    """Mimics as joint equalities; loops as connect or weld between two sites, hinges as two connects on their axis."""
    start = {joint.name: joint.initial for joint in robot.movable}
    for joint in robot.movable:
        if joint.mimic is None:
            continue
        if joint.mimic.joint not in start:
            raise Unsupported(f"joint {joint.name!r} mimics {joint.mimic.joint!r}, which is no movable joint")
        b = joint.mimic.multiplier
        a = joint.mimic.offset + b * start[joint.mimic.joint] - joint.initial
        SubElement(equality, "joint", joint1=joint.name, joint2=joint.mimic.joint, polycoef=text(a, b, 0, 0, 0))
    for loop in robot.loops:
        if loop.type not in LOOPS:
            kinds = ", ".join(LOOPS)
            raise Unsupported(f"MJCF cannot close a loop by a {loop.type} joint ({loop.name!r}); use {kinds}")
        hinge = loop.type in (JointType.REVOLUTE, JointType.CONTINUOUS)
        for name, along in ((loop.name, 0.0), *([(f"{loop.name}{HINGE}", HINGE_LENGTH)] if hinge else [])):
            offset = SE3.from_parts(np.eye(3), along * np.asarray(loop.axis))
            ends = {"parent": (loop.parent, loop.pose), "child": (loop.child, loop.joint_from_child.inverse())}
            for end, (link, pose) in ends.items():
                set_pose(SubElement(bodies[link], "site", name=f"{LOOP_SITE}{name}:{end}"), pose @ offset)
            sites = {f"site{i}": f"{LOOP_SITE}{name}:{end}" for i, end in enumerate(ends, start=1)}
            SubElement(equality, LOOPS[loop.type], name=name, **sites)  # type: ignore[arg-type]


def add_exclusions(contact: Element, robot: Robot, light: frozenset[str]) -> None:
    """Pairs that never touch; those neither of which wishes it are kept apart by the bits of their geoms."""
    for a, b in sorted({tuple(sorted(pair)) for pair in robot.no_collision if len(pair) == 2}):
        if a not in light and b not in light:
            SubElement(contact, "exclude", body1=a, body2=b)


def add_keyframes(keyframe: Element, robot: Robot, layout: Sequence[Joint | None]) -> None:
    """Every pose of the robot as a keyframe; `layout` are the joints in qpos order, None for the free base."""
    for name, pose in robot.poses.items():
        positions = {joint.name: joint.initial for joint in robot.movable} | dict(pose)
        complete = robot.complete({k: v for k, v in positions.items() if k in robot.joint_names})
        q: list[float] = []
        for joint in layout:
            if joint is None or joint.type in WIDTH:
                q += [0, 0, 0, 1, 0, 0, 0] if joint is None or joint.type is JointType.FLOATING else [1, 0, 0, 0]
            else:
                q.append(complete.get(joint.name, 0.0))
        SubElement(keyframe, "key", name=name, qpos=text(*q))


def add_sensor(section: Element, body: Element, sensor: SensorSpec) -> None:
    """A site (or camera) at the sensor and the MuJoCo sensors that measure the like; the rest is in the record."""
    name = SENSOR_SITE + sensor.name
    set_pose(SubElement(body, "site", name=name), sensor.pose)
    if sensor.kind == "camera":
        camera = SubElement(body, "camera", name=name)
        set_pose(camera, sensor.pose @ SENSOR_FROM_CAMERA.inverse())
        width, height = (_number(sensor, key, default) for key, default in (("width", 640.0), ("height", 480.0)))
        across = _number(sensor, "horizontal_fov", 1.0)
        if min(width, height) >= 1 and 0 < across < math.pi:
            camera.set("fovy", text(math.degrees(2 * math.atan(math.tan(across / 2) * height / width))))
            camera.set("resolution", f"{int(width)} {int(height)}")
    elif sensor.kind == "imu":
        SubElement(section, "accelerometer", name=f"{sensor.name}_accelerometer", site=name)
        SubElement(section, "gyro", name=f"{sensor.name}_gyro", site=name)
    elif sensor.kind == "force_torque":
        SubElement(section, "force", name=f"{sensor.name}_force", site=name)
        SubElement(section, "torque", name=f"{sensor.name}_torque", site=name)
    elif sensor.kind in TOUCH_KINDS:
        SubElement(section, "touch", name=sensor.name, site=name)


def _number(sensor: SensorSpec, key: str, default: float) -> float:
    try:
        value = float(sensor.parameters.get(key, default))
    except ValueError:
        return default
    return value if math.isfinite(value) else default
