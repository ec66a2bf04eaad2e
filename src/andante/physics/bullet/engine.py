"""Bullet behind the `Engine` contract: Featherstone multibodies, one physics client per engine.

Servos are Bullet's joint motors, which are velocity constraints cut at the effort limit. A position servo asks for
dq' = kp (reference - q) / (kd + kp dt), so a gap closes with the time constant kd / kp; up to its effort limit it does
not give way to a load (`rigid_servos`). A velocity servo asks for dq' = dq + g (reference - dq) with
g = kv dt / (I + kv dt), I the inertia that the joint feels and dq its speed without the motor. A torque is a motor that
runs against an endless speed with that limit. Viscous damping and springs are explicit torques, cut where one step
would overshoot: d <= 0.8 I / dt, k <= I / dt^2. Dry friction is the idle motor of a passive joint and a constraint
beside the motor of a joint under torque; a rigid servo overcomes it unseen. Of the contact friction each side gives its
root: the pair has the geometric mean.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from andante.description.source import Problem
from andante.errors import AndanteError
from andante.geometry import SE3, Array
from andante.physics.engine import Engine
from andante.physics.rays import Raycaster
from andante.physics.state import Contacts, RayHits

from .api import pybullet
from .build import CONTACT_ERP, BulletHandles, Collider, build_model, filter_by_bitmask
from .inertia import weightless_mass
from .links import BodyReader, Motion, close_loop, follow
from .servos import Servos
from .shapes import distance


def read_contacts(
    client: int, colliders: dict[tuple[int, int], Collider], pose: Callable[[int, int], Array]
) -> Contacts:
    """The points of the last step that touch or push; `pose(model, body)` returns the pose of a body (7,)."""
    points = [point for point in pybullet.getContactPoints(physicsClientId=client) if point[9] > 0.0 or point[8] <= 0.0]
    known = [p for p in points if (p[1], p[3]) in colliders and (p[2], p[4]) in colliders]
    if not known:
        return Contacts.empty()
    on_a, on_b = np.array([p[5] for p in known]), np.array([p[6] for p in known])
    normal = np.array([p[7] for p in known])
    first, second = np.array([p[11] for p in known]), np.array([p[13] for p in known])
    amount = np.array([(p[9], p[10], p[12]) for p in known])
    position = (on_a + on_b) / 2
    sides = [[colliders[p[1], p[3]] for p in known], [colliders[p[2], p[4]] for p in known]]
    links = [
        np.array([touched_link(side, at, pose) for side, at in zip(which, position, strict=True)]) for which in sides
    ]
    return Contacts(
        model_a=np.array([side.model for side in sides[0]]),
        link_a=links[0],
        model_b=np.array([side.model for side in sides[1]]),
        link_b=links[1],
        position=position,
        normal=normal,
        force=normal * amount[:, :1] + first * amount[:, 1:2] + second * amount[:, 2:],
        depth=-np.array([p[8] for p in known]),
    )


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

    __slots__ = ("__weakref__", "efforts", "fixed", "number")
    number: int
    fixed: tuple[SE3, ...]
    efforts: tuple[Array, ...]


class BulletEngine(Engine):
    """A scene in Bullet."""

    name: ClassVar[str] = "bullet"
    rigid_servos: ClassVar[bool] = True  # a position servo carries loads below its limit without giving way
    restore_tolerance: ClassVar[float] = 1e-9  # largest difference of poses after restore and 1 s [m, rad]

    _client: int = -1

    # ---- construction ----------------------------------------------------------------------------
    def _build(self) -> None:
        self._client = pybullet.connect(pybullet.DIRECT)
        if self._client < 0:
            raise AndanteError("bullet: no more physics clients are possible; close engines that are not needed")
        try:
            self._build_scene()
        except BaseException:
            self.close()
            raise

    def _build_scene(self) -> None:
        client, settings = self._client, self.settings
        pybullet.setGravity(*self.world.gravity, physicsClientId=client)
        pybullet.setTimeStep(settings.dt, physicsClientId=client)
        pybullet.setPhysicsEngineParameter(
            numSolverIterations=ITERATIONS if settings.iterations is None else settings.iterations,
            erp=ERP,
            contactERP=CONTACT_ERP if settings.erp is None else settings.erp,
            deterministicOverlappingPairs=1,
            physicsClientId=client,
        )
        if settings.cfm is not None:
            pybullet.setPhysicsEngineParameter(globalCFM=settings.cfm, physicsClientId=client)
        self._colliders: dict[tuple[int, int], Collider] = {}
        self._handles: list[BulletHandles] = []
        self._fixed: list[SE3] = [model.placement.pose for model in self.models]
        self._servos: list[Servos] = []
        self._readers: list[BodyReader] = []
        self._motions: dict[int, Motion] = {}
        self._still: dict[int, Motion] = {}  # of models that are one fixed body
        self._caster: Raycaster | None = None
        self._joints: dict[int, tuple[Array, Array, Array]] = {}
        self._efforts: dict[int, Array] = {}  # efforts of a restored instant, until the next step
        self._weightless: list[tuple[int, int, Array]] = []  # model, body, force [N]
        for model in self.models:
            handles = build_model(model, settings, client, self._colliders)
            servos = Servos(model, handles, settings.dt, client)
            self._handles.append(handles)
            self._servos.append(servos)
            self._readers.append(BodyReader(handles, client))
            follow(model, handles, servos.sources, servos.factors, servos.offsets, client)
            for loop in model.tree.loops:
                close_loop(model, handles, loop, client)
            for body, mass in enumerate(weightless_mass(model.tree, handles.inertias)):
                if mass > 0 and handles.uid[body] >= 0:
                    self._weightless.append((model.index, body, -mass * np.asarray(self.world.gravity)))
        filter_by_bitmask(self._colliders, client)

    def close(self) -> None:
        """End the physics client; afterwards the engine cannot be used."""
        if self._client >= 0:
            client, self._client = self._client, -1
            if pybullet.isConnected(client):
                pybullet.disconnect(client)

    def __del__(self) -> None:
        try:
            self.close()
        except Exception:  # the interpreter may be going down
            return

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What had to be changed to simulate the models."""
        reported = (problem for servos in self._servos for problem in servos.problems)
        return tuple(dict.fromkeys((*super().problems, *reported)))

    # ---- time ------------------------------------------------------------------------------------
    def _advance(self, n: int) -> None:
        step, client = pybullet.stepSimulation, self._client
        springs = [servos for servos in self._servos if servos.sprung]
        if not (springs or self.pushes or self._weightless):
            for _ in range(n):
                step(client)
        else:
            for _ in range(n):
                for servos in springs:
                    servos.pull()
                self._push_bodies()
                step(client)
        self._forget()
        self._efforts.clear()

    def _forget(self) -> None:
        """The readings of the last instant are stale."""
        self._motions.clear()
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
        world_from_com = self._com_pose(uid, link)
        world_from_body = world_from_com @ handles.body_from_com[body].inverse()
        if np.any(force):
            at = (world_from_body @ point).tolist()
            pybullet.applyExternalForce(uid, link, force.tolist(), at, pybullet.WORLD_FRAME, physicsClientId=client)
        if np.any(torque):
            pybullet.applyExternalTorque(uid, link, torque.tolist(), pybullet.WORLD_FRAME, physicsClientId=client)

    def _com_pose(self, uid: int, link: int) -> SE3:
        if link < 0:
            position, turn = pybullet.getBasePositionAndOrientation(uid, physicsClientId=self._client)
        else:
            position, turn = pybullet.getLinkState(uid, link, computeForwardKinematics=1, physicsClientId=self._client)[
                :2
            ]
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

    def set_joints(self, model: int, positions: ArrayLike, velocities: ArrayLike | None = None) -> None:
        """Put the joints there at once."""
        self._servos[model].put(positions, velocities)
        self._forget()

    # ---- bodies ----------------------------------------------------------------------------------
    def set_base(self, model: int, pose: ArrayLike, velocity: ArrayLike | None = None) -> None:
        """Put the root link there at once; bodies on floating joints go along."""
        handles, client = self._handles[model], self._client
        before = SE3.from_vector(self.base_pose(model))
        bodies = SE3.from_vector(self.body_poses(model))
        target = SE3.from_vector(np.asarray(pose, dtype=float))
        twist = np.zeros(6) if velocity is None else np.asarray(velocity, dtype=float)
        fixed = self.models[model].fixed
        for root in handles.roots:
            place = target @ before.inverse() @ bodies[root]
            uid = handles.base if root == 0 else int(handles.uid[root])
            if uid >= 0:
                com = place @ handles.body_from_com[root]
                pybullet.resetBasePositionAndOrientation(
                    uid, com.translation.tolist(), com.quaternion.tolist(), physicsClientId=client
                )
                if not (fixed and root == 0):
                    linear = twist[:3] + np.cross(twist[3:], com.translation - target.translation)
                    pybullet.resetBaseVelocity(uid, linear.tolist(), twist[3:].tolist(), physicsClientId=client)
        if fixed:
            self._fixed[model] = target
            self._still.pop(model, None)
            for uid, root_from_object in handles.statics:
                at = target @ root_from_object
                pybullet.resetBasePositionAndOrientation(
                    uid, at.translation.tolist(), at.quaternion.tolist(), physicsClientId=client
                )
        self._forget()

    def body_poses(self, model: int) -> Array:
        """World poses of the bodies, (bodies, 7)."""
        return self._read_bodies(model).poses.copy()

    def body_velocities(self, model: int) -> Array:
        """Velocities of the body origins, (bodies, 6)."""
        return self._read_bodies(model).velocities.copy()

    def _read_bodies(self, model: int) -> Motion:
        known = self._motions.get(model) or self._still.get(model)
        if known is not None:
            return known
        if self.models[model].fixed and len(self._handles[model].uid) == 1:
            motion = self._still[model] = Motion(self._fixed[model].vector[None], np.zeros((1, 6)))
            return motion
        motion = self._motions[model] = self._readers[model].read()
        if self.models[model].fixed:
            motion.poses[0] = self._fixed[model].vector
        return motion

    # ---- contacts and rays -----------------------------------------------------------------------
    def contacts(self) -> Contacts:
        """Contact points and forces of the last step."""
        return read_contacts(self._client, self._colliders, lambda model, body: self._read_bodies(model).poses[body])

    def cast_rays(
        self, origins: ArrayLike, directions: ArrayLike, max_range: float, ignore: int | None = None
    ) -> RayHits:
        """First hits of rays (n, 3), met analytically; Bullet's own test errs by millimeters on round shapes."""
        if self._caster is None:
            self._caster = Raycaster(self.models)
        poses = [self._read_bodies(model.index).poses for model in self.models]
        return self._caster.cast(poses, origins, directions, max_range, ignore)

    # ---- snapshots -------------------------------------------------------------------------------
    def _save(self) -> _Saved:
        number = int(pybullet.saveState(physicsClientId=self._client))
        efforts = tuple(self.joint_efforts(model.index) for model in self.models)
        saved = _Saved(number, tuple(self._fixed), efforts)
        weakref.finalize(saved, _free, weakref.ref(self), number)
        return saved

    def _load(self, state: Any) -> None:
        pybullet.restoreState(stateId=state.number, physicsClientId=self._client)
        self._fixed = list(state.fixed)
        self._still.clear()
        self._forget()
        self._efforts = dict(enumerate(state.efforts))


def _free(engine: weakref.ref[BulletEngine], number: int) -> None:
    """Let go of a saved state, unless its engine is gone already."""
    owner = engine()
    if owner is not None and owner._client >= 0:
        pybullet.removeState(number, physicsClientId=owner._client)
