"""Bullet multibodies from a body tree, by `createMultiBody` with explicit inertias.

A floating joint inside a tree starts a multibody of its own; a planar joint becomes two weightless sliders and a
hinge; shapes with another surface than the first of their body sit on weightless links welded to it, so that each
keeps its friction. The shapes of a fixed root are static objects beside the multibody.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

import numpy as np

from andante.description.inertia import Inertia
from andante.description.joint import Joint, JointType
from andante.description.link import IDENTITY
from andante.errors import Unsupported
from andante.geometry import SE3, Array
from andante.physics.model import Model
from andante.physics.state import Settings
from andante.physics.tree import Body, BodyShape, BodyTree, in_plane

from .api import Client, pybullet
from .friction import coefficient, scaled_friction
from .inertia import engine_inertias, felt_inertias, principal
from .shapes import MOST_PARTS, SKIN, has_skin, moving_shape, static_shapes

MOST_LINKS = 127  # of one multibody in Bullet's interface
CONTACT_ERP = 0.08  # fraction of a contact's depth that one step gives back
FASTEST = 1e4  # [rad/s, m/s] Bullet cuts joint speeds at 100 otherwise
ALL_BITS = 0xFFFF
UNBOUNDED = 1e9  # stands for an absent joint limit beside a present one


@dataclass(frozen=True)
class Collider:
    """What Bullet calls (body, link): whose it is and which shapes it carries."""

    model: int
    body: int
    shapes: tuple[BodyShape, ...]


@dataclass
class _Node:
    """One link of a multibody to be; node 0 is the base."""

    parent: int
    pose: SE3  # parent node from this node at q = 0
    kind: int
    axis: tuple[float, float, float] = (0.0, 0.0, 1.0)
    body: int = -1  # tree body whose frame this node has, -1 for helpers
    inertia: Inertia = field(default_factory=lambda: Inertia(0.0))
    shapes: tuple[BodyShape, ...] = ()
    owner: int = -1  # tree body that the shapes belong to


@dataclass(frozen=True)
class BulletHandles:
    """One model inside Bullet."""

    uid: np.ndarray  # (bodies,) multibody of each body, -1: a fixed root, which nothing can move
    link: np.ndarray  # (bodies,) link index in it, -1: its base
    body_from_com: SE3  # (bodies,) principal inertial frames
    roots: tuple[int, ...]  # bodies that are bases of multibodies, a fixed root included
    statics: tuple[tuple[int, SE3], ...]  # objects of a fixed root, with root_from_object
    base: int  # multibody of the root, -1 when a fixed root carries nothing
    joint_uid: np.ndarray  # (joints,)
    joint_link: np.ndarray  # (joints,)
    inertias: list[Inertia]  # as given to Bullet, in the body frames
    felt: Array  # (joints,) inertia that a joint feels with all others free


def build_model(
    model: Model,
    settings: Settings,
    factors: Mapping[tuple[bool, float], float],
    client: Client,
    colliders: dict[tuple[int, int], Collider],
) -> BulletHandles:
    """Put a model at its placement and initial joint positions; enters its shapes into `colliders`.

    `factors` are those of friction.
    """
    tree = model.tree
    for body in tree.bodies:
        if body.joint is not None and body.joint.type is JointType.SCREW:
            raise Unsupported(f"bullet: joint {body.joint.name!r} of {model.name!r} is a screw; Bullet has none")
    inertias = engine_inertias(tree)
    start = tree.poses(model.placement.pose, tree.initial)
    count = len(tree.bodies)
    uid, link = np.full(count, -1), np.full(count, -1)
    frames = [principal(inertia) for inertia in inertias]
    if model.fixed:
        frames[0] = (IDENTITY, np.zeros(3))
    own: dict[int, list[tuple[int, int]]] = {i: [] for i in range(count)}  # (multibody, link) of each body's shapes
    flagged: set[int] = set()  # multibodies that collide with themselves
    statics: list[tuple[int, SE3]] = []

    def enter(uid: int, link: int, body: int, shapes: tuple[BodyShape, ...], frame: SE3 = IDENTITY) -> None:
        factor = factors[model.fixed and body == 0, coefficient(shapes[0], settings.friction)]
        _surface(uid, link, shapes, settings, factor, client, frame)
        colliders[uid, link] = Collider(model.index, body, shapes)
        own[body].append((uid, link))

    for shape in tree.bodies[0].shapes if model.fixed else ():
        for made, pose in static_shapes(shape, client):
            statics.append((_static(made, start[0] @ pose, client), pose))
            enter(statics[-1][0], -1, 0, (shape,), pose)
    base = -1
    roots = [i for i, body in enumerate(tree.bodies) if _starts(body)]
    for root in roots:
        members = _members(tree, root)
        if root == 0 and model.fixed and len(members) == 1:
            continue
        nodes = _nodes(tree, members, inertias, model.fixed)
        if len(nodes) > MOST_LINKS:
            raise Unsupported(f"bullet: {model.name!r} needs {len(nodes)} links in one piece; at most {MOST_LINKS}")
        collides = _collides(tree, members, model.fixed)
        made = _multibody(nodes, frames, start[root], model.fixed and root == 0, collides, tree, client)
        if collides:
            flagged.add(made)
        if root == 0:
            base = made
        for k, node in enumerate(nodes):
            if node.body >= 0:
                uid[node.body], link[node.body] = made, k - 1
            _settle(made, k - 1, node, frames, client)
            if node.shapes:
                enter(made, k - 1, node.owner, node.shapes, frames[node.body][0] if node.body >= 0 else IDENTITY)
    if model.fixed:
        uid[0] = -1
    _mask(tree, own, flagged, client)
    body_from_com = SE3(np.stack([pose.matrix for pose, _ in frames]))
    joint_uid, joint_link = uid[tree.joint_bodies], link[tree.joint_bodies]
    felt = felt_inertias(tree, model.fixed, inertias)
    handles = BulletHandles(
        uid, link, body_from_com, tuple(roots), tuple(statics), base, joint_uid, joint_link, inertias, felt
    )
    _limits(tree, handles, client)
    return handles


def _starts(body: Body) -> bool:
    return body.joint is None or body.joint.type is JointType.FLOATING


def _members(tree: BodyTree, root: int) -> list[int]:
    """Bodies of the multibody that starts at a body, parents first."""
    inside = [root]
    for i in range(root + 1, len(tree.bodies)):
        if tree.bodies[i].parent in inside and not _starts(tree.bodies[i]):
            inside.append(i)
    return inside


def _nodes(tree: BodyTree, members: list[int], inertias: list[Inertia], fixed: bool) -> list[_Node]:
    """Links of a multibody, children directly behind their parents as Bullet numbers them."""
    nodes: list[_Node] = []

    def add(i: int, parent: int) -> None:
        body = tree.bodies[i]
        static = fixed and i == 0
        groups = [] if static else _groups(body.shapes)
        pose = body.pose
        if i != members[0] and body.joint is not None and body.joint.type is JointType.PLANAR:
            for axis in in_plane(body.joint.axis):
                nodes.append(_Node(parent, pose, pybullet.JOINT_PRISMATIC, (axis[0], axis[1], axis[2])))
                parent, pose = len(nodes) - 1, IDENTITY
        node = _Node(parent, IDENTITY if i == members[0] else pose, _kind(body.joint), body=i, owner=i)
        node.axis = body.joint.axis if body.joint is not None else node.axis
        node.inertia = node.inertia if static else inertias[i]
        node.shapes = groups[0] if groups else ()
        nodes.append(node)
        here = len(nodes) - 1
        nodes.extend(_Node(here, IDENTITY, pybullet.JOINT_FIXED, shapes=group, owner=i) for group in groups[1:])
        for child in members:
            if tree.bodies[child].parent == i and child != members[0]:
                add(child, here)

    add(members[0], -1)
    return nodes


def _kind(joint: Joint | None) -> int:
    if joint is None:
        return int(pybullet.JOINT_FIXED)
    if joint.type is JointType.PRISMATIC:
        return int(pybullet.JOINT_PRISMATIC)
    return int(pybullet.JOINT_SPHERICAL if joint.type is JointType.BALL else pybullet.JOINT_REVOLUTE)


def _groups(shapes: Iterable[BodyShape]) -> list[tuple[BodyShape, ...]]:
    """Shapes of equal surface together, at most as many as one compound holds."""
    ordered = list(shapes)
    surfaces = list(dict.fromkeys(shape.surface for shape in ordered))
    ordered.sort(key=lambda shape: surfaces.index(shape.surface))
    out: list[tuple[BodyShape, ...]] = []
    for _, same in groupby(ordered, key=lambda shape: shape.surface):
        rest = tuple(same)
        out += [rest[k : k + MOST_PARTS] for k in range(0, len(rest), MOST_PARTS)]
    return out


def _multibody(
    nodes: list[_Node],
    frames: list[tuple[SE3, Array]],
    pose: SE3,
    fixed: bool,
    collides: bool,
    tree: BodyTree,
    client: Client,
) -> int:
    def inertial(node: _Node) -> SE3:
        return frames[node.body][0] if node.body >= 0 else IDENTITY

    base, links = nodes[0], nodes[1:]
    shapes = [moving_shape(node.shapes, tree.bodies[max(node.owner, 0)].name, client) for node in nodes]
    made = client.createMultiBody(
        baseMass=0.0 if fixed else base.inertia.mass,
        baseCollisionShapeIndex=shapes[0],
        basePosition=pose.translation.tolist(),
        baseOrientation=pose.quaternion.tolist(),
        baseInertialFramePosition=inertial(base).translation.tolist(),
        baseInertialFrameOrientation=inertial(base).quaternion.tolist(),
        linkMasses=[node.inertia.mass for node in links],
        linkCollisionShapeIndices=shapes[1:],
        linkVisualShapeIndices=[-1] * len(links),
        linkPositions=[node.pose.translation.tolist() for node in links],
        linkOrientations=[node.pose.quaternion.tolist() for node in links],
        linkInertialFramePositions=[inertial(node).translation.tolist() for node in links],
        linkInertialFrameOrientations=[inertial(node).quaternion.tolist() for node in links],
        linkParentIndices=[node.parent for node in links],
        linkJointTypes=[node.kind for node in links],
        linkJointAxis=[list(node.axis) for node in links],
        flags=pybullet.URDF_USE_SELF_COLLISION if collides else 0,
    )
    return int(made)


def _settle(uid: int, link: int, node: _Node, frames: list[tuple[SE3, Array]], client: Client) -> None:
    """Give a link its true inertia and take away Bullet's own losses and motors."""
    if node.inertia.mass > 0 and node.body >= 0:
        # moments are lost in a call that also sets damping or the largest speed
        client.changeDynamics(uid, link, mass=node.inertia.mass, localInertiaDiagonal=frames[node.body][1].tolist())
    if link < 0:
        client.changeDynamics(
            uid,
            link,
            linearDamping=0.0,
            angularDamping=0.0,
            maxJointVelocity=FASTEST,
            activationState=pybullet.ACTIVATION_STATE_DISABLE_SLEEPING,
        )
    elif node.kind == pybullet.JOINT_SPHERICAL:
        client.setJointMotorControlMultiDof(
            uid,
            link,
            pybullet.POSITION_CONTROL,
            targetPosition=[0, 0, 0, 1],
            positionGain=0.0,
            velocityGain=0.0,
            force=[0, 0, 0],
        )
    elif node.kind != pybullet.JOINT_FIXED:
        client.setJointMotorControl2(uid, link, pybullet.VELOCITY_CONTROL, force=0.0)


