"""A launch plan carried out: session, server, bridges, recording, parameters and lines at their times.

All ends cleanly, whatever happens. A bridge runs in a process of its own, as `andante bridge NAME SESSION`, and is
watched by the session.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from andante.bridges.server.start import start_server
from andante.bus import Bus
from andante.child import Child
from andante.compiling.ahead import compile_ahead
from andante.errors import AndanteError, BadInput
from andante.mapping.io.map_files import load_map
from andante.mobile.zone_files import zones_beside
from andante.tasks.result import Result

from .choice import RobotChoice
from .launch_file import LaunchPlan, NavigationPlan, RobotPlan, ServerPlan, ThenPlan
from .live_robot import LiveRobot
from .nodes.mapping import MappingNode
from .nodes.navigation import navigation_of
from .nodes.node import LiveNode
from .real import real_body
from .session import LiveSession

KINDS = ("ros1", "ros2", "foxglove", "rosbridge", "naoqi")
STOP_TIMEOUT = 5.0  # until a bridge that does not end is killed [s]
Serve = Callable[[LiveSession, ServerPlan], Any]  # returns something with `url` and `close()` or `stop()`
Bridge = Callable[[LiveSession, str, str, dict[str, Any]], Any]  # session, name, address, options

ERROR = 40  # level of a line of the log, as rcl_interfaces/msg/Log has it
MOST_ERRORS = 100  # that are kept


@dataclass(frozen=True)
class LaunchOutcome(Result):
    """How it ended."""

    robot: str
    world: str
    engine: str  # or the address of a real robot
    seconds: float  # simulated, or of the robot's clock
    real_time_factor: float  # over the last second; 0 where it was not paced
    behaviour: str
    fallen: bool
    position: tuple[float, float, float]  # as the robot believes, x, y [m], heading [rad]
    errors: tuple[str, ...] = ()  # of the session on the way, such as a bridge that has died

    def __str__(self) -> str:
        x, y, _ = self.position
        return f"{self.seconds:.2f} s, {self.behaviour}, estimated at x {x:.2f} m, y {y:.2f} m"


class Script(LiveNode):
    """Lines of the terminal, each at its time; they go on over a rebuild of the scene."""

    def __init__(self, session: LiveSession, lines: tuple[ThenPlan, ...]) -> None:
        super().__init__(session)
        self._lines, self._start = list(lines), session.time

    def update(self) -> None:
        """Say the lines whose time has come."""
        while self._lines and self.session.time - self._start >= self._lines[0].at - 1e-9:
            self.bus.call("/terminal", {"line": self._lines.pop(0).do})


def session_of(plan: LaunchPlan) -> LiveSession:
    """The session that a plan asks for, with its parameters, map and behaviour; it has not run yet."""
    x, y, yaw = plan.start
    folder = Path(plan.folder) if plan.folder else Path(plan.source).absolute().parent / "andante_sessions"
    compile_ahead()
    bus = Bus()
    session = LiveSession(
        plan.robot,
        plan.world,
        plan.engine,
        seed=plan.seed,
        pose=plan.pose or None,
        start=(x, y, math.radians(yaw)),
        gait=plan.gait,
        dt=plan.dt or None,
        solver=plan.solver,
        arguments=plan.arguments,
        folder=folder,
        falls=plan.falls,
        bus=bus,
        body=real_body(plan.body.address, plan.body.options, bus),
        robots=[_choice(each, Path(plan.source).parent) for each in plan.robots],
    )
    try:
        _prepare(session, plan)
    except BaseException:
        session.close()
        raise
    return session


def _choice(plan: RobotPlan, folder: Path) -> RobotChoice:
    x, y, yaw = plan.start
    beside = folder / plan.robot
    robot = str(beside) if beside.is_file() else plan.robot
    return RobotChoice(robot, plan.name, (x, y, math.radians(yaw)), gait=plan.gait, pose=plan.pose or None)


def _prepare(session: LiveSession, plan: LaunchPlan) -> None:
    where = f"{plan.source}: " if plan.source else ""
    for name, value in plan.parameters.items():
        try:
            session.bus.parameters.set(name, value)
        except AndanteError as error:
            raise BadInput(f"{where}[parameters] {error}") from None
    session.set_speed(plan.speed)
    if plan.navigation is not None:
        if plan.navigation.map:
            path = Path(plan.navigation.map)
            beside = Path(plan.source).parent / path
            found = beside if beside.exists() else path
            navigation_of(session).set_map(load_map(found))
            navigation_of(session).set_zones(zones_beside(found))
        _map(session, plan.navigation, f"{where}[navigation] ")
        _navigate(session, plan.navigation.goal, f"{where}[navigation] ")
    for entry, robot in zip(plan.robots, session.crew.companions.values(), strict=True):
        _navigate(robot, entry.goal, f"{where}[[robots]] {robot.name}: ")
        if entry.behaviour:
            robot.command_api.behave(entry.behaviour)
    if plan.behaviour:
        session.command_api.behave(plan.behaviour)
    if plan.paused:
        session.pause()
    session.nodes.append(Script(session, plan.then))


def _map(robot: LiveRobot, plan: NavigationPlan, where: str) -> None:
    """Begin to map, or to explore, where that is asked for."""
    if not (plan.mapping or plan.explore):
        return
    if plan.map:
        raise BadInput(f"{where}a robot has a map, or makes one: give map, or mapping and explore")
    node = next(node for node in robot.nodes if isinstance(node, MappingNode))
    try:
        node.start()
    except AndanteError as error:
        raise BadInput(f"{where}{error}") from None
    if plan.explore:
        node.explore_soon()


def _navigate(robot: LiveRobot, goal: tuple[float, ...], where: str) -> None:
    if not goal:
        return
    yaw = math.radians(goal[2]) if len(goal) == 3 else math.nan
    try:
        navigation_of(robot).ensure().set_goal(goal[0], goal[1], yaw)
    except AndanteError as error:
        raise BadInput(f"{where}{error}") from None


def run_launch(
    plan: LaunchPlan,
    serve: Serve | None = None,
    bridge: Bridge | None = None,
    ready: Callable[[LiveSession, str], None] = lambda session, url: None,
    say: Callable[[str], None] = lambda text: None,
) -> LaunchOutcome:
    """Carry a plan out. Whatever happens, server, bridges, recording and engine are ended in the end.

    serve starts the web server, bridge one of the other bridges; ready is told the address once all has started, say
    every error of the session.
    """
    with ExitStack() as stack:
        session = session_of(plan)
        stack.callback(session.close)
        url = ""
        errors: list[str] = []

        def hear(line: Any) -> None:
            if int(line.level) >= ERROR:
                errors.append(str(line.msg))
                del errors[:-MOST_ERRORS]
                say(errors[-1])

        session.bus.subscribe("/rosout", None, hear, 100)
        if plan.server is not None or plan.bridges:  # bridges reach the session through its server
            server = (serve or plain_server)(session, plan.server or ServerPlan())
            stack.callback(server.stop if hasattr(server, "stop") else server.close)
            url = server.url
        for name, options in plan.bridges.items():
            try:
                made = (bridge or BridgeProcess)(session, name, url, dict(options))
            except AndanteError as error:
                raise BadInput(f"{plan.source}: [bridges] {error}") from None
            stack.callback(made.stop)
        if plan.record is not None:
            answer = session.bus.call(
                "/record_start",
                {"name": plan.record.name, "topics": list(plan.record.topics), "format": plan.record.format},
            )
            if not answer.success:
                raise BadInput(f"{plan.source}: [record] {answer.message}")
        ready(session, url)
        session.run(plan.seconds or None, pace=plan.realtime)
        return replace(_outcome(session, plan), errors=tuple(errors))


def _outcome(session: LiveSession, plan: LaunchPlan) -> LaunchOutcome:
    x, y, heading = (float(v) for v in session.position)
    return LaunchOutcome(
        session.stage.name,
        session.choice.world_name,
        session.stage.sim.address,
        session.time,
        session.pacer.factor if plan.realtime else 0.0,
        session.behaviour,
        session.stage.sim.fallen,
        (x, y, heading),
    )


def plain_server(session: LiveSession, plan: ServerPlan) -> Any:
    """The web server without a page: rosbridge alone."""
    handle = start_server(session.bus, plan.port, plan.host, plan.token or None)
    session.inbound.append(handle.poll)
    return handle


def bridge_words(options: Mapping[str, Any]) -> list[str]:
    """Options of a launch file as words of the command line: lists are repeated, true and false become flags."""
    out: list[str] = []
    for name, value in options.items():
        flag = f"--{name.replace('_', '-')}"
        if isinstance(value, bool):
            out.append(flag if value else f"--no-{flag[2:]}")
        elif isinstance(value, list):
            out += [word for entry in value for word in (flag, str(entry))]
        else:
            out += [flag, str(value)]
    return out


class BridgeProcess:
    """A running bridge; when it ends by itself that is told once, and the session goes on."""

    def __init__(self, session: LiveSession, name: str, url: str, options: Mapping[str, Any]) -> None:
        if name not in KINDS:
            raise BadInput(f"no bridge {name!r}; choices: {', '.join(KINDS)}")
        self.session, self.name = session, name
        self._child: Child | None = Child("andante", "bridge", name, url, *bridge_words(options))
        session.inbound.append(self.poll)

    @property
    def alive(self) -> bool:
        """Whether it runs."""
        return self._child is not None and self._child.alive

    def poll(self) -> None:
        """Tell of its end."""
        if self._child is None or self._child.alive:
            return
        why = self._child.last_words().removeprefix("andante: ") or f"code {self._child.process.returncode}"
        self.stop()
        self.session.log(f"bridge {self.name} exited ({why}); the session continues without it", "error")

    def stop(self) -> None:
        """End it, by force if it does not by itself."""
        if self._child is not None:
            self._child.end(STOP_TIMEOUT)
        self._child = None
