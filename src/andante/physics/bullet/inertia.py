"""Inertias as Bullet gets them: principal axes, rotor inertia on the child, and what each joint feels of them.

Bullet has no rotor inertia of its own. The armature of a hinge is added to the child about the joint axis, that of a
slider to the child's mass (its weight is taken off again by a force). One joint on a fixed base moves exactly as it
should; in a chain the rotor also follows the turning of the links before it.
"""

from __future__ import annotations

import numpy as np

from andante.description.inertia import Inertia
from andante.description.joint import JointType
from andante.geometry import SE3, Array
from andante.physics.tree import BodyTree, in_plane


def engine_inertias(tree: BodyTree) -> list[Inertia]:
    """Inertia of every body in its own frame with rotors added."""
    out = []
    for body in tree.bodies:
        inertia = body.inertia
        if body.joint is not None and body.joint.dynamics.armature > 0:
            rotor = body.joint.dynamics.armature
            if body.joint.type is JointType.PRISMATIC:
                inertia = Inertia(inertia.mass + rotor, inertia.com, inertia.moments)
            elif body.joint.one_dof:
                axis = np.asarray(body.joint.axis)
                inertia = Inertia.from_matrix(inertia.mass, inertia.com, inertia.matrix + rotor * np.outer(axis, axis))
        out.append(inertia)
    return out


def weightless_mass(tree: BodyTree, inertias: list[Inertia]) -> Array:
    """Mass of every body that gravity must not pull [kg]: all of it without gravity, else a slider's rotor."""
    return np.array(
        [
            given.mass - (body.inertia.mass if body.gravity else 0.0)
            if body.joint is not None or not body.gravity
            else 0.0
            for body, given in zip(tree.bodies, inertias, strict=True)
        ]
    )


def principal(inertia: Inertia) -> tuple[SE3, Array]:
    """Frame at the center of mass along the principal axes (body_from_principal), and the three moments."""
    tensor = inertia.matrix
    scale = np.abs(np.diag(tensor)).max(initial=0.0)
    if np.abs(tensor - np.diag(np.diag(tensor))).max() <= 1e-12 * scale:
        return SE3.from_parts(np.eye(3), inertia.com), np.diag(tensor).copy()
    moments, axes = np.linalg.eigh(tensor)
    if np.linalg.det(axes) < 0:
        axes[:, 0] = -axes[:, 0]
    return SE3.from_parts(axes, inertia.com), moments


def felt_inertias(tree: BodyTree, fixed: bool, inertias: list[Inertia]) -> Array:
    """Inertia that each of `robot.movable` feels with all other joints free, 1 / (M^-1)_ii; (joints,).

    M = sum m Jvᵀ Jv + Jwᵀ I Jw over the bodies, at the initial positions.
    """
    world, columns, owners = _motions(tree, fixed)
    count = len(columns)
    if count == 0:
        return np.zeros(0)
    M = np.zeros((count, count))
    for b, inertia in enumerate(inertias):
        if b == 0 and fixed:
            continue
        placed = inertia.transformed(world[b])
        Jv, Jw = np.zeros((3, count)), np.zeros((3, count))
        for k, (axis, origin, turning) in enumerate(columns):
            if tree.carries[owners[k], b]:
                Jv[:, k] = np.cross(axis, np.asarray(placed.com) - origin) if turning else axis
                Jw[:, k] = axis if turning else 0.0
        M += placed.mass * Jv.T @ Jv + Jw.T @ placed.matrix @ Jw
    M[np.diag_indices(count)] += 1e-12 * np.trace(M) / count + 1e-15
    felt = 1.0 / np.maximum(np.diag(np.linalg.inv(M)), 1e-15)
    first = {owner: k for k, owner in reversed(list(enumerate(owners)))}
    return np.array([felt[first[int(body)]] for body in tree.joint_bodies])


def _motions(tree: BodyTree, fixed: bool) -> tuple[list[SE3], list[tuple[Array, Array, bool]], list[int]]:
    """World poses of the bodies, then axis, origin and turning of every degree of freedom, and the body it carries."""
    world = tree.poses(SE3.identity(), tree.initial)
    columns: list[tuple[Array, Array, bool]] = []
    owners: list[int] = []
    for b, body in enumerate(tree.bodies):
        joint = body.joint
        if joint is None:
            free = () if fixed else ((True, np.eye(3)), (False, np.eye(3)))
        else:
            axis = np.asarray(joint.axis)[None]
            if joint.type is JointType.PRISMATIC:
                free = ((False, axis),)
            elif joint.one_dof:
                free = ((True, axis),)
            elif joint.type is JointType.PLANAR:
                free = ((True, axis), (False, np.array(in_plane(joint.axis))))
            elif joint.type is JointType.BALL:
                free = ((True, np.eye(3)),)
            else:
                free = ((True, np.eye(3)), (False, np.eye(3)))
        for turning, axes in free:
            for axis in axes:
                columns.append((world[b].rotation @ axis, np.array(world[b].translation), turning))
                owners.append(b)
    return world, columns, owners
