"""The body tree of MJCF as records in one list, parents first: poses, joints, geoms, inertia, sites, cameras.

Numbers are those of MuJoCo's compiled model: angles in radians, frames and orientations resolved, masses computed.
A body with several joints becomes a chain of light links, each turning about its own point.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from andante.description import Dynamics, Inertia, Joint, JointType, Limits, Link, Source
from andante.description.io.xmltree import Node, free_name
from andante.description.link import IDENTITY
from andante.description.robot import joint_motion
from andante.errors import BadInput
from andante.geometry import SE3, Array

from .geoms import Geom, Geoms, read_assets
from .spec import LEAST, Document, compile_spec, parse_spec, pose_of

if TYPE_CHECKING:
    import mujoco

KINDS = (JointType.FLOATING, JointType.BALL, JointType.PRISMATIC, JointType.REVOLUTE)  # by the number of mjtJoint
WIDTH = {JointType.FLOATING: 7, JointType.BALL: 4}  # numbers in qpos; 1 for the rest
MASSLESS = 1e-12  # [kg]; MuJoCo is given a little less for bodies that state nothing


@dataclass
class Body:
    """One <body>; index 0 of the list is the world."""

    name: str
    parent: int
    pose: SE3  # parent_from_body
    source: Source
    top: int = -1  # index of the ancestor (or itself) that hangs on the world
    joints: list[tuple[Node, str, int]] = field(default_factory=list)  # element, name, index in the model
    geoms: list[Geom] = field(default_factory=list)
    sites: list[tuple[str, SE3]] = field(default_factory=list)
    cameras: list[tuple[Node, Any, SE3]] = field(default_factory=list)  # element, MjsCamera, pose
    inertia: Inertia | None = None
    gravity: bool = True
    free: bool = False  # carried by a free joint


@dataclass(frozen=True)
class Model:
    """What MuJoCo understood of a document: the compiled model, and the bodies."""

    compiled: mujoco.MjModel
    bodies: list[Body]
    equalities: list[Equality]
    actuators: dict[int, int]  # index in the model by id() of the element
    lights: list[Node]  # in the order of the model


@dataclass(frozen=True)
class Equality:
    """One element of <equality>, which the compiled model does without."""

    node: Node
    first: str
    second: str
    data: tuple[float, ...]
    sites: bool  # the names are those of sites
    active: bool


def read_model(document: Document) -> Model:
    """The document as MuJoCo compiles it, with all bodies below every <worldbody>, the world first."""
    import mujoco

    spec = parse_spec(document)
    geoms = Geoms(document, spec, read_assets(document, spec))
    joints, sites, cameras = list(spec.joints), list(spec.sites), list(spec.cameras)  # each look takes MuJoCo a while
    for joint in joints:
        _check_joint(document, joint)
    equalities = [_equality(document, element) for element in spec.equalities]
    modes = [camera.mode for camera in cameras]
    stated = _stated_inertias(spec)
    _make_compilable(spec, {joint.name for joint in joints})
    model = compile_spec(document, spec, geoms.without)
    bodies = _bodies(document, spec, model, stated)
    for i, geom in geoms.compiled(model):
        bodies[i].geoms.append(geom)
    taken = document.names(("joint", "freejoint"))
    for joint in joints:
        body, node = bodies[model.jnt_bodyid[joint.id]], document.node(joint)
        body.joints.append((node, node.get("name") or free_name(f"{body.name}_joint", taken, ""), joint.id))
        body.free = body.free or model.jnt_type[joint.id] == mujoco.mjtJoint.mjJNT_FREE
        if body.free and len(body.joints) > 1:
            raise node.error("a free joint belongs alone on a body of the world")
    for site in sites:
        pose = pose_of(model.site_pos[site.id], model.site_quat[site.id])
        bodies[model.site_bodyid[site.id]].sites.append((document.node(site).get("name") or "", pose))
    for camera, mode in zip(cameras, modes, strict=True):
        pose = pose_of(model.cam_pos[camera.id], model.cam_quat[camera.id])
        camera.mode = mode
        bodies[model.cam_bodyid[camera.id]].cameras.append((document.node(camera), camera, pose))
    actuators = {id(document.node(actuator)): actuator.id for actuator in spec.actuators}
    lights = sorted(spec.lights, key=lambda light: light.id)
    return Model(model, bodies, equalities, actuators, [document.node(light) for light in lights])


def _check_joint(document: Document, joint: Any) -> None:
    """What MuJoCo does not refuse by itself."""
    import mujoco

    node, (low, high) = document.node(joint), joint.range
    if joint.limited and (low or high) and low >= high:
        told = f"range needs its first number smaller than the second, got {low:g} {high:g}"
        if joint.limited == int(mujoco.mjtLimited.mjLIMITED_TRUE):
            raise node.error(told)
        document.warn(f"<joint> {node.get('name') or ''!r}: {told}; it moves freely, as in MuJoCo", node.source)
        joint.limited = int(mujoco.mjtLimited.mjLIMITED_FALSE)
    if min(joint.frictionloss, joint.armature, joint.damping[0], joint.stiffness[0]) < 0:
        told = "damping, stiffness, frictionloss and armature must not be negative; taken as 0"
        document.warn(f"<joint> {node.get('name') or ''!r}: {told}", node.source)


def _equality(document: Document, element: Any) -> Equality:
    import mujoco

    sites = element.objtype == mujoco.mjtObj.mjOBJ_SITE
    values = tuple(float(v) for v in element.data)
    return Equality(document.node(element), element.name1, element.name2, values, sites, bool(element.active))


def _stated_inertias(spec: mujoco.MjSpec) -> dict[str, tuple[float, Array]]:
    """Mass and tensor of every <inertial> that no body can have, by the place of its body.

    MuJoCo, which would refuse them, is given equal moments instead, so that they are read (and told by `check`);
    not where a rule of <compiler> mends them.
    """
    rules = spec.compiler
    if rules.balanceinertia or max(rules.boundmass, rules.boundinertia, rules.settotalmass) > 0:
        return {}
    stated = {}
    for body in spec.bodies[1:]:
        if body.explicitinertial:
            xx, yy, zz, xy, xz, yz = body.fullinertia
            full = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
            tensor = np.diag(body.inertia) if np.isnan(xx) else full
            moments = np.linalg.eigvalsh(tensor)
            if moments[0] <= 0 or 2 * moments[2] > moments.sum():
                stated[body.info] = (float(body.mass), tensor)
                largest = max(float(np.abs(moments).max()), LEAST)
                body.fullinertia, body.inertia = (np.nan, 0.0, 0.0, 0.0, 0.0, 0.0), (largest,) * 3
    return stated


def _make_compilable(spec: mujoco.MjSpec, joints: set[str]) -> None:
    """Takes away what asks for other elements or for simulation, and what is read from the spec itself."""
    import mujoco

    for element in list(spec.equalities):
        spec.delete(element)
    for actuator in list(spec.actuators):
        if actuator.target not in joints:
            spec.delete(actuator)
            continue
        actuator.dyntype = mujoco.mjtDyn.mjDYN_NONE
    for camera in spec.cameras:
        camera.mode, camera.targetbody = mujoco.mjtCamLight.mjCAMLIGHT_FIXED, ""
    for light in spec.lights:
        light.mode, light.targetbody, light.texture = mujoco.mjtCamLight.mjCAMLIGHT_FIXED, "", ""
    for site in spec.sites:
        # of a kind that may lie from one point to another, as <site fromto> does
        site.type, site.size, site.material, site.meshname = mujoco.mjtGeom.mjGEOM_CAPSULE, (1.0, 1.0, 0.0), "", ""
    for body in spec.bodies:
        body.mocap = False


def _bodies(
    document: Document, spec: mujoco.MjSpec, model: mujoco.MjModel, stated: dict[str, tuple[float, Array]]
) -> list[Body]:
    bodies = [Body("world", -1, IDENTITY, document.root.source)]
    taken = document.names(("body",)) | {"world"}
    for element in spec.bodies[1:]:
        i, node = element.id, document.node(element)
        if node.get("mocap") == "true":
            document.info("mocap bodies do not follow a hand here; the body stands still", node.source, "mocap")
        if element.gravcomp not in (0.0, 1.0):
            document.warn(f"gravcomp {element.gravcomp:g} is not represented; only 0 and 1 are", node.source)
        parent = int(model.body_parentid[i])
        name = element.name or free_name(f"body_{i}", taken, "")
        if name == "world":
            raise node.error("MJCF keeps this name for the world itself; rename the body")
        top = i if parent == 0 else bodies[parent].top
        pose = pose_of(model.body_pos[i], model.body_quat[i])
        inertia = _inertia(node, model, i, stated.get(element.info))
        bodies.append(Body(name, parent, pose, node.source, top, inertia=inertia, gravity=element.gravcomp != 1.0))
    return bodies


def _inertia(node: Node, model: mujoco.MjModel, i: int, stated: tuple[float, Array] | None) -> Inertia | None:
    mass, tensor = stated or (float(model.body_mass[i]), np.diag(model.body_inertia[i]))
    if stated is None and mass <= MASSLESS:
        return None
    try:
        own = Inertia.from_matrix(mass, (0.0, 0.0, 0.0), tensor)
    except BadInput as error:
        raise node.error(str(error)) from None
    return own.transformed(pose_of(model.body_ipos[i], model.body_iquat[i]))


def subtree(bodies: list[Body], tops: set[int]) -> Iterator[int]:
    """Indices of the bodies at or below the given top-level ones."""
    return (i for i, body in enumerate(bodies) if body.top in tops)


def world_poses(bodies: list[Body]) -> list[SE3]:
    """Pose of every body as the file draws it (all joints at their `ref`)."""
    poses = [IDENTITY]
    for body in bodies[1:]:
        poses.append(poses[body.parent] @ body.pose)
    return poses


def read_chain(
    document: Document, model: mujoco.MjModel, body: Body, parent: str, child: str
) -> tuple[list[Joint], list[Link]]:
    """Joints from the parent link to the body's link, and the light links between them; without joints it is fixed."""
    if not body.joints:
        return [Joint(f"{child}_fixed", JointType.FIXED, parent, child, body.pose, source=body.source)], []
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
            links.append(Link(below, source=node.source, invented=True))
        above, base = below, IDENTITY
    return joints, links


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
    joint = Joint(name, kind, above, below, base @ there, (x, y, z), Limits(low, high, effort), source=node.source)
    return replace(
        joint,
        pose=joint.pose @ joint_motion(joint, -start),
        dynamics=_dynamics(document, model, node, i),
        joint_from_child=there.inverse(),
        initial=start,
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
        damping=max(0.0, float(model.dof_damping[dof])),
        friction=max(0.0, float(model.dof_frictionloss[dof])),
        armature=max(0.0, float(model.dof_armature[dof])),
        stiffness=max(0.0, float(model.jnt_stiffness[i])),
        reference=0.0 if KINDS[model.jnt_type[i]] is JointType.BALL else float(model.qpos_spring[at]),
    )
