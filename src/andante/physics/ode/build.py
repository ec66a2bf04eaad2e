"""Bodies, geoms and joints of one model in ODE.

ODE wants the center of mass at the origin of a body, so an `OdeBody` sits at the center of mass of our body with the
axes of our body frame. The root of a fixed model has no `OdeBody`: its geoms and joints belong to the world.
Rotor inertia of a hinge is added to the tensor of the body it carries, about the axis (maximal coordinates know no
joint inertia): exact while the parent does not turn about that axis.

Tensors are shared between neighbors so that QuickStep converges. Two bodies on a hinge turn together about every axis
across the hinge. Inertia k (E - a aᵀ) across the axis a can therefore be taken from one and given to the other without
any change of motion: the kinetic energy k/2 (|w_c|² - |w_p|²) across the axis is zero. QuickStep converges slowly when
neighbors differ much, as a heavy trunk on tiny hip cardans does, so such inertia is moved from the larger to the
smaller.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from panda3d import core, ode

from andante.description.inertia import least_mass
from andante.description.joint import Joint, JointType
from andante.description.shapes import Box, Capsule, Cylinder, Ellipsoid, Geometry, Plane, Sphere
from andante.errors import Unsupported
from andante.geometry import SE3, Array, se2
from andante.physics.model import Model
from andante.physics.rays import ellipsoid_triangles, shape_triangles
from andante.physics.tree import Body, BodyShape

SUBDIVISIONS = 2  # of the geodesic sphere that stands for an ellipsoid: 162 points
SWEEPS = 4
KEPT = 0.5  # fraction of its smallest moment that a body keeps
RATIO = 0.12  # moments across a hinge that differ by more than this are brought to it


def shared_tensors(model: Model) -> list[Array]:
    """Tensors of the bodies about their centers of mass along the body axes [kg m^2], fit for ODE.

    The rotor inertia A of a hinge is added to the body that it carries, A a aᵀ.
    """
    tree = model.tree
    tensors = [body.inertia.matrix for body in tree.bodies]
    hinges = []
    for i, body in enumerate(tree.bodies):
        if body.joint is None or body.joint.type not in (JointType.REVOLUTE, JointType.CONTINUOUS):
            continue
        axis = np.asarray(body.joint.axis)
        tensors[i] = tensors[i] + body.joint.dynamics.armature * np.outer(axis, axis)
        if not (body.parent == 0 and model.fixed):
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
            moved = min(wanted, (float(np.linalg.eigvalsh(tensors[giver])[0]) - floor[giver]) / 2)
            if moved > 0:
                tensors[giver] = tensors[giver] - moved * across[giver]
                tensors[taker] = tensors[taker] + moved * across[taker]
    return tensors


LEAST_MASS = 1e-6  # [kg] a free body lighter than this is given this mass
LEAST_MOMENT = 1e-10  # [kg m^2]
GHOST_FRACTION, GHOST_RADIUS = 1e-3, 0.03  # of the robot's mass, [m]: what a moving body without mass is inert with
EXACT_TRIES = 200


@dataclass(frozen=True)
class Built:
    """One model in ODE. Lists follow `tree.bodies` and `robot.movable`."""

    bodies: list[ode.OdeBody | None]
    geoms: list[tuple[ode.OdeGeom, int, BodyShape]]  # with the index of the body
    joints: list[ode.OdeHingeJoint | ode.OdeSliderJoint]
    center: Array  # (joints,) joint position at which the ODE joint reads 0
    others: list[ode.OdeJoint]  # ball joints of the tree
    loops: list[ode.OdeJoint]
    keep: list[object]  # what ODE points into


def joint_zero(joint: Joint) -> float:
    """Joint position that the ODE joint should read as 0, so that its stops lie within half a turn.

    ODE folds hinge angles into (-pi, pi]. The middle of a range below 300 degrees is fine; for wider ones the folded
    images of both limits are kept away from the fold.
    """
    low, high = joint.limits.lower, joint.limits.upper
    if joint.type is JointType.PRISMATIC or not (math.isfinite(low) and math.isfinite(high)):
        finite = [limit for limit in (low, high) if math.isfinite(limit)]
        return finite[0] if finite and joint.type is not JointType.PRISMATIC else 0.0
    if low <= 0 <= high and max(-low, high) < 2.7:
        return 0.0
    if not is_wide(joint):
        return (low + high) / 2
    return high - se2.wrap_angle(high - low) / 2


def is_wide(joint: Joint) -> bool:
    """Whether the range of a hinge is too wide for the stops of ODE to be always on."""
    if joint.type is JointType.PRISMATIC:
        return False
    low, high = joint.limits.lower, joint.limits.upper
    if math.isinf(low) and math.isinf(high):
        return False
    return not high - low < math.radians(300.0)


def make_mass(body: Body, tensor: Array, least: float = LEAST_MASS) -> ode.OdeMass:
    """Mass of a body, `least` [kg] or more, with a tensor about its center of mass, made positive definite."""
    values, vectors = np.linalg.eigh(tensor)
    tensor = vectors @ np.diag(np.maximum(values, max(LEAST_MOMENT, float(values[-1]) * 1e-4))) @ vectors.T
    mass = ode.OdeMass()
    mass.setParameters(
        max(body.inertia.mass, least), 0.0, 0.0, 0.0,
        *(float(tensor[i, k]) for i, k in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))),
    )  # fmt: skip
    return mass


def slider_rate(joint: ode.OdeSliderJoint, child: ode.OdeBody, parent: ode.OdeBody | None) -> Callable[[], float]:
    """A function that reads the speed of a slider [m/s]; ODE's own forgets that a turning parent carries it along."""
    if parent is None:
        measured: Callable[[], float] = joint.getPositionRate
        return measured

    def rate() -> float:
        arm = child.getPosition() - parent.getPosition()
        carried = parent.getLinearVel() + core.LVector3f(parent.getAngularVel()).cross(core.LVector3f(arm))
        return float((child.getLinearVel() - carried).dot(joint.getAxis()))

    return rate


