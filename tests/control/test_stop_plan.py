"""Plans of how a walking robot comes to rest when nobody tells it anything any more."""

import numpy as np
import pytest

from andante.control.body import BodyState
from andante.control.stop_plan import EVERY, LEAD, LONGEST, PERIOD, ROWS, StopPlanner
from andante.locomotion import Command, Walker

NOTHING = np.zeros(1)


class Rolling(Walker):
    """Goes at the commanded speed and takes a while to stop."""

    def __init__(self, brake: float = 1.0, place: float = 0.0) -> None:
        self.brake, self.place, self.speed = brake, place, 0.0
        self.copies = 0

    @property
    def standing(self) -> bool:
        return self.speed == 0.0

    def ahead(self) -> Walker:
        self.copies += 1
        copy = Rolling(self.brake, self.place)
        copy.speed = self.speed
        return copy

    def update(self, readings, command, dt):
        self.speed = command.vx if command.vx > 0 else max(0.0, self.speed - self.brake * dt)
        self.place += self.speed * dt
        return np.array([self.place])


def planned(planner: StopPlanner, walker: Rolling, seconds: float, dt: float = 0.01):
    """Plans by the time at which they were ready, of a walk at 0.5 m/s."""
    plans = []
    for k in range(round(seconds / dt)):
        state = BodyState(k * dt, NOTHING, NOTHING)
        targets = walker.update(state, Command(vx=0.5), dt)
        plan = planner.step(state, Command(vx=0.5), targets)
        if plan is not None:
            plans.append((state.time, plan))
    return plans


def test_a_plan_goes_on_under_the_command_and_ends_at_rest():
    walker = Rolling()
    when, plan = planned(StopPlanner(walker), walker, 0.19)[0]
    rows = plan.targets[:, 0]
    speeds = np.diff(rows) / plan.period
    lead = round(LEAD / PERIOD)
    assert plan.time == 0.0
    assert plan.period == PERIOD
    assert rows[0] == pytest.approx(0.005)  # the targets of its instant
    np.testing.assert_allclose(speeds[: lead - 1], 0.5)
    np.testing.assert_allclose(np.diff(speeds[lead:-1]), -PERIOD, atol=1e-9)  # it brakes at 1 m/s²
    assert speeds[-1] == pytest.approx(0.0, abs=1e-9)
    assert when == pytest.approx((len(rows) - 1) // ROWS * 0.01, abs=0.011)  # some rows in every control period


def test_plans_follow_one_another_and_the_robot_itself_is_not_moved_by_them():
    walker = Rolling()
    plans = planned(StopPlanner(walker), walker, 1.0)
    np.testing.assert_allclose(np.diff([plan.time for _, plan in plans]), EVERY, atol=1e-9)
    assert EVERY < LEAD  # a plan is still under way when the next begins
    assert walker.place == pytest.approx(0.5)


def test_a_walker_that_never_stands_has_plans_of_the_longest_time():
    walker = Rolling(brake=0.0)
    (_, plan), *_ = planned(StopPlanner(walker), walker, 0.5)
    assert (len(plan.targets) - 1) * PERIOD == pytest.approx(LONGEST, abs=PERIOD)


def test_who_cannot_look_ahead_has_no_plans():
    class Blind(Rolling):
        def ahead(self) -> None:
            return None

    assert planned(StopPlanner(Blind()), Rolling(), 1.0) == []
