"""Compiled control step of a walking body: where feet and body belong, joints that put them there, and their load."""

from __future__ import annotations

import math

import numpy as np

from andante.compiling import njit
from andante.geometry import Array
from andante.gravity import GRAVITY
from andante.locomotion.rigs.balance import MassTree, frames, product

from .kernels import BipedLegs, Tables, held, masses_at, reach, whole_push

Pair = tuple[float, float]
Pose = tuple[float, float, float, float, float, float]  # x, y, z [m], yaw, roll, pitch [rad]


@njit(nogil=True)
def lean_into(roll: float, pitch: float, out: Array) -> None:
    """Fill the rotation (3, 3) about x, then y."""
    cr, sr, cp, sp = math.cos(roll), math.sin(roll), math.cos(pitch), math.sin(pitch)
    out[0, 0], out[0, 1], out[0, 2] = cp, sp * sr, sp * cr
    out[1, 0], out[1, 1], out[1, 2] = 0.0, cr, -sr
    out[2, 0], out[2, 1], out[2, 2] = -sp, cp * sr, cp * cr


@njit(nogil=True)
def turn_about_z(yaw: float, what: Array, out: Array) -> None:
    """Fill the rotation about z times `what` (3, 3)."""
    c, s = math.cos(yaw), math.sin(yaw)
    for j in range(3):
        out[0, j], out[1, j], out[2, j] = c * what[0, j] - s * what[1, j], s * what[0, j] + c * what[1, j], what[2, j]


@njit(nogil=True)
def share(
    force: Array, pressure: Pair, twist: float, other: Pair, both: bool, stance: int, root: Array, torso: Array,
    push: Array, point: Array, twists: Array,
) -> None:  # fmt: skip
    """Share a force (3,) [N] of the ground that acts at `pressure`, and its twist there [N m], among the feet.

    When both feet carry, the part of the other one, seen at `other`, grows with the way of the pressure point from the
    standing foot to it; each foot is pressed at the same place of its own. Fills push (2, 3) [N], point (2, 3) [m, root
    frame] and twists (2,) [N m]; root (3, 3): level_from_root, torso (3,): its place [m].
    """
    (x, y), (px, py) = other, pressure
    part = max(0.0, min(1.0, (px * x + py * y) / max(x * x + y * y, 1e-9))) if both else 0.0
    ax, ay = px - part * x, py - part * y
    a, b = stance, 1 - stance
    for i in range(3):
        push[a, i], push[b, i] = (1.0 - part) * force[i], part * force[i]
        point[a, i] = (ax - torso[0]) * root[0, i] + (ay - torso[1]) * root[1, i] - torso[2] * root[2, i]
        point[b, i] = (ax + x - torso[0]) * root[0, i] + (ay + y - torso[1]) * root[1, i] - torso[2] * root[2, i]
    twists[a], twists[b] = (1.0 - part) * twist, part * twist


@njit(nogil=True)
def carry(
    q: Array, masses: Tables, feet: Tables, stance: int, force: Array, pressure: Pair, other: Pair, both: bool,
    root: Array, torso: Array, out: Array,
) -> None:  # fmt: skip
    """Torques (joints,) [N m] that carry a robot at rest against a force of the ground; see `share` and `held`."""
    tree = MassTree(*masses)
    bodies = tree.parent.shape[0]
    turns, at, still = np.empty((bodies, 3, 3)), np.empty((bodies, 3)), np.zeros((bodies, 3))
    push, point, twists = np.empty((2, 3)), np.empty((2, 3)), np.empty(2)
    frames(q, tree, turns, at)
    share(force, pressure, 0.0, other, both, stance, root, torso, push, point, twists)
    held(tree, BipedLegs(*feet), turns, at, root, push, point, twists, still, out)


