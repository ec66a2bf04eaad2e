"""A `BodyTree` as a DART skeleton: joints, inertias, shapes, passive forces, limits, loop closures.

A ball loop is one point held together, a revolute loop two points on its axis, a fixed loop a weld. (dartpy 6.20 has a
revolute constraint as well, but it turns one body round and diverges in planar linkages, where its rows are
redundant; two points do neither.)
"""

from __future__ import annotations

import math
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import dartpy
import numpy as np

from andante.description.joint import Joint, JointType
from andante.description.link import Surface
from andante.description.shapes import Box, Capsule, Cylinder, Ellipsoid, Geometry, Heightmap, Mesh, Plane, Sphere
from andante.errors import BadInput, Unsupported
from andante.geometry import SE3, Array
from andante.physics.bounds import FARTHEST
from andante.physics.rays import ellipsoid_triangles, shape_triangles
from andante.physics.state import Settings
from andante.physics.tree import Body, BodyTree, Loop, in_plane

LARGEST = 1e7  # [m]; the detector ends the process when a shape reaches beyond some 1e9


class ShapeMaker:
    """Makes DART shapes from geometry; shapes of equal geometry are shared."""

    def __init__(self) -> None:
        self._made: dict[tuple[Geometry, bool], Any] = {}

    def shape(self, geometry: Geometry, static: bool) -> Any:
        """The DART shape of a geometry; `static` keeps the hollows of meshes (bodies that never move)."""
        if not _size(geometry) < LARGEST:
            raise BadInput(f"engine 'dart' takes shapes up to {LARGEST:g} m, got {str(geometry)[:120]}")
        key = (geometry, static and isinstance(geometry, Mesh))
        if key not in self._made:
            self._made[key] = _make(geometry, static)
        return self._made[key]


def _size(geometry: Geometry) -> float:
    """The largest number that a shape is given by [m]; meshes are measured by their triangles."""
    match geometry:
        case Box(size=size) | Ellipsoid(radii=size):
            return max(size)
        case Sphere(radius=radius):
            return radius
        case Cylinder(radius=radius, length=length) | Capsule(radius=radius, length=length):
            return max(radius, length)
    return 0.0


def _make(geometry: Geometry, static: bool) -> Any:
    shapes = dartpy.dynamics
    match geometry:
        case Box(size=size):
            return shapes.BoxShape(list(size))
        case Sphere(radius=radius):
            return shapes.SphereShape(radius)
        case Cylinder(radius=radius, length=length):
            return shapes.CylinderShape(radius, length)
        case Capsule(radius=radius, length=length):
            return shapes.CapsuleShape(radius, length)
        case Plane(normal=normal):
            direction = np.asarray(normal, dtype=float)
            return shapes.PlaneShape(direction / np.linalg.norm(direction), 0.0)
        case Ellipsoid(radii=radii):
            if len(set(radii)) == 1:
                return shapes.SphereShape(radii[0])
            return mesh_shape(*ellipsoid_triangles(radii))
        case Mesh() | Heightmap():
            return mesh_shape(*shape_triangles(geometry, static))
    raise Unsupported(f"engine 'dart' has no shape for a {type(geometry).__name__}")


def mesh_shape(vertices: Array, faces: np.ndarray) -> Any:
    """A DART mesh of vertices (n, 3) [m] and faces (m, 3).

    dartpy makes meshes from files only, and only by its URDF reader, so the triangles go through a private folder that
    is gone when this returns.
    """
    if not (np.abs(vertices) < LARGEST).all():
        raise BadInput(f"engine 'dart' takes meshes up to {LARGEST:g} m; check the scale of the mesh")
    lines = [f"v {x:.17g} {y:.17g} {z:.17g}" for x, y, z in np.asarray(vertices, dtype=float)]
    lines.append("vn 0 0 1")  # one normal for all: with their own, faces do not share vertices, and contacts double
    lines += [f"f {a}//1 {b}//1 {c}//1" for a, b, c in np.asarray(faces, dtype=int) + 1]
    with tempfile.TemporaryDirectory(prefix="andante-") as folder:
        path = Path(folder) / "mesh.obj"
        path.write_text("\n".join(lines) + "\n", encoding="ascii")
        urdf = (
            '<robot name="m"><link name="m"><collision><geometry>'
            f'<mesh filename="{path.as_uri()}"/></geometry></collision></link></robot>'
        )
        skeleton = dartpy.utils.DartLoader().parseSkeletonString(urdf, folder)
        if skeleton is None or skeleton.getBodyNode(0).getNumShapeNodes() == 0:
            raise BadInput(f"engine 'dart' cannot take a mesh of {len(faces)} triangles; check the mesh file")
        return skeleton.getBodyNode(0).getShapeNode(0).getShape()


AXIS_ARM = 0.05  # distance of the two points of a revolute loop from its origin [m]
ERROR_REDUCTION = 0.2  # fraction of the gap of a loop that is closed in one step


