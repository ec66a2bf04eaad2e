"""A scene as one MuJoCo model, made with `MjSpec` from body trees; no XML."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import mujoco
import numpy as np

from andante.description.joint import Joint, JointType
from andante.description.source import Problem
from andante.description.world import World
from andante.errors import BadInput, Unsupported
from andante.geometry import SE3, Array, so3
from andante.physics.model import Model
from andante.physics.state import Settings
from andante.physics.tree import Body, Loop

from .geoms import GeomMaker, compiled, new_spec, quaternion
from .softness import add_pairs, soft_pairs, soften

Exact = dict[str, tuple[Array, Array]]  # principal moments and axes by element, where MuJoCo would round them

LEAST_MEMORY = 32 * 2**20  # for contacts and the solver; touched only as far as it is needed [bytes]
BYTES_PER_PAIR = 4  # what sorting out pairs of bodies takes, doubled
UNBOUNDED = 1e10  # stands for an infinite limit
HARD = (0.99, 0.999, 0.0005, 0.5, 2.0)  # impedance of limits, mimics and loops
DRY = (0.99, 0.99, 0.001, 0.5, 2.0)  # impedance of dry friction
DRY_DRIVEN = (0.9, 0.9, 0.001, 0.5, 2.0)  # and of a joint that a servo drives: half the solver's iterations
SOLVER: dict[str, Any] = {  # settings where nothing is stated
    "iterations": 30, "method": "newton", "tolerance": 1e-8, "cone": "elliptic", "impratio": 10.0,
    "integrator": "implicitfast", "ls_iterations": 20, "ls_tolerance": 0.01, "noslip_iterations": 0,
}  # fmt: skip
ELEMENT = re.compile(r"Element name '(\d+):(\d+)[^']*', id \d+")  # in what MuJoCo says
SPARSE_FROM = 16  # degrees of freedom from which sparse matrices are faster; MuJoCo itself waits for 60


@dataclass
class ModelIndex:
    """Where a model lives in the arrays of the model."""

    bodies: np.ndarray  # (bodies,) MuJoCo body of each tree body
    roots: np.ndarray  # (bodies,) MuJoCo root body of each
    qpos: np.ndarray  # (joints,)
    qvel: np.ndarray
    actuators: slice
    base_qpos: int  # address of the free joint, -1: fixed
    base_qvel: int
    floating: list[tuple[int, int]] = field(default_factory=list)  # qpos, qvel of floating joints in the tree
    geoms: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=int))


def build(world: World, models: Sequence[Model], settings: Settings) -> tuple[Any, list[ModelIndex], list[Problem]]:
    """The compiled `MjModel`, the index of every model, and what had to be changed.

    model.qpos0 holds joint zeros and base poses.
    """
    spec = new_spec()
    moving = sum(not model.fixed or len(model.tree.bodies) > 1 for model in models)
    set_options(spec.option, world, settings, islands=moving > 1)
    bodies = sum(len(model.tree.bodies) for model in models)
    spec.memory = LEAST_MEMORY + BYTES_PER_PAIR * bodies**2
    maker = GeomMaker(spec, models, settings)
    exact: Exact = {}
    for model in models:
        _add_model(spec, model, settings, maker, exact)
    for index, first, second in maker.bits.excluded:
        pair = spec.add_exclude()
        pair.bodyname1, pair.bodyname2 = f"{index}:{first}", f"{index}:{second}"
    pairs = soft_pairs(maker.sides)
    add_pairs(spec, pairs)
    try:
        mj_model = compiled(spec, f"MuJoCo cannot build the scene {world.name!r}")
    except BadInput as error:
        raise BadInput(ELEMENT.sub(lambda found: _part(found, models), str(error))) from None
    for name, (moments, axes) in exact.items():
        body = mj_model.body(name).id
        mj_model.body_inertia[body], mj_model.body_iquat[body] = moments, axes
    _fix_loops(mj_model, models)
    if mj_model.nv >= SPARSE_FROM:
        mj_model.opt.jacobian = mujoco.mjtJacobian.mjJAC_SPARSE
    if exact:
        mujoco.mj_setConst(mj_model, mujoco.MjData(mj_model))
    soften(mj_model, maker.sides, pairs, settings.dt)
    return mj_model, [_index(mj_model, model) for model in models], maker.problems


def _part(found: re.Match[str], models: Sequence[Model]) -> str:
    """What MuJoCo calls MODEL:BODY:..., as the user's file names it."""
    tree = models[int(found[1])].tree
    body = tree.bodies[int(found[2])]
    link = tree.robot.link(body.name)
    where = f" ({link.source})" if str(link.source) else ""
    return f"link {link.name!r} of {tree.robot.name!r}{where}; correct it there, or run it on another engine"


