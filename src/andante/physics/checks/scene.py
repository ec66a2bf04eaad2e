"""Checks of the scene as a whole: rays, snapshots, determinism, weightless links."""

from __future__ import annotations

import math
import tempfile
from pathlib import Path

import numpy as np

from andante.description.shapes import Box, Capsule, Cylinder, Geometry, Plane, Sphere
from andante.description.world import Placement
from andante.geometry import SE3, Array
from andante.physics.engine import Engine
from andante.physics.state import Settings

from . import specimens
from .result import Checks, Findings

SCENE = Checks()


@SCENE.add
def rays(engine: type[Engine], found: Findings) -> None:
    """Rays meet every kind of shape at the right distance (1 mm), report model and link, miss with inf, can ignore."""
    with tempfile.TemporaryDirectory() as folder:
        mesh = specimens.write_box_mesh(Path(folder) / "brick.obj", (0.2, 0.4, 0.6))
        cases: tuple[tuple[str, Geometry, float], ...] = (
            ("box", Box((0.2, 0.4, 0.6)), 0.1),
            ("sphere", Sphere(0.25), 0.25),
            ("cylinder", Cylinder(0.15, 0.8), 0.15),
            ("capsule", Capsule(0.12, 0.5), 0.12),
            ("mesh", mesh, 0.1),
        )
        models = tuple(
            Placement(name, specimens.solid(name, shape), SE3.from_xyz_rpy((2.0, 3.0 * i, 1.0)), fixed=True)
            for i, (name, shape, _) in enumerate(cases)
        )
        scene = engine(specimens.world(*models, specimens.ground()), settings=Settings())
        origins = np.array([[0.0, 3.0 * i, 1.0] for i in range(len(cases))])
        ahead = np.tile([3.0, 0.0, 0.0], (len(cases), 1))  # directions need not be unit vectors
        hits = scene.cast_rays(origins, ahead, 10.0)
        for i, (name, _, front) in enumerate(cases):
            found.close(f"distance to a {name} [m]", hits.distance[i], 2.0 - front, 0.001)
            found.close(f"model of a {name}", hits.model[i], i, 0.1)
            found.close(f"link of a {name}", hits.link[i], 0, 0.1)
        short = scene.cast_rays(origins, ahead, 1.0)
        found.true("beyond the range: inf and -1", bool(np.isinf(short.distance).all() and (short.model == -1).all()))
        up = scene.cast_rays([[0, 0, 1.0]], [[0, 0, 1.0]], 10.0)
        found.true("a miss: inf and -1", bool(np.isinf(up.distance[0]) and up.model[0] == -1 and up.link[0] == -1))
        down = scene.cast_rays([[-40.0, 30.0, 1.0]], [[0.0, 3.0, -4.0]], 10.0)
        found.close("slant distance to the plane [m]", down.distance[0], 1.25, 0.001)
        past = scene.cast_rays([[0, 0, 1.0]], [[1.0, 0, 0]], 10.0, ignore=0)
        found.true("an ignored model is passed", bool(np.isinf(past.distance[0])))
        found.close("no rays", len(scene.cast_rays(np.zeros((0, 3)), np.zeros((0, 3)), 1.0).distance), 0, 0)


@SCENE.add
def ray_batch(engine: type[Engine], found: Findings) -> None:
    """A batch of 1000 rays from one origin or many gives what the single rays give; moving bodies are met too."""
    rng = np.random.default_rng(3)
    radius, center = 0.5, np.array([0.2, -0.1, 2.0])
    ball = Placement("ball", specimens.solid("ball", Sphere(radius)))
    scene = engine(specimens.world(gravity=(0.0, 0.0, 0.0)), [ball], Settings())
    scene.set_base(0, [*center, 0, 0, 0, 1])
    directions = rng.normal(size=(1000, 3))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    for origins in (np.tile([3.0, 0.5, 1.8], (1000, 1)), center - 2.0 * directions + rng.normal(size=(1000, 3)) * 0.2):
        hits = scene.cast_rays(origins, directions, 5.0)
        expected = _sphere_distance(origins, directions, center, radius)
        sure = np.abs(_offset(origins, directions, center) - radius) > 0.002  # rays that graze may fall either way
        agree = np.isinf(hits.distance) == np.isinf(expected)
        found.at_most("rays that wrongly hit or miss", float(np.count_nonzero(~agree & sure)), 0)
        both = np.isfinite(hits.distance) & np.isfinite(expected) & sure
        found.true("some rays hit", bool(both.any()))
        found.at_most("largest error [m]", np.abs(hits.distance[both] - expected[both]).max(initial=0.0), 0.001)


