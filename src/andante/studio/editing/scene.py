"""An edited scene: things of the editor, and models of a loaded world that it keeps as they are but for their place."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from andante.description.inertia import Inertia, combine
from andante.description.link import Collision, Link, Material, Surface, Visual
from andante.description.robot import Robot
from andante.description.shapes import RGBA, Box, Cylinder, Geometry, Plane, Sphere
from andante.description.solids import bounds, inertia_of
from andante.description.world import Placement, World
from andante.errors import AndanteError, BadInput, UnknownName
from andante.geometry import SE3, so3

from .things import SOLIDS, Solid, Thing

MOST = 2000  # things of a scene
TILT = 1e-3  # a model that leans more is kept as it is [rad]


@dataclass(frozen=True)
class Kept:
    """A model of the loaded world: the editor may move, turn or delete it."""

    name: str
    x: float
    y: float
    z: float
    yaw: float
    solids: tuple[tuple[str, list[float], list[float], list[float]], ...] = ()  # shape, middle, size, quaternion
    color: str = "#9aa3ad"


@dataclass(frozen=True)
class Scene:
    """What the page edits."""

    name: str
    things: tuple[Thing, ...] = ()
    kept: tuple[Kept, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """As JSON carries it."""
        return asdict(self)

    @classmethod
    def of(cls, told: Any) -> Scene:
        """From JSON; BadInput names what does not fit."""
        if not isinstance(told, Mapping):
            raise BadInput("a scene is an object with name, things and kept")
        UnknownName.check("field of a scene", told, ("name", "things", "kept"))
        things, kept = told.get("things", []), told.get("kept", [])
        if not isinstance(things, list) or not isinstance(kept, list) or len(things) + len(kept) > MOST:
            raise BadInput(f"a scene has lists of up to {MOST} things")
        made = tuple(Thing.of(thing) for thing in things)
        stay = tuple(_kept(model) for model in kept)
        names = [*(thing.name for thing in made), *(model.name for model in stay)]
        twice = next((name for name in names if names.count(name) > 1), None) if len(set(names)) < len(names) else None
        if twice is not None:
            raise BadInput(f"two things are called {twice!r}; choose another name")
        return cls(str(told.get("name", ""))[:80], made, stay)


def _kept(told: Any) -> Kept:
    """A kept model needs its name and place; what it looks like is known here."""
    if not isinstance(told, Mapping):
        raise BadInput("a kept model is an object with name, x, y, z and yaw")
    place = [told.get(key, 0.0) for key in ("x", "y", "z", "yaw")]
    if not all(isinstance(v, int | float) and math.isfinite(v) and abs(v) < 1e4 for v in place):
        raise BadInput(f"{told.get('name')!r}: a place has finite numbers, got {place}")
    x, y, z, yaw = (float(v) for v in place)
    return Kept(str(told.get("name", "")), x, y, z, yaw)


# ---- to a world ----------------------------------------------------------------------------------------
def world_of(scene: Scene, base: World) -> World:
    """The world of an edited scene: floor, lights and kept models of the base where they are now, and the things."""
    movable = {placement.name: placement for placement in base.models if not is_floor(placement)}
    models = [placement for placement in base.models if is_floor(placement)]
    for kept in scene.kept:
        if kept.name not in movable:
            raise BadInput(f"the world {base.name!r} has no model {kept.name!r}")
        before = movable[kept.name]
        turn = so3.from_rpy((0.0, 0.0, kept.yaw - _yaw(before.pose))) @ before.pose.rotation
        models.append(replace(before, pose=SE3.from_parts(turn, (kept.x, kept.y, kept.z))))
    taken = {placement.name for placement in models}
    for thing in scene.things:
        if thing.name in taken:
            raise BadInput(f"two things are called {thing.name!r}; choose another name")
        models.append(placement_of(thing))
    return replace(base, name=scene.name or base.name, models=tuple(models))


def placement_of(thing: Thing) -> Placement:
    """A thing as a model with one link."""
    look = Material(rgba=rgba_of(thing.color))
    surface = Surface(mu=thing.friction, mu2=thing.friction)
    visuals, collisions, parts = [], [], []
    whole = sum(_volume(solid) for solid in thing.solids)
    for k, solid in enumerate(thing.solids):
        geometry, pose = _placed(solid)
        visuals.append(Visual(geometry, pose, look, f"visual_{k}"))
        collisions.append(Collision(geometry, pose, surface, f"collision_{k}"))
        solid_inertia = inertia_of(geometry, mass=thing.mass * _volume(solid) / whole).inertia
        parts.append(solid_inertia.transformed(pose))
    inertia: Inertia | None = combine(parts)
    link = Link("link", inertia, tuple(visuals), tuple(collisions))
    pose = SE3.from_parts(so3.from_rpy((0.0, 0.0, thing.yaw)), (thing.x, thing.y, thing.z))
    return Placement(thing.name, Robot(thing.name, (link,)), pose, thing.fixed)


def _placed(solid: Solid) -> tuple[Geometry, SE3]:
    shape, middle, size, pitch = solid
    pose = SE3.from_parts(so3.from_rpy((0.0, pitch, 0.0)), middle)
    if shape == "box":
        return Box(size), pose
    return (Cylinder(size[0] / 2, size[2]) if shape == "cylinder" else Sphere(size[0] / 2)), pose


def _volume(solid: Solid) -> float:
    shape, _, (x, y, z), _ = solid
    return {"box": x * y * z, "cylinder": math.pi / 4 * x * x * z, "sphere": math.pi / 6 * x**3}[shape]


def rgba_of(color: str) -> RGBA:
    """Of #rrggbb."""
    red, green, blue = (int(color[i : i + 2], 16) / 255 for i in (1, 3, 5))
    return red, green, blue, 1.0


