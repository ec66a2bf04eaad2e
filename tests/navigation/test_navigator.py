"""The navigator in closed loop in a flat world: arrives, replans, recovers, gives up, and says why."""

import math

import numpy as np
import pytest

from andante.errors import BadInput
from andante.geometry import se2
from andante.mapping import OccupancyGrid, Scan
from andante.navigation import (
    BackUp,
    ClearCostmap,
    Decision,
    GoalChecker,
    LayerSettings,
    MotionState,
    Mppi,
    MppiSettings,
    Navigator,
    NavigatorInput,
    NavigatorSettings,
    ProgressChecker,
    Spin,
    State,
    Wait,
)
from andante.navigation.controllers import stopped

from .samples import BOX, CAR, OMNI, box_walls, room
from .world2d import World, drive

WALLS = np.concatenate([box_walls(8, 6), [[4.0, 0.0, 4.0, 4.0]]])
WORLD = World(np.array([[2.0, 4.5, 0.2], [6.0, 2.5, 0.3]]), WALLS)  # the discs are not on the map
FEW = MppiSettings(samples=300, steps=40)


def lab_map():
    cells = room(8, 6)
    cells[:80, 79:81] = 100
    return OccupancyGrid(0.05, (0.0, 0.0, 0.0), cells)


def mppi(vehicle):
    return Mppi(vehicle) if vehicle is CAR else Mppi(vehicle, FEW)


def empty_scan(time, length=8.0):
    return Scan(time, np.full(60, np.inf), -math.pi, 2 * math.pi / 60, 0.02, length)


@pytest.mark.parametrize(
    ("vehicle", "controller", "mapped"),
    [
        (BOX, "mppi", True),
        (BOX, "dwa", False),
        (BOX, "pursuit", True),
        (OMNI, "mppi", False),
        (OMNI, "pursuit", True),
        (CAR, "mppi", True),
        (CAR, "pursuit", False),
    ],
    ids=lambda v: getattr(v, "drive", str(v)),
)
def test_drives_around_a_wall_to_a_pose(vehicle, controller, mapped):
    chosen = mppi(vehicle) if controller == "mppi" else controller
    navigator = Navigator(vehicle, lab_map() if mapped else None, controller=chosen)
    goal = np.array([6.5, 1.0, math.pi / 2 if vehicle is CAR else -math.pi / 2])
    navigator.set_goal(goal)
    run = drive(navigator, WORLD, (1.2, 1.2, 0.0), timeout=45, seed=1)
    assert run.success, (run.last.reason, run.events[-4:])
    error = se2.between(goal, run.track[-1])
    assert np.hypot(*error[:2]) <= 0.15 + 0.02
    assert abs(error[2]) <= 0.2 + 0.02
    assert run.least_clearance > 0
    assert run.last.state is State.ARRIVED
    assert not run.last.velocity.any()


def test_the_same_seed_drives_the_same_way():
    tracks = []
    for _ in range(2):
        navigator = Navigator(BOX, controller=mppi(BOX))
        navigator.set_goal((2.5, 0.5))
        tracks.append(drive(navigator, World(np.array([[1.2, 0.1, 0.2]])), (0, 0, 0), timeout=10).track)
    np.testing.assert_array_equal(*tracks)


def test_pushed_off_its_path_it_plans_anew():
    navigator = Navigator(BOX, lab_map(), controller="pursuit")
    navigator.set_goal((2.0, 5.3, math.nan))
    run = drive(navigator, World(segments=WALLS), (1.0, 1.0, 1.57), timeout=30, push=(2.0, 1.2, 0.0, 0.5))
    assert run.success
    assert any("off the path" in event for _, event in run.events)


def test_a_crossing_thing_is_not_hit():
    settings = NavigatorSettings(movers=True)
    navigator = Navigator(BOX, controller=mppi(BOX), settings=settings)
    navigator.set_goal((5.0, 0.0, math.nan))
    world = World(
        segments=np.array([[-1, -2, 7, -2], [-1, 2, 7, 2]], float), movers=np.array([[3.0, 1.6, 0.0, -0.5, 0.25]])
    )
    run = drive(navigator, world, (0.0, 0.0, 0.0), timeout=25)
    assert run.success, run.last.reason
    assert not run.collided


