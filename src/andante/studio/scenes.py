"""Robots and worlds as files for the page, made when they are asked for and kept.

Only built-in names and those that the session was started with are known; a path from outside is never opened.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any
from urllib.parse import quote, unquote

from andante.description import load_robot, load_world
from andante.description.load import robot_names, world_names
from andante.description.robot import Robot
from andante.description.world import World

from .mesh_bytes import mesh_bytes
from .scene_parts import collision_parts, visual_parts
from .scene_urdf import COLLISION, MESH, page_urdf
from .scene_world import STATIC, moving_parts, page_world, world_mesh

TYPES = {".urdf": "application/xml", ".json": "application/json", ".mesh": "application/octet-stream"}


@dataclass(frozen=True)
class SceneFile:
    """A file for the page."""

    data: bytes
    media_type: str

    @cached_property
    def etag(self) -> str:
        """A name of the content, for the browser's cache."""
        return f'"{hashlib.sha256(self.data).hexdigest()[:20]}"'


@dataclass(frozen=True)
class Source:
    """Where a robot or world comes from: a built-in name or a file, and its arguments."""

    file: str
    arguments: Mapping[str, str] = field(default_factory=dict)


class Scenes:
    """The files below /robot and /world.

    robot/NAME.urdf, robot/NAME/LINK.mesh, robot/NAME/LINK.collision.mesh, world/NAME.json, world/NAME/PART.mesh
    NAME may be that of a file: it is percent-encoded, so that it holds no slash.
    """

    def __init__(self, robots: Mapping[str, Source] | None = None, worlds: Mapping[str, Source] | None = None) -> None:
        self.robots = {name: Source(name) for name in robot_names()} | dict(robots or {})
        self.worlds = {name: Source(name) for name in world_names()} | dict(worlds or {})
        self._loaded: dict[tuple[str, str], Any] = {}
        self._files: dict[str, SceneFile] = {}
        self._lock = threading.Lock()

    def file(self, path: str) -> SceneFile | None:
        """The file of that path below the root of the page, None where there is no such."""
        with self._lock:
            if path not in self._files:
                data = self._make(path)
                if data is None:
                    return None
                suffix = path[path.rindex(".") :]
                self._files[path] = SceneFile(data, TYPES[suffix])
            return self._files[path]

    def all(self, kind: str, name: str) -> Iterator[tuple[str, SceneFile]]:
        """Every file of a robot or world with its address below the root, encoded once."""
        once = quote(name, safe="")
        paths = [f"robot/{once}.urdf"] if kind == "robot" else [f"world/{once}.json", f"world/{once}/{STATIC}"]
        if kind == "robot":
            paths += [f"robot/{once}/{link.name}{end}" for link in self._robot(name).links for end in (MESH, COLLISION)]
        else:
            paths += [f"world/{once}/{part}.mesh" for part in moving_parts(self._world(name))]
        for path in paths:
            file = self.file(path)
            if file is not None:
                yield path, file

    def _make(self, path: str) -> bytes | None:
        kind, _, rest = path.partition("/")
        name, _, part = rest.partition("/")
        if kind == "robot" and not part and name.endswith(".urdf"):
            name = unquote(name.removesuffix(".urdf"))
            return page_urdf(self._robot(name), folder_of(name)).encode() if name in self.robots else None
        if kind == "world" and not part and name.endswith(".json"):
            name = unquote(name.removesuffix(".json"))
            return json.dumps(page_world(self._world(name), folder_of(name))).encode() if name in self.worlds else None
        name = unquote(name)
        if kind == "robot" and name in self.robots:
            return _robot_mesh(self._robot(name), part)
        if kind == "world" and name in self.worlds:
            return world_mesh(self._world(name), part)
        return None

    def _robot(self, name: str) -> Robot:
        key = ("robot", name)
        if key not in self._loaded:
            source = self.robots[name]
            self._loaded[key] = load_robot(source.file, source.arguments)
        return self._loaded[key]

    def _world(self, name: str) -> World:
        key = ("world", name)
        if key not in self._loaded:
            source = self.worlds[name]
            self._loaded[key] = load_world(source.file, source.arguments)
        return self._loaded[key]


def folder_of(name: str) -> str:
    """The part of an address that names a robot or world: encoded twice, as the server decodes once."""
    return quote(quote(name, safe=""), safe="")


def _robot_mesh(robot: Robot, name: str) -> bytes | None:
    for suffix, parts in ((COLLISION, collision_parts), (MESH, visual_parts)):
        if name.endswith(suffix):
            wanted = name.removesuffix(suffix)
            found = next((link for link in robot.links if link.name == wanted), None)
            return mesh_bytes(parts(found)) if found is not None else None
    return None
