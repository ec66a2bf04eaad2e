"""Plain numpy versions of what the kernels compute, straight from the definitions."""

import numpy as np

from andante.geometry import so3
from andante.kinematics.chain import Fixed, motion


def fk(chain, q):
    """Pose of the tip: the product of all steps."""
    values = {**dict(zip(chain.joint_names, q, strict=True)), **chain.held}
    pose = np.eye(4)
    for step in chain.steps:
        if isinstance(step, Fixed):
            pose = pose @ step.matrix
        else:
            pose = pose @ motion(step.axis, step.prismatic, step.multiplier * values[step.variable] + step.offset)
    return pose


def jacobian(chain, q):
    """Geometric Jacobian: axis and lever arm of every moving step."""
    values = {**dict(zip(chain.joint_names, q, strict=True)), **chain.held}
    tip = fk(chain, q)[:3, 3]
    J = np.zeros((6, len(chain.joint_names)))
    pose = np.eye(4)
    for step in chain.steps:
        if isinstance(step, Fixed):
            pose = pose @ step.matrix
            continue
        if step.variable in chain.joint_names:
            column = chain.joint_names.index(step.variable)
            axis = step.multiplier * (pose[:3, :3] @ step.axis)
            if step.prismatic:
                J[:3, column] += axis
            else:
                J[:3, column] += np.cross(axis, tip - pose[:3, 3])
                J[3:, column] += axis
        pose = pose @ motion(step.axis, step.prismatic, step.multiplier * values[step.variable] + step.offset)
    return J


def gap(chain, q, target, axes="base"):
    """Residual over the coordinates that count, as `Chain.ik` defines it."""
    pose = fk(chain, q)
    given = ~np.isnan(target)
    position = target[:3] - pose[:3, 3]
    if axes == "tool" and not given[:3].all():
        position = pose[:3, :3].T @ (np.nan_to_num(target[:3]) - pose[:3, 3])
    goal = so3.from_rpy(np.nan_to_num(target[:2:-1]))
    if given[3:].all():
        angle = so3.log(goal @ pose[:3, :3].T)
    elif axes == "tool":
        angle = so3.log(pose[:3, :3].T @ goal)[::-1]
    else:
        angle = target[3:] - so3.to_rpy(pose[:3, :3])[::-1]
        angle = (angle + np.pi) % (2 * np.pi) - np.pi
    return np.concatenate([position, angle])[given]


def differences(f, q, step=1e-6):
    """Central differences of a function of batches (m, n), derivatives along the last axis: for all Jacobians."""
    q = np.asarray(q, dtype=float)
    shifts = step * np.eye(q.size)
    return np.moveaxis(np.asarray(f(q + shifts)) - np.asarray(f(q - shifts)), 0, -1) / (2 * step)


def lm_step(J, e, weights, damping, floor, epsilon):
    """dq = (JᵀWJ + K (diag + floor max diag) + eps)⁻¹ JᵀW e."""
    H = J.T @ (weights[:, None] * J)
    D = np.diag(np.diag(H) + floor * np.diag(H).max())
    return np.linalg.solve(H + damping * D + epsilon * np.eye(len(H)), J.T @ (weights * e))


def random_positions(chain, count, rng):
    """Joint positions within the limits (within a turn where there are none)."""
    lower, upper = chain.limits
    return rng.uniform(np.maximum(lower, -np.pi), np.minimum(upper, np.pi), (count, len(lower)))
