"""ODE (from panda3d) behind the `Engine` contract: maximal coordinates, QuickStep.

This ODE is built in single precision. Positions carry 24 bits: 0.06 µm near the origin, 4 µm at 60 m, and slower
motions than that per step are lost. Joint positions are read from the joints (about 3e-7 rad).
QuickStep iterates a fixed number of times without memory of the last step, so long chains are a little soft; more
`iterations` make them stiffer at the same proportion of time.
"""

from __future__ import annotations

import weakref
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from panda3d import ode

from andante.description.joint import JointType
from andante.geometry import SE3, Array
from andante.physics.bounds import diverged
from andante.physics.engine import Engine
from andante.physics.rolling import rolling_balls
from andante.physics.state import Contacts

from . import ENGINE
from .build import Built, anchor_joints, build_model, place, place_static, put_back
from .contacts import Collider
from .drive import Drive, Motor, make_loops
from .read import StateReader

LEAST_ITERATIONS, FEW_ITERATIONS, MOST_ITERATIONS, PER_JOINT = 30, 50, 200, 40
EFFORT = 1700  # iterations times moving bodies that are spent at most, above the least (docs/physics.md)
ERP = 0.2
CFM = 1e-7
SOR = 1.3  # over-relaxation of QuickStep, ODE's own
SURFACE_LAYER = 2e-4  # contacts are kept this deep so that they do not flicker [m]
CORRECTING_SPEED = 2.0  # largest speed at which bodies that overlap are parted [m/s]
MANY_SHAPES = 150  # moving shapes beyond which a hash space is quicker than looking at all pairs
FASTEST = 2e4  # that a body may turn [rad/s]
LOOKS = 2  # steps between two looks at that
SEED = 1


