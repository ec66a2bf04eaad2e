"""The way to a goal: what the guide commands, when it brakes, and how a walk ends."""

from __future__ import annotations

import math

import numpy as np
import pytest

import andante as an
from andante.control.body import Body, BodyState
from andante.control.loop import ControlLoop
from andante.control.walking import Estimated, LyingSense, Measure, Push, WalkGoal, WalkGuide, WalkSettings, walk_to
from andante.errors import BadInput
from andante.locomotion import Command, Walker
from andante.locomotion.behaviour import HoldPose


class Point(Walker):
    """Goes as fast as it is told at once, and stops within `stopping_time`; it starts at a place of its own."""

    max_speed, max_turn, stopping_time = 0.5, 1.0, 0.2

    def __init__(self, slip=1.0, approach=None, start=(3.0, -1.0, 0.5)):
        self.slip, self._approach = slip, approach
        self._place, self._velocity = np.array(start), np.zeros(3)
        self.asked = []

    @property
    def approach(self):
        return self._approach

    @property
    def standing(self):
        return not np.abs(self._velocity).any()

    @property
    def position(self):
        return self._place

    def update(self, readings, command, dt):
        self.asked.append(command)
        wanted = np.array([command.vx, command.vy, command.wz])
        most = np.array([self.max_speed, self.max_speed, self.max_turn]) * dt / self.stopping_time
        slowed = np.clip(wanted - self._velocity, -most, most)
        self._velocity = self._velocity + (slowed if not command.moving else wanted - self._velocity)
        c, s = math.cos(self._place[2]), math.sin(self._place[2])
        vx, vy, wz = self._velocity
        self._place = self._place + dt * np.array([c * vx - s * vy, s * vx + c * vy, wz])
        return np.zeros(2)


class Floor(Body):
    """A body whose clock is all that moves."""

    def __init__(self):
        self.robot, self.now = an.robot("waffle"), 7.0

    def read(self):
        return BodyState(self.now, np.zeros(2), np.zeros(2))

    def write(self, command):
        pass

    def advance(self, seconds):
        self.now += seconds

    def stop(self):
        pass

    def close(self):
        pass


def walked(walker, goal, **options):
    guide = WalkGuide(walker, goal)
    loop = ControlLoop(Floor(), walker, command=guide)
    loop.run(0.5)
    arrived = walk_to(loop, guide, Estimated(guide), **options)
    return guide, loop, arrived


def test_nothing_is_commanded_before_the_start():
    walker = Point()
    guide = WalkGuide(walker, WalkGoal(distance=1.0))
    assert guide(Floor().read()) == Command()
    guide.start(7.0)
    assert guide(Floor().read()).vx == pytest.approx(0.3)


@pytest.mark.parametrize("goal", [WalkGoal(distance=1.0), WalkGoal(distance=-0.4, speed=100.0), WalkGoal(distance=0.0)])
def test_a_distance_counts_from_where_it_stood_in_the_direction_it_faced(goal):
    walker = Point()
    guide, _, arrived = walked(walker, goal)
    assert arrived
    x, y, turned = guide.traveled
    assert x == pytest.approx(goal.distance, abs=0.01)
    assert (y, turned) == pytest.approx((0.0, 0.0), abs=1e-9)
    way = np.array([math.cos(0.5), math.sin(0.5)]) * x
    assert walker.position[:2] == pytest.approx(np.array([3.0, -1.0]) + way)


@pytest.mark.parametrize("degrees", [90.0, -450.0])
def test_a_turn_is_counted_beyond_a_full_one(degrees):
    guide, _, arrived = walked(Point(), WalkGoal(turn=degrees, speed=80.0))
    assert arrived
    assert math.degrees(guide.traveled[2]) == pytest.approx(degrees, abs=2.0)


def test_a_velocity_lasts_its_seconds():
    walker = Point()
    guide, loop, arrived = walked(walker, WalkGoal(velocity=(0.2, -0.1, 0.3), seconds=1.5))
    assert arrived
    assert guide.begin == pytest.approx(7.5)
    assert sum(command.moving for command in walker.asked) == 150
    assert set(walker.asked) == {Command(), Command(0.2, -0.1, 0.3)}
    assert loop.body.now - guide.begin == pytest.approx(1.7, abs=0.11)  # and the stop


