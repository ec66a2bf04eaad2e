"""Reads SDF 1.4 to 1.12: a model as a `Robot`, a world (or a lone model) as a `World`.

What the file says and we do not use is told in `problems` with file and line; nothing is dropped silently.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import wraps
from pathlib import Path
from typing import ParamSpec, TypeVar

from andante.description.io.resolver import Resolver
from andante.description.io.xmltree import Node
from andante.description.robot import Robot
from andante.description.world import World
from andante.errors import BadInput

from .frames import build_scope
from .include import Document, Reading
from .world import as_robot, lone_world, placements_of, read_world

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
    robot = as_robot(reading, model)
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
        return read_world(reading, build_scope(reading, document, worlds[0], chain))
    scope = build_scope(reading, document, _holder(root), chain)
    if not scope.nested:
        raise root.error("the file holds neither a world nor a model")
    placed = [p for name, model in scope.nested.items() for p in placements_of(reading, model, scope.where(name))]
    return lone_world(placed, next(iter(scope.nested)), reading, root)


def _start(root: Node, path: Path, resolver: Resolver) -> tuple[Reading, Document, tuple[Path, ...]]:
    reading = Reading(resolver)
    reading.report.leftovers(root, TOP)
    return reading, reading.document(root, path), (path.resolve(),)


def _holder(root: Node) -> Node:
    """The models that stand directly in <sdf>, held by a nameless world."""
    children = [child for child in root.children if child.tag in ("model", "include", "light")]
    return Node("world", {"name": ""}, "", children, root.source)
