"""What 0.1.0 had for `an.walk` and the like, as one wrote it then; it goes in the next version.

run_walk(WalkJob("nao", distance=1.0))  # is an.walk("nao", distance=1.0) now
"""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Callable
from dataclasses import field, make_dataclass
from inspect import Parameter, signature
from typing import Any

import numpy as np

from andante.bus import Player as BagPlayer
from andante.control.body import BodyState
from andante.control.tracking import Tracking
from andante.errors import BadInput
from andante.locomotion import Behaviour, Command
from andante.mapping.io.bags import LogOptions
from andante.motion import ActionRunner, JointMotion
from andante.simulation import Simulation

from . import gait
from .explore import explore
from .maps.localize import localize
from .maps.map_log import map_log
from .navigate import navigate
from .play import play
from .sim import sim
from .walk import walk

RATE = 100.0  # of observers that move a robot [Hz]
OWN = {"goal": (1.0, 0.0, 0.0), "options": LogOptions(), "frozen": None}  # defaults that the functions do not have


def _job(name: str, task: Callable[..., Any], names: str) -> tuple[type, Callable[..., Any]]:
    """A class with the arguments of a task as its fields, in the order of 0.1.0, and what carries such a job out."""
    given, fields = signature(task).parameters, list[Any]()
    for each in names.split():
        default = given[each].default if each in given else Parameter.empty
        default = OWN.get(each, default) if default is Parameter.empty else default
        fields.append((each, Any) if default is Parameter.empty else (each, Any, field(default=default)))

    def run(job: Any, progress: bool = False) -> Any:
        """Carry a job out."""
        warnings.warn(f"{type(job).__name__} is {name}(...) now; jobs go in the next version", DeprecationWarning, 2)
        values = {"progress": progress, **vars(job)}
        values |= vars(values.pop("options")) if isinstance(values.get("options"), LogOptions) else {}
        values |= vars(values.pop("task")) | {"freeze": values.pop("frozen")} if "task" in values else {}
        if isinstance(values.get("velocity"), str):
            values["velocity"] = parse_velocity(values["velocity"])
        return task(**values)

    title = f"{task.__name__.removesuffix('_log').title()}Job"
    return make_dataclass(title, fields, namespace={"__doc__": f"Arguments of `{name}`."}, frozen=True), run


def parse_velocity(text: str) -> tuple[float, float, float]:
    """Three numbers from "vx vy wz" [m/s, m/s, rad/s]."""
    try:
        vx, vy, wz = (float(word) for word in text.split())
    except ValueError:
        raise BadInput(f"velocity {text!r} should be 'vx vy wz' in m/s, m/s and rad/s, like '0.1 0 0.2'") from None
    return vx, vy, wz


RUN = "robot world engine arguments seconds dt pose drop fixed push seed record video picture realtime"
WALK = "robot world engine gait arguments distance turn velocity seconds speed push params rig dt seed record video"
PLAY = "robot motion arguments parameters world engine pose seconds speed loop joints seed record video picture anyway"
DRIVE = "planner controller max_speed params"
EXPLORE = f"robot world out start waypoints trajectory timeout engine {DRIVE} arguments dt seed record plot video"
ROUTE = "robot world start goal map map_pose tolerance ignore_yaw timeout"
NAVIGATE = f"{ROUTE} {DRIVE} engine arguments push dt seed record plot video"
LOCALIZE = "log map initial_pose anywhere uwb seed trajectory reference params options"
SEARCH = "task study sampler budget workers executor shard seed batch options frozen space params timeout minutes"
SimJob, run_sim = _job("an.sim", sim, RUN)
WalkJob, run_walk = _job("an.walk", walk, WALK)
PlayJob, run_play = _job("an.play", play, PLAY)
ExploreJob, run_explore = _job("an.explore", explore, EXPLORE)
NavigateJob, run_navigate = _job("an.navigate", navigate, NAVIGATE)
MapJob, run_map = _job("an.map_log", map_log, "log out odometry loop_closure trajectory params options")
LocalizeJob, run_localize = _job("an.localize", localize, LOCALIZE)
SearchJob, run_search = _job("an.gait.search", gait.search, SEARCH)


def serve_replay(player: BagPlayer, handle: Any, told: Callable[[BagPlayer], None] | None = None) -> None:
    """Replay beside a server process until the end; `an.bag.play` starts the server too."""

    def pace(seconds: float) -> None:
        handle.poll()
        time.sleep(seconds)

    player.run(told, pace)


class Behave:
    """An observer of a simulation that runs a behaviour at a rate [Hz]; `ControlLoop` does so on any body."""

    def __init__(self, behaviour: Behaviour, command: Command | Callable[[float], Command], rate: float = RATE) -> None:
        self.behaviour, self.command, self.rate = behaviour, command, rate
        self.next_time = 0.0  # when the next control step is due [s]

    def update(self, sim: Simulation) -> None:
        """One control step."""
        if sim.sensors is None:
            raise BadInput("a behaviour needs sensors: simulate(..., sensors=True)")
        now = sim.time
        command = self.command(now) if callable(self.command) else self.command
        targets = self.behaviour.update(sim.read(), command, 1.0 / self.rate)
        sim.follow(targets, self.behaviour.modes, self.behaviour.stiffness)
        self.next_time = (round(now * self.rate) + 1) / self.rate


class Player:
    """An observer of a simulation that plays a joint motion, or what an action runner runs; see `an.play`."""

    def __init__(self, sim: Simulation, motion: JointMotion | ActionRunner, speed: float = 1.0) -> None:
        if not (math.isfinite(speed) and speed > 0):
            raise BadInput(f"the speed of playing must be > 0, got {speed}")
        self.motion, self.speed, self.finished, self.ended_at = motion, speed, False, math.nan
        self._start, self._count, self._names = sim.time, 0, sim.robot.joint_names
        moved = None if isinstance(motion, ActionRunner) else [self._names.index(name) for name in motion.names]
        self._tracking = Tracking(self._names, moved)
        self.tracking, self.errors = self._tracking.summary, self._tracking.errors
        self.update(sim)

    @property
    def next_time(self) -> float:
        """When the next targets are due [s]."""
        return self._start + self._count / RATE

    def update(self, sim: Simulation) -> None:
        """Send the targets of this instant."""
        since, here = (sim.time - self._start) * self.speed, sim.joints.position
        if isinstance(self.motion, ActionRunner):
            targets, over = self.motion.targets(since, here), self.motion.idle
        else:
            values, over = self.motion.evaluate(since).tolist(), since >= self.motion.duration
            targets = dict(zip(self.motion.names, values, strict=True))
        if targets:
            sim.target(targets)
        state = BodyState(sim.time, here, np.zeros(len(here)))
        self._tracking.measure(state, np.array([targets.get(name, math.nan) for name in self._names]))
        self._count += 1
        if over and not self.finished:
            self.finished, self.ended_at = True, sim.time - self._start
