"""The coming footsteps of a commanded velocity, and the motion of a swinging foot."""

from __future__ import annotations

import math
from collections.abc import Callable

from .lipm import Step, first_offset

LEFT, RIGHT = 0, 1
PREVIEW = 3  # steps that are looked at after the coming one


def next_step(velocity: tuple[float, float, float], stance: int, width: float, time: float) -> Step:
    """Where the next foot belongs, seen from the standing one (LEFT or RIGHT), at vx, vy [m/s], wz [rad/s].

    The foot on the outside makes the whole way aside and the whole turn of two steps, the other one closes up; so feet
    never point at each other. In a turn both stay on a circle about the middle.
    """
    side = -1.0 if stance == LEFT else 1.0  # where the swinging foot is
    vx, vy, wz = velocity
    turn = side * max(0.0, side * 2.0 * wz * time)
    aside = side * (width + max(0.0, side * 2.0 * vy * time))
    c, s = math.cos(0.5 * turn), math.sin(0.5 * turn)
    return c * vx * time - s * aside, s * vx * time + c * aside, turn


def steady_offset(step: Callable[[int], Step], stance: int, growth: float) -> tuple[float, float]:
    """Where the divergent component is at the start of a step on a foot, when two steps repeat for ever [m].

    b_n = (u_n + b_(n+1)) / e^(w T) twice: b = (e u_n + u_(n+1)) / (e² - 1); turns and double support are left out.
    """
    a, b = step(stance), step(1 - stance)
    square = growth * growth - 1.0
    return (growth * a[0] + b[0]) / square, (growth * a[1] + b[1]) / square


def coming_offset(step: Callable[[int], Step], stance: int, growth: float, share: float) -> tuple[Step, float, float]:
    """The next step of a foot, and where the divergent component has to be when it ends, from there but in its axes."""
    first = step(stance)
    steps = [step((stance + 1 + n) % 2) for n in range(PREVIEW)]
    c, s = math.cos(first[2]), math.sin(first[2])
    before = (-(c * first[0] + s * first[1]), -(c * first[1] - s * first[0]))
    end = steady_offset(step, (stance + 1 + PREVIEW) % 2, growth)
    bx, by = first_offset(steps, before, end, growth, share)
    return first, c * bx - s * by, s * bx + c * by


def starting_offset(step: Callable[[int], Step], stance: int, growth: float) -> tuple[float, float]:
    """Where the divergent component has to be, from the standing foot, when the other one leaves the ground [m]."""
    steps = [step((stance + n) % 2) for n in range(PREVIEW + 1)]
    return first_offset(steps, (0.0, 0.0), steady_offset(step, (stance + PREVIEW + 1) % 2, growth), growth, 0.0)


def glide(x: float, v: float, goal: float, left: float, dt: float) -> tuple[float, float]:
    """Place and speed after dt on the cubic from x, v to rest at a goal in the time left."""
    if left <= dt:
        return goal, 0.0
    a = (3.0 * (goal - x) - 2.0 * v * left) / (left * left)
    b = (2.0 * (x - goal) + v * left) / (left * left * left)
    return x + dt * (v + dt * (a + dt * b)), v + dt * (2.0 * a + 3.0 * dt * b)


class Swing:
    """The foot that does not stand: x, y, z [m], yaw, roll, pitch [rad] in the frame of the standing sole."""

    def __init__(self, pose: tuple[float, float, float, float, float, float]) -> None:
        self.pose = list(pose)
        self._speed = [0.0] * 6
        self._ground = pose[2]  # height without the lift

    def advance(
        self, goal: tuple[float, float, float, float, float, float], done: float, left: float, lift: float, dt: float
    ) -> None:
        """Go on towards a goal that may change; done and left: of the swing [s], lift [m] in its middle."""
        for i in (0, 1, 3, 4, 5):
            self.pose[i], self._speed[i] = glide(self.pose[i], self._speed[i], goal[i], left + dt, dt)
        self._ground, self._speed[2] = glide(self._ground, self._speed[2], goal[2], left + dt, dt)
        share = min(1.0, done / max(done + left, 1e-9))
        self.pose[2] = self._ground + lift * math.sin(math.pi * share) ** 2

    @property
    def step(self) -> Step:
        """x, y and yaw."""
        return self.pose[0], self.pose[1], self.pose[3]
