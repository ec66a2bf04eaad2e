"""Rows of `andante bench nav` for sensors: what a lidar costs on each engine, as a fraction of real time.

The baseline is one undistorted sweep per turn by the plainest call there is: mj_multiRay on MuJoCo, rayTestBatch of a
bare scene on Bullet, the engine's own `cast_rays` elsewhere.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator

import numpy as np

from andante.description import Box, Collision, Cylinder, Link, Placement, Robot, World, load_robot
from andante.errors import AndanteError
from andante.geometry import SE3
from andante.physics import Engine, Settings, engine_class
from andante.sensors import Lidar, LidarModel, Scene

from .rows import Row

OBSTACLES, BEAMS, RATE, REACH = 150, 360, 10.0, 12.0
ENGINES = ("mujoco", "bullet", "dart", "ode")
CHUNK = 1.0  # simulated time between two looks at the clock [s]


def sensor_rows(seconds: float) -> Iterator[Row]:
    """Lidar of 360 beams at 10 Hz among 150 obstacles, moving robot; engines that are not installed are left out."""
    for name in ENGINES:
        try:
            make = engine_class(name)
        except AndanteError:
            continue
        yield lidar_row(make, seconds)


def lidar_row(make: type[Engine], seconds: float) -> Row:
    """Percent of real time that the lidar's looks and samples take, the engine's steps left out."""
    robot = load_robot("waffle")
    engine = make(obstacle_world(), (Placement("robot", robot, SE3.from_xyz_rpy((0, 0, 0.01))),), Settings())
    try:
        model = engine.model_index("robot")
        lidar = Lidar(robot, "base_scan", SE3.identity(), LidarModel(rate=RATE, beams=BEAMS, range_max=REACH))
        scene = Scene(engine, model)
        plain = plain_sweep(engine, model)
        lidar.watch(scene)
        lidar.measure(scene)  # compiles
        plain()

        def look_on() -> None:
            scene.renew()
            lidar.watch(scene)

        spent = bare = simulated = 0.0
        looks = round(lidar.watch_rate / RATE)
        steps = round(1.0 / (lidar.watch_rate * engine.dt))
        while spent + bare < seconds and simulated < 60.0:
            for look in range(round(CHUNK * lidar.watch_rate)):
                engine.step(steps)
                spent += _timed(look_on)
                if look % looks == looks - 1:
                    spent += _timed(lambda: lidar.measure(scene))
                    bare += _timed(plain)
            simulated += CHUNK
        case = f"lidar {BEAMS} beams {RATE:g} Hz, {OBSTACLES} obstacles, {engine.name}"
        return Row(case, 100 * spent / simulated, 100 * bare / simulated, "% of real time")
    finally:
        engine.close()


def obstacle_world(seed: int = 0) -> World:
    """A field of 20 x 20 m with posts and boxes, each a model of its own, the middle free."""
    rng = np.random.default_rng(seed)
    ground = Robot("ground", (Link("ground", collisions=(Collision(Box((30, 30, 0.1))),)),))
    post = Robot("post", (Link("post", collisions=(Collision(Cylinder(0.1, 1.0)),)),))
    crate = Robot("crate", (Link("crate", collisions=(Collision(Box((0.4, 0.3, 0.8))),)),))
    models = [Placement("ground", ground, SE3.from_xyz_rpy((0, 0, -0.05)), fixed=True)]
    for k in range(OBSTACLES):
        radius, angle = 10 * math.sqrt(rng.uniform(0.02, 1.0)), rng.uniform(0, 2 * math.pi)
        place = (radius * math.cos(angle), radius * math.sin(angle), 0.5)
        pose = SE3.from_xyz_rpy(place, (0, 0, rng.uniform(0, math.pi)))
        models.append(Placement(f"obstacle_{k}", post if k % 2 else crate, pose, fixed=True))
    return World("field", models=tuple(models))


def plain_sweep(engine: Engine, model: int) -> Callable[[], object]:
    """One sweep from the robot's place by the plainest call of an engine."""
    angles = np.arange(BEAMS) * (2 * math.pi / BEAMS)
    directions = np.stack([np.cos(angles), np.sin(angles), 0 * angles], axis=1)
    x, y, z = engine.base_pose(model)[:3]
    origin = np.array([x, y, z + 0.17])
    if engine.name == "mujoco":
        import mujoco

        model, data = engine.mj_model, engine.data  # type: ignore[attr-defined]
        groups, hit, far = np.ones(mujoco.mjNGROUP, dtype=np.uint8), np.empty(BEAMS, np.int32), np.empty(BEAMS)
        flat = directions.ravel()
        return lambda: mujoco.mj_multiRay(model, data, origin, flat, groups, 1, -1, hit, far, None, BEAMS, REACH)
    if engine.name == "bullet":
        return _bare_bullet(engine, origin, directions)
    return lambda: engine.cast_rays(np.tile(origin, (BEAMS, 1)), directions, REACH, model)


def _bare_bullet(engine: Engine, origin: np.ndarray, directions: np.ndarray) -> Callable[[], object]:
    """The obstacles in a scene of pybullet's own, and its batch of rays."""
    import pybullet

    client = pybullet.connect(pybullet.DIRECT)
    for model in engine.models[1 : OBSTACLES + 1]:
        shape = model.tree.bodies[0].shapes[0].geometry
        if isinstance(shape, Cylinder):
            made = pybullet.createCollisionShape(
                pybullet.GEOM_CYLINDER, radius=shape.radius, height=shape.length, physicsClientId=client
            )
        else:
            half = [edge / 2 for edge in shape.size]  # type: ignore[union-attr]
            made = pybullet.createCollisionShape(pybullet.GEOM_BOX, halfExtents=half, physicsClientId=client)
        place = model.placement.pose.vector
        pybullet.createMultiBody(0, made, basePosition=place[:3], baseOrientation=place[3:], physicsClientId=client)
    starts = np.tile(origin, (BEAMS, 1)).tolist()
    ends = (origin + REACH * directions).tolist()
    return lambda: pybullet.rayTestBatch(starts, ends, numThreads=1, physicsClientId=client)


def _timed(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start