def _offset(origins: Array, directions: Array, center: Array) -> Array:
    """Distance of a point from the lines of rays."""
    distance: Array = np.linalg.norm(np.cross(center - origins, directions), axis=1)
    return distance


def _sphere_distance(origins: Array, directions: Array, center: Array, radius: float) -> Array:
    along = np.sum((center - origins) * directions, axis=1)
    square = radius**2 - _offset(origins, directions, center) ** 2
    distance = along - np.sqrt(np.maximum(square, 0))
    return np.where((square >= 0) & (distance >= 0) & (distance <= 5.0), distance, math.inf)


def _busy(engine: type[Engine]) -> Engine:
    """A scene with contacts, servos and a free base in motion."""
    placements = [
        Placement("arm", specimens.chain(3), SE3.from_xyz_rpy((0, 0, 1.5))),
        Placement("block", specimens.block(), SE3.from_xyz_rpy((0.5, 0, 0.2), (0.2, 0.1, 0))),
        Placement("tangle", specimens.tangle(), SE3.from_xyz_rpy((0, 2, 1))),
    ]
    scene = engine(specimens.world(specimens.ground()), placements, Settings())
    scene.command(1, [0.5, -0.4, 0.3])
    scene.command(3, [0.2, 0.1, 0.05])
    return scene


def _state(scene: Engine) -> Array:
    parts = [scene.body_poses(a.index).ravel() for a in scene.models]
    parts += [scene.body_velocities(a.index).ravel() for a in scene.models]
    parts += [scene.joint_positions(a.index) for a in scene.models]
    return np.concatenate(parts)


@SCENE.add
def snapshot(engine: type[Engine], found: Findings) -> None:
    """After `restore` the run is repeated within `engine.restore_tolerance` (1e-9); commands and time come back."""
    tolerance = float(getattr(engine, "restore_tolerance", 1e-9))
    scene = _busy(engine)
    scene.step(60)
    saved, there = scene.snapshot(), _state(scene)
    scene.step(100)
    first = _state(scene)
    scene.command(1, [0.0, 0.0, 0.0])
    scene.push(2, "block", [1.0, 0, 0])
    scene.set_gains(1, scene.gains[1].changed(kp=1.0))
    scene.step(30)
    scene.restore(saved)
    found.close("steps", scene.steps, 60, 0)
    found.at_most("state right after restore", float(np.abs(_state(scene) - there).max()), min(tolerance, 1e-5))
    scene.step(100)
    found.at_most("state 100 steps after restore", float(np.abs(_state(scene) - first).max()), tolerance)


@SCENE.add
def determinism(engine: type[Engine], found: Findings) -> None:
    """The same scene built twice gives the same bits over 200 steps."""
    states = []
    for _ in range(2):
        scene = _busy(engine)
        scene.step(200)
        states.append(_state(scene))
        scene.close()
    found.at_most("difference of two runs", float(np.abs(states[0] - states[1]).max()), 0.0)


@SCENE.add
def weightless_link(engine: type[Engine], found: Findings) -> None:
    """A moving link without mass gets the least mass with a warning, and the rest of the robot is not disturbed."""
    scene = engine(specimens.world(), [Placement("m", specimens.massless())], Settings())
    found.true("the problem names the link", any("ghost" in p.message for p in scene.problems))
    scene.set_joints(0, [0.0, 0.5])
    scene.step(500)
    found.true("the state is finite", bool(np.isfinite(_state(scene)).all()))
    found.at_most("speed of the arm [rad/s]", scene.joint_velocities(0)[1], 20.0)


@SCENE.add
def plane_normal(engine: type[Engine], found: Findings) -> None:
    """A plane with another normal than z carries a ball on that side."""
    wall = Placement("wall", specimens.solid("wall", Plane((1.0, 0.0, 0.0))), fixed=True)
    ball = Placement("ball", specimens.solid("ball", Sphere(0.1)), SE3.from_xyz_rpy((0.3, 0, 0)))
    scene = engine(specimens.world(wall, gravity=(-5.0, 0.0, 0.0)), [ball], Settings())
    scene.step(700)
    found.close("distance of a ball that rests on a wall [m]", scene.base_pose(1)[0], 0.1, 0.004)
