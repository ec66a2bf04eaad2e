"""Footsteps: plans whose steps the robot can make, the best price by a plain search, repairs equal to plans anew."""

import heapq
import math

import numpy as np
import pytest

from andante.errors import BadInput
from andante.locomotion.biped.footsteps import placed
from andante.navigation.footsteps import FootstepPlanner, FootstepSettings, StepSet, Terrain, ground_of_world
from andante.navigation.footsteps.kernels import parts_of

WIDTH = 0.1
STEPS = StepSet(
    np.array(
        [[0.12, WIDTH, 0.0], [0.04, WIDTH, 0.0], [0.0, WIDTH, 0.0], [-0.04, WIDTH, 0.0], [0.04, WIDTH, 0.3],
         [0.04, WIDTH, -0.2], [0.0, WIDTH, 0.3], [0.0, WIDTH + 0.06, 0.0]]
    ),
    WIDTH,
    (-0.05, 0.08, -0.03, 0.04),
)  # fmt: skip
COARSE = FootstepSettings(cell=0.02, angles=16)


def terrain(size=(2.0, 1.6), blocked=(), heights=(), resolution=0.02):
    cols, rows = (round(each / resolution) for each in size)
    ground = np.zeros((rows, cols))
    wall = np.zeros((rows, cols), dtype=bool)
    x, y = np.meshgrid((np.arange(cols) + 0.5) * resolution, (np.arange(rows) + 0.5) * resolution)
    for x0, y0, x1, y1 in blocked:
        wall |= (x > x0) & (x < x1) & (y > y0) & (y < y1)
    for x0, y0, x1, y1, z in heights:
        ground[(x > x0) & (x < x1) & (y > y0) & (y < y1)] = z
    ground[wall] = np.nan
    return Terrain.of(resolution, (0.0, 0.0), ground, wall)


def feet(x, y, yaw):
    return placed((x, y, yaw), (0.0, 0.5 * WIDTH, 0.0)), placed((x, y, yaw), (0.0, -0.5 * WIDTH, 0.0))


START, GOAL = feet(0.4, 0.8, 0.0), (1.5, 0.8, 0.0)


def least_price(planner, start):
    """Dijkstra from the goal over the same lattice, in plain Python; the last step is any that the robot can make."""
    from andante.navigation.footsteps import kernels as k

    ground, lattice, memory = planner._ground, planner._lattice, planner._memory
    n = lattice.moves.shape[2]
    prices, queue = {}, [(0.0, int(name)) for name in planner._goals]
    best = math.inf
    while queue:
        price, name = heapq.heappop(queue)
        if name in prices or price >= best:
            continue
        prices[name] = price
        state = planner._state(name)
        memory = planner._memory
        k.look(ground, lattice, memory, state)
        best = min(
            best, price + k.edge(ground, lattice, memory, start, state, -1) if memory.fine[state] == k.OK else best
        )
        x, y, yaw, foot = parts_of(name)
        for move in range(n):
            before = (yaw - int(lattice.moves[0, 1 - foot, move, 2])) % lattice.angles
            dx, dy, _ = lattice.moves[before, 1 - foot, move]
            other = int(k.name_of(x - int(dx), y - int(dy), before, 1 - foot))
            if other in prices:
                continue
            there = planner._state(other)
            memory = planner._memory
            k.look(ground, lattice, memory, there)
            if memory.fine[there] == k.OK:
                step = k.edge(ground, lattice, memory, there, state, move)
                if there == start:
                    best = min(best, price + step)
                if math.isfinite(step):
                    heapq.heappush(queue, (price + step, other))
    return best


def check(plan, ground, steps=STEPS):
    """Every step can be made, stands on the ground, and the body touches nothing."""
    before = {"left": START[0], "right": START[1]}
    last = None
    for step in plan.steps:
        other = "right" if step.foot == "left" else "left"
        assert step.foot != last
        last = step.foot
        x, y, yaw = before[other]
        c, s = math.cos(yaw), math.sin(yaw)
        dx, dy = step.x - x, step.y - y
        side = 1.0 if step.foot == "left" else -1.0
        along, across = c * dx + s * dy, side * (c * dy - s * dx)
        turn = side * math.remainder(step.yaw - yaw, 2 * math.pi)
        back, ahead, inward, outward, sharpest = steps.limits
        half, part = 0.02 * math.sqrt(2), math.pi / 16
        assert -back - half <= along <= ahead + half
        assert WIDTH - inward - half <= across <= WIDTH + outward + half
        assert abs(turn) <= sharpest + part
        for px in (-0.05, 0.08):
            for py in (-0.03, 0.04):
                cx, cy, _ = placed((step.x, step.y, step.yaw), (px, side * py, 0.0))
                assert ground.height(cx, cy) < step.z + 0.006  # a part may hang over an edge, none lies below
        row, col = ground.cell(0.5 * (step.x + x), 0.5 * (step.y + y))
        assert ground.clearance[row, col] >= steps.body
        before[step.foot] = (step.x, step.y, step.yaw)
    middle = [0.5 * (a + b) for a, b in zip(before["left"], before["right"], strict=True)]
    assert middle == pytest.approx(list(GOAL), abs=0.03)