@pytest.mark.parametrize(
    ("goal", "told"),
    [
        (WalkGoal(distance=1.0, velocity=(0.08, 0.0, 0.0)), Command(0.08, 0.0, 0.0)),
        (WalkGoal(distance=-0.2, velocity=(-0.1, 0.02, 0.0)), Command(-0.1, 0.02, 0.0)),
        (WalkGoal(turn=-180.0, velocity=(0.0, 0.0, -0.6)), Command(0.0, 0.0, -0.6)),
    ],
)
def test_a_velocity_is_kept_until_the_way_is_counted(goal, told):
    walker = Point(approach=0.5)
    guide, _, arrived = walked(walker, goal)
    assert arrived
    assert set(walker.asked) == {Command(), told}  # nothing steers back or slows down
    x, _, heading = guide.traveled
    done, wanted = (x, goal.distance) if goal.turn is None else (math.degrees(heading), goal.turn)
    rate = told.vx if goal.turn is None else math.degrees(told.wz)
    assert 0 <= (done - wanted) / rate < 0.15  # it is stopped when it has counted it, not before


def test_a_slow_velocity_is_waited_for():
    goal = WalkGoal(distance=2.0, velocity=(0.01, 0.0, 0.0))
    assert goal.patience(Point()) > 200.0
    assert WalkGoal(turn=90.0, velocity=(0.0, 0.0, 0.01)).patience(Point()) > 157.0


def test_it_comes_back_to_its_line():
    walker = Point()
    guide = WalkGuide(walker, WalkGoal(distance=2.0))
    guide.start(0.0)
    walker._place = walker._place + 0.05 * np.array([-math.sin(0.5), math.cos(0.5), 0.0])  # pushed to the left
    command = guide(BodyState(1.0, np.zeros(2), np.zeros(2)))
    assert guide.traveled[1] == pytest.approx(0.05)
    assert command.vy == pytest.approx(-0.025)
    walker._place = walker._place + np.array([-math.sin(0.5), math.cos(0.5), 0.0])
    assert guide(BodyState(1.0, np.zeros(2), np.zeros(2))).vy == pytest.approx(-0.3 * 0.3)  # no more than that


def test_who_wants_short_last_steps_slows_down():
    walker = Point(approach=0.5)
    guide, _, arrived = walked(walker, WalkGoal(distance=1.0, speed=100.0))
    assert arrived
    speeds = [command.vx for command in walker.asked if command.moving]
    assert speeds[0] == pytest.approx(0.5)
    assert min(speeds) < 0.2
    assert min(speeds) >= WalkSettings.slowest * walker.max_speed
    assert (np.diff(speeds) <= 1e-12).all()
    assert guide.traveled[0] == pytest.approx(1.0, abs=0.03)


def test_who_never_arrives_is_told_so_in_time():
    class Stuck(Point):
        def update(self, readings, command, dt):
            return np.zeros(2)

    goal = WalkGoal(distance=1.0)
    walker, told = Stuck(), []
    _, loop, arrived = walked(walker, goal, report=lambda done, total: told.append((done, total)))
    assert not arrived
    assert loop.body.now - 7.5 == pytest.approx(goal.patience(walker), abs=0.01)
    assert goal.patience(walker) == pytest.approx(3.0 / 0.6 / 0.5 + 6 * 0.2 + 10.0)
    assert told[-1][0] < told[-1][1] == goal.patience(walker)


def test_a_push_comes_in_its_time_and_the_walk_waits_for_it():
    walker, times = Point(), []
    guide = WalkGuide(walker, WalkGoal(distance=0.1))
    loop = ControlLoop(Floor(), walker, command=guide)
    assert walk_to(loop, guide, Estimated(guide), Push(2.0, lambda: times.append(loop.body.now)))
    assert times == pytest.approx([9.0])
    assert loop.body.now >= 9.0


@pytest.mark.parametrize("tumbles", [False, True])
def test_a_fall_ends_it_but_for_who_may_lean_as_it_likes(tumbles):
    class Fallen(Measure):
        moved, fallen = (0.0, 0.0, 0.0), True

        def start(self):
            pass

    class Ball(Point):
        pass

    Ball.tumbles = tumbles
    walker = Ball()
    guide = WalkGuide(walker, WalkGoal(distance=0.3))
    loop = ControlLoop(Floor(), walker, command=guide)
    assert walk_to(loop, guide, Fallen()) == tumbles
    assert (loop.periods == 10) == (not tumbles)
    assert not Estimated(guide).fallen
    assert Estimated(guide, lambda: True).fallen


@pytest.mark.parametrize(
    ("goal", "words"),
    [(WalkGoal(distance=1.0), "cannot move ahead: its top speed is 0"), (WalkGoal(turn=9.0), "cannot turn")],
)
def test_who_cannot_go_is_told_before_the_way(goal, words):
    robot = an.robot("nao")
    with pytest.raises(BadInput, match=f"HoldPose {words}"):
        WalkGuide(HoldPose(robot, "StandInit"), goal)
    WalkGuide(HoldPose(robot, "StandInit"), WalkGoal(velocity=(0.1, 0.0, 0.0), seconds=1.0))


