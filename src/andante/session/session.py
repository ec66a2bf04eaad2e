"""`LiveSession`: a robot that lives on the bus, in one deterministic lock-step loop, paced to the wall clock if wanted.

    session = LiveSession("nao", world="lab")
    session.run(pace=True)            # until somebody calls session.stop()

One `step` is a control period: what came in is delivered, the activity is asked for joint targets, physics and sensors
go on, every node publishes what is wanted of it, and that is delivered.
"""

from __future__ import annotations

import gc
import math
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Protocol

import numpy as np

from andante._moved import renamed, renamed_attributes
from andante.bus import Bus
from andante.control.activities import Driving, Hold
from andante.control.body import Body
from andante.control.following import FollowSettings
from andante.control.teleop_mux import TeleopMux, TeleopSettings
from andante.description import Placement, Robot, World
from andante.description.solver import SolverLike, solver_settings
from andante.errors import AndanteError, BadInput, Diverged, LostBody
from andante.files import Closing, session_folder
from andante.geometry import Array
from andante.locomotion import Command, FallRules
from andante.locomotion.keys import KEYS
from andante.physics import engine_class
from andante.physics.solver import kept_settings, settings_words
from andante.settings import DEFAULT_ENGINE, DEFAULT_ROBOT, DEFAULT_WORLD

from .choice import CONTROL_TIME, Library, SceneChoice
from .command_api import CommandApi
from .progress import Progress
from .stage import Stage, placed

WINDOW = 1.0  # over which the real-time factor is told [s]
BEHIND = 0.25  # a loop that is later than this does not try to catch up [s]


class Pacer:
    """`wait` sleeps until the wall clock has caught up with simulated time.

    Args:
        clock, sleep: of the wall.
        behind: a loop that is later than this does not try to catch up [s]; 0: it never does.
    """

    def __init__(
        self,
        clock: Callable[[], float] = time.perf_counter,
        sleep: Callable[[float], None] = time.sleep,
        behind: float = BEHIND,
    ) -> None:
        self._clock, self._sleep, self._behind = clock, sleep, behind
        self._due = clock()
        self._marks: deque[tuple[float, float, float]] = deque()  # wall, simulated, worked [s]
        self._worked, self._busy_since = 0.0, clock()
        self.missed = 0.0  # wall time by which it was late in all [s]

    def start(self) -> None:
        """Begin now."""
        self._due = self._busy_since = self._clock()
        self._marks.clear()
        self._worked = 0.0

    def mark(self, simulated: float) -> None:
        """A control period is done: remember it for the factor."""
        now = self._clock()
        self._worked += now - self._busy_since
        self._busy_since = now
        self._marks.append((now, simulated, self._worked))
        while len(self._marks) > 2 and now - self._marks[1][0] > WINDOW:
            self._marks.popleft()

    def wait(self, period: float) -> None:
        """Sleep until `period` [s] after the last due time; a loop that has fallen behind starts afresh."""
        self._due += period
        now = self._clock()
        self._worked += now - self._busy_since
        gap = self._due - now
        if gap > 0:
            self._sleep(gap)
        elif gap < -self._behind:
            self.missed -= gap
            self._due = now
        self._busy_since = self._clock()

    @property
    def factor(self) -> float:
        """Simulated by wall time over the last second; 0 before anything is known."""
        return self._per_wall_time(1)

    @property
    def load(self) -> float:
        """Share of the wall time that the loop worked over the last second."""
        return min(1.0, self._per_wall_time(2))

    def _per_wall_time(self, which: int) -> float:
        """How much a number of the marks has grown by wall time."""
        if len(self._marks) < 2 or self._marks[-1][0] <= self._marks[0][0]:
            return 0.0
        first, last = self._marks[0], self._marks[-1]
        return (last[which] - first[which]) / (last[0] - first[0])


NODE = "session"
IDLE = 0.02  # between two looks at the bus while paused [s]
MOST_MODELS = 20


def in_words(error: Exception) -> str:
    """An error as a line of the log: those that are meant for people as they are, others with their kind."""
    return str(error) if isinstance(error, AndanteError) else f"{type(error).__name__}: {error}"


def building(choice: SceneChoice) -> str:
    """The stage of a scene that is being built, in words."""
    robot, world = (Path(name).stem for name in (choice.robot_name, choice.world_name))
    return f"building {robot} in {world} on {choice.engine}"


class LiveNode(Protocol):
    """Something that takes part in a live session on the bus."""

    def update(self) -> None:
        """A control period is over, or an idle moment of a paused session: publish what is wanted."""

    def rebuilt(self) -> None:
        """The scene is another one."""

    def close(self) -> None:
        """The session ends."""


