"""Compiled kinematics of a walking body: center of mass, whole-body inverse kinematics, holding torques, sensing."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from andante.compiling import njit
from andante.geometry import Array
from andante.gravity import GRAVITY
from andante.locomotion.attitude import level_from_body
from andante.locomotion.rigs.balance import MassTree, frames, product, weigh


class BipedLegs(NamedTuple):
    """Feet and leg joints of a walking body; joints that mimic another one share its unknown."""

    feet: np.ndarray  # (2,) bodies of the feet
    sole_turn: Array  # (2, 3, 3) and
    sole_at: Array  # (2, 3) sole frames in them
    moved: np.ndarray  # (m,) bodies of the leg joints,
    variable: np.ndarray  # (m,) which unknown each follows,
    gain: Array  # (m,) by how much,
    on_path: np.ndarray  # (2, m) and which of them move which foot
    lower: Array  # (unknowns,) limits [rad]
    upper: Array


Tables = tuple[np.ndarray, ...]  # fields of a MassTree or of BipedLegs: a named tuple takes 1 us more per call


@njit(nogil=True)
def outboard(tree: MassTree, turns: Array, at: Array, moment: Array, carried: Array) -> None:
    """Mass `carried` (bodies,) of bodies with all that hangs on them, and moment (bodies, 3) [kg m], root frame."""
    parent, mass, center = tree.parent, tree.mass, tree.center
    for k in range(parent.shape[0]):
        carried[k] = mass[k]
        for i in range(3):
            arm = turns[k, i, 0] * center[k, 0] + turns[k, i, 1] * center[k, 1] + turns[k, i, 2] * center[k, 2]
            moment[k, i] = mass[k] * (at[k, i] + arm)
    for k in range(parent.shape[0] - 1, 0, -1):
        p = parent[k]
        carried[p] += carried[k]
        for i in range(3):
            moment[p, i] += moment[k, i]


@njit(nogil=True)
def center_of_mass(q: Array, tree: MassTree, turns: Array, at: Array, out: Array) -> None:
    """Center of mass (3,) [m] in the root frame; `turns` and `at` are filled as by `frames`."""
    frames(q, tree, turns, at)
    weigh(tree, turns, at, out)


@njit(nogil=True)
def solve_positive(a: Array, b: Array, n: int) -> None:
    """x of a x = b for a symmetric positive matrix (n, n), by Cholesky; b is overwritten with x."""
    for i in range(n):
        for j in range(i + 1):
            total = a[i, j]
            for k in range(j):
                total -= a[i, k] * a[j, k]
            if i == j:
                a[i, i] = np.sqrt(max(total, 1e-300))
            else:
                a[i, j] = total / a[j, j]
    for i in range(n):
        for k in range(i):
            b[i] -= a[i, k] * b[k]
        b[i] /= a[i, i]
    for i in range(n - 1, -1, -1):
        for k in range(i + 1, n):
            b[i] -= a[k, i] * b[k]
        b[i] /= a[i, i]


@njit(nogil=True)
def sole_frame(foot: int, legs: BipedLegs, turns: Array, at: Array, turn: Array, out: Array) -> None:
    """Rotation `turn` (3, 3) and place `out` (3,) of a sole in the root frame."""
    body, own = legs.feet[foot], legs.sole_at[foot]
    for i in range(3):
        out[i] = at[body, i] + turns[body, i, 0] * own[0] + turns[body, i, 1] * own[1] + turns[body, i, 2] * own[2]
        for j in range(3):
            turn[i, j] = product(turns[body], legs.sole_turn[foot], i, j)


@njit(nogil=True)
def reach(
    q: Array, yaw: float, masses: Tables, feet: Tables, goal_at: Array, goal_turn: Array, com: Array, height: float,
    tilt: Array, wanted_yaw: float, rounds: int, torso: Array, turns: Array, at: Array,
) -> tuple[float, float]:  # fmt: skip
    """Joint positions that put both soles at their goals, the center of mass over a point and the root upright.

    All in a level frame. q (joints,) is the start and becomes the answer. goal_at (2, 3), goal_turn (2, 3, 3): soles;
    com (2,): center of mass
    [m]; height: of the root [m]; tilt (3, 3): rotation of the root before its yaw. The yaw of the root is an unknown
    that stays near wanted_yaw only as far as the joints leave it free. torso (3,) is filled with the root's place,
    turns and at with the frames of all bodies.
    Gauss-Newton on 13 equations with the exact Jacobian of the center of mass. Returns yaw [rad] and what is left [m].
    """
    tree, legs = MassTree(*masses), BipedLegs(*feet)
    joint, axis, moved, variable, gain = tree.joint, tree.axis, legs.moved, legs.variable, legs.gain
    bodies, count, unknown = tree.parent.shape[0], moved.shape[0], legs.lower.shape[0] + 1
    moment, carried = np.empty((bodies, 3)), np.empty(bodies)
    jac, res = np.zeros((13, unknown)), np.empty(13)
    normal, step = np.empty((unknown, unknown)), np.empty(unknown)
    sole, r, rt, tool, err = np.empty((2, 3)), np.empty((3, 3)), np.empty((3, 3)), np.empty((3, 3)), np.empty((3, 3))
    c3, foot, ax, arm, jc, org = np.empty(3), np.empty(3), np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    scale = 0.1  # meters that count as a radian
    left = 0.0
    for turn in range(rounds + 1):
        frames(q, tree, turns, at)
        outboard(tree, turns, at, moment, carried)
        cy, sy = np.cos(yaw), np.sin(yaw)
        for j in range(3):
            r[0, j] = cy * tilt[0, j] - sy * tilt[1, j]
            r[1, j] = sy * tilt[0, j] + cy * tilt[1, j]
            r[2, j] = tilt[2, j]
        total = carried[0]
        for i in range(3):
            c3[i] = (r[i, 0] * moment[0, 0] + r[i, 1] * moment[0, 1] + r[i, 2] * moment[0, 2]) / total
        torso[0], torso[1], torso[2] = com[0] - c3[0], com[1] - c3[1], height
        jac[:] = 0.0
        left = 0.0
        for f in range(2):
            sole_frame(f, legs, turns, at, rt, org)
            sole[f] = org
            for i in range(3):
                foot[i] = r[i, 0] * org[0] + r[i, 1] * org[1] + r[i, 2] * org[2]
                for j in range(3):
                    tool[i, j] = product(r, rt, i, j)
            row = 6 * f
            for i in range(3):
                res[row + i] = goal_at[f, i] - torso[i] - foot[i]
                left = max(left, abs(res[row + i]))
                for j in range(3):
                    err[i, j] = product(goal_turn[f], tool.T, i, j)
            res[row + 3] = scale * 0.5 * (err[2, 1] - err[1, 2])
            res[row + 4] = scale * 0.5 * (err[0, 2] - err[2, 0])
            res[row + 5] = scale * 0.5 * (err[1, 0] - err[0, 1])
            for i in range(3, 6):
                left = max(left, abs(res[row + i]))
            jac[row, unknown - 1] = -(foot[1] - c3[1])
            jac[row + 1, unknown - 1] = foot[0] - c3[0]
            jac[row + 5, unknown - 1] = scale
        if turn == rounds:
            break
        jac[12, unknown - 1] = 1e-3
        res[12] = 1e-3 * (wanted_yaw - yaw)
        for k in range(count):
            b, u, g = moved[k], variable[k], gain[k]
            for i in range(3):
                ax[i] = turns[b, i, 0] * axis[b, 0] + turns[b, i, 1] * axis[b, 1] + turns[b, i, 2] * axis[b, 2]
                arm[i] = moment[b, i] / total - carried[b] / total * at[b, i]
            jc[0] = ax[1] * arm[2] - ax[2] * arm[1]
            jc[1] = ax[2] * arm[0] - ax[0] * arm[2]
            jc[2] = ax[0] * arm[1] - ax[1] * arm[0]
            for f in range(2):
                row = 6 * f
                # the root moves against the center of mass, so that it stays where it is wanted (x and y only)
                for i in range(2):
                    jac[row + i, u] -= g * (r[i, 0] * jc[0] + r[i, 1] * jc[1] + r[i, 2] * jc[2])
                if not legs.on_path[f, k]:
                    continue
                for i in range(3):
                    arm[i] = sole[f, i] - at[b, i]
                org[0] = ax[1] * arm[2] - ax[2] * arm[1]
                org[1] = ax[2] * arm[0] - ax[0] * arm[2]
                org[2] = ax[0] * arm[1] - ax[1] * arm[0]
                for i in range(3):
                    jac[row + i, u] += g * (r[i, 0] * org[0] + r[i, 1] * org[1] + r[i, 2] * org[2])
                    jac[row + 3 + i, u] += g * scale * (r[i, 0] * ax[0] + r[i, 1] * ax[1] + r[i, 2] * ax[2])
        for i in range(unknown):
            step[i] = 0.0
            for n in range(13):
                step[i] += jac[n, i] * res[n]
            for j in range(i + 1):
                total2 = 0.0
                for n in range(13):
                    total2 += jac[n, i] * jac[n, j]
                normal[i, j] = total2
            normal[i, i] += 1e-7
        solve_positive(normal, step, unknown)
        for k in range(count):
            u = variable[k]
            value = q[joint[moved[k]]] + gain[k] * min(max(step[u], -0.5), 0.5)
            q[joint[moved[k]]] = min(max(value, legs.lower[u]), legs.upper[u]) if gain[k] == 1.0 else value
        yaw += min(max(step[unknown - 1], -0.5), 0.5)
    return yaw, left


@njit(nogil=True)
def mass_places(q: Array, masses: Tables, root: Array, torso: Array, out: Array) -> None:
    """Centers of mass of all bodies into out (bodies, 3) [m], in level axes.

    root (3, 3): level_from_root, torso (3,): place of the root [m].
    """
    tree = MassTree(*masses)
    bodies = tree.parent.shape[0]
    turns, at = np.empty((bodies, 3, 3)), np.empty((bodies, 3))
    frames(q, tree, turns, at)
    masses_at(tree, turns, at, root, torso, out)


@njit(nogil=True)
def masses_at(tree: MassTree, turns: Array, at: Array, root: Array, torso: Array, out: Array) -> None:
    """`mass_places` of frames that are known."""
    center, own = tree.center, np.empty(3)
    for k in range(tree.parent.shape[0]):
        for i in range(3):
            own[i] = at[k, i]
            for j in range(3):
                own[i] += turns[k, i, j] * center[k, j]
        for i in range(3):
            out[k, i] = torso[i] + root[i, 0] * own[0] + root[i, 1] * own[1] + root[i, 2] * own[2]


@njit(nogil=True)
def whole_push(mass: Array, places: Array, accelerations: Array, force: Array) -> tuple[float, float, float]:
    """Force of the ground (3,) [N] on masses that move so, where it acts (x, y) [m], its moment about z there [N m].

    F = sum m (a + g), p = sum m (x (a_z + g) - z a_x) / F_z, y alike: there the ground's moment is about z alone.
    """
    px = py = twist = 0.0
    force[:] = 0.0
    for k in range(mass.shape[0]):
        lift = accelerations[k, 2] + GRAVITY
        force[0] += mass[k] * accelerations[k, 0]
        force[1] += mass[k] * accelerations[k, 1]
        force[2] += mass[k] * lift
        px += mass[k] * (places[k, 0] * lift - places[k, 2] * accelerations[k, 0])
        py += mass[k] * (places[k, 1] * lift - places[k, 2] * accelerations[k, 1])
        twist += mass[k] * (places[k, 0] * accelerations[k, 1] - places[k, 1] * accelerations[k, 0])
    px, py = px / force[2], py / force[2]
    return px, py, twist - (px * force[1] - py * force[0])


@njit(nogil=True)
def holding(
    q: Array, masses: Tables, feet: Tables, root: Array, push: Array, point: Array, twist: Array, accelerations: Array,
    out: Array,
) -> None:  # fmt: skip
    """Torques [N m] with which joints carry and move the robot against the ground, into out (joints,); others 0.

    root (3, 3): level_from_root. push (2, 3): force of the ground on each foot [N], level axes; point (2, 3): where it
    acts, in the root's frame [m]; twist (2,): its moment about the vertical there [N m]; accelerations (bodies, 3): of
    the centers of mass, level axes [m/s²]. About each leg joint the ground's push is held, and what the masses outboard
    weigh and resist: t = -axis . (sum ((p - o) x F + M) + sum (c - o) x m (g - a)). Joints that follow another one load
    its servo with theirs.
    """
    tree, legs = MassTree(*masses), BipedLegs(*feet)
    bodies = tree.parent.shape[0]
    turns, at = np.empty((bodies, 3, 3)), np.empty((bodies, 3))
    frames(q, tree, turns, at)
    held(tree, legs, turns, at, root, push, point, twist, accelerations, out)


@njit(nogil=True)
def held(
    tree: MassTree, legs: BipedLegs, turns: Array, at: Array, root: Array, push: Array, point: Array, twist: Array,
    accelerations: Array, out: Array,
) -> None:  # fmt: skip
    """`holding` of frames that are known."""
    parent, mass, center, axis = tree.parent, tree.mass, tree.center, tree.axis
    bodies = parent.shape[0]
    pull, turn = np.empty((bodies, 3)), np.empty((bodies, 3))  # of each body with all outboard, about the root
    ax, arm, f, total = np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    for k in range(bodies):
        for i in range(3):
            arm[i] = at[k, i]
            f[i] = -GRAVITY * root[2, i]
            for j in range(3):
                arm[i] += turns[k, i, j] * center[k, j]
                f[i] -= root[j, i] * accelerations[k, j]
        for i in range(3):
            pull[k, i] = mass[k] * f[i]
        turn[k, 0] = arm[1] * pull[k, 2] - arm[2] * pull[k, 1]
        turn[k, 1] = arm[2] * pull[k, 0] - arm[0] * pull[k, 2]
        turn[k, 2] = arm[0] * pull[k, 1] - arm[1] * pull[k, 0]
    for k in range(bodies - 1, 0, -1):
        for i in range(3):
            pull[parent[k], i] += pull[k, i]
            turn[parent[k], i] += turn[k, i]
    out[:] = 0.0
    load = np.zeros(legs.lower.shape[0])  # of each servo
    for k in range(legs.moved.shape[0]):
        b = legs.moved[k]
        for i in range(3):
            ax[i] = turns[b, i, 0] * axis[b, 0] + turns[b, i, 1] * axis[b, 1] + turns[b, i, 2] * axis[b, 2]
        total[0] = turn[b, 0] - (at[b, 1] * pull[b, 2] - at[b, 2] * pull[b, 1])
        total[1] = turn[b, 1] - (at[b, 2] * pull[b, 0] - at[b, 0] * pull[b, 2])
        total[2] = turn[b, 2] - (at[b, 0] * pull[b, 1] - at[b, 1] * pull[b, 0])
        for s in range(2):
            if not legs.on_path[s, k]:
                continue
            for i in range(3):
                f[i] = root[0, i] * push[s, 0] + root[1, i] * push[s, 1] + root[2, i] * push[s, 2]
                arm[i] = point[s, i] - at[b, i]
            total[0] += arm[1] * f[2] - arm[2] * f[1]
            total[1] += arm[2] * f[0] - arm[0] * f[2]
            total[2] += arm[0] * f[1] - arm[1] * f[0]
            for i in range(3):
                total[i] += root[2, i] * twist[s]
        load[legs.variable[k]] -= legs.gain[k] * (ax[0] * total[0] + ax[1] * total[1] + ax[2] * total[2])
    for k in range(legs.moved.shape[0]):
        out[tree.joint[legs.moved[k]]] = legs.gain[k] * load[legs.variable[k]]


@njit(nogil=True)
def measure(
    q: Array, masses: Tables, feet: Tables, stance: int, upright: Array, shift: Array, up: Array, force: Array,
    turns: Array, at: Array, out: Array,
) -> None:  # fmt: skip
    """Fill out (10,): the other sole's x, y, yaw from the standing one; its roll, pitch; center, force x, y; heading.

    up (3,): the vertical seen from the upright body's axes, force (3,): the accelerometer in them; shift (3,) is taken
    off the center of mass, root frame. Roll and pitch are those of the standing sole; center [m] and force [m/s²] are
    in level axes along it; the heading is that of the sole seen from the level body. turns and at: work space for the
    frames of all bodies.
    """
    tree, legs = MassTree(*masses), BipedLegs(*feet)
    com = np.empty(3)
    center_of_mass(q, tree, turns, at, com)
    r0, p0, r1, p1 = np.empty((3, 3)), np.empty(3), np.empty((3, 3)), np.empty(3)
    sole_frame(stance, legs, turns, at, r0, p0)
    sole_frame(1 - stance, legs, turns, at, r1, p1)
    level, root, foot = level_from_body(up), np.empty((3, 3)), np.empty((3, 3))
    for i in range(3):
        for j in range(3):
            root[i, j] = product(level, upright, i, j)
    for i in range(3):
        for j in range(3):
            foot[i, j] = product(root, r0, i, j)
    out[0] = out[1] = 0.0
    c, s = 0.0, 0.0
    for i in range(3):
        out[0] += r0[i, 0] * (p1[i] - p0[i])
        out[1] += r0[i, 1] * (p1[i] - p0[i])
        c += r0[i, 0] * r1[i, 0]
        s += r0[i, 1] * r1[i, 0]
    out[2] = np.arctan2(s, c)
    out[3] = np.arctan2(foot[2, 1], foot[2, 2])
    out[4] = -np.arcsin(min(1.0, max(-1.0, foot[2, 0])))
    heading = np.arctan2(foot[1, 0], foot[0, 0])
    c, s = np.cos(heading), np.sin(heading)
    cx, cy, fx, fy = 0.0, 0.0, 0.0, 0.0
    for n in range(3):
        arm = com[n] - shift[n] - p0[n]
        cx += root[0, n] * arm
        cy += root[1, n] * arm
        fx += level[0, n] * force[n]
        fy += level[1, n] * force[n]
    out[5], out[6] = c * cx + s * cy, c * cy - s * cx
    out[7], out[8] = c * fx + s * fy, c * fy - s * fx
    out[9] = heading
