"""The `Engine`: one scene of placed robots under one physics engine.

A new engine implements the abstract methods; everything else (links from bodies, servo bookkeeping, names, checks of
arguments) is derived here. `andante.physics.check_engine` measures whether an engine keeps the contract.

Units SI; poses are (..., 7) x y z qx qy qz qw; velocities (..., 6) linear then angular, world axes, of the origin.
Joint vectors follow `robot.movable` (mimic joints included; commands to them are ignored, they follow their source).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from andante._moved import renamed_attributes, renamed_in
from andante.description.solver import SolverSettings
from andante.description.source import Problem
from andante.description.world import Placement, World
from andante.errors import BadInput, UnknownName
from andante.geometry import SE3, Array

from .bounds import FARTHEST
from .commands import POSITION, Drive, JointCommands, JointState, Push, ServoGains, ServoOrder, Snapshot, default_gains
from .model import Model
from .rays import Raycaster
from .registry import LOOPS
from .solver import kept_settings, resolved, world_notes
from .state import Contacts, Mode, RayHits, Settings
from .surfaces import with_springs
from .tree import BodyTree, body_tree

SLEWED_AT_ONCE = 64  # steps
MOVE = 0.01  # how often things that a script moves are put to their places [s]


@renamed_in("link_poses link_velocities set_joints set_base set_gains set_drives push", actor="model")
@renamed_attributes(actors="models", actor="model_index", wishes="commands")
class Engine(ABC):
    """A world and robots, stepped in lock-step. Construct, read, command, step."""

    name: ClassVar[str]
    solver: ClassVar[Mapping[str, Any] | None] = (
        None  # settings that it has, with its own values; None: it does not say
    )
    methods: ClassVar[tuple[str, ...]] = ()  # what `solver.method` may be
    surface: ClassVar[tuple[str, ...]] = ()  # contact parameters of a `Surface` that it has beside mu
    loops: ClassVar[tuple[str, ...]] = LOOPS  # types of joints by which it closes loops
    clips: ClassVar[bool] = False  # whether servos are cut at their limits before a step is solved, see `calm_step`
    rigid_servos: ClassVar[bool] = False  # whether position servos may sag less than load / kp
    restore_tolerance: ClassVar[float] = 1e-9  # difference of poses and velocities 100 steps after `restore` at most
    energy_tolerance: ClassVar[float] = 0.02  # change of a double pendulum's energy in 5 s at 1 ms, of its swing
    sole_tolerance: ClassVar[float] = 0.02  # how far soles of many corners are off, of length or moment

    def __init__(self, world: World, robots: Sequence[Placement] = (), settings: SolverSettings | None = None) -> None:
        self.world = world
        self.asked = settings
        self.settings: Settings = resolved(kept_settings(type(self), world.physics), settings)
        self.dt = self.settings.dt  # step size [s]
        placements = (*world.models, *robots)
        names = [placement.name for placement in placements]
        for name in names:
            if names.count(name) > 1:
                raise BadInput(f"two models in the scene are named {name!r}; give them different names")
        trees: dict[tuple[int, bool], BodyTree] = {}
        for placement in placements:  # one robot placed often is reduced once
            key = (id(placement.robot), placement.fixed)
            if key not in trees:
                trees[key] = body_tree(with_springs(placement.robot, self.surface), placement.fixed)
        self.models = tuple(Model(i, p, trees[id(p.robot), p.fixed]) for i, p in enumerate(placements))
        self.steps = 0
        self.gains = [default_gains(model.tree.robot) for model in self.models]
        self.commands = [
            JointCommands.idle(model.tree.robot, gains) for model, gains in zip(self.models, self.gains, strict=True)
        ]
        self.modes = [command.modes.copy() for command in self.commands]
        self.references = [command.references.copy() for command in self.commands]
        self.drives: dict[int, tuple[Drive, ...]] = {}
        self.pushes: dict[tuple[int, int], Push] = {}
        self._slewing: set[int] = set()
        self._notes: list[Problem] = []  # what the engine itself had to change
        self._settings_notes = world_notes(type(self), world, settings)
        self._motions: dict[int, tuple[Array, Array]] = {}  # poses and velocities as read since the last step
        self._still: dict[int, tuple[Array, Array]] = {}  # of models that are one fixed body
        self._caster: Raycaster | None = None
        self._movers = [(model.index, m) for model in self.models if (m := model.placement.motion) is not None]
        self._stride = max(1, round(MOVE / self.dt))
        self._build()
        for model in self.models:
            self._apply_servos(model.index)

    # ---- time ----------------------------------------------------------------------------------
    @property
    def time(self) -> float:
        """Simulated time since the start [s]."""
        return self.steps * self.dt

    def step(self, n: int = 1) -> None:
        """Advance n steps of dt [s] under the present commands and pushes."""
        if not self._movers:
            self._step(n)
            return
        end = self.steps + n
        while self.steps < end:
            due = self._stride - self.steps % self._stride
            if due == self._stride:
                self.move()
            self._step(min(due, end - self.steps))

    def move(self) -> None:
        """Put everything that a script moves to where it is at the present time."""
        for index, motion in self._movers:
            self._put_base(index, *motion.at(self.time))

    def _step(self, n: int) -> None:
        while (self._slewing or self.drives) and n > 0:
            n -= self._advance_driven(n)
        if n > 0:
            self._advance(n)
            self.steps += n

    def _advance_driven(self, n: int) -> int:
        """Advance one or more of n steps while references move or drives are at work; how many."""
        if self.drives or len(self._slewing) != 1:
            for model in sorted(self._slewing.union(self.drives)):
                self._drive(model)
            self._advance(1)
            self.steps += 1
            return 1
        (model,) = self._slewing  # its references are slewed ahead in one compiled pass
        command = self.commands[model]
        rows, there = command.ahead(self.dt, min(n, SLEWED_AT_ONCE))
        self._advance_along(model, rows)
        if there:
            command.references = self.references[model] = command.targets
            self._slewing.discard(model)
        return len(rows)

    def _advance_along(self, model: int, references: Array) -> None:
        """Advance a step under each row of references (steps, joints)."""
        command = self.commands[model]
        for row in references:
            command.references = self.references[model] = row
            self._apply_references(model)
            self._advance(1)
            self.steps += 1

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What had to be changed to simulate the models (massless links and the like)."""
        found = (problem for model in self.models for problem in model.tree.problems)
        return tuple(dict.fromkeys((*found, *self._notes, *self._settings_notes)))

    def model_index(self, name: str) -> int:
        """Index of the model of that name."""
        for model in self.models:
            if model.name == name:
                return model.index
        raise UnknownName.among("model", name, (a.name for a in self.models), "the scene")

    # ---- links, derived from bodies --------------------------------------------------------------
    def link_poses(self, model: int) -> Array:
        """Poses of all links in the world, (links, 7)."""
        tree = self.models[model].tree
        bodies = SE3.from_vector(self.body_poses(model)[tree.link_body])
        return (bodies @ SE3(tree.link_pose)).vector

    def link_velocities(self, model: int) -> Array:
        """Velocities of all link origins, linear then angular in world axes, (links, 6)."""
        tree = self.models[model].tree
        body_poses = self.body_poses(model)
        rotation = SE3.from_vector(body_poses[tree.link_body]).rotation
        offset = (rotation @ tree.link_pose[:, :3, 3, None])[..., 0]
        velocity: Array = self.body_velocities(model)[tree.link_body].copy()
        velocity[:, :3] += np.cross(velocity[:, 3:], offset)
        return velocity

    def base_pose(self, model: int) -> Array:
        """Pose of the root link, (7,)."""
        return self.body_motion(model, 0)[0]

    def base_velocity(self, model: int) -> Array:
        """Velocity of the root link, (6,)."""
        return self.body_motion(model, 0)[1]

    def body_motion(self, model: int, body: int) -> tuple[Array, Array]:
        """Pose (7,) and velocity (6,) of one body of the model's tree."""
        return self.body_poses(model)[body], self.body_velocities(model)[body]

    def body_poses(self, model: int) -> Array:
        """World poses of the bodies of `models[model].tree`, (bodies, 7)."""
        return self._motion(model)[0].copy()

    def body_velocities(self, model: int) -> Array:
        """Velocities of the body origins, linear then angular in world axes, (bodies, 6)."""
        return self._motion(model)[1].copy()

    def _motion(self, model: int) -> tuple[Array, Array]:
        """Poses and velocities of the bodies, read once per step and not to be written to."""
        known = self._motions.get(model) or self._still.get(model)
        if known is None:
            here = self.models[model]
            kept = self._still if here.still else self._motions
            known = kept[model] = self._read_bodies(model)
        return known

    def _forget(self) -> None:
        """What was read of moving bodies is stale."""
        self._motions.clear()

    def surely_within(self, distance: float) -> bool:
        """Whether a quick look shows that all bodies are numbers within about a distance [m] of the origin."""
        return False

    def contacts_of(self, model: int) -> Contacts:
        """Contacts of one model, with it as side A; see `Contacts.of`."""
        return self.contacts().of(model)

    def cast_rays(
        self, origins: ArrayLike, directions: ArrayLike, max_range: float, ignore: int | None = None
    ) -> RayHits:
        """First hits of rays (n, 3) with collision shapes; directions are normalized, `ignore` leaves out a model."""
        if self._caster is None:
            self._caster = Raycaster(self.models)
        poses = [self.body_poses(model.index) for model in self.models]
        return self._caster.cast(poses, origins, directions, max_range, ignore)

    # ---- placing ---------------------------------------------------------------------------------
    def set_joints(self, model: int, positions: ArrayLike, velocities: ArrayLike | None = None) -> None:
        """Put the joints there at once (velocities 0 unless given); mimic joints are put by their source."""
        placed = self.models[model]
        count = len(placed.tree.robot.movable)
        q = _finite(positions, count, f"joint positions of {placed.name!r}")
        dq = np.zeros(count) if velocities is None else _finite(velocities, count, f"velocities of {placed.name!r}")
        self._put_joints(model, *placed.tree.mimics.applied(q, dq))

    def set_base(self, model: int, pose: ArrayLike, velocity: ArrayLike | None = None) -> None:
        """Put the root link there at once, (7,); velocity 0 unless given. Fixed bases move too."""
        name = self.models[model].name
        root = SE3.from_vector(_finite(np.atleast_1d(pose), 7, f"the base pose of {name!r}"))
        speed = np.zeros(6) if velocity is None else _finite(velocity, 6, f"the base velocity of {name!r}")
        self._put_base(model, root, speed)

    # ---- servos ----------------------------------------------------------------------------------
    def command(
        self, model: int, values: ArrayLike, mode: Mode = Mode.POSITION, joints: ArrayLike | None = None
    ) -> None:
        """Set servo targets: positions [rad, m], velocities or torques, for all joints or the listed indices.

        Targets beyond the joint's limits are clipped to them. A position servo moves its reference towards the target
        no faster than the joint's velocity limit. Mode.OFF makes the joints passive.
        """
        command = self.commands[model]
        if joints is None and mode is POSITION and model not in self.drives:
            there = command.follow(values, self.dt)
            if there:
                self._slewing.discard(model)
                self.references[model] = command.references
                self._apply_references(model)
                return
            if there is False:
                self._slewing.add(model)
                return
        newly = command.command(values, mode, joints)
        if len(newly):
            if mode is POSITION:
                command.refer(newly, self.joint_positions(model)[newly])
            if model not in self.drives:
                self.modes[model][:] = command.modes
                self._apply_servos(model)
        self._slewing.add(model)  # the next step moves the references by its stride

    def set_gains(self, model: int, gains: ServoGains) -> None:
        """Change the servo gains of a model; allowed at any time."""
        if len(gains.kp) != len(self.references[model]):
            raise BadInput(f"gains for {len(self.references[model])} joints are wanted, got {len(gains.kp)}")
        self.commands[model].gains = self.gains[model] = gains
        self._apply_servos(model)
        self._apply_references(model)

    def set_drives(self, model: int, *drives: Drive) -> None:
        """Put drives (actuator models, cascaded controllers) between the commands and the engine's servos."""
        command = self.commands[model]
        self.drives.pop(model, None)
        self.modes[model][:] = command.modes
        self.gains[model] = command.gains
        if drives:
            self.drives[model] = drives
        self._apply_servos(model)
        self._drive(model)

    def take_servos(self, model: int, other: Engine, index: int) -> None:
        """Go on with the commands, gains, drives and pushes that the same robot has in another engine."""
        self.commands[model] = command = other.commands[index]
        self.gains[model], self.references[model] = other.gains[index], other.references[index]
        self.modes[model][:] = other.modes[index]
        if index in other.drives:
            self.drives[model] = other.drives[index]
        if index in other._slewing or not np.array_equal(command.targets, command.references):
            self._slewing.add(model)
        self._apply_servos(model)
        self._apply_references(model)
        self.pushes |= {(model, body): push for (owner, body), push in other.pushes.items() if owner == index}
        self._apply_pushes()

    def _drive(self, model: int) -> None:
        """One step of the way from target to servo: slew, then the drives in order."""
        command = self.commands[model]
        if command.slew(self.dt):
            self._slewing.discard(model)
        else:
            self._slewing.add(model)
        if model in self.drives:
            order = ServoOrder(command.modes, command.references, command.gains)
            state = JointState(self.joint_positions(model), self.joint_velocities(model))
            for drive in self.drives[model]:
                order = drive.update(order, state, self.dt)
            if order.gains is not self.gains[model] or not np.array_equal(order.modes, self.modes[model]):
                self.modes[model][:] = order.modes
                self.gains[model] = order.gains
                self._apply_servos(model)
            self.references[model] = np.array(order.references, dtype=float)
        else:
            self.references[model] = command.references
        self._apply_references(model)

    # ---- pushes ----------------------------------------------------------------------------------
    def push(
        self,
        model: int,
        link: str,
        force: ArrayLike,
        torque: ArrayLike = (0.0, 0.0, 0.0),
        point: ArrayLike | None = None,
    ) -> None:
        """Hold an outside force [N] and torque [N m] (world axes) on a link until changed; zero ends it.

        It acts at the center of mass of the link's body, or at `point` in the link frame. One wrench per body.
        """
        tree = self.models[model].tree
        tree.robot.link(link)
        index = [each.name for each in tree.robot.links].index(link)
        body = int(tree.link_body[index])
        if point is not None and not (np.abs(np.asarray(point, dtype=float)) < FARTHEST).all():  # NaN too
            raise BadInput(f"a push on {link!r} acts at a point of the link [m], got {np.asarray(point).tolist()}")
        at = np.asarray(tree.bodies[body].inertia.com) if point is None else SE3(tree.link_pose[index]) @ point
        wrench = Push(np.asarray(force, dtype=float), np.asarray(torque, dtype=float), at)
        if not (np.isfinite(wrench.force).all() and np.isfinite(wrench.torque).all()):
            raise BadInput(f"a push on {link!r} must be finite, got {wrench.force} N and {wrench.torque} N m")
        if np.any(wrench.force) or np.any(wrench.torque):
            self.pushes[model, body] = wrench
        else:
            self.pushes.pop((model, body), None)
        self._apply_pushes()

    # ---- snapshots -------------------------------------------------------------------------------
    def snapshot(self) -> Snapshot:
        """All that is needed to come back to this instant: state, time, commands, gains, pushes."""
        return Snapshot(
            self.steps,
            self._save(),
            tuple(command.copy() for command in self.commands),
            {model: tuple(drive.save() for drive in drives) for model, drives in self.drives.items()},
            dict(self.pushes),
        )

    def restore(self, snapshot: Snapshot) -> None:
        """Come back to a snapshot of this engine."""
        self.steps = snapshot.steps
        self.commands = [command.copy() for command in snapshot.commands]
        self.pushes = dict(snapshot.pushes)
        self._load(snapshot.state)
        self._slewing.clear()
        for model, states in snapshot.drives.items():
            for drive, state in zip(self.drives[model], states, strict=True):
                drive.load(state)
        for model, command in enumerate(self.commands):
            if not np.array_equal(command.targets, command.references):
                self._slewing.add(model)
            if model not in self.drives:
                self.references[model] = command.references
                if command.gains is not self.gains[model] or not np.array_equal(command.modes, self.modes[model]):
                    self.modes[model][:] = command.modes
                    self.gains[model] = command.gains
                    self._apply_servos(model)
            else:
                self._apply_servos(model)
            self._apply_references(model)
        self._apply_pushes()
        self._load(snapshot.state)  # servo changes may touch the state; the snapshot has the last word

    # ---- what an engine must give ----------------------------------------------------------------
    @abstractmethod
    def _build(self) -> None:
        """Make the scene from `self.models` and `self.world` by the engine's own API."""

    @abstractmethod
    def _advance(self, n: int) -> None:
        """Advance n steps."""

    @abstractmethod
    def _apply_servos(self, model: int) -> None:
        """Bring `self.gains[model]` and `self.modes[model]` into the engine."""

    @abstractmethod
    def _apply_references(self, model: int) -> None:
        """Bring `self.references[model]` (position, velocity or torque by mode) into the engine."""

    @abstractmethod
    def _apply_pushes(self) -> None:
        """`self.pushes` has changed; it holds for every step from now on."""

    @abstractmethod
    def joint_positions(self, model: int) -> Array:
        """Joint positions, (joints,), a copy."""

    @abstractmethod
    def joint_velocities(self, model: int) -> Array:
        """Joint velocities, (joints,), a copy."""

    @abstractmethod
    def joint_efforts(self, model: int) -> Array:
        """Efforts that the servos applied in the last step, (joints,) [N m, N]."""

    def _put_joints(self, model: int, positions: Array, velocities: Array) -> None:
        """Put the joints there, (joints,), mimic joints being where they belong; what `set_joints` needs."""
        raise NotImplementedError

    def _put_base(self, model: int, pose: SE3, velocity: Array) -> None:
        """Put the root link there, fixed or not; bodies on floating joints go along; what `set_base` needs."""
        raise NotImplementedError

    def _read_bodies(self, model: int) -> tuple[Array, Array]:
        """Poses (bodies, 7) and velocities (bodies, 6) as they are now; what `body_poses` and the like need."""
        raise NotImplementedError

    @abstractmethod
    def contacts(self) -> Contacts:
        """Contact points and forces of the last step."""

    @abstractmethod
    def _save(self) -> Any:
        """The state of the bodies (and of the solver where that matters) as a value of the engine's own."""

    @abstractmethod
    def _load(self, state: Any) -> None:
        """Put back what `_save` returned."""

    def close(self) -> None:  # noqa: B027
        """Free what the engine holds outside Python; afterwards it cannot be used."""


def _finite(values: ArrayLike, count: int, what: str) -> Array:
    """Numbers (count,), a single one spread over all."""
    given = np.asarray(values, dtype=float)
    if given.shape not in ((), (count,)) or not np.isfinite(given).all():
        raise BadInput(f"{what}: {count} finite numbers are wanted, got {given.tolist()}")
    return np.broadcast_to(given, count).copy()