@pytest.mark.drill  # a whole search beside a plain one: a minute
def test_a_plan_around_a_wall_can_be_walked_and_is_the_best_of_its_lattice():
    ground = terrain(blocked=[(0.9, 0.0, 1.0, 0.9)])
    planner = FootstepPlanner(ground, STEPS, COARSE)
    plan = planner.plan(*START, GOAL, seconds=60.0, best=True)
    assert plan.found
    assert plan.bound == 1.0
    check(plan, ground)
    assert max(step.y for step in plan.steps) > 1.0  # around the wall
    again = FootstepPlanner(ground, STEPS, COARSE)
    again._set_goal(GOAL)
    start = again._state(again._name(START[0], 0))
    from andante.navigation.footsteps import kernels as k

    k.look(again._ground, again._lattice, again._memory, start)
    assert plan.price == pytest.approx(least_price(again, start))


def test_plans_get_better_within_their_bound():
    ground = terrain(blocked=[(0.9, 0.0, 1.0, 0.9)])
    best = FootstepPlanner(ground, STEPS, COARSE).plan(*START, GOAL, seconds=60.0, best=True)
    plan = FootstepPlanner(ground, STEPS, COARSE).plan(*START, GOAL, seconds=60.0)
    assert plan.prices[0] <= COARSE.inflation * best.price
    assert list(plan.prices) == sorted(plan.prices, reverse=True)
    assert plan.bound == 1.0
    assert plan.price == pytest.approx(best.price)
    check(plan, ground)


@pytest.mark.parametrize("gone", [False, True])
def test_a_repaired_plan_is_as_good_as_one_made_anew(gone):
    one, two = terrain(blocked=[(0.9, 0.0, 1.0, 0.9)]), terrain(blocked=[(0.9, 0.0, 1.0, 0.9), (0.9, 1.0, 1.0, 1.15)])
    before, after = (two, one) if gone else (one, two)
    planner = FootstepPlanner(before, STEPS, COARSE)
    planner.plan(*START, GOAL, seconds=60.0, best=True)
    assert planner.change(after) > 0
    repaired = planner.plan(*START, GOAL, seconds=60.0, best=True)
    anew = FootstepPlanner(after, STEPS, COARSE).plan(*START, GOAL, seconds=60.0, best=True)
    assert repaired.found
    check(repaired, after)
    assert repaired.price == pytest.approx(anew.price)


def test_the_next_plan_begins_where_the_robot_is_now():
    ground = terrain()
    planner = FootstepPlanner(ground, STEPS, COARSE)
    first = planner.plan(*START, GOAL, seconds=60.0, best=True)
    a, b = first.steps[4:6]
    places = {step.foot: (step.x, step.y, step.yaw) for step in (a, b)}
    rest = planner.plan(places["left"], places["right"], GOAL, stance=b.foot, seconds=60.0, best=True)
    assert rest.price < first.price
    assert rest.expanded < first.expanded


def test_steps_go_onto_a_platform_and_not_onto_a_table():
    low = terrain(heights=[(0.9, 0.0, 1.3, 1.6, 0.02)])
    plan = FootstepPlanner(low, STEPS, COARSE).plan(*START, GOAL, seconds=60.0)
    assert plan.found
    assert {round(step.z, 3) for step in plan.steps} == {0.0, 0.02}
    check(plan, low)
    high = terrain(heights=[(0.9, 0.0, 1.3, 1.6, 0.05)])
    refused = FootstepPlanner(high, STEPS, COARSE).plan(*START, GOAL, seconds=60.0)
    assert refused.reason == "no way of steps leads to the goal"


def test_a_goal_that_lies_too_high_is_told_with_what_can_be_climbed():
    stage = terrain(heights=[(1.1, 0.4, 1.9, 1.2, 0.05)])
    refused = FootstepPlanner(stage, STEPS, COARSE).plan(*START, GOAL, seconds=60.0)
    assert refused.reason == (
        "no way of steps leads to the goal, which lies 5.0 cm higher: a step goes at most 2.0 cm up"
    )


def test_a_goal_off_the_map_is_told():
    planner = FootstepPlanner(terrain(), STEPS, COARSE)
    assert "the goal is off the map, which goes from" in planner.plan(*START, (99.0, 0.0, 0.0)).reason


def test_goals_where_no_foot_can_stand_are_told():
    ground = terrain(blocked=[(1.4, 0.7, 1.6, 0.9)], heights=[(0.5, 0.2, 0.7, 0.4, 0.02)])
    planner = FootstepPlanner(ground, STEPS, COARSE)
    assert "something stands there" in planner.plan(*START, GOAL).reason
    assert "differs by 2.0 cm under the sole" in planner.plan(*START, (0.68, 0.35, 0.0)).reason
    assert "the body needs" in planner.plan(*START, (1.3, 0.8, 0.0)).reason
    with pytest.raises(BadInput, match="finite"):
        planner.plan(*START, (math.nan, 0.0, 0.0))
    with pytest.raises(BadInput, match="stance"):
        planner.plan(*START, GOAL, stance="middle")


def test_the_steps_of_the_nao_come_from_its_walk():
    from andante.description import load_robot
    from andante.locomotion.gaits import Request, prepare

    walk = prepare(load_robot("nao"), Request("walk")).walker
    steps = StepSet.of_walk(walk)
    m = walk.measures
    assert steps.width == m.width
    assert 0.5 * m.max_speed * m.step_time < steps.longest <= math.hypot(m.max_speed, m.max_side) * m.step_time
    assert [0.0, m.width, 0.0] in steps.steps.tolist()


def test_the_ground_of_a_world_is_exact_in_height():
    from andante.description import load_world

    ground = ground_of_world(load_world("lab"), resolution=0.02)
    assert ground.height(0.0, 0.0) == 0.0
    assert np.isnan(ground.height(50.0, 0.0))
    assert ground.clearance.min() == 0.0
