"""Compiled forward kinematics, residuals and Jacobian rows of one chain.

A chain is a table of rows, one per moving joint and one for the tip: T = A_0 M(q) A_1 M(q) ... A_tip. Every joint moves
along or about its own z axis (the builder turns it there), so M is Rz or Tz. Columns of a row: 0-8 rotation of A by
rows, 9-11 its translation, 12 kind, 13 variable, 14 multiplier (mimic joints share a variable). Only the first A is
read from there; the others are A = Rz(a) T Rx(b) Rz(c), whose turns about z belong to the joints on both sides: 15 turn
that is added to the joint's, 16-17 cosine and sine of b, 18-20 T.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numba.extending import intrinsic

from andante.compiling import njit
from andante.errors import UnknownName
from andante.geometry import Array

Function = TypeVar("Function", bound=Callable[..., Any])


def compiled(function: Function) -> Function:
    """One set of flags for all kernels: products and sums may be fused, which rounds less; nothing else is relaxed."""
    return njit(nogil=True, error_model="numpy", fastmath={"contract"})(function)


def _borrowed(typing: Any, array: Any) -> Any:
    """The same array without a count of its users, which each call of a kernel would raise and lower.

    Whoever makes it keeps the array itself in use until after the last kernel call.
    """

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        view = context.make_array(signature.args[0])(context, builder, args[0])
        view.meminfo = view.meminfo.type(None)
        return view._getvalue()

    return array(array), codegen


borrowed: Any = intrinsic(_borrowed)


REVOLUTE, PRISMATIC, TIP = 0.0, 1.0, 2.0
ROW = 21  # numbers per row
KIND, VARIABLE, MULTIPLIER, TURN, TILT, SHIFT = 12, 13, 14, 15, 16, 18

# A goal row: the goal of the tip. 0-2 position, 3-5 yaw pitch roll, 6-14 rotation by rows, 15-20 which coordinates
# count (0 or 1), 21 how positions are compared, 22 how angles are.
GOAL = 23
NONE, BASE, TOOL, FULL = 0.0, 1.0, 2.0, 3.0
LARGEST_ANGLE = 1e5  # beyond it the reduction to a quarter turn loses digits [rad]
LEAST_COSINE = 1e-6  # of the pitch: yaw and roll rates stay finite at the singularity


@compiled
def sine_cosine(x: float) -> tuple[float, float]:
    """sin and cos of an angle [rad] within 1e-15, together in two thirds of the time of two library calls.

    x = k pi/2 + r with pi/2 in three parts (Cody and Waite 1980), then the minimax polynomials on |r| <= pi/4 that
    fdlibm uses.
    """
    if not abs(x) < LARGEST_ANGLE:
        return math.sin(x), math.cos(x)
    k = np.rint(x * (2.0 / math.pi))
    r = ((x - k * 1.57079632673412561417e00) - k * 6.07710050630396597660e-11) - k * 2.02226624879595063154e-21
    z = r * r
    s = r + r * z * (
        -1.66666666666666324348e-01
        + z
        * (
            8.33333333332248946124e-03
            + z
            * (
                -1.98412698298579493134e-04
                + z * (2.75573137070700676789e-06 + z * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10))
            )
        )
    )
    c = (
        1.0
        - 0.5 * z
        + z
        * z
        * (
            4.16666666666666019037e-02
            + z
            * (
                -1.38888888888741095749e-03
                + z
                * (
                    2.48015872894767294178e-05
                    + z
                    * (-2.75573143513906633035e-07 + z * (2.08757232129817482790e-09 - z * 1.13596475577881948265e-11))
                )
            )
        )
    )
    quarter = int(k) & 3
    odd = quarter & 1
    sine, cosine = (c if odd else s), (s if odd else c)
    return (-sine if quarter & 2 else sine), (-cosine if (quarter + 1) & 2 else cosine)


@compiled
def place(table: Array, first: int, last: int, q: Array, axes: Array, poses: Array, k: int) -> None:
    """Pose k of the tip (rotation by rows, then position) and, per joint, its z axis and origin in the base frame."""
    xx, xy, xz = table[first, 0], table[first, 1], table[first, 2]
    yx, yy, yz = table[first, 3], table[first, 4], table[first, 5]
    zx, zy, zz = table[first, 6], table[first, 7], table[first, 8]
    px, py, pz = table[first, 9], table[first, 10], table[first, 11]
    for row in range(first, last):
        if row > first:
            tx, ty, tz = table[row, SHIFT], table[row, SHIFT + 1], table[row, SHIFT + 2]
            px += xx * tx + xy * ty + xz * tz
            py += yx * tx + yy * ty + yz * tz
            pz += zx * tx + zy * ty + zz * tz
            c, s = table[row, TILT], table[row, TILT + 1]
            xy, xz = xy * c + xz * s, xz * c - xy * s
            yy, yz = yy * c + yz * s, yz * c - yy * s
            zy, zz = zy * c + zz * s, zz * c - zy * s
        at = row - first
        axes[k, at, 0], axes[k, at, 1], axes[k, at, 2] = xz, yz, zz
        axes[k, at, 3], axes[k, at, 4], axes[k, at, 5] = px, py, pz
        angle, kind = table[row, TURN], table[row, KIND]
        if kind == REVOLUTE:
            angle += table[row, MULTIPLIER] * q[int(table[row, VARIABLE])]
        elif kind == PRISMATIC:
            value = table[row, MULTIPLIER] * q[int(table[row, VARIABLE])]
            px += xz * value
            py += yz * value
            pz += zz * value
        s, c = sine_cosine(angle)
        xx, xy = xx * c + xy * s, xy * c - xx * s
        yx, yy = yx * c + yy * s, yy * c - yx * s
        zx, zy = zx * c + zy * s, zy * c - zx * s
    poses[k, 0], poses[k, 1], poses[k, 2], poses[k, 3], poses[k, 4], poses[k, 5] = xx, xy, xz, yx, yy, yz
    poses[k, 6], poses[k, 7], poses[k, 8], poses[k, 9], poses[k, 10], poses[k, 11] = zx, zy, zz, px, py, pz


@compiled
def rotation_log(poses: Array, goals: Array, k: int) -> tuple[float, float, float]:
    """Rotation vector of S Rᵀ, R of pose k and S of goal k, angle in [0, pi]; exact near 0 and pi."""
    m00 = goals[k, 6] * poses[k, 0] + goals[k, 7] * poses[k, 1] + goals[k, 8] * poses[k, 2]
    m01 = goals[k, 6] * poses[k, 3] + goals[k, 7] * poses[k, 4] + goals[k, 8] * poses[k, 5]
    m02 = goals[k, 6] * poses[k, 6] + goals[k, 7] * poses[k, 7] + goals[k, 8] * poses[k, 8]
    m10 = goals[k, 9] * poses[k, 0] + goals[k, 10] * poses[k, 1] + goals[k, 11] * poses[k, 2]
    m11 = goals[k, 9] * poses[k, 3] + goals[k, 10] * poses[k, 4] + goals[k, 11] * poses[k, 5]
    m12 = goals[k, 9] * poses[k, 6] + goals[k, 10] * poses[k, 7] + goals[k, 11] * poses[k, 8]
    m20 = goals[k, 12] * poses[k, 0] + goals[k, 13] * poses[k, 1] + goals[k, 14] * poses[k, 2]
    m21 = goals[k, 12] * poses[k, 3] + goals[k, 13] * poses[k, 4] + goals[k, 14] * poses[k, 5]
    m22 = goals[k, 12] * poses[k, 6] + goals[k, 13] * poses[k, 7] + goals[k, 14] * poses[k, 8]
    x, y, z = 0.5 * (m21 - m12), 0.5 * (m02 - m20), 0.5 * (m10 - m01)
    squared = x * x + y * y + z * z
    cosine = 0.5 * (m00 + m11 + m22 - 1.0)
    if squared < 0.0025 and cosine > 0.0:  # asin(s) / s by its series, the rest is below 1e-15
        t = squared
        scale = 1.0 + t * (
            1 / 6 + t * (3 / 40 + t * (15 / 336 + t * (105 / 3456 + t * (945 / 42240 + t * (10395 / 599040)))))
        )
        return scale * x, scale * y, scale * z
    sine = math.sqrt(squared)
    if cosine > -0.9:
        scale = math.atan2(sine, cosine) / sine
        return scale * x, scale * y, scale * z
    # near a half turn the axis stands in the symmetric part: (M + Mᵀ)/2 = cos I + (1 - cos) a aᵀ
    angle = math.atan2(sine, cosine)
    part = 1.0 / (1.0 - cosine)
    a, b, c = (m00 - cosine) * part, (m11 - cosine) * part, (m22 - cosine) * part
    d, e, f = 0.5 * (m01 + m10) * part, 0.5 * (m02 + m20) * part, 0.5 * (m12 + m21) * part
    if a >= b and a >= c:
        ax, ay, az = a, d, e
    elif b >= c:
        ax, ay, az = d, b, f
    else:
        ax, ay, az = e, f, c
    sign = -1.0 if ax * x + ay * y + az * z < 0.0 else 1.0
    scale = sign * angle / math.sqrt(ax * ax + ay * ay + az * az)
    return scale * ax, scale * ay, scale * az


@compiled
def _wrap(angle: float) -> float:
    """The angle in [-pi, pi]."""
    return angle - 2.0 * math.pi * math.floor((angle + math.pi) / (2.0 * math.pi))


@compiled
def set_goal(targets: Array, which: int, tool_axes: bool, goals: Array, k: int) -> bool:
    """Fill goal row k from x y z yaw pitch roll; False when nothing counts or a number is infinite."""
    positions, angles = 0, 0
    for i in range(6):
        value = targets[which, i]
        if math.isinf(value):
            return False
        given = not math.isnan(value)
        goals[k, 15 + i] = 1.0 if given else 0.0
        goals[k, i] = value if given else 0.0
        if given:
            positions += 1 if i < 3 else 0
            angles += 0 if i < 3 else 1
    goals[k, 21] = NONE if positions == 0 else TOOL if tool_axes and positions < 3 else BASE
    goals[k, 22] = NONE if angles == 0 else FULL if angles == 3 else TOOL if tool_axes else BASE
    pitch = _wrap(goals[k, 4])
    if (
        goals[k, 22] == BASE and abs(pitch) > 0.5 * math.pi
    ):  # the same rotations, by the pitch that the residual measures
        goals[k, 3], goals[k, 4], goals[k, 5] = goals[k, 3] + math.pi, _wrap(math.pi - pitch), goals[k, 5] + math.pi
    elif goals[k, 22] == BASE:
        goals[k, 4] = pitch
    cy, sy, cp, sp = math.cos(goals[k, 3]), math.sin(goals[k, 3]), math.cos(goals[k, 4]), math.sin(goals[k, 4])
    cr, sr = math.cos(goals[k, 5]), math.sin(goals[k, 5])
    goals[k, 6], goals[k, 7], goals[k, 8] = cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr
    goals[k, 9], goals[k, 10], goals[k, 11] = sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr
    goals[k, 12], goals[k, 13], goals[k, 14] = -sp, cp * sr, cp * cr
    return positions + angles > 0


@compiled
def residual(poses: Array, goals: Array, errors: Array, k: int) -> None:
    """What is missing to the goal: e[0:3] position [m], e[3:6] angles [rad]; free coordinates are 0."""
    x, y, z = goals[k, 0] - poses[k, 9], goals[k, 1] - poses[k, 10], goals[k, 2] - poses[k, 11]
    if goals[k, 21] == TOOL:
        # a free coordinate of a goal in tool axes: the gap is in the axes of the tip
        x, y, z = (
            poses[k, 0] * x + poses[k, 3] * y + poses[k, 6] * z,
            poses[k, 1] * x + poses[k, 4] * y + poses[k, 7] * z,
            poses[k, 2] * x + poses[k, 5] * y + poses[k, 8] * z,
        )
    errors[k, 0], errors[k, 1], errors[k, 2] = x * goals[k, 15], y * goals[k, 16], z * goals[k, 17]
    mode = goals[k, 22]
    if mode == NONE:
        errors[k, 3], errors[k, 4], errors[k, 5] = 0.0, 0.0, 0.0
    elif mode == BASE:
        cosine = math.sqrt(poses[k, 0] * poses[k, 0] + poses[k, 3] * poses[k, 3])
        yaw, roll = math.atan2(poses[k, 3], poses[k, 0]), math.atan2(poses[k, 7], poses[k, 8])
        pitch = math.atan2(-poses[k, 6], cosine)
        errors[k, 3] = goals[k, 18] * _wrap(goals[k, 3] - yaw)
        errors[k, 4] = goals[k, 19] * (goals[k, 4] - pitch)
        errors[k, 5] = goals[k, 20] * _wrap(goals[k, 5] - roll)
    else:
        x, y, z = rotation_log(poses, goals, k)
        if mode == FULL:
            errors[k, 3], errors[k, 4], errors[k, 5] = x, y, z
        else:
            errors[k, 3] = goals[k, 18] * (poses[k, 2] * x + poses[k, 5] * y + poses[k, 8] * z)
            errors[k, 4] = goals[k, 19] * (poses[k, 1] * x + poses[k, 4] * y + poses[k, 7] * z)
            errors[k, 5] = goals[k, 20] * (poses[k, 0] * x + poses[k, 3] * y + poses[k, 6] * z)


@compiled
def rows(table: Array, first: int, last: int, axes: Array, poses: Array, goals: Array, k: int, J: Array) -> None:
    """Adds to J (variables, 6) how the tip's coordinates of the goal grow with each variable, -de/dq."""
    px, py, pz = poses[k, 9], poses[k, 10], poses[k, 11]
    gx, gy, gz = goals[k, 0] - px, goals[k, 1] - py, goals[k, 2] - pz
    position, angle = goals[k, 21], goals[k, 22]
    cy, sy, cp, sp = 1.0, 0.0, 1.0, 0.0
    fx, fy, fz, half = 0.0, 0.0, 0.0, 0.0
    if angle == BASE:
        cp = max(LEAST_COSINE, math.sqrt(poses[k, 0] * poses[k, 0] + poses[k, 3] * poses[k, 3]))
        cy, sy, sp = poses[k, 0] / cp, poses[k, 3] / cp, -poses[k, 6]
    elif angle == TOOL:
        fx, fy, fz = rotation_log(poses, goals, k)
        squared = fx * fx + fy * fy + fz * fz
        half = 1.0 / 12.0
        if squared > 1e-6:
            turn = min(math.sqrt(squared), math.pi - 1e-6)
            half = 1.0 / squared - (1.0 + math.cos(turn)) / (2.0 * turn * math.sin(turn))
    for row in range(first, last - 1):
        at, v = row - first, int(table[row, VARIABLE])
        factor = table[row, MULTIPLIER]
        zx, zy, zz = factor * axes[k, at, 0], factor * axes[k, at, 1], factor * axes[k, at, 2]
        if table[row, KIND] == REVOLUTE:
            wx, wy, wz = zx, zy, zz
            dx, dy, dz = px - axes[k, at, 3], py - axes[k, at, 4], pz - axes[k, at, 5]
            if position == TOOL:
                dx, dy, dz = dx + gx, dy + gy, dz + gz
            vx, vy, vz = zy * dz - zz * dy, zz * dx - zx * dz, zx * dy - zy * dx
        else:
            wx, wy, wz = 0.0, 0.0, 0.0
            vx, vy, vz = zx, zy, zz
        if position == TOOL:
            vx, vy, vz = (
                poses[k, 0] * vx + poses[k, 3] * vy + poses[k, 6] * vz,
                poses[k, 1] * vx + poses[k, 4] * vy + poses[k, 7] * vz,
                poses[k, 2] * vx + poses[k, 5] * vy + poses[k, 8] * vz,
            )
        J[v, 0] += goals[k, 15] * vx
        J[v, 1] += goals[k, 16] * vy
        J[v, 2] += goals[k, 17] * vz
        if angle == FULL:
            J[v, 3] += wx
            J[v, 4] += wy
            J[v, 5] += wz
        elif angle == BASE:
            across = cy * wx + sy * wy
            J[v, 3] += goals[k, 18] * (wz + sp / cp * across)
            J[v, 4] += goals[k, 19] * (cy * wy - sy * wx)
            J[v, 5] += goals[k, 20] * across / cp
        elif angle == TOOL:
            # derivative of the logarithm: w - f × w / 2 + half f × (f × w), then in the axes of the tip
            ax, ay, az = fy * wz - fz * wy, fz * wx - fx * wz, fx * wy - fy * wx
            bx, by, bz = fy * az - fz * ay, fz * ax - fx * az, fx * ay - fy * ax
            wx, wy, wz = wx - 0.5 * ax + half * bx, wy - 0.5 * ay + half * by, wz - 0.5 * az + half * bz
            J[v, 3] += goals[k, 18] * (poses[k, 2] * wx + poses[k, 5] * wy + poses[k, 8] * wz)
            J[v, 4] += goals[k, 19] * (poses[k, 1] * wx + poses[k, 4] * wy + poses[k, 7] * wz)
            J[v, 5] += goals[k, 20] * (poses[k, 0] * wx + poses[k, 3] * wy + poses[k, 6] * wz)


