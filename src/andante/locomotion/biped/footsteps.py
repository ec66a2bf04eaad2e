"""Footsteps of a walk on two legs: the linear inverted pendulum, where the next foot goes, and the swinging foot.

A center of mass c at constant height h over a pressure point p moves as c'' = w² (c - p), w = sqrt(g / h). With the
divergent component x = c + c'/w the motion falls apart into x' = w (x - p), which runs away, and c' = w (x - c), which
follows. Whoever steers x with feet and pressure steers the walk. Poses of feet are x, y [m] and yaw [rad].
"""

from __future__ import annotations

import math

import numpy as np

from andante.compiling import njit
from andante.geometry import Array
from andante.gravity import GRAVITY


def turned(yaw: float) -> Array:
    """(3, 3) rotation about z."""
    c, s = math.cos(yaw), math.sin(yaw)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def leaning(roll: float, pitch: float) -> Array:
    """(3, 3) rotation about x, then y."""
    cr, sr, cp, sp = math.cos(roll), math.sin(roll), math.cos(pitch), math.sin(pitch)
    return np.array([[cp, sp * sr, sp * cr], [0.0, cr, -sr], [-sp, cp * sr, cp * cr]])


def angles_of(rotation: Array) -> tuple[float, float, float]:
    """yaw, roll, pitch [rad] with rotation = turned(yaw) leaning(roll, pitch)."""
    low = max(-1.0, min(1.0, float(rotation[2, 0])))
    return (math.atan2(rotation[1, 0], rotation[0, 0]), math.atan2(rotation[2, 1], rotation[2, 2]), -math.asin(low))


def seen_from(frame: tuple[float, float, float], x: float, y: float) -> tuple[float, float]:
    """A point of the plane, seen from a frame at x, y [m] and yaw [rad]."""
    c, s = math.cos(frame[2]), math.sin(frame[2])
    dx, dy = x - frame[0], y - frame[1]
    return c * dx + s * dy, c * dy - s * dx


def placed(frame: tuple[float, float, float], step: tuple[float, float, float]) -> tuple[float, float, float]:
    """A pose of the plane given in a frame, x, y [m] and yaw [rad]."""
    c, s = math.cos(frame[2]), math.sin(frame[2])
    return frame[0] + c * step[0] - s * step[1], frame[1] + s * step[0] + c * step[1], frame[2] + step[2]


def reversed_step(step: tuple[float, float, float]) -> tuple[float, float, float]:
    """The first frame seen from the second."""
    x, y = seen_from(step, 0.0, 0.0)
    return x, y, -step[2]


def leveled(
    step: Step, tilt: Array, ground: Array, slope: tuple[float, float], outline: Array
) -> tuple[float, float, float, float, float, float]:
    """Pose x, y, z, yaw, roll, pitch of a foot that comes down on the ground although the standing one is tilted.

    tilt (3, 3): of the standing sole beyond what is believed, ground (3, 3) and slope: of the ground, outline
    (corners, 2): of the standing sole [m]. Seen from where that sole is believed to be.
    """
    back = tilt.T
    height = slope[0] * step[0] + slope[1] * step[1] + float(np.min(outline @ tilt[2, :2]))
    at = back @ np.array([step[0], step[1], height])
    _, roll, pitch = angles_of(back @ ground)
    return float(at[0]), float(at[1]), float(at[2]), step[2], roll, pitch


def beyond(x: float, y: float, usual: float) -> tuple[float, float]:
    """What of a vector is longer than usual."""
    size = math.hypot(x, y)
    if size <= usual:
        return 0.0, 0.0
    fraction = (size - usual) / size
    return fraction * x, fraction * y