def test_a_goal_far_outside_the_window_is_reached():
    navigator = Navigator(BOX, controller="pursuit", settings=NavigatorSettings(layers=LayerSettings(window=6.0)))
    navigator.set_goal((9.0, 4.0, math.nan))
    run = drive(navigator, World(np.array([[4.0, 1.8, 0.5]])), (0.0, 0.0, 0.0), timeout=40)
    assert run.success
    assert not run.collided


def test_a_goal_inside_a_wall_is_moved_and_told():
    navigator = Navigator(BOX, lab_map(), controller="pursuit")
    navigator.set_goal((4.0, 2.0, math.nan), GoalChecker(0.4))
    run = drive(navigator, World(segments=WALLS), (1.2, 1.2, 0.0), timeout=20)
    assert run.success
    assert any("lies in an obstacle; the free place" in event for _, event in run.events)


@pytest.mark.parametrize("controller", ["pursuit", "mppi"])
@pytest.mark.parametrize(
    ("goal", "reason"),
    [
        ((6.0, 3.0, 0.0), "given up: the goal (6.00, 3.00) lies in an obstacle and no free place lies within 0.50 m"),
        ((12.0, 3.0), "given up: the goal (12.00, 3.00) lies outside the map"),
        ((-3.0, -30.0), "given up: the goal (-3.00, -30.00) lies outside the map"),
    ],
)
def test_a_goal_in_an_obstacle_or_off_the_map_is_given_up_at_once(goal, reason, controller):
    cells = room(8, 6)
    cells[40:80, 100:140] = 100
    navigator = Navigator(BOX, OccupancyGrid(0.05, (0.0, 0.0, 0.0), cells), controller=controller)
    navigator.set_goal(goal)
    run = drive(navigator, World(segments=box_walls(8, 6)), (1.5, 3.0, 0.0), timeout=30)
    assert run.last.state is State.FAILED
    assert run.last.reason.startswith(reason)
    assert run.time < 5.0
    assert np.ptp(run.track[:, :2], axis=0).max() < 0.01


@pytest.mark.parametrize("controller", ["pursuit", "mppi"])
def test_a_goal_that_comes_into_view_beyond_a_wall_is_given_up_within_five_seconds(controller):
    navigator = Navigator(BOX, controller=controller)
    navigator.set_goal((12.0, 3.0))
    run = drive(navigator, World(segments=box_walls(8, 6)), (1.5, 3.0, 0.0), timeout=60)
    assert run.last.state is State.FAILED
    assert "cannot be reached: obstacles that were seen close every way" in run.last.reason
    assert not run.collided
    first = next(time for time, event in run.events if "waiting to see whether it clears" in event)
    assert run.time - first <= 5.0
    assert run.time < 12.0


class Never:
    """A controller that finds no motion."""

    def plan(self, state, path, costmap):
        """Stand."""
        return stopped("there is no motion")

    def reset(self):
        """Nothing to forget."""


def test_recoveries_come_in_their_order_and_end_also_where_they_move_the_robot():
    navigator = Navigator(
        BOX,
        OccupancyGrid(0.05, (0.0, 0.0, 0.0), room(8, 6)),
        controller=Never(),
        recoveries=(ClearCostmap(), Wait(0.3), Spin(0.3), BackUp(0.1), BackUp(0.7)),
        settings=NavigatorSettings(most_recoveries=6),
    )
    navigator.set_goal((6.0, 3.0, 0.0))
    run = drive(navigator, World(segments=box_walls(8, 6)), (2.5, 3.0, 0.0), timeout=40)
    assert run.last.state is State.FAILED
    assert run.last.reason == "given up after 6 recoveries: there is no motion"
    told = " ".join(event for _, event in run.events)
    for words in ("clearing obstacles", "waiting", "turning 17 degrees", "backing up by at most 0.10 m"):
        assert words in told


