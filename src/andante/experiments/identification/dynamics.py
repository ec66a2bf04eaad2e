"""Joint motion of a limb under servos on a held base: rigid bodies, servo law, dry friction, play; one compiled loop.

    M(q) ddq + C(q, dq) + g(q) = clip(kp dead(r - q) - kd dq, effort) - d dq - F sign(dq)

M and C + g are those of `bodies`, steps and friction those of `stepping`. The base is held, so limbs do not feel each
other.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from andante.geometry import Array

from .stepping import advance


@dataclass(frozen=True)
class Limb:
    """Bodies of a held tree, parents first; arrays over the bodies, joint i carries body i.

    Positions of all joints are q = ratio y[lead] + offset; joints with lead -1 are locked at their offset.
    """

    parent: np.ndarray  # (bodies,) index, -1: the base
    rotation: Array  # (bodies, 3, 3) parent_from_joint at q = 0
    place: Array  # (bodies, 3) of the joint in its parent [m]
    axis: Array  # (bodies, 3)
    kind: np.ndarray  # (bodies,) REVOLUTE or PRISMATIC
    mass: Array  # (bodies,) [kg]
    com: Array  # (bodies, 3) [m]
    inertia: Array  # (bodies, 3, 3) about the center of mass [kg m^2]
    heavy: Array  # (bodies,) 1: gravity pulls at it, 0: not
    lead: np.ndarray  # (bodies,) index into the independent joints
    ratio: Array
    offset: Array
    gravity: Array  # (3,) in the axes of the base [m/s^2]


@dataclass(frozen=True)
class Servos:
    """What moves the independent joints; arrays (joints,)."""

    kp: Array  # [N m/rad or N/m]
    kd: Array  # of position servos, and the stiffness kv of velocity servos [N m s/rad]
    speed: np.ndarray  # True: a velocity servo
    effort: Array  # [N m or N]
    viscous: Array  # [N m s/rad]
    dry: Array  # Coulomb friction [N m or N]
    armature: Array  # [kg m^2 or kg]
    play: Array  # half of the backlash [rad or m]


def follow(
    limb: Limb, servos: Servos, start: Array, references: Array, dt: float, at: float = 0.5, every: int = 1
) -> tuple[Array, Array]:
    """Positions (steps + 1, joints) and servo efforts (steps, joints) of a limb that starts at rest.

    Args:
        limb: the bodies.
        servos: gains, friction and limits of the independent joints.
        start: their positions at the start (joints,).
        references: what the servos follow in each step (steps, joints): positions, or speeds of velocity servos.
        dt: length of a step [s].
        at: 0.5 for the midpoint rule, 1 for the implicit Euler rule.
        every: steps for which mass matrix and weight hold; friction and play ask for shorter steps than these do.
    """
    steps, n = references.shape
    positions, efforts = np.empty((steps + 1, n)), np.empty((steps, n))
    advance(
        np.ascontiguousarray(start), np.ascontiguousarray(references), dt, at, limb.parent, limb.rotation, limb.place,
        limb.axis, limb.kind, limb.mass, limb.com, limb.inertia, limb.heavy, limb.lead, limb.ratio, limb.offset,
        limb.gravity, servos.kp, servos.kd, servos.speed, servos.effort, servos.viscous, servos.dry, servos.armature,
        servos.play, every, positions, efforts,
    )  # fmt: skip
    return positions, efforts