@njit(nogil=True)
def place_body(
    q: Array, yaw: float, weighed: Tables, mass: Array, feet: Tables, stance: int, swing: Pose, under: Pair, felt: Pair,
    lean: Pair, place: Pair, height: float, shift: Array, upright: Array, rounds: int, soles: Array, soles_turn: Array,
    torso: Array, turns: Array, at: Array, pressure: Pair, rate: float, both: bool, past: Array, moving: bool,
    dt: float, torques: Array,
) -> tuple[float, float]:  # fmt: skip
    """Joints q (joints,) that put both soles and the weighed center of mass where they belong, and what they carry.

    All in the level frame of the standing sole. swing: pose of the other sole; under: slope of the ground under the
    standing one, felt: that along which the body goes; lean: roll and pitch of the body [rad]; place: center of mass,
    shift (2,): of the weighed one against it along the body [m]; height: of the root [m]; upright (3, 3):
    level_from_root of the stance; mass (bodies,) [kg]: true masses, those of `weighed` are as they count. Filled: soles
    (2, 3), soles_turn (2, 3, 3), the root's place torso (3,), frames of all bodies, and past (3, bodies, 3): where
    centers of mass were in the last two periods and are now; see `kernels.reach`. Returns the root's yaw [rad] and what
    is left [m].

    torques (joints,) [N m] carry it with one foot or both. moving: masses are accelerated as `past` tells, dt [s]
    apart; else the ground presses as on a pendulum, F = m (w² (c - p), g) with c `place` and p `pressure`.
    """
    k, other = stance, 1 - stance
    tilt, leaned, root = np.empty((3, 3)), np.empty((3, 3)), np.empty((3, 3))
    pitch = -math.atan(under[0])
    soles[k, 0] = soles[k, 1] = soles[k, 2] = 0.0
    lean_into(math.atan(under[1] * math.cos(pitch)), pitch, soles_turn[k])
    soles[other, 0], soles[other, 1], soles[other, 2] = swing[0], swing[1], swing[2]
    lean_into(swing[4], swing[5], leaned)
    turn_about_z(swing[3], leaned, soles_turn[other])
    lean_into(lean[0], lean[1], leaned)
    for i in range(3):
        for j in range(3):
            tilt[i, j] = product(leaned, upright, i, j)
    com, c, s = np.empty(2), math.cos(yaw), math.sin(yaw)
    com[0], com[1] = place[0] + (c * shift[0] - s * shift[1]), place[1] + (s * shift[0] + c * shift[1])
    over = height + (felt[0] * com[0] + felt[1] * com[1])  # the center goes along the slope
    yaw, left = reach(
        q, yaw, weighed, feet, soles, soles_turn, com, over, tilt, 0.5 * swing[3], rounds, torso, turns, at
    )
    turn_about_z(yaw, tilt, root)
    tree = MassTree(weighed[0], weighed[1], weighed[2], weighed[3], weighed[4], weighed[5], mass, weighed[7])
    bodies = mass.shape[0]
    past[0], past[1] = past[1], past[2]
    masses_at(tree, turns, at, root, torso, past[2])
    accelerations, force = np.zeros((bodies, 3)), np.empty(3)
    px, py, twist = pressure[0], pressure[1], 0.0
    if moving:
        for b in range(bodies):
            for i in range(3):
                accelerations[b, i] = (past[2, b, i] - 2.0 * past[1, b, i] + past[0, b, i]) / (dt * dt)
        px, py, twist = whole_push(mass, past[2], accelerations, force)
    else:
        total = mass.sum()
        scale = rate * rate * total
        force[0], force[1], force[2] = scale * (place[0] - px), scale * (place[1] - py), total * GRAVITY
    push, point, twists = np.empty((2, 3)), np.empty((2, 3)), np.empty(2)
    share(force, (px, py), twist, (swing[0], swing[1]), both, k, root, torso, push, point, twists)
    held(tree, BipedLegs(*feet), turns, at, root, push, point, twists, accelerations, torques)
    return yaw, left


@njit(nogil=True)
def targets_of(
    q: Array, before: Array, torques: Array, kp: Array, sag: float, lead: float, inertia: Array, speed: Array, dt: float
) -> tuple[Array, Array, Array]:
    """Targets (joints,) that bring servos to q, how far each gives way, and the speed of q for the next time.

    Servos of stiffness kp give way by torque / kp, of which a part `sag` is added [rad]. With a lead [s] targets run
    ahead of q by its speed, and by what the servos' inertia needs to be accelerated from the speed before [rad/s].
    """
    n = q.shape[0]
    out, bend, now = np.empty(n), np.empty(n), speed
    if lead != 0.0:
        now = np.empty(n)
    for i in range(n):
        bend[i] = torques[i] / kp[i]
        out[i] = q[i] + sag * bend[i]
        if lead != 0.0:
            now[i] = (q[i] - before[i]) / dt
            out[i] += lead * now[i] + inertia[i] * (now[i] - speed[i]) / dt
    return out, bend, now
