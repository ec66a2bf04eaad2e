"""`PoseGuide` leads a walker that does what it is told to a pose, and corrects once it stands."""

import math

import numpy as np
import pytest

from andante.control.pose_guide import PoseGuide
from andante.errors import BadInput
from andante.locomotion import Command, Walker


class Point(Walker):
    """A walker that has any velocity at once and stops at once, a little too late."""

    approach, max_speed, max_turn, stopping_time = 0.6, 0.3, 1.0, 0.8

    def __init__(self):
        self.place, self.command = np.zeros(3), Command()

    @property
    def standing(self):
        return not self.command.moving

    def update(self, readings, command, dt):
        self.command = command
        c, s = math.cos(self.place[2]), math.sin(self.place[2])
        vx, vy = command.vx, command.vy
        self.place = self.place + dt * np.array([c * vx - s * vy, s * vx + c * vy, command.wz])
        return np.zeros(0)


def led(goal, tops=(0.1, 0.06, 0.4)):
    walker = Point()
    guide, fastest = PoseGuide(walker, walker.place, goal, tops), np.zeros(3)
    for _ in range(round(guide.patience / 0.01)):
        command = guide.command(walker.place)
        fastest = np.maximum(fastest, np.abs([command.vx, command.vy, command.wz]))
        walker.update(None, command, 0.01)
        if guide.over:
            break
    return guide, walker, fastest


@pytest.mark.parametrize(
    "goal", [(0.5, 0, 0), (0, 0.2, 0), (0, 0, math.pi / 2), (-0.3, 0.1, -0.7), (0.01, 0, 0), (0, 0, 0), (0, 0, 7.0)]
)
def test_it_comes_to_the_goal_within_its_speeds(goal):
    guide, walker, fastest = led(goal)
    assert guide.reached
    assert walker.place == pytest.approx(goal, abs=0.06)
    assert math.hypot(*(walker.place - goal)[:2]) <= 0.02
    assert (fastest <= np.array([0.1, 0.06, 0.4]) + 1e-9).all()


@pytest.mark.parametrize("goal", [(math.nan, 0, 0), (1e3, 0, 0), (0, math.inf, 0)])
def test_bad_goals(goal):
    with pytest.raises(BadInput, match="a goal is"):
        led(goal)


def test_a_robot_that_cannot_walk():
    class Still(Walker):
        def update(self, readings, command, dt):
            return np.zeros(0)

    with pytest.raises(BadInput, match="cannot walk to a goal"):
        PoseGuide(Still(), np.zeros(3), (1.0, 0.0, 0.0))
