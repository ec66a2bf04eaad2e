"""Writes a `Robot` or `World` as MJCF that MuJoCo compiles to the same masses, joints and shapes.

Bodies are the links; massless links between two joints become one body with several joints, as MJCF likes it. What
the format has no word for is kept in a <custom> text that MuJoCo ignores and our reader puts back (`record`).
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element, SubElement, indent, tostring

import numpy as np

from andante.description import Frame, Inertia, Joint, JointType, Link, Mimic, Robot, World
from andante.description.inertia import ROUNDING, least_mass, massless, repaired_inertia
from andante.description.link import IDENTITY, Collision, Visual
from andante.description.robot import joint_motion
from andante.description.solids import even_box, size_of
from andante.errors import Unsupported
from andante.files import made_folder, write_all
from andante.geometry import SE3

from .option import write_options
from .record import PREFIX, joint_entry, link_entry, make_record
from .write_parts import (
    Assets,
    add_actuators,
    add_collision,
    add_equalities,
    add_exclusions,
    add_keyframes,
    add_sensor,
    add_visual,
    set_pose,
    text,
)

UNBOUNDED = 1e9  # stands for the missing end of a one-sided range


def write_mjcf(thing: Robot | World, path: Path, meshes: Path | None = None) -> str:
    """MJCF text of a robot or world to be saved at `path`.

    Mesh files that MuJoCo cannot read (DAE, GLB, ASCII STL, single parts) are exported into the folder `meshes`;
    without one they are refused by name.
    """
    text, exports = mjcf_files(thing, path, meshes)
    if meshes is not None and exports:
        with made_folder(meshes):
            write_all(exports)
    return text


def mjcf_files(
    thing: Robot | World, path: Path, meshes: Path | None = None, copies: Mapping[Path, Path] | None = None
) -> tuple[str, list[tuple[bytes, Path]]]:
    """What `write_mjcf` gives, and the mesh files that are to be written with it: contents and paths.

    `copies` tells for mesh files that are not there yet which files they will be copied from.
    """
    writer = _Writer(thing.name, Path(path), meshes, copies)
    if isinstance(thing, Robot):
        _RobotWriter(writer, thing, thing.fixed_base).write(IDENTITY, keyframes=True)
    else:
        writer.world(thing)
    return writer.text(), writer.assets.exports


class _Writer:
    def __init__(self, name: str, path: Path, meshes: Path | None, copies: Mapping[Path, Path] | None) -> None:
        self.root = Element("mujoco", model=name)
        SubElement(self.root, "compiler", angle="radian", inertiafromgeom="false", autolimits="true")
        self.option = SubElement(self.root, "option")
        sections = ("asset", "worldbody", "contact", "equality", "actuator", "sensor", "keyframe", "custom")
        self.section = {tag: SubElement(self.root, tag) for tag in sections}
        self.assets = Assets(self.section["asset"], path, meshes, copies)

    def text(self) -> str:
        """The document; empty sections are left out."""
        for element in list(self.root):
            if not len(element) and not element.attrib:
                self.root.remove(element)
        indent(self.root)
        return '<?xml version="1.0" encoding="utf-8"?>\n' + tostring(self.root, encoding="unicode") + "\n"

    def world(self, world: World) -> None:
        """Everything that stands in a world; link names are put below the name of their object."""
        self.option.set("gravity", text(*world.gravity))
        write_options(self.option, self.section["custom"], world.physics)
        for light in world.lights:
            element = SubElement(self.section["worldbody"], "light", name=light.name, dir=text(*light.direction))
            element.set("type", light.kind if light.kind in ("directional", "point") else "spot")
            element.set("pos", text(*light.pose.translation))
            element.set("diffuse", text(*light.diffuse[:3]))
            element.set("castshadow", "true" if light.cast_shadows else "false")
        for placed in world.models:
            fixed = placed.fixed or placed.robot.fixed_base
            _RobotWriter(self, _prefixed(placed.robot, placed.name), fixed).write(placed.pose, keyframes=False)


class _RobotWriter:
    def __init__(self, writer: _Writer, robot: Robot, fixed: bool) -> None:
        self.writer, self.robot, self.fixed = writer, robot, fixed
        self.bodies: dict[str, Element] = {}
        self.layout: list[Joint | None] = []
        self.link_entries: dict[str, dict[str, Any]] = {}
        self.joint_entries: dict[str, dict[str, Any]] = {}
        self.light = _light_links(robot)  # links that become joints of the body after them
        self.chain: dict[str, str] = {}  # our name of a light link by the reader's
        self.static = {robot.root} if fixed else set()
        for joint in robot.topological:
            if joint.type is JointType.FIXED and joint.parent in self.static:
                self.static.add(joint.child)

    def write(self, pose: SE3, keyframes: bool) -> None:
        robot, section = self.robot, self.writer.section
        self._root(pose)
        pending: list[Joint] = []
        for joint in robot.topological:  # depth first: MuJoCo's own order
            pending.append(joint)
            if joint.child not in self.light:
                self._body(pending)
                pending = []
        if keyframes:
            add_keyframes(section["keyframe"], robot, self.layout)
        for joint_name, values in add_actuators(section["actuator"], robot).items():
            entry = self.joint_entries.setdefault(joint_name, {})
            entry["servo"] = values
            if "effort" in values:
                entry["effort"] = robot.joint(joint_name).limits.effort
        add_equalities(section["equality"], self.bodies, robot)
        add_exclusions(section["contact"], robot, self.light)
        for frame in robot.frames:
            set_pose(SubElement(self.bodies[frame.link], "site", name=frame.name), frame.pose)
        for sensor in reversed({sensor.name: sensor for sensor in reversed(robot.sensors)}.values()):  # first of a name
            add_sensor(section["sensor"], self.bodies[sensor.link], sensor)
        record = make_record(robot, self.link_entries, self.joint_entries)
        if self.chain:
            record["chain"] = self.chain
        SubElement(section["custom"], "text", name=PREFIX + robot.root, data=json.dumps(record))

    def _root(self, pose: SE3) -> None:
        root = self.robot.link(self.robot.root)
        top = self.writer.section["worldbody"]
        if root.name == "world":
            if not self.fixed or len(self.robot.links) == 1:
                raise Unsupported("MJCF keeps the name 'world' for the world itself; rename the root link")
            self.bodies["world"] = top
            self._contents(top, root, moving=False)
            return
        body = SubElement(top, "body", name=root.name)
        set_pose(body, pose)
        if not self.fixed:
            SubElement(body, "freejoint")
            self.layout.append(None)
        self.bodies[root.name] = body
        self._contents(body, root, moving=not self.fixed)

    def _body(self, joints: list[Joint]) -> None:
        """The body that a chain of joints (all but the last child light) carries."""
        link = self.robot.link(joints[-1].child)
        if link.name == "world":
            raise Unsupported("MJCF keeps the name 'world' for the world itself; rename the link")
        body = SubElement(self.bodies[joints[0].parent], "body", name=link.name)
        self.bodies[link.name] = body
        frames: list[SE3] = []
        here = IDENTITY  # parent_from_(frame of the last joint's child), every joint at its start
        for joint in joints:
            turned = here @ joint.pose @ joint_motion(joint, joint.initial)
            frames.append(turned)
            here = turned @ joint.joint_from_child
        set_pose(body, here)
        for joint, frame in zip(joints, frames, strict=True):
            self._joint(body, joint, here.inverse() @ frame)
            if joint.child in self.light:
                self.chain[f"{link.name}__{joint.name}"] = joint.child
        self._contents(body, link, moving=link.name not in self.static and joints[-1].type is not JointType.FIXED)

    def _joint(self, body: Element, joint: Joint, body_from_joint: SE3) -> None:
        if joint.type is JointType.FIXED:
            if joint.name != f"{joint.child}_fixed":
                self.joint_entries[joint.name] = {"fixed": joint.child}
            return
        if joint.type is JointType.FLOATING and joint.parent == "world" == self.robot.root:
            SubElement(body, "freejoint", name=joint.name)
            self.layout.append(joint)
            return
        kinds = {JointType.PRISMATIC: "slide", JointType.BALL: "ball"}
        if not joint.one_dof and joint.type is not JointType.BALL:
            raise Unsupported(
                f"MJCF has no {joint.type} joint ({joint.name!r}); use hinge, slide, ball or fixed joints"
            )
        element = SubElement(body, "joint", name=joint.name, type=kinds.get(joint.type, "hinge"))
        self.layout.append(joint)
        if np.any(body_from_joint.translation != 0):
            element.set("pos", text(*body_from_joint.translation))
        if joint.type is not JointType.BALL:
            element.set("axis", text(*(body_from_joint.rotation @ np.asarray(joint.axis))))
        limits, dynamics = joint.limits, joint.dynamics
        if (math.isfinite(limits.lower) or math.isfinite(limits.upper)) and joint.type is not JointType.CONTINUOUS:
            lower, upper = max(limits.lower, -UNBOUNDED), min(limits.upper, UNBOUNDED)
            gap = 0.0 if lower < upper else 1e-6
            element.set("range", text(lower - gap, upper + gap))
        if 0 < limits.effort < math.inf:
            element.set("actuatorfrcrange", text(-limits.effort, limits.effort))
        stated = {
            "damping": dynamics.damping,
            "frictionloss": dynamics.friction,
            "armature": dynamics.armature,
            "stiffness": dynamics.stiffness,
            "springref": dynamics.reference,
            "ref": joint.initial,
        }
        element.attrib |= {key: text(value) for key, value in stated.items() if value}
        if entry := joint_entry(joint):
            self.joint_entries[joint.name] = entry

    def _contents(self, body: Element, link: Link, moving: bool) -> None:
        """Inertia and shapes of a link."""
        where = f"link {link.name!r}"
        static = link.name in self.static
        entry = link_entry(link)
        if not link.gravity and link.name != "world":
            body.set("gravcomp", "1")
        given = link.inertia
        written = None if link.name == "world" else self._inertia(link, moving)
        if written is not None:
            xx, xy, xz, yy, yz, zz = written.moments
            inertial = SubElement(body, "inertial", pos=text(*written.com), mass=text(written.mass))
            inertial.set("fullinertia", text(xx, yy, zz, xy, xz, yz))
        if written != given:
            entry["inertia"] = None if given is None else [given.mass, *given.com, *given.moments]
        if entry:
            self.link_entries[link.name] = entry
        wish = self.robot.self_collide if link.self_collide is None else link.self_collide
        for visual in link.visuals:
            add_visual(body, visual, self.writer.assets, where, static)
        for collision in link.collisions:
            add_collision(body, collision, self.writer.assets, where, static, wish)

    def _inertia(self, link: Link, moving: bool) -> Inertia | None:
        """Inertia that MuJoCo accepts: moving bodies weigh something, tensors are positive and obey A + B >= C."""
        inertia = link.inertia
        if not moving and (inertia is None or inertia.mass <= 0):
            return None
        if inertia is None or inertia.mass <= 0:
            others = (self.robot.link(name).inertia for name in self.robot.welded(link.name) if name != link.name)
            if inertia is None and any(other is not None and other.mass > 0 for other in others):
                return None
            least, ghost = least_mass(self.robot.mass), None
            if self.robot.mass == 0:  # as engines are given it
                parts: list[Collision | Visual] = [*(link.collisions or link.visuals)]
                ghost = even_box(least, ((part.geometry, part.pose) for part in parts))
            return ghost or massless(least, (0.0, 0.0, 0.0) if inertia is None else inertia.com)
        size = size_of((shape.geometry, shape.pose) for shape in link.collisions)
        return repaired_inertia(inertia, size, slack=-ROUNDING)


def _light_links(robot: Robot) -> frozenset[str]:
    """Links without mass, shapes or anything attached, between two moving joints."""
    below: dict[str, list[Joint]] = {}
    for joint in robot.joints:
        below.setdefault(joint.parent, []).append(joint)
    attached = {frame.link for frame in robot.frames} | {sensor.link for sensor in robot.sensors}
    attached |= {end for loop in robot.loops for end in (loop.parent, loop.child)}
    attached |= {end for pair in robot.no_collision for end in pair}
    out = set()
    for joint in robot.joints:
        link = robot.link(joint.child)
        after = below.get(link.name, [])
        bare = link.inertia is None and not link.visuals and not link.collisions and link.name not in attached
        if bare and len(after) == 1 and joint.one_dof and (after[0].one_dof or after[0].type is JointType.BALL):
            out.add(link.name)
    return frozenset(out)


def _prefixed(robot: Robot, prefix: str) -> Robot:
    """The robot with its root named after its place and all other names below it."""
    top = prefix if prefix != "world" else "world_"

    def name(old: str) -> str:
        return top if old == robot.root else f"{top}/{old}"

    def joint(old: Joint) -> Joint:
        mimic = old.mimic and Mimic(f"{top}/{old.mimic.joint}", old.mimic.multiplier, old.mimic.offset)
        return replace(old, name=f"{top}/{old.name}", parent=name(old.parent), child=name(old.child), mimic=mimic)

    return replace(
        robot,
        links=tuple(replace(link, name=name(link.name)) for link in robot.links),
        joints=tuple(map(joint, robot.joints)),
        loops=tuple(map(joint, robot.loops)),
        frames=tuple(Frame(f"{top}/{f.name}", name(f.link), f.pose) for f in robot.frames),
        sensors=tuple(replace(s, name=f"{top}/{s.name}", link=name(s.link)) for s in robot.sensors),
        servos={f"{top}/{key}": values for key, values in robot.servos.items()},
        poses={},
        no_collision=frozenset(frozenset(name(end) for end in pair) for pair in robot.no_collision),
    )
