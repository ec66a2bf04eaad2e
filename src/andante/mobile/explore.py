"""The loop of an exploring robot: sense, map, choose a goal, drive; from its sensors alone."""

from __future__ import annotations

import math
from collections.abc import Callable, Generator
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import numpy as np

from andante import navigation as nav
from andante.geometry import Array, se2
from andante.mapping import LiveMapper, MappingParameters, OccupancyGrid, Scan
from andante.mobile.robot import MobileRobot
from andante.mobile.sensing import Localizer, OdometryOnly, Sensed
from andante.navigation.layers import LayeredCostmap

from .explore_goals import Errand, Trail, decided, grown, inflation
from .growing import Growing
from .navigate import STANDING
from .publisher import NavigationState

LOOK_AROUND = 2.5  # standing before the first goal: one scan alone is no map [s]
REFRESH = 0.5  # the navigator takes over the map so often [s]
REVIEW = 1.0  # ... and the goal is looked at so often [s]
BRAKING = 2.0  # longest time to come to rest [s]
PATIENCE = 20.0  # time for a goal beyond four times that of the straight way [s]
RETRACE, RETRACE_SPEED = 1.0, 0.15  # how far and how fast it goes back after a failure [m, m/s]
CAR_ARRIVAL = 0.3  # a car need not stand on the spot to look [m]
ARRIVAL = 0.2
MARGIN = 0.04  # kept around the footprint while the map is made [m]
MOST_STATES = 60_000  # of a search for a car's way

Report = Callable[[Sensed, str], None]
T = TypeVar("T")


@dataclass
class Explored:
    """What an exploration left behind, as far as the robot knows."""

    mapper: LiveMapper
    reason: str = ""
    goals: int = 0  # that were driven to
    distance: float = 0.0  # way by odometry [m]
    begun: float = 0.0  # [s]
    ended: float = 0.0  # [s]
    work: float = 0.0  # wall time spent on mapping [s]
    complete: bool = False  # it ended by itself, not by time, a stop or a fault
    last: Sensed | None = None
    events: list[tuple[float, str]] = field(default_factory=list)  # time [s] and words


class ExplorationState(NavigationState):
    """The exploration as a recording shows it: its map grows and tells where odom lies."""

    def __init__(self, navigator: nav.Navigator, reference: Any, start: Any, grid: OccupancyGrid) -> None:
        super().__init__(navigator, reference, start, grid)
        self._frame = OdometryOnly(start)

    @property
    def localizer(self) -> Localizer:
        """Where the map puts the odometry."""
        return self._frame

    def follow(self, pose: Array, map_from_odom: Array, velocity: Array) -> None:
        """Note where the robot is now and what it was told to drive."""
        self.pose, self._frame.map_from_odom, self._velocity = pose, map_from_odom, np.array(velocity)


Steps = Generator[Array, Sensed, T]  # gives twists, is sent what is sensed after each


