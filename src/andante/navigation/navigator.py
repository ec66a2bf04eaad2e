"""`Navigator`: from pose estimate, velocity, scans and goal to a velocity command, a state and a reason."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

import numpy as np
from numpy.typing import ArrayLike

from andante.errors import BadInput
from andante.geometry import Array
from andante.mapping import OccupancyGrid, Scan

from .choose import controller_named, planner_named
from .controllers import NOBODY, STANDS, TURNS, Controller, Decision, Margins, MotionState, Surroundings
from .layers import LayeredCostmap, LayerSettings
from .movers import MoverTracker
from .path import Path
from .planners import OFF_MAP, SHUT, Planner, checked_pose, shut_off
from .recoveries import Recovery, Situation, usual_recoveries
from .tracking import GoalChecker, PathTracker, ProgressChecker
from .vehicle import Vehicle
from .zones import speed_limit

ZONED = "keep-out zones close every way"
LOOK = 0.5  # period of planning for a goal that is blocked off [s]


class State(StrEnum):
    """What the navigator is doing."""

    IDLE = "idle"
    DRIVING = "driving"
    RECOVERING = "recovering"
    ARRIVED = "arrived"
    FAILED = "failed"


@dataclass(frozen=True)
class NavigatorSettings:
    """When to replan, to start a recovery, and to give up."""

    replan_every: float = 1.0  # [s]
    stray: float = 0.5  # replan at once when further from the path than this [m]
    patience: float = 1.0  # a recovery begins after this long without a safe motion [s]
    most_recoveries: int = 10  # in a row without `progress` [m] between them
    progress: float = 0.5  # [m]
    look_again: float = 3.0  # a goal that is blocked off for this long is given up [s]
    scan_timeout: float = 1.0  # the robot stops after this long without a scan [s]; inf: never
    movers: bool = False  # predict moving things from scans
    layers: LayerSettings = field(default_factory=LayerSettings)
    arrival: GoalChecker = field(default_factory=GoalChecker)
    margins: Margins = field(default_factory=Margins)

    def __post_init__(self) -> None:
        for name in ("replan_every", "stray", "patience", "progress", "look_again", "scan_timeout"):
            if not getattr(self, name) > 0:
                raise BadInput(f"navigator {name} must be a number > 0, got {getattr(self, name)}")
        if self.most_recoveries < 0:
            raise BadInput(f"navigator most_recoveries must be >= 0, got {self.most_recoveries}")


@dataclass(frozen=True)
class NavigatorInput:
    """What the robot knows at a moment: its own estimates and new scans, never the simulator's truth."""

    time: float  # [s]
    pose: Array  # (3,) x, y, yaw of the drive's reference point in the map or odometry frame [m, m, rad]
    velocity: Array = field(default_factory=lambda: np.zeros(3))  # (3,) vx, vy, w in the robot's axes
    scans: tuple[Scan, ...] = ()  # taken since the input before; `sensor` is the mount relative to the reference point
    trusted: bool = True  # False: the localizer is lost
    scan_poses: tuple[Array, ...] = ()  # `pose` at the first beam of each scan; none: all were taken here and now
    scan_velocities: tuple[Array, ...] = ()  # `velocity` during each scan; none: as now
    hold: str = ""  # why it shall stand for now, in words; that is no lack of progress


@dataclass(frozen=True)
class NavigatorOutput:
    """What to do now and why."""

    velocity: Array  # (3,) vx, vy, w [m/s, m/s, rad/s]
    state: State
    reason: str = ""  # in words; empty in normal driving
    path: Path | None = None  # being followed
    request: str = ""  # "relocalize": the localizer should search for the pose
    events: tuple[str, ...] = ()  # what was decided in this step, in order