def _turn(quaternion: Array) -> core.LQuaternionf:
    """A quaternion x y z w as panda3d has it."""
    x, y, z, w = quaternion.tolist()
    return core.LQuaternionf(w, x, y, z)


def put(body: ode.OdeBody, pose: SE3, com: Array) -> None:
    """Place an ODE body so that our body frame has this pose."""
    place(body, pose @ com, pose.quaternion)


def place(body: ode.OdeBody, position: Array, quaternion: Array) -> None:
    """Place an ODE body by its center of mass [m] and quaternion x y z w."""
    body.setPosition(*position.tolist())
    body.setQuaternion(_turn(quaternion))


def put_back(body: ode.OdeBody, quaternion: core.LQuaternionf) -> None:
    """Give a body exactly the quaternion that was read from it.

    ODE normalizes what it is given, which may change the last bit of a quaternion that it normalized before; then one
    a few bits longer or shorter is searched that it turns into the wanted one.
    """
    wanted = tuple(quaternion)
    for k in range(EXACT_TRIES):
        scale = 1 + (k + 1) // 2 * (-1) ** k * 2.0**-24
        body.setQuaternion(core.LQuaternionf(*(c * scale for c in wanted)))
        if tuple(body.getQuaternion()) == wanted:
            return
    body.setQuaternion(quaternion)


