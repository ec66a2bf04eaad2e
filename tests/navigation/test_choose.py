"""Planners and controllers by name, users' own, and the checks."""

import math

import numpy as np
import pytest

from andante.errors import BadInput, UnknownName
from andante.navigation import (
    CONTROLLERS,
    PLANNERS,
    AStar,
    Decision,
    HybridAStar,
    Path,
    Plan,
    ThetaStar,
    check_controller,
    check_planner,
    controller_named,
    planner_named,
)

from .samples import BOX, CAR, OMNI

OWN = """
import numpy as np
from andante.navigation import AStar, Decision, Path, Plan

class Planner:
    def __init__(self, vehicle):
        self.inner = AStar()
    def plan(self, start, goal, costmap):
        return self.inner.plan(start, goal, costmap)

class Straight:
    def plan(self, start, goal, costmap):
        return Plan(Path.through([start[:2], goal[:2]]))

class Controller:
    def plan(self, state, path, costmap):
        return Decision(np.array([0.2, 0.0, 0.0]))
    def reset(self):
        pass

class Backwards(Controller):
    def plan(self, state, path, costmap):
        return Decision(np.array([-0.2, 0.0, 0.0]))

class Faulty:
    def __init__(self, vehicle):
        raise RuntimeError("no fuel")
"""


@pytest.mark.parametrize("vehicle", [BOX, CAR, OMNI], ids=lambda v: v.drive)
def test_all_that_ship_pass_their_checks(vehicle):
    for name in ("auto", *PLANNERS):
        if not (vehicle is CAR and name in ("dijkstra", "astar", "theta_star")):
            assert check_planner(planner_named(name, vehicle), vehicle) == []
    for name in CONTROLLERS:
        assert check_controller(controller_named(name, vehicle, speed=0.5), vehicle) == []


def test_the_usual_planner_goes_with_the_drive():
    assert isinstance(planner_named("auto", CAR), HybridAStar)
    assert isinstance(planner_named("auto", BOX), AStar)


def test_the_old_name_of_theta_star_is_taken_with_a_warning():
    with pytest.warns(FutureWarning, match="'anyangle' is now called 'theta_star'"):
        assert isinstance(planner_named("anyangle", BOX), ThetaStar)


def test_users_own(tmp_path):
    file = tmp_path / "own.py"
    file.write_text(OWN)
    plan = planner_named(f"{file}:Planner", BOX)
    assert type(plan).__name__ == "Planner"
    assert type(controller_named(f"{file}:Controller", BOX)).__name__ == "Controller"
    straight = planner_named(f"{file}:Straight", BOX)  # good enough to try, though it knows no walls
    assert len(check_planner(straight, BOX)) == 2
    with pytest.raises(BadInput, match=r"own\.py:Backwards: it does not move along a free straight path: -0\.60 m"):
        controller_named(f"{file}:Backwards", BOX)
    with pytest.raises(BadInput, match=r"own\.py:Faulty cannot be made: RuntimeError: no fuel"):
        planner_named(f"{file}:Faulty", BOX)
    with pytest.raises(BadInput, match=r"own\.py:Controller: plan must return a Plan, got Decision"):
        planner_named(f"{file}:Controller", BOX)


class Fake:
    def __init__(self, answer):
        self.answer = answer

    def plan(self, *_):
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer

    def reset(self):
        pass


LINE = Path.through([[0.9, 3.0], [5.1, 3.0]])


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (None, "plan must return a Plan, got NoneType"),
        (ValueError("oh"), "plan fails in the open world: ValueError: oh"),
        (Plan(None), "plan finds no path in the open world"),
        (Plan(LINE), "leads through an obstacle"),
        (Plan(LINE), "a goal behind a closed wall"),
        (Plan(Path.through([[0.0, 3.0], [5.1, 3.0]])), "away from the start or the goal"),
        (Plan(None), "needs a reason in words"),
    ],
)
def test_what_planners_do_wrong(answer, words):
    assert any(words in problem for problem in check_planner(Fake(answer), BOX))


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (None, "plan must return a Decision, got NoneType"),
        (ValueError("oh"), "plan fails on a straight path: ValueError: oh"),
        (Decision(np.array([math.nan, 0, 0])), "three finite numbers"),
        (Decision(np.zeros(3)), "does not move"),
    ],
)
def test_what_controllers_do_wrong(answer, words):
    assert any(words in problem for problem in check_controller(Fake(answer), BOX))


def test_a_planner_has_to_take_a_free_yaw():
    class Picky:
        def plan(self, start, goal, costmap):
            if math.isnan(goal[2]):
                raise ValueError("a yaw is wanted")
            return Plan(Path.through([start[:2], goal[:2]]))

    assert check_planner(Picky(), BOX, ("open",)) == [
        "plan fails where the yaw of the goal is free (NaN): ValueError: a yaw is wanted"
    ]


def test_words():
    assert check_planner(object(), BOX) == ["a planner needs a method plan(start, goal, costmap)"]
    assert "reset" in check_controller(object(), BOX)[0]
    with pytest.raises(UnknownName, match="no planner 'rrt'; choices: auto, dijkstra"):
        planner_named("rrt", BOX)
    with pytest.raises(UnknownName, match="no controller 'teb'; choices: mppi, dwa"):
        controller_named("teb", BOX)
    with pytest.raises(BadInput, match="the wanted speed"):
        controller_named("mppi", BOX, speed=0.0)