def test_a_goal_that_the_map_shuts_off_is_given_up_after_another_look():
    cells = room(8, 6)
    cells[:, 80] = 100
    navigator = Navigator(BOX, OccupancyGrid(0.05, (0.0, 0.0, 0.0), cells), controller="pursuit")
    navigator.set_goal((6.0, 3.0, 0.0))
    run = drive(navigator, World(segments=np.array([[4.0, 0.0, 4.0, 6.0]])), (1.5, 3.0, 0.0), timeout=30)
    assert run.last.state is State.FAILED
    assert run.last.reason.startswith("given up: the goal (6.00, 3.00) cannot be reached: obstacles that were seen")
    assert "m from it; waiting to see whether it clears" in run.events[0][1]
    assert 3.0 <= run.time < 4.0
    assert np.ptp(run.track[:, :2], axis=0).max() < 0.01


@pytest.mark.parametrize(("vehicle", "controller"), [(BOX, "pursuit"), (CAR, "mppi")])
def test_a_goal_beyond_the_walls_of_an_unknown_room_is_given_up_without_a_touch(vehicle, controller):
    navigator = Navigator(vehicle, controller=controller, settings=NavigatorSettings(layers=LayerSettings(window=24.0)))
    navigator.set_goal((11.0, 8.0))
    world = World(segments=np.concatenate([box_walls(8, 6), [[4.0, 0.0, 4.0, 3.0]]]))
    run = drive(navigator, world, (1.5, 2.0, 0.5), timeout=90)
    assert not run.collided
    assert run.last.state is State.FAILED
    assert "given up: the goal (11.00, 8.00) cannot be reached" in run.last.reason
    assert run.time < 60


def test_a_door_that_opens_again_is_driven_through():
    cells = room(8, 6)
    cells[:, 80], cells[52:68, 80] = 100, 0
    walls = np.array([[4.0, 0.0, 4.0, 2.6], [4.0, 3.4, 4.0, 6.0]])
    navigator = Navigator(BOX, OccupancyGrid(0.05, (0.0, 0.0, 0.0), cells), controller="pursuit")
    navigator.set_goal((6.0, 3.0))
    leaves = World(segments=walls, movers=np.array([[4.0, 3.0, 0.5, 0.9, 0.35]]))
    run = drive(navigator, leaves, (1.5, 3.0, 0.0), timeout=40)
    assert "waiting to see whether it clears" in " ".join(event for _, event in run.events)
    assert run.success
    assert not any("recover" in event or "given up" in event for _, event in run.events)


class Unwilling:
    """A controller that never moves."""

    def plan(self, state, path, costmap):
        return Decision(np.zeros(3), "no will", feasible=False)

    def reset(self):
        pass


class Broken(Unwilling):
    def plan(self, state, path, costmap):
        return Decision(np.array([math.nan, 0.0, 0.0]))


@pytest.mark.parametrize(("controller", "words"), [(Unwilling(), "no will"), (Broken(), "not finite")])
def test_controllers_that_fail_lead_to_recoveries(controller, words):
    navigator = Navigator(
        BOX, controller=controller, recoveries=(Wait(0.2),), settings=NavigatorSettings(most_recoveries=2)
    )
    navigator.set_goal((2.0, 0.0, 0.0))
    run = drive(navigator, World(), (0.0, 0.0, 0.0), timeout=10)
    assert run.last.state is State.FAILED
    assert words in run.last.reason
    assert np.abs(run.track).max() == 0


def reading(time, **more):
    return NavigatorInput(time, np.zeros(3), scans=(empty_scan(time),), **more)


def test_it_stands_when_senses_fail_and_goes_on_after():
    navigator = Navigator(BOX, controller="pursuit")
    assert navigator.update(reading(0.0)).reason == "no goal is set"
    navigator.set_goal((3.0, 0.0, 0.0))
    assert navigator.update(reading(0.1)).velocity[0] > 0
    lost = navigator.update(reading(0.2, trusted=False))
    assert (lost.request, lost.velocity.any()) == ("relocalize", False)
    blind = navigator.update(NavigatorInput(2.0, np.zeros(3)))
    assert "no scan for 1.8 s" in blind.reason
    assert not blind.velocity.any()
    for bad in (np.array([0.0, math.nan, 0.0]), np.zeros(2)):
        out = navigator.update(NavigatorInput(2.1, bad))
        assert "no pose estimate" in out.reason
        assert not out.velocity.any()
    assert "not a number" in navigator.update(NavigatorInput(math.nan, np.zeros(3))).reason
    back = navigator.update(reading(1.0))
    assert back.velocity[0] > 0
    assert "time went back by 1.00 s" in back.events[0]
    navigator.cancel()
    assert navigator.update(reading(1.1)).state is State.IDLE


