"""Reads SDF 1.4 to 1.12: a model as a `Robot`, a world (or a lone model) as a `World`.

What the file says and we do not use is told in `problems` with file and line; nothing is dropped silently.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import wraps
from pathlib import Path
from typing import ParamSpec, TypeVar

import numpy as np

from andante.description import Light, Placement, Robot, World
from andante.description.io.resolver import Resolver
from andante.description.io.xmltree import Node, free_name, parse_xml, vec3
from andante.description.shapes import Vec3
from andante.errors import BadInput
from andante.geometry import SE3

from .common import BUILT_IN
from .frames import Scope, build_scope
from .include import Document, Reading
from .model import assemble, flatten
from .physics import read_physics
from .values import color, flag, name_of, raw_pose, text_of

READ = (
    *("model", "light", "frame", "gravity", "physics", "scene", "state", "include", "name"),
    *("road", "actor", "population"),
)
HARMLESS = (
    *("gui", "plugin", "spherical_coordinates", "magnetic_field", "atmosphere", "wind", "audio", "pose"),
    "particle_emitter",
)
SERIOUS = {
    "joint": "joints between models of a world are left out; put both into one model",
}
P = ParamSpec("P")
T = TypeVar("T")
TOP = ("world", "model", "light", "actor", "include")


def _named(read: Callable[P, T]) -> Callable[P, T]:
    """Make every refusal name the file, also those that come from the data classes."""

    @wraps(read)
    def guarded(*args: P.args, **kwargs: P.kwargs) -> T:
        path = str(args[1])
        try:
            return read(*args, **kwargs)
        except BadInput as error:
            message = str(error)
            if path in message or ".sdf" in message or ".world" in message:
                raise
            raise BadInput(f"{path}: {message}") from None

    return guarded


@_named
def read_sdf_robot(root: Node, path: Path, resolver: Resolver) -> Robot:
    """The model of an SDF file as one robot; a world is accepted when it holds exactly one model."""
    reading, document, chain = _start(root, path, resolver)
    scope = build_scope(reading, document, _holder(root), chain)
    where = "the file"
    worlds = list(root.all("world"))
    if not scope.nested and worlds:
        scope, where = build_scope(reading, document, worlds[0], chain), f"world {worlds[0].get('name')!r}"
        names = list(scope.nested)
        if len(names) > 1:
            raise worlds[0].error(
                f"holds {len(names)} models ({', '.join(names[:8])}{', ...' if len(names) > 8 else ''}); "
                "a robot is wanted: use the file as a world, or save one model as a file of its own"
            )
    if not scope.nested:
        raise root.error(f"{where} holds no model")
    name, model = next(iter(scope.nested.items()))
    if len(scope.nested) > 1:
        reading.report.warn(root, f"the file holds {len(scope.nested)} models; the first one, {name!r}, is used")
    robot = assemble(reading, flatten(reading, model), split=False)[0].robot
    if not model.pose.motion.is_identity():
        reading.report.info(model.node, "the <pose> of the model counts in a world only")
    return replace(robot, problems=reading.report.problems)


@_named
def read_sdf_world(root: Node, path: Path, resolver: Resolver) -> World:
    """The world of an SDF file; a file with only models becomes a world with them in it."""
    reading, document, chain = _start(root, path, resolver)
    worlds = list(root.all("world"))
    if worlds:
        if len(worlds) > 1:
            reading.report.warn(worlds[1], f"the file holds {len(worlds)} worlds; the first one is used")
        return read_world(reading, build_scope(reading, document, _without_empty(reading, worlds[0]), chain))
    scope = build_scope(reading, document, _holder(root), chain)
    if not scope.nested:
        raise root.error("the file holds neither a world nor a model")
    models = [p for name, inner in scope.nested.items() for p in _placements(reading, inner, scope.where(name), set())]
    return World(next(iter(scope.nested)), tuple(models), source=root.source, problems=reading.report.problems)


def _without_empty(reading: Reading, world: Node) -> Node:
    """The world without models of no link, which are no bodies; the standard has them where they are static."""
    kept = []
    for child in world.children:
        if child.tag == "model" and not any(part.tag in ("link", "model", "include") for part in child.children):
            reading.report.warn(child, f"<model> {child.get('name')!r} has no links; it is left out")
        else:
            kept.append(child)
    return replace(world, children=kept) if len(kept) < len(world.children) else world


def _start(root: Node, path: Path, resolver: Resolver) -> tuple[Reading, Document, tuple[Path, ...]]:
    reading = Reading(resolver)
    reading.report.leftovers(root, TOP)
    return reading, reading.document(root, path), (path.resolve(),)


def _holder(root: Node) -> Node:
    """The models that stand directly in <sdf>, held by a nameless world."""
    children = [child for child in root.children if child.tag in ("model", "include", "light")]
    return Node("world", {"name": ""}, "", children, root.source)


def read_world(reading: Reading, scope: Scope) -> World:
    """The world of a scope."""
    node = scope.node
    report = reading.report
    report.leftovers(node, (*READ, *SERIOUS), HARMLESS)
    for child in scope.children:
        if child.tag in SERIOUS:
            report.warn(child, SERIOUS[child.tag])
    states = _states(reading, node)
    placements: list[Placement] = []
    taken: set[str] = set()
    for name, inner in scope.nested.items():
        placements += _placements(reading, inner, scope.where(name), taken, states.get(name))
    if reading.stand_ins and not any(_carries(placement) for placement in placements):
        report.warn(node, "nothing that was found carries a robot; a ground plane is put into the world")
        placements.append(Placement(free_name("ground_plane", taken), _ground(reading, node), fixed=True))
    scene = node.find("scene")
    if scene is not None:
        harmless = ("shadows", "fog", "grid", "origin_visual", "sky")
        report.leftovers(scene, ("ambient", "background"), harmless)
    usual = World("")
    return World(
        name=name_of(node, "world"),
        models=tuple(placements),
        gravity=_gravity(node),
        lights=tuple(read_light(scope, light) for light in scope.all("light")),
        physics=read_physics(reading, node),
        ambient=color(scene, "ambient") or usual.ambient,
        background=color(scene, "background") or usual.background,
        source=node.source,
        problems=report.problems,
    )


def _carries(placement: Placement) -> bool:
    """Whether something can stand on a model."""
    return placement.fixed and any(link.collisions for link in placement.robot.links)


def _ground(reading: Reading, world: Node) -> Robot:
    """The built-in ground plane."""
    root = parse_xml(BUILT_IN["ground_plane"], "ground_plane.sdf")
    holder = Node("world", {"name": ""}, "", [*root.all("model")], world.source)
    scope = build_scope(reading, reading.document(root, Path("ground_plane.sdf")), holder, ())
    return assemble(reading, flatten(reading, scope.nested["ground_plane"]), split=False)[0].robot


@dataclass(frozen=True)
class Saved:
    """Where a saved <state> puts a model and its links, in the world."""

    model: SE3 | None
    links: dict[str, SE3]


def _placements(
    reading: Reading, scope: Scope, world_from_model: SE3, taken: set[str], saved: Saved | None = None
) -> list[Placement]:
    """The pieces of a model; a saved state moves the model, and pieces of it that have moved by themselves."""
    if saved is not None and saved.model is not None:
        world_from_model = saved.model
    parts = flatten(reading, scope)
    out: list[Placement] = []
    for component in assemble(reading, parts, split=True):
        robot = component.robot
        name = component.name
        if name in taken:
            raise scope.node.error(f"two models are named {name!r}; rename one")
        taken.add(name)
        pose = world_from_model @ component.pose
        if out and saved is not None:
            pose = saved.links.get(robot.root, pose)
        motion = reading.motions.get(name)
        if motion is not None:
            pose = motion.at(0.0)[0]
        out.append(Placement(name, robot, pose, component.fixed, motion))
    return out


def _gravity(world: Node) -> Vec3:
    """Gravity of the world; old files keep it below <physics>. The standard's default is -9.8."""
    for owner in (world, *world.all("physics")):
        gravity = owner.find("gravity")
        if gravity is not None:
            return vec3(gravity, gravity.text, "<gravity>", (0.0, 0.0, -9.8))
    return (0.0, 0.0, -9.8)


