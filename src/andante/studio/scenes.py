"""Robots and worlds as files for the page, made when they are asked for and kept.

Only built-in names and those that the session was started with are known; a path from outside is never opened.
`SceneNode` tells the page which models were added to a session, and hands over the files that the server lacks;
`scene_routes` adds the addresses of built-in ones to the server process.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote

from andante.bags import messages
from andante.bridges.server.access import Page
from andante.description import Robot, World, load_robot, load_world
from andante.description.load import robot_file, robot_names, world_names
from andante.errors import AndanteError

from . import formats
from .buffers import coarse, mesh_bytes
from .recordings import recording_routes
from .uploads import upload_routes

if TYPE_CHECKING:
    from starlette.routing import BaseRoute

    from andante.session.session import LiveSession


COARSE = ".coarse.mesh"  # for machines that draw without a graphics card
ROUNDER = 0.9  # crease of coarse meshes [rad]: fewer vertices, and larger faces look less jagged
SMALL = 1024  # files below go over the wire as they are [bytes]
LIGHT = 10_000  # triangles of a robot in coarse meshes; one that has less stays as it is
TYPES = {".urdf": "application/xml", ".json": "application/json", ".mesh": "application/octet-stream"}
WHOLE = {"robot": ".urdf", "world": ".json"}  # the file that tells of all
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

    @cached_property
    def packed(self) -> bytes:
        """The data as gzip, packed once."""
        return gzip.compress(self.data, 5, mtime=0)


@dataclass(frozen=True)
class Source:
    """Where a robot or world comes from: a built-in name or a file, and its arguments."""

    file: str
    arguments: Mapping[str, str] = field(default_factory=dict)
    stamp: int = 0  # of the file [ns]

    @classmethod
    def of(cls, file: str, arguments: Mapping[str, str] | None = None) -> Source:
        """That of a file as it is now, or of a built-in name."""
        path = Path(file)
        return cls(file, dict(arguments or {}), path.stat().st_mtime_ns if path.is_file() else 0)

    @property
    def version(self) -> str:
        """Changes with the file and its arguments; empty for built-in names."""
        if not self.stamp:
            return ""
        told = f"{self.file} {self.stamp} {sorted(self.arguments.items())}"
        return hashlib.sha256(told.encode()).hexdigest()[:12]


class Scenes:
    """The files below /robot and /world.

    robot/NAME.urdf, robot/NAME/LINK.mesh, .coarse.mesh and .collision.mesh, world/NAME.json, world/NAME/PART.mesh
    NAME may be that of a file: it is percent-encoded, so that it holds no slash.
    """

    def __init__(self, robots: Mapping[str, Source] | None = None, worlds: Mapping[str, Source] | None = None) -> None:
        self.sources = {
            "robot": {name: Source(name) for name in robot_names()} | dict(robots or {}),
            "world": {name: Source(name) for name in world_names()} | dict(worlds or {}),
        }
        self._loaded: dict[tuple[str, str], Any] = {}
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
        paths = [f"robot/{once}.urdf"] if kind == "robot" else [f"world/{once}.json", f"world/{once}/{formats.STATIC}"]
        if kind == "robot":
            links = [link.name for link in self._load("robot", name).links]
            ends = (formats.MESH, COARSE, formats.COLLISION) if collisions else (formats.MESH, COARSE)
            paths += [f"robot/{once}/{link}{end}" for link in links for end in ends]
        else:
            paths += [f"world/{once}/{part}.mesh" for part in formats.moving_parts(self._load("world", name))]
        for path in paths:
            file = self.file(path)
            if file is not None:
                yield path, file

    def _make(self, path: str) -> bytes | None:
        kind, _, rest = path.partition("/")
        name, _, part = rest.partition("/")
        whole = rest.endswith(WHOLE.get(kind, "/")) and "/" not in rest
        name = unquote(name.removesuffix(WHOLE[kind]) if whole else name)
        if name not in self.sources.get(kind, {}) or not (whole or part):
            return None
        thing = self._load(kind, name)
        if kind == "world" and part:
            return formats.world_mesh(thing, part)
        if kind == "world":
            return json.dumps(formats.page_world(thing, folder_of(name))).encode()
        if part:
            return _robot_mesh(thing, part, self._fraction(name) if part.endswith(COARSE) else 1.0)
        return formats.page_urdf(thing, folder_of(name)).encode()

    def _load(self, kind: str, name: str) -> Any:
        """A robot or world, read once."""
        if (kind, name) not in self._loaded:
            source = self.sources[kind][name]
            load: Callable[..., Any] = load_robot if kind == "robot" else load_world
            self._loaded[kind, name] = load(source.file, source.arguments)
        return self._loaded[kind, name]

    def _finer(self, path: str) -> str:
        """The coarse mesh of a robot that is light enough is the fine one."""
        kind, _, rest = path.partition("/")
        name = unquote(rest.partition("/")[0])
        if kind == "robot" and path.endswith(COARSE) and name in self.sources[kind] and self._fraction(name) == 1:
            return path.removesuffix(COARSE) + formats.MESH
        return path

    def _fraction(self, name: str) -> float:
        """Share of the triangles that the robot's coarse meshes keep; 1: they stay as they are."""
        if name not in self._fractions:
            robot = self._load("robot", name)
            total = sum(len(part.faces) for link in robot.links for part in formats.visual_parts(link, robot))
            self._fractions[name] = min(1.0, LIGHT / max(1, total))
        return self._fractions[name]


