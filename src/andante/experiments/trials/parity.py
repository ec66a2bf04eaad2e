"""Engines beside each other: a robot stands, a robot walks, a block slides; each beside what it should do."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from andante.description import Inertia, Link, Robot, SolverSettings, load_robot, load_world
from andante.description.link import Collision, Surface
from andante.description.shapes import Box
from andante.errors import UnknownName
from andante.experiments.perturbed import perturbed_robot, perturbed_world
from andante.experiments.setup import Setup, Terms, default_robot, solver_value
from andante.gravity import GRAVITY
from andante.simulation.simulation import simulate

from .walk import walk_trial

SCENES = ("standing", "walking", "sliding")
TERMS = Terms(
    "parity", settings=("robot", "scene", "solver", "dt", "iterations"), measures=("value", "expected", "off", "fallen")
)
SPEED, MU = 1.5, 0.5  # of the block [m/s]
STAND, WALK = 3.0, 0.5  # [s, m]


def parity_trial(setup: Setup) -> dict[str, Any]:
    """One of three scenes with a step size `dt` [s] and solver `iterations` (0: the engine's own).

    standing: how far the `robot` sinks or moves in 3 s, expected 0; walking: how far it comes of 0.5 m; sliding: how
    far a block with 1.5 m/s slides, expected v²/(2 mu g).

    Measures: value, expected, off = value - expected [m], fallen.
    """
    values = TERMS.values(setup)
    scene = str(values.get("scene", "standing"))
    if scene not in SCENES:
        raise UnknownName.among("scene", scene, SCENES)
    robot = str(values.get("robot") or default_robot("parity"))
    if not values.get("iterations"):
        values.pop("iterations", None)
    solver = solver_value(values, "dt", "iterations")
    if scene == "walking":
        arguments = {"robot": robot, "solver": solver.stated}
        walked = walk_trial(replace(setup, factors={"distance": WALK, "speed": 60.0}, arguments=arguments))
        return _measures(walked["x"], WALK, bool(walked["fallen"]), walked["path"])
    return _stand(setup, robot, solver) if scene == "standing" else _slide(setup, solver)


def _stand(setup: Setup, name: str, solver: SolverSettings) -> dict[str, Any]:
    draw, model = setup.draw, setup.model
    robot, world = perturbed_robot(load_robot(name), draw, model), perturbed_world(load_world("empty"), draw, model)
    sim = simulate(robot, world, setup.engine, solver=solver, start=(0.0, 0.0, draw.yaw), seed=setup.seed)
    try:
        start = sim.base_pose[:3].copy()
        sim.run(STAND)
        return _measures(float(np.linalg.norm(sim.base_pose[:3] - start)), 0.0, sim.fallen)
    finally:
        sim.close()


def _slide(setup: Setup, solver: SolverSettings) -> dict[str, Any]:
    """A block on the ground; its friction is drawn about 0.5, so that what is expected differs from trial to trial."""
    mu = MU * (setup.draw.friction or 1.0)
    shape = Collision(Box((0.2, 0.2, 0.05)), surface=Surface(mu=mu))
    block = Robot(
        "block",
        links=(Link("block", Inertia(1.0, (0, 0, 0), (0.004, 0, 0, 0.004, 0, 0.007)), collisions=(shape,)),),
        joints=(),
    )
    world = perturbed_world(load_world("empty"), replace(setup.draw, friction=mu), {})
    sim = simulate(block, world, setup.engine, solver=solver)
    try:
        sim.run(0.2)
        pose = sim.base_pose.copy()
        sim.engine.set_base(
            sim.model, pose, (SPEED * math.cos(setup.draw.yaw), SPEED * math.sin(setup.draw.yaw), 0, 0, 0, 0)
        )
        sim.run(SPEED / (mu * GRAVITY) + 0.5)
        return _measures(float(np.hypot(*(sim.base_pose[:2] - pose[:2]))), SPEED**2 / (2 * mu * GRAVITY), False)
    finally:
        sim.close()


def _measures(value: float, expected: float, fallen: bool, path: Any = ()) -> dict[str, Any]:
    told = {"success": not fallen, "value": value, "expected": expected, "off": value - expected, "fallen": fallen}
    return {**told, "path": path} if len(path) else told
