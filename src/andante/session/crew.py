"""The robots of a session beside its first one: who they are, how they come and go, and what they share.

All stand in one scene under one engine. The first robot lets time pass; in every control period each of the others
reads its sensors and decides before that (`Companion.decide`). A robot that comes or goes does not stop the others: the
scene is built anew around them, and they go on in it with their places, speeds, servos and sensors
(`Crew.repopulate`).
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from andante.bus import Namespace
from andante.control.body import Body
from andante.control.drivers import Ready, make_ready
from andante.control.teleop_mux import TeleopMux
from andante.description import Placement, Robot
from andante.errors import BadInput, UnknownName
from andante.locomotion import FallRules
from andante.sensors.topics import plain
from andante.simulation.fellow import Entrant, Fellow, carry_over, move_into

from .choice import RobotChoice, SceneChoice
from .command_api import CommandApi
from .live_robot import LiveRobot
from .overlap import outline_at, refuse_inside, refuse_overlap
from .stage import Stage

if TYPE_CHECKING:
    from .session import LiveSession

__all__ = ["Companion", "Crew", "refuse_overlap"]
MOST_SEEDS = 1_000_003


class Companion(LiveRobot):
    """A robot of a session that is not its first one; everything of it lies below its name on the bus."""

    def __init__(self, session: LiveSession, choice: RobotChoice, stage: Stage) -> None:
        self.session, self.made_of, self.stage = session, choice, stage
        self.bus = Namespace(session.bus, plain(choice.name))
        self.teleop = TeleopMux(settings=session.teleop.settings)
        self.teleop.pace = session.teleop.pace
        self.command_api = CommandApi(stage, session.command_api.follow_settings, session.command_api.own)
        self.nodes = []
        if session.nodes:
            from .nodes import COMPANION_NODES

            for make in COMPANION_NODES:
                self.nodes.append(make(self))

    @property
    def time(self) -> float:
        """Of the session [s]."""
        return self.session.time

    @property
    def paused(self) -> bool:
        """Whether the session is."""
        return self.session.paused

    @property
    def paced(self) -> bool:
        """Whether the session is."""
        return self.session.paced

    @property
    def scene(self) -> int:
        """Counts builds of the scene."""
        return self.session.scene

    @property
    def choice(self) -> SceneChoice:
        """What the scene shows, with this robot as the one that is meant."""
        return self.stage.choice

    @property
    def hub(self) -> LiveSession:
        """The session that it takes part in."""
        return self.session

    def log(self, line: str, level: str = "info") -> None:
        """A line in the log of the session, under its name."""
        self.bus.log(level, line, "robot")

    def survives(self, error: Exception) -> bool:
        """As the session does."""
        return self.session.survives(error)

    def decide(self) -> None:
        """The first half of a control period: who leads it is asked, and targets are sent."""
        command = self.asked()
        self.attempt(lambda: self.stage.decide(command))

    def close(self) -> None:
        """Leave the bus and the scene."""
        self.close_nodes()
        self.bus.parameters.remove("/*")
        self.bus.clear_frames()
        self.stage.close()


class Crew:
    """All companions of a session."""

    def __init__(self, session: LiveSession) -> None:
        self.session = session
        self.companions: dict[str, Companion] = {}
        self._coming: list[tuple[RobotChoice, Ready, Entrant]] = []  # that stand in the scene and have no stage yet

    # ---- building ----------------------------------------------------------------------------------
    def with_robots(self, choice: SceneChoice, robots: Sequence[RobotChoice]) -> SceneChoice:
        """A choice with more robots, each with a name of its own; BadInput for two of one name or place."""
        shelf = self.session.library
        first = shelf.robot(choice.robot, choice.arguments)
        taken = {first.name, *(placed.name for placed in shelf.world(choice.world).models)}
        placed = [(first.name, outline_at(first, choice.start))]
        named: list[RobotChoice] = []
        for each in robots:
            made = shelf.robot(each.robot, each.arguments)
            name = each.name or next(n for k in range(2, 1000) if (n := f"{made.name}_{k}") not in taken)
            if plain(name) in {plain(other) for other in taken}:
                raise BadInput(f"two robots of the session are called {name!r}; give them different names")
            outline = outline_at(made, each.start)
            for other, theirs in placed:
                refuse_inside(name, outline, other, theirs)
            taken.add(name)
            placed.append((name, outline))
            named.append(replace(each, name=name))
        return replace(choice, robots=(*choice.robots, *named))

    def first_stage(self, choice: SceneChoice, body: Callable[[Robot], Body] | None, falls: FallRules | None) -> Stage:
        """The stage of the first robot, in a scene that holds all."""
        session = self.session
        self._coming = [self._entrant(choice, each) for each in choice.robots]
        extra = tuple(entrant.placement for _, _, entrant in self._coming)
        return Stage(choice, session.log, session.library, body, falls, beside=extra, start=session.start_settings)

    def gather(self) -> None:
        """Bring those to life who stand in the scene already."""
        for choice, ready, entrant in self._coming:
            self._enlist(choice, ready, entrant)
        self._coming = []

    def _entrant(self, scene: SceneChoice, choice: RobotChoice) -> tuple[RobotChoice, Ready, Entrant]:
        ready = make_ready(self.session.library.robot(choice.robot, choice.arguments), choice.gait)
        x, y, yaw = choice.start
        seed = scene.seed + zlib.crc32(choice.name.encode()) % MOST_SEEDS
        pose = choice.pose or dict(ready.pose)
        return choice, ready, Entrant(choice.name, ready.robot, pose, (x, y, yaw - ready.forward), choice.drop, seed)

    def _enlist(self, choice: RobotChoice, ready: Ready, entrant: Entrant) -> None:
        session = self.session
        own = replace(
            session.choice, robot=choice.robot, arguments=choice.arguments, gait=choice.gait, pose=choice.pose,
            start=choice.start, drop=choice.drop, seed=entrant.seed, others=(), robots=(),
        )  # fmt: skip
        lead = session.stage.sim
        companion: list[Companion] = []

        def log(line: str) -> None:
            (companion[0] if companion else session).log(line)

        stage = Stage(own, log, session.library, falls=session.falls, ready=ready, sim=Fellow(lead, entrant))
        companion.append(Companion(session, choice, stage))
        self.companions[choice.name] = companion[0]

    # ---- while everything goes on --------------------------------------------------------------------
    def add(self, choice: RobotChoice) -> None:
        """One more robot."""
        session = self.session
        coming = self._entrant(session.choice, choice)
        session.choice = replace(session.choice, robots=(*session.choice.robots, choice))
        try:
            self._rebuild((coming[2].placement,))
            self._enlist(*coming)
        except BaseException:
            session.choice = replace(session.choice, robots=session.choice.robots[:-1])
            raise
        self._told()

    def remove(self, name: str) -> str:
        """Take a robot or a thing that was added out of the scene; what it was doing, in words."""
        session, choice = self.session, self.session.choice
        if name == session.name:
            raise BadInput(f"{name} is the first robot of the session and stays; `robot NAME` changes it")
        known = [*self.companions, *(placed.name for placed in choice.others)]
        if name not in known:
            raise UnknownName.among("model that was added", name, known)
        words = ""
        if name in self.companions:
            leaving = self.companions.pop(name)
            words = "; it was on its way to a goal, which is canceled" if leaving.teleop.navigates else ""
            leaving.close()
        self.repopulate(
            replace(
                choice,
                robots=tuple(each for each in choice.robots if each.name != name),
                others=tuple(each for each in choice.others if each.name != name),
            )
        )
        return words

    def repopulate(self, choice: SceneChoice) -> None:
        """Other models stand in the scene from now on; all robots go on."""
        before, self.session.choice = self.session.choice, choice
        try:
            self._rebuild()
        except BaseException:
            self.session.choice = before
            raise
        self._told()

    def _rebuild(self, new: tuple[Placement, ...] = ()) -> None:
        session = self.session
        if session.holder is not None:
            session.holder()
        lead = session.stage.sim
        old = lead.engine
        known = {model.name: model.placement for model in old.models}
        staying = (*session.choice.others, *(known[name] for name in self.companions))
        engine = type(old)(old.world, (*staying, *new, known[lead.name]), old.asked)
        carry_over(old, engine)
        move_into([lead, *(each.stage.sim for each in self.companions.values())], engine)
        old.close()

    def _told(self) -> None:
        session = self.session
        session.scene += 1
        for robot in session.robots.values():
            for node in robot.nodes:
                node.repopulated()

    def where_they_stand(self, choice: SceneChoice) -> SceneChoice:
        """A choice with all robots where they stand now, by truth: the scene keeps its look when it is built anew."""
        robots = [
            replace(each, start=_standing(self.companions[each.name].stage)) if each.name in self.companions else each
            for each in choice.robots
        ]
        return replace(choice, robots=tuple(robots), start=_standing(self.session.stage))

    def close(self) -> None:
        """All leave."""
        for companion in reversed(self.companions.values()):
            companion.close()
        self.companions = {}


def _standing(stage: Stage) -> tuple[float, float, float]:
    pose = stage.sim.base_pose
    x, y, z, w = pose[3:]
    yaw = math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z)) + stage.ready.forward
    return float(pose[0]), float(pose[1]), yaw
