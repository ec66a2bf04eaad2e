"""MuJoCo as an `Engine`: the default, with soft contacts and servos taken implicitly.

A position servo pulls with kp (target - q - dt dq) - kd dq, where `implicitfast` takes dq at the end of the step: the
servo law at the end of the step, stable for every gain. Modes and gains are written into the actuators of the
compiled model; nothing is compiled again.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any, ClassVar

import mujoco
import numpy as np
from numpy.typing import ArrayLike

from andante._moved import renamed_attributes
from andante.compiling import njit
from andante.description.check.recognize import scrubs
from andante.errors import BadInput, Unsupported
from andante.geometry import SE3, Array
from andante.physics.bounds import diverged
from andante.physics.engine import Engine
from andante.physics.rays import ray_arrays
from andante.physics.state import Contacts, Mode, RayHits

from . import ENGINE
from .build import DRY, DRY_DRIVEN, SOLVER, UNBOUNDED, build
from .geoms import quaternion
from .sliding import let_slide


@njit(nogil=True)
def body_poses(bodies: np.ndarray, xpos: Array, xquat: Array) -> Array:
    """Poses x y z qx qy qz qw of some bodies, (n, 7)."""
    out = np.empty((bodies.shape[0], 7))
    for i in range(bodies.shape[0]):
        b = bodies[i]
        for k in range(3):
            out[i, k] = xpos[b, k]
            out[i, 3 + k] = xquat[b, 1 + k]
        out[i, 6] = xquat[b, 0]
    return out


@njit(nogil=True)
def body_velocities(bodies: np.ndarray, roots: np.ndarray, cvel: Array, xpos: Array, subtree_com: Array) -> Array:
    """Velocities of body origins (n, 6), linear then angular.

    MuJoCo gives them angular first, the linear part at the center of mass c of the tree: v = v_c + ω x (p - c).
    """
    out = np.empty((bodies.shape[0], 6))
    for i in range(bodies.shape[0]):
        b, r = bodies[i], roots[i]
        wx, wy, wz = cvel[b, 0], cvel[b, 1], cvel[b, 2]
        x, y, z = xpos[b, 0] - subtree_com[r, 0], xpos[b, 1] - subtree_com[r, 1], xpos[b, 2] - subtree_com[r, 2]
        out[i, 0] = cvel[b, 3] + wy * z - wz * y
        out[i, 1] = cvel[b, 4] + wz * x - wx * z
        out[i, 2] = cvel[b, 5] + wx * y - wy * x
        out[i, 3], out[i, 4], out[i, 5] = wx, wy, wz
    return out


@njit(nogil=True)
def free_motion(qpos: Array, qvel: Array, q: int, v: int) -> tuple[Array, Array]:
    """Pose (7,) and velocity (6,) of a body on a free joint at addresses q and v.

    The joint has its quaternion w first and its angular velocity in the axes of the body.
    """
    pose, velocity = np.empty(7), np.empty(6)
    w, x, y, z = qpos[q + 3], qpos[q + 4], qpos[q + 5], qpos[q + 6]
    norm = np.sqrt(w * w + x * x + y * y + z * z)
    w, x, y, z = w / norm, x / norm, y / norm, z / norm
    for k in range(3):
        pose[k], velocity[k] = qpos[q + k], qvel[v + k]
    pose[3], pose[4], pose[5], pose[6] = x, y, z, w
    a, b, c = qvel[v + 3], qvel[v + 4], qvel[v + 5]
    velocity[3] = (1 - 2 * (y * y + z * z)) * a + 2 * (x * y - z * w) * b + 2 * (x * z + y * w) * c
    velocity[4] = 2 * (x * y + z * w) * a + (1 - 2 * (x * x + z * z)) * b + 2 * (y * z - x * w) * c
    velocity[5] = 2 * (x * z - y * w) * a + 2 * (y * z + x * w) * b + (1 - 2 * (x * x + y * y)) * c
    return pose, velocity


@njit(nogil=True)
def contacts(
    model: int, geom: np.ndarray, address: np.ndarray, frame: Array, position: Array, distance: Array,
    efc_force: Array, geom_model: np.ndarray, geom_link: np.ndarray,
) -> tuple[np.ndarray, Array, Array]:  # fmt: skip
    """Contacts that carry force: indices (4, n), vectors (3, n, 3) and depths (n,), laid out as `Contacts` has them.

    The indices are model_a, link_a, model_b, link_b; the vectors position, normal from B towards A, force on A. Side A
    is the second geom of MuJoCo's pair. With a model >= 0 only its contacts are returned, it being side A; one between
    two of its links twice, the mirrored ones after all others. Cones are elliptic: normal and two tangent forces stand
    in a row of `efc_force`.
    """
    count = geom.shape[0]
    rows = 0
    for c in range(count):
        if address[c] < 0:
            continue
        if model < 0:
            rows += 1
            continue
        rows += int(geom_model[geom[c, 1]] == model) + int(geom_model[geom[c, 0]] == model)
    who, what, depth = np.empty((4, rows), dtype=np.int64), np.empty((3, rows, 3)), np.empty(rows)
    n = 0
    for side in range(1 if model < 0 else 2):
        first, second, sign = 1 - side, side, 1.0 - 2.0 * side
        for c in range(count):
            if address[c] < 0:
                continue
            a, b = geom[c, first], geom[c, second]
            if model >= 0 and geom_model[a] != model:
                continue
            who[0, n], who[1, n] = geom_model[a], geom_link[a]
            who[2, n], who[3, n] = geom_model[b], geom_link[b]
            e = address[c]
            for k in range(3):
                what[0, n, k] = position[c, k]
                what[1, n, k] = sign * frame[c, k]
                force = efc_force[e] * frame[c, k] + efc_force[e + 1] * frame[c, 3 + k]
                what[2, n, k] = sign * (force + efc_force[e + 2] * frame[c, 6 + k])
            depth[n] = -distance[c]
            n += 1
    return who, what, depth


STATE = int(mujoco.mjtState.mjSTATE_INTEGRATION)
HIDDEN_GROUP = 5  # geom group that a ray leaves out

_log = logging.getLogger(__name__)
_log.addHandler(logging.NullHandler())  # heard where a program listens, never printed by itself
mujoco.set_mju_user_warning(lambda text: _log.warning("%s", text))  # else MuJoCo writes a file where it stands


@renamed_attributes(model="mj_model")
class MujocoEngine(Engine):
    """One MuJoCo model for the whole scene. `mj_model` and `data` may be read."""

    name: ClassVar[str] = "mujoco"
    solver: ClassVar[Mapping[str, Any]] = SOLVER
    methods: ClassVar[tuple[str, ...]] = ENGINE.methods
    surface: ClassVar[tuple[str, ...]] = ENGINE.surface
    clips: ClassVar[bool] = True  # servos are cut at their limits before a step is solved, see `calm_step`
    sole_tolerance: ClassVar[float] = 0.10  # a hull touches a plane in three or four points

    def _build(self) -> None:
        self.mj_model, self._index, self._notes = build(self.world, self.models, self.settings)
        self.data = mujoco.MjData(self.mj_model)
        owners = [self.mj_model.geom(i).name.split(":")[:2] for i in range(self.mj_model.ngeom)]
        self._geom_model, self._geom_link = np.ascontiguousarray(np.array(owners, dtype=int).reshape(-1, 2).T)
        self._fixed = np.array([i.bodies[0] for a, i in zip(self.models, self._index, strict=True) if a.fixed], int)
        self._controls = [self.data.ctrl[index.actuators] for index in self._index]  # views, made once
        self._turning: list[tuple[int, Any]] = []  # pushes beside the center of mass, applied anew in every step
        elliptic = self.settings.cone != "pyramidal"
        self._sliding = elliptic and any(scrubs(model.tree.robot) for model in self.models)
        self._stale = True
        self._upset = self.data.warning.number[int(mujoco.mjtWarning.mjWARN_BADQPOS) :]  # a view of what MuJoCo counts
        for model, index in zip(self.models, self._index, strict=True):
            self.data.qpos[index.qpos] = model.tree.initial_vector
        mujoco.mj_forward(self.mj_model, self.data)

    def _advance(self, n: int) -> None:
        try:
            if self._turning or self._sliding:
                for _ in range(n):
                    self._turn_pushes()
                    self._one_step()
            else:
                mujoco.mj_step(self.mj_model, self.data, n)
        except mujoco.FatalError as error:
            raise self._stuck(error) from None
        self._after_steps()

    def _one_step(self) -> None:
        if not self._sliding:
            mujoco.mj_step(self.mj_model, self.data)
            return
        mujoco.mj_step1(self.mj_model, self.data)
        if self.data.ncon:
            let_slide(self.data)
        mujoco.mj_step2(self.mj_model, self.data)

    def _stuck(self, error: mujoco.FatalError) -> Unsupported:
        return Unsupported(f"engine mujoco cannot go on with {self.world.name!r}: {' '.join(str(error).split())}")

    def _after_steps(self) -> None:
        self._stale = True
        if np.count_nonzero(self._upset):
            self._upset[:] = 0
            raise diverged(self, self._worst_model())

    def _advance_along(self, model: int, references: Array) -> None:
        controls, row = self._controls[model], references[0]
        try:
            if self._turning or self._sliding:
                for row in references:
                    controls[:] = row
                    self._turn_pushes()
                    self._one_step()
            else:
                step, bare, data = mujoco.mj_step, self.mj_model, self.data
                for row in references:
                    controls[:] = row
                    step(bare, data)
        except mujoco.FatalError as error:
            raise self._stuck(error) from None
        self.commands[model].references = self.references[model] = row
        self.steps += len(references)
        self._after_steps()

    def _worst_model(self) -> str:
        """Name of the model that moves fastest or is not a number; asked when the state has become unusable."""
        speed = np.nan_to_num(np.abs(self.data.qvel), nan=np.inf)
        tops = [
            speed[[*index.qvel, *(range(index.base_qvel, index.base_qvel + 6) if index.base_qvel >= 0 else ())]]
            for index in self._index
        ]
        return self.models[int(np.argmax([top.max(initial=-1.0) for top in tops]))].name

    def _fresh(self) -> None:
        """Bring poses and velocities up to the present positions; a step leaves those of its beginning."""
        if self._stale:
            mujoco.mj_kinematics(self.mj_model, self.data)
            mujoco.mj_comPos(self.mj_model, self.data)
            mujoco.mj_comVel(self.mj_model, self.data)
            self._stale = False

    def surely_within(self, distance: float) -> bool:
        return bool(np.abs(self.data.qpos).max(initial=0.0) < distance)  # what hangs on these is as near

    # ---- servos ----------------------------------------------------------------------------------
    def _apply_servos(self, model: int) -> None:
        where, gains, modes = self._index[model].actuators, self.gains[model], self.modes[model]
        driven = (modes == Mode.POSITION) | (modes == Mode.VELOCITY)
        self.mj_model.dof_solimp[self._index[model].qvel] = np.where(driven[:, None], DRY_DRIVEN, DRY)
        leads = ~self.models[model].tree.mimics.led
        position, velocity = leads & (modes == Mode.POSITION), leads & (modes == Mode.VELOCITY)
        gain, bias = self.mj_model.actuator_gainprm, self.mj_model.actuator_biasprm
        torque = leads & (modes == Mode.TORQUE)
        gain[where, 0] = np.where(position, gains.kp, np.where(velocity, gains.kv, torque))
        bias[where, 1] = np.where(position, -gains.kp, 0.0)
        bias[where, 2] = np.where(position, -gains.kd - self.dt * gains.kp, np.where(velocity, -gains.kv, 0.0))
        effort = np.minimum(gains.effort, UNBOUNDED)
        self.mj_model.actuator_forcerange[where, 0] = -effort
        self.mj_model.actuator_forcerange[where, 1] = effort

    def _apply_references(self, model: int) -> None:
        self._controls[model][:] = self.references[model]

    # ---- pushes ----------------------------------------------------------------------------------
    def _apply_pushes(self) -> None:
        self.data.xfrc_applied[:] = 0.0
        self._turning = []
        for (model, body), push in self.pushes.items():
            row = int(self._index[model].bodies[body])
            self.data.xfrc_applied[row, :3] = push.force
            self.data.xfrc_applied[row, 3:] = push.torque
            if not np.allclose(push.point, self.mj_model.body_ipos[row], rtol=0, atol=1e-12):
                self._turning.append((row, push))

    def _turn_pushes(self) -> None:
        """The torque of pushes that act beside the center of mass turns with the body."""
        mujoco.mj_kinematics(self.mj_model, self.data)
        for row, push in self._turning:
            arm = self.data.xmat[row].reshape(3, 3) @ (push.point - self.mj_model.body_ipos[row])
            self.data.xfrc_applied[row, 3:] = push.torque + np.cross(arm, push.force)

    # ---- joints ----------------------------------------------------------------------------------
    def joint_positions(self, model: int) -> Array:
        positions: Array = self.data.qpos[self._index[model].qpos]
        return positions

    def joint_velocities(self, model: int) -> Array:
        velocities: Array = self.data.qvel[self._index[model].qvel]
        return velocities

    def joint_efforts(self, model: int) -> Array:
        efforts: Array = self.data.actuator_force[self._index[model].actuators].copy()
        return efforts

    def _put_joints(self, model: int, positions: Array, velocities: Array) -> None:
        index = self._index[model]
        self.data.qpos[index.qpos], self.data.qvel[index.qvel] = positions, velocities
        self._moved()

    def _moved(self) -> None:
        """The state was changed by hand: the solver starts cold, poses are computed anew."""
        self.data.qacc_warmstart[:] = 0.0
        self._stale = True

    # ---- bodies ----------------------------------------------------------------------------------
    def _put_base(self, model: int, pose: SE3, velocity: Array) -> None:
        index = self._index[model]
        moved = pose @ SE3.from_vector(self.base_pose(model)).inverse()
        if index.base_qpos < 0:
            self.mj_model.body_pos[index.bodies[0]] = pose.translation
            self.mj_model.body_quat[index.bodies[0]] = quaternion(pose)
        else:
            a, v = index.base_qpos, index.base_qvel
            self.data.qpos[a : a + 7] = [*pose.translation, *quaternion(pose)]
            self.data.qvel[v : v + 3] = velocity[:3]
            self.data.qvel[v + 3 : v + 6] = pose.rotation.T @ velocity[3:]
        for a, v in index.floating:  # bodies on floating joints are carried along
            at = moved @ SE3.from_vector(self.data.qpos[[a, a + 1, a + 2, a + 4, a + 5, a + 6, a + 3]])
            self.data.qpos[a : a + 7] = [*at.translation, *quaternion(at)]
            self.data.qvel[v : v + 6] = 0.0
        self._moved()

    def body_poses(self, model: int) -> Array:
        self._fresh()
        return body_poses(self._index[model].bodies, self.data.xpos, self.data.xquat)

    def body_velocities(self, model: int) -> Array:
        self._fresh()
        index, data = self._index[model], self.data
        return body_velocities(index.bodies, index.roots, data.cvel, data.xpos, data.subtree_com)

    def body_motion(self, model: int, body: int) -> tuple[Array, Array]:
        index = self._index[model]
        if body == 0 and index.base_qpos >= 0:  # a free root is the state itself
            return free_motion(self.data.qpos, self.data.qvel, index.base_qpos, index.base_qvel)
        return super().body_motion(model, body)

    # ---- contacts and rays -----------------------------------------------------------------------
    def contacts(self) -> Contacts:
        return self._contacts(-1)

    def contacts_of(self, model: int) -> Contacts:
        return self._contacts(model)

    def _contacts(self, model: int) -> Contacts:
        """Contacts of all models (-1), or of one as side A."""
        if self.data.ncon == 0:
            return Contacts.empty()
        found = self.data.contact
        forces = self.data.efc_force if self.settings.cone != "pyramidal" else self._along_axes()
        who, what, depth = contacts(
            model, found.geom, found.efc_address, found.frame, found.pos, found.dist, forces,
            self._geom_model, self._geom_link,
        )  # fmt: skip
        return Contacts.of_parts(who, what, depth)

    def _along_axes(self) -> Array:
        """Forces of constraints; those of pyramidal contacts along normal and tangents, as elliptic ones have them."""
        forces, wrench = np.array(self.data.efc_force), np.zeros(6)
        for k, (address, dim) in enumerate(zip(self.data.contact.efc_address, self.data.contact.dim, strict=True)):
            if address >= 0 and dim > 1:
                mujoco.mj_contactForce(self.mj_model, self.data, k, wrench)
                forces[address : address + 3] = wrench[:3]
        return forces

    def cast_rays(
        self, origins: ArrayLike, directions: ArrayLike, max_range: float, ignore: int | None = None
    ) -> RayHits:
        if np.shape(origins) != np.shape(directions):
            raise BadInput(
                f"rays need as many origins as directions, got {np.shape(origins)} and {np.shape(directions)}"
            )
        start, vectors = ray_arrays(origins, directions)
        self._fresh()
        groups = np.ones(mujoco.mjNGROUP, dtype=np.uint8)
        hidden = self._index[ignore].geoms if ignore is not None else np.zeros(0, dtype=int)
        groups[HIDDEN_GROUP] = 0
        self.mj_model.geom_group[hidden] = HIDDEN_GROUP
        try:
            distance, geom = self._rays(start, vectors, groups, max_range)
        finally:
            self.mj_model.geom_group[hidden] = 0
        missed = (geom < 0) | (distance < 0) | (distance > max_range)
        return RayHits(
            np.where(missed, np.inf, distance),
            np.where(missed, -1, self._geom_model[geom]),
            np.where(missed, -1, self._geom_link[geom]),
        )

    def _rays(self, start: Array, vectors: Array, groups: np.ndarray, reach: float) -> tuple[Array, np.ndarray]:
        """Distances (-1: nothing) and geoms; rays that share an origin are cast together."""
        count = len(start)
        distance, geom = np.full(count, -1.0), np.full(count, -1, dtype=np.int32)
        if count == 0:
            return distance, geom
        if (start == start[0]).all():
            bundles = [(start[0], np.arange(count))]
        else:
            points, which = np.unique(start, axis=0, return_inverse=True)
            order = np.argsort(which.ravel(), kind="stable")
            ends = np.cumsum(np.bincount(which.ravel(), minlength=len(points)))
            bundles = list(zip(points, np.split(order, ends[:-1]), strict=True))
        one = np.full(1, -1, dtype=np.int32)
        for point, rows in bundles:
            if len(rows) == 1:
                distance[rows] = mujoco.mj_ray(self.mj_model, self.data, point, vectors[rows[0]], groups, 1, -1, one)
                geom[rows] = one
                continue
            far, hit = np.empty(len(rows)), np.empty(len(rows), dtype=np.int32)
            mujoco.mj_multiRay(
                self.mj_model, self.data, point, vectors[rows].ravel(), groups, 1, -1, hit, far, None, len(rows), reach
            )
            distance[rows], geom[rows] = far, hit
        return distance, geom

    # ---- snapshots -------------------------------------------------------------------------------
    def _save(self) -> tuple[Array, Array, Array, Array]:
        state = np.empty(mujoco.mj_stateSize(self.mj_model, STATE))
        mujoco.mj_getState(self.mj_model, self.data, state, STATE)
        positions, turns = self.mj_model.body_pos[self._fixed], self.mj_model.body_quat[self._fixed]
        return state, self.data.actuator_force.copy(), positions.copy(), turns.copy()

    def _load(self, state: tuple[Array, Array, Array, Array]) -> None:
        numbers, efforts, positions, turns = state
        self.mj_model.body_pos[self._fixed], self.mj_model.body_quat[self._fixed] = positions, turns
        mujoco.mj_setState(self.mj_model, self.data, numbers, STATE)
        mujoco.mj_forward(self.mj_model, self.data)  # contacts of this instant; it touches the solver's memory,
        mujoco.mj_setState(self.mj_model, self.data, numbers, STATE)  # which is put back
        self.data.actuator_force[:] = efforts
        self._stale = True