class Exploration:
    """A robot that maps while it drives from goal to goal: `work` tells twists and is sent what they led to.

    Args:
        vehicle: the base.
        growing: the map, which has its first scans.
        sensed: what the robot knows at first.
        errand: makes the goals for a vehicle.
        planner, controller: names, or `file.py:Name`.
        speed: limit [m/s].
        seed: of the controller.
        report: told what is sensed in every step, and what is left to do.
    """

    def __init__(
        self,
        vehicle: nav.Vehicle,
        growing: Growing,
        sensed: Sensed,
        errand: Callable[[nav.Vehicle], Errand],
        *,
        planner: str = "auto",
        controller: str = "pursuit",
        speed: float = math.inf,
        seed: int = 0,
        report: Report = lambda sensed, words: None,
    ) -> None:
        assert growing.mapper is not None
        self._base, self.vehicle = vehicle, grown(vehicle, MARGIN)
        self.growing, self.mapper = growing, growing.mapper
        self.errand = errand(self.vehicle)
        self._report, self._speed, self._trail = report, speed, Trail()
        self.done = Explored(self.mapper, begun=sensed.time, ended=sensed.time)
        self._placed = self._mapped(sensed)
        self._recent = self._placed
        arrival = CAR_ARRIVAL if self.vehicle.drive == "ackermann" else ARRIVAL
        self._settings = nav.NavigatorSettings(most_recoveries=4, arrival=nav.GoalChecker(arrival, math.pi))
        self.navigator = nav.Navigator(
            self.vehicle, self.grid, planner=self._planner(planner), controller=controller, settings=self._settings,
            speed=speed, seed=seed,
        )  # fmt: skip
        self.state = ExplorationState(self.navigator, self.vehicle.reference, growing.map_from_odom, self.grid)
        self._sensed = sensed
        self._refreshed = self._reviewed = sensed.time
        self._keys = self.mapper.keys

    def _planner(self, name: str) -> str | nav.Planner:
        """The planner by name; a car's search is given up sooner than usual, for another goal is at hand."""
        car = self.vehicle.drive == "ackermann"
        return nav.HybridAStar(self.vehicle, most_states=MOST_STATES) if name == "auto" and car else name

    @property
    def grid(self) -> OccupancyGrid:
        """The map so far, as goals are chosen on it."""
        return decided(self.mapper.occupancy())

    @property
    def pose(self) -> Array:
        """Where the robot believes to be now (3,), on its map."""
        return se2.compose(self.growing.map_from_odom, self._sensed.odom)

    def run(self, robot: MobileRobot, timeout: float = math.inf) -> Explored:
        """Drive a robot until no goal is left or the time is over [s]; then stand."""
        steps = self.work(timeout)
        velocity = next(steps)
        while True:
            try:
                velocity = steps.send(robot.step(velocity))
            except StopIteration:
                return self.done

    def work(self, timeout: float = math.inf) -> Steps[Explored]:
        """The drive as a generator: it gives the twist of each step and is sent what is sensed after it."""
        end = self._sensed.time + timeout
        while (goal := self._aim()) is not None:
            if not (yield from self._drive(goal, end)):
                self.done.reason = f"timed out after {timeout:g} s; {self.errand.reason}"
                break
        else:
            self.done.reason, self.done.complete = self.errand.reason, True
        yield from self._stand()
        return self.done

    def _stand(self) -> Steps[None]:
        """Come to rest; scans that come are mapped."""
        end = self._sensed.time + BRAKING
        yield from self._step(np.zeros(3))
        while np.abs(self._sensed.twist).max() > STANDING and self._sensed.time < end:
            yield from self._step(np.zeros(3))

    # ---- goals -----------------------------------------------------------------------------------
    def _aim(self) -> Array | None:
        """Take the next goal; None: there is none."""
        grid = self.grid
        goal = self.errand.next(grid, self.pose)
        if goal is None:
            return None
        self._show(grid)
        self.navigator.set_goal(goal)
        self.state.goal = self._to_root(goal) if math.isfinite(goal[2]) else np.array(goal)
        self.done.goals += 1
        self._note(f"goal {self.done.goals} at ({goal[0]:.2f}, {goal[1]:.2f}); {self.errand.reason}")
        return goal

    def _to_root(self, pose: Array) -> Array:
        return se2.compose(pose, se2.inverse(self.vehicle.reference))

    def _patience(self, goal: Array) -> float:
        """The longest time to take for a goal [s]."""
        way = float(np.hypot(*(goal - self.pose)[:2]))
        return PATIENCE + 4.0 * way / min(self._speed, self.vehicle.max_speed)

    def _drive(self, goal: Array, end: float) -> Steps[bool]:
        """Drive to the goal until it is reached, given up, or not worth it any more; False: the time is over."""
        self._reviewed = self._sensed.time
        patience = self._sensed.time + self._patience(goal)
        while self._sensed.time < end - 1e-9:
            self.state.output = output = self.navigator.update(self._reading())
            for event in output.events:
                self._note(event)
            if output.state in (nav.State.ARRIVED, nav.State.FAILED) or self._at_end_of(output):
                yield from self._stand()
                self.errand.over(output.state is not nav.State.FAILED, output.reason)
                if output.state is nav.State.FAILED:
                    yield from self._retrace(end)
                return True
            if self._sensed.time > patience:
                self._note("goal aborted: timed out")
                self.errand.over(False, "timed out on the way")
                yield from self._retrace(end)
                return True
            yield from self._step(output.velocity)
            if self._sensed.time - self._refreshed >= REFRESH and self.mapper.keys > self._keys:
                self._show(self.grid)
            if self._sensed.time - self._reviewed >= REVIEW and output.state is nav.State.DRIVING:
                self._reviewed = self._sensed.time
                if not self.errand.worth(self.grid):
                    self._note("goal dropped: its frontier has been seen already")
                    return True
        return False

    def _at_end_of(self, output: nav.NavigatorOutput) -> bool:
        """Whether the robot stands where the path ends, as near to an occupied goal as it can get."""
        if output.path is None or output.state is not nav.State.DRIVING:
            return False
        return self._settings.arrival.near(self.pose, output.path.goal)

    def _retrace(self, end: float) -> Steps[None]:
        """Leave as it came: a robot that is shut in here would not get to the next goal either. Cars are left alone."""
        if self.vehicle.drive == "ackermann" or (path := self._trail.back(RETRACE)) is None:
            return
        self._note(f"retraces its last {path.length:.1f} m")
        pursuit = nav.PurePursuit(self._base, nav.PursuitSettings(max_speed=RETRACE_SPEED, margins=nav.Margins(0.0)))
        end = min(end, self._sensed.time + 2.5 * path.length / RETRACE_SPEED)
        while self._sensed.time < end and np.hypot(*(path.goal - self.pose)[:2]) > 0.1:
            state = nav.MotionState(self.pose, self._sensed.twist, self._sensed.time)
            decision = pursuit.plan(state, path, self.navigator.layers.costmap)
            if not decision.feasible:
                break
            yield from self._step(decision.velocity)
        yield from self._stand()

    # ---- sensing and mapping ---------------------------------------------------------------------
    def _step(self, velocity: Array) -> Steps[None]:
        before = self._sensed.odom
        self._sensed = yield velocity
        self.done.distance += float(np.hypot(*(self._sensed.odom - before)[:2]))
        self._placed = self._placed + self._mapped(self._sensed)
        self._trail.add(self.pose)
        self.state.follow(self.pose, self.growing.map_from_odom, velocity)
        self._report(self._sensed, self.errand.reason)

    def _mapped(self, sensed: Sensed) -> list[tuple[Scan, Array, Array]]:
        """The scans that came and were mapped; each with its pose and twist."""
        for words in self.growing.words:
            self._note(words, sensed)
        self.growing.words.clear()
        self.done.work = self.growing.work
        self.done.last, self.done.ended = sensed, sensed.time
        return [(sweep.scan, sweep.pose, sweep.twist) for sweep in sensed.sweeps]

    def _reading(self) -> nav.NavigatorInput:
        """What the navigator reads; every scan once."""
        placed, self._placed = self._placed, []
        self._recent = (self._recent + placed)[-3:]
        scans, poses, twists = zip(*placed, strict=True) if placed else ((), (), ())
        return nav.NavigatorInput(
            self._sensed.time, self.pose, self._sensed.twist, scans, scan_poses=poses, scan_velocities=twists
        )  # fmt: skip

    def _show(self, grid: OccupancyGrid) -> None:
        """Give the navigator the map as it is now, with the latest scans on it."""
        settings = replace(self._settings.layers, inflation=inflation(self.vehicle, self.errand.tight))
        layers = LayeredCostmap(self.vehicle, grid, settings)
        for scan, pose, twist in self._recent:
            layers.update(pose, scan, twist)
        self.navigator.layers, self.state.grid = layers, grid
        self._refreshed, self._keys = self._sensed.time, self.mapper.keys

    def _note(self, words: str, sensed: Sensed | None = None) -> None:
        self.done.events.append(((sensed or self._sensed).time, words))


def exploration(
    robot: MobileRobot,
    errand: Callable[[nav.Vehicle], Errand],
    *,
    start: Array,
    parameters: MappingParameters | None = None,
    **options: Any,
) -> Exploration:
    """The exploration of a robot that stands at a pose x, y, yaw of its reference point; it has looked around."""
    robot.scans.localizer = growing = Growing(start, robot.odometry, parameters)
    sensed = robot.settle(LOOK_AROUND)
    while not sensed.sweeps:
        sensed = robot.step()
    return Exploration(robot.vehicle, growing, sensed, errand, **options)
