"""Inertia tensors as ODE is given them: with rotor inertia, and shared between neighbours so that QuickStep converges.

Two bodies on a hinge turn together about every axis across the hinge. Inertia k (E - a aᵀ) across the axis a can
therefore be taken from one and given to the other without any change of motion: the kinetic energy
k/2 (|w_c|² - |w_p|²) across the axis is zero. QuickStep converges slowly when neighbours differ much, as a heavy trunk
on tiny hip cardans does, so such inertia is moved from the larger to the smaller.
"""

from __future__ import annotations

import numpy as np

from andante.description.joint import JointType
from andante.geometry import Array
from andante.physics.engine import Actor

SWEEPS = 4
KEPT = 0.5  # share of its smallest moment that a body keeps
RATIO = 0.12  # moments across a hinge that differ by more than this are brought to it


def shared_tensors(actor: Actor) -> list[Array]:
    """Tensors of the bodies about their centres of mass along the body axes [kg m^2], fit for ODE.

    The rotor inertia A of a hinge is added to the body that it carries, A a aᵀ.
    """
    tree = actor.tree
    tensors = [body.inertia.matrix for body in tree.bodies]
    hinges = []
    for i, body in enumerate(tree.bodies):
        if body.joint is None or body.joint.type not in (JointType.REVOLUTE, JointType.CONTINUOUS):
            continue
        axis = np.asarray(body.joint.axis)
        tensors[i] = tensors[i] + body.joint.dynamics.armature * np.outer(axis, axis)
        if not (body.parent == 0 and actor.fixed):
            hinges.append((body.parent, i, body.pose.rotation @ axis, axis))
    floor = [KEPT * float(np.linalg.eigvalsh(tensor)[0]) for tensor in tensors]
    for _ in range(SWEEPS):
        for parent, child, axis_in_parent, axis in hinges:
            across = {
                parent: np.eye(3) - np.outer(axis_in_parent, axis_in_parent),
                child: np.eye(3) - np.outer(axis, axis),
            }
            mean = {i: float(np.trace(tensors[i] @ across[i])) / 2 for i in (parent, child)}
            giver, taker = (parent, child) if mean[parent] > mean[child] else (child, parent)
            wanted = (RATIO * mean[giver] - mean[taker]) / (1 + RATIO)
            spare = float(np.linalg.eigvalsh(tensors[giver])[0]) - floor[giver]
            share = min(wanted, spare / 2)
            if share > 0:
                tensors[giver] = tensors[giver] - share * across[giver]
                tensors[taker] = tensors[taker] + share * across[taker]
    return tensors