def _static(shape: int, pose: SE3, client: Client) -> int:
    """An object that never moves and costs nothing per step."""
    made = client.createMultiBody(
        baseMass=0.0,
        baseCollisionShapeIndex=shape,
        basePosition=pose.translation.tolist(),
        baseOrientation=pose.quaternion.tolist(),
        useMaximalCoordinates=1,
    )
    return int(made)


def _surface(
    uid: int,
    link: int,
    shapes: tuple[BodyShape, ...],
    settings: Settings,
    friction: float,
    client: Client,
    frame: SE3,
) -> None:
    """Contact parameters of shapes of one surface, with its factor of friction. Bullet multiplies the restitutions of a
    pair, so each side gets its root. `frame` is the frame of the Bullet object in that of the body."""
    surface = shapes[0].surface
    given: dict[str, Any] = {
        "lateralFriction": friction,
        "spinningFriction": surface.torsional or 0.0,
        "rollingFriction": surface.rolling or 0.0,
        "restitution": math.sqrt(surface.restitution or 0.0),
    }
    if surface.restitution:
        given["contactProcessingThreshold"] = 0.0  # a contact met before it touches would not bounce
    if surface.kp is not None:
        # Bullet gives back a fraction dt k / (dt k + d) of the depth in one step; more than `erp` of it would throw
        erp = CONTACT_ERP if settings.erp is None else max(settings.erp, 1e-3)
        given["contactStiffness"] = surface.kp
        given["contactDamping"] = max(surface.kd or 0.0, settings.dt * surface.kp * (1 / erp - 1))
    client.changeDynamics(uid, link, **given)
    scale = scaled_friction(shapes, settings.friction, frame)
    if scale is not None:
        client.changeDynamics(uid, link, anisotropicFriction=scale)
        client.setPhysicsEngineParameter(enableConeFriction=0)  # else Bullet bends the force along the sliding
    if link < 0 and has_skin(shapes):
        client.changeDynamics(uid, link, collisionMargin=SKIN)


