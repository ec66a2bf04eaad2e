"""DART behind the `Engine` contract: articulated bodies in generalised coordinates, contacts and servos in one LCP.

Contacts are found by DART's ODE detector: of the four in the wheel it alone has right and stable contacts for planes,
boxes, cylinders, capsules and meshes in every pairing, and it keeps no memory between steps. The LCP is solved exactly
(Dantzig); where that fails, or `solver.method` is pgs, DART sweeps by projected Gauss-Seidel, `solver.iterations`
times. CFM, ERP and directions of friction are DART's own: its Python interface has no way to them. Friction is a
pyramid along two directions of the contact plane.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import Any, ClassVar

import dartpy
import numpy as np

from andante.compiling import njit
from andante.description.source import Problem, Severity
from andante.errors import BadInput
from andante.geometry import SE3, Array
from andante.physics.bounds import FARTHEST, diverged
from andante.physics.engine import Engine
from andante.physics.rolling import rolling_balls
from andante.physics.state import Contacts

from . import ENGINE
from .build import ERROR_REDUCTION, Built, ShapeMaker, build_skeleton, isometry, loop_constraints
from .servos import LIMIT_ERP, SOFTEST, JointServos, ServoState

MOST_CONTACTS = 100_000  # in one step, in the whole world
ITERATIONS, TOLERANCE = 30, 1e-3  # of the sweeps, DART's own
RIGID = 1e-9  # softness of servos and joint limits in DART where nothing asks for more


@dataclass(frozen=True)
class _State:
    """What `_save` keeps: coordinates and velocities of all skeletons, poses of fixed roots, and the last readings."""

    time: float
    positions: tuple[Array, ...]
    velocities: tuple[Array, ...]
    roots: tuple[Array | None, ...]
    contacts: Contacts
    efforts: tuple[Array, ...]
    servos: tuple[ServoState, ...]
    softness: float | None


class DartEngine(Engine):
    """A scene under DART."""

    name: ClassVar[str] = "dart"
    solver: ClassVar[Mapping[str, Any]] = {"iterations": ITERATIONS, "method": "dantzig", "tolerance": TOLERANCE}
    methods: ClassVar[tuple[str, ...]] = ENGINE.methods
    surface: ClassVar[tuple[str, ...]] = ENGINE.surface

    # ---- construction ----------------------------------------------------------------------------
    def _build(self) -> None:
        self._world = dartpy.simulation.World("andante")
        self._world.setTimeStep(self.dt)
        self._world.setGravity(list(self.world.gravity))
        sleep = self._world.getDeactivationOptions()
        sleep.mEnabled = False
        self._world.setDeactivationOptions(sleep)
        solver = self._world.getConstraintSolver()
        solver.setCollisionDetector(dartpy.collision.OdeCollisionDetector())
        solver.getCollisionOption().maxNumContacts = MOST_CONTACTS
        self._set_solver(solver)
        dartpy.constraint.DynamicJointConstraint.setErrorReductionParameter(ERROR_REDUCTION)
        dartpy.constraint.JointConstraint.setErrorReductionParameter(LIMIT_ERP)
        self._softness: float | None = None  # of the servos of this world, None: to be found
        shapes = ShapeMaker()
        self._built: list[Built] = []
        self._owners: dict[str, tuple[int, int]] = {}  # model and link by the names of shapes, as they are asked for
        self._moving: list[Any] = []
        for model in self.models:
            _near(f"the place of {model.name!r}", model.placement.pose.vector)
            built = build_skeleton(model.index, model.tree, model.placement.pose, model.fixed, self.settings, shapes)
            if built.skeleton.getNumDofs() == 0:
                built.skeleton.setMobile(False)
            else:
                self._moving.append(built.skeleton)
            self._world.addSkeleton(built.skeleton)
            self._built.append(built)
        for model, built in zip(self.models, self._built, strict=True):
            self._close_loops(model.index, built)
        self._mask()
        self._servos = [
            JointServos(built, model.tree, self.dt) for built, model in zip(self._built, self.models, strict=True)
        ]
        for model in self.models:
            if model.tree.robot.movable:
                self._put_joints(model.index, model.tree.initial_vector, np.zeros(len(model.tree.initial_vector)))
        self._held: _State | None = None  # readings of a restored instant, until the next step
        self._rolling = [
            (self._built[index].nodes[0], ball) for index, ball in rolling_balls(self.models, self.world.gravity)
        ]
        self._pressed: list[Any] = []  # nodes that carry an outside force in DART
        self._apply_pushes()

    def _set_solver(self, solver: Any) -> None:
        """Iterations and tolerance are those of the sweeps (PGS), which help out where Dantzig fails or are chosen.

        Sweeps that end before they have converged count as a failure, and the second solver then has the word. dartpy
        makes no PGS by itself: the other one comes from another world.
        """
        asked, sweeps = self.settings, [solver.getSecondaryBoxedLcpSolver()]
        if asked.method == "pgs":
            sweeps.append(dartpy.simulation.World("spare").getConstraintSolver().getSecondaryBoxedLcpSolver())
            solver.setBoxedLcpSolver(sweeps[1])
        if asked.method == "pgs" or asked.iterations is not None or asked.tolerance is not None:
            option = dartpy.constraint.PgsBoxedLcpSolverOption(asked.iterations or ITERATIONS)
            if asked.tolerance is not None:
                option.mDeltaXThreshold = option.mRelativeDeltaXTolerance = asked.tolerance
            for each in sweeps:
                each.setOption(option)

    def _close_loops(self, index: int, built: Built) -> None:
        tree = self.models[index].tree
        solver = self._world.getConstraintSolver()
        start = np.array(built.skeleton.getPositions())
        if tree.loops:
            level = start.copy()
            level[built.dofs] = 0.0
            built.skeleton.setPositions(level)
        for loop in tree.loops:
            for constraint in loop_constraints(tree.robot.name, tree, loop, built.nodes):
                solver.addConstraint(constraint)
            limits = loop.joint.limits
            if math.isfinite(limits.lower) or math.isfinite(limits.upper):
                told = f"engine 'dart' does not enforce the limits of the loop joint {loop.joint.name!r}"
                note = f"{told}; limit a joint of the tree instead"
                self._notes.append(Problem(Severity.WARNING, note, loop.joint.source))
        if tree.loops:
            built.skeleton.setPositions(start)

    def _mask(self) -> None:
        """Which bodies never collide: masked pairs, ends of loops, roots that cannot move, unmatched bit masks."""
        forbid = self._world.getConstraintSolver().getCollisionOption().collisionFilter.addBodyNodePairToBlackList
        for model, built in zip(self.models, self._built, strict=True):
            tree = model.tree
            count = len(tree.bodies)
            if len(tree.masked_pairs) < count * (count - 1) // 2:  # ends of loops are among them
                built.skeleton.enableSelfCollisionCheck()
                built.skeleton.disableAdjacentBodyCheck()
                for low, high in sorted(tree.masked_pairs):
                    if tree.bodies[low].shapes and tree.bodies[high].shapes:
                        forbid(built.nodes[low], built.nodes[high])
        rooted = [
            (built, built.nodes[0])
            for model, built in zip(self.models, self._built, strict=True)
            if built.fixed and model.tree.bodies[0].shapes
        ]
        for k, (built, node) in enumerate(rooted):
            for other, other_node in rooted[:k]:
                if built.skeleton.isMobile() or other.skeleton.isMobile():
                    forbid(other_node, node)
        self._mask_bits(forbid)

    def _mask_bits(self, forbid: Any) -> None:
        """Bodies of which no two shapes share a collision bit do not collide."""
        bits: list[tuple[Any, int, bool]] = []
        for model, built in zip(self.models, self._built, strict=True):
            for body, node in zip(model.tree.bodies, built.nodes, strict=True):
                masks = [s.surface.collide_bitmask for s in body.shapes if s.surface.collide_bitmask != 0]
                if masks:
                    merged = reduce(or_, (0xFFFF if mask is None else mask for mask in masks))
                    bits.append((node, merged, any(mask is not None for mask in masks)))
        for i, (node, mask, given) in enumerate(bits):
            for other, other_mask, other_given in bits[:i]:
                if (given or other_given) and not mask & other_mask:
                    forbid(other, node)

    # ---- stepping --------------------------------------------------------------------------------
    def _advance(self, n: int) -> None:
        step = self._world.step
        self._held = None
        self._soften()
        updates = [self._press] if self._pressed else []
        updates += [servos.update for servos in self._servos if servos.busy]
        moving = self._moving
        for _ in range(n):
            for skeleton in moving:
                q = skeleton.getPositions()
                if not q.dot(q) < FARTHEST**2:  # NaN too
                    raise diverged(self, self.models[int(skeleton.getName())].name)
            for update in updates:
                update()
            step(False)  # commands and outside forces stay

    def _soften(self) -> None:
        """Give DART the softness of the servos of this world; it has one for all worlds of the process."""
        if self._softness is None:
            holding = [servos.softest() for servos in self._servos if servos.holds]
            self._softness = min(SOFTEST, *holding) if holding else 0.0
            for servos in self._servos:
                servos.soften(self._softness)
        dartpy.constraint.JointConstraint.setConstraintForceMixing(max(self._softness, RIGID))

    def _apply_servos(self, model: int) -> None:
        self._softness = None
        self._servos[model].set_modes(self.modes[model], self.gains[model])
        self._servos[model].set_references(self.references[model])

    def _apply_references(self, model: int) -> None:
        self._servos[model].set_references(self.references[model])

    def _apply_pushes(self) -> None:
        for node in self._pressed:
            node.clearExternalForces()
        self._pressed = [self._built[model].nodes[body] for model, body in self.pushes]
        self._pressed += [node for node, _ in self._rolling]
        if any(self.world.gravity):
            self._pressed += [built.nodes[body] for built in self._built for body in built.buoyant]

    def _press(self) -> None:
        """Outside forces of the next step: DART keeps them in the body frame, so they are set anew each time."""
        for node in self._pressed:
            node.clearExternalForces()
        for (model, body), push in self.pushes.items():
            node = self._built[model].nodes[body]
            node.addExtForce(push.force, push.point, False, True)
            node.addExtTorque(push.torque, False)
        for node, ball in self._rolling:
            turning = np.asarray(node.getAngularVelocity())
            node.addExtTorque(ball.torque(np.asarray(node.getCOMLinearVelocity()), turning, self.dt), False)
        gravity = np.asarray(self.world.gravity)
        for built in self._built:
            for body, mass in built.buoyant.items():
                node = built.nodes[body]
                R = node.getWorldTransform().rotation()
                node.addExtForce(-mass @ (R.T @ gravity), np.zeros(3), True, True)

    # ---- joints and bases ------------------------------------------------------------------------
    def joint_positions(self, model: int) -> Array:
        """Joint positions, (joints,), a copy."""
        built = self._built[model]
        positions: Array = np.asarray(built.skeleton.getPositions())[built.dofs]
        return positions

    def joint_velocities(self, model: int) -> Array:
        """Joint velocities, (joints,), a copy."""
        built = self._built[model]
        velocities: Array = np.asarray(built.skeleton.getVelocities())[built.dofs]
        return velocities

    def joint_efforts(self, model: int) -> Array:
        """Efforts that the servos applied in the last step, (joints,) [N m, N]; see `JointServos.efforts`."""
        if self._held is not None:
            return self._held.efforts[model].copy()
        return self._servos[model].efforts()

    def _put_joints(self, model: int, positions: Array, velocities: Array) -> None:
        _near(f"joint positions and velocities of {self.models[model].name!r}", positions, velocities)
        built = self._built[model]
        q, v = built.skeleton.getPositions().copy(), built.skeleton.getVelocities().copy()
        q[built.dofs], v[built.dofs] = positions, velocities
        built.skeleton.setPositions(q)
        built.skeleton.setVelocities(v)

    def _put_base(self, model: int, pose: SE3, velocity: Array) -> None:
        _near(f"the base pose and velocity of {self.models[model].name!r}", pose.vector, velocity)
        built = self._built[model]
        joint = built.nodes[0].getParentJoint()
        if built.fixed:
            joint.setTransformFromParentBodyNode(isometry(pose))
            return
        joint.setTransform(isometry(pose))
        joint.setLinearVelocity(velocity[:3])
        joint.setAngularVelocity(velocity[3:])

    def body_poses(self, model: int) -> Array:
        """World poses of the bodies, (bodies, 7)."""
        return vectors_of(np.array([node.getWorldTransform().matrix() for node in self._built[model].nodes]))

    def body_velocities(self, model: int) -> Array:
        """Velocities of the body origins, linear then angular in world axes, (bodies, 6)."""
        nodes = self._built[model].nodes
        out = np.empty((len(nodes), 6))
        for i, node in enumerate(nodes):
            out[i, :3], out[i, 3:] = node.getLinearVelocity(), node.getAngularVelocity()
        return out

    def body_motion(self, model: int, body: int) -> tuple[Array, Array]:
        """Pose (7,) and velocity (6,) of one body."""
        node = self._built[model].nodes[body]
        velocity = np.concatenate((node.getLinearVelocity(), node.getAngularVelocity()))
        return vectors_of(np.array([node.getWorldTransform().matrix()]))[0], velocity

    # ---- contacts and rays -----------------------------------------------------------------------
    def contacts(self) -> Contacts:
        """Contact points and forces of the last step."""
        if self._held is not None:
            return self._held.contacts
        points = self._world.getLastCollisionResult().getContacts()
        if not points:
            return Contacts.empty()
        who, vectors = np.empty((4, len(points)), dtype=int), np.empty((3, len(points), 3))
        depth = np.empty(len(points))
        for i, p in enumerate(points):
            who[:, i] = self._owner(p.collisionObject1) + self._owner(p.collisionObject2)
            vectors[0, i], vectors[1, i], vectors[2, i], depth[i] = p.point, p.normal, p.force, p.penetrationDepth
        return Contacts.of_parts(who, vectors, depth)

    def _owner(self, side: Any) -> tuple[int, int]:
        """Model and link of a collision object, from the name that its shape was given."""
        name = side.getShapeFrame().getName()
        known = self._owners.get(name)
        if known is None:
            model, link = name.split(".")[:2]
            known = self._owners[name] = int(model), int(link)
        return known

    # ---- snapshots -------------------------------------------------------------------------------
    def _save(self) -> _State:
        skeletons = [built.skeleton for built in self._built]
        return _State(
            self._world.getTime(),
            tuple(np.array(skeleton.getPositions()) for skeleton in skeletons),
            tuple(np.array(skeleton.getVelocities()) for skeleton in skeletons),
            tuple(
                np.array(built.nodes[0].getWorldTransform().matrix()) if built.fixed else None for built in self._built
            ),
            self.contacts(),
            tuple(self.joint_efforts(model.index) for model in self.models),
            tuple(servos.save() for servos in self._servos),
            self._softness,
        )

    def _load(self, state: _State) -> None:
        self._world.setTime(state.time)
        for built, q, v, root in zip(self._built, state.positions, state.velocities, state.roots, strict=True):
            if root is not None:
                built.nodes[0].getParentJoint().setTransformFromParentBodyNode(dartpy.math.Isometry3(root))
            built.skeleton.setPositions(q)
            built.skeleton.setVelocities(v)
        for servos, kept in zip(self._servos, state.servos, strict=True):
            servos.soften(state.softness or 0.0)
            servos.load(kept)
        self._softness, self._held = state.softness, state

    def close(self) -> None:
        """Free the world."""
        self._world.removeAllSkeletons()
        self._built.clear()
        self._servos.clear()
        self._pressed.clear()


@njit(nogil=True)
def vectors_of(transforms: Array) -> Array:
    """Poses x y z qx qy qz qw (n, 7) of matrices (n, 4, 4), qw >= 0; the largest is the pivot (Shepperd)."""
    out, q = np.empty((transforms.shape[0], 7)), np.empty(4)
    for i in range(transforms.shape[0]):
        m = transforms[i]
        d0, d1, d2 = m[0, 0], m[1, 1], m[2, 2]
        trace = d0 + d1 + d2
        a, b, c = m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1]
        e, f, g = m[0, 1] + m[1, 0], m[0, 2] + m[2, 0], m[1, 2] + m[2, 1]
        if d0 >= d1 and d0 >= d2 and d0 >= trace:
            q[0], q[1], q[2], q[3] = 1 + d0 - d1 - d2, e, f, a
        elif d1 >= d2 and d1 >= trace:
            q[0], q[1], q[2], q[3] = e, 1 - d0 + d1 - d2, g, b
        elif d2 >= trace:
            q[0], q[1], q[2], q[3] = f, g, 1 - d0 - d1 + d2, c
        else:
            q[0], q[1], q[2], q[3] = a, b, c, 1 + trace
        norm = math.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
        sign = -1.0 if q[3] / norm < 0.0 else 1.0
        for k in range(3):
            out[i, k] = m[k, 3]
        for k in range(4):
            out[i, 3 + k] = sign * (q[k] / norm)
    return out


def _near(what: str, *values: Array) -> None:
    """Refuse numbers that are not finite or too large for the collision detector."""
    for each in values:
        if not (np.abs(each) < FARTHEST).all():
            raise BadInput(f"{what} must be finite and below {FARTHEST:g} in size, got {each}")
