"""The rollout kernel against plain Python, and what each local planner decides."""

import math

import numpy as np
import pytest

from andante.errors import BadInput
from andante.navigation import Dwa, Inflation, Margins, MotionState, Mppi, MppiSettings, Path, PurePursuit
from andante.navigation.controllers import NOBODY, Surroundings, score_rollouts, spread_noise

from .samples import BOX, CAR, OMNI, costmap
from .world2d import World

WEIGHTS = np.array([1.0, 2.0, 0.5, 3.0, 2.0, 0.05, 0.7, 100.0])
STRAIGHT = Path.through(np.column_stack([np.linspace(1.0, 7.0, 61), np.full(61, 3.0)]))


def field_map(cells=None, vehicle=BOX):
    return costmap(np.zeros((120, 160), dtype=np.int8) if cells is None else cells, vehicle, Inflation(), 0.05)


def plain_rollout(controls, pose, velocity, dt, limits, path, m, discs, soft, weights):
    """The same scoring with plain Python numbers; returns cost, step of the first touch, commands."""
    low, high, side, turn, a, aw, radius, way, lateral = limits
    x, y, yaw = pose
    v = np.array(velocity, dtype=float)

    def gap():
        c, s = math.cos(yaw), math.sin(yaw)
        gaps = [1e9]
        for dx, dy, r in discs:
            col, row = (x + c * dx - s * dy) / m.resolution, (y + s * dx + c * dy) / m.resolution
            if 0 <= row < m.shape[0] and 0 <= col < m.shape[1]:
                gaps.append(float(m.distance[int(row), int(col)]) - r)
        return min(gaps)

    floor = min(0.0, gap() - 0.25 * m.resolution)
    spacing, last, at, cost, rest = path[1, 3] - path[0, 3], len(path) - 1, 0, 0.0, path[-1, 3]
    crash, driven = len(controls), []
    for t, u in enumerate(controls):
        wanted = np.clip(u, [low, -side, -turn], [high, side, turn])
        step = np.array([a, a, aw]) * dt
        v = np.clip(wanted, v - step, v + step)
        v[1] = v[1] if side > 0 else 0.0
        most = lateral / max(abs(v[0]), 1e-3)
        most = min(most, abs(v[0]) / radius) if radius > 0 else most
        v[2] = np.clip(v[2], -most, most)
        driven.append(v.copy())
        middle = yaw + v[2] * dt / 2
        x += (math.cos(middle) * v[0] - math.sin(middle) * v[1]) * dt
        y += (math.sin(middle) * v[0] + math.cos(middle) * v[1]) * dt
        yaw += v[2] * dt
        g = gap()
        if g < floor:
            crash = t
            break
        if g < soft:
            cost += dt * weights[3] * (1 - max(g, 0) / soft) ** 2 * (0.3 * high + math.hypot(v[0], v[1]))
        squared = ((path[:, :2] - [x, y]) ** 2).sum(axis=1)
        j, off = at, squared[at]
        while j < min(last, at + 12):
            j += 1
            if squared[j] < off:
                off, at = squared[j], j
        tangent = path[at, 2] + (0 if way > 0 or side > 0 else math.pi)
        along = (x - path[at, 0]) * math.cos(tangent) + (y - path[at, 1]) * math.sin(tangent)
        along = min(max(along, -spacing), spacing) if at < last else 0.0
        rest = path[-1, 3] - path[at, 3] - along
        cost += dt * (weights[0] * (rest + (math.sqrt(off) if at == last else 0)) + weights[1] * off)
        cost += dt * weights[2] * (1 - math.cos(yaw - path[at, 2]))
        cost += dt * (weights[4] * max(0.0, -way * v[0]) + weights[5] * v[2] ** 2)
    cost += weights[0] * (rest + math.hypot(path[at, 0] - x, path[at, 1] - y))
    if at >= last - int(0.3 / spacing):
        cost += weights[6] * (1 - math.cos(path[-1, 2] - yaw))
    if crash < len(controls):
        left = 1 - crash / len(controls)
        cost += weights[7] * (1 + left) + weights[0] * rest * left * len(controls) * dt
    return cost, crash, np.array(driven)