def set_options(option: Any, world: World, settings: Settings, islands: bool = True) -> None:
    """Step, integrator and solver.

    implicitfast takes damping and servo derivatives implicitly; elliptic cones with impratio 10 keep standing robots
    from creeping; Newton needs two or three iterations on such scenes, so its bounds only guard against bad ones.
    Islands solve several movers apart; one robot alone is faster without them. A diverged state is kept (not reset), so
    that it can be seen.
    """
    asked = {**SOLVER, **settings.stated}
    option.timestep = settings.dt
    option.gravity = world.gravity
    option.integrator = getattr(mujoco.mjtIntegrator, f"mjINT_{asked['integrator'].upper()}")
    option.cone = getattr(mujoco.mjtCone, f"mjCONE_{asked['cone'].upper()}")
    option.solver = getattr(mujoco.mjtSolver, f"mjSOL_{asked['method'].upper()}")
    for name in ("impratio", "iterations", "ls_iterations", "tolerance", "ls_tolerance", "noslip_iterations"):
        setattr(option, name, asked[name])
    option.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_AUTORESET)
    if not islands:
        option.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_ISLAND)


def _add_model(spec: Any, model: Model, settings: Settings, maker: GeomMaker, exact: Exact) -> None:
    tree = model.tree
    made: list[Any] = []
    start = tree.poses(model.placement.pose, tree.initial)
    for i, body in enumerate(tree.bodies):
        loose = body.joint is not None and body.joint.type is JointType.FLOATING
        top = body.parent < 0 or loose
        element = (spec.worldbody if top else made[body.parent]).add_body()
        made.append(element)
        element.name = f"{model.index}:{i}"
        pose = start[i] if top else body.pose
        element.pos, element.quat = pose.translation, quaternion(pose)
        static = body.parent < 0 and model.fixed
        if top and not static:
            element.add_freejoint().name = f"{model.index}:{i}:free"
        elif body.joint is not None:
            _add_joint(element, f"{model.index}:{i}", body.joint, settings)
        _set_inertia(element, body, static, exact)
        element.gravcomp = 0.0 if body.gravity else 1.0
        for shape in body.shapes:
            maker.add(element, model, body, shape, static)
    _add_servos(spec, model)
    _add_mimics(spec, model, settings)
    for k, loop in enumerate(tree.loops):
        _add_loop(spec, model, k, loop, settings)


def _add_joint(element: Any, name: str, joint: Joint, settings: Settings) -> None:
    kinds = mujoco.mjtJoint
    if joint.type is JointType.BALL:
        item = element.add_joint()
        item.name, item.type = f"{name}:ball", kinds.mjJNT_BALL
        item.damping, item.armature = [joint.dynamics.damping, 0, 0], joint.dynamics.armature
        return
    if joint.type is JointType.PLANAR:
        across = so3.between([0.0, 0.0, 1.0], joint.axis)
        for k, (kind, axis) in enumerate(
            ((kinds.mjJNT_SLIDE, across[:, 0]), (kinds.mjJNT_SLIDE, across[:, 1]), (kinds.mjJNT_HINGE, joint.axis))
        ):
            item = element.add_joint()
            item.name, item.type, item.axis = f"{name}:planar{k}", kind, axis
            item.damping = [joint.dynamics.damping, 0, 0]
        return
    if not joint.one_dof:
        raise Unsupported(f"engine mujoco has no {joint.type} joints; joint {joint.name!r} must be of another type")
    item = element.add_joint()
    item.name = f"{name}:joint"
    item.type = kinds.mjJNT_SLIDE if joint.type is JointType.PRISMATIC else kinds.mjJNT_HINGE
    item.axis = joint.axis
    dynamics, limits, fastest = joint.dynamics, joint.limits, 2 * settings.dt
    item.armature, item.frictionloss, item.springref = dynamics.armature, dynamics.friction, dynamics.reference
    item.damping, item.stiffness = [dynamics.damping, 0, 0], [dynamics.stiffness, 0, 0]  # linear, no higher powers
    item.solref_friction, item.solimp_friction = [fastest, 1.0], DRY
    bounded = joint.type is not JointType.CONTINUOUS and (math.isfinite(limits.lower) or math.isfinite(limits.upper))
    item.limited = mujoco.mjtLimited.mjLIMITED_TRUE if bounded else mujoco.mjtLimited.mjLIMITED_FALSE
    if bounded:
        lower, upper = max(limits.lower, -UNBOUNDED), min(limits.upper, UNBOUNDED)
        item.range = [lower, max(upper, lower + 1e-6)]
        item.solref_limit, item.solimp_limit = [fastest, 1.0], HARD


def _set_inertia(element: Any, body: Body, static: bool, exact: Exact) -> None:
    """Mass, center and main moments."""
    inertia = body.inertia
    moments, axes = np.linalg.eigh(inertia.matrix)
    if np.linalg.det(axes) < 0:
        axes[:, 2] *= -1
    turned = quaternion(SE3.from_parts(axes, np.zeros(3)))
    element.explicitinertial = True
    element.mass, element.ipos = max(inertia.mass, 0.0), inertia.com
    if static and moments[0] < 0:
        moments = np.zeros(3)
    if moments[0] + moments[1] < moments[2]:  # the compiler refuses what `check` reports; the engine takes it as it is
        exact[element.name] = (moments, turned)
        moments = np.full(3, moments[2])
    element.inertia, element.iquat = moments, turned


