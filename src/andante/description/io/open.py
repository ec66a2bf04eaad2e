"""Opens any description file: tells the format by suffix and root element, and calls its reader.

A robot may have a side file, NAME.toml beside NAME.urdf(.xacro), SDF or MJCF, with poses, servo gains and masks:

[poses.Stand]            # joint = position [rad or m]
HipPitch = -0.45
[servos."L*Pitch"]       # joint name or glob: kp kd kv effort velocity delay backlash
kp = 60.0
[collisions]
self_collide = true
never = [["torso", "upper_arm"]]
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from typing import Any

from andante.description import Mesh, Placement, Robot, World
from andante.errors import BadInput, UnknownName
from andante.files import read_toml

from . import mjcf, sdf
from .forgive import IN_MJCF, forgiven
from .plugins import with_plugin_sensors
from .resolver import Resolver
from .urdf.reader import read_urdf
from .xacro import is_xacro
from .xmltree import LARGEST, Node, gunzip, parse_xml, read_bytes

MAX_BYTES = 1024 * 1024
SERVO_KEYS = ("kp", "kd", "kv", "effort", "velocity", "delay", "backlash", "step")


def read_root(path: Path, arguments: dict[str, str], resolver: Resolver) -> Node:
    """Root element of a file, xacro expanded. A plain file that is given arguments is an error."""
    data = read_bytes(path)
    if data[:2] == b"\x1f\x8b":
        data = gunzip(data, str(path))
    if is_xacro(path, data):
        from .xacro.expand import expand_xacro  # here, as most files do without

        return expand_xacro(path, arguments, resolver)
    if arguments:
        raise BadInput(f"{path} is not a xacro file and takes no arguments, got {', '.join(arguments)}")
    return parse_xml(data, str(path))


def is_world(root: Node) -> bool:
    """Whether a document describes a world: an SDF <world>, or MJCF that holds no body."""
    if root.tag == "mujoco":
        parts = [child for section in root.all("worldbody") for child in section.children]
        elsewhere = any(child.tag == "include" for child in root.children)
        return (bool(parts) or not elsewhere) and all(
            child.tag in ("geom", "light", "camera", "site") for child in parts
        )
    return root.tag == "sdf" and root.find("world") is not None


def read_robot(path: Path, arguments: dict[str, str] | None = None, resolver: Resolver | None = None) -> Robot:
    """The robot of a URDF, xacro, SDF or MJCF file, with its side file (poses, servos) where there is one."""
    path, resolver = Path(path), resolver or Resolver()
    return robot_of(read_root(path, arguments or {}, resolver), path, resolver)


def robot_of(root: Node, path: Path, resolver: Resolver) -> Robot:
    """The robot of a root element that was read from `path`."""
    if root.tag == "mujocoinclude":
        raise root.error("a part that other MJCF files include, no robot by itself; open the file that includes it")
    if root.tag == "robot":
        robot = forgiven(lambda: read_urdf(root, path, resolver), lambda: [root])
    elif root.tag == "sdf":
        robot = forgiven(lambda: sdf.read_sdf_robot(root, path, resolver), lambda: [root, *resolver.opened.values()])
    elif root.tag == "mujoco":
        robot = forgiven(lambda: mjcf.read_mjcf_robot(root, path, resolver), lambda: [root], IN_MJCF)
    else:
        raise root.error("not a robot description; the root element should be <robot>, <sdf> or <mujoco>")
    robot = replace(robot, problems=(*root.problems, *robot.problems))
    return with_sidecar(with_plugin_sensors(_upright(robot)), path)


def _upright(robot: Robot) -> Robot:
    """The robot with COLLADA hulls that would lie below its wheels turned back."""
    meshes = (each.geometry for link in robot.links for each in link.collisions if isinstance(each.geometry, Mesh))
    if not any(mesh.path is not None and mesh.path.suffix.lower() == ".dae" for mesh in meshes):
        return robot
    from andante.description.mesh.upright import upright  # here, as most robots do without

    return upright(robot)


def read_world(path: Path, arguments: dict[str, str] | None = None, resolver: Resolver | None = None) -> World:
    """The world of an SDF or MJCF file; a file with only a model becomes a world with that model in it."""
    path, resolver = Path(path), resolver or Resolver()
    if path.suffix.lower() == ".toml":
        from andante.description.load import load_world

        from .moving_world import read_moving_world

        return read_moving_world(path, load_world)
    return world_of(read_root(path, arguments or {}, resolver), path, resolver)


def world_of(root: Node, path: Path, resolver: Resolver) -> World:
    """The world of a root element that was read from `path`."""
    world = _world_of(root, path, resolver)
    return replace(world, problems=(*root.problems, *world.problems)) if root.problems else world


def _world_of(root: Node, path: Path, resolver: Resolver) -> World:
    if root.tag == "sdf":
        return forgiven(lambda: sdf.read_sdf_world(root, path, resolver), lambda: [root, *resolver.opened.values()])
    if root.tag == "mujoco":
        return forgiven(lambda: mjcf.read_mjcf_world(root, path, resolver), lambda: [root], IN_MJCF)
    if root.tag == "robot":
        robot = forgiven(lambda: read_urdf(root, path, resolver), lambda: [root])
        placed = Placement(robot.name, replace(robot, fixed_base=True), fixed=True)
        return World(robot.name, (placed,), source=robot.source)
    raise root.error("not a world; the root element should be <sdf> or <mujoco>")


def sidecar_path(path: Path) -> Path:
    """robot.urdf.xacro -> robot.toml."""
    stem = path.name
    for suffix in (".xacro", ".urdf", ".sdf", ".world", ".xml", ".mjcf"):
        stem = stem.removesuffix(suffix)
    return path.with_name(stem + ".toml")


def with_sidecar(robot: Robot, path: Path) -> Robot:
    """The robot with what its side file adds; unchanged when there is none."""
    side = sidecar_path(path)
    if not side.is_file():
        return robot
    data = read_toml(side, MAX_BYTES)
    UnknownName.check("section", sorted(data), ("poses", "servos", "collisions"), str(side))
    poses = _tables(side, data, "poses", "joint", robot.joint_names)
    servos = _tables(side, data, "servos", "servo value", SERVO_KEYS)
    collisions = data.get("collisions", {})
    if (
        not isinstance(collisions, dict)
        or set(collisions) - {"never", "self_collide"}
        or not isinstance(collisions.get("never", []), list)
        or not isinstance(collisions.get("self_collide", False), bool)
    ):
        raise BadInput(f"{side}: [collisions] needs self_collide = true/false and never = [[link, link], ...]")
    pairs, known = set(robot.no_collision), sorted(link.name for link in robot.links)
    for pair in collisions.get("never", []):
        if not (isinstance(pair, list) and len(pair) == 2 and all(isinstance(n, str) for n in pair)):
            raise BadInput(f"{side}: collisions.never needs pairs of link names, got {pair!r}")
        UnknownName.check("link", pair, known, f"{side} [collisions]")
        pairs.add(frozenset(pair))
    return replace(
        robot,
        poses={**robot.poses, **poses},
        servos={**robot.servos, **servos},
        self_collide=bool(collisions.get("self_collide", robot.self_collide)),
        no_collision=frozenset(pairs),
    )


def _tables(side: Path, data: dict[str, Any], section: str, what: str, known: Collection[str]) -> dict[str, Any]:
    """The tables of a section, each with numbers under known names."""
    tables = data.get(section, {})
    if not isinstance(tables, dict) or not all(isinstance(t, dict) for t in tables.values()):
        raise BadInput(f"{side}: [{section}] needs one table per name, like [{section}.NAME]")
    numbers = {name: _numbers(side, f"{section}.{name}", table) for name, table in tables.items()}
    for name, table in numbers.items():
        UnknownName.check(what, table, known, f"{side} [{section}.{name}]")
    return numbers


def _numbers(side: Path, where: str, table: dict[str, Any]) -> dict[str, float]:
    for key, value in table.items():
        if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= LARGEST:
            raise BadInput(f"{side}: {where}.{key} should be a number up to {LARGEST:g}, got {str(value)[:40]}")
    return {key: float(value) for key, value in table.items()}
