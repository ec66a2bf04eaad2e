"""The joints of one model in Bullet: motors, springs, damping, reading and putting.

Constraints hold mimic joints, dry friction and joints that close a loop.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from andante.description.joint import JointType
from andante.description.source import Problem, Severity
from andante.errors import Unsupported
from andante.geometry import SE3, Array
from andante.physics.commands import ServoGains
from andante.physics.model import Model
from andante.physics.state import Mode
from andante.physics.tree import Loop

from .api import Client, pybullet
from .build import BulletHandles

STRONGEST = 1e8  # stands for an unlimited force [N, N m]
HINGE_SPAN = 0.05  # distance of the two points that make a hinge [m]
STIFFEST = 1e12  # stands for an infinite gain
RIGID = 4.0  # a servo is rigid up to its limit where its damper would take this many times a joint's speed in one step
LOAD_WEIGHT = 0.02  # weight of the newest step in the smoothed load under which such a servo gives way
ENDLESS = 1e6  # speed that a torque motor never reaches [rad/s, m/s]


def follow(model: Model, handles: BulletHandles, client: Client) -> None:
    """Hold q = ratio q[source] + offset by a gear between the two joints."""
    mimics = model.tree.mimics
    for k in np.flatnonzero(mimics.led).tolist():
        source = int(mimics.source[k])
        if handles.joint_uid[k] != handles.joint_uid[source]:
            name = model.tree.robot.joint_names[k]
            raise Unsupported(
                f"bullet: joint {name!r} of {model.name!r} mimics a joint on the other side of a floating joint"
            )
        _gear(handles, k, source, -float(mimics.ratio[k]), float(mimics.offset[k]), 1.0, STRONGEST, client)


def rub(handles: BulletHandles, joint: int, friction: float, client: Client) -> int:
    """Dry friction beside a motor: a gear from a joint to nothing, which resists with at most that effort."""
    return _gear(handles, joint, joint, 1e-12, 0.0, 0.0, friction, client)


def _gear(
    handles: BulletHandles,
    joint: int,
    source: int,
    ratio: float,
    offset: float,
    erp: float,
    force: float,
    client: Client,
) -> int:
    """q[joint] + ratio q[source] = offset, held with at most that effort."""
    uid = int(handles.joint_uid[joint])
    links, none = (int(handles.joint_link[joint]), int(handles.joint_link[source])), [0, 0, 0]
    made = client.createConstraint(uid, links[0], uid, links[1], pybullet.JOINT_GEAR, [0, 0, 1], none, none)
    client.changeConstraint(made, gearRatio=ratio, relativePositionTarget=offset, erp=erp, maxForce=force)
    return int(made)


def close_loop(model: Model, handles: BulletHandles, loop: Loop, client: Client) -> None:
    """Build a joint that closes a loop: ball by one point, hinge by two, fixed by a weld."""
    loop.check("bullet", model.name)
    kind = pybullet.JOINT_FIXED if loop.joint.type is JointType.FIXED else pybullet.JOINT_POINT2POINT
    one_point = loop.joint.type in (JointType.FIXED, JointType.BALL)
    for side in (0.0,) if one_point else (-HINGE_SPAN, HINGE_SPAN):
        _tie(handles, loop, side * np.asarray(loop.joint.axis), kind, client)


def _tie(handles: BulletHandles, loop: Loop, point: Array, kind: int, client: Client) -> None:
    """One constraint at a point of the joint frame."""
    ends = []
    for body, from_joint in ((loop.parent, loop.parent_from_joint), (loop.child, loop.child_from_joint)):
        frame = handles.body_from_com[body].inverse() @ from_joint @ SE3.from_parts(np.eye(3), point)
        uid = int(handles.uid[body]) if handles.uid[body] >= 0 else handles.base
        ends.append((uid, int(handles.link[body]), frame))
    (uid_a, link_a, a), (uid_b, link_b, b) = ends
    positions, turns = (a.translation.tolist(), b.translation.tolist()), (a.quaternion.tolist(), b.quaternion.tolist())
    made = client.createConstraint(uid_a, link_a, uid_b, link_b, kind, [0, 0, 1], *positions, *turns)
    client.changeConstraint(made, maxForce=STRONGEST)


@dataclass
class _Group:
    """Joints of one multibody in one mode, with what their motors get beside the reference."""

    mode: Mode
    uid: int
    joints: np.ndarray
    links: list[int]
    forces: list[float] = field(default_factory=list)
    kp: Array = field(default_factory=lambda: np.zeros(0))
    kd: Array = field(default_factory=lambda: np.zeros(0))
    limit: Array = field(default_factory=lambda: np.zeros(0))  # of the effort
    least: Array = field(default_factory=lambda: np.zeros(0))  # bound of the effort of servos that are rigid
    gives: Array = field(default_factory=lambda: np.zeros(0))  # by how much those give way [rad / N m, m / N]
    goal: Array = field(default_factory=lambda: np.zeros(0))  # positions that are held
    near: list[float] = field(default_factory=list)  # fraction of the gap that a step closes
    keen: list[float] = field(default_factory=list)  # fraction of the speed error that a step corrects


class Servos:
    """Motors of a model. Joint vectors follow `robot.movable`."""

    def __init__(self, model: Model, handles: BulletHandles, dt: float, client: Client) -> None:
        self._movable = movable = model.tree.robot.movable
        self._dt, self._client, self._handles, self._felt = dt, client, handles, handles.felt
        self._friction = np.array([joint.dynamics.friction for joint in movable])
        self._brakes: dict[int, int] = {}  # constraints of dry friction by joint
        self._pieces = [
            (int(uid), np.flatnonzero(handles.joint_uid == uid)) for uid in dict.fromkeys(handles.joint_uid.tolist())
        ]
        self._link = handles.joint_link
        self._led = model.tree.mimics.led
        self._damping = np.array([joint.dynamics.damping for joint in movable])
        self._most_damping = 0.8 * self._felt / dt
        stiffness = np.array([joint.dynamics.stiffness for joint in movable])
        self._stiffness = np.minimum(stiffness, self._felt / dt**2)
        self._rest = np.array([joint.dynamics.reference for joint in movable])
        self._springs = [(uid, joints[stiffness[joints] > 0]) for uid, joints in self._pieces]
        self._springs = [(uid, joints) for uid, joints in self._springs if len(joints)]
        count = len(movable)
        self._mode = np.full(count, Mode.OFF, dtype=np.int8)
        self._force, self._near, self._keen = np.zeros(count), np.zeros(count), np.ones(count)
        self._given_damping = np.zeros(count)
        self._fresh = True  # nothing was sent to the motors yet
        self._load = np.zeros(count)  # smoothed effort of rigid servos
        self._effort: Array | None = None  # of the last step, where Bullet does not know it: after `load`
        self._sent: Array | None = None
        self._groups: list[_Group] = []

    @property
    def busy(self) -> bool:
        """Whether `pull` must run before every step: for springs and for position servos."""
        return bool(self._springs) or any(group.mode is Mode.POSITION for group in self._groups)

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Springs and dampers that are too stiff for the step and were cut."""
        out = []
        for k, joint in enumerate(self._movable):
            cut = []
            if self._damping[k] > self._most_damping[k]:
                cut.append(f"damping {self._damping[k]:g} to {self._most_damping[k]:.3g}")
            if joint.dynamics.stiffness > self._stiffness[k]:
                cut.append(f"stiffness {joint.dynamics.stiffness:g} to {self._stiffness[k]:.3g}")
            if cut:
                told = f"bullet: joint {joint.name!r} is too stiff for steps of {self._dt:g} s; cut {' and '.join(cut)}"
                out.append(Problem(Severity.WARNING, f"{told}; use smaller steps", joint.source))
        return tuple(out)

    # ---- motors ----------------------------------------------------------------------------------
    def configure(self, modes: np.ndarray, gains: ServoGains) -> None:
        """Take modes and gains; the motors change with the next `send`."""
        dt = self._dt
        mode = modes.copy()
        mode[self._led] = Mode.OFF
        held = mode == Mode.POSITION
        mode[(held & (gains.kp == 0)) | ((mode == Mode.VELOCITY) & (gains.kv == 0))] = Mode.OFF
        damping = self._damping + np.where(held & (gains.kp == 0), gains.kd, 0.0)
        self._set_damping(np.minimum(damping, self._most_damping))
        self._force = np.minimum(gains.effort, STRONGEST)
        kp, kd = np.minimum(gains.kp, STIFFEST), np.minimum(gains.kd, STIFFEST)
        self._near = np.where(held, kp * dt / np.where(kp > 0, kd + kp * dt, 1.0), 0.0)
        push = np.minimum(gains.kv, STIFFEST) * dt
        self._keen = np.where(mode == Mode.VELOCITY, push / np.maximum(self._felt + push, 1e-300), 1.0)
        self._sent = None
        if self._fresh or not np.array_equal(mode, self._mode):
            self._load[mode != self._mode] = 0.0
            self._mode, self._fresh = mode, False
            self._regroup()
        for group in self._groups:
            group.forces, group.near, group.keen = (
                a[group.joints].tolist() for a in (self._force, self._near, self._keen)
            )
            # what the servo pulls at the end of a step, kp (reference - q - dt dq) - kd dq
            group.kp, group.kd = kp[group.joints], (kd + dt * kp)[group.joints]
            group.limit = self._force[group.joints]
            rigid = group.kd * dt > RIGID * self._felt[group.joints]
            group.least = np.where(rigid, group.limit, 0.0)
            group.gives = np.where(rigid & (group.kp > 0), 1.0 / np.where(group.kp > 0, group.kp, 1.0), 0.0)

    def _regroup(self) -> None:
        """Sort the joints by mode; idle motors become the dry friction of their joints."""
        self._set_brakes()
        self._groups = []
        for uid, joints in self._pieces:
            for which in Mode:
                chosen = joints[self._mode[joints] == which]
                if not len(chosen):
                    continue
                links = self._link[chosen].tolist()
                if which is Mode.OFF:
                    idle, full = [0.0] * len(links), [1.0] * len(links)
                    self._drive(uid, links, idle, self._friction[chosen].tolist(), full)
                else:
                    self._groups.append(_Group(which, uid, chosen, links))

    def send(self, references: Array) -> None:
        """Give the motors their references: position, velocity or torque by mode."""
        if self._sent is not None and np.array_equal(references, self._sent):
            return
        self._sent = references.copy()
        for group in self._groups:
            wanted = references[group.joints]
            if group.mode is Mode.POSITION:
                group.goal = wanted
            elif group.mode is Mode.VELOCITY:
                self._drive(group.uid, group.links, wanted.tolist(), group.forces, group.keen)
            else:
                speeds, efforts = (np.sign(wanted) * ENDLESS).tolist(), np.abs(wanted).tolist()
                self._drive(group.uid, group.links, speeds, efforts, group.keen)

    def _drive(self, uid: int, links: list[int], speeds: list[float], forces: list[float], gains: list[float]) -> None:
        self._client.setJointMotorControlArray(
            uid, links, pybullet.VELOCITY_CONTROL, targetVelocities=speeds, forces=forces, velocityGains=gains
        )

    def _set_damping(self, damping: Array) -> None:
        if np.array_equal(damping, self._given_damping):
            return
        for uid, joints in self._pieces:
            for k in joints[damping[joints] != self._given_damping[joints]]:
                self._client.changeDynamics(uid, int(self._link[k]), jointDamping=float(damping[k]))
        self._given_damping = damping

    def _set_brakes(self) -> None:
        """Dry friction of joints under torque, whose motor is taken; a rigid servo overcomes it anyway."""
        for k in np.flatnonzero(self._friction > 0).tolist():
            wanted = self._mode[k] == Mode.TORQUE
            if wanted and k not in self._brakes:
                self._brakes[k] = rub(self._handles, k, float(self._friction[k]), self._client)
            elif not wanted and k in self._brakes:
                self._client.removeConstraint(self._brakes.pop(k))

    def pull(self) -> None:
        """What the next step needs: bounds of position servos, |kp (goal - q) - kd dq|, and springs, -k (q - rest).

        With dampers that are strong beside a step that bound would shake; those servos are bounded by their limits
        alone, and give way by moving their goal by smoothed effort / kp.
        """
        for group in self._groups:
            if group.mode is not Mode.POSITION:
                continue
            states = self._client.getJointStates(group.uid, group.links)
            q, v, effort = np.array([(state[0], state[1], state[3]) for state in states]).T
            pull = np.abs(group.kp * (group.goal - q) - group.kd * v)
            bound = np.minimum(np.maximum(pull, group.least), group.limit)
            goal = group.goal
            if group.gives.any():
                felt = effort if self._effort is None else self._effort[group.joints]
                self._load[group.joints] += LOAD_WEIGHT * (felt - self._load[group.joints])
                goal = goal - group.gives * self._load[group.joints]
            self._client.setJointMotorControlArray(
                group.uid,
                group.links,
                pybullet.POSITION_CONTROL,
                targetPositions=goal.tolist(),
                forces=bound.tolist(),
                positionGains=group.near,
                velocityGains=group.keen,
            )
        self._effort = None
        for uid, joints in self._springs:
            links = self._link[joints].tolist()
            q = np.array([state[0] for state in self._client.getJointStates(uid, links)])
            torque = -self._stiffness[joints] * (q - self._rest[joints])
            self._client.setJointMotorControlArray(uid, links, pybullet.TORQUE_CONTROL, forces=torque.tolist())

    # ---- state -----------------------------------------------------------------------------------
    def read(self) -> tuple[Array, Array, Array]:
        """Positions, velocities and efforts, each (joints,)."""
        out = np.zeros((3, len(self._mode)))
        for uid, joints in self._pieces:
            states = self._client.getJointStates(uid, self._link[joints].tolist())
            out[:, joints] = np.array([(state[0], state[1], state[3]) for state in states]).T
        out[2, self._mode == Mode.OFF] = 0.0
        return out[0], out[1], out[2]

    def save(self) -> Array:
        """What the next step takes from the one before."""
        return self._load.copy()

    def load(self, load: Array, effort: Array) -> None:
        """Put back what `save` returned, with the efforts of the last step then."""
        self._load, self._effort = load.copy(), effort.copy()

    def put(self, positions: Array, velocities: Array) -> None:
        """Put the joints there, (joints,)."""
        self._load[:] = 0.0
        for uid, joints in self._pieces:
            for k in joints:
                self._client.resetJointState(uid, int(self._link[k]), float(positions[k]), float(velocities[k]))