def _joint_name(model: Model, movable: int) -> str:
    return f"{model.index}:{int(model.tree.joint_bodies[movable])}:joint"


def _add_servos(spec: Any, model: Model) -> None:
    """One actuator per movable joint, gain and bias 0 until `_apply_servos` sets them."""
    for k in range(len(model.tree.robot.movable)):
        servo = spec.add_actuator()
        servo.name = f"{model.index}:{k}:servo"
        servo.trntype, servo.target = mujoco.mjtTrn.mjTRN_JOINT, _joint_name(model, k)
        servo.gaintype, servo.biastype = mujoco.mjtGain.mjGAIN_FIXED, mujoco.mjtBias.mjBIAS_AFFINE
        servo.gainprm[0] = 0.0
        servo.forcelimited = mujoco.mjtLimited.mjLIMITED_TRUE
        servo.forcerange = [-UNBOUNDED, UNBOUNDED]


def _add_mimics(spec: Any, model: Model, settings: Settings) -> None:
    names = model.tree.robot.joint_names
    for k, joint in enumerate(model.tree.robot.movable):
        if joint.mimic is None or joint.mimic.joint not in names:
            continue
        item = spec.add_equality()
        item.type, item.objtype = mujoco.mjtEq.mjEQ_JOINT, mujoco.mjtObj.mjOBJ_JOINT
        item.name1, item.name2 = _joint_name(model, k), _joint_name(model, names.index(joint.mimic.joint))
        item.data[:5] = [joint.mimic.offset, joint.mimic.multiplier, 0, 0, 0]
        item.solref, item.solimp = [2 * settings.dt, 1.0], HARD


def _loop_points(loop: Loop) -> list[Array]:
    """Points of the joint frame that must coincide: one for a ball, two on the axis for a hinge."""
    if loop.joint.type is JointType.BALL:
        return [np.zeros(3)]
    return [np.zeros(3), 0.1 * np.asarray(loop.joint.axis)]


def _add_loop(spec: Any, model: Model, k: int, loop: Loop, settings: Settings) -> None:
    kind = loop.joint.type
    if kind is JointType.FLOATING:
        return
    loop.check("mujoco", model.name)
    for n in range(1 if kind is JointType.FIXED else len(_loop_points(loop))):
        item = spec.add_equality()
        item.name = f"{model.index}:loop{k}:{n}"
        item.type = mujoco.mjtEq.mjEQ_WELD if kind is JointType.FIXED else mujoco.mjtEq.mjEQ_CONNECT
        item.objtype = mujoco.mjtObj.mjOBJ_BODY
        item.name1, item.name2 = f"{model.index}:{loop.parent}", f"{model.index}:{loop.child}"
        item.solref, item.solimp = [2 * settings.dt, 1.0], HARD


def _fix_loops(mj_model: Any, models: Sequence[Model]) -> None:
    """Anchors of loops on both bodies; the compiler would take the second one from the zero pose."""
    for model in models:
        for k, loop in enumerate(model.tree.loops):
            if loop.joint.type is JointType.FLOATING:
                continue
            if loop.joint.type is JointType.FIXED:
                data = mj_model.eq_data[mj_model.equality(f"{model.index}:loop{k}:0").id]
                relative = loop.parent_from_joint @ loop.child_from_joint.inverse()
                data[:3] = 0.0
                data[3:6], data[6:10] = relative.translation, quaternion(relative)
                continue
            for n, point in enumerate(_loop_points(loop)):
                data = mj_model.eq_data[mj_model.equality(f"{model.index}:loop{k}:{n}").id]
                data[:3], data[3:6] = loop.parent_from_joint @ point, loop.child_from_joint @ point


def _index(mj_model: Any, model: Model) -> ModelIndex:
    tree = model.tree
    bodies = np.array([mj_model.body(f"{model.index}:{i}").id for i in range(len(tree.bodies))])
    joints = [mj_model.joint(_joint_name(model, k)).id for k in range(len(tree.robot.movable))]
    first = mj_model.actuator(f"{model.index}:0:servo").id if joints else 0
    base = -1 if model.fixed else int(mj_model.body_jntadr[bodies[0]])
    floating = [
        (
            int(mj_model.jnt_qposadr[mj_model.body_jntadr[bodies[i]]]),
            int(mj_model.jnt_dofadr[mj_model.body_jntadr[bodies[i]]]),
        )
        for i, body in enumerate(tree.bodies)
        if body.joint is not None and body.joint.type is JointType.FLOATING
    ]
    return ModelIndex(
        bodies=bodies,
        roots=mj_model.body_rootid[bodies],
        qpos=np.array([mj_model.jnt_qposadr[j] for j in joints], dtype=int),
        qvel=np.array([mj_model.jnt_dofadr[j] for j in joints], dtype=int),
        actuators=slice(first, first + len(joints)),
        base_qpos=-1 if base < 0 else int(mj_model.jnt_qposadr[base]),
        base_qvel=-1 if base < 0 else int(mj_model.jnt_dofadr[base]),
        floating=floating,
        geoms=np.flatnonzero(np.isin(mj_model.geom_bodyid, bodies)),
    )