def filter_by_bitmask(colliders: dict[tuple[int, int], Collider], client: Client) -> None:
    """Let only shapes with a common bit collide; a shape that names no bits has all of them."""
    masks = {key: collider.shapes[0].surface.collide_bitmask for key, collider in colliders.items()}
    if all(mask is None for mask in masks.values()):
        return
    for (uid, link), mask in masks.items():
        bits = ALL_BITS if mask is None else mask & ALL_BITS
        client.setCollisionFilterGroupMask(uid, link, bits, bits)


def _collides(tree: BodyTree, members: list[int], fixed: bool) -> bool:
    """Whether any two moving bodies of a multibody may touch."""
    moving = [i for i in members if tree.bodies[i].shapes and not (fixed and i == 0)]
    return any((a, b) not in tree.masked_pairs for k, b in enumerate(moving) for a in moving[:k])


def _mask(tree: BodyTree, own: dict[int, list[tuple[int, int]]], flagged: set[int], client: Client) -> None:
    """Switch off the pairs that must not collide."""
    for low, high in tree.masked_pairs:
        for uid_a, link_a in own[low]:
            for uid_b, link_b in own[high]:
                if uid_a != uid_b or uid_a in flagged:
                    client.setCollisionFilterPair(uid_a, uid_b, link_a, link_b, 0)
    for colliders in own.values():  # shapes of one body never touch each other
        for k, (uid_b, link_b) in enumerate(colliders):
            for uid_a, link_a in colliders[:k]:
                if uid_a == uid_b and uid_a in flagged:
                    client.setCollisionFilterPair(uid_a, uid_b, link_a, link_b, 0)


def _limits(tree: BodyTree, handles: BulletHandles, client: Client) -> None:
    for k, joint in enumerate(tree.robot.movable):
        uid, link = int(handles.joint_uid[k]), int(handles.joint_link[k])
        if math.isfinite(joint.limits.lower) or math.isfinite(joint.limits.upper):
            client.changeDynamics(
                uid,
                link,
                jointLowerLimit=max(joint.limits.lower, -UNBOUNDED),
                jointUpperLimit=min(joint.limits.upper, UNBOUNDED),
            )
        client.resetJointState(uid, link, tree.initial[joint.name])
