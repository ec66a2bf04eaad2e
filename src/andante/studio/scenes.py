"""Robots and worlds as files for the page, made when they are asked for and kept.

Only built-in names and those that the session was started with are known; a path from outside is never opened.
`SceneNode` tells the page which models were added to a session, and hands over the files that the server lacks.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote

from andante.bags import messages
from andante.bridges.server.access import Page
from andante.description import Robot, World, load_robot, load_world
from andante.description.load import robot_names, world_names

from .formats import COLLISION, MESH, STATIC, moving_parts, page_urdf, page_world, world_mesh
from .meshes import coarse, collision_parts, mesh_bytes, visual_parts

if TYPE_CHECKING:
    from andante.session.session import LiveSession

COARSE = ".coarse.mesh"  # for machines that draw without a graphics card
ROUNDER = 0.9  # crease of coarse meshes [rad]: fewer vertices, and larger faces look less jagged
LIGHT = 10_000  # triangles of a robot in coarse meshes; one that has less stays as it is
TYPES = {".urdf": "application/xml", ".json": "application/json", ".mesh": "application/octet-stream"}
NODE = "studio"


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

    robot/NAME.urdf, robot/NAME/LINK.mesh, .coarse.mesh and .collision.mesh, world/NAME.json, world/NAME/PART.mesh
    NAME may be that of a file: it is percent-encoded, so that it holds no slash.
    """

    def __init__(self, robots: Mapping[str, Source] | None = None, worlds: Mapping[str, Source] | None = None) -> None:
        self.robots = {name: Source(name) for name in robot_names()} | dict(robots or {})
        self.worlds = {name: Source(name) for name in world_names()} | dict(worlds or {})
        self._loaded_robots: dict[str, Robot] = {}
        self._loaded_worlds: dict[str, World] = {}
        self._fractions: dict[str, float] = {}
        self._files: dict[str, SceneFile] = {}
        self._lock = threading.Lock()

    def file(self, path: str) -> SceneFile | None:
        """The file of that path below the root of the page, None where there is no such."""
        with self._lock:
            path = self._finer(path)
            if path not in self._files:
                data = self._make(path)
                if data is None:
                    return None
                suffix = path[path.rindex(".") :]
                self._files[path] = SceneFile(data, TYPES[suffix])
            return self._files[path]

    def all(self, kind: str, name: str, collisions: bool = True) -> Iterator[tuple[str, SceneFile]]:
        """Every file of a robot or world with its address below the root, encoded once."""
        once = quote(name, safe="")
        paths = [f"robot/{once}.urdf"] if kind == "robot" else [f"world/{once}.json", f"world/{once}/{STATIC}"]
        if kind == "robot":
            links = [link.name for link in self._robot(name).links]
            ends = (MESH, COARSE, COLLISION) if collisions else (MESH, COARSE)
            paths += [f"robot/{once}/{link}{end}" for link in links for end in ends]
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
            return _robot_mesh(self._robot(name), part, self._fraction(name) if part.endswith(COARSE) else 1.0)
        if kind == "world" and name in self.worlds:
            return world_mesh(self._world(name), part)
        return None

    def _robot(self, name: str) -> Robot:
        if name not in self._loaded_robots:
            source = self.robots[name]
            self._loaded_robots[name] = load_robot(source.file, source.arguments)
        return self._loaded_robots[name]

    def _finer(self, path: str) -> str:
        """The coarse mesh of a robot that is light enough is the fine one."""
        kind, _, rest = path.partition("/")
        name = unquote(rest.partition("/")[0])
        if kind == "robot" and path.endswith(COARSE) and name in self.robots and self._fraction(name) == 1:
            return path.removesuffix(COARSE) + MESH
        return path

    def _fraction(self, name: str) -> float:
        """Share of the triangles that the robot's coarse meshes keep; 1: they stay as they are."""
        if name not in self._fractions:
            total = sum(len(part.faces) for link in self._robot(name).links for part in visual_parts(link))
            self._fractions[name] = min(1.0, LIGHT / max(1, total))
        return self._fractions[name]

    def _world(self, name: str) -> World:
        if name not in self._loaded_worlds:
            source = self.worlds[name]
            self._loaded_worlds[name] = load_world(source.file, source.arguments)
        return self._loaded_worlds[name]


def folder_of(name: str) -> str:
    """The part of an address that names a robot or world: encoded twice, as the server decodes once."""
    return quote(quote(name, safe=""), safe="")


def _robot_mesh(robot: Robot, name: str, fraction: float) -> bytes | None:
    """A mesh of the robot's folder; coarse ones keep that fraction of their triangles."""
    for suffix in (COLLISION, COARSE, MESH):
        if name.endswith(suffix):
            wanted = name.removesuffix(suffix)
            found = next((link for link in robot.links if link.name == wanted), None)
            if found is None:
                return None
            parts = collision_parts(found) if suffix == COLLISION else visual_parts(found)
            if suffix == COARSE:
                return mesh_bytes([coarse(part, fraction) for part in parts], ROUNDER)
            return mesh_bytes(parts)
    return None


class SceneNode:
    """/scene/models (latched), and pages for robots and worlds that came into the session by file."""

    def __init__(self, session: LiveSession, known: Scenes, add_pages: Callable[[Sequence[Page]], None]) -> None:
        self.session, self.known, self._add_pages = session, known, add_pages
        self._topic = session.bus.advertise("/scene/models", "andante_msgs/msg/Models", latched=True, node=NODE)
        self.rebuilt()

    def update(self) -> None:
        """Nothing happens between rebuilds."""

    def rebuilt(self) -> None:
        """Tell the models of the new scene; serve what is new."""
        session = self.session
        robots, worlds = sources_of(session)
        fresh = Scenes(
            {name: source for name, source in robots.items() if name not in self.known.robots},
            {name: source for name, source in worlds.items() if name not in self.known.worlds},
        )
        new = [("robot", name) for name in fresh.robots if name not in self.known.robots]
        new += [("world", name) for name in fresh.worlds if name not in self.known.worlds]
        for kind, name in new:
            files = fresh.all(kind, name)
            self._add_pages([Page(f"/{path}", None, file.data, file.media_type) for path, file in files])
        self.known.robots.update(fresh.robots)
        self.known.worlds.update(fresh.worlds)
        others = session.choice.others
        names, kinds = [placed.name for placed in others], [placed.robot.name for placed in others]
        self._topic.publish(messages.make("andante_msgs/msg/Models", scene=session.scene, names=names, robots=kinds))

    def close(self) -> None:
        """The session ends."""
        self._topic.close()


def sources_of(session: LiveSession) -> tuple[dict[str, Source], dict[str, Source]]:
    """Robots and worlds of a session that have a file, by the names that /status uses."""
    choice = session.choice
    robots: dict[str, Source] = {}
    if (file := _file(choice.robot)) is not None:
        robots[session.stage.name] = Source(file, dict(choice.arguments))
    for placed in choice.others:
        if (file := placed.robot.source.file) and Path(file).is_file():
            robots.setdefault(placed.robot.name, Source(str(file)))
    worlds = {choice.world_name: Source(file)} if (file := _file(choice.world)) is not None else {}
    return robots, worlds


def _file(thing: Robot | World | str | Path) -> str | None:
    """A name or file that the loaders take."""
    if isinstance(thing, Robot | World):
        return str(thing.source.file) if thing.source.file else None
    return str(thing)