def build_model(world: ode.OdeWorld, space: ode.OdeSpace, model: Model) -> Built:
    """Make bodies, geoms, tree joints and loop joints of a model; see `anchor_joints` for where the bodies stand."""
    tree, keep, tensors = model.tree, list[object](), shared_tensors(model)
    bodies: list[ode.OdeBody | None] = []
    total = sum(body.inertia.mass for body in tree.bodies)
    lightest = least_mass(total)
    heavy = sum(body.inertia.mass for body in tree.bodies if body.inertia.mass > lightest)
    for i, body in enumerate(tree.bodies):
        if i == 0 and model.fixed:
            bodies.append(None)
            continue
        made = ode.OdeBody(world)
        light = body.joint is not None and body.inertia.mass <= lightest < heavy  # has no mass in the file
        inert = GHOST_FRACTION * total if light else LEAST_MASS
        tensor = tensors[i] + inert * GHOST_RADIUS**2 * np.eye(3) if light else tensors[i]
        made.setMass(make_mass(body, tensor, inert))
        made.setGravityMode(1 if body.gravity and not light else 0)
        made.setAutoDisableFlag(0)
        bodies.append(made)
    root = model.placement.pose if model.fixed else SE3.identity()
    geoms = []
    for i, body in enumerate(tree.bodies):
        for shape in body.shapes:
            geom = make_geom(space, shape.geometry, model.fixed and i == 0, keep)
            if (owner := bodies[i]) is not None:
                if isinstance(shape.geometry, Plane):
                    raise Unsupported(
                        f"engine 'ode' cannot move a plane: collision {shape.name!r} of model {model.name!r}; "
                        "make the model static or use a box"
                    )
                geom.setBody(owner)
                offset = SE3.from_parts(np.eye(3), -np.asarray(body.inertia.com)) @ shape.pose
                geom.setOffsetPosition(*offset.translation.tolist())
                geom.setOffsetQuaternion(_turn(offset.quaternion))
            geoms.append((geom, i, shape))
    place_static(geoms, root)
    center = np.array([joint_zero(joint) for joint in tree.robot.movable])
    made = Built(bodies, geoms, [], center, [], [], keep)
    _make_joints(world, model, made)
    anchor_joints(model, made, root)
    return made


def _new_joint(world: ode.OdeWorld, joint: Joint, model: Model) -> ode.OdeJoint | None:
    kind = joint.type
    if kind in (JointType.REVOLUTE, JointType.CONTINUOUS):
        return ode.OdeHingeJoint(world)
    if kind is JointType.PRISMATIC:
        return ode.OdeSliderJoint(world)
    if kind is JointType.BALL:
        return ode.OdeBallJoint(world)
    if kind is JointType.FIXED:
        return ode.OdeFixedJoint(world)
    if kind is JointType.FLOATING:
        return None
    raise Unsupported(
        f"engine 'ode' has no {kind} joint: joint {joint.name!r} of model {model.name!r}; use another joint or engine"
    )


def _make_joints(world: ode.OdeWorld, model: Model, made: Built) -> None:
    tree = model.tree
    for body in tree.bodies[1:]:
        assert body.joint is not None
        if not body.joint.one_dof:
            joint = _new_joint(world, body.joint, model)
            if joint is not None:
                made.others.append(joint)
    for described in tree.robot.movable:
        made.joints.append(_new_joint(world, described, model))
    for loop in tree.loops:
        joint = _new_joint(world, loop.joint, model)
        if joint is not None:
            made.loops.append(joint)


def attach(joint: ode.OdeJoint, child: ode.OdeBody | None, parent: ode.OdeBody | None) -> None:
    """Join two bodies; None is the world. Joint coordinates are those of the child relative to the parent."""
    if child is not None and parent is not None:
        joint.attachBodies(child, parent)
    elif child is not None:
        joint.attachBody(child, 0)
    elif parent is not None:
        joint.attachBody(parent, 1)


def anchor_joints(model: Model, made: Built, root: SE3) -> None:
    """Set anchors and axes of all joints; the bodies are moved for that, and must be placed anew afterwards."""
    tree, robot = model.tree, model.tree.robot
    zero = {joint.name: float(c) for joint, c in zip(robot.movable, made.center, strict=True)}
    poses = tree.poses(root, zero)
    coms = [np.asarray(body.inertia.com) for body in tree.bodies]
    for made_body, pose, com in zip(made.bodies, poses, coms, strict=True):
        if made_body is not None:
            put(made_body, pose, com)
    for i, joint in enumerate(made.joints):
        child = int(tree.joint_bodies[i])
        _anchor(joint, made, child, tree.bodies[child].parent, poses[child], np.asarray(robot.movable[i].axis))
    others = iter(made.others)
    for i, body in enumerate(tree.bodies[1:], start=1):
        assert body.joint is not None
        if body.joint.type is JointType.BALL:
            _anchor(next(others), made, i, body.parent, poses[i], np.asarray(body.joint.axis))
    made_loops = iter(made.loops)
    for loop in tree.loops:
        if loop.joint.type is JointType.FLOATING:
            continue
        at = poses[loop.parent] @ loop.parent_from_joint
        child_body, parent_body = made.bodies[loop.child], made.bodies[loop.parent]
        if child_body is not None:
            put(child_body, at @ loop.child_from_joint.inverse(), coms[loop.child])
        elif parent_body is not None:
            at = poses[loop.child] @ loop.child_from_joint
            put(parent_body, at @ loop.parent_from_joint.inverse(), coms[loop.parent])
        _anchor(next(made_loops), made, loop.child, loop.parent, at, np.asarray(loop.joint.axis))
        for index in (loop.child, loop.parent):
            if (moved := made.bodies[index]) is not None:
                put(moved, poses[index], coms[index])