def read_light(scope: Scope, node: Node) -> Light:
    """A light of the world."""
    usual = Light("")
    direction = text_of(node, "direction")
    raw = raw_pose(node)
    return Light(
        name=name_of(node, "light"),
        kind=(node.get("type") or "point").strip(),
        pose=scope.where(scope.frame_of(raw, "__model__")) @ raw.motion,
        direction=vec3(node, direction, "<direction>") if direction else usual.direction,
        diffuse=color(node, "diffuse") or (1.0, 1.0, 1.0, 1.0),
        specular=color(node, "specular") or (0.1, 0.1, 0.1, 1.0),
        cast_shadows=flag(node, "cast_shadows"),
    )


def _states(reading: Reading, world: Node) -> dict[str, Saved]:
    """Poses of models that Gazebo saved in <state>: they are where the models really were."""
    poses: dict[str, Saved] = {}
    known = {(child.get("name") or "").strip() for child in world.all("model")}
    known |= {text_of(child, "name") for child in world.all("include")}
    for state in world.all("state"):
        for model in state.all("model"):
            name = (model.get("name") or "").strip()
            scale = text_of(model, "scale")
            if scale and not np.allclose(vec3(model, scale, "<scale>"), 1.0):
                reading.report.warn(model, f"the saved <scale> of model {name!r} is not applied")
            placed = raw_pose(model).motion if model.find("pose") is not None else None
            links = {(n.get("name") or "").strip(): raw_pose(n).motion for n in model.all("link") if n.find("pose")}
            poses[name] = Saved(placed, links)
        for tag in ("insertions", "deletions"):
            for change in state.all(tag):
                reading.report.warn(change, f"<{tag}> of a saved <state> are not applied")
    used = [name for name in poses if name in known]
    if used:
        state = next(world.all("state"))
        reading.report.info(state, f"the saved <state> places {len(used)} of the models; velocities are not used")
    return poses
