"""Opens any description file: tells the format by suffix and root element, and calls its reader."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from andante.description.robot import Robot
from andante.description.source import Problem
from andante.description.world import Placement, World
from andante.errors import BadInput

from .resolver import Resolver
from .sidecar import with_sidecar
from .xmltree import Node, gunzip, parse_xml, read_bytes


def read_root(path: Path, arguments: dict[str, str], resolver: Resolver) -> Node:
    """Root element of a file, xacro expanded. A plain file that is given arguments is an error."""
    from .xacro.expand import expand_xacro, is_xacro

    data = read_bytes(path)
    if data[:2] == b"\x1f\x8b":
        data = gunzip(data, str(path))
    if is_xacro(path, data):
        return expand_xacro(path, arguments, resolver)
    if arguments:
        raise BadInput(f"{path} is not a xacro file and takes no arguments, got {', '.join(arguments)}")
    return parse_xml(data, str(path))


def is_world(root: Node) -> bool:
    """Whether a document describes a world: an SDF <world>, or MJCF that holds no body."""
    if root.tag == "mujoco":
        parts = [child for section in root.all("worldbody") for child in section.children]
        return bool(parts) and all(child.tag in ("geom", "light", "camera", "site") for child in parts)
    return root.tag == "sdf" and root.find("world") is not None


def read_robot(path: Path, arguments: dict[str, str] | None = None, resolver: Resolver | None = None) -> Robot:
    """The robot of a URDF, xacro, SDF or MJCF file, with its side file (poses, servos) where there is one."""
    path, resolver = Path(path), resolver or Resolver()
    return robot_of(read_root(path, arguments or {}, resolver), path, resolver)


def robot_of(root: Node, path: Path, resolver: Resolver) -> Robot:
    """The robot of a root element that was read from `path`."""
    if root.tag == "robot":
        from .urdf.reader import read_urdf

        robot = read_urdf(root, path, resolver)
    elif root.tag == "sdf":
        from .sdf.reader import read_sdf_robot

        robot = read_sdf_robot(root, path, resolver)
    elif root.tag == "mujoco":
        from .mjcf.reader import read_mjcf_robot

        robot = read_mjcf_robot(root, path, resolver)
    else:
        raise root.error("not a robot description; the root element should be <robot>, <sdf> or <mujoco>")
    return with_sidecar(replace(robot, problems=(*_said(root), *robot.problems)), path)


def _said(root: Node) -> tuple[Problem, ...]:
    """What the expansion of a xacro file had to say."""
    return tuple(getattr(root, "problems", ()))


def read_world(path: Path, arguments: dict[str, str] | None = None, resolver: Resolver | None = None) -> World:
    """The world of an SDF or MJCF file; a file with only a model becomes a world with that model in it."""
    path, resolver = Path(path), resolver or Resolver()
    return world_of(read_root(path, arguments or {}, resolver), path, resolver)


def world_of(root: Node, path: Path, resolver: Resolver) -> World:
    """The world of a root element that was read from `path`."""
    if root.tag == "sdf":
        from .sdf.reader import read_sdf_world

        return read_sdf_world(root, path, resolver)
    if root.tag == "mujoco":
        from .mjcf.reader import read_mjcf_world

        return read_mjcf_world(root, path, resolver)
    if root.tag == "robot":
        from .urdf.reader import read_urdf

        robot = read_urdf(root, path, resolver)
        return World(
            robot.name,
            (Placement(robot.name, replace(robot, fixed_base=True), fixed=True),),
            source=robot.source,
        )
    raise root.error("not a world; the root element should be <sdf> or <mujoco>")
