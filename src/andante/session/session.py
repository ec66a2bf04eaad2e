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
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from threading import Thread
from typing import Protocol

from andante._moved import renamed, renamed_attributes
from andante.bus import Bus
from andante.control.body import Body
from andante.control.joints.following import FollowSettings
from andante.control.start import START, StartSettings
from andante.control.teleop_mux import TeleopMux, TeleopSettings
from andante.description import Placement, Robot, World
from andante.description.solver import SolverLike, solver_settings
from andante.errors import AndanteError, BadInput, Diverged, LostBody
from andante.files import Closing, session_folder
from andante.locomotion import FallRules
from andante.physics import engine_class
from andante.physics.solver import kept_settings, settings_words
from andante.settings import DEFAULT_ENGINE, DEFAULT_ROBOT, DEFAULT_WORLD

from .choice import CONTROL_TIME, Library, RobotChoice, SceneChoice, robot_choice
from .command_api import CommandApi
from .crew import Crew, refuse_overlap
from .live_robot import LiveRobot, in_words
from .pacer import Pacer
from .prefetch import SETTLED, prefetch
from .progress import Progress
from .stage import placed

NODE = "session"
OWN_MOTIONS = "motions"  # folder in that of the session
IDLE = 0.02  # between two looks at the bus while paused [s]
MOST_MODELS = 20


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

    def repopulated(self) -> None:
        """Other models stand in the scene; the robots go on."""

    def close(self) -> None:
        """The session ends."""