def _anchor(joint: ode.OdeJoint, made: Built, child: int, parent: int, frame: SE3, axis: Array) -> None:
    """Attach a joint whose frame (at its reading 0) is given in the world."""
    attach(joint, made.bodies[child], made.bodies[parent])
    direction = [float(v) for v in frame.rotation @ axis]
    if isinstance(joint, ode.OdeFixedJoint):
        joint.set()
    if isinstance(joint, (ode.OdeHingeJoint, ode.OdeBallJoint)):
        joint.setAnchor(*(float(v) for v in frame.translation))
    if isinstance(joint, (ode.OdeHingeJoint, ode.OdeSliderJoint)):
        joint.setAxis(*direction)


def place_static(geoms: list[tuple[ode.OdeGeom, int, BodyShape]], root: SE3) -> None:
    """Put the geoms that belong to the world (a fixed root) where the root stands."""
    for geom, _, shape in geoms:
        if geom.hasBody():
            continue
        pose = root @ shape.pose
        if isinstance(shape.geometry, Plane):
            normal = pose.rotation @ (np.asarray(shape.geometry.normal) / np.linalg.norm(shape.geometry.normal))
            geom.setParams(*(float(v) for v in normal), float(normal @ pose.translation))
            continue
        geom.setPosition(*pose.translation.tolist())
        geom.setQuaternion(_turn(pose.quaternion))


def make_geom(space: ode.OdeSpace, geometry: Geometry, static: bool, keep: list[object]) -> ode.OdeGeom:
    """The ODE geom of a shape. Shapes that ODE lacks become triangle meshes."""
    match geometry:
        case Box(size=size):
            return ode.OdeBoxGeom(space, *size)
        case Sphere(radius=radius):
            return ode.OdeSphereGeom(space, radius)
        case Cylinder(radius=radius, length=length):
            return ode.OdeCylinderGeom(space, radius, length)
        case Capsule(radius=radius, length=length):
            return ode.OdeCappedCylinderGeom(space, radius, length)
        case Plane():
            return ode.OdePlaneGeom(space, 0.0, 0.0, 1.0, 0.0)
        case Ellipsoid(radii=radii):
            vertices, faces = ellipsoid_triangles(radii, SUBDIVISIONS)
        case _:
            vertices, faces = shape_triangles(geometry, static)
    data = trimesh_data(vertices, faces)
    keep.append(data)
    return ode.OdeTriMeshGeom(space, data)


def trimesh_data(vertices: Array, faces: np.ndarray) -> ode.OdeTriMeshData:
    """Triangles in the form that ODE reads."""
    data = core.GeomVertexData("mesh", core.GeomVertexFormat.getV3(), core.Geom.UHStatic)
    data.setNumRows(len(vertices))
    writer = core.GeomVertexWriter(data, "vertex")
    for x, y, z in vertices:
        writer.addData3(float(x), float(y), float(z))
    primitive = core.GeomTriangles(core.Geom.UHStatic)
    for a, b, c in faces:
        primitive.addVertices(int(a), int(b), int(c))
    geom = core.Geom(data)
    geom.addPrimitive(primitive)
    node = core.GeomNode("mesh")
    node.addGeom(geom)
    return ode.OdeTriMeshData(core.NodePath(node))
