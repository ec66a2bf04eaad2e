"""The body tree of MJCF as records in one list, parents first: poses, joints, geoms, inertia, sites, cameras."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from andante.description.inertia import Inertia, combine
from andante.description.io.values import number, vec3, vector
from andante.description.io.xmltree import Node
from andante.description.link import IDENTITY
from andante.description.source import Source
from andante.errors import BadInput
from andante.geometry import SE3

from .assets import Assets
from .document import Document, z_towards
from .geoms import Geom, read_geom


@dataclass
class Body:
    """One <body>; index 0 of the list is the world."""

    name: str
    parent: int
    pose: SE3  # parent_from_body
    source: Source
    top: int = -1  # index of the ancestor (or itself) that hangs on the world
    joints: list[tuple[Node, str, SE3]] = field(default_factory=list)  # element, name, frame it is told in
    geoms: list[Geom] = field(default_factory=list)
    sites: list[tuple[str, SE3, Node]] = field(default_factory=list)
    cameras: list[tuple[str, SE3, Node]] = field(default_factory=list)
    lights: list[tuple[SE3, Node]] = field(default_factory=list)
    inertia: Inertia | None = None
    gravity: bool = True

    @property
    def free(self) -> bool:
        """Whether a free joint carries it."""
        return any(node.tag == "freejoint" or node.get("type") == "free" for node, _, _ in self.joints)


def read_bodies(document: Document, assets: Assets) -> list[Body]:
    """All bodies below every <worldbody>, the world first."""
    reader = _Reader(document, assets)
    reader.bodies.append(Body("world", -1, IDENTITY, document.root.source))
    for node in document.root.all("worldbody"):
        reader.contents(node, 0, IDENTITY, None)
    _masses(document, reader.bodies)
    return reader.bodies


class _Reader:
    def __init__(self, document: Document, assets: Assets) -> None:
        self.document, self.assets = document, assets
        self.bodies: list[Body] = []
        tree = [node for section in document.root.all("worldbody") for node in section.walk()]
        self.names = {n.get("name") or "" for n in tree if n.tag == "body"} | {"world"}
        self.joint_names = {n.get("name") or "" for n in tree if n.tag in ("joint", "freejoint")}
        self.seen = {"world"}

    def contents(self, node: Node, index: int, frame: SE3, childclass: str | None) -> None:
        """Reads what stands inside a body or frame; `frame` is body_from_here."""
        document, body = self.document, self.bodies[index]
        for child in node.children:
            match child.tag:
                case "body":
                    self.body(child, index, frame, childclass)
                case "frame":
                    inner = frame @ document.pose(child)
                    self.contents(child, index, inner, child.get("childclass") or childclass)
                case "joint" | "freejoint":
                    full = document.full(child, childclass) if child.tag == "joint" else child
                    body.joints.append((full, self._joint_name(child, body), frame))
                case "geom":
                    full = document.full(child, childclass)
                    geom = read_geom(document, self.assets, full, frame, massive=index > 0 and self._massive(node))
                    if geom is not None:
                        body.geoms.append(geom)
                case "site":
                    full = document.full(child, childclass)
                    pose = frame @ _site_pose(document, full)
                    body.sites.append((child.get("name") or "", pose, full))
                case "camera":
                    full = document.full(child, childclass)
                    body.cameras.append((child.get("name") or "", frame @ document.pose(full), full))
                case "light":
                    body.lights.append((frame, document.full(child, childclass)))
                case "inertial":
                    self._inertial(child, index, frame)
                case tag:
                    document.warn(f"<{tag}> is not understood and was left out; write its bodies out", child.source)

    def body(self, node: Node, parent: int, frame: SE3, childclass: str | None) -> None:
        """Reads a <body> and everything in it."""
        document = self.document
        if node.get("mocap") == "true":
            document.info("mocap bodies do not follow a hand here; the body stands still", node.source, "mocap")
        index = len(self.bodies)
        name = node.get("name") or self._free_name("body")
        top = index if parent == 0 else self.bodies[parent].top
        compensation = number(node, node.get("gravcomp"), "gravcomp", 0.0)
        if compensation not in (0.0, 1.0):
            document.warn(f"gravcomp {compensation:g} is not represented; only 0 and 1 are", node.source)
        body = Body(name, parent, frame @ document.pose(node), node.source, top, gravity=compensation != 1.0)
        if name in self.seen:
            raise node.error("two bodies have this name; rename one")
        self.seen.add(name)
        self.bodies.append(body)
        self.contents(node, index, IDENTITY, node.get("childclass") or childclass)
        rule = document.compiler.inertiafromgeom
        if rule == "true" or (rule == "auto" and body.inertia is None):
            body.inertia = combine(geom.inertia for geom in body.geoms if geom.inertia is not None)

    def _massive(self, node: Node) -> bool:
        """Whether geoms of this body count for its mass; spares reading meshes for nothing."""
        rule = self.document.compiler.inertiafromgeom
        return rule == "true" or (rule == "auto" and node.find("inertial") is None)

    def _joint_name(self, node: Node, body: Body) -> str:
        return node.get("name") or _unused(f"{body.name}_joint", self.joint_names)

    def _free_name(self, stem: str) -> str:
        return _unused(f"{stem}_{len(self.bodies)}", self.names)

    def _inertial(self, node: Node, index: int, frame: SE3) -> None:
        if index == 0 or self.document.compiler.inertiafromgeom == "true":
            return
        mass = number(node, node.get("mass"), "mass")
        if mass < 0:
            raise node.error("mass must not be negative")
        vec3(node, node.get("pos"), "pos")
        if node.get("fullinertia") is not None:
            xx, yy, zz, xy, xz, yz = vector(node, node.get("fullinertia"), 6, "fullinertia")
            tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        else:
            tensor = np.diag(vec3(node, node.get("diaginertia"), "diaginertia"))
        try:
            own = Inertia.from_matrix(mass, (0.0, 0.0, 0.0), tensor)
        except BadInput as error:
            raise node.error(str(error)) from None
        self.bodies[index].inertia = own.transformed(frame @ self.document.pose(node))


def _unused(stem: str, taken: set[str]) -> str:
    name, count = stem, 1
    while name in taken:
        count += 1
        name = f"{stem}{count}"
    taken.add(name)
    return name


def _site_pose(document: Document, node: Node) -> SE3:
    if node.get("fromto") is None:
        return document.pose(node)
    ends = np.array(vector(node, node.get("fromto"), 6, "fromto"))
    along = ends[:3] - ends[3:]
    if np.linalg.norm(along) < 1e-12:
        raise node.error("fromto needs two different points")
    return SE3.from_parts(z_towards(along), (ends[:3] + ends[3:]) / 2)


def _masses(document: Document, bodies: list[Body]) -> None:
    """Applies the rules of <compiler> that change masses after the fact."""
    rules = document.compiler
    for body in bodies[1:]:
        inertia = body.inertia
        if inertia is None and (rules.boundmass > 0 or rules.boundinertia > 0):
            inertia = Inertia(0.0)
        if inertia is None:
            continue
        moments, axes = np.linalg.eigh(inertia.matrix)
        changed = np.maximum(moments, rules.boundinertia) if rules.boundinertia > 0 else moments.copy()
        if rules.balanceinertia and 2 * changed.max() > changed.sum() * (1 + 1e-12):
            changed[:] = changed.mean()
        mass = max(inertia.mass, rules.boundmass)
        if mass != inertia.mass or not np.array_equal(changed, moments):
            body.inertia = Inertia.from_matrix(mass, inertia.com, axes @ np.diag(changed) @ axes.T)
    total = sum(body.inertia.mass for body in bodies[1:] if body.inertia is not None)
    if rules.settotalmass > 0 and total > 0:
        factor = rules.settotalmass / total
        for body in bodies[1:]:
            if body.inertia is not None:
                inertia = body.inertia
                body.inertia = Inertia.from_matrix(factor * inertia.mass, inertia.com, factor * inertia.matrix)


def subtree(bodies: list[Body], tops: set[int]) -> Iterator[int]:
    """Indices of the bodies at or below the given top-level ones."""
    return (i for i, body in enumerate(bodies) if body.top in tops)


def world_poses(bodies: list[Body]) -> list[SE3]:
    """Pose of every body as the file draws it (all joints at their `ref`)."""
    poses = [IDENTITY]
    for body in bodies[1:]:
        poses.append(poses[body.parent] @ body.pose)
    return poses