@pytest.mark.parametrize("vehicle", [BOX, CAR, OMNI], ids=lambda v: v.drive)
def test_rollouts_equal_plain_python(vehicle):
    rng = np.random.default_rng(5)
    cells = (rng.random((120, 160)) < 0.01).astype(np.int8) * 100
    cells[50:70, 10:38] = 0
    cells[58:61, 38] = 100
    m = field_map(cells, vehicle)
    around = Surroundings(vehicle, Margins())
    pose, velocity = np.array([1.2, 3.0, 0.2]), np.array([0.6, 0.0, 0.1])
    ahead = around.path_ahead(MotionState(pose), STRAIGHT, m, 3.0, 0.05)
    limits, discs = around.limits(1.0, 1), around.discs(0.05)
    limits[8] = 0.3  # so that it binds
    controls = rng.normal([0.6, 0.0, 0.0], 0.5, size=(60, 30, 3)).astype(np.float32)
    given = controls.astype(float)
    costs, crashes = np.empty(60), np.empty(60, dtype=np.int64)
    score_rollouts(
        controls, np.zeros(60), pose, velocity, 0.05, limits, ahead, NOBODY, 0.0, m.distance, 0.05, discs,
        1e6, 0.25, WEIGHTS, costs, crashes,
    )  # fmt: skip
    for k in range(60):
        cost, crash, driven = plain_rollout(given[k], pose, velocity, 0.05, limits, ahead, m, discs, 0.25, WEIGHTS)
        assert crash == crashes[k]
        assert cost == pytest.approx(costs[k], rel=1e-6)
        np.testing.assert_allclose(controls[k, : len(driven)], driven, atol=1e-6)
    assert 0 < np.count_nonzero(crashes < 30) < 60  # both kinds were compared


def test_noise_is_linear_between_knots():
    rng = np.random.default_rng(0)
    knots = rng.normal(size=(4, 5, 3)).astype(np.float32)
    nominal = rng.normal(size=(20, 3)).astype(np.float32)
    out = np.empty((4, 20, 3), dtype=np.float32)
    spread_noise(knots, np.array([1.0, 2.0, 3.0]), 5, nominal, out)
    at = np.arange(20) / 5
    expected = np.stack(
        [[nominal[:, a] + (a + 1) * np.interp(at, np.arange(5), knots[k, :, a]) for a in range(3)] for k in range(4)]
    ).transpose(0, 2, 1)
    np.testing.assert_allclose(out, expected, atol=1e-5)


def controllers(vehicle):
    return [Mppi(vehicle), Dwa(vehicle), PurePursuit(vehicle)]


@pytest.mark.parametrize("vehicle", [BOX, CAR, OMNI], ids=lambda v: v.drive)
@pytest.mark.parametrize("kind", range(3), ids=["mppi", "dwa", "pursuit"])
def test_drives_along_and_stops_before_a_wall(vehicle, kind):
    controller = controllers(vehicle)[kind]
    m = field_map(vehicle=vehicle)
    ahead = controller.plan(MotionState(np.array([1.0, 3.0, 0.0])), STRAIGHT, m)
    assert ahead.feasible
    assert ahead.velocity[0] > 0.01
    assert abs(ahead.velocity[2]) < 0.5
    cells = np.zeros((120, 160), dtype=np.int8)
    cells[:, 40:42] = 100  # 1 m ahead of the front
    blocked = field_map(cells, vehicle)
    controller.reset()
    pose, velocity = np.array([1.0, 3.0, 0.0]), np.zeros(3)
    world = World(segments=np.array([[2.0, 0.0, 2.0, 6.0]]))
    for k in range(80):
        decision = controller.plan(MotionState(pose, velocity, 0.05 * k), STRAIGHT, blocked)
        limit = np.array([vehicle.max_acceleration, vehicle.max_acceleration, vehicle.max_turn_acceleration]) * 0.05
        velocity = velocity + np.clip(decision.velocity - velocity, -limit, limit)
        c, s = math.cos(pose[2]), math.sin(pose[2])
        pose = pose + 0.05 * np.array(
            [c * velocity[0] - s * velocity[1], s * velocity[0] + c * velocity[1], velocity[2]]
        )
        assert world.clearance(vehicle, pose) > 0
    assert decision.feasible or "touch" in decision.reason


def test_mppi_is_the_same_for_the_same_seed():
    m = field_map()
    state = MotionState(np.array([1.0, 3.1, 0.3]))
    runs = []
    for seed in (1, 1, 2):
        mppi = Mppi(BOX, seed=seed)
        runs.append([mppi.plan(state, STRAIGHT, m).velocity.tolist() for _ in range(3)])
    assert runs[0] == runs[1] != runs[2]


def test_a_moving_thing_is_given_way():
    m = field_map()
    mppi, pose, velocity = Mppi(BOX), np.array([1.0, 3.0, 0.0]), np.array([1.0, 0.0, 0.0])
    crossing = np.array([[2.5, 4.5, 0.0, -1.0, 0.3]])  # would meet a robot that drives straight on
    straight = [World(movers=crossing).clearance(BOX, pose + np.array([t, 0, 0]), t) for t in np.arange(0, 3, 0.05)]
    assert min(straight) < 0
    for k in range(60):
        now = crossing + np.array([[0.0, -0.05 * k, 0.0, 0.0, 0.0]])
        velocity = mppi.plan(MotionState(pose, velocity, 0.05 * k, now), STRAIGHT, m).velocity
        c, s = math.cos(pose[2]), math.sin(pose[2])
        pose = pose + 0.05 * np.array([c * velocity[0], s * velocity[0], velocity[2]])
        assert World(movers=crossing).clearance(BOX, pose, 0.05 * (k + 1)) > 0
    assert pose[0] > 2.0


