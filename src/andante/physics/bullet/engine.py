"""Bullet behind the `Engine` contract: Featherstone multibodies, one physics client per engine.

Servos are Bullet's joint motors, which are velocity constraints with a bounded effort and without softness. A position
servo asks for dq' = kp (reference - q) / (kd + kp dt), the speed at which its spring and damper balance, and pulls
there with at most what they give now, |kp (reference - q - dt dq) - kd dq|, set anew in every step: it bends under a
load like the spring, and a light joint does not overshoot however stiff it is. (Bounded by the effort limit alone, legs
are rigid, and the soles of a walker chatter on two corners.) A velocity servo asks for dq' = dq + g (reference - dq)
with g = kv dt / (I + kv dt), I the inertia that the joint feels and dq its speed without the motor. A torque is a motor
that runs against an endless speed with that limit. Viscous damping and springs are explicit torques, cut where one step
would overshoot: d <= 0.8 I / dt, k <= I / dt^2. Dry friction is the idle motor of a passive joint and a constraint
beside the motor of a joint under torque; a rigid servo overcomes it unseen. Contact friction is a product of two
factors, fitted to the smaller coefficient of each pair (`friction`).
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from andante.geometry import SE3, Array
from andante.physics.engine import Engine
from andante.physics.state import Contacts

from . import ENGINE
from .api import Client, pybullet
from .build import CONTACT_ERP, BulletHandles, Collider, build_model, filter_by_bitmask
from .friction import askew, friction_factors
from .inertia import weightless_mass
from .servos import Servos, close_loop, follow
from .shapes import distance


class BodyReader:
    """Reads the moving bodies of one model; rows of fixed roots are left at the identity.

    Bullet reports pose and velocity of a link's center of mass in double precision (its link frames only in single);
    the body frame is found from it by the inertial frame.
    """

    def __init__(self, handles: BulletHandles, client: Client) -> None:
        self._client = client
        self._count = len(handles.uid)
        self._roots = [(root, int(handles.uid[root])) for root in handles.roots if handles.uid[root] >= 0]
        self._trees = []
        for uid in dict.fromkeys(handles.uid[handles.link >= 0].tolist()):
            inside = np.flatnonzero((handles.uid == uid) & (handles.link >= 0))
            self._trees.append((uid, inside, handles.link[inside].tolist()))
        com_from_body = handles.body_from_com.inverse()
        self._turn, self._shift = com_from_body.quaternion, com_from_body.translation

    def read(self) -> tuple[Array, Array]:
        """The present poses (bodies, 7) and velocities (bodies, 6) of the body origins."""
        com = np.zeros((self._count, 13))
        com[:, 6] = 1.0
        for root, uid in self._roots:
            position, turn = self._client.getBasePositionAndOrientation(uid)
            linear, angular = self._client.getBaseVelocity(uid)
            com[root] = (*position, *turn, *linear, *angular)
        for uid, inside, links in self._trees:
            states = self._client.getLinkStates(uid, links, 1, 1)
            com[inside] = [(*state[0], *state[1], *state[6], *state[7]) for state in states]
        lever = _rotated(com[:, 3:7], self._shift)
        poses, velocities = np.empty((self._count, 7)), com[:, 7:].copy()
        poses[:, :3] = com[:, :3] + lever
        poses[:, 3:] = _product(com[:, 3:7], self._turn)
        velocities[:, :3] += _cross(velocities[:, 3:], lever)
        return poses, velocities


def _cross(a: Array, b: Array) -> Array:
    """a x b for rows; quicker than the general one for small arrays."""
    out = np.empty_like(a)
    out[:, 0] = a[:, 1] * b[:, 2] - a[:, 2] * b[:, 1]
    out[:, 1] = a[:, 2] * b[:, 0] - a[:, 0] * b[:, 2]
    out[:, 2] = a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]
    return out


def _rotated(q: Array, v: Array) -> Array:
    """Vectors turned by unit quaternions x y z w: v + 2 u x (u x v + w v)."""
    u, w = q[:, :3], q[:, 3:]
    return v + 2.0 * _cross(u, _cross(u, v) + w * v)


def _product(a: Array, b: Array) -> Array:
    """Quaternion products, w >= 0: (wa ub + wb ua + ua x ub, wa wb - ua . ub)."""
    ua, wa, ub, wb = a[:, :3], a[:, 3:], b[:, :3], b[:, 3:]
    vector = wa * ub + wb * ua + _cross(ua, ub)
    scalar = wa * wb - np.sum(ua * ub, axis=1, keepdims=True)
    out = np.concatenate([vector, scalar], axis=1)
    return np.where(out[:, 3:] < 0, -out, out)


def read_contacts(
    client: Client, colliders: dict[tuple[int, int], Collider], pose: Callable[[int, int], Array]
) -> Contacts:
    """The points of the last step that touch or push; `pose(model, body)` returns the pose of a body (7,)."""
    points = [point for point in client.getContactPoints() if point[9] > 0.0 or point[8] <= 0.0]
    known = [p for p in points if (p[1], p[3]) in colliders and (p[2], p[4]) in colliders]
    if not known:
        return Contacts.empty()
    on_a, on_b, normal, first, second = (np.array([p[k] for p in known]) for k in (5, 6, 7, 11, 13))
    amount = np.array([(p[9], p[10], p[12]) for p in known])
    position = (on_a + on_b) / 2
    who = []
    for p, at in zip(known, position, strict=True):
        a, b = colliders[p[1], p[3]], colliders[p[2], p[4]]
        who.append((a.model, touched_link(a, at, pose), b.model, touched_link(b, at, pose)))
    force = normal * amount[:, :1] + first * amount[:, 1:2] + second * amount[:, 2:]
    depth = -np.array([p[8] for p in known])
    return Contacts.of_rows(np.array(who), np.column_stack([position, normal, force, depth]))


def touched_link(collider: Collider, point: Array, pose: Callable[[int, int], Array]) -> int:
    """Link of the shape that was touched: the nearest where a body carries shapes of several links."""
    shapes = collider.shapes
    if all(shape.link == shapes[0].link for shape in shapes):
        return shapes[0].link
    local = SE3.from_vector(pose(collider.model, collider.body)).inverse() @ point
    gaps = [distance(shape.geometry, shape.pose.inverse() @ local) for shape in shapes]
    return shapes[int(np.argmin(gaps))].link


ITERATIONS = 30
ERP = 0.2  # fraction of a joint's error that one step corrects


@dataclass(frozen=True)
class _Saved:
    """A state kept inside Bullet and what Bullet does not keep; freed with this value."""

    __slots__ = ("__weakref__", "efforts", "fixed", "loads", "number")
    number: int
    fixed: tuple[SE3, ...]
    efforts: tuple[Array, ...]
    loads: tuple[Array, ...]  # that servos remember


class BulletEngine(Engine):
    """A scene in Bullet."""

    name: ClassVar[str] = "bullet"
    sole_tolerance: ClassVar[float] = 0.04  # a pair of shapes touches in four points at most
    solver: ClassVar[Mapping[str, Any]] = {
        "iterations": ITERATIONS,
        "cfm": 0.0,
        "erp": CONTACT_ERP,
        "tolerance": 1e-7,
        "surface_layer": 1e-5,
    }
    surface: ClassVar[tuple[str, ...]] = ENGINE.surface

    _client: Client

    # ---- construction ----------------------------------------------------------------------------
    def _build(self) -> None:
        self._client = Client()
        try:
            self._build_scene(self._client)
        except BaseException:
            self.close()
            raise

    def _build_scene(self, client: Client) -> None:
        settings = self.settings
        client.setGravity(*self.world.gravity)
        client.setTimeStep(settings.dt)
        client.setPhysicsEngineParameter(
            numSolverIterations=ITERATIONS if settings.iterations is None else settings.iterations,
            erp=ERP,
            contactERP=CONTACT_ERP if settings.erp is None else settings.erp,
            deterministicOverlappingPairs=1,
        )
        if settings.cfm is not None:
            client.setPhysicsEngineParameter(globalCFM=settings.cfm)
        if settings.tolerance is not None:
            client.setPhysicsEngineParameter(solverResidualThreshold=settings.tolerance)
        if settings.surface_layer is not None:
            client.setPhysicsEngineParameter(contactSlop=settings.surface_layer)
        self._colliders: dict[tuple[int, int], Collider] = {}
        self._handles: list[BulletHandles] = []
        self._fixed: list[SE3] = [model.placement.pose for model in self.models]
        self._servos: list[Servos] = []
        self._readers: list[BodyReader] = []
        self._joints: dict[int, tuple[Array, Array, Array]] = {}
        self._efforts: dict[int, Array] = {}  # efforts of a restored instant, until the next step
        self._weightless: list[tuple[int, int, Array]] = []  # model, body, force [N]
        factors = friction_factors(self.models, settings.friction)
        for model in self.models:
            handles = build_model(model, settings, factors, client, self._colliders)
            servos = Servos(model, handles, settings.dt, client)
            self._handles.append(handles)
            self._servos.append(servos)
            self._readers.append(BodyReader(handles, client))
            self._notes += [*servos.problems, *askew(model, handles)]
            follow(model, handles, client)
            for loop in model.tree.loops:
                close_loop(model, handles, loop, client)
            for body, mass in enumerate(weightless_mass(model.tree, handles.inertias)):
                if mass > 0 and handles.uid[body] >= 0:
                    self._weightless.append((model.index, body, -mass * np.asarray(self.world.gravity)))
        filter_by_bitmask(self._colliders, client)

    def close(self) -> None:
        """End the physics client; afterwards the engine cannot be used."""
        self._client.close()

    def __del__(self) -> None:
        try:
            self.close()
        except Exception:  # it was never built, or the interpreter is going down
            return

    # ---- time ------------------------------------------------------------------------------------
    def _advance(self, n: int) -> None:
        step = self._client.stepSimulation
        busy = [servos for servos in self._servos if servos.busy]
        if not (busy or self.pushes or self._weightless):
            for _ in range(n):
                step()
        else:
            for _ in range(n):
                for servos in busy:
                    servos.pull()
                self._push_bodies()
                step()
        self._forget()
        self._efforts.clear()

    def _forget(self) -> None:
        super()._forget()
        self._joints.clear()

    def _push_bodies(self) -> None:
        """Outside wrenches of one step; Bullet forgets them after it."""
        for model, body, force in self._weightless:
            self._wrench(model, body, force, np.zeros(3), np.asarray(self._handles[model].inertias[body].com))
        for (model, body), push in self.pushes.items():
            self._wrench(model, body, push.force, push.torque, push.point)

    def _wrench(self, model: int, body: int, force: Array, torque: Array, point: Array) -> None:
        handles, client = self._handles[model], self._client
        uid, link = int(handles.uid[body]), int(handles.link[body])
        if uid < 0:
            return  # a fixed root
        world_from_body = self._com_pose(uid, link) @ handles.body_from_com[body].inverse()
        if np.any(force):
            at = (world_from_body @ point).tolist()
            client.applyExternalForce(uid, link, force.tolist(), at, pybullet.WORLD_FRAME)
        if np.any(torque):
            client.applyExternalTorque(uid, link, torque.tolist(), pybullet.WORLD_FRAME)

    def _com_pose(self, uid: int, link: int) -> SE3:
        if link < 0:
            position, turn = self._client.getBasePositionAndOrientation(uid)
        else:
            position, turn = self._client.getLinkState(uid, link, computeForwardKinematics=1)[:2]
        return SE3.from_xyz_quaternion(position, turn)

    def _apply_pushes(self) -> None:
        """Pushes are read anew in every step."""

    # ---- servos ----------------------------------------------------------------------------------
    def _apply_servos(self, model: int) -> None:
        self._servos[model].configure(self.modes[model], self.gains[model])

    def _apply_references(self, model: int) -> None:
        self._servos[model].send(self.references[model])

    # ---- joints ----------------------------------------------------------------------------------
    def _read_joints(self, model: int) -> tuple[Array, Array, Array]:
        known = self._joints.get(model)
        if known is None:
            known = self._joints[model] = self._servos[model].read()
        return known

    def joint_positions(self, model: int) -> Array:
        """Joint positions, (joints,)."""
        return self._read_joints(model)[0].copy()

    def joint_velocities(self, model: int) -> Array:
        """Joint velocities, (joints,)."""
        return self._read_joints(model)[1].copy()

    def joint_efforts(self, model: int) -> Array:
        """Efforts of the motors in the last step, (joints,)."""
        if model in self._efforts:
            return self._efforts[model].copy()
        return self._read_joints(model)[2].copy()

    def _put_joints(self, model: int, positions: Array, velocities: Array) -> None:
        self._servos[model].put(positions, velocities)
        self._forget()

    # ---- bodies ----------------------------------------------------------------------------------
    def _put_base(self, model: int, pose: SE3, velocity: Array) -> None:
        handles, client = self._handles[model], self._client
        before = SE3.from_vector(self.base_pose(model))
        bodies = SE3.from_vector(self.body_poses(model))
        fixed = self.models[model].fixed
        for root in handles.roots:
            place = pose @ before.inverse() @ bodies[root]
            uid = handles.base if root == 0 else int(handles.uid[root])
            if uid >= 0:
                com = place @ handles.body_from_com[root]
                client.resetBasePositionAndOrientation(uid, com.translation.tolist(), com.quaternion.tolist())
                if not (fixed and root == 0):
                    linear = velocity[:3] + np.cross(velocity[3:], com.translation - pose.translation)
                    client.resetBaseVelocity(uid, linear.tolist(), velocity[3:].tolist())
        if fixed:
            self._fixed[model] = pose
            self._still.pop(model, None)
            for uid, root_from_object in handles.statics:
                at = pose @ root_from_object
                client.resetBasePositionAndOrientation(uid, at.translation.tolist(), at.quaternion.tolist())
        self._forget()

    def _read_bodies(self, model: int) -> tuple[Array, Array]:
        poses, velocities = self._readers[model].read()
        if self.models[model].fixed:
            poses[0] = self._fixed[model].vector
        return poses, velocities

    # ---- contacts and rays -----------------------------------------------------------------------
    def contacts(self) -> Contacts:
        """Contact points and forces of the last step."""
        return read_contacts(self._client, self._colliders, lambda model, body: self._motion(model)[0][body])

    # ---- snapshots -------------------------------------------------------------------------------
    def _save(self) -> _Saved:
        number = int(self._client.saveState())
        efforts = tuple(self.joint_efforts(model.index) for model in self.models)
        saved = _Saved(number, tuple(self._fixed), efforts, tuple(servos.save() for servos in self._servos))
        weakref.finalize(saved, _free, self._client, number)
        return saved

    def _load(self, state: Any) -> None:
        self._client.restoreState(stateId=state.number)
        self._fixed = list(state.fixed)
        self._still.clear()
        self._forget()
        self._efforts = dict(enumerate(state.efforts))
        for servos, load, effort in zip(self._servos, state.loads, state.efforts, strict=True):
            servos.load(load, effort)


def _free(client: Client, number: int) -> None:
    """Let go of a saved state, unless its engine is gone already."""
    if client.open:
        client.removeState(number)
