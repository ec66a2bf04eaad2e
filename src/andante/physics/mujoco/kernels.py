"""Compiled reading of MuJoCo's arrays: contacts of one model, poses and velocities of its bodies."""

from __future__ import annotations

import numpy as np
from numba import njit

from andante.geometry import Array
from andante.physics.state import Mode

POSITION = int(Mode.POSITION)


@njit(cache=True, nogil=True)
def body_poses(bodies: np.ndarray, xpos: Array, xquat: Array) -> Array:
    """Poses x y z qx qy qz qw of some bodies, (n, 7)."""
    out = np.empty((bodies.shape[0], 7))
    for i in range(bodies.shape[0]):
        b = bodies[i]
        for k in range(3):
            out[i, k] = xpos[b, k]
            out[i, 3 + k] = xquat[b, 1 + k]
        out[i, 6] = xquat[b, 0]
    return out


@njit(cache=True, nogil=True)
def body_velocities(bodies: np.ndarray, roots: np.ndarray, cvel: Array, xpos: Array, subtree_com: Array) -> Array:
    """Velocities of body origins (n, 6), linear then angular.

    MuJoCo gives them angular first, the linear part at the center of mass c of the tree: v = v_c + ω x (p - c).
    """
    out = np.empty((bodies.shape[0], 6))
    for i in range(bodies.shape[0]):
        b, r = bodies[i], roots[i]
        wx, wy, wz = cvel[b, 0], cvel[b, 1], cvel[b, 2]
        x, y, z = xpos[b, 0] - subtree_com[r, 0], xpos[b, 1] - subtree_com[r, 1], xpos[b, 2] - subtree_com[r, 2]
        out[i, 0] = cvel[b, 3] + wy * z - wz * y
        out[i, 1] = cvel[b, 4] + wz * x - wx * z
        out[i, 2] = cvel[b, 5] + wx * y - wy * x
        out[i, 3], out[i, 4], out[i, 5] = wx, wy, wz
    return out


@njit(cache=True, nogil=True)
def free_motion(qpos: Array, qvel: Array, q: int, v: int) -> tuple[Array, Array]:
    """Pose (7,) and velocity (6,) of a body on a free joint at addresses q and v.

    The joint has its quaternion w first and its angular velocity in the axes of the body.
    """
    pose, velocity = np.empty(7), np.empty(6)
    w, x, y, z = qpos[q + 3], qpos[q + 4], qpos[q + 5], qpos[q + 6]
    norm = np.sqrt(w * w + x * x + y * y + z * z)
    w, x, y, z = w / norm, x / norm, y / norm, z / norm
    for k in range(3):
        pose[k], velocity[k] = qpos[q + k], qvel[v + k]
    pose[3], pose[4], pose[5], pose[6] = x, y, z, w
    a, b, c = qvel[v + 3], qvel[v + 4], qvel[v + 5]
    velocity[3] = (1 - 2 * (y * y + z * z)) * a + 2 * (x * y - z * w) * b + 2 * (x * z + y * w) * c
    velocity[4] = 2 * (x * y + z * w) * a + (1 - 2 * (x * x + z * z)) * b + 2 * (y * z - x * w) * c
    velocity[5] = 2 * (x * z - y * w) * a + 2 * (y * z + x * w) * b + (1 - 2 * (x * x + y * y)) * c
    return pose, velocity


@njit(cache=True, nogil=True)
def contacts(
    model: int,
    geom: np.ndarray,
    address: np.ndarray,
    frame: Array,
    position: Array,
    distance: Array,
    efc_force: Array,
    geom_model: np.ndarray,
    geom_link: np.ndarray,
) -> tuple[np.ndarray, Array]:
    """Contacts that carry force: indices (n, 4) model_a, link_a, model_b, link_b and numbers (n, 10).

    The numbers are position, normal from B towards A, force on A, and depth. Side A is the second geom of MuJoCo's
    pair. With a model >= 0 only its contacts are returned, it being side A; one between two of its links twice, the
    mirrored ones after all others. Cones are elliptic: normal and two tangent forces stand in a row of `efc_force`.
    """
    count = geom.shape[0]
    rows = 0
    for c in range(count):
        if address[c] < 0:
            continue
        if model < 0:
            rows += 1
            continue
        rows += int(geom_model[geom[c, 1]] == model) + int(geom_model[geom[c, 0]] == model)
    who, what = np.empty((rows, 4), dtype=np.int64), np.empty((rows, 10))
    n = 0
    for side in range(1 if model < 0 else 2):
        first, second, sign = 1 - side, side, 1.0 - 2.0 * side
        for c in range(count):
            if address[c] < 0:
                continue
            a, b = geom[c, first], geom[c, second]
            if model >= 0 and geom_model[a] != model:
                continue
            who[n, 0], who[n, 1] = geom_model[a], geom_link[a]
            who[n, 2], who[n, 3] = geom_model[b], geom_link[b]
            e = address[c]
            for k in range(3):
                what[n, k] = position[c, k]
                what[n, 3 + k] = sign * frame[c, k]
                force = efc_force[e] * frame[c, k] + efc_force[e + 1] * frame[c, 3 + k]
                what[n, 6 + k] = sign * (force + efc_force[e + 2] * frame[c, 6 + k])
            what[n, 9] = -distance[c]
            n += 1
    return who, what


@njit(cache=True, nogil=True)
def followed(wanted: Array, lower: Array, upper: Array, references: Array, per_stride: Array) -> int:
    """Cut targets (joints,) at their limits in place; 0: within a stride of the references, 1: farther, -1: NaN.

    What `JointCommands.follow` does for position servos.
    """
    far = 0
    for j in range(wanted.shape[0]):
        if wanted[j] != wanted[j]:
            return -1
        wanted[j] = min(max(wanted[j], lower[j]), upper[j])
        gap = abs((wanted[j] - references[j]) * per_stride[j])
        if gap != gap:
            return -1
        if gap > 1.0:
            far = 1
    return far


@njit(cache=True, nogil=True)
def slewed(
    references: Array, targets: Array, modes: np.ndarray, stride: Array, per_stride: Array, steps: int
) -> tuple[Array, bool]:
    """References of the coming steps (k, joints), at most `steps`, and whether the last are the targets.

    What `JointCommands.slew` does step by step: position servos move by at most their stride, others are there at once.
    """
    count = targets.shape[0]
    rows = np.empty((steps, count))
    for k in range(steps):
        there = True
        for j in range(count):
            before = references[j] if k == 0 else rows[k - 1, j]
            gap = targets[j] - before
            if modes[j] == POSITION and abs(gap * per_stride[j]) > 1.0:
                rows[k, j] = before + min(max(gap, -stride[j]), stride[j])
                there = False
            else:
                rows[k, j] = targets[j]
        if there:
            return rows[: k + 1], True
    return rows, False
