"""Servos, springs, losses and mimic of the joints of one model in ODE.

All are rows of ODE's solver, so they are implicit. A motor row asks for v' = c - CFM * effort at the end of the step,
|effort| <= FMax. Written for each law with step h:

    position servo   effort = kp (target - q - h v') - kd v'   CFM = 1/(h kp + kd)   c = kp (target - q) CFM
    velocity servo   effort = kv (target - v')                 CFM = 1/kv            c = target
    spring, damper   effort = k (rest - q - h v') - d v'       CFM = 1/(h k + d)     c = k (rest - q) CFM
    dry friction     |effort| <= FMax                          CFM = 0               c = 0
    mimic            v' = m v_source + ERP (m q_source + offset - q) / h, without limit

The motor of the hinge or slider itself carries the dry friction; servo and spring have angular or linear motors of
their own beside it, because ODE pushes with all of FMax when a joint's own motor works at a stop. The effort of a
mimic joint acts back on its source through the ratio, smoothed since it is known one step late: see `follow_rates`.
The rotor inertia of a slider is a row too: effort = -A (v' - v)/h. Damping that is small beside kd is added to it
while a position servo holds the joint, and shares its effort limit.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from panda3d import ode

from andante.description.inertia import combine
from andante.description.joint import Joint, JointType
from andante.errors import Unsupported
from andante.geometry import SE3, Array, se2
from andante.physics.commands import ServoGains
from andante.physics.model import Model
from andante.physics.state import Mode
from andante.physics.tree import BodyTree

from .build import Built, attach, is_wide, slider_rate
from .memory import Memory, Remembered

LMOTOR_VEL, LMOTOR_FMAX, LMOTOR_CFM = 2, 5, 8  # numbers of ODE's joint parameters
STOP_ERP = 0.6
STOP_CFM = 1e-6
MIMIC_ERP = 0.2
MIMIC_CFM = 1e-3
REACTION_TIME = 0.03  # [s]
LEADS = 0.02  # of its range, by which a mimic joint may be led past its own limits
MERGED = 0.02  # damping up to this fraction of kd is carried by the row of a position servo
NEAR = 1.0  # a wide joint gets its stop this far before the limit [rad]


class Motor:
    """One motor row about or along the axis of a joint."""

    def __init__(self, world: ode.OdeWorld, joint: ode.OdeJoint, child: Any, parent: Any) -> None:
        self.linear = isinstance(joint, ode.OdeSliderJoint)
        self.joint = joint
        self.ode = ode.OdeLMotorJoint(world) if self.linear else ode.OdeAMotorJoint(world)
        attach(self.ode, child, parent)
        self.ode.setNumAxes(1)
        axis = joint.getAxis()
        self.ode.setAxis(0, 1, axis[0], axis[1], axis[2])
        self.feedback = ode.OdeJointFeedback()
        self.ode.setFeedback(self.feedback)
        self.key = LMOTOR_VEL if self.linear else 0
        self.set_velocity: Callable[[int, float], None] = self.ode.setParam if self.linear else self.ode.setParamVel
        self.tune(0.0, 0.0)

    def tune(self, force: float, cfm: float) -> None:
        """Largest effort (0: off) and softness of the row."""
        if self.linear:
            self.ode.setParam(LMOTOR_FMAX, force)
            self.ode.setParam(LMOTOR_CFM, cfm)
        else:
            self.ode.setParamFMax(0, force)
            self.ode.setParamCFM(0, cfm)

    def effort(self) -> float:
        """Effort of the last step on the child along the axis [N m, N]."""
        given = self.feedback.getForce1() if self.linear else self.feedback.getTorque1()
        axis = self.joint.getAxis()
        return float(given[0] * axis[0] + given[1] * axis[1] + given[2] * axis[2])


def follow_rates(tree: BodyTree, mimics: list[tuple[int, int, float, float]], dt: float) -> dict[int, float]:
    """Part of a mimic joint's effort that reaches its source in a step of dt [s].

    Followers of inertia sum(m² I) act back on a source of inertia J one step late. Smoothed by a, that loop is calm for
    a < 2 / (1 + sum(m² I) / J); half of it is taken where `REACTION_TIME` asks for more, as for fingers of a hand whose
    own link has next to no inertia.
    """
    carried: dict[int, float] = {}
    moved = _moved_inertias(tree) if mimics else np.zeros(0)
    for i, source, m, _ in mimics:
        carried[source] = carried.get(source, 0.0) + m * m * float(moved[i])
    most = {source: 1.0 / (1.0 + load / max(float(moved[source]), 1e-12)) for source, load in carried.items()}
    return {i: min(1.0, dt / REACTION_TIME, most[source]) for i, source, _, _ in mimics}


def _moved_inertias(tree: BodyTree) -> Array:
    """(joints,) inertia about the axis of each joint of the bodies that it moves, or their mass [kg m², kg]."""
    poses: list[SE3] = []
    for body in tree.bodies:
        poses.append(poses[body.parent] @ body.pose if body.parent >= 0 else SE3.identity())
    out = np.zeros(len(tree.robot.movable))
    for i, (joint, own) in enumerate(zip(tree.robot.movable, tree.joint_bodies, strict=True)):
        back = poses[own].inverse()
        parts = [(tree.bodies[b].inertia, back @ poses[b]) for b in np.flatnonzero(tree.carries[own])]
        whole = combine(inertia.transformed(pose) for inertia, pose in parts)
        if whole is None:
            continue
        axis = np.asarray(joint.axis)
        lever = np.cross(axis, np.asarray(whole.com))
        turned = float(axis @ whole.matrix @ axis) + whole.mass * float(lever @ lever)
        out[i] = (whole.mass if joint.type is JointType.PRISMATIC else turned) + joint.dynamics.armature
    return out


class Drive:
    """The joints of one model: what moves and what brakes them."""

    def __init__(self, world: ode.OdeWorld, model: Model, made: Built, dt: float) -> None:
        """The bodies must stand where the joints read 0 (as `anchor_joints` leaves them)."""
        tree = model.tree
        self.movable, self.dt = tree.robot.movable, dt
        count = len(self.movable)
        index = {joint.name: i for i, joint in enumerate(self.movable)}
        self.center = made.center
        self.joints = made.joints
        self.read = [j.getPosition if isinstance(j, ode.OdeSliderJoint) else j.getAngle for j in made.joints]
        self.push = [j.addForce if isinstance(j, ode.OdeSliderJoint) else j.addTorque for j in made.joints]
        ends = [(made.bodies[b], made.bodies[tree.bodies[b].parent]) for b in tree.joint_bodies]
        self.rate = [
            slider_rate(j, *ends[i]) if isinstance(j, ode.OdeSliderJoint) else j.getAngleRate
            for i, j in enumerate(made.joints)
        ]
        self.motors = [Motor(world, j, *ends[i]) for i, j in enumerate(made.joints)]
        hinged = [i for i, j in enumerate(made.joints) if isinstance(j, ode.OdeHingeJoint)]
        self.memory = Memory(
            [made.joints[i] for i in hinged], [self.motors[i].feedback for i in hinged], [ends[i] for i in hinged]
        )
        self._hinged = np.array(hinged, dtype=int)
        self._recalled = {i: k for k, i in enumerate(hinged)}  # place of a joint in the memory
        self.passive: dict[int, Motor] = {}
        self.springs: list[tuple[int, Motor, float, float, float]] = []  # index, motor, k CFM, rest, A CFM / h
        kept = set[int]()  # joints that the stops of others keep within their limits
        for i, joint in enumerate(self.movable):
            if joint.mimic is not None and joint.mimic.joint in index:
                kept |= {i} if stops_for(self.movable[index[joint.mimic.joint]], joint) else set()
            set_losses(made.joints[i], joint, float(self.center[i]), i not in kept)
            self._make_passive(world, i, joint, ends[i])
        self.mimics: list[tuple[int, int, float, float]] = []
        for i, joint in enumerate(self.movable):
            if joint.mimic is not None and joint.mimic.joint in index:
                source, m = index[joint.mimic.joint], joint.mimic.multiplier
                offset = m * float(self.center[source]) + joint.mimic.offset - float(self.center[i])
                self.mimics.append((i, source, m, offset))
        self._follow_rate = follow_rates(tree, self.mimics, dt)
        self.followers = np.zeros(count, dtype=bool)
        self.followers[[i for i, _, _, _ in self.mimics]] = True
        self.turning = [i for i, j in enumerate(self.movable) if j.type is JointType.CONTINUOUS or is_wide(j)]
        self.wide = [i for i in self.turning if is_wide(self.movable[i]) and i not in kept]
        self.turns = [0.0] * count  # whole turns already made [rad]
        self.last = [0.0] * count  # angle last read of the turning joints [rad]
        self.reaction = [0.0] * count  # smoothed effort of mimic joints
        self.reference = [0.0] * count
        self.stiff = [0.0] * count  # kp CFM of position servos
        self.merged = [0.0] * count  # damping that the servo rows carry
        self._held: list[tuple[Callable[[], float], Motor, int, float, float]] = []  # joint, effort limit, CFM
        self._held_turning: list[int] = []
        self._pulling: list[int] = []  # joints whose servo holds a position or a velocity
        self._torques: list[int] = []
        self._speeds: list[int] = []
        self._shift = np.zeros(count)
        self.modes = np.zeros(count, dtype=np.int8)
        for i, _, _, _ in self.mimics:
            self.motors[i].tune(math.inf, MIMIC_CFM)

    def _make_passive(self, world: ode.OdeWorld, i: int, joint: Joint, ends: tuple[Any, Any]) -> None:
        loss = joint.dynamics
        rotor = loss.armature if joint.type is JointType.PRISMATIC else 0.0
        total = self.dt * loss.stiffness + loss.damping + rotor / self.dt
        if total <= 0:
            return
        motor = self.passive[i] = Motor(world, self.joints[i], *ends)
        motor.tune(math.inf, 1 / total)
        motor.set_velocity(motor.key, 0.0)
        if loss.stiffness > 0 or rotor > 0:
            self.springs.append((i, motor, loss.stiffness / total, loss.reference, rotor / self.dt / total))

    # ---- commands --------------------------------------------------------------------------------
    def set_servos(self, gains: ServoGains, modes: np.ndarray) -> None:
        """Bring gains and modes into the motor rows."""
        self.modes = modes.copy()
        self.modes[self.followers] = Mode.OFF
        self._held, self._held_turning, self._torques = [], [], []
        remembered = np.zeros(len(self.motors))
        self._speeds = np.flatnonzero(self.modes == Mode.VELOCITY).tolist()
        self._pulling = np.flatnonzero((self.modes == Mode.POSITION) | (self.modes == Mode.VELOCITY)).tolist()
        self._shift = np.where(self.modes == Mode.POSITION, self.center, 0.0)
        for i, motor in enumerate(self.motors):
            if self.followers[i]:
                continue
            mode, effort = self.modes[i], float(gains.effort[i])
            total = float(self.dt * gains.kp[i] + gains.kd[i])
            self.merged[i] = self._merge(i, mode == Mode.POSITION and total > 0, float(gains.kd[i]))
            if mode == Mode.POSITION and total > 0:
                total += self.merged[i]
                motor.tune(effort, 1 / total)
                self.stiff[i] = float(gains.kp[i]) / total
                if i in self.turning or motor.linear or not math.isfinite(effort):
                    self._held_turning.append(i)
                else:
                    self._held.append((self.read[i], motor, i, effort, 1 / total))
                    remembered[i] = effort
            elif mode == Mode.VELOCITY and gains.kv[i] > 0:
                motor.tune(effort, 1 / float(gains.kv[i]))
            else:
                motor.tune(0.0, 0.0)
                if mode == Mode.TORQUE:
                    self._torques.append(i)
        self.memory.limit(remembered[self._hinged])

    def _merge(self, i: int, held: bool, kd: float) -> float:
        """Damping that the servo row of a joint takes over, which saves a row where it is small beside kd."""
        loss = self.movable[i].dynamics
        if i not in self.passive or any(i == spring[0] for spring in self.springs):
            return 0.0
        merge = held and loss.damping <= MERGED * kd
        self.passive[i].tune(0.0 if merge else math.inf, 1 / loss.damping)
        return loss.damping if merge else 0.0

    def set_references(self, references: Array) -> None:
        """Take over targets: positions, velocities or torques by mode."""
        self.reference = (references - self._shift).tolist()
        for i in self._speeds:
            motor = self.motors[i]
            motor.set_velocity(motor.key, self.reference[i])

    # ---- every step ------------------------------------------------------------------------------
    def track(self) -> None:
        """Follow joints over whole turns; to be called at least once per half turn."""
        for i in self.turning:
            angle = self.read[i]()
            jump = angle - self.last[i]
            if jump > math.pi:
                self.turns[i] -= 2 * math.pi
            elif jump < -math.pi:
                self.turns[i] += 2 * math.pi
            self.last[i] = angle

    def before_step(self) -> None:
        """Write what the rows ask for in the coming step."""
        reference, stiff = self.reference, self.stiff
        if self._recalled:
            self.memory.recall()
            known, place = self.memory.effort.tolist(), self._recalled
            for read, motor, i, limit, cfm in self._held:
                given = known[place[i]]
                motor.ode.setParamFMax(0, limit - abs(given))
                motor.ode.setParamVel(0, stiff[i] * (reference[i] - read()) - cfm * given)
            self.memory.act()
        if self.turning:
            self.track()
            for i in self.wide:
                self._move_stops(i)
        for i in self._held_turning:
            motor, at = self.motors[i], self.last[i] + self.turns[i] if i in self.turning else self.read[i]()
            motor.set_velocity(motor.key, stiff[i] * (reference[i] - at))
        for i in self._torques:
            self.push[i](reference[i])
        for i, motor, stiffness, rest, rotor in self.springs:
            gap = rest - self.center[i] - self.turns[i] - self.read[i]()
            motor.set_velocity(motor.key, stiffness * gap + rotor * self.rate[i]())
        for i, source, m, offset in self.mimics:
            gap = m * (self.read[source]() + self.turns[source]) + offset - self.read[i]() - self.turns[i]
            motor = self.motors[i]
            motor.set_velocity(motor.key, m * self.rate[source]() + MIMIC_ERP / self.dt * gap)
            self.reaction[i] += self._follow_rate[i] * (motor.effort() - self.reaction[i])
            self.push[source](-m * self.reaction[i])

    def _move_stops(self, i: int) -> None:
        """Switch on the stop that a joint of a wide range is near to; ODE folds angles into half a turn."""
        q, joint, limits = self.position(i), self.joints[i], self.movable[i].limits
        center = float(self.center[i])
        joint.setParamHiStop(se2.wrap_angle(limits.upper - center) if limits.upper - q < NEAR else math.inf)
        joint.setParamLoStop(se2.wrap_angle(limits.lower - center) if q - limits.lower < NEAR else -math.inf)

    # ---- reading ---------------------------------------------------------------------------------
    def position(self, i: int) -> float:
        """Position of a tracked joint [rad]."""
        return float(self.center[i]) + self.turns[i] + self.last[i]

    def positions(self) -> Array:
        """Joint positions, whole turns included."""
        self.track()
        return np.array([read() for read in self.read]) + self.turns + self.center

    def velocities(self) -> Array:
        """Joint velocities."""
        return np.array([rate() for rate in self.rate])

    def efforts(self) -> Array:
        """Efforts of the servos in the last step."""
        out = np.zeros(len(self.motors))
        for i in self._torques:
            out[i] = self.reference[i]
        for i in self._pulling:
            damped = self.merged[i] * self.rate[i]() if self.merged[i] else 0.0
            out[i] = self.motors[i].effort() + damped
        out[self._hinged] += self.memory.effort
        return out

    def put(self, positions: Array) -> None:
        """The bodies have been put at these joint positions: count turns from there."""
        for i in self.turning:
            angle = self.read[i]()
            self.last[i] = angle
            off = float(positions[i]) - float(self.center[i]) - angle
            self.turns[i] = 2 * math.pi * round(off / (2 * math.pi))
        self.reaction = [0.0] * len(self.reaction)
        self.memory.forget()

    def save(self) -> tuple[list[float], list[float], list[float], Remembered]:
        """What the joints remember beside the poses of the bodies."""
        return self.turns.copy(), self.last.copy(), self.reaction.copy(), self.memory.save()

    def load(self, state: tuple[list[float], list[float], list[float], Remembered]) -> None:
        """Put back what `save` returned."""
        *lists, remembered = state
        self.turns, self.last, self.reaction = (values.copy() for values in lists)
        self.memory.load(remembered)


def stops_for(leader: Joint, follower: Joint) -> bool:
    """Whether the stops of a joint also keep one that mimics it within its own limits.

    Two rows without limit on one axis, mimic and stop, would push against each other by what their positions differ.
    """
    mimic = follower.mimic
    if mimic is None or not math.isfinite(leader.limits.upper - leader.limits.lower):
        return False
    ends = [mimic.multiplier * value + mimic.offset for value in (leader.limits.lower, leader.limits.upper)]
    slack = LEADS * (max(ends) - min(ends))
    return min(ends) >= follower.limits.lower - slack and max(ends) <= follower.limits.upper + slack


def set_losses(made: ode.OdeJoint, joint: Joint, center: float, stops: bool = True) -> None:
    """Stops and dry friction of a hinge or slider."""
    if not isinstance(made, (ode.OdeHingeJoint, ode.OdeSliderJoint)):
        return
    made.setParamStopERP(STOP_ERP)
    made.setParamStopCFM(STOP_CFM)
    made.setParamBounce(0.0)
    made.setParamVel(0.0)
    made.setParamCFM(0.0)
    made.setParamFMax(joint.dynamics.friction)
    if stops and not is_wide(joint):
        made.setParamLoStop(joint.limits.lower - center)
        made.setParamHiStop(joint.limits.upper - center)
        made.setParamLoStop(joint.limits.lower - center)  # ODE takes a stop only on its side of the other one


def make_loops(world: ode.OdeWorld, model: Model, made: Built) -> list[Motor]:
    """Stops, dry friction and damping of the joints that close loops; they have no servos."""
    out = []
    loops = [loop for loop in model.tree.loops if loop.joint.type is not JointType.FLOATING]
    for closing, loop in zip(made.loops, loops, strict=True):
        set_losses(closing, loop.joint, 0.0)
        loss = loop.joint.dynamics
        if loss.stiffness > 0 or is_wide(loop.joint):
            raise Unsupported(
                f"engine 'ode' builds loop joints without springs and with limits within 300 degrees: "
                f"joint {loop.joint.name!r} of model {model.name!r}"
            )
        if loss.damping > 0 and loop.joint.one_dof:
            motor = Motor(world, closing, made.bodies[loop.child], made.bodies[loop.parent])
            motor.tune(math.inf, 1 / loss.damping)
            motor.set_velocity(motor.key, 0.0)
            out.append(motor)
    return out