def loop_constraints(robot: str, tree: BodyTree, loop: Loop, nodes: Sequence[Any]) -> list[Any]:
    """Constraints of one loop joint; the bodies must stand at q = 0 and stand there again afterwards.

    DART takes the held points from where the bodies are at the moment of construction, so one body is put where the
    loop is closed (by way of the frame of the joint that carries it) and put back.
    """
    loop.check("dart", robot)
    world = [SE3(node.getWorldTransform().matrix()) for node in nodes]
    moved, wanted = loop.child, world[loop.parent] @ loop.parent_from_joint @ loop.child_from_joint.inverse()
    if tree.carries[loop.child, loop.parent]:
        moved, wanted = loop.parent, world[loop.child] @ loop.child_from_joint @ loop.parent_from_joint.inverse()
    joint = nodes[moved].getParentJoint()
    before = joint.getTransformFromParentBodyNode()
    above = tree.bodies[moved].parent
    world_from_above = world[above] if above >= 0 else SE3.identity()
    motion = SE3(joint.getRelativeTransform().matrix())
    frame = SE3(before.matrix()).inverse() @ motion  # what the joint itself adds, identity at q = 0
    shifted = world_from_above.inverse() @ wanted @ frame.inverse()
    joint.setTransformFromParentBodyNode(dartpy.math.Isometry3(shifted.matrix))
    try:
        return _loop_joints(loop, nodes[loop.parent], nodes[loop.child])
    finally:
        joint.setTransformFromParentBodyNode(before)


def _loop_joints(loop: Loop, parent: Any, child: Any) -> list[Any]:
    place = SE3(parent.getWorldTransform().matrix()) @ loop.parent_from_joint
    if loop.joint.type is JointType.FIXED:
        return [dartpy.constraint.WeldJointConstraint(parent, child)]
    points = [np.zeros(3)]
    if loop.joint.type is not JointType.BALL:
        points = [-AXIS_ARM * np.asarray(loop.joint.axis), AXIS_ARM * np.asarray(loop.joint.axis)]
    return [dartpy.constraint.BallJointConstraint(parent, child, place @ point) for point in points]


LEAST_ROOT_MASS = 1e-6  # DART cannot hold a weightless body; a root frame without mass gets this [kg]


@dataclass(frozen=True)
class Built:
    """One model inside DART."""

    skeleton: Any
    nodes: list[Any]  # BodyNode of each body
    joints: list[Any]  # DART joint of each of robot.movable
    dofs: np.ndarray  # index of each of robot.movable among the skeleton's degrees of freedom
    fixed: bool
    buoyant: dict[int, Array]  # body index to the (3, 3) part of its mass [kg] that moves but must not weigh


def isometry(pose: SE3) -> Any:
    """A pose as DART's own type; the collision detector ends the process when a shape stands some 1e9 m away."""
    if not np.abs(pose.translation).max() < FARTHEST:
        raise BadInput(
            f"engine 'dart' takes poses up to {FARTHEST:g} m, got {pose.translation.tolist()}; move it nearer"
        )
    return dartpy.math.Isometry3(pose.matrix)


def build_skeleton(index: int, tree: BodyTree, pose: SE3, fixed: bool, settings: Settings, shapes: ShapeMaker) -> Built:
    """The skeleton of a model; shape nodes are named "model.link.number" (DART wants names unique)."""
    skeleton = dartpy.dynamics.Skeleton(f"{index}")
    nodes: list[Any] = []
    by_name: dict[str, Any] = {}
    buoyant: dict[int, Array] = {}
    for i, body in enumerate(tree.bodies):
        if body.joint is None:
            make = (
                skeleton.createWeldJointAndBodyNodePair if fixed else skeleton.createFreeJointAndBodyNodePair
            )  # the root hangs on the world
            joint, node = make(None)
            if fixed:
                joint.setTransformFromParentBodyNode(isometry(pose))
            else:
                joint.setTransform(isometry(pose))
        else:
            joint, node = _joint(skeleton, nodes[body.parent], body, tree.robot.name)
            by_name[body.joint.name] = joint
        joint.setName(f"{index}.joint{i}")
        node.setName(f"{index}.body{i}")
        weightless = _set_inertia(node, body)
        if weightless is not None:
            buoyant[i] = weightless
        static = fixed and i == 0
        for shape in body.shapes:
            name = f"{index}.{shape.link}.{skeleton.getNumShapeNodes()}"
            if isinstance(shape.geometry, Plane) and not static:
                raise Unsupported(
                    f"engine 'dart' cannot move the infinite plane of link {tree.robot.links[shape.link].name!r} "
                    f"of {tree.robot.name!r}; give it a box, or make the model static"
                )
            shape_node = node.createShapeNode(shapes.shape(shape.geometry, static), name)
            shape_node.setRelativeTransform(isometry(shape.pose))
            shape_node.createCollisionAspect().setCollidable(shape.surface.collide_bitmask != 0)
            _set_surface(shape_node.createDynamicsAspect(), shape.surface, settings)
        nodes.append(node)
    joints = [by_name[joint.name] for joint in tree.robot.movable]
    for joint, described in zip(joints, tree.robot.movable, strict=True):
        _set_passive(joint, described)
    dofs = np.array([joint.getIndexInSkeleton(0) for joint in joints], dtype=int)
    return Built(skeleton, nodes, joints, dofs, fixed, buoyant)