@renamed(place="start")
@renamed_attributes(pilot="teleop", operator="command_api", tell="log")
class LiveSession(Closing):
    """Robot, world and engine on a bus.

    nodes: which take part, by default all (see `andante.session.nodes`). body: makes the real robot that is moved, of
    its description; the scene then shows it, and its time is that of the session.
    """

    def __init__(
        self,
        robot: Robot | str | Path = DEFAULT_ROBOT,
        world: World | str | Path = DEFAULT_WORLD,
        engine: str = DEFAULT_ENGINE,
        *,
        seed: int = 0,
        pose: str | None = None,
        start: Sequence[float] = (0.0, 0.0, 0.0),
        gait: str = "",
        dt: float | None = None,
        solver: SolverLike | None = None,
        arguments: Mapping[str, str] | None = None,
        folder: Path | str | None = None,
        bus: Bus | None = None,
        nodes: Sequence[Callable[[LiveSession], LiveNode]] | None = None,
        library: Library | None = None,
        body: Callable[[Robot], Body] | None = None,
        teleop: TeleopSettings | None = None,
        follow: FollowSettings | None = None,
        falls: FallRules | None = None,
        progress: Progress | None = None,
    ) -> None:
        x, y, yaw = (float(v) for v in start)
        self.choice = SceneChoice(
            robot, world, engine, dict(arguments or {}), gait, pose, (x, y, yaw), 0.0, seed, dt,
            solver=solver_settings(solver),
        )  # fmt: skip
        self.bus = bus or Bus()
        self.folder = session_folder(folder)
        self.library = library or Library()
        self.progress = progress or Progress()  # what the loop is busy with while it stands still
        self.scene = 0  # counts builds
        self.paused = self.paced = self.stopped = False
        self.holder: Callable[[], None] | None = None  # ends what lets time stand still, such as a replay
        self.periods = 0  # control periods so far
        self.teleop = TeleopMux(settings=teleop)
        self.pacer = Pacer()
        self.inbound: list[Callable[[], None]] = []  # called before every period: links to other processes
        self._offset = self.bus.clock.now  # time of the bus when the present scene began [s]
        self._single, self._closed = 0, False
        self._failures: set[str] = set()  # of nodes, that were told
        self.real = body is not None
        self._falls = falls
        with self.progress.stage(building(self.choice)):
            self.stage = Stage(self.choice, self.log, self.library, body, falls)
        if self.real:
            self._offset = 0.0
            self.bus.clock.advance_to(max(self.bus.clock.now, self.stage.sim.time))
        self.command_api = CommandApi(self.stage, follow)
        if nodes is None:
            from .nodes import all_nodes

            nodes = all_nodes(self.real)
        self.nodes: list[LiveNode] = []
        try:
            with self.progress.stage("starting the nodes of the session"):
                for make in nodes:
                    self.nodes.append(make(self))
        except BaseException:
            self.close()
            raise
        self.log(f"{self.stage.name} in {self.choice.world_name} on {self.stage.sim.address}")
        self._tell_settings()

    # ---- what is known -----------------------------------------------------------------------------
    @property
    def time(self) -> float:
        """Simulated time of the session [s]: it goes on over resets."""
        return self._offset + self.stage.sim.time

    @property
    def behaviour(self) -> str:
        """What the robot is doing in a word."""
        supervisor = self.stage.supervisor
        return supervisor.state if supervisor is not None and supervisor.busy else self.stage.activities.present.name

    def log(self, line: str, level: str = "info", node: str = NODE) -> None:
        """A line in the log of the session."""
        self.bus.log(level, line, node)

    # ---- the loop ----------------------------------------------------------------------------------
    def step(self) -> bool:
        """Advance one control period; False when the session is paused and nothing moved."""
        for serve in self.inbound:
            serve()
        self.bus.spin()
        moves = self.holder is None and (not self.paused or self._single > 0)
        if moves:
            self._single = max(0, self._single - 1)
            self._advance()
        for node in self.nodes:
            try:
                node.update()
            except Exception as error:
                text = f"{type(node).__name__} failed: {in_words(error)}"
                if text not in self._failures:
                    self._failures.add(text)
                    self.log(text, "error")
                if not self._survives(error):
                    raise
        self.bus.spin()
        return moves

    def _survives(self, error: Exception) -> bool:
        """Whether the session goes on although a part of it failed: always when somebody drives it live."""
        return self.paced or bool(self.inbound) or isinstance(error, AndanteError)

    def _advance(self) -> None:
        stage = self.stage
        command = self._led()
        supervisor = stage.supervisor
        free = not (supervisor is not None and supervisor.busy) and not stage.activities.waiting.startswith("drive")
        if command.moving and free and not isinstance(stage.activities.present, Driving):
            stage.drive()
        try:
            stage.step(command)
        except LostBody as error:
            self.log(f"{error}; the session ends", "error")
            self.stop()
        except Diverged as error:
            self.log(f"{error}; the scene is reset and paused", "error")
            self._build(self.choice)
            self.paused = True
        except Exception as error:
            if not self._survives(error):
                raise
            self.log(f"{stage.activities.present.name} failed: {in_words(error)}; the joints are held", "error")
            stage.activities.replace(Hold(np.where(stage.speeds, 0.0, stage.activities.sent)))
            self.teleop.release()
        self.periods += 1
        self.bus.clock.advance_to(max(self.time, self.bus.clock.now))
        self.pacer.mark(self.time)

    def _led(self) -> Command:
        """What the robot shall do in this period; where the one who leads it fails, it stops."""
        walker = self.stage.walker
        try:
            return self.teleop.command(self.time, walker.max_speed, walker.max_turn, CONTROL_TIME)
        except Exception as error:
            if not self._survives(error):
                raise
            self.log(f"who leads the robot failed: {in_words(error)}; it stops", "error")
            self.teleop.release()
            return Command()

    def run(self, seconds: float | None = None, pace: bool | float = False) -> None:
        """Step until some simulated seconds are over, or without end until `stop`.

        pace: how fast simulated time goes at most, in wall clock time; True: real time, False: as fast as it can.
        """
        if not (math.isfinite(pace) and pace >= 0):
            raise BadInput(f"a session is paced by a factor >= 0, got {pace}")
        if seconds is not None and not (math.isfinite(seconds) and seconds >= 0):
            raise BadInput(f"seconds must be >= 0, got {seconds}")
        end = math.inf if seconds is None else self.periods + round(seconds / CONTROL_TIME)
        self.stopped, self.paced = False, bool(pace)
        self.teleop.pace = float(pace)
        self.pacer.start()
        try:
            while self.periods < end and not self.stopped:
                moved = self.step()
                if pace and not (self.real and moved):  # a real robot is waited for by its body
                    self.pacer.wait(CONTROL_TIME / pace if moved else IDLE)
                elif not moved:
                    if seconds is not None:
                        return  # nobody else could wake it up
                    time.sleep(IDLE)
        finally:
            self.paced, self.teleop.pace = False, 0.0

    def stop(self) -> None:
        """Let `run` return after the present period."""
        self.stopped = True

    def close(self) -> None:
        """End all nodes and free the engine; a second time does nothing."""
        self.stopped = True
        if self._closed:
            return
        self._closed = True
        for node in reversed(self.nodes):
            node.close()
        self.nodes = []
        self.stage.close()

    # ---- time and scene ----------------------------------------------------------------------------
    def pause(self) -> None:
        """Let simulated time stand still; the bus goes on."""
        self.paused = True

    def resume(self) -> None:
        """Let time go on."""
        self.paused, self._single = False, 0

    def single_step(self, periods: int = 1) -> None:
        """Advance a paused session by some control periods, at the next steps."""
        if not self.paused:
            raise BadInput("single steps are for a paused session; pause it first")
        if not 1 <= periods <= 1000:
            raise BadInput(f"a step is 1 to 1000 control periods, got {periods}")
        self._single = periods

    def reset(self) -> None:
        """Build the scene anew as it was at the start; the time of the session goes on."""
        self._build(self.choice)
        self.log("the scene is reset")

    def select(
        self,
        engine: str = "",
        world: World | str | Path = "",
        robot: Robot | str | Path = "",
        arguments: Mapping[str, str] | None = None,
        stay: bool = False,
    ) -> None:
        """Build the scene anew with another engine, world or robot; what is empty stays. On an error all stays.

        stay: the robot goes on where it stands also in another world, which is the same one after a change.
        """
        if engine:
            engine_class(engine)
        new = replace(self.choice, engine=engine or self.choice.engine, world=world or self.choice.world)
        if world and stay:
            new = replace(new, start=self._here())
        elif world:
            new = replace(new, others=(), start=(0.0, 0.0, 0.0))
        elif engine and not robot:  # the robot goes on where it stands
            new = replace(new, start=self._here())
        if robot:
            new = replace(new, robot=robot, gait="", pose=None, arguments=dict(arguments or {}))
        if engine and new.solver.stated:  # another engine has other settings
            new = replace(new, solver=kept_settings(engine_class(engine), new.solver))
        self._build(new)
        self.log(f"{self.stage.name} in {new.world_name} on {self.stage.sim.engine.name}")
        self._tell_settings()

    def set_solver(self, solver: SolverLike) -> None:
        """Build the scene anew with these settings of the solver, where the robot stands; {}: the engine's own."""
        wanted = solver_settings(solver)
        self._build(replace(self.choice, solver=wanted, dt=None, start=self._here()))
        words = ", ".join(f"{name} {value}" for name, value in wanted.stated.items()) or "the engine's own"
        self.log(f"solver: {words}; step {1e3 * self.stage.sim.engine.dt:g} ms")

    def _tell_settings(self) -> None:
        """What is simulated otherwise than usual because of the settings of the world."""
        for line in settings_words(self.stage.sim.engine, self.choice.solver):
            self.log(line)

    def respawn(self, x: float, y: float, yaw: float, pose: str = "", height: float = 0.0) -> None:
        """Put the robot at a place of the world [m, rad], from a height [m] over the ground; a fresh start there."""
        if not 0 <= height <= 10:
            raise BadInput(f"a robot is dropped from 0 to 10 m, got {height}")
        if pose:
            self.stage.robot.pose(pose)
        self._build(replace(self.choice, start=(x, y, yaw), pose=pose or self.choice.pose, drop=height), keep=False)
        self.log(f"{self.stage.name} stands at x {x:.2f} m, y {y:.2f} m, yaw {math.degrees(yaw):.0f} deg")

    def spawn(self, model: str, name: str, x: float, y: float, yaw: float) -> str:
        """Add a model to the scene, which is built anew with the robot where it stands; the name it has."""
        made = self.library.robot(model)
        taken = {a.name for a in self.stage.sim.engine.models}
        chosen = name or made.name
        if len(self.choice.others) >= MOST_MODELS:
            raise BadInput(f"up to {MOST_MODELS} models can be added to a scene")
        if chosen in taken:
            if name:
                raise BadInput(f"the scene has a model {name!r} already; choose another name")
            chosen = next(f"{made.name}_{k}" for k in range(2, 100) if f"{made.name}_{k}" not in taken)
        extra: Placement = placed(made, chosen, x, y, yaw)
        self._build(replace(self.choice, others=(*self.choice.others, extra), start=self._here()))
        self.log(f"added {chosen} at x {x:.2f} m, y {y:.2f} m")
        return chosen

    def _here(self) -> tuple[float, float, float]:
        """Where the robot stands, by truth: the scene keeps its look when it is built anew."""
        pose = self.stage.sim.base_pose
        x, y, z, w = pose[3:]
        yaw = math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z)) + self.stage.ready.forward
        return float(pose[0]), float(pose[1]), yaw

    def _build(self, choice: SceneChoice, keep: bool = True) -> None:
        """Build a scene; only when that has succeeded the old one goes. keep: the choice is what a reset returns to."""
        if self.real:
            raise BadInput("a real robot stays where and what it is: its scene is not built anew")
        if self.holder is not None:
            self.holder()
        with self.progress.stage(building(choice)):
            self._swap(Stage(choice, self.log, self.library, falls=self._falls), choice, keep)

    def _swap(self, fresh: Stage, choice: SceneChoice, keep: bool) -> None:
        """The new scene takes the place of the old one."""
        old, self._offset = self.stage, self.bus.clock.now
        self.stage, self.command_api = fresh, CommandApi(fresh, self.command_api.follow_settings)
        if keep:
            self.choice = choice
        self.scene += 1
        self.teleop.release()
        old.close()
        for node in self.nodes:
            node.rebuilt()
        del old
        gc.collect()  # a scene is a web of cycles with much memory in them: it goes now, not some scenes later

    # ---- what a user asks for ----------------------------------------------------------------------
    def drive(self, vx: float = 0.0, vy: float = 0.0, wz: float = 0.0) -> None:
        """A velocity in the robot's axes, as a /cmd_vel message: it lasts for 0.3 s."""
        self.teleop.velocity(self.time, vx, vy, wz)

    def keys(self, held: Sequence[str]) -> list[str]:
        """Keys that are held down now, as a /key message: they last for half a second; newly pressed ones.

        Words are buttons of the robot.
        """
        buttons = {word.casefold() for word in held if word.isalpha() and len(word) > 1} - set(KEYS)
        fresh = self.teleop.keys(self.time, held, buttons)
        for name in fresh:
            if name in buttons:
                self.command_api.button(name)
        return fresh

    def set_speed(self, percent: float) -> None:
        """How fast keys drive, in percent of the top speed."""
        if not 0 < percent <= 100:
            raise BadInput(f"speed is a percentage above 0 and up to 100, got {percent:g}")
        self.teleop.speed = float(percent)

    def push(
        self, link: str, force: Sequence[float], seconds: float = 0.1, point: Sequence[float] | None = None
    ) -> None:
        """Push a link (empty: the root) with a force [N] in world axes for a time [s]."""
        where = None if point is None else np.asarray(point, dtype=float)
        self.stage.push(link, np.asarray(force, dtype=float), seconds or 0.1, where)

    @property
    def position(self) -> Array:
        """x, y, heading in odom, as the robot believes."""
        return self.stage.position