@njit(nogil=True)
def choose_step(
    x: Array, p: Array, p_low: Array, p_high: Array, shift: Array, foot: Array, foot_low: Array, foot_high: Array,
    offset: Array, swing: Array, quick: float, rate: float, wanted: float, shortest: float, longest: float, tick: float,
    calm: float, weights: Array, out: Array,
) -> float:  # fmt: skip
    """Time until the next foot should stand [s]; out (6,) gets its place, the pressure point and what is left.

    All (2,) in the frame of the standing foot [m]. x: divergent component; p: usual pressure point, p_low, p_high: its
    bounds; shift: what the pressure's way from the foot before still adds to x; foot: where the plan wants the next
    foot, foot_low, foot_high: where it may stand; offset: where x should be then, from the next foot's pressure point;
    swing: where the foot is now, `quick` how fast it may go [m/s]. For every time t left the pressure point that brings
    the foot where it is wanted is cut at its bounds, then the foot at its own, and what is left is an error of x:
    e = p + (x - shift - p) e^(w t) - foot - offset. The least of weights . (|foot - wanted|², (t - wanted)², |e|²)
    wins. The pressure answers an error of x now by e^(w t) / (e^(w t) - 1) times it; t counts as at least `calm` there.
    """
    best, chosen = np.inf, wanted
    u, z, e = np.empty(2), np.empty(2), np.empty(2)
    count = int(np.floor((longest - shortest) / tick + 1.5))
    for n in range(count + 1):
        time = shortest + n * tick if n < count else min(max(wanted, shortest), longest)
        growth = np.exp(rate * time)
        slow = np.exp(rate * max(time, calm))
        gain = slow / (slow - 1.0)
        cost = weights[1] * (time - wanted) ** 2
        for i in range(2):
            here = x[i] - shift[i]
            z[i] = p[i] + gain * (here - p[i] - (foot[i] + offset[i]) / growth)
            z[i] = min(max(z[i], p_low[i]), p_high[i])
            end = z[i] + (here - z[i]) * growth
            u[i] = end - offset[i] - p[i]
            low = max(foot_low[i], swing[i] - quick * time)
            high = max(min(foot_high[i], swing[i] + quick * time), low)
            u[i] = min(max(u[i], low), high)
            e[i] = end - p[i] - u[i] - offset[i]
            cost += weights[0] * (u[i] - foot[i]) ** 2 + weights[2] * e[i] ** 2
        if cost < best - 1e-12:
            best, chosen = cost, time
            for i in range(2):
                out[i], out[2 + i], out[4 + i] = u[i], z[i], e[i]
    return chosen


def pendulum_rate(height: float) -> float:
    """w = sqrt(g / h) [1/s] of a center of mass at a height [m]."""
    return math.sqrt(GRAVITY / height)


def ahead(x: float, p: float, growth: float) -> float:
    """x after a time with a constant pressure point p [m]; growth is e^(w t)."""
    return p + (x - p) * growth


@njit(nogil=True)
def shift_fraction(rate: float, time: float) -> float:
    """k = 1 - (1 - e^(-w t)) / (w t) of a pressure point that moves evenly for a time t from p0 to p1.

    From a start x the pendulum then ends as if p1 had acted all along from x - k (p0 - p1).
    """
    a = rate * time
    return 0.5 * a - a * a / 6.0 if a < 1e-4 else 1.0 - (1.0 - math.exp(-a)) / a


def advance(c: float, v: float, p: float, rate: float, dt: float) -> tuple[float, float]:
    """Place [m] and speed [m/s] of the center of mass after dt with a constant pressure point p."""
    ch, sh = math.cosh(rate * dt), math.sinh(rate * dt)
    return p + (c - p) * ch + v / rate * sh, (c - p) * rate * sh + v * ch


Step = tuple[float, float, float]  # x, y [m] and yaw [rad] of the next foot, seen from the one that stands
LEFT, RIGHT = 0, 1
PREVIEW = 3  # steps that are looked at after the coming one


