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
from andante.navigation.footsteps import Footstep, FootstepPlan, FootstepPlanner

from .escape import room_to_leave
from .gaze import Gaze
from .obstacles import LiveObstacles
from .sight import Look, root_odometry

Pose = tuple[float, float, float]
FEET = ("left", "right")
ROOM = 0.85  # of the body's radius that a step which was planned has to keep
SLOW = 0.1  # of the top speed: a command that is one
LATELY = 80  # looks over which it is told how well they fit the map
FEWEST = 50  # points of a look that shows something


class FootState(Enum):
    """What it does."""

    LOCATE = "locates itself"
    PLAN = "plans footsteps"
    WALK = "walks"
    BACK = "goes back"
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
    certain: float = 0.06  # deviation of a place from which things that are not on the map are looked for [m]
    matching: float = 0.5  # mean fit of what is seen above the ground, below which the map is not that of this place
    lost_after: float = 6.0  # without a pose that can be trusted it gives up [s]
    blind_after: float = 1.0  # without anything seen it stands; after `lost_after` it gives up [s]
    glance: float = 0.5  # how far ahead on its way it looks [m]
    plans: int = 25  # after so many without coming nearer it gives up
    nearer: float = 0.2  # to the goal that counts as such [m]
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
        look: gives what was seen since the last look, or None.
        goal: x, y [m] and yaw [rad] of the middle of the feet on the map; yaw NaN: any.
        settings: how.
        begun: whether the localizer knows a start.
        gaze: turns the eyes to where it goes; None: they stay as they are.
    """

    def __init__(
        self,
        walk: BipedWalk,
        planner: FootstepPlanner,
        localizer: SpaceLocalizer,
        look: Callable[[BodyState], Look | None],
        goal: Pose,
        settings: FootSettings | None = None,
        *,
        begun: bool = True,
        gaze: Gaze | None = None,
    ) -> None:
        self.walk, self.planner, self.localizer = walk, planner, localizer
        self.goal, self.settings = goal, settings or FootSettings()
        self.state, self.reason = FootState.LOCATE, ""
        self.record = FootRecord()
        self.obstacles = LiveObstacles(planner.terrain, localizer.field)
        self.estimate: SpaceEstimate | None = None
        self.steps: tuple[Footstep, ...] = ()  # of the present plan, on the map
        self._look, self._begun, self._gaze = look, begun, gaze
        self._room: tuple[float, ...] = ()  # that each step keeps [m]
        self._map_from_odom: Array | None = None
        self._looks = 0  # clouds since it stands
        self._trusted = math.nan  # when it last knew where it is [s]
        self._match, self._matched = 0.0, 0  # mean fit of what was seen lately, and looks that it is made of
        self._seen = math.nan  # when it last saw something [s]
        self._failures, self._wait = 0, 0.0
        self._plans, self._best = 0, math.inf  # since it came nearer to the goal, and how near it was [m]

    # ---- the commander ---------------------------------------------------------------------------
    @property
    def over(self) -> bool:
        """Whether it has arrived or given up."""
        return self.state in (FootState.ARRIVED, FootState.FAILED)

    def __call__(self, state: BodyState) -> Command:
        """Look, believe, plan; the walk itself is told footsteps, so the command is none."""
        if math.isnan(self._seen):
            self._seen = self._trusted = state.time
        fresh = self._see(state)
        self._mind_blindness(state)
        if self.over or self._map_from_odom is None:
            return Command()
        if self.walk.gave_up:
            return self._go_back(state)
        if fresh and self.state is FootState.WALK:
            self._on_the_way(state)
        elif self.state is FootState.LOCATE and self.walk.standing and self._looks >= self.settings.looks:
            self._decide(state)
        if self.state is FootState.WALK and self.walk.standing and not self.walk.plan and self._looks > 0:
            self._stop(state, FootState.LOCATE, "")
        return Command()

    def _mind_blindness(self, state: BodyState) -> None:
        """Stand where nothing was seen for some time, give up where that lasts."""
        dark, s = state.time - self._seen, self.settings
        if dark > s.lost_after and not self.over:
            self._stop(state, FootState.FAILED, f"its eyes have shown nothing for {dark:.0f} s")
        elif dark > s.blind_after and self.state is FootState.WALK and self._room:
            self._halt(state, 0, "its eyes show nothing")

    def _see(self, state: BodyState) -> bool:
        """Take a look if there is one; where it believes to be, and where the map lies in its odometry."""
        look = self._look(state)
        if look is None or len(look.points) < FEWEST:
            return False
        self._seen = state.time
        if self._gaze is not None and self._gaze.begin(look.link, look.points):
            self._gaze.look_around()
        own = root_odometry(self.walk, state)
        if not self._begun:
            self.localizer.start_anywhere(look.points, own)
            self._begun = True
        self.estimate = made = self.localizer.update(self._of_the_map(look.points, own), own)
        found = se2.compose(made.pose[[0, 1, 5]], se2.inverse(own[[0, 1, 5]]))
        if self._map_from_odom is None or self.state is not FootState.WALK:
            self._map_from_odom = found
        else:
            part = self.settings.smooth
            off = se2.compose(se2.inverse(self._map_from_odom), found)
            off[2] = (off[2] + math.pi) % (2.0 * math.pi) - math.pi
            self._map_from_odom = se2.compose(self._map_from_odom, part * off)
        self._compare(look)
        self.record.poses.append((state.time, made.pose.copy(), self.health))
        still = self._gaze is None or self._gaze.seen(state)
        self._looks += still and not (self._gaze is not None and self._gaze.busy)
        busy = self._gaze is not None and self._gaze.busy  # only a look to all sides tells
        if self.localizer.trusted:
            certain = float(made.covariance[0, 0] + made.covariance[1, 1]) < self.settings.certain**2
            if certain and still and not self.walk.disturbed:
                self.obstacles.see(made.pose, look)
        if self.trusted or busy:
            self._trusted = state.time
        elif state.time - self._trusted > self.settings.lost_after:
            self._stop(state, FootState.FAILED, f"it is lost: health {self.health:.2f}; is the map that of this place?")
        return True

    @property
    def health(self) -> float:
        """0 (lost) to 1: how well what was seen lately fits the map, times the part of the belief that agrees."""
        return self._match * (self.estimate.weight if self.estimate is not None else 0.0)

    @property
    def trusted(self) -> bool:
        """Whether it knows where it is, and the map is that of this place."""
        return self.localizer.trusted and self.health >= self.settings.matching

    def _compare(self, look: Look) -> None:
        """The mean over the latest looks of how well they fit the map, known things or not."""
        assert self.estimate is not None
        match = self.obstacles.match(self.estimate.pose, look.points)
        if math.isfinite(match):
            self._matched = min(self._matched + 1, LATELY)
            self._match += (match - self._match) / self._matched

    def _of_the_map(self, points: Array, own: Array) -> Array:
        """What of the points tells where it is: what is known to stand about, but is not on the map, is left out."""
        if self.estimate is None:
            return points
        known = self.obstacles.known_things(self.localizer.moved(own).pose, points)
        return points[~known]

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
        if not self.trusted or state.time < self._wait:
            return
        if way < self._best - s.nearer:
            self._best, self._plans = way, 0
        if self._plans >= s.plans:
            self._stop(state, FootState.FAILED, f"{self._plans} plans did not lead nearer to the goal")
            return
        self._take_terrain()
        left, right = self.feet()
        goal = self.goal
        if math.isnan(goal[2]):
            here = self.middle()
            goal = (goal[0], goal[1], math.atan2(goal[1] - here[1], goal[0] - here[0]) if way > 0.3 else float(here[2]))
        self.state = FootState.PLAN
        seconds = (s.seconds_again if self.record.plans else s.seconds) * 2.0**self._failures
        plan = self._plan_from(left, right, goal, seconds)
        self._plans += 1
        self.record.plans.append(plan)
        if not plan.found:
            self.state = FootState.LOCATE
            self._failures += 1
            self._wait = state.time + s.unstuck
            self.record.events.append((state.time, f"no plan: {plan.reason}"))
            self._look_around()
            if self._failures >= s.failures:
                self._stop(state, FootState.FAILED, plan.reason)
            return
        self._failures = 0
        self.steps = ends_at(plan.steps, goal, self.planner.steps.width)
        least = ROOM * self.planner.steps.body
        self._room = tuple(min(least, ROOM * self._clearance(step)) for step in self.steps)
        self.state, self._looks = FootState.WALK, 0
        self.record.events.append((state.time, f"{len(plan.steps)} footsteps"))
        self._tell(self.steps)

    def _plan_from(self, left: Pose, right: Pose, goal: Pose, seconds: float) -> FootstepPlan:
        """A plan; where it stands nearer to something than a body should, one that leaves there."""
        terrain = self.planner.terrain
        made = room_to_leave(terrain, left, right, self.planner.steps.body)
        if made is None:
            return self.planner.plan(left, right, goal, seconds=seconds)
        leaving = FootstepPlanner(made, self.planner.steps, self.planner.settings)
        return leaving.plan(left, right, goal, seconds=seconds)

    def _take_terrain(self) -> None:
        made = self.obstacles.terrain()
        if made is not None:
            self.planner.change(made)

    # ---- on the way ------------------------------------------------------------------------------
    def _on_the_way(self, state: BodyState) -> None:
        """Tell the walk where the steps that are left lie now; stand where they are no longer good."""
        plan = self.walk.plan
        if not plan:
            return
        first = len(self.steps) - len(plan.steps)
        rest = self.steps[first:]
        self._glance(rest)
        self._take_terrain()
        room = self._room[first:]
        bad = next((n for n, step in enumerate(rest[: len(room)]) if self._clearance(step) < room[n]), None)
        if bad is not None:
            self._halt(state, bad - 1, "something stands in the way of the plan")
        elif self._room and self._astray(len(rest)):
            self._halt(state, 1, "it has strayed from its plan")
        else:
            self._tell(rest)

    def _go_back(self, state: BodyState) -> Command:
        """The walk has stopped by itself; what it answers to a velocity until it stands is to go back."""
        if self.state is FootState.WALK:
            if self.walk.barred:
                self._feel()
            self._stop(state, FootState.BACK, self.walk.notice)
        elif self.walk.standing:
            self.state, self._looks = FootState.LOCATE, 0
            return Command()
        return Command(vx=SLOW * self.walk.max_speed)

    def _feel(self) -> None:
        """Remember what the foot that swings has met: eyes on a head do not see it."""
        x, y, yaw = self.feet()[1 - self.walk.stance]
        toe = self.planner.steps.sole[1]
        self.obstacles.felt(x + toe * math.cos(yaw), y + toe * math.sin(yaw))

    def _glance(self, rest: tuple[Footstep, ...]) -> None:
        """Look to where the way goes."""
        if self._gaze is None or not self._gaze.turns:
            return
        x, y, yaw = self.middle()
        far = next((step for step in rest if math.hypot(step.x - x, step.y - y) > self.settings.glance), None)
        if far is None:
            self._gaze.look_at(0.0)
        else:
            self._gaze.look_at(math.remainder(math.atan2(far.y - y, far.x - x) - yaw, 2.0 * math.pi))

    def _look_around(self) -> None:
        if self._gaze is not None:
            self._gaze.look_around()

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

    def _clearance(self, step: Footstep) -> float:
        """How far the middle of the body over a step is from everything [m]; 0 outside the map."""
        t = self.planner.terrain
        half = 0.5 * self.planner.steps.width * (1.0 if step.foot == "left" else -1.0)
        row, col = t.cell(step.x + half * math.sin(step.yaw), step.y - half * math.cos(step.yaw))
        rows, cols = t.clearance.shape
        return float(t.clearance[row, col]) if 0 <= row < rows and 0 <= col < cols else 0.0

    def _halt(self, state: BodyState, count: int, why: str) -> None:
        """Make so many of the steps that are left, put the other foot beside the last one, then stand and plan anew.

        The foot that is in the air comes down where it was going to: the body already moves there.
        """
        plan, walk = self.walk.plan, self.walk
        rest = self.steps[len(self.steps) - len(plan.steps) :][: max(0, count)] if plan else ()
        if not rest and walk.phase == "walk":
            own = self.feet()[walk.stance]
            rest = (Footstep(FEET[1 - walk.stance], *_place(se2.compose(own, walk.step))),)
        foot = FEET[walk.stance] if not rest else rest[-1].foot
        at = self.feet()[walk.stance] if not rest else (rest[-1].x, rest[-1].y, rest[-1].yaw)
        other, side = ("right", -1.0) if foot == "left" else ("left", 1.0)
        beside = se2.compose(at, (0.0, side * self.planner.steps.width, 0.0))
        self.steps, self._room = (*rest, Footstep(other, *_place(beside))), ()
        self._tell(self.steps)
        self.record.events.append((state.time, why))

    def _stop(self, state: BodyState, to: FootState, why: str) -> None:
        self.walk.follow_footsteps(())
        self.state, self.steps, self._looks = to, (), 0
        if self._gaze is not None:
            self._gaze.look_at(0.0)
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


def _place(pose: Array) -> tuple[float, float, float, float]:
    """x, y, z [m] and yaw [rad] of a foot on the floor."""
    return float(pose[0]), float(pose[1]), 0.0, float(pose[2])


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