def _joint(skeleton: Any, parent: Any, body: Body, robot: str) -> tuple[Any, Any]:
    """Joint and body node of a body below the root; the body frame is the joint frame."""
    joint = body.joint
    assert joint is not None
    made: tuple[Any, Any]
    match joint.type:
        case JointType.REVOLUTE | JointType.CONTINUOUS:
            made = skeleton.createRevoluteJointAndBodyNodePair(parent)
            made[0].setAxis(joint.axis)
        case JointType.PRISMATIC:
            made = skeleton.createPrismaticJointAndBodyNodePair(parent)
            made[0].setAxis(joint.axis)
        case JointType.SCREW:
            made = skeleton.createScrewJointAndBodyNodePair(parent)
            made[0].setAxis(joint.axis)
            made[0].setPitch(2 * math.pi * joint.screw_pitch)
        case JointType.BALL:
            made = skeleton.createBallJointAndBodyNodePair(parent)
        case JointType.FLOATING:
            made = skeleton.createFreeJointAndBodyNodePair(parent)
        case JointType.PLANAR:
            made = skeleton.createPlanarJointAndBodyNodePair(parent)
            made[0].setArbitraryPlane(*in_plane(joint.axis))
        case _:
            raise Unsupported(f"engine 'dart' has no {joint.type} joint ({joint.name!r} of {robot!r})")
    made[0].setTransformFromParentBodyNode(isometry(body.pose))
    return made


def _set_inertia(node: Any, body: Body) -> Array | None:
    """Mass, center and tensor; armature is added about (along) the joint axis of the body that the joint carries.

    Armature weighs nothing, but on a prismatic joint DART lets it feel gravity: that part of the mass, m axis axisᵀ in
    the body frame, is returned so that its weight can be lifted; None where there is none.
    """
    inertia, joint = body.inertia, body.joint
    mass, moment = inertia.mass, inertia.matrix
    if body.joint is None and mass < LEAST_ROOT_MASS:
        mass, moment = LEAST_ROOT_MASS, np.eye(3) * LEAST_ROOT_MASS
    node.setGravityMode(body.gravity)
    armature = joint.dynamics.armature if joint is not None else 0.0
    if joint is None or armature == 0 or not joint.one_dof:
        node.setInertia(dartpy.dynamics.Inertia(mass, list(inertia.com), moment))
        return None
    axis = np.asarray(joint.axis)
    if joint.type is not JointType.PRISMATIC:
        moment = moment + armature * np.outer(axis, axis)
        node.setInertia(dartpy.dynamics.Inertia(mass, list(inertia.com), moment))
        return None
    made = dartpy.dynamics.Inertia(mass, list(inertia.com), moment)
    tensor = np.array(made.getSpatialTensor())  # angular rows first
    tensor[3:, 3:] += armature * np.outer(axis, axis)
    made.setSpatialTensor(tensor)
    node.setInertia(made)
    return armature * np.outer(axis, axis) if body.gravity else None


def _set_surface(aspect: Any, surface: Surface, settings: Settings) -> None:
    """Friction and bounce of a shape.

    DART takes the smaller friction of two shapes, so equal coefficients hold as they are; it multiplies their
    restitutions, so each shape gets the root of its own.
    """
    aspect.setFrictionCoeff(settings.friction if surface.mu is None else surface.mu)
    aspect.setRestitutionCoeff(math.sqrt(min(max(surface.restitution or 0.0, 0.0), 1.0)))


def _set_passive(joint: Any, described: Joint) -> None:
    """Start position, spring, damping, dry friction and position limits of a one-degree joint."""
    dynamics, limits = described.dynamics, described.limits
    joint.setPosition(0, described.initial)
    joint.setRestPosition(0, dynamics.reference)
    joint.setSpringStiffness(0, dynamics.stiffness)
    joint.setDampingCoefficient(0, dynamics.damping)
    joint.setCoulombFriction(0, dynamics.friction)
    joint.setActuatorType(dartpy.dynamics.ActuatorType.PASSIVE)
    if math.isfinite(limits.lower) or math.isfinite(limits.upper):
        joint.setPositionLowerLimit(0, limits.lower)
        joint.setPositionUpperLimit(0, limits.upper)
        joint.setLimitEnforcement(True)
