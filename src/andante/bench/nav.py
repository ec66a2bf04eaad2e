"""`andante bench nav`: mapping, localization, navigation and lidars beside plain code in the same run, on one core.

Each row function takes the seconds of processor time that a case may use and yields its rows. Planners and MPPI stand
beside scipy or plain numpy. What a lidar costs is told as a fraction of real time; its baseline is one undistorted
sweep per turn by the plainest call there is: mj_multiRay on MuJoCo, rayTestBatch of a bare scene on Bullet, the
engine's own `cast_rays` elsewhere.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing

import mujoco
import numpy as np
from scipy.ndimage import distance_transform_edt
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import dijkstra

from andante.description import Box, Collision, Cylinder, Link, Placement, Robot, World, load_robot
from andante.errors import AndanteError
from andante.geometry import SE3, Array
from andante.mapping import OccupancyGrid
from andante.navigation import (
    AStar,
    Costmap,
    HybridAStar,
    Inflation,
    MotionState,
    Mppi,
    Path,
    Vehicle,
    distance_field,
    rectangle,
)
from andante.navigation.collision_monitor import CollisionMonitor
from andante.navigation.costmap import cell_states
from andante.physics import Engine, Settings, engine_class
from andante.sensors import Lidar, LidarModel, Scene

from .rows import Row, cpu_time
from .slam import localization_rows, mapping_rows

SIZE, PART, DISCS, RESOLUTION = 2000, 400, 400, 0.05
BOX = Vehicle(rectangle(0.42, 0.33), "differential", 2.0, 2.0)
CAR = Vehicle(rectangle(0.44, 0.295, 0.875), "ackermann", 2.0, 2.5, turning_radius=0.81, wheelbase=0.33)
OBSTACLES, BEAMS, RATE, REACH = 150, 360, 10.0, 12.0
ENGINES = ("mujoco", "bullet", "dart", "ode")
CHECKS = 10  # of the collision monitor for each scan: 100 Hz and 10 Hz
CHUNK = 1.0  # simulated time between two looks at the clock [s]


# ---- lidars ----------------------------------------------------------------------------------------
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
    with closing(engine):
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
                spent += cpu_time(look_on)
                if look % looks == looks - 1:
                    spent += cpu_time(lambda: lidar.measure(scene))
                    bare += cpu_time(plain)
            simulated += CHUNK
        case = f"lidar {BEAMS} beams {RATE:g} Hz, {OBSTACLES} obstacles, {engine.name}"
        return Row(case, 100 * spent / simulated, 100 * bare / simulated, "% of real time")


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
        mj_model, data = engine.mj_model, engine.data  # type: ignore[attr-defined]
        groups, hit, far = np.ones(mujoco.mjNGROUP, dtype=np.uint8), np.empty(BEAMS, np.int32), np.empty(BEAMS)
        flat = directions.ravel()
        return lambda: mujoco.mj_multiRay(mj_model, data, origin, flat, groups, 1, -1, hit, far, None, BEAMS, REACH)
    if engine.name == "bullet":
        return _bare_bullet(engine, origin, directions)
    return lambda: engine.cast_rays(np.tile(origin, (BEAMS, 1)), directions, REACH, model)


def _bare_bullet(engine: Engine, origin: np.ndarray, directions: np.ndarray) -> Callable[[], object]:
    """The obstacles in a scene of pybullet's own, and its batch of rays."""
    from andante.physics.bullet.api import pybullet

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