def hex_of(rgba: Sequence[float] | None) -> str:
    """As #rrggbb; gray where there is none."""
    channels = [round(255 * min(1.0, max(0.0, c))) for c in (rgba or (0.6, 0.64, 0.68))[:3]]
    return "#" + "".join(f"{c:02x}" for c in channels)


# ---- from a world --------------------------------------------------------------------------------------
def scene_of(world: World) -> Scene:
    """What can be edited of a world: single upright solids become things, other models are kept as they are."""
    things, kept = [], []
    for placement in world.models:
        if is_floor(placement):
            continue
        thing = thing_of(placement)
        if thing is not None:
            things.append(thing)
        else:
            kept.append(_shown(placement))
    return Scene(world.name, tuple(things), tuple(kept))


def is_floor(placement: Placement) -> bool:
    """Whether a model is the ground: it has a plane and nothing else."""
    shapes = [c.geometry for link in placement.robot.links for c in link.collisions]
    return bool(shapes) and all(isinstance(shape, Plane) for shape in shapes)


def thing_of(placement: Placement) -> Thing | None:
    """The thing that a model is: that of any kind whose solids are those of its only link; None: none."""
    links = placement.robot.links
    roll, pitch, yaw = (float(a) for a in so3.to_rpy(placement.pose.rotation))
    if len(links) != 1 or abs(roll) > TILT or abs(pitch) > TILT or not links[0].collisions:
        return None
    link = links[0]
    low, high = _box_of(link)
    size, foot = high - low, low[2]
    fixed = placement.fixed or placement.robot.fixed_base
    surface = link.collisions[0].surface
    values: dict[str, Any] = {
        "yaw": yaw, "color": hex_of(link.visuals[0].material.rgba if link.visuals else None), "fixed": fixed,
        "mass": link.inertia.mass if link.inertia is not None and link.inertia.mass >= 1e-3 else 1.0,
        "friction": surface.mu if surface.mu is not None else 0.8,
    }  # fmt: skip
    middle = placement.pose @ np.array([*((low + high) / 2)[:2], foot])
    x, y, z = (round(float(v), 9) for v in middle)
    for kind in SOLIDS:
        height = float(size[2])
        try:
            made = Thing(placement.name, kind, x, y, z, size=(float(size[0]), float(size[1]), height), **values)
        except AndanteError:
            return None
        shift = np.array([*((low + high) / 2)[:2], foot])
        if _same(made.solids, link, shift):
            return made
    return None


def _same(solids: list[Solid], link: Link, shift: np.ndarray) -> bool:
    """Whether a link's collisions are these solids, moved."""
    if len(solids) != len(link.collisions):
        return False
    left = list(link.collisions)
    for solid in solids:
        geometry, pose = _placed(solid)
        moved = SE3.from_parts(pose.rotation, pose.translation + shift)
        found = next((c for c in left if _alike(c.geometry, geometry) and _near(c.pose, moved)), None)
        if found is None:
            return False
        left.remove(found)
    return True


def _alike(a: Geometry, b: Geometry) -> bool:
    if type(a) is not type(b):
        return False
    return bool(np.allclose(_numbers(a), _numbers(b), atol=1e-5))


def _numbers(shape: Geometry) -> list[float]:
    if isinstance(shape, Box):
        return list(shape.size)
    if isinstance(shape, Cylinder):
        return [shape.radius, shape.length]
    return [shape.radius] if isinstance(shape, Sphere) else []


def _near(a: SE3, b: SE3) -> bool:
    return bool(np.allclose(a.matrix, b.matrix, atol=1e-5))


def _box_of(link: Link) -> tuple[np.ndarray, np.ndarray]:
    boxes = [bounds(c.geometry, c.pose) for c in link.collisions]
    return np.min([b[0] for b in boxes], axis=0), np.max([b[1] for b in boxes], axis=0)


def _shown(placement: Placement) -> Kept:
    """A kept model with solids to draw it by: its own primitives, boxes around all else."""
    x, y, z = (float(v) for v in placement.pose.translation)
    yaw = _yaw(placement.pose)
    level = SE3.from_parts(so3.from_rpy((0.0, 0.0, yaw)), placement.pose.translation).inverse() @ placement.pose
    solids: list[tuple[str, list[float], list[float], list[float]]] = []
    color: RGBA | None = None
    poses = placement.robot.link_poses()
    for link in placement.robot.links:
        at = level @ poses[link.name]
        shapes: Sequence[Collision | Visual] = link.collisions or link.visuals
        for shape in shapes:
            solids += _drawn(shape.geometry, at @ shape.pose)
        color = color or next((v.material.rgba for v in link.visuals if v.material.rgba), None)
    return Kept(placement.name, x, y, z, yaw, tuple(solids[:200]), hex_of(color))


def _drawn(geometry: Geometry, pose: SE3) -> list[tuple[str, list[float], list[float], list[float]]]:
    at, turn = [float(v) for v in pose.translation], [float(v) for v in so3.to_quaternion(pose.rotation)]
    if isinstance(geometry, Box):
        return [("box", at, list(geometry.size), turn)]
    if isinstance(geometry, Cylinder):
        return [("cylinder", at, [2 * geometry.radius, 2 * geometry.radius, geometry.length], turn)]
    if isinstance(geometry, Sphere):
        return [("sphere", at, [2 * geometry.radius] * 3, turn)]
    try:
        low, high = bounds(geometry, pose)
    except AndanteError:
        return []
    return [("box", [float(v) for v in (low + high) / 2], [float(v) for v in high - low], [0.0, 0.0, 0.0, 1.0])]


def _yaw(pose: SE3) -> float:
    return float(so3.to_rpy(pose.rotation)[2])