@pytest.mark.parametrize(
    ("goal", "words"),
    [
        ({}, "a walk needs one of distance, turn or velocity with seconds, got none"),
        ({"distance": 1.0, "turn": 90.0}, "got distance and turn"),
        ({"velocity": (0.1, 0.0, 0.0)}, "velocity and seconds must be given together"),
        ({"distance": 1.0, "seconds": 2.0}, "velocity and seconds must be given together"),
        ({"turn": 9.0, "velocity": (0.1, 0.0, 0.1), "seconds": 2.0}, "got turn and seconds"),
        (
            {"distance": 1.0, "velocity": (-0.1, 0.0, 0.0)},
            r"a velocity of \(-0.1, 0.0, 0.0\) never comes to a distance",
        ),
        ({"turn": 90.0, "velocity": (0.1, 0.0, 0.0)}, "never comes to a turn of 90"),
        ({"distance": math.nan}, "distance must be a number"),
        ({"turn": 1e6}, "turn must be a number up to 100000"),
        ({"velocity": (0.1, 0.0, 0.0), "seconds": -1.0}, "seconds must be >= 0"),
        ({"velocity": (0.1, 0.0), "seconds": 1.0}, "velocity is vx, vy, wz"),
        ({"velocity": (0.1, math.inf, 0.0), "seconds": 1.0}, "velocity is vx, vy, wz"),
        ({"distance": 1.0, "speed": 0.0}, "speed is a percentage"),
        ({"distance": 1.0, "speed": 101.0}, "speed is a percentage"),
    ],
)
def test_goals_that_cannot_be(goal, words):
    with pytest.raises(BadInput, match=words):
        WalkGoal(**goal)


def test_settings_turn_the_approach_the_line_and_the_patience():
    walker, goal = Point(approach=0.5), WalkGoal(distance=1.0, speed=100.0)
    settings = WalkSettings(slowest=0.5, side_gain=0.0, patience=1.0, grace=2.0)
    guide = WalkGuide(walker, goal, settings)
    loop = ControlLoop(Floor(), walker, command=guide)
    assert walk_to(loop, guide, Estimated(guide))
    assert min(command.vx for command in walker.asked if command.moving) >= 0.5 * walker.max_speed
    assert goal.patience(walker, settings) == pytest.approx(1.0 / 0.5 + 6 * 0.2 + 2.0)


@pytest.mark.parametrize(("angle", "lies"), [(math.radians(60), False), (math.radians(30), True)])
def test_a_robot_that_leans_further_than_the_angle_lies(angle, lies):
    sense = LyingSense(an.robot("nao"), angle)
    leaning = 9.81 * np.array([math.sin(math.radians(45)), 0.0, math.cos(math.radians(45))])
    for k in range(500):
        sense.feel(BodyState(0.01 * k, np.zeros(0), np.zeros(0), gyro=np.zeros(3), acceleration=leaning))
    assert sense() == lies


@pytest.mark.parametrize(
    ("goal", "moved", "there"),
    [
        (WalkGoal(distance=1.0), (0.91, 0.1, 2.0), True),
        (WalkGoal(distance=1.0), (0.8, 0.0, 0.0), False),
        (WalkGoal(distance=1.0), (1.0, 0.3, 0.0), False),
        (WalkGoal(distance=-0.2), (-0.16, 0.0, 0.0), True),
        (WalkGoal(turn=90.0), (0.0, 0.0, math.radians(82.0)), True),
        (WalkGoal(turn=-90.0), (0.0, 0.0, math.radians(82.0)), False),
        (WalkGoal(velocity=(0.1, 0.0, 0.0), seconds=1.0), (7.0, 7.0, 7.0), True),
    ],
)
def test_who_stands_elsewhere_has_not_arrived(goal, moved, there):
    assert goal.reached(moved) is there


def test_who_comes_to_stand_short_of_its_goal_sets_out_again():
    class Sticky(Point):
        """Stops at once, long before its braking way would end."""

        stopping_time = 2.0

        def update(self, readings, command, dt):
            out = super().update(readings, command, dt)
            if not command.moving:
                self._velocity = np.zeros(3)
            return out

    walker = Sticky()
    guide, _, arrived = walked(walker, WalkGoal(distance=1.0))
    assert arrived
    assert guide.traveled[0] > 0.9
    short = WalkGuide(Sticky(), WalkGoal(distance=1.0), WalkSettings(again=0))
    loop = ControlLoop(Floor(), short.walker, command=short)
    assert walk_to(loop, short, Estimated(short))
    assert short.traveled[0] < 0.85
