"""Step and solver as a trial: how well and how fast an engine holds a stack of boxes, a standing or a walking robot."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from andante.description import Box, Collision, Inertia, Link, Placement, Robot, SolverSettings, Surface
from andante.description.load import load_robot, load_world
from andante.description.solver import parse_settings
from andante.errors import Diverged, UnknownName
from andante.experiments.perturbed import perturbed_robot, perturbed_world
from andante.experiments.setup import Setup, Terms, default_robot, solver_value
from andante.geometry import SE3, Array
from andante.physics import engine_class
from andante.physics.solver import lacking
from andante.simulation.simulation import Simulation, simulate

from .walk import walk_trial

SCENES = ("stack", "standing", "walking")
USUAL = "usual"  # the level at which nothing is set
MEASURES = ("applies", "stable", "off", "creep", "jitter", "real_time_factor")
TERMS = Terms("solver settings", settings=("robot", "world", "scene", "set", "solver", "dt"), measures=MEASURES)


@dataclass(frozen=True)
class SolverTrialSettings:
    """Sizes of the scenes, and what counts as stable."""

    boxes: int = 5
    side: float = 0.2  # of the boxes, which are half as high [m]
    lowest_mass: float = 1.0  # [kg]
    ratio: float = 2.0  # each box is so much heavier than the one below: hard for solvers that iterate
    apart: float = 0.004  # boxes stand up to this far aside [m]
    seconds: float = 3.0  # how long things stand
    watched: float = 1.0  # of that, at the end, creep and jitter are measured [s]
    most_off: float = 0.02  # [m]
    most_creep: float = 0.01  # [m]
    walk: float = 0.5  # distance [m]
    walk_speed: float = 60.0  # [%]


TRIAL = SolverTrialSettings()


def solver_trial(setup: Setup) -> dict[str, Any]:
    """Hold a `scene` with one or more settings as `set` says them: "usual", "erp=0.3", "iterations=20, dt=0.001".

    stack: boxes, each heavier than the one below; off: how far the top is from where it belongs. standing: the `robot`
    holds its first pose; off: how far its root moves. walking: it walks; off: how far it ends from its goal.

    Measures: applies (the engine has the setting), stable (nothing flew apart, fell or ended `off`), off [m], creep
    over the last second [m], jitter (rms speed in it) [m/s], real_time_factor (of a walk with the building of its
    scene). An engine without the setting has none of the others.
    """
    values = TERMS.values(setup)
    scene = str(values.get("scene", SCENES[0]))
    UnknownName.check("scene", scene, SCENES)
    asked = case_settings(values.get("set", USUAL)).over(solver_value(values))
    if lacking(engine_class(setup.engine), asked):
        return {"success": True, "applies": False, **dict.fromkeys(MEASURES[1:], math.nan)}
    try:
        told = _walk(setup, values, asked) if scene == "walking" else _hold(setup, values, scene, asked)
    except Diverged:
        told = {**dict.fromkeys(MEASURES, math.nan), "stable": False}
    return {"success": bool(told["stable"]), **told, "applies": True}


def case_settings(words: Any) -> SolverSettings:
    """The settings of a level such as "erp=0.3" or "iterations=20, dt=0.001"; "usual": none."""
    return parse_settings("" if words == USUAL else str(words))


def _hold(setup: Setup, values: Mapping[str, Any], scene: str, asked: SolverSettings) -> dict[str, Any]:
    draw, model = setup.draw, setup.model
    world = perturbed_world(load_world(str(values.get("world", "empty"))), draw, model)
    if scene == "stack":
        blocks = stack(TRIAL, setup.seed)
        top = blocks[-1]
        sim = simulate(
            replace(top.robot, name="top"), world, setup.engine, others=blocks[:-1], solver=asked, seed=setup.seed
        )
        sim.engine.set_base(sim.model, top.pose.vector)
    else:
        robot = perturbed_robot(load_robot(str(values.get("robot") or default_robot("solver"))), draw, model)
        sim = simulate(robot, world, setup.engine, start=(0.0, 0.0, draw.yaw), solver=asked, seed=setup.seed)
    try:
        return _watched(sim, sim.base_pose[:3].copy())
    finally:
        sim.close()


def stack(settings: SolverTrialSettings, seed: int) -> list[Placement]:
    """Boxes on each other, the lowest first, each a little aside and turned."""
    rng = np.random.default_rng((0x57AC, seed))
    side, height, mass = settings.side, settings.side / 2, settings.lowest_mass
    placed = []
    for i in range(settings.boxes):
        flat = mass / 12 * (side**2 + height**2)
        shape = Collision(Box((side, side, height)), surface=Surface(mu=0.8))
        inertia = Inertia(mass, (0, 0, 0), (flat, 0, 0, flat, 0, mass / 6 * side**2))
        x, y = rng.uniform(-settings.apart, settings.apart, 2)
        at = SE3.from_xyz_rpy((x, y, height * (i + 0.5)), (0, 0, rng.uniform(-0.05, 0.05)))
        placed.append(Placement(f"box{i}", Robot(f"box{i}", (Link(f"box{i}", inertia, collisions=(shape,)),)), at))
        mass *= settings.ratio
    return placed


def _watched(sim: Simulation, start: Array) -> dict[str, Any]:
    """Let it stand, and measure the root of the simulated robot (or the box on top)."""
    begun = time.perf_counter()
    sim.run(TRIAL.seconds - TRIAL.watched)
    before, speeds = sim.base_pose[:3].copy(), []
    for _ in range(round(TRIAL.watched / 0.02)):
        sim.run(0.02)
        speeds.append(float(np.linalg.norm(sim.engine.base_velocity(sim.model)[:3])))
    wall = time.perf_counter() - begun
    here = sim.base_pose[:3]
    off, creep = float(np.linalg.norm(here - start)), float(np.linalg.norm(here - before))
    return {
        "stable": off <= TRIAL.most_off and creep <= TRIAL.most_creep and not (sim.robot.movable and sim.fallen),
        "off": off,
        "creep": creep,
        "jitter": math.sqrt(float(np.mean(np.square(speeds)))),
        "real_time_factor": TRIAL.seconds / wall,
    }


def _walk(setup: Setup, values: Mapping[str, Any], asked: SolverSettings) -> dict[str, Any]:
    arguments = {"robot": str(values.get("robot") or default_robot("solver")), "solver": asked.stated}
    goal = {"distance": TRIAL.walk, "speed": TRIAL.walk_speed}
    begun = time.perf_counter()
    walked = walk_trial(replace(setup, factors=goal, arguments=arguments))
    factor = walked["time"] / (time.perf_counter() - begun)
    off = math.hypot(walked["x"] - TRIAL.walk, walked["y"])
    none = {"creep": math.nan, "jitter": math.nan}
    return {"stable": not walked["fallen"], "off": off, "real_time_factor": factor, **none}
