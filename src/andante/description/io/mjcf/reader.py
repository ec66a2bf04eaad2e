"""Reads MJCF into a `Robot` or a `World`. What MuJoCo's format says and ours cannot is told as a problem.

A robot is the one body tree of the file that has joints; when there are several, or it is jointed to the world, a
root link `world` holds them. Geoms that can touch become collisions, those in the visible groups visuals.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from andante.description import Frame, Heightmap, Joint, Light, Placement, Plane, Robot, Source, World
from andante.description.io.resolver import Resolver
from andante.description.io.xmltree import Node
from andante.description.link import IDENTITY, Link
from andante.geometry import SE3

from .bodies import Body, Model, read_chain, read_model, subtree, world_poses
from .option import read_options, tell_options
from .parts import (
    read_actuators,
    read_equalities,
    read_exclusions,
    read_keyframes,
    read_sensors,
    tell_couplings,
    with_effort,
)
from .record import LOOP_SITE, PREFIX, SENSOR_SITE, apply_record, read_record
from .spec import Document, open_document

QUIET_SECTIONS = {"compiler", "option", "size", "statistic", "visual", "asset", "default", "worldbody"}
READ_SECTIONS = {"contact", "equality", "actuator", "sensor", "keyframe", "custom"}
MAX_PAIRS = 500_000


def read_mjcf_robot(root: Node, path: Path, resolver: Resolver) -> Robot:
    """The robot of an MJCF file."""
    document = open_document(root, path, resolver)
    _tell_sections(document)
    tell_options(document)
    model = read_model(document)
    bodies = model.bodies
    tops = [i for i, body in enumerate(bodies) if body.parent == 0]
    if not tops:
        raise root.error(_no_body(root))
    jointed = {body.top for body in bodies if body.joints and not body.free}
    chosen = [i for i in tops if i in jointed] or tops
    for i in tops:
        if i not in chosen:
            document.info(f"body {bodies[i].name!r} is no part of the robot; it belongs to the world", bodies[i].source)
    robot, _, _ = _robot(document, model, chosen, root.get("model") or path.stem, with_world_geoms=True)
    return replace(robot, problems=tuple(dict.fromkeys(document.problems)))


def read_mjcf_world(root: Node, path: Path, resolver: Resolver) -> World:
    """The world of an MJCF file: what stands on the world body, and every body tree as an object of its own."""
    document = open_document(root, path, resolver)
    document.in_parts = True
    _tell_sections(document)
    model = read_model(document)
    bodies = model.bodies
    tell_couplings(document, bodies)
    models = []
    if root.find("body") is not None:
        document.warn(f"<mujoco>: {_no_body(root)}", root.source)
    if bodies[0].geoms:
        taken = {body.name for body in bodies}
        name = next(n for n in ("ground", "ground_", "ground__world") if n not in taken)
        ground = Robot(name, (_link(bodies[0], name),), fixed_base=True, source=bodies[0].source)
        models.append(Placement(name, ground, IDENTITY, fixed=True))
    for i, body in enumerate(bodies):
        if body.parent == 0:
            robot, pose, fixed = _robot(document, model, [i], body.name, with_world_geoms=False)
            models.append(Placement(body.name, robot, pose, fixed))
    gravity, physics = read_options(document)
    name, problems = root.get("model") or path.stem, tuple(dict.fromkeys(document.problems))
    return World(name, tuple(models), gravity, _lights(model), physics, source=root.source, problems=problems)


def _no_body(root: Node) -> str:
    """Why there is no robot in a file."""
    if root.find("body") is None:
        return "there is no <body> in <worldbody>, so no robot"
    return "its <body> stands outside <worldbody>, so no robot: a part for other files; <include> it in a <worldbody>"


def _tell_sections(document: Document) -> None:
    for section in document.root.children:
        if section.tag in READ_SECTIONS or section.tag in QUIET_SECTIONS:
            continue
        for child in section.children or [section]:
            document.warn(f"<{section.tag}> <{child.tag}> is not represented and was left out", child.source)


def _robot(
    document: Document, model: Model, tops: list[int], name: str, with_world_geoms: bool
) -> tuple[Robot, SE3, bool]:
    """Robot of some body trees, its pose in the world, and whether it is fixed there."""
    bodies = model.bodies
    chosen = list(subtree(bodies, set(tops)))
    first = bodies[tops[0]]
    rooted = len(tops) == 1 and (first.free or not first.joints)
    kept = any(node.get("name") == f"{PREFIX}world" for node in document.section("custom"))
    if rooted and not first.free and with_world_geoms and (kept or not first.pose.is_identity()):
        rooted = False  # a fixed robot keeps its place in the world by a root link
    links: list[Link] = []
    joints: list[Joint] = []
    link_of = {i: bodies[i].name for i in chosen}
    if not rooted:
        link_of[0] = "world"
        world = _link(bodies[0], "world") if with_world_geoms else Link("world")
        boundless = [c for c in world.collisions if isinstance(c.geometry, Plane | Heightmap)]
        if boundless:
            document.info("the ground of <worldbody> is no part of the robot; it belongs to the world", first.source)
        shown = tuple(v for v in world.visuals if not isinstance(v.geometry, Plane | Heightmap))
        solid = tuple(c for c in world.collisions if c not in boundless)
        links.append(replace(world, collisions=solid, visuals=shown))
    elif with_world_geoms and bodies[0].geoms:
        document.info("geoms of <worldbody> are no part of the robot; they belong to the world", first.source)
    separated: set[frozenset[str]] = set()
    for i in chosen:
        body = bodies[i]
        if not (rooted and i == tops[0]):
            chain, between = read_chain(document, model.compiled, body, link_of[body.parent], link_of[i])
            joints += chain
            links += between
            if between:
                separated.add(frozenset((link_of[body.parent], link_of[i])))
        links.append(_link(body, link_of[i]))
    robot = _finish(document, model, link_of, name, links, joints, separated, fixed=not (rooted and first.free))
    return robot, first.pose if rooted else IDENTITY, robot.fixed_base


def _finish(
    document: Document,
    model: Model,
    link_of: dict[int, str],
    name: str,
    links: list[Link],
    joints: list[Joint],
    separated: set[frozenset[str]],
    fixed: bool,
) -> Robot:
    """The robot with everything that other sections add to its tree."""
    bodies = model.bodies
    sites = {s: (link_of[i], pose) for i in link_of for s, pose in bodies[i].sites if s}
    drawn = world_poses(bodies)
    poses = {link: drawn[i] for i, link in link_of.items()}
    mimics, loops = read_equalities(document, model.equalities, joints, poses, sites)
    joints = [replace(joint, mimic=mimics.get(joint.name)) for joint in joints]
    base = Robot(name, tuple(links), tuple(joints), fixed_base=fixed)
    gains, efforts = read_actuators(document, model, base)
    joints = [with_effort(joint, efforts) for joint in joints]
    collide, apart = _self_collision(bodies, link_of)
    frames = tuple(
        Frame(site, link, pose) for site, (link, pose) in sites.items() if not site.startswith((LOOP_SITE, SENSOR_SITE))
    )
    bodies_by_link = [(link, bodies[i]) for i, link in link_of.items() if i > 0]
    sensors = read_sensors(document, bodies_by_link, sites)
    exclusions = read_exclusions(document, poses)
    robot = Robot(
        name=name,
        links=tuple(links),
        joints=tuple(joints),
        loops=tuple(_unique_loops(loops, joints)),
        sensors=tuple(reversed({sensor.name: sensor for sensor in reversed(sensors)}.values())),  # first of each name
        frames=frames,
        poses=read_keyframes(document, model, {joint.name for joint in joints if joint.one_dof}),
        servos=gains,
        self_collide=collide,
        no_collision=exclusions | frozenset(separated if collide else ()) | (apart if collide else frozenset()),
        fixed_base=fixed,
        source=Source(str(document.path), document.root.source.line),
    )
    record = read_record(document, base.root)
    return robot if record is None else apply_record(robot, *record, sites)


def _link(body: Body, name: str) -> Link:
    return Link(
        name,
        body.inertia,
        visuals=tuple(geom.visual() for geom in body.geoms if geom.visible),
        collisions=tuple(geom.collision() for geom in body.geoms if geom.collides or not geom.visible),
        gravity=body.gravity,
        source=body.source,
    )


def _self_collision(bodies: list[Body], link_of: dict[int, str]) -> tuple[bool, frozenset[frozenset[str]]]:
    """Whether any two links may touch by MuJoCo's masks, and the pairs that may not though they share a bit."""
    masks = {i: {(g.contype, g.conaffinity) for g in bodies[i].geoms if g.collides} for i in link_of if i > 0}
    shaped = [i for i, pairs in masks.items() if pairs]
    collide = False
    apart: set[frozenset[str]] = set()
    if len(shaped) ** 2 > MAX_PAIRS:
        return any(a & b for pairs in masks.values() for a, b in pairs), frozenset()
    for k, i in enumerate(shaped):
        for j in shaped[:k]:
            if bodies[i].parent == j or bodies[j].parent == i:
                continue
            touch = any((ta & cb) or (tb & ca) for ta, ca in masks[i] for tb, cb in masks[j])
            share = any((ta | ca) & (tb | cb) for ta, ca in masks[i] for tb, cb in masks[j])
            collide = collide or touch
            if share and not touch:
                apart.add(frozenset((link_of[i], link_of[j])))
    return collide, frozenset(apart)


def _unique_loops(loops: list[Joint], joints: Sequence[Joint]) -> list[Joint]:
    taken = {joint.name for joint in joints}
    out = []
    for loop in loops:
        name = loop.name
        while name in taken:
            name += "_"
        taken.add(name)
        out.append(replace(loop, name=name))
    return out


def _lights(model: Model) -> tuple[Light, ...]:
    """The lights of <worldbody>."""
    compiled = model.compiled
    out: list[Light] = []
    for i, node in enumerate(model.lights):
        if compiled.light_bodyid[i] != 0:
            continue
        x, y, z = (float(v) for v in compiled.light_dir[i])
        red, green, blue = (float(str(v)) for v in compiled.light_diffuse[i])
        kind = ("spot", "directional", "point")[min(int(compiled.light_type[i]), 2)]
        position = SE3.from_parts(np.eye(3), compiled.light_pos[i])
        shadows = bool(compiled.light_castshadow[i])
        name = node.get("name") or f"light_{len(out)}"
        out.append(Light(name, kind, position, (x, y, z), (red, green, blue, 1.0), cast_shadows=shadows))
    return tuple(out)