@njit(nogil=True)
def first_offset(
    steps: Array, before: tuple[float, float], end: tuple[float, float], growth: float, fraction: float
) -> tuple[float, float]:
    """Where x has to be when a step begins, from the new foot (x, y) [m], for the coming steps (n, 3) to be walked.

    Backwards from `end`, the offset after the last of `steps`: b_n = k d_n + (u_n + R_n b_(n+1)) / e^(w T), where u_n
    is the next foot and d_n the foot before, both seen from foot n. `before` is d of the first step.
    """
    bx, by = end
    for n in range(len(steps) - 1, -1, -1):
        ux, uy, turn = steps[n, 0], steps[n, 1], steps[n, 2]
        c, s = math.cos(turn), math.sin(turn)
        if n:
            px, py, back = steps[n - 1, 0], steps[n - 1, 1], steps[n - 1, 2]
            cb, sb = math.cos(back), math.sin(back)
            dx, dy = -(cb * px + sb * py), -(cb * py - sb * px)
        else:
            dx, dy = before
        bx, by = fraction * dx + (ux + c * bx - s * by) / growth, fraction * dy + (uy + s * bx + c * by) / growth
    return bx, by


@njit(nogil=True)
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


@njit(nogil=True)
def steady_offset(
    velocity: tuple[float, float, float], stance: int, width: float, time: float, growth: float
) -> tuple[float, float]:
    """Where the divergent component is at the start of a step on a foot, when two steps repeat for ever [m].

    b_n = (u_n + b_(n+1)) / e^(w T) twice: b = (e u_n + u_(n+1)) / (e² - 1); turns and double support are left out.
    """
    a, b = next_step(velocity, stance, width, time), next_step(velocity, 1 - stance, width, time)
    square = growth * growth - 1.0
    return (growth * a[0] + b[0]) / square, (growth * a[1] + b[1]) / square


@njit(nogil=True)
def _coming_steps(velocity: tuple[float, float, float], stance: int, width: float, time: float, count: int) -> Array:
    """The next steps (count, 3) of a foot."""
    out = np.empty((count, 3))
    for n in range(count):
        out[n, 0], out[n, 1], out[n, 2] = next_step(velocity, (stance + n) % 2, width, time)
    return out


@njit(nogil=True)
def coming_offset(
    velocity: tuple[float, float, float], stance: int, width: float, time: float, growth: float, fraction: float
) -> tuple[Step, float, float]:
    """The next step of a foot, and where the divergent component has to be when it ends, from there but in its axes."""
    first = next_step(velocity, stance, width, time)
    steps = _coming_steps(velocity, 1 - stance, width, time, PREVIEW)
    c, s = math.cos(first[2]), math.sin(first[2])
    before = (-(c * first[0] + s * first[1]), -(c * first[1] - s * first[0]))
    end = steady_offset(velocity, (stance + 1 + PREVIEW) % 2, width, time, growth)
    bx, by = first_offset(steps, before, end, growth, fraction)
    return first, c * bx - s * by, s * bx + c * by


@njit(nogil=True)
def starting_offset(
    velocity: tuple[float, float, float], stance: int, width: float, time: float, growth: float
) -> tuple[float, float]:
    """Where the divergent component has to be, from the standing foot, when the other one leaves the ground [m]."""
    steps = _coming_steps(velocity, stance, width, time, PREVIEW + 1)
    end = steady_offset(velocity, (stance + PREVIEW + 1) % 2, width, time, growth)
    return first_offset(steps, (0.0, 0.0), end, growth, 0.0)


@njit(nogil=True)
def plan_step(
    velocity: tuple[float, float, float], stance: int, here: tuple[float, float], off: tuple[float, float],
    before: tuple[float, float], swing: tuple[float, float], remain: float, times: tuple[float, float, float, float],
    disturbed: bool, numbers: Array, bounds: Array, weights: Array,
) -> tuple[float, float, float, float, float, float]:  # fmt: skip
    """Choose the coming step of a walk at a velocity vx, vy [m/s], wz [rad/s]; see `meet_step`."""
    wanted, bx, by = coming_offset(velocity, stance, numbers[0], numbers[1], numbers[2], numbers[3])
    return meet_step(
        wanted, (bx, by), stance, here, off, before, swing, remain, times, disturbed, numbers, bounds, weights
    )