def test_a_place_with_no_room_to_cut_is_pursued_closely():
    """Beside a bend a pursuit that looks far ahead cuts the corner; one that looks near turns first and keeps to it."""
    m, around = field_map(), Surroundings(BOX, Margins())
    bent = Path.through(np.array([[1.0, 3.0], [1.4, 3.0], [1.7, 3.2], [2.1, 3.2]]))
    pose, steps = np.array([1.0, 3.0, 0.3]), 120
    ahead = around.path_ahead(MotionState(pose), bent, m, 3.0, 0.02)
    controls, crashes = np.zeros((2, steps, 3), dtype=np.float32), np.empty(2, dtype=np.int64)
    score_rollouts(
        controls, np.array([0.3, -0.3]), pose, np.zeros(3), 0.05, around.limits(0.3, 1), ahead, NOBODY, 0.0, m.distance,
        0.05, around.discs(0.05), around.enough, 0.25, WEIGHTS, np.empty(2), crashes,
    )  # fmt: skip
    off = []
    for driven in controls:
        x, y, yaw = pose
        gaps = []
        for v, _, w in driven:
            x, y, yaw = x + 0.05 * v * math.cos(yaw), y + 0.05 * v * math.sin(yaw), yaw + 0.05 * w
            gaps.append(np.hypot(ahead[:, 0] - x, ahead[:, 1] - y).min())
        assert x > 1.8
        off.append(max(gaps))
    assert off[1] < 0.5 * off[0]
    assert off[1] < 0.03


def test_who_cuts_in_is_escaped_with_all_that_the_base_can():
    """He crosses right before a robot that has just stopped; where samples hardly differ, only backing away helps."""
    m, pose, velocity = field_map(), np.array([3.0, 3.0, 0.0]), np.zeros(3)
    mppi = Mppi(BOX, MppiSettings(samples=32, noise=(1e-3, 1e-3, 1e-3)))
    crossing = np.array([[3.34, 3.83, 0.0, -1.2, 0.2]])
    standing = [World(movers=crossing).clearance(BOX, pose, t) for t in np.arange(0.0, 0.5, 0.05)]
    assert min(standing) < 0
    for k in range(24):
        now = crossing + np.array([[0.0, -0.06 * k, 0.0, 0.0, 0.0]])
        velocity = mppi.plan(MotionState(pose, velocity, 0.05 * k, now), STRAIGHT, m).velocity
        c, s = math.cos(pose[2]), math.sin(pose[2])
        pose = pose + 0.05 * np.array([c * velocity[0], s * velocity[0], velocity[2]])
        assert World(movers=crossing).clearance(BOX, pose, 0.05 * (k + 1)) > 0


@pytest.mark.parametrize(("stood", "touched"), [(0.0, True), (0.4, False)])
def test_who_walks_into_a_robot_that_has_stood_for_half_a_second_is_no_crash(stood, touched):
    """How long it has stood before counts too; he is there after 0.3 s."""
    m, around, pose = field_map(), Surroundings(BOX, Margins()), np.array([1.0, 3.0, 0.0])
    crashes, walker = np.empty(1, dtype=np.int64), np.array([[1.0, 3.8, 0.0, -1.0, 0.2]])
    score_rollouts(
        np.zeros((1, 10, 3), dtype=np.float32), np.zeros(1), pose, np.zeros(3), 0.05, around.limits(1.0, 1),
        np.array([[*pose, 0.0]]), walker, stood, m.distance, 0.05, around.discs(0.05), around.enough, 0.25, WEIGHTS,
        np.empty(1), crashes,
    )  # fmt: skip
    assert (crashes[0] < 10) == touched


def test_a_robot_too_near_to_something_may_leave():
    cells = np.zeros((120, 160), dtype=np.int8)
    cells[55:65, 13:15] = 100  # touches the back of the robot
    m = field_map(cells)
    for controller in controllers(BOX):
        decision = controller.plan(MotionState(np.array([0.95, 3.0, 0.0])), STRAIGHT, m)
        assert decision.feasible
        assert decision.velocity[0] > 0


def test_reverse_paths_are_driven_backwards():
    m = field_map(vehicle=CAR)
    back = Path(STRAIGHT.poses[:30][::-1], -np.ones(30))
    for controller in controllers(CAR):
        decision = controller.plan(MotionState(np.array([3.9, 3.0, 0.0])), back, m)
        assert decision.velocity[0] < -0.01


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: MotionState(np.array([0.0, math.nan, 0.0])), "pose x, y, yaw must be three finite numbers"),
        (lambda: MotionState(np.zeros(3), np.zeros(2)), "velocity vx, vy, w must be three finite numbers"),
        (lambda: MppiSettings(samples=3), "MPPI needs 16 samples"),
        (lambda: Margins(soft=0.0), "soft > 0"),
    ],
)
def test_words(make, words):
    with pytest.raises(BadInput, match=words):
        make()
