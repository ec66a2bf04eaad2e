"""`simulate`: a robot in a world under an engine, in one call; and the loop that advances it.

The loop owns neither physics nor tasks: it steps the engine up to the next instant that somebody waits for (sensors, a
recorder, a film, the end of a push) and calls them in a fixed order.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from andante._moved import renamed
from andante.control.body import NO_POWER, WELL, Body, BodyCommand, BodyState, Health, JointTarget
from andante.control.start import first_positions, holds_still
from andante.description import Placement, Robot, World, load_robot, load_world
from andante.description.closure import close_loops
from andante.description.solver import SolverLike, solver_settings
from andante.description.source import Problem
from andante.description.stand_ins import made_solid
from andante.errors import AndanteError, BadInput, UnknownName, Unsupported
from andante.geometry import Array
from andante.physics import Engine, Mode, Settings, engine_class
from andante.physics.bounds import check_bounds
from andante.physics.commands import calm_step
from andante.physics.solver import check_settings, world_step
from andante.sensors import Lidar, SensorSuite
from andante.stages import stage

from .body import Servos, Wiring
from .rollers import Rollers, roller_drive, with_plain_wheels
from .spawn import absurd_meshes, bolted_if_weightless, missing_visuals, put_to_stand, solid
from .truth import FallRule, Stance, stance

if TYPE_CHECKING:
    from andante.kinematics import Drive
    from andante.mapping import Scan

LOOK = 0.1  # how often a run is looked at for divergence [s]
PACE = 0.02  # how often a live run waits for the wall clock [s]
NEAR = 0.5 + 1e-6  # of a step: how much later than a step an instant may be that belongs to it


class Observer(Protocol):
    """Something that wants to be called at certain instants of a run."""

    @property
    def next_time(self) -> float:
        """The next instant it waits for [s]; inf: none."""

    def update(self, sim: Simulation) -> None:
        """The instant has come."""


@dataclass(frozen=True)
class Joints:
    """State of the joints, arrays in the order of `names`."""

    names: tuple[str, ...]
    position: Array  # [rad or m]
    velocity: Array  # [rad/s or m/s]
    effort: Array  # [N m or N]

    def __getitem__(self, name: str) -> float:
        """Position of one joint."""
        try:
            return float(self.position[self.names.index(name)])
        except ValueError:
            raise UnknownName.among("joint", name, self.names) from None


@dataclass
class _PushEnd:
    """Ends a push."""

    next_time: float
    link: str

    def update(self, sim: Simulation) -> None:
        sim.engine.push(sim.model, self.link, (0, 0, 0))
        self.next_time = math.inf


@renamed(actor="model")
class Simulation(Body):
    """One robot (and more, when placed) in a running world: a body like any other. Made by `simulate`.

    `read` tells what its sensors feel. What only a simulator knows (`base_pose`, `joints`, `fallen`) is for measuring.
    """

    simulated = True
    lidar = ""  # name of the lidar that `scans` tells of; empty: the first

    def __init__(
        self,
        engine: Engine,
        model: int,
        seed: int = 0,
        sensors: bool = False,
        ground: float = 0.0,
        stood: Stance | None = None,
    ) -> None:
        self.engine, self.model, self.seed = engine, model, seed
        self.robot = engine.models[model].tree.robot
        rolling = roller_drive(self.robot)
        self.observers: list[Observer] = [] if rolling is None else [Rollers(self, rolling)]
        self.sensors: SensorSuite | None = SensorSuite(engine, model, seed) if sensors else None
        self.fall_rule = FallRule()
        self.ground = ground  # height of the ground below its start [m]
        self._stood = stood or stance(engine, model, ground)
        self.servos = Servos(engine, model, self.robot.joint_names)
        self.power = NO_POWER
        self._closed = False
        self._look = max(1, round(LOOK / engine.dt))  # steps
        self._owed = 0.0  # part of a step that `advance` has not run yet [s]
        self._wiring: Wiring | None = None
        numb = np.full(len(self.robot.joint_names), np.nan)
        self._numb = BodyState(0.0, numb, numb, effort=numb)
        self._state: BodyState | None = None  # that was read last
        self._by_mode: tuple[np.ndarray, list[tuple[Mode, np.ndarray]]] | None = None
        if self.sensors is not None:
            self.sensors.update()

    @property
    def name(self) -> str:
        """Name of the robot in its world."""
        return self.engine.models[self.model].name

    @property
    def address(self) -> str:
        """Name of the engine."""
        return self.engine.name

    # ---- a body ----------------------------------------------------------------------------------
    def read(self) -> BodyState:
        """The newest reading of every sensor that has arrived, of the IMU the mean since the last time.

        Without sensors it feels nothing: joints are NaN, the IMU is at rest.
        """
        engine = self.engine
        now = engine.steps * engine.dt
        if self.sensors is None:
            if self._closed or self.power is not NO_POWER:
                return replace(self._numb, time=now, power=self.power, health=self._health)
            return self._numb.at(now)
        state = self._state
        if state is not None and state.time == now and not self._closed:
            return state
        if self._wiring is None or not self._wiring.fits(self.sensors):
            self._wiring = Wiring(self.sensors, self.robot)
        since = -math.inf if state is None else state.time
        self._state = self._wiring.state(now, since, self.power, self._health)
        return self._state

    @property
    def _health(self) -> Health:
        return Health(False, "the body is closed") if self._closed else WELL

    def scans(self, since: float) -> tuple[Scan, ...]:
        """Scans of its lidar (`lidar`) that began after a time [s], oldest first; none without a lidar."""
        if self.sensors is None:
            return ()
        newest = [channel.sensor.newest for channel in self.sensors if isinstance(channel.sensor, Lidar)]
        if not newest or max(newest) <= since:  # the usual case in a control loop
            return ()
        from .scans import scans_since  # and with it mapping

        return tuple(scan for scan in scans_since(self.robot, self.sensors, since, self.lidar) if scan.time > since)

    def write(self, command: BodyCommand) -> None:
        """Set the targets of the named joints, and those of the drive under a twist."""
        self._refuse_closed()
        command.known_to(self)
        targets = dict(command.joints)
        if command.twist is not None:
            for joint, (mode, value) in self._base.joint_commands(command.twist).items():
                targets.setdefault(joint, JointTarget(float(value), Mode[mode.upper()]))
        for mode in Mode:
            chosen = {self.joint_names.index(name): t.value for name, t in targets.items() if t.mode is mode}
            if chosen:
                self.engine.command(self.model, list(chosen.values()), mode, list(chosen))

    @cached_property
    def _base(self) -> Drive:
        from andante.kinematics import find_drive  # takes a while

        try:
            return find_drive(self.robot)
        except AndanteError as error:
            raise Unsupported(f"robot {self.robot.name!r} takes no twist: {error}") from error

    def follow(self, targets: Array, modes: Array | None = None, stiffness: Array | None = None) -> None:
        """Targets (joints,) of all joints at once; see `Body.follow`."""
        if self._closed:
            self._refuse_closed()
        if stiffness is not self.servos.asked:
            self.servos.follow(stiffness)
        if modes is None:
            self.engine.command(self.model, targets)
            return
        if self._by_mode is None or self._by_mode[0] is not modes:
            groups = [(mode, np.flatnonzero(modes == mode)) for mode in Mode if mode is not Mode.OFF]
            self._by_mode = modes, [(mode, index) for mode, index in groups if len(index)]
            passive = np.flatnonzero(modes == Mode.OFF)
            if len(passive):
                self.engine.command(self.model, np.zeros(len(passive)), Mode.OFF, passive)
        for mode, index in self._by_mode[1]:
            self.engine.command(self.model, targets[index], mode, index)

    def advance(self, seconds: float) -> None:
        """Let simulated time pass: `run`, with what is left of a step kept for the next time."""
        if not 0 <= seconds < math.inf:
            raise BadInput(f"a run needs a time >= 0 s, got {seconds}")
        dt = self.engine.dt
        owed = self._owed + seconds
        steps = round(owed / dt)
        self._owed = owed - steps * dt
        self._run(steps)

    def stop(self) -> None:
        """Wheels stand, every other joint holds the place that it has now."""
        self._by_mode = None  # passive joints are held now
        here, hold = self.engine.joint_positions(self.model), holds_still(self.robot)
        for mode, chosen in ((Mode.POSITION, np.flatnonzero(hold)), (Mode.VELOCITY, np.flatnonzero(~hold))):
            if len(chosen):
                values = here[chosen] if mode is Mode.POSITION else np.zeros(len(chosen))
                self.engine.command(self.model, values, mode, chosen)

    def _refuse_closed(self) -> None:
        if self._closed:
            raise BadInput(f"body {self.name!r} is closed; make a new one")

    # ---- what is measured ------------------------------------------------------------------------
    @property
    def time(self) -> float:
        """Simulated time [s]."""
        return self.engine.time

    @property
    def base_pose(self) -> Array:
        """True pose of the root link, x y z qx qy qz qw."""
        return self.engine.base_pose(self.model)

    @property
    def base_velocity(self) -> Array:
        """True velocity of the root link, linear then angular, world axes."""
        return self.engine.base_velocity(self.model)

    @property
    def joints(self) -> Joints:
        """State of the joints."""
        engine, model = self.engine, self.model
        return Joints(
            self.robot.joint_names,
            engine.joint_positions(model),
            engine.joint_velocities(model),
            engine.joint_efforts(model),
        )

    @property
    def fallen(self) -> bool:
        """Whether the robot lies on the ground, by the simulator's truth."""
        return self.fall_rule.fallen(self._stood, stance(self.engine, self.model, self.ground))

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What the readers and the engine had to say about the models."""
        told = [*self.engine.world.problems]
        for model in self.engine.models:
            told += model.tree.robot.problems
        told += missing_visuals(model.tree.robot for model in self.engine.models)
        told += absurd_meshes(model.tree.robot for model in self.engine.models)
        return tuple(dict.fromkeys((*told, *self.engine.problems)))

    # ---- what is commanded -----------------------------------------------------------------------
    def target(self, positions: str | Mapping[str, float] | ArrayLike) -> None:
        """Send joints to positions.

        Args:
            positions: name of a pose, positions of some joints by name, or all of them in order [rad, m].
        """
        if isinstance(positions, np.ndarray):  # the way of control loops, kept short
            self.engine.command(self.model, positions)
            return
        if isinstance(positions, str):
            positions = self.robot.pose(positions)
        if isinstance(positions, Mapping):
            names = self.robot.joint_names
            for name in positions:
                if name not in names:
                    raise UnknownName.among("joint", name, names, f"robot {self.robot.name!r}")
            index = [names.index(name) for name in positions]
            self.engine.command(self.model, list(positions.values()), Mode.POSITION, index)
        else:
            self.engine.command(self.model, positions, Mode.POSITION)

    def push(self, link: str, impulse: ArrayLike, duration: float = 0.1) -> None:
        """Push a link from now on.

        Args:
            link: name of the link; its center of mass is pushed.
            impulse: x, y, z in world axes [N s].
            duration: over which the impulse is spread evenly [s].
        """
        if not duration > 0:
            raise BadInput(f"a push needs a duration > 0 s, got {duration}")
        steps = max(1, round(duration / self.engine.dt))
        force = np.asarray(impulse, dtype=float) / (steps * self.engine.dt)
        self.engine.push(self.model, link, force)
        self.observers.append(_PushEnd(self.time + steps * self.engine.dt, link))

    # ---- time ------------------------------------------------------------------------------------
    def run(self, seconds: float, realtime: bool = False) -> None:
        """Advance by a time.

        A simulation that has flown apart raises `Diverged`; it is looked at about every `LOOK` seconds.

        Args:
            seconds: how long, rounded to whole steps [s].
            realtime: never run ahead of the wall clock.
        """
        if not 0 <= seconds < math.inf:
            raise BadInput(f"a run needs a time >= 0 s, got {seconds}")
        self._run(round(seconds / self.engine.dt), realtime)

    def _run(self, steps: int, realtime: bool = False) -> None:
        """The loop with sensors, observers and the wall clock.

        An instant belongs to the step that ends nearest to it, the earlier one of two.
        """
        engine, sensors, dt, start = self.engine, self.sensors, self.engine.dt, time.perf_counter() if realtime else 0.0
        first = engine.steps
        end = first + steps
        while engine.steps < end:
            due = soon = sensors.next_time if sensors is not None else math.inf
            for observer in self.observers:
                if (instant := observer.next_time) < soon:
                    soon = instant
            if realtime:
                soon = min(soon, engine.time + PACE)
            limit = end - engine.steps
            if soon < end * dt:
                limit = max(1, min(limit, math.ceil(soon / dt - NEAR) - engine.steps))
            engine.step(limit)
            now = (engine.steps + NEAR) * dt
            if sensors is not None and due <= now:
                sensors.update()
            if soon <= now and self.observers:
                self._tell_observers(now)
            if realtime:
                time.sleep(max(0.0, (engine.steps - first) * dt - (time.perf_counter() - start)))
        if end // self._look > first // self._look:
            check_bounds(engine)

    def _tell_observers(self, now: float) -> None:
        """Call those whose instant has come; pushes that have ended are let go."""
        ended = False
        for observer in self.observers:
            if observer.next_time <= now:
                observer.update(self)
                ended |= isinstance(observer, _PushEnd)
        if ended:
            self.observers = [o for o in self.observers if not (isinstance(o, _PushEnd) and o.next_time == math.inf)]

    def snapshot(self) -> Any:
        """The present instant, sensors and servos included.

        Returns:
            What `restore` takes.
        """
        sensed = self.sensors.save() if self.sensors else None
        return (self.engine.snapshot(), sensed, self.servos.save(), self._state, self._owed)

    def restore(self, snapshot: Any) -> None:
        """Come back to an instant.

        Args:
            snapshot: what `snapshot` of this simulation gave.
        """
        self.engine.restore(snapshot[0])
        self.servos.load(snapshot[2])
        self._by_mode = None
        self._state, self._owed = snapshot[3:]
        if self.sensors is not None and snapshot[1] is not None:
            self.sensors.load(snapshot[1])

    def close(self) -> None:
        """Free the engine and the cameras; a second time does nothing."""
        if self._closed:
            return
        self._closed = True
        if self.sensors is not None:
            self.sensors.close()
        self.engine.close()


@renamed(place="start", settings="solver")
def simulate(
    robot: Robot | str | Path,
    world: World | str | Path = "empty",
    engine: str | type[Engine] = "mujoco",
    *,
    dt: float | None = None,
    pose: str | Mapping[str, float] | None = None,
    start: Sequence[float] = (0.0, 0.0, 0.0),
    drop: float = 0.0,
    fixed: bool = False,
    seed: int = 0,
    sensors: bool = False,
    others: Sequence[Placement] = (),
    solver: SolverLike | None = None,
) -> Simulation:
    """Put a robot into a world, standing, its servos holding its first pose.

    Args:
        robot: a `Robot`, a name or a path.
        world: a `World`, a name or a path.
        engine: mujoco, bullet, dart, ode, `file.py:Name`, or a class.
        dt: physics step [s]; None: what `solver` says, else that of the world up to 0.002, else 0.002, and on an engine
            that cuts servos at their limits (MuJoCo) no longer than they stay calm with, see `calm_step`.
        pose: first pose, a name or joint positions [rad, m]; one named lying (LyingBelly, LyingBack) starts on that
            side, and such a robot counts as fallen until it stands.
        start: x, y [m] and yaw [rad] in the world.
        drop: height to fall from [m].
        fixed: fix the root link to the world.
        seed: random seed of all noise.
        sensors: simulate the sensors of the robot file, for `read`.
        others: more robots in the same world.
        solver: step and solver, `SolverSettings` or a table like {"iterations": 50}; what they leave out is as the
            world asks for it, else the engine's own. BadInput where the engine has no such setting.

    Returns:
        The simulation at time 0, a `Body` like any other.
    """
    robot = load_robot(robot) if isinstance(robot, str | Path) else robot
    world = load_world(world) if isinstance(world, str | Path) else world
    make = engine_class(engine) if isinstance(engine, str) else engine
    asked = solver_settings(solver)
    check_settings(make, asked)
    if dt is not None:
        asked = replace(asked, dt=Settings(dt=dt).dt)  # which refuses what no engine could run with
    elif asked.dt is None and make.clips:
        step = min(calm_step(each) for each in (robot, *(placement.robot for placement in others)))
        if step < world_step(world.physics.dt):
            asked = replace(asked, dt=world_step(step))
    robot, others, scenery = made_solid(robot), solid(others), solid(world.models)
    world = world if scenery == world.models else replace(world, models=scenery)
    positions = first_positions(robot, pose)
    if robot.loops:
        robot = close_loops(robot, positions, positions).robot  # rods on balls start where they fit
    robot = bolted_if_weightless(robot)
    taken = {placement.name for placement in (*world.models, *others)}
    name = robot.name if robot.name not in taken else f"{robot.name}_robot"
    with stage(f"building the scene on {engine if isinstance(engine, str) else make.__name__}"):
        scene = make(world, (*others, Placement(name, with_plain_wheels(robot), fixed=fixed)), asked)
    model = scene.model_index(name)
    ground, stood = put_to_stand(scene, model, robot, pose, start, drop, fixed)
    return Simulation(scene, model, seed, sensors, ground, stood)