ANGLES = ("rpy", "zyz")


def forward(table: Array, q: Array) -> Array:
    """Poses (m, 4, 4) of the tip at joint positions (m, n)."""
    out = np.empty((len(q), 4, 4))
    _forward(table, q, out)
    return out


def geometric(table: Array, q: Array, tool: bool) -> Array:
    """Geometric Jacobians (m, 6, n), linear rows first, in base or tool axes."""
    out = np.zeros((len(q), 6, q.shape[1]))
    _geometric(table, q, tool, out)
    return out


@compiled
def _forward(table: Array, q: Array, out: Array) -> None:
    axes, poses = np.empty((1, table.shape[0], 6)), np.empty((1, 12))
    for m in range(q.shape[0]):
        place(table, 0, table.shape[0], q[m], axes, poses, 0)
        for i in range(3):
            for j in range(3):
                out[m, i, j] = poses[0, 3 * i + j]
            out[m, i, 3] = poses[0, 9 + i]
            out[m, 3, i] = 0.0
        out[m, 3, 3] = 1.0


@compiled
def _geometric(table: Array, q: Array, tool: bool, out: Array) -> None:
    axes, poses, column = np.empty((1, table.shape[0], 6)), np.empty((1, 12)), np.empty(6)
    for m in range(q.shape[0]):
        place(table, 0, table.shape[0], q[m], axes, poses, 0)
        for row in range(table.shape[0] - 1):
            factor, variable = table[row, MULTIPLIER], int(table[row, VARIABLE])
            zx, zy, zz = factor * axes[0, row, 0], factor * axes[0, row, 1], factor * axes[0, row, 2]
            if table[row, KIND] == REVOLUTE:
                dx, dy, dz = (
                    poses[0, 9] - axes[0, row, 3],
                    poses[0, 10] - axes[0, row, 4],
                    poses[0, 11] - axes[0, row, 5],
                )
                column[0], column[1], column[2] = zy * dz - zz * dy, zz * dx - zx * dz, zx * dy - zy * dx
                column[3], column[4], column[5] = zx, zy, zz
            else:
                column[0], column[1], column[2] = zx, zy, zz
                column[3], column[4], column[5] = 0.0, 0.0, 0.0
            for half in range(0, 6, 3):
                a, b, c = column[half], column[half + 1], column[half + 2]
                for i in range(3):
                    if tool:
                        out[m, half + i, variable] += poses[0, i] * a + poses[0, 3 + i] * b + poses[0, 6 + i] * c
                    else:
                        out[m, half + i, variable] += column[half + i]