def test_recoveries_know_what_is_possible():
    from andante.navigation import LayeredCostmap, Margins, Situation
    from andante.navigation.controllers import Surroundings

    def situation(vehicle, cells, pose=(2.0, 2.0, 0.0)):
        layers = LayeredCostmap(vehicle, OccupancyGrid(0.05, (0.0, 0.0, 0.0), cells))
        return Situation(MotionState(np.array(pose)), layers, Surroundings(vehicle, Margins()))

    free = np.zeros((80, 80), dtype=np.int8)
    assert Spin().begin(situation(CAR, free)) is None
    assert "backing up" in BackUp().begin(situation(CAR, free))
    behind = free.copy()
    behind[:, 34:36] = 100
    assert "moving forward" in BackUp().begin(situation(BOX, behind))
    both = behind.copy()
    both[:, 45:47] = 100
    assert BackUp().begin(situation(BOX, both)) is None


def test_a_recovery_does_not_run_into_what_was_cleared_behind_the_robot():
    from andante.navigation import LayeredCostmap, LayerSettings, Margins, Situation
    from andante.navigation.controllers import Surroundings

    layers = LayeredCostmap(BOX, None, LayerSettings(decay=30.0))
    near = 0.08 - float(BOX.footprint[:, 0].min())
    behind = Scan(0.0, np.full(40, near), math.pi - 0.4, 0.02, 0.05, 5.0)
    layers.update(np.zeros(3), behind)
    now = Situation(MotionState(np.zeros(3)), layers, Surroundings(BOX, Margins()))
    assert "moving forward" in BackUp().begin(now)
    ClearCostmap().begin(now)
    assert "moving forward" in BackUp().begin(now)
    assert now.free_for(np.array([0.1, 0.0, 0.0]), 1.0)
    for time in (1.0, 31.0):  # scans of what is ahead go on; after 30 s nobody counts on it any more
        layers.update(np.zeros(3), Scan(time, np.full(40, 3.0), -0.4, 0.02, 0.05, 5.0))
    assert "backing up" in BackUp().begin(now)


def test_checkers():
    goal = np.array([1.0, 0.0, 0.5])
    checker = GoalChecker(0.2, 0.1, 0.05)
    assert checker.arrived(MotionState(np.array([1.1, 0.0, 0.45])), goal)
    assert not checker.arrived(MotionState(np.array([1.1, 0.0, 0.3])), goal)
    assert not checker.arrived(MotionState(np.array([1.3, 0.0, 0.5])), goal)
    assert not checker.arrived(MotionState(np.array([1.1, 0.0, 0.45]), np.array([0.3, 0, 0])), goal)
    assert checker.arrived(MotionState(np.array([1.1, 0.0, 3.0])), np.array([1.0, 0.0, math.nan]))
    progress = ProgressChecker(0.2, 0.6, 2.0)
    told = [
        progress.stuck(MotionState(np.array([x, 0, 0]), time=t))
        for x, t in ((0, 0), (0.1, 1.9), (0.1, 2.1), (0.4, 2.2), (0.4, 4.1))
    ]
    assert told == [False, False, True, False, False]


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Navigator(BOX).set_goal((math.nan, 0.0)), "the goal must be x, y, yaw"),
        (lambda: NavigatorSettings(patience=0.0), "patience must be a number > 0"),
        (lambda: NavigatorSettings(most_recoveries=-1), "most_recoveries"),
        (lambda: GoalChecker(0.0), "arrival needs"),
        (lambda: ProgressChecker(seconds=0.0), "progress needs a distance"),
    ],
)
def test_words(make, words):
    with pytest.raises(BadInput, match=words):
        make()
