"""Joints of MJCF: a body with several becomes a chain of light links, each turning about its own point."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from andante.description.io.xmltree import Node
from andante.description.joint import Dynamics, Joint, JointType, Limits
from andante.description.link import IDENTITY, Link
from andante.description.robot import joint_motion
from andante.errors import BadInput
from andante.geometry import SE3

from .bodies import Body
from .document import Document

if TYPE_CHECKING:
    import mujoco

KINDS = (JointType.FLOATING, JointType.BALL, JointType.PRISMATIC, JointType.REVOLUTE)  # by the number of mjtJoint
WIDTH = {JointType.FLOATING: 7, JointType.BALL: 4}  # numbers in qpos; 1 for the rest


@dataclass(frozen=True)
class Chain:
    """The joints that carry one body, and the light links between them."""

    joints: tuple[Joint, ...]
    links: tuple[Link, ...]


def read_chain(document: Document, model: mujoco.MjModel, body: Body, parent: str, child: str) -> Chain:
    """Joints from the parent link to the body's link; a body without joints is fixed."""
    if not body.joints:
        return Chain((Joint(f"{child}_fixed", JointType.FIXED, parent, child, body.pose, source=body.source),), ())
    joints: list[Joint] = []
    links: list[Link] = []
    above, base = parent, body.pose
    for i, (node, name, index) in enumerate(body.joints):
        last = i == len(body.joints) - 1
        below = child if last else f"{child}__{name}"
        try:
            joints.append(_joint(document, model, node, name, index, base, above, below))
        except BadInput as error:
            raise error if str(node.source) in str(error) else node.error(str(error)) from None
        if not last:
            links.append(Link(below, source=node.source))
        above, base = below, IDENTITY
    return Chain(tuple(joints), tuple(links))


def _joint(
    document: Document, model: mujoco.MjModel, node: Node, name: str, i: int, base: SE3, above: str, below: str
) -> Joint:
    kind = KINDS[model.jnt_type[i]]
    if kind is JointType.FLOATING:
        return Joint(name, kind, above, below, base, source=node.source)
    low, high = (float(v) for v in model.jnt_range[i]) if model.jnt_limited[i] else (-math.inf, math.inf)
    if kind is JointType.REVOLUTE and not model.jnt_limited[i]:
        kind = JointType.CONTINUOUS
    effort = float(np.abs(model.jnt_actfrcrange[i]).max()) if model.jnt_actfrclimited[i] else math.inf
    x, y, z = (float(v) for v in model.jnt_axis[i])
    there = SE3.from_parts(np.eye(3), model.jnt_pos[i])
    start = 0.0 if kind is JointType.BALL else float(model.qpos0[model.jnt_qposadr[i]])
    limits, dynamics = Limits(low, high, effort), _dynamics(document, model, node, i)
    joint = Joint(name, kind, above, below, base @ there, (x, y, z), limits, dynamics)
    return Joint(
        name,
        kind,
        above,
        below,
        joint.pose @ joint_motion(joint, -start),
        joint.axis,
        limits,
        dynamics,
        joint_from_child=there.inverse(),
        initial=start,
        source=node.source,
    )


def _dynamics(document: Document, model: mujoco.MjModel, node: Node, i: int) -> Dynamics:
    dof = model.jnt_dofadr[i]
    powers = {"stiffness": model.jnt_stiffnesspoly[i], "damping": model.dof_dampingpoly[dof]}
    for key, values in powers.items():
        if np.any(values):
            document.warn(f"the higher powers of {key} are not represented; the linear term is kept", node.source)
    if model.jnt_actgravcomp[i]:
        message = "<joint actuatorgravcomp> is not represented and has no effect"
        document.warn(message, node.source, "actuatorgravcomp")
    at = model.jnt_qposadr[i]
    return Dynamics(
        damping=float(model.dof_damping[dof]),
        friction=float(model.dof_frictionloss[dof]),
        armature=float(model.dof_armature[dof]),
        stiffness=float(model.jnt_stiffness[i]),
        reference=0.0 if KINDS[model.jnt_type[i]] is JointType.BALL else float(model.qpos_spring[at]),
    )