# ---- planners and controllers ----------------------------------------------------------------------
def navigation_rows(seconds: float) -> Iterator[Row]:
    """Inflation, the Dijkstra field, A*, hybrid A* and MPPI; times are the least of a few runs of processor time."""
    grid = disc_map(SIZE, DISCS, seed=0)
    costmap = Costmap.of(grid, BOX)
    inflation = _milliseconds(lambda: Costmap.of(grid, BOX), seconds)
    yield Row("inflate 2000 x 2000, 400 discs", inflation, _milliseconds(lambda: plain_inflation(grid), 0.0), "ms")

    start, goal = np.array([1.0, 1.0, 0.0]), np.array([99.0, 99.0, 0.0])
    graph, source = plain_graph(costmap, start)
    plain = _milliseconds(lambda: dijkstra(graph, directed=False, indices=source), 0.0)
    ours = _milliseconds(lambda: distance_field(start, costmap), seconds)
    yield Row("Dijkstra field 2000 x 2000 beside scipy", ours, plain, "ms")
    ours = _milliseconds(lambda: AStar().plan(start, goal, costmap), seconds)
    yield Row("A* corner to corner 2000 x 2000 beside scipy's field", ours, plain, "ms")

    part = Costmap.of(disc_map(PART, DISCS * PART**2 // SIZE**2, seed=1), CAR)
    planner, far = HybridAStar(CAR), np.array([19.0, 19.0, math.pi])
    ours = _milliseconds(lambda: planner.plan(start, far, part), seconds)
    small, first = plain_graph(part, start)
    plain = _milliseconds(lambda: dijkstra(small, directed=False, indices=first), 0.0)
    yield Row("hybrid A* across 400 x 400 beside scipy's field", ours, plain, "ms")

    mppi, local = Mppi(BOX), Costmap.of(disc_map(PART, 40, seed=2, radius=(4, 6)), BOX)
    path = AStar().plan(np.array([5.0, 10.0, 0.0]), np.array([15.0, 10.0, 0.0]), local).path
    assert path is not None
    state = MotionState(path.poses[0], np.array([1.0, 0.0, 0.0]))
    ours = 1000 / _milliseconds(lambda: mppi.plan(state, path, local), seconds)
    rng = np.random.default_rng(0)
    plain = 1000 / _milliseconds(lambda: plain_rollouts(rng, state, path, local, BOX), 0.0)
    yield Row("MPPI 1000 x 50 with footprint", ours, plain, "Hz")
    yield monitor_row(seconds)


def monitor_row(seconds: float) -> Row:
    """The collision monitor at 2 m/s on a bend in a narrow lane: a scan taken in, and ten checks until the next one."""
    monitor = CollisionMonitor(BOX)
    angles = np.arange(BEAMS) * (2 * math.pi / BEAMS)
    away = np.minimum(0.4 / np.maximum(np.abs(np.sin(angles)), 0.05), 4.0)
    points, here = np.stack([away * np.cos(angles), away * np.sin(angles)], axis=1), np.zeros(3)
    twist = np.array([2.0, 0.0, 0.5])

    def guard() -> None:
        monitor.see("lidar", 0.0, here, points)
        for k in range(CHECKS):
            monitor.check(0.01 * k, here, twist)

    def plain() -> None:
        for _ in range(CHECKS):
            for t in np.linspace(0.0, 0.6, 20):
                yaw, x = twist[2] * t, twist[0] * t
                c, s = math.cos(yaw), math.sin(yaw)
                moved = (points - [x, 0.5 * x * yaw]) @ np.array([[c, -s], [s, c]])
                if (np.abs(moved) < [0.22, 0.175]).all(axis=1).any():
                    break

    case = f"collision monitor, a scan of {BEAMS} beams and {CHECKS} checks"
    return Row(case, _milliseconds(guard, seconds), _milliseconds(plain, 0.0), "ms")


def disc_map(size: int, count: int, seed: int, radius: tuple[float, float] = (10.0, 40.0)) -> OccupancyGrid:
    """A map of free cells with discs of random places and radii [cells], its corners kept free."""
    rng = np.random.default_rng(seed)
    cells = np.zeros((size, size), dtype=np.int8)
    rows, cols = np.ogrid[:size, :size]
    for _ in range(count):
        x, y, r = *rng.uniform(60, size - 60, 2), rng.uniform(*radius)
        top, left = max(0, int(y - r)), max(0, int(x - r))
        part = (slice(top, int(y + r) + 2), slice(left, int(x + r) + 2))
        inside = (rows[part[0]] - y) ** 2 + (cols[:, part[1]] - x) ** 2 <= r * r
        cells[part][inside] = 100
    return OccupancyGrid(RESOLUTION, (0.0, 0.0, 0.0), cells)


def plain_inflation(grid: OccupancyGrid) -> Array:
    """Costs by scipy's distance transform and numpy's exponential."""
    inflation = Inflation()
    states = cell_states(grid)
    distance = distance_transform_edt(states != 1) * grid.resolution
    near = BOX.inscribed + inflation.padding
    cost = np.where(distance < inflation.radius, 252 * np.exp(-inflation.decline * (distance - near)), 0.0)
    return np.where(distance == 0, 254, np.where(distance <= near, 253, cost))


def plain_graph(costmap: Costmap, start: Array) -> tuple[coo_matrix, int]:
    """The eight-connected graph of a costmap as a sparse matrix for scipy, and the number of the start cell."""
    rows, cols = costmap.shape
    factor = costmap.factors(3.0)[costmap.cost].astype(float)
    index = np.arange(rows * cols).reshape(rows, cols)
    parts = []
    for (a, b), length in (
        (((slice(None), slice(0, -1)), (slice(None), slice(1, None))), 12),
        (((slice(0, -1), slice(None)), (slice(1, None), slice(None))), 12),
        (((slice(0, -1), slice(0, -1)), (slice(1, None), slice(1, None))), 17),
        (((slice(0, -1), slice(1, None)), (slice(1, None), slice(0, -1))), 17),
    ):
        free = (factor[a] > 0) & (factor[b] > 0)
        parts.append((index[a][free], index[b][free], (length * (factor[a] + factor[b]))[free]))
    source, target, price = (np.concatenate(values) for values in zip(*parts, strict=True))
    graph = coo_matrix((price, (source, target)), shape=(rows * cols, rows * cols)).tocsr()
    row, col = costmap.cell_of(start)
    return graph, row * cols + col


def plain_rollouts(
    rng: np.random.Generator, state: MotionState, path: Path, costmap: Costmap, vehicle: Vehicle
) -> Array:
    """One MPPI step in numpy: noise, unicycle rollouts, discs on the distance field, distance to the path, weights."""
    samples, steps, dt = 1000, 50, 0.05
    speed = np.clip(1.0 + 0.7 * rng.standard_normal((samples, steps)), -1.0, 2.0)
    turn = np.clip(rng.standard_normal((samples, steps)), -2.0, 2.0)
    yaw = state.pose[2] + np.cumsum(turn * dt, axis=1)
    x = state.pose[0] + np.cumsum(speed * np.cos(yaw) * dt, axis=1)
    y = state.pose[1] + np.cumsum(speed * np.sin(yaw) * dt, axis=1)
    discs = vehicle.discs(0.02, 0.02)
    gap = np.full(x.shape, np.inf)
    for dx, dy, radius in discs:
        col = ((x + np.cos(yaw) * dx - np.sin(yaw) * dy) / costmap.resolution).astype(int)
        row = ((y + np.sin(yaw) * dx + np.cos(yaw) * dy) / costmap.resolution).astype(int)
        row, col = np.clip(row, 0, costmap.shape[0] - 1), np.clip(col, 0, costmap.shape[1] - 1)
        gap = np.minimum(gap, costmap.distance[row, col] - radius)
    line = path.resampled(0.07).poses[:80, :2]
    off = ((x[:, :, None] - line[:, 0]) ** 2 + (y[:, :, None] - line[:, 1]) ** 2).min(axis=2)
    cost = (
        dt * off.sum(axis=1) + 100.0 * (gap < 0).any(axis=1) + 3 * dt * (np.clip(1 - gap / 0.25, 0, 1) ** 2).sum(axis=1)
    )
    weights = np.exp(-(cost - cost.min()) / 0.2)
    weights /= weights.sum()
    return np.array([weights @ speed[:, 0], weights @ turn[:, 0]])


def _milliseconds(job: Callable[[], object], seconds: float) -> float:
    """Least processor time of a job [ms]; run once to warm up, then three times at least or for `seconds`."""
    job()
    times: list[float] = []
    while len(times) < (3 if seconds > 0 else 1) or (sum(times) < seconds and len(times) < 200):
        times.append(cpu_time(job))
    return 1000 * min(times)


ROWS: list[Callable[[float], Iterable[Row]]] = [mapping_rows, localization_rows, navigation_rows, sensor_rows]


def run(seconds: float, quiet: bool = False) -> tuple[Row, ...]:
    """All rows."""
    return tuple(row for rows in ROWS for row in rows(seconds))