class Navigator:
    """Plans, follows, checks, replans and recovers. Pure: only `update` advances it, with the time of its input.

    Args:
        vehicle: footprint, drive and limits of the robot.
        grid: the map; None: a window of unknown space that moves with the robot.
        planner: name of a planner, `file.py:Name`, or an object.
        controller: name of a controller, `file.py:Name`, or an object.
        recoveries: tried in order when the robot is stuck; None: the usual ones.
        settings: when to replan, recover and give up.
        speed: greatest speed of a named controller [m/s].
        seed: of controllers that sample.
    """

    def __init__(
        self,
        vehicle: Vehicle,
        grid: OccupancyGrid | None = None,
        *,
        planner: str | Planner = "auto",
        controller: str | Controller = "mppi",
        recoveries: Sequence[Recovery] | None = None,
        settings: NavigatorSettings | None = None,
        speed: float = math.inf,
        seed: int = 0,
    ) -> None:
        self.vehicle = vehicle
        self.settings = settings or NavigatorSettings()
        self.layers = LayeredCostmap(vehicle, grid, self.settings.layers)
        self.planner = planner_named(planner, vehicle) if isinstance(planner, str) else planner
        self.controller = (
            controller_named(controller, vehicle, speed=speed, seed=seed) if isinstance(controller, str) else controller
        )
        self._recoveries = tuple(usual_recoveries() if recoveries is None else recoveries)
        self._around = Surroundings(vehicle, self.settings.margins)
        self._progress = ProgressChecker()
        self._movers = MoverTracker(grid) if self.settings.movers else None
        self._goal: Array | None = None
        self._arrival = self.settings.arrival
        self._state, self._reason = State.IDLE, "no goal is set"
        self._time = self._scan_time = -math.inf
        self._stands_since = -math.inf  # when it moved last [s]
        self._blind = False  # there has been no scan for long
        self._events: list[str] = []
        self._recovery: Recovery | None = None
        self._begin()

    @property
    def state(self) -> State:
        """What it is doing."""
        return self._state

    def set_goal(self, goal: ArrayLike, arrival: GoalChecker | None = None) -> None:
        """Drive to x, y, yaw (NaN or left out: any) from now on, until within the distances of `arrival`."""
        self._goal = checked_pose("goal", goal)
        self._arrival = arrival or self.settings.arrival
        self._state, self._reason = State.DRIVING, ""
        self._scan_time = self._time
        self.controller.reset()
        self._begin()

    def cancel(self) -> None:
        """Forget the goal and stand."""
        self._goal = None
        self._state, self._reason = State.IDLE, "the goal was canceled"

    def _begin(self) -> None:
        """Everything that belongs to one goal."""
        self._tracker: PathTracker | None = None
        self._planned_at = -math.inf
        self._plan_reason = ""
        self._moved_at = self._time
        self._unsafe_since: float | None = None
        self._shut_since: float | None = None
        self._shut_cleared = False
        self._tried = 0
        self._tried_at: Array | None = None
        self._recovery = None
        self._progress.reset()

    def replan(self) -> None:
        """Plan anew with the next input: the map or its zones are others."""
        self._planned_at = -math.inf
        self._tracker = None

    # ---- one step --------------------------------------------------------------------------------
    def update(self, reading: NavigatorInput) -> NavigatorOutput:
        """The velocity command for the newest estimates and scans, with the state and the reason."""
        self._events = []
        pose, velocity = np.asarray(reading.pose, dtype=float), np.asarray(reading.velocity, dtype=float)
        if not (pose.shape == velocity.shape == (3,) and np.isfinite(pose).all() and np.isfinite(velocity).all()):
            return self._stand("no pose estimate: its numbers are not finite")
        if not math.isfinite(reading.time):
            return self._stand(f"the time of the reading is not a number: {reading.time}")
        if reading.time < self._time:
            self._events.append(f"time went back by {self._time - reading.time:.2f} s; timers are reset")
            self._scan_time = self._planned_at = self._moved_at = self._stands_since = reading.time
            self._unsafe_since = self._shut_since = None
            self._progress.reset()
        if math.isinf(self._time):
            self._scan_time = reading.time
        self._time = reading.time
        poses = reading.scan_poses or (pose,) * len(reading.scans)
        velocities = reading.scan_velocities or (velocity,) * len(reading.scans)
        for scan, at, twist in zip(reading.scans, poses, velocities, strict=True):
            self._scan_time = reading.time
            if self._movers is None:
                self.layers.update(at, scan, twist)
                continue
            middle = scan.time + 0.5 * scan.time_increment * len(scan.ranges)
            self._movers.update(at, scan, middle, twist)
            self.layers.update(at, self._movers.without_movers(at, scan, twist, middle), twist)
        movers = NOBODY if self._movers is None else self._movers.movers_at(reading.time)
        if float(np.hypot(*velocity[:2])) > STANDS or abs(float(velocity[2])) > TURNS or math.isinf(self._stands_since):
            self._stands_since = reading.time
        state = MotionState(pose, velocity, reading.time, movers, reading.time - self._stands_since)
        if self._goal is None or self._state in (State.ARRIVED, State.FAILED, State.IDLE):
            return self._stand(self._reason)
        if self._arrival.arrived(state, self._goal):
            self._state, self._reason = State.ARRIVED, "the goal is reached"
            self._events.append(self._reason)
            return self._stand(self._reason)
        silent = reading.time - self._scan_time
        blind = silent > self.settings.scan_timeout
        if blind != self._blind:
            self._blind = blind
            self._events.append(
                f"no scan for {silent:.1f} s; standing until the lidar is back" if blind else "scans are back; going on"
            )
        if reading.hold or blind:  # standing is no lack of progress
            self._moved_at = reading.time
            self._unsafe_since = None
            self._progress.reset()
            return self._stand(reading.hold or f"no scan for {silent:.1f} s")
        if not reading.trusted:
            return replace(self._stand("the localizer is lost"), request="relocalize")
        if self._state is State.RECOVERING:
            return self._recover(state)
        return self._drive(state)

    def _stand(self, reason: str) -> NavigatorOutput:
        path = None if self._tracker is None else self._tracker.path
        return NavigatorOutput(np.zeros(3), self._state, reason, path, "", tuple(self._events))

    def _drive(self, state: MotionState) -> NavigatorOutput:
        if self._shut_since is not None and state.time - self._planned_at < LOOK:
            return self._stand(self._reason)
        problem = self._plan_if_needed(state)
        if problem:
            shut = self._shut_off(state)
            return self._look_again(state, shut) if shut else self._begin_recovery(state, problem)
        self._shut_since = None
        assert self._tracker is not None
        part = self._tracker.current(state.pose)
        decision = self.controller.plan(state, part, self.layers.costmap)
        velocity = np.asarray(decision.velocity, dtype=float)
        if velocity.shape != (3,) or not np.isfinite(velocity).all():
            decision = Decision(np.zeros(3), "the controller returned a velocity that is not finite", feasible=False)
        if decision.feasible:
            self._unsafe_since = None
        elif self._unsafe_since is None:
            self._unsafe_since = state.time
            self._planned_at = -math.inf  # another way may be free
        elif state.time - self._unsafe_since > self.settings.patience:
            return self._begin_recovery(state, decision.reason or "the controller finds no safe motion")
        if self._progress.stuck(state):
            return self._begin_recovery(state, f"no progress for {self._progress.seconds:.0f} s")
        return self._output(self._calmed(state, decision.velocity), decision.reason)

    def _calmed(self, state: MotionState, velocity: Array) -> Array:
        """A velocity within what slow zones allow; the bend of the path stays."""
        limit = speed_limit(self.layers.zones, state.pose, state.velocity, self.vehicle.max_acceleration)
        speed = float(np.hypot(velocity[0], velocity[1]))
        return velocity if speed <= limit else np.asarray(velocity, dtype=float) * (limit / speed)

    # ---- a goal that is shut off -----------------------------------------------------------------
    def _reach(self, goal: Array) -> float:
        """How far from a goal a path may end [m]."""
        reach = self._arrival.distance if goal is self._goal else 0.5 * self.layers.costmap.roomy
        return max(reach, float(getattr(self.planner, "goal_tolerance", 0.0)))

    def _shut_off(self, state: MotionState) -> str:
        """Why what is known rules the goal out; empty: it does not."""
        goal = self._goal_inside()
        reach = self._reach(goal)
        shut = shut_off(state.pose, goal, self.layers.costmap, reach)
        if shut and goal is not self._goal:
            if SHUT not in shut:
                return ""  # something lies at the edge of the window: that says nothing of the goal
            assert self._goal is not None
            shut += f", on the way to ({self._goal[0]:.2f}, {self._goal[1]:.2f})"
        closed = [zone.name for zone in self.layers.zones if zone.kind == "keep_out"]
        if shut and closed and not shut_off(state.pose, goal, self.layers.without_zones(), reach):
            x, y = goal[:2]
            return f"{ZONED}: the goal ({x:.2f}, {y:.2f}) cannot be reached ({', '.join(closed)})"
        return shut

    def _look_again(self, state: MotionState, shut: str) -> NavigatorOutput:
        """Wait for a while: people walk on. Then clear what was seen long ago, once; then give up.

        Zones and the edges of a map stay.
        """
        if shut.startswith(ZONED) or shut.endswith(OFF_MAP):
            self._state, self._reason = State.FAILED, f"given up: {shut}"
            self._events.append(self._reason)
        elif self._shut_since is None:
            self._shut_since, self._reason = state.time, f"{shut}; waiting to see whether it clears"
            self._events.append(self._reason)
        elif state.time - self._shut_since >= self.settings.look_again * (0.5 if self._shut_cleared else 1.0):
            forgotten = 0 if self._shut_cleared else self.layers.forget(self.settings.look_again)
            self._shut_cleared, self._shut_since = True, None
            if forgotten:
                self._events.append("obstacles that were not seen again are cleared; replanning")
            else:
                self._state, self._reason = State.FAILED, f"given up: {shut}"
                self._events.append(self._reason)
        return self._stand(self._reason)

    def _output(self, velocity: Array, reason: str, request: str = "") -> NavigatorOutput:
        path = None if self._tracker is None else self._tracker.path
        return NavigatorOutput(np.array(velocity, dtype=float), self._state, reason, path, request, tuple(self._events))

    # ---- planning --------------------------------------------------------------------------------
    def _plan_if_needed(self, state: MotionState) -> str:
        """Replan where that is due; returns why there is no path to follow, empty when there is one."""
        costmap, tracker = self.layers.costmap, self._tracker
        if tracker is not None:
            blocked = tracker.blocked(state.pose, costmap, self._around)
            strayed = tracker.strayed(state.pose, self.settings.stray) or self._stalled(state)
            due = state.time - self._planned_at >= self.settings.replan_every and tracker.may_change
            soon = state.time - self._planned_at >= 0.2
            if not (due or ((blocked or strayed) and soon)):
                return ""
            if blocked or strayed:
                self._events.append(
                    "the path is blocked; replanning" if blocked else "off the path or stalled; replanning"
                )
        assert self._goal is not None
        self._planned_at = state.time
        goal = self._goal_inside()
        plan = self.planner.plan(state.pose, goal, costmap)
        if plan.path is not None:
            if plan.reason and (tracker is None or plan.reason != self._plan_reason):
                self._events.append(plan.reason)
            self._plan_reason = plan.reason
            self._tracker = PathTracker(plan.path, self.vehicle)
            return ""
        if tracker is not None and not tracker.blocked(state.pose, costmap, self._around):
            short = float(np.hypot(*(tracker.path.goal - goal)[:2])) > self._reach(goal)
            if not (short and self._shut_off(state)):  # a way to where the goal was looked for before leads nowhere
                return ""
        self._tracker = None
        return plan.reason or "the planner found no path"

    def _stalled(self, state: MotionState) -> bool:
        """Whether the robot has stood for a second and a half on a path that it should drive."""
        if (
            math.isinf(self._moved_at)
            or float(np.abs(state.velocity[:2]).max()) > 0.03
            or abs(float(state.velocity[2])) > 0.1
        ):
            self._moved_at = state.time
        stalled = state.time - self._moved_at > 1.5
        if stalled:
            self._moved_at = state.time
        return stalled

    def _goal_inside(self) -> Array:
        """The goal, or the point on the way to it at the edge of a window that does not hold it."""
        goal, costmap = self._goal, self.layers.costmap
        assert goal is not None
        if not self.layers.rolling or costmap.inside(costmap.cell_of(goal)):
            return goal
        rows, cols = costmap.shape
        inner = costmap.to_frame(goal[:2])
        size = np.array([cols, rows]) * costmap.resolution
        middle = size / 2
        gap = inner - middle
        fraction = float(np.min((middle - 3 * costmap.resolution) / np.maximum(np.abs(gap), 1e-9)))
        return np.array([*costmap.from_frame(middle + fraction * gap), math.nan])

    # ---- recovering ------------------------------------------------------------------------------
    def _begin_recovery(self, state: MotionState, problem: str) -> NavigatorOutput:
        if self._tried_at is None or float(np.hypot(*(state.pose - self._tried_at)[:2])) > self.settings.progress:
            self._tried, self._tried_at = 0, state.pose
        self._unsafe_since = None
        situation = Situation(state, self.layers, self._around)
        while self._recoveries and self._tried < self.settings.most_recoveries:
            recovery = self._recoveries[self._tried % len(self._recoveries)]
            self._tried += 1
            words = recovery.begin(situation)
            if words is not None:
                self._state, self._recovery, self._reason = State.RECOVERING, recovery, f"{problem}; {words}"
                self._events.append(self._reason)
                return self._recover(state)
        self._state = State.FAILED
        self._reason = f"given up after {self._tried} recoveries: {problem}"
        self._events.append(self._reason)
        return self._stand(self._reason)

    def _recover(self, state: MotionState) -> NavigatorOutput:
        assert self._recovery is not None
        decision = self._recovery.step(Situation(state, self.layers, self._around))
        if decision is not None:
            return self._output(decision.velocity, self._reason, getattr(self._recovery, "request", ""))
        self._state, self._recovery, self._tracker = State.DRIVING, None, None
        self._tried_at = state.pose  # what the recovery itself has moved is no progress
        self._progress.reset()
        self.controller.reset()
        return self._output(np.zeros(3), self._reason)