class OdeEngine(Engine):
    """A scene under ODE's QuickStep."""

    name: ClassVar[str] = "ode"
    solver: ClassVar[Mapping[str, Any]] = {
        "iterations": None,  # by the scene
        "cfm": CFM,
        "erp": ERP,
        "method": "quick",
        "sor": SOR,
        "max_correcting_velocity": CORRECTING_SPEED,
        "surface_layer": SURFACE_LAYER,
    }
    methods: ClassVar[tuple[str, ...]] = ENGINE.methods
    surface: ClassVar[tuple[str, ...]] = ENGINE.surface
    loops: ClassVar[tuple[str, ...]] = ENGINE.loops

    # ---- making ------------------------------------------------------------------------------------
    def _build(self) -> None:
        settings = self.settings
        self._erp = ERP if settings.erp is None else settings.erp
        self._ode = ode.OdeWorld()
        self._ode.setGravity(*(float(g) for g in self.world.gravity))
        self._ode.setErp(self._erp)
        self._ode.setCfm(CFM if settings.cfm is None else settings.cfm)
        self._ode.setQuickStepNumIterations(settings.iterations or self._iterations())
        self._ode.setQuickStepW(SOR if settings.sor is None else settings.sor)
        layer, fastest = settings.surface_layer, settings.max_correcting_velocity
        self._ode.setContactSurfaceLayer(SURFACE_LAYER if layer is None else layer)
        self._ode.setContactMaxCorrectingVel(CORRECTING_SPEED if fastest is None else fastest)
        self._ode.setAutoDisableFlag(0)
        shapes = sum(len(body.shapes) for model in self.models for body in model.tree.bodies[model.fixed :])
        self._space = ode.OdeHashSpace() if shapes > MANY_SHAPES else ode.OdeSimpleSpace()
        self._seed = SEED
        self._roots = [model.placement.pose for model in self.models]
        self._built: list[Built] = []
        self._drives: list[Drive] = []
        self._loop_motors: list[Motor] = []
        for model in self.models:
            made = build_model(self._ode, self._space, model)
            self._built.append(made)
            self._drives.append(Drive(self._ode, model, made, settings.dt))
            self._loop_motors += make_loops(self._ode, model, made)
        self._coms = [np.array([b.inertia.com for b in model.tree.bodies]) for model in self.models]
        self._collider = Collider(self._ode, self._space, self.models, self._built, settings, self._erp)
        self._free = weakref.finalize(self, _destroy, self._ode, self._space, self._collider.group)
        self._busy = [drive for drive in self._drives if drive.joints]
        self._wrenches: list[tuple[ode.OdeBody, list[float], list[float], list[float]]] = []  # force, torque, point
        self._readers = [StateReader([b for b in made.bodies if b is not None]) for made in self._built]
        self._speeds = [
            (body.getAngularVel, model.name)
            for model, made in zip(self.models, self._built, strict=True)
            for body in made.bodies
            if body is not None
        ]
        self._rolling = [
            (body, ball)
            for index, ball in rolling_balls(self.models, self.world.gravity)
            if (body := self._built[index].bodies[0]) is not None
        ]
        self._placed: set[int] = set()  # models whose bodies stand where they should
        for model in self.models:
            q = model.tree.initial_vector
            self._place(model.index, self._roots[model.index], np.zeros(6), q, np.zeros(len(q)))
            if model.fixed:
                self._collider.stand(model.index, self._roots[model.index])

    def _iterations(self) -> int:
        """Iterations of QuickStep where none are set: 40 per joint of the longest chain, less in large scenes."""
        moving, longest = 0, 0
        for model in self.models:
            depth = [0]
            for body in model.tree.bodies[1:]:
                depth.append(depth[body.parent] + 1)
            moving, longest = moving + len(depth) - model.fixed, max(longest, *depth)
        wanted = max(FEW_ITERATIONS, PER_JOINT * longest)
        return max(LEAST_ITERATIONS, min(MOST_ITERATIONS, wanted, EFFORT // max(1, moving)))

    def close(self) -> None:
        """Free the world of ODE."""
        self._free()

    # ---- time --------------------------------------------------------------------------------------
    def _advance(self, n: int) -> None:
        ode.OdeUtil.randSetSeed(self._seed)
        step = self._ode.step if self.settings.method == "world" else self._ode.quickStep
        dt, collide = self.settings.dt, self._collider.collide
        busy, wrenches, rolling = self._busy, self._wrenches, self._rolling
        for left in range(n - 1, -1, -1):
            for drive in busy:
                drive.before_step()
            for body, force, torque, point in wrenches:
                body.addForceAtRelPos(*force, *point)
                body.addTorque(*torque)
            for body, ball in rolling:
                body.addTorque(*ball.torque(np.array(body.getLinearVel()), np.array(body.getAngularVel()), dt).tolist())
            collide(left == 0)
            step(dt)
            if left % LOOKS == 0:
                self._look()
        self._seed = ode.OdeUtil.randGetSeed()
        self._forget()

    def _look(self) -> None:
        """Raise Diverged before speeds overflow: ODE then ends the whole process."""
        for get, name in self._speeds:
            if not get().lengthSquared() < FASTEST**2:
                raise diverged(self, name)

    def _apply_servos(self, model: int) -> None:
        self._drives[model].set_servos(self.gains[model], self.modes[model])
        self._drives[model].set_references(self.references[model])

    def _apply_references(self, model: int) -> None:
        self._drives[model].set_references(self.references[model])

    def _apply_pushes(self) -> None:
        self._wrenches.clear()
        for (model, body), push in self.pushes.items():
            made = self._built[model].bodies[body]
            if made is not None:
                point = push.point - self._coms[model][body]
                self._wrenches.append((made, push.force.tolist(), push.torque.tolist(), point.tolist()))

    # ---- reading -----------------------------------------------------------------------------------
    def joint_positions(self, model: int) -> Array:
        """Joint positions, whole turns included, (joints,)."""
        return self._drives[model].positions()

    def joint_velocities(self, model: int) -> Array:
        """Joint velocities, (joints,)."""
        return self._drives[model].velocities()

    def joint_efforts(self, model: int) -> Array:
        """Efforts of the servos in the last step, (joints,) [N m, N]."""
        return self._drives[model].efforts()

    def _read_bodies(self, model: int) -> tuple[Array, Array]:
        count = len(self._built[model].bodies)
        poses, speeds = np.zeros((count, 7)), np.zeros((count, 6))
        start = int(self.models[model].fixed)
        if start:
            poses[0] = self._roots[model].vector
        self._readers[model].origins(self._coms[model][start:], poses[start:], speeds[start:])
        return poses, speeds

    def contacts(self) -> Contacts:
        """Contact points and forces of the last step."""
        return self._collider.contacts()

    # ---- placing -----------------------------------------------------------------------------------
    def _put_joints(self, model: int, positions: Array, velocities: Array) -> None:
        root = self._roots[model] if self.models[model].fixed else SE3.from_vector(self.body_poses(model)[0])
        self._place(model, root, self.body_velocities(model)[0], positions, velocities)

    def _put_base(self, model: int, pose: SE3, velocity: Array) -> None:
        q, dq = self.joint_positions(model), self.joint_velocities(model)
        free, made = self._free_poses(model), self._built[model]
        if self.models[model].fixed:
            velocity = np.zeros(6)
            self._roots[model] = pose
            self._still.pop(model, None)
            place_static(made.geoms, pose)
            self._collider.stand(model, pose)
            if made.joints or made.others or made.loops:
                anchor_joints(self.models[model], made, pose)
        self._place(model, pose, velocity, q, dq, free)

    def _free_poses(self, model: int) -> dict[int, SE3]:
        """parent_from_body of bodies on joints of several degrees, as they are now."""
        tree = self.models[model].tree
        several = [i for i, b in enumerate(tree.bodies) if b.joint is not None and not b.joint.one_dof]
        if not several:
            return {}
        poses = SE3.from_vector(self.body_poses(model))
        return {i: poses[tree.bodies[i].parent].inverse() @ poses[i] for i in several}

    def _place(
        self, model: int, root: SE3, speed: Array, q: Array, dq: Array, free: dict[int, SE3] | None = None
    ) -> None:
        """Put all bodies by forward kinematics, with velocities that keep every joint."""
        tree, made = self.models[model].tree, self._built[model]
        if free is None:
            free = self._free_poses(model) if model in self._placed else {}
        names = tree.robot.joint_names
        poses = tree.poses(root, dict(zip(names, q.tolist(), strict=True)), free)
        rates = dict(zip(names, dq.tolist(), strict=True))
        linear, angular = [speed[:3]], [speed[3:]]
        for i, body in enumerate(tree.bodies[1:], start=1):
            v = linear[body.parent] + np.cross(
                angular[body.parent], poses[i].translation - poses[body.parent].translation
            )
            w = angular[body.parent]
            if body.joint is not None and body.joint.one_dof:
                motion = poses[i].rotation @ np.asarray(body.joint.axis) * rates[body.joint.name]
                if body.joint.type is JointType.PRISMATIC:
                    v = v + motion
                else:
                    w = w + motion
            linear.append(v)
            angular.append(w)
        for i, moved in enumerate(made.bodies):
            if moved is None:
                continue
            com = poses[i].rotation @ self._coms[model][i]
            place(moved, poses[i].translation + com, poses[i].quaternion)
            moved.setLinearVel(*(float(c) for c in linear[i] + np.cross(angular[i], com)))
            moved.setAngularVel(*(float(c) for c in angular[i]))
        self._drives[model].put(q)
        self._collider.near.ask()
        self._forget()
        self._placed.add(model)

    # ---- snapshots ---------------------------------------------------------------------------------
    def _save(self) -> Any:
        bodies = [
            (b.getPosition(), b.getQuaternion(), b.getLinearVel(), b.getAngularVel())
            for made in self._built
            for b in made.bodies
            if b is not None
        ]
        return bodies, tuple(self._roots), [d.save() for d in self._drives], self._seed, self.contacts()

    def _load(self, state: Any) -> None:
        bodies, roots, drives, seed, contacts = state
        for model, root in zip(self.models, roots, strict=True):
            if model.fixed and root is not self._roots[model.index]:
                self.set_base(model.index, root.vector)
        saved = iter(bodies)
        for made in self._built:
            for body in made.bodies:
                if body is not None:
                    position, quaternion, linear, angular = next(saved)
                    body.setPosition(position)
                    put_back(body, quaternion)
                    body.setLinearVel(linear)
                    body.setAngularVel(angular)
        for drive, memory in zip(self._drives, drives, strict=True):
            drive.load(memory)
        self._seed = seed
        self._collider.near.ask()
        self._collider.forget(contacts)
        self._forget()


def _destroy(world: ode.OdeWorld, space: ode.OdeSpace, group: ode.OdeJointGroup) -> None:
    """Give back what ODE holds; panda3d leaves that to the user."""
    group.empty()
    group.destroy()
    space.destroy()
    world.destroy()