def analytic_map(R: Array, angles: str) -> Array:
    """(..., 3, 3) map from angular velocity in base axes to angle rates at rotations R.

    "rpy": rates of roll, pitch, yaw with R = Rz(yaw) Ry(pitch) Rx(roll). "zyz": rates of phi, theta, psi with
    R = Rz(phi) Ry(theta) Rz(psi). Infinite at the singularities, pitch = ±pi/2 and theta = 0 or pi.
    """
    UnknownName.check("angles", angles, ANGLES)
    zero = np.zeros(R.shape[:-2])
    with np.errstate(divide="ignore", invalid="ignore"):
        if angles == "rpy":
            cosine = np.hypot(R[..., 0, 0], R[..., 1, 0])
            cy, sy, tangent = R[..., 0, 0] / cosine, R[..., 1, 0] / cosine, -R[..., 2, 0] / cosine
            rows = [[cy / cosine, sy / cosine, zero], [-sy, cy, zero], [cy * tangent, sy * tangent, zero + 1.0]]
        else:
            sine = np.hypot(R[..., 0, 2], R[..., 1, 2])
            cf, sf, cotangent = R[..., 0, 2] / sine, R[..., 1, 2] / sine, R[..., 2, 2] / sine
            rows = [[-cf * cotangent, -sf * cotangent, zero + 1.0], [-sf, cf, zero], [cf / sine, sf / sine, zero]]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def to_zyz(R: Array) -> Array:
    """Euler angles phi, theta, psi (..., 3) of R = Rz(phi) Ry(theta) Rz(psi), theta in [0, pi] [rad]."""
    phi = np.arctan2(R[..., 1, 2], R[..., 0, 2])
    theta = np.arctan2(np.hypot(R[..., 0, 2], R[..., 1, 2]), R[..., 2, 2])
    return np.stack([phi, theta, np.arctan2(R[..., 2, 1], -R[..., 2, 0])], axis=-1)