@njit(nogil=True)
def meet_step(
    wanted: Step, offset: tuple[float, float], stance: int, here: tuple[float, float], off: tuple[float, float],
    before: tuple[float, float], swing: tuple[float, float], remain: float, times: tuple[float, float, float, float],
    disturbed: bool, numbers: Array, bounds: Array, weights: Array,
) -> tuple[float, float, float, float, float, float]:  # fmt: skip
    """Choose the coming step: time that is left [s], x, y [m], yaw [rad] of the foot, pressure point x, y [m].

    wanted: where the foot belongs, offset: the divergent component seen from there when the step ends; here: planned
    divergent component, off: its error; before: the foot before, whose load goes over for `remain` [s]; times: usual,
    shortest, longest time left and the tick [s]. numbers: width, step time, e^(w T), fraction of a double support, w,
    its time, usual pressure point ahead, `quick`, `calm` of `choose_step`; bounds (2, 4, 2): of pressure and foot by
    the standing foot. The body of a disturbed walk goes on as planned, in the time that the step now takes.
    """
    rate, double, pressure, quick, calm = numbers[4], numbers[5], numbers[6], numbers[7], numbers[8]
    shift, out = np.zeros(2), np.empty(6)
    if remain > 1e-9:
        part = shift_fraction(rate, remain) * remain / double
        shift[0], shift[1] = part * before[0], part * before[1]
    usual, shortest, longest, tick = times
    p, foot, end, at = np.empty(2), np.empty(2), np.empty(2), np.empty(2)
    p[0], p[1], foot[0], foot[1], end[0], end[1] = pressure, 0.0, wanted[0], wanted[1], offset[0], offset[1]
    at[0], at[1] = swing
    x = np.empty(2)
    x[0], x[1] = here[0] + off[0], here[1] + off[1]
    low, high, near, far = bounds[stance, 0], bounds[stance, 1], bounds[stance, 2], bounds[stance, 3]
    left = choose_step(
        x, p, low, high, shift, foot, near, far, end, at, quick, rate, usual, shortest, longest, tick, calm,
        weights, out,
    )  # fmt: skip
    ux, uy = out[0], out[1]
    if disturbed:
        x[0], x[1] = here
        choose_step(
            x, p, low, high, shift, foot, near, far, end, at, quick, rate, left, left, left, tick, calm, weights, out
        )
    return left, ux, uy, wanted[2], out[2], out[3]


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
        self,
        goal: tuple[float, float, float, float, float, float],
        done: float,
        left: float,
        lift: float,
        dt: float,
        early: float = 1.0,
    ) -> None:
        """Go on toward a goal that may change; done and left: of the swing [s].

        lift [m]: in its middle, sooner where `early` is below 1: it rises as sin²(pi f^early), f the part that is done.
        """
        pose, speed, until = self.pose, self._speed, left + dt
        pose[2] = self._ground
        for i in range(6):
            if speed[i] or pose[i] != goal[i]:  # it moves
                pose[i], speed[i] = glide(pose[i], speed[i], goal[i], until, dt)
        self._ground = pose[2]
        fraction = min(1.0, done / max(done + left, 1e-9))
        pose[2] += lift * math.sin(math.pi * fraction**early) ** 2

    def behind(self, x: float, y: float, lag: float) -> float:
        """How far a foot at x, y is behind where it should be [m], which follows by a time `lag` [s]."""
        vx, vy = self._speed[:2]
        speed = math.hypot(vx, vy)
        return (vx * (self.pose[0] - x) + vy * (self.pose[1] - y)) / speed - lag * speed if speed > 1e-6 else 0.0

    def catch(self, x: float, y: float) -> None:
        """Go on from x, y, where it is stuck."""
        self.pose[:2], self._speed[:2] = [x, y], [0.0, 0.0]

    def rise(self, height: float) -> None:
        """See it so much higher [m]."""
        self.pose[2] += height
        self._ground += height

    @property
    def step(self) -> Step:
        """x, y and yaw."""
        return self.pose[0], self.pose[1], self.pose[3]