def folder_of(name: str) -> str:
    """The part of an address that names a robot or world: encoded twice, as the server decodes once."""
    return quote(quote(name, safe=""), safe="")


def _robot_mesh(robot: Robot, name: str, fraction: float) -> bytes | None:
    """A mesh of the robot's folder; coarse ones keep that fraction of their triangles."""
    for suffix in (formats.COLLISION, COARSE, formats.MESH):
        if name.endswith(suffix):
            wanted = name.removesuffix(suffix)
            found = next((link for link in robot.links if link.name == wanted), None)
            if found is None:
                return None
            parts = (
                formats.collision_parts(found) if suffix == formats.COLLISION else formats.visual_parts(found, robot)
            )
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
        told = dict(zip(("robot", "world"), sources_of(session), strict=True))
        new = {
            kind: {name: source for name, source in found.items() if self.known.sources[kind].get(name) != source}
            for kind, found in told.items()
        }
        fresh = Scenes(new["robot"], new["world"])
        for kind, sources in new.items():
            for name in sources:
                files = fresh.all(kind, name)
                self._add_pages([Page(f"/{path}", None, file.data, file.media_type) for path, file in files])
            self.known.sources[kind].update(sources)
        others = added_models(session)
        names, kinds = [name for name, _ in others], [robot.name for _, robot in others]
        shown = [("robot", session.stage.name), ("world", session.choice.world_name), *(("robot", k) for k in kinds)]
        versions = [source.version if (source := told[kind].get(name)) else "" for kind, name in shown]
        self._topic.publish(
            messages.make("andante_msgs/msg/Models", scene=session.scene, names=names, robots=kinds, versions=versions)
        )

    def repopulated(self) -> None:
        """Tell the models that stand in the scene now."""
        self.rebuilt()

    def close(self) -> None:
        """The session ends."""
        self._topic.close()


def sources_of(session: LiveSession) -> tuple[dict[str, Source], dict[str, Source]]:
    """Robots and worlds of a session that have a file, by the names that /status uses."""
    choice = session.choice
    robots: dict[str, Source] = {}
    if (file := _file(choice.robot)) is not None:
        robots[session.stage.name] = Source.of(file, choice.arguments)
    for _, robot in added_models(session):
        if (file := robot.source.file) and Path(file).is_file():
            own = robot.name in robot_names() and Path(file) == robot_file(robot.name)  # which the server has
            robots.setdefault(robot.name, Source.of(robot.name if own else str(file)))
    worlds = {choice.world_name: Source.of(file)} if (file := _file(choice.world)) is not None else {}
    return robots, worlds


def added_models(session: LiveSession) -> list[tuple[str, Robot]]:
    """Things and robots that stand in the scene beside its first robot, by name."""
    things = [(placed.name, placed.robot) for placed in session.choice.others]
    return things + [(name, fellow.stage.robot) for name, fellow in session.crew.companions.items()]


def _file(thing: Robot | World | str | Path) -> str | None:
    """A name or file that the loaders take."""
    if isinstance(thing, Robot | World):
        return str(thing.source.file) if thing.source.file else None
    return str(thing)


def scene_routes(_bus: object, arguments: dict[str, list[str]] | None) -> list[BaseRoute]:
    """Routes of /robot/... and /world/..., for `start_server(routes=ROUTES, arguments=scene_arguments(...))`."""
    from starlette.concurrency import run_in_threadpool
    from starlette.requests import Request
    from starlette.responses import JSONResponse, PlainTextResponse, Response
    from starlette.routing import Route

    scenes = Scenes()
    threading.Thread(target=prepare, args=(scenes, arguments or {}), daemon=True).start()

    async def answer(request: Request) -> Response:
        path = request.url.path.lstrip("/")
        try:
            found = await run_in_threadpool(scenes.file, request.scope["path"].lstrip("/"))
        except AndanteError as error:
            return PlainTextResponse(f"andante: {error}\n", 422)
        if found is None:
            return PlainTextResponse(f"andante: no {path[:100]}\n", 404)
        headers = {"etag": found.etag, "cache-control": "no-cache"}
        if request.headers.get("if-none-match") == found.etag:
            return Response(status_code=304, headers=headers)
        if "gzip" in request.headers.get("accept-encoding", "") and len(found.data) > SMALL:
            headers |= {"content-encoding": "gzip", "vary": "accept-encoding"}
            data = await run_in_threadpool(lambda: found.packed)
            return Response(data, media_type=found.media_type, headers=headers)
        return Response(found.data, media_type=found.media_type, headers=headers)

    named = {kind: (arguments or {}).get(f"{kind}s", []) for kind in scenes.sources}
    first = {kind: next((n for n in names if n in scenes.sources[kind]), None) for kind, names in named.items()}

    mark = next(iter((arguments or {}).get("session", [])), "")

    async def opening(_: Request) -> Response:
        return JSONResponse({**first, "session": mark})

    folder = next(iter((arguments or {}).get("folder", [])), "")
    return [
        *([*upload_routes(Path(folder)), *recording_routes(Path(folder))] if folder else []),
        Route("/robot/{path:path}", answer),
        Route("/world/{path:path}", answer),
        Route("/scene.json", opening),  # what the page may load while the session is still being built
    ]


def prepare(scenes: Scenes, wanted: dict[str, list[str]]) -> None:
    """Make the files of some robots and worlds ahead of the page that will ask for them."""
    for kind in ("world", "robot"):
        for name in wanted.get(f"{kind}s", []):
            if name in scenes.sources[kind]:
                for _ in scenes.all(kind, name, collisions=False):
                    pass
