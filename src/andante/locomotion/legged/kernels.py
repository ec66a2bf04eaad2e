"""The compiled control step of gaits with many legs, over arrays whose layout the constants below give.

Standing feet move against the body's twist; swinging feet follow smooth arcs.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from andante.compiling import njit
from andante.geometry import Array
from andante.gravity import GRAVITY
from andante.locomotion.attitude import HEADING as TURNED
from andante.locomotion.attitude import attitude_step, leans, level_from_body, odometry_step
from andante.locomotion.rigs.balance import inside, margin

from .patterns import moved, smooth, swing

# Of the body, one vector: twist now, twist without the correction of the heading (vx, vy, wz), clock of the cycle 0 to
# 1, heading that is held, sway of the body over its feet (x, y), lean off the wanted tilt (roll, pitch), the mean of
# that over a second, where the body falls to beside its feet (x, y), whether anything is to be done.
TWIST, TWIST_GOAL, PHASE, HEADING_GOAL, SWAY, LEAN, USUAL_LEAN, FALL, ACTIVE = 0, 3, 6, 7, 8, 10, 12, 14, 16
BODY = 17

# Of every leg, one row: foot as commanded (x, y, z), start of its swing (x, y, z), fraction of the swing, time since a
# swing ended without finding the ground (inf: it stands), depth searched since then, 1 while it swings.
FOOT, FROM, FRACTION, WAITED, DEPTH, SWINGING = 0, 3, 6, 7, 8, 9
LEG = 10

# Of every leg, what does not change: usual place of its foot (x, y, z), reach, radius of the foot, phase of its swing.
HOME, REACH, RADIUS, OFFSET = 0, 3, 4, 5
FIXED = 6

# The command: vx, vy, wz, height, roll, pitch.
VX, VY, WZ, HEIGHT, ROLL, PITCH = range(6)

# Contact of a foot.
UNKNOWN, FREE, PRESSED = -1, 0, 1


class Figures(NamedTuple):
    """Figures of a gait; see `LeggedSettings`, `GaitPattern` and `Rig`."""

    period: float
    duty: float
    step_height: float
    ramp: float
    heading_gain: float
    level_gain: float
    height_gain: float
    search_depth: float
    search_speed: float
    settle: float
    catch: float
    sway_margin: float
    upright: float
    hold_heading: float
    level: float
    static: float
    sways: float
    width: float
    center_x: float
    center_y: float
    center_height: float
    filter_time: float
    max_speed: float
    max_turn: float


CALM = 0.12  # leans below this are no fall [rad]
REACH_FRACTION = 0.87  # of its reach that a foot uses in its stance; in the air it goes further ahead
AWAY = 0.06  # of its reach: a foot further from its usual place steps home
MOST_CORRECTION = 0.3  # turning that holds the heading [rad/s]
RAISED = 0.25  # of a foot by the lean of the body, in step heights, from which it does not reach down
EARLY = 0.55  # fraction of a swing from which the ground ends it
LEVEL_ROOM = 1.5  # how far leveling moves a foot, in step heights
MOST_SHIFT = 0.4  # of the reach: how far a body on pairs of feet is moved so that it does not fall
MOST_RISE = 0.1  # of the body back to its height [m/s]


@njit()
def limit_scale(figures: Figures, fixed: Array, vx: float, vy: float, wz: float) -> float:
    """The fraction, up to 1, of a twist that keeps every foot in reach: min 2 * 0.87 reach / (stance time * speed).

    The speed of a foot is that of its usual place, |v + w x home|.
    """
    stance_time = figures.duty * figures.period
    scale = 1.0
    for leg in range(fixed.shape[0]):
        speed = math.hypot(vx - wz * fixed[leg, HOME + 1], vy + wz * fixed[leg, HOME])
        scale = min(scale, 2.0 * REACH_FRACTION * fixed[leg, REACH] / stance_time / max(speed, 1e-9))
    return scale


@njit()
def is_away(fixed: Array, legs: Array, leg: int) -> bool:
    """Whether a foot is commanded away from its usual place."""
    dx, dy = legs[leg, FOOT] - fixed[leg, HOME], legs[leg, FOOT + 1] - fixed[leg, HOME + 1]
    away: bool = dx * dx + dy * dy > (AWAY * fixed[leg, REACH]) ** 2
    return away


@njit()
def turning(body: Array) -> bool:
    """Whether the body moves over the ground."""
    moving: bool = body[TWIST] != 0.0 or body[TWIST + 1] != 0.0 or body[TWIST + 2] != 0.0
    return moving


@njit()
def in_motion(fixed: Array, body: Array, legs: Array) -> bool:
    """Whether the body moves, a leg swings or a foot is away from its usual place."""
    busy = turning(body)
    for leg in range(legs.shape[0]):
        busy = busy or legs[leg, SWINGING] != 0.0 or is_away(fixed, legs, leg)
    return busy


@njit()
def falling(figures: Figures, fixed: Array, body: Array, gyro: Array) -> None:
    """How far the body will have fallen beside its feet, x and y [m]: h (lean + sqrt(h / g) rate of the lean).

    It is the capture point of a body on legs of the height h (Pratt and others 2006), for small leans away from the
    usual one. A robot that is to stand, and nearly does, puts its feet where they belong.
    """
    body[FALL] = body[FALL + 1] = 0.0
    calm = not turning(body) and math.hypot(body[LEAN], body[LEAN + 1]) < CALM
    if figures.static or not figures.catch or calm:
        return
    h = figures.center_height
    time = math.sqrt(h / GRAVITY)
    roll = body[LEAN] - body[USUAL_LEAN] + time * gyro[0]
    pitch = body[LEAN + 1] - body[USUAL_LEAN + 1] + time * gyro[1]
    x, y = figures.catch * h * pitch, -figures.catch * h * roll
    most = 0.5 * np.min(fixed[:, REACH])
    scale = min(1.0, most / max(math.hypot(x, y), 1e-9))
    body[FALL], body[FALL + 1] = scale * x, scale * y


@njit()
def may_walk(figures: Figures, fixed: Array, body: Array, legs: Array, dt: float) -> float:
    """1 while the clock may run, 0 while a leg that is due to lift must wait until the others carry the body."""
    if not figures.static:
        return 1.0
    n = legs.shape[0]
    carries, any_due = np.zeros(n, np.bool_), False
    for leg in range(n):
        until = (fixed[leg, OFFSET] - body[PHASE]) % 1.0
        stands = legs[leg, SWINGING] == 0.0
        due = stands and until <= 2.5 * dt / figures.period
        any_due = any_due or due
        carries[leg] = stands and not due and not math.isfinite(legs[leg, WAITED])
    if not any_due:
        return 1.0
    enough = 0.3 * figures.sway_margin * figures.width if figures.sways else 0.0
    center = np.array([figures.center_x + body[SWAY], figures.center_y + body[SWAY + 1]])
    return 1.0 if margin(legs[carries, :2], center) > enough else 0.0


@njit()
def choose_twist(
    figures: Figures, fixed: Array, attitude: Array, body: Array, command: Array, pace: float, dt: float
) -> None:
    """Ramp the twist toward the command, within the reach of the feet; the heading is held.

    The heading commanded so far is held by a turning of gain * error, bounded.
    """
    vx, vy, wz = command[VX], command[VY], command[WZ]
    moving = vx != 0.0 or vy != 0.0 or wz != 0.0
    still = not (moving or turning(body))
    scale = limit_scale(figures, fixed, vx, vy, wz)
    vx, vy, wz = scale * vx, scale * vy, scale * wz
    goal = (pace * vx, pace * vy, pace * wz)
    if figures.hold_heading and not still:
        body[HEADING_GOAL] += body[TWIST_GOAL + 2] * dt
        off = body[HEADING_GOAL] - attitude[TURNED]
        wz += max(-MOST_CORRECTION, min(MOST_CORRECTION, figures.heading_gain * off))
        scale = limit_scale(figures, fixed, vx, vy, wz) if moving else 0.0
        vx, vy, wz = scale * vx, scale * vy, scale * wz
    elif still:
        body[HEADING_GOAL] = attitude[TURNED]
    wanted = (pace * vx, pace * vy, pace * wz)
    step = dt / (figures.ramp * figures.period)
    for i in range(3):
        most = step * (figures.max_turn if i == 2 else figures.max_speed)
        body[TWIST + i] += max(-most, min(most, wanted[i] - body[TWIST + i]))
        body[TWIST_GOAL + i] += max(-most, min(most, goal[i] - body[TWIST_GOAL + i]))


@njit()
def advance(figures: Figures, fixed: Array, body: Array, legs: Array, pace: float, dt: float) -> None:
    """Run the clock; lift the legs whose moment has come."""
    before = body[PHASE]
    body[PHASE] = (before + pace * dt / figures.period) % 1.0
    step = (body[PHASE] - before) % 1.0
    for leg in range(legs.shape[0]):
        if step <= 0.0 or legs[leg, SWINGING] != 0.0 or (fixed[leg, OFFSET] - before) % 1.0 >= step:
            continue
        if turning(body) or is_away(fixed, legs, leg):
            legs[leg, SWINGING] = 1.0
            legs[leg, FRACTION] = legs[leg, DEPTH] = 0.0
            legs[leg, WAITED] = math.inf
            for i in range(3):
                legs[leg, FROM + i] = legs[leg, FOOT + i]


@njit()
def ground(figures: Figures, fixed: Array, body: Array, legs: Array) -> tuple[float, float, float]:
    """Plane z = a + b x + c y through the standing feet, level where they leave it open (ridge regression).

    Of gaits that do not wait it is the plane in level axes: a body that leans over level ground sees no slope.
    """
    n, count = legs.shape[0], 0
    roll, pitch = (0.0, 0.0) if figures.static else (body[LEAN], body[LEAN + 1])
    mx, my, mz, home = 0.0, 0.0, 0.0, 0.0
    for leg in range(n):
        home += fixed[leg, HOME + 2] / n
        if legs[leg, SWINGING] == 0.0:
            count += 1
            x, y = legs[leg, FOOT], legs[leg, FOOT + 1]
            mx, my, mz = mx + x, my + y, mz + legs[leg, FOOT + 2] + roll * y - pitch * x
    if count == 0:
        return home, 0.0, 0.0
    mx, my, mz = mx / count, my / count, mz / count
    sxx = syy = 0.5 * figures.width**2
    sxy, sxz, syz = 0.0, 0.0, 0.0
    for leg in range(n):
        if legs[leg, SWINGING] == 0.0:
            x, y = legs[leg, FOOT], legs[leg, FOOT + 1]
            dx, dy, dz = x - mx, y - my, legs[leg, FOOT + 2] + roll * y - pitch * x - mz
            sxx, syy, sxy = sxx + dx * dx, syy + dy * dy, sxy + dx * dy
            sxz, syz = sxz + dx * dz, syz + dy * dz
    det = sxx * syy - sxy * sxy
    b, c = (syy * sxz - sxy * syz) / det, (sxx * syz - sxy * sxz) / det
    return mz - b * mx - c * my, b, c


@njit()
def move_feet(figures: Figures, fixed: Array, body: Array, legs: Array, touching: np.ndarray, dt: float) -> None:
    """Standing feet go with the ground, swinging ones along their arcs, those in the air reach down.

    At touchdown a foot stands half a stance ahead of its usual place; until then the body moves on.
    """
    n = legs.shape[0]
    twist = body[TWIST : TWIST + 3]
    swing_time = (1.0 - figures.duty) * figures.period
    for leg in range(n):
        at = FROM if legs[leg, SWINGING] != 0.0 else FOOT
        legs[leg, at], legs[leg, at + 1] = moved(legs[leg, at], legs[leg, at + 1], twist, dt)
    a, b, c = ground(figures, fixed, body, legs)
    for leg in range(n):
        if legs[leg, SWINGING] == 0.0:
            continue
        legs[leg, FRACTION] += dt / swing_time
        fraction = legs[leg, FRACTION]
        ahead = (1.0 - min(fraction, 1.0)) * swing_time + 0.5 * figures.duty * figures.period
        x, y = moved(fixed[leg, HOME], fixed[leg, HOME + 1], twist, -ahead)
        z = a + b * x + c * y
        x, y = x + body[FALL], y + body[FALL + 1]
        x, y, z = swing(legs[leg, FROM : FROM + 3], (x, y, z), fraction, figures.step_height)
        if not figures.static:  # the ground as it lies under the body that leans
            z -= smooth(fraction) * (body[LEAN] * y - body[LEAN + 1] * x)
        legs[leg, FOOT], legs[leg, FOOT + 1], legs[leg, FOOT + 2] = x, y, z
    for leg in range(n):
        land(figures, body, legs, leg, touching[leg], dt)


@njit()
def land(figures: Figures, body: Array, legs: Array, leg: int, measured: int, dt: float) -> None:
    """End a swing at the ground, early or in time; a foot that finds none waits a little and then reaches down.

    A foot on the side that a body leans up to is in the air because of that: were it to reach down, it would hold the
    body so. Leveling brings it down.
    """
    if legs[leg, SWINGING] != 0.0:
        if legs[leg, FRACTION] > EARLY and measured == PRESSED:
            legs[leg, SWINGING] = 0.0
        elif legs[leg, FRACTION] >= 1.0:
            legs[leg, SWINGING] = 0.0
            if measured == FREE:
                legs[leg, WAITED] = 0.0
    if math.isfinite(legs[leg, WAITED]):
        legs[leg, WAITED] += dt
        raised = body[LEAN] * legs[leg, FOOT + 1] - body[LEAN + 1] * legs[leg, FOOT]
        leans = not figures.static and raised > RAISED * figures.step_height
        if measured == PRESSED or leans or legs[leg, DEPTH] >= figures.search_depth * figures.step_height:
            legs[leg, WAITED] = math.inf
        elif legs[leg, WAITED] > figures.settle:
            legs[leg, DEPTH] += figures.search_speed * dt
            legs[leg, FOOT + 2] -= figures.search_speed * dt


@njit()
def hold_body(figures: Figures, fixed: Array, body: Array, legs: Array, dt: float) -> None:
    """Level the body by the IMU, keep its height over the standing feet, sway it over its support."""
    n = legs.shape[0]
    if figures.level:
        room = LEVEL_ROOM * figures.step_height
        for leg in range(n):
            lean = body[LEAN] * legs[leg, FOOT + 1] - body[LEAN + 1] * legs[leg, FOOT]
            z, home = legs[leg, FOOT + 2] + figures.level_gain * dt * lean, fixed[leg, HOME + 2]
            legs[leg, FOOT + 2] = min(home + room, max(home - room, z))
    count, mean, home = 0, 0.0, 0.0
    for leg in range(n):
        home += fixed[leg, HOME + 2] / n
        if legs[leg, SWINGING] == 0.0:
            count += 1
            mean += legs[leg, FOOT + 2]
    if count:
        most = MOST_RISE * dt
        rise = -max(-most, min(most, figures.height_gain * (mean / count - home) * dt))
        for leg in range(n):
            legs[leg, FOOT + 2] += rise
            legs[leg, FROM + 2] += rise
    if figures.sways:
        sway(figures, fixed, body, legs, dt)
    elif not figures.static:
        center_body(figures, fixed, body, dt)


@njit()
def center_body(figures: Figures, fixed: Array, body: Array, dt: float) -> None:
    """Move a body that walks on pairs of feet so that it falls to no side, within a part of their reach.

    Its center goes over the middle of the feet; ahead of it by v T / 6, as a body that passes over a pair in the time T
    turns back by g v T^3 / (12 h^2) on it, and d ahead turns it by g d T^2 / (2 h^2); and against the mean lean.
    """
    x, y = 0.0, 0.0
    if body[ACTIVE]:
        n, time = fixed.shape[0], figures.duty * figures.period
        for leg in range(n):
            x, y = x + fixed[leg, HOME] / n, y + fixed[leg, HOME + 1] / n
        against = figures.upright * figures.center_height
        x += time * body[TWIST] / 6.0 - figures.center_x - against * body[USUAL_LEAN + 1]
        y += time * body[TWIST + 1] / 6.0 - figures.center_y + against * body[USUAL_LEAN]
        scale = min(1.0, MOST_SHIFT * np.min(fixed[:, REACH]) / max(math.hypot(x, y), 1e-9))
        x, y = scale * x, scale * y
    fraction = min(1.0, dt / figures.period)
    body[SWAY] += fraction * (x - body[SWAY])
    body[SWAY + 1] += fraction * (y - body[SWAY + 1])


@njit()
def sway(figures: Figures, fixed: Array, body: Array, legs: Array, dt: float) -> None:
    """Move the body so that the legs that will carry it during the next swing do so with a margin."""
    n = legs.shape[0]
    x, y = 0.0, 0.0
    if body[ACTIVE]:
        carries, soonest, least = np.ones(n, np.bool_), 0, math.inf
        for leg in range(n):
            until = (fixed[leg, OFFSET] - body[PHASE]) % 1.0
            if until < least:
                soonest, least = leg, until
            carries[leg] = legs[leg, SWINGING] == 0.0
        if carries.all():
            carries[soonest] = False
        center = np.array([figures.center_x, figures.center_y])
        goal = inside(legs[carries, :2], center, figures.sway_margin * figures.width)
        x, y = goal[0] - center[0], goal[1] - center[1]
    quarter = 0.25 * figures.period
    fraction = min(1.0, 8.0 * dt / quarter)
    x, y = fraction * (x - body[SWAY]), fraction * (y - body[SWAY + 1])
    size = math.hypot(x, y)
    if size > 0:
        scale = min(1.0, 0.5 * figures.width / quarter * dt / size)
        body[SWAY] += scale * x
        body[SWAY + 1] += scale * y


@njit()
def foot_goals(fixed: Array, body: Array, legs: Array, command: Array, goals: Array) -> None:
    """Middles of the feet (legs, 3) for the inverse kinematics: swayed, at the wanted height, R(roll, pitch)ᵀ p."""
    cr, sr = math.cos(command[ROLL]), math.sin(command[ROLL])
    cp, sp = math.cos(command[PITCH]), math.sin(command[PITCH])
    for leg in range(legs.shape[0]):
        x, y = legs[leg, FOOT] - body[SWAY], legs[leg, FOOT + 1] - body[SWAY + 1]
        z = legs[leg, FOOT + 2] + fixed[leg, RADIUS] - command[HEIGHT]
        goals[leg, 0] = cp * x - sp * z
        goals[leg, 1] = sp * sr * x + cr * y + cp * sr * z
        goals[leg, 2] = sp * cr * x - sr * y + cp * cr * z


@njit()
def control_step(
    figures: Figures, fixed: Array, mount: Array, attitude: Array, odometry: Array, before: Array, body: Array,
    legs: Array, feet: Array, touching: np.ndarray, gyro: Array, acceleration: Array, command: Array, dt: float,
    goals: Array,
) -> None:  # fmt: skip
    """One control step: from poses of the feet (legs, 4, 4) and readings to where their middles should be (legs, 3).

    First tilt, heading, where the body falls to and where it has come to are estimated from the readings.
    """
    w, a = np.zeros(3), np.zeros(3)
    for j in range(3):
        rate = 0.0 if math.isnan(gyro[j]) else gyro[j]
        for i in range(3):
            w[i] += mount[i, j] * rate
            a[i] += mount[i, j] * acceleration[j]
    attitude_step(attitude, w, a, figures.filter_time, dt)
    roll, pitch = leans(attitude)
    body[LEAN], body[LEAN + 1] = roll - command[ROLL], pitch - command[PITCH]
    for i in range(2):
        body[USUAL_LEAN + i] += dt * (body[LEAN + i] - body[USUAL_LEAN + i])
    falling(figures, fixed, body, w)
    n = legs.shape[0]
    stands, pressed = np.zeros(n, np.bool_), np.zeros(n, np.bool_)
    for leg in range(n):
        stands[leg] = legs[leg, SWINGING] == 0.0 and not math.isfinite(legs[leg, WAITED])
        pressed[leg] = stands[leg] and touching[leg] != FREE
    odometry_step(
        odometry, before, fixed[:, RADIUS], feet, pressed if pressed.any() else stands, level_from_body(attitude),
        attitude[TURNED],
    )  # fmt: skip
    asked = command[VX] != 0.0 or command[VY] != 0.0 or command[WZ] != 0.0
    body[ACTIVE] = 1.0 if asked or in_motion(fixed, body, legs) else 0.0
    pace = may_walk(figures, fixed, body, legs, dt)
    choose_twist(figures, fixed, attitude, body, command, pace, dt)
    if body[ACTIVE]:
        advance(figures, fixed, body, legs, pace, dt)
    move_feet(figures, fixed, body, legs, touching, dt)
    hold_body(figures, fixed, body, legs, dt)
    foot_goals(fixed, body, legs, command, goals)