@renamed(place="start")
@renamed_attributes(pilot="teleop", operator="command_api", tell="log")
class LiveSession(LiveRobot, Closing):
    """Robots, world and engine on a bus. The session itself is its first robot; `robots` has all by name.

    nodes: which take part, by default all (see `andante.session.nodes`). body: makes the real robot that is moved, of
    its description; the scene then shows it, its time is that of the session, and it is driven only when it tells its
    joints as often as `start_settings` and its gait ask. robots: more robots, as
    `RobotChoice` or text like "waffle@1,0.5,90:helper"; each lives below its name on the bus.
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
        robots: Sequence[RobotChoice | str] = (),
        progress: Progress | None = None,
        start_settings: StartSettings = START,
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
        self._prefetch: Thread | None = None  # what is made ready while it runs
        self.holder: Callable[[], None] | None = None  # ends what lets time stand still, such as a replay
        self.periods = 0  # control periods so far
        self.teleop = TeleopMux(settings=teleop)
        self.pacer = Pacer()
        self.inbound: list[Callable[[], None]] = []  # called before every period: links to other processes
        self._offset = self.bus.clock.now  # time of the bus when the present scene began [s]
        self._single, self._closed = 0, False
        self._failures: set[str] = set()  # of nodes, that were told
        self.real = body is not None
        self.falls, self.start_settings = falls, start_settings
        self.crew = Crew(self)
        if robots:
            if self.real:
                raise BadInput("a session with a real robot has no more robots")
            self.choice = self.crew.with_robots(self.choice, [robot_choice(each) for each in robots])
        with self.progress.stage(building(self.choice)):
            self.stage = self.crew.first_stage(self.choice, body, falls)
        if self.real:
            self._offset = 0.0
            self.bus.clock.advance_to(max(self.bus.clock.now, self.stage.sim.time))
        self.command_api = CommandApi(self.stage, follow, self.folder / OWN_MOTIONS)
        if nodes is None:
            from .nodes import all_nodes

            nodes = all_nodes(self.real)
        self.nodes: list[LiveNode] = []
        try:
            for make in nodes:
                self.nodes.append(make(self))
        except BaseException:
            self.close()
            raise
        self.crew.gather()
        self.log(f"{self.stage.name} in {self.choice.world_name} on {self.stage.sim.address}")
        self._tell_settings()

    # ---- what is known -----------------------------------------------------------------------------
    @property
    def time(self) -> float:
        """Simulated time of the session [s]: it goes on over resets."""
        return self._offset + self.stage.sim.time

    @property
    def robots(self) -> dict[str, LiveRobot]:
        """All robots by the names of their models in the scene, the first one first."""
        return {self.name: self, **self.crew.companions}

    @property
    def hub(self) -> LiveSession:
        """Itself; of a companion the session that it takes part in."""
        return self

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
        for robot in (self, *self.crew.companions.values()):
            for node in robot.nodes:
                try:
                    node.update()
                except Exception as error:
                    text = f"{type(node).__name__} failed: {in_words(error)}"
                    if text not in self._failures:
                        self._failures.add(text)
                        robot.log(text, "error")
                    if not self.survives(error):
                        raise
        self.bus.spin()
        return moves

    def survives(self, error: Exception) -> bool:
        """Whether the session goes on although a part of it failed: always when somebody drives it live."""
        return self.paced or bool(self.inbound) or isinstance(error, AndanteError)

    def _advance(self) -> None:
        fellows = list(self.crew.companions.values())
        command = self.asked()
        try:
            for fellow in fellows:
                fellow.decide()
            self.attempt(lambda: self.stage.step(command))
            for fellow in fellows:
                fellow.stage.finish()
        except LostBody as error:
            self.log(f"{error}; the session ends", "error")
            self.stop()
        except Diverged as error:
            self.log(f"{error}; the scene is reset and paused", "error")
            self._build(self.choice)
            self.paused = True
        self.periods += 1
        self.bus.clock.advance_to(max(self.time, self.bus.clock.now))
        self.pacer.mark(self.time)

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
        self._pace(float(pace))
        if pace and self._prefetch is None:
            self._prefetch = prefetch((kind for kind in self.bus.topics().values() if kind), SETTLED)
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
            self.paced = False
            self._pace(0.0)

    def _pace(self, pace: float) -> None:
        for robot in self.robots.values():
            robot.teleop.pace = pace

    def stop(self) -> None:
        """Let `run` return after the present period."""
        self.stopped = True

    def close(self) -> None:
        """End all nodes and free the engine; a second time does nothing."""
        self.stopped = True
        if self._closed:
            return
        self._closed = True
        self.crew.close()
        self.close_nodes()
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
        if (world and stay) or (engine and not robot and not world):  # all go on where they stand
            new = self.crew.where_they_stand(new)
        elif world:
            new = replace(new, others=(), robots=(), start=(0.0, 0.0, 0.0))
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
        self._build(self.crew.where_they_stand(replace(self.choice, solver=wanted, dt=None)))
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
        refuse_overlap(self.stage.robot, self.name, (x, y, yaw), self.robots.values())
        there = self.crew.where_they_stand(self.choice)
        self._build(replace(there, start=(x, y, yaw), pose=pose or self.choice.pose, drop=height), keep=False)
        self.log(f"{self.stage.name} stands at x {x:.2f} m, y {y:.2f} m, yaw {math.degrees(yaw):.0f} deg")

    def spawn(self, model: str | Path | Robot, name: str, x: float, y: float, yaw: float) -> str:
        """Add a robot or a model to the scene while everything goes on; the name it has.

        A robot lives below its name on the bus as the first one does; a model without joints is a thing.
        """
        if self.real:
            raise BadInput("a real robot stays where and what it is: nothing is added to its scene")
        made = self.library.robot(model)
        taken = {a.name for a in self.stage.sim.engine.models}
        chosen = name or made.name
        if len(self.choice.others) + len(self.choice.robots) >= MOST_MODELS:
            raise BadInput(f"up to {MOST_MODELS} models can be added to a scene")
        if chosen in taken:
            if name:
                raise BadInput(f"the scene has a model {name!r} already; choose another name")
            chosen = next(f"{made.name}_{k}" for k in range(2, 100) if f"{made.name}_{k}" not in taken)
        refuse_overlap(made, chosen, (x, y, yaw), self.robots.values())
        if made.movable:
            self.crew.add(RobotChoice(model, chosen, (x, y, yaw)))
        else:
            extra: Placement = placed(made, chosen, x, y, yaw)
            self.crew.repopulate(replace(self.choice, others=(*self.choice.others, extra)))
        self.choice = self.crew.where_they_stand(self.choice)  # which a reset returns to
        self.log(f"added {chosen} at x {x:.2f} m, y {y:.2f} m")
        return chosen

    def remove(self, name: str) -> str:
        """Take a robot or a model that was added out of the scene; what it was doing, in words."""
        words = self.crew.remove(name)
        self.log(f"removed {name}{words}")
        return words

    def _build(self, choice: SceneChoice, keep: bool = True) -> None:
        """Build a scene; only when that has succeeded the old one goes. keep: the choice is what a reset returns to."""
        if self.real:
            raise BadInput("a real robot stays where and what it is: its scene is not built anew")
        if self.holder is not None:
            self.holder()
        with self.progress.stage(building(choice)):
            self._swap(choice, keep)

    def _swap(self, choice: SceneChoice, keep: bool) -> None:
        """A new scene takes the place of the old one."""
        fresh = self.crew.first_stage(choice, None, self.falls)
        old, self._offset = self.stage, self.bus.clock.now
        self.stage, self.command_api = fresh, CommandApi(fresh, self.command_api.follow_settings, self.command_api.own)
        if keep:
            self.choice = choice
        self.scene += 1
        self.teleop.release()
        self.crew.close()
        old.close()
        for node in self.nodes:
            node.rebuilt()
        self.crew.gather()
        del old
        frozen = gc.get_freeze_count() > 0
        gc.unfreeze()
        gc.collect()  # a scene is a web of cycles with much memory in them: it goes now, not some scenes later
        if frozen:
            gc.freeze()  # see `prefetch`
