"""Whether robots stand inside each other, seen from above."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import numpy as np

from andante.control.start import first_positions
from andante.description import Robot
from andante.errors import AndanteError, BadInput
from andante.geometry import Array, se2

if TYPE_CHECKING:
    from .live_robot import LiveRobot

TOUCH = 0.005  # outlines that overlap by less do not count [m]


def outline_at(robot: Robot, place: tuple[float, float, float], joints: Mapping[str, float] | None = None) -> Array:
    """Convex outline (n, 2) of a robot from above at x, y, yaw of its root [m]; empty without collision shapes.

    joints: where they are; None: as it starts.
    """
    from andante.navigation.vehicle import robot_outline  # and with it all of navigation

    try:
        there = first_positions(robot, None) if joints is None else joints
        return np.asarray(se2.transform(np.array(place), robot_outline(robot, positions=there)), dtype=float)
    except AndanteError:
        return np.zeros((0, 2))


def overlap(a: Array, b: Array) -> float:
    """How deep two convex outlines (n, 2) lie in each other [m], by the axes of their edges; 0 or less: they do not."""
    deepest = np.inf
    for outline in (a, b):
        along = np.roll(outline, -1, axis=0) - outline
        for x, y in along / np.maximum(np.linalg.norm(along, axis=1, keepdims=True), 1e-12):
            normal = np.array([-y, x])
            first, second = a @ normal, b @ normal
            deepest = min(deepest, float(min(first.max() - second.min(), second.max() - first.min())))
    return deepest


def refuse_overlap(robot: Robot, name: str, place: tuple[float, float, float], others: Iterable[LiveRobot]) -> None:
    """BadInput, with the words which, where a robot at x, y, yaw would stand inside one of the others."""
    rest = [other for other in others if other.name != name]
    mine = outline_at(robot, place) if rest else np.zeros((0, 2))
    for other in rest:
        sim = other.stage.sim
        x, y, _, qx, qy, qz, qw = sim.base_pose.tolist()
        yaw = float(np.arctan2(2 * (qw * qz + qx * qy), 1 - 2 * (qy * qy + qz * qz)))
        here = sim.joints
        theirs = outline_at(sim.robot, (x, y, yaw), dict(zip(here.names, here.position.tolist(), strict=True)))
        refuse_inside(name, mine, other.name, theirs)


def refuse_inside(name: str, mine: Array, other: str, theirs: Array) -> None:
    """BadInput where two outlines overlap."""
    if len(mine) and len(theirs) and (depth := overlap(mine, theirs)) > TOUCH:
        raise BadInput(f"{name} would stand inside {other}: they overlap by {depth:.2f} m; choose another place")
