"""`FootNavigator`: from where a robot on two legs believes to be, step by step to a goal on a map.

It commands a `ControlLoop` whose behaviour is the walk: every cloud moves the estimate, the steps of the plan
are told to the walk where the map lies in its odometry, and where steps are no longer good it stands and plans anew.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from enum import Enum

from andante.control.body import BodyState
from andante.errors import BadInput
from andante.geometry import Array, se2
from andante.localization.space import SpaceEstimate, SpaceLocalizer
from andante.locomotion import Command
from andante.locomotion.biped.step_plan import PlannedStep
from andante.locomotion.biped.walk import BipedWalk
from andante.navigation.footsteps import Footstep, FootstepPlan, FootstepPlanner, Terrain

from .obstacles import LiveObstacles
from .sight import root_odometry

Pose = tuple[float, float, float]
FEET = ("left", "right")
NARROW = 0.85  # of the room that it has where it stands too near to something


class FootState(Enum):
    """What it does."""

    LOCATE = "locates itself"
    PLAN = "plans footsteps"
    WALK = "walks"
    ARRIVED = "arrived"
    FAILED = "failed"


@dataclass(frozen=True)
class FootSettings:
    """How a goal is walked to; table [feet] of `--params`."""

    place: float = 0.04  # of the goal that counts as reached [m]
    heading: float = 0.08  # [rad]
    seconds: float = 1.0  # of the first plan [s]
    seconds_again: float = 0.5  # of those after it [s], twice as many after each one that found no way
    smooth: float = 0.25  # part of a new place of the map in the odometry that is believed at once
    astray: float = 0.08  # a foot that stands so far from its plan lets it plan anew [m]
    looks: int = 5  # clouds before the first plan, and where it stands before a goal counts
    clear: float = 0.6  # fit of a cloud that is looked at for things that are not on the map
    lost_after: float = 6.0  # without a pose that can be trusted it gives up [s]
    plans: int = 25  # after so many without arriving it gives up
    unstuck: float = 3.0  # pause after a plan that failed: things may go away [s]
    failures: int = 4  # of planning in a row

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if not (math.isfinite(value) and value > 0):
                raise BadInput(f"{name} of [feet] must be a finite number above 0, got {value}")


@dataclass
class FootRecord:
    """What was planned, for those who judge or draw it."""

    plans: list[FootstepPlan] = field(default_factory=list)
    poses: list[tuple[float, Array, float]] = field(default_factory=list)  # time, pose (6,), health
    events: list[tuple[float, str]] = field(default_factory=list)


class FootNavigator:
    """Gives the walk its footsteps; call it with the state of every control period.

    Args:
        walk: which makes the steps.
        planner: of footsteps on the map's terrain.
        localizer: begun, or it begins anywhere with the first cloud.
        look: gives new points (n, 3) of the root link's frame, or None.
        goal: x, y [m] and yaw [rad] of the middle of the feet on the map; yaw NaN: any.
        settings: how.
        begun: whether the localizer knows a start.
    """

    def __init__(
        self,
        walk: BipedWalk,
        planner: FootstepPlanner,
        localizer: SpaceLocalizer,
        look: Callable[[BodyState], Array | None],
        goal: Pose,
        settings: FootSettings | None = None,
        *,
        begun: bool = True,
    ) -> None:
        self.walk, self.planner, self.localizer = walk, planner, localizer
        self.goal, self.settings = goal, settings or FootSettings()
        self.state, self.reason = FootState.LOCATE, ""
        self.record = FootRecord()
        self.obstacles = LiveObstacles(planner.terrain, localizer.field)
        self.estimate: SpaceEstimate | None = None
        self.steps: tuple[Footstep, ...] = ()  # of the present plan, on the map
        self._look, self._begun = look, begun
        self._map_from_odom: Array | None = None
        self._looks = 0  # clouds since it stands
        self._trusted = 0.0  # when it last knew where it is [s]
        self._failures, self._wait = 0, 0.0
        self._plans = 0

    # ---- the commander ---------------------------------------------------------------------------
    @property
    def over(self) -> bool:
        """Whether it has arrived or given up."""
        return self.state in (FootState.ARRIVED, FootState.FAILED)

    def __call__(self, state: BodyState) -> Command:
        """Look, believe, plan; the walk itself is told footsteps, so the command is none."""
        fresh = self._see(state)
        if self.over or self._map_from_odom is None:
            return Command()
        if fresh and self.state is FootState.WALK:
            self._on_the_way(state)
        elif self.state is not FootState.WALK and self.walk.standing and self._looks >= self.settings.looks:
            self._decide(state)
        if self.state is FootState.WALK and self.walk.standing and not self.walk.plan and self._looks > 0:
            self._stop(state, FootState.LOCATE, "")
        return Command()

    def _see(self, state: BodyState) -> bool:
        """Take a cloud if there is one; where it believes to be, and where the map lies in its odometry."""
        points = self._look(state)
        if points is None:
            return False
        own = root_odometry(self.walk, state)
        if not self._begun:
            if len(points) < 50:
                return False
            self.localizer.start_anywhere(points, own)
            self._begun = True
        self.estimate = made = self.localizer.update(points, own)
        found = se2.compose(made.pose[[0, 1, 5]], se2.inverse(own[[0, 1, 5]]))
        if self._map_from_odom is None or self.state is not FootState.WALK:
            self._map_from_odom = found
        else:
            part = self.settings.smooth
            off = se2.compose(se2.inverse(self._map_from_odom), found)
            off[2] = (off[2] + math.pi) % (2.0 * math.pi) - math.pi
            self._map_from_odom = se2.compose(self._map_from_odom, part * off)
        self.record.poses.append((state.time, made.pose.copy(), made.health))
        self._looks += 1
        if self.localizer.trusted:
            self._trusted = state.time
            if not self.walk.disturbed and made.fit >= self.settings.clear:
                self.obstacles.see(made.pose, points)
        elif state.time - self._trusted > self.settings.lost_after:
            self._stop(state, FootState.FAILED, f"it is lost: health {made.health:.2f}; is the map that of this place?")
        return True

    def feet(self) -> tuple[Pose, Pose]:
        """Left and right foot on the map."""
        assert self._map_from_odom is not None
        x, y, yaw = self.walk.sense.other
        own = se2.compose(self._map_from_odom, self.walk.odometry.foot)
        other = se2.compose(own, (x, y, yaw))
        pair = (own, other) if self.walk.stance == 0 else (other, own)
        left, right = (tuple(float(v) for v in each) for each in pair)
        return left, right  # type: ignore[return-value]

    def middle(self) -> Array:
        """x, y [m], yaw [rad] of the middle of the feet on the map."""
        assert self._map_from_odom is not None
        return se2.compose(self._map_from_odom, self.walk.position)

    # ---- standing --------------------------------------------------------------------------------
    def left(self) -> tuple[float, float]:
        """How far the goal is [m], and how much of a turn is missing [rad]."""
        here = self.middle()
        turn = 0.0
        if not math.isnan(self.goal[2]):
            turn = abs((self.goal[2] - here[2] + math.pi) % (2.0 * math.pi) - math.pi)
        return math.dist(here[:2], self.goal[:2]), turn

    def _decide(self, state: BodyState) -> None:
        """It stands and has looked: arrived, or a plan."""
        s = self.settings
        way, turn = self.left()
        if way <= s.place and turn <= s.heading:
            self._stop(state, FootState.ARRIVED, "it stands at the goal")
            return
        if not self.localizer.trusted or state.time < self._wait:
            return
        if self._plans >= s.plans:
            self._stop(state, FootState.FAILED, f"{self._plans} plans did not lead to the goal")
            return
        self._take_terrain()
        left, right = self.feet()
        goal = self.goal
        if math.isnan(goal[2]):
            here = self.middle()
            goal = (goal[0], goal[1], math.atan2(goal[1] - here[1], goal[0] - here[0]) if way > 0.3 else float(here[2]))
        self.state = FootState.PLAN
        seconds = (s.seconds_again if self._plans else s.seconds) * 2.0**self._failures
        plan = self._planner_from(left, right).plan(left, right, goal, seconds=seconds)
        self._plans += 1
        self.record.plans.append(plan)
        if not plan.found:
            self._failures += 1
            self._wait = state.time + s.unstuck
            self.record.events.append((state.time, f"no plan: {plan.reason}"))
            if self._failures >= s.failures:
                self._stop(state, FootState.FAILED, plan.reason)
            return
        self._failures = 0
        self.steps = ends_at(plan.steps, goal, self.planner.steps.width)
        self.state, self._looks = FootState.WALK, 0
        self.record.events.append((state.time, f"{len(plan.steps)} footsteps"))
        self._tell(self.steps)

    def _planner_from(self, left: Pose, right: Pose) -> FootstepPlanner:
        """The planner; where it stands nearer to something than a body should, one that lets it leave."""
        t = self.planner.terrain
        room = math.inf
        for foot in (left, right):
            row, col = t.cell(foot[0], foot[1])
            if 0 <= row < t.clearance.shape[0] and 0 <= col < t.clearance.shape[1]:
                room = min(room, float(t.clearance[row, col]))
        if room >= self.planner.steps.body + t.resolution:
            return self.planner
        steps = replace(self.planner.steps, body=max(NARROW * room - t.resolution, 0.02))
        return FootstepPlanner(t, steps, self.planner.settings)

    def _take_terrain(self) -> Terrain | None:
        made = self.obstacles.terrain()
        if made is not None:
            self.planner.change(made)
        return made

    # ---- on the way ------------------------------------------------------------------------------
    def _on_the_way(self, state: BodyState) -> None:
        """Tell the walk where the steps that are left lie now; stand where they are no longer good."""
        plan = self.walk.plan
        if self.walk.gave_up:
            self._stop(state, FootState.LOCATE, self.walk.notice)
            return
        if not plan:
            return
        rest = self.steps[len(self.steps) - len(plan.steps) :]
        self._take_terrain()
        bad = next((n for n, step in enumerate(rest) if not self._good(step)), None)
        if bad is not None:
            rest = rest[: max(0, bad - 2)]
            self._halt(state, rest, "something stands in the way of the plan")
            return
        if self._astray(len(rest)):
            self._halt(state, rest[:1], "it has strayed from its plan")
            return
        self._tell(rest)

    def _astray(self, left: int) -> bool:
        """Whether the standing foot is far from where the plan had it."""
        done = len(self.steps) - left - 1
        if done < 0 or self.walk.phase != "walk":
            return False
        step = self.steps[done]
        own = self.feet()[self.walk.stance]
        if FEET[self.walk.stance] != step.foot:
            return False
        return math.hypot(own[0] - step.x, own[1] - step.y) > self.settings.astray

    def _good(self, step: Footstep) -> bool:
        """Whether a body over a step is clear of everything; a little less room than a new plan needs will do."""
        t = self.planner.terrain
        side = 1.0 if step.foot == "left" else -1.0
        half = 0.5 * side * self.planner.steps.width
        row, col = t.cell(step.x + half * math.sin(step.yaw), step.y - half * math.cos(step.yaw))
        rows, cols = t.clearance.shape
        return 0 <= row < rows and 0 <= col < cols and float(t.clearance[row, col]) >= 0.8 * self.planner.steps.body

    def _halt(self, state: BodyState, rest: tuple[Footstep, ...], why: str) -> None:
        """Make the steps that are still good, then stand and plan anew."""
        self.steps = rest
        self._tell(rest)
        self.record.events.append((state.time, why))
        if not rest:
            self._stop(state, FootState.LOCATE, "")

    def _stop(self, state: BodyState, to: FootState, why: str) -> None:
        self.walk.follow_footsteps(())
        self.state, self.steps, self._looks = to, (), 0
        if to in (FootState.ARRIVED, FootState.FAILED):
            self.reason = why
        if why:
            self.record.events.append((state.time, why))

    def _tell(self, steps: tuple[Footstep, ...]) -> None:
        """Give the walk the steps where they lie in its odometry."""
        assert self._map_from_odom is not None
        odom_from_map = se2.inverse(self._map_from_odom)
        told = []
        for step in steps:
            x, y, yaw = se2.compose(odom_from_map, (step.x, step.y, step.yaw))
            told.append(PlannedStep(step.foot, float(x), float(y), float(yaw)))
        self.walk.follow_footsteps(told)


def ends_at(steps: tuple[Footstep, ...], goal: Pose, width: float) -> tuple[Footstep, ...]:
    """The same steps with the last two where the goal itself wants them, not the nearest places of a lattice."""
    out = list(steps)
    for n in range(max(0, len(out) - 2), len(out)):
        side = 0.5 * width if out[n].foot == "left" else -0.5 * width
        x, y = goal[0] - side * math.sin(goal[2]), goal[1] + side * math.cos(goal[2])
        out[n] = replace(out[n], x=x, y=y, yaw=goal[2])
    if len(out) == 1:  # it stands on the other foot, which may be off too
        other = "left" if out[0].foot == "right" else "right"
        side = 0.5 * width if other == "left" else -0.5 * width
        x, y = goal[0] - side * math.sin(goal[2]), goal[1] + side * math.cos(goal[2])
        out.append(Footstep(other, x, y, out[0].z, goal[2]))
    return tuple(out)
