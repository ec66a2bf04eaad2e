"""A walk to a goal on any body: the command of every instant, and the loop from the first command to a stand.

The walker is led by its own estimate (feet and gyro). What came of it is told by a `Measure`: the simulator's truth, or
the same estimate where there is nobody else to ask.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from andante.description import Robot
from andante.errors import BadInput
from andante.geometry import Array
from andante.locomotion import Command, Walker
from andante.locomotion.attitude import Attitude
from andante.locomotion.falls.detector import FallRules
from andante.locomotion.rigs.rig import root_from_imu

from .body import BodyState, Twist
from .loop import ControlLoop

LONGEST = 3600.0  # [s]
NEAR, NEAR_TURN = 0.05, 5.0  # to a goal that counts as reached, of short ways [m, deg]
SETTLE, LONGEST_STEP = 1.0, 0.1  # of the filter that tells whether a robot lies; most time that counts at once [s]


@dataclass(frozen=True)
class WalkSettings:
    """How a walk to a goal is led and when it is given up; table [walk] of `--params`."""

    settle: float = 0.5  # standing still before the first command [s]
    slowest: float = 0.12  # speed of the last steps to a goal, in top speeds
    last_step: float | None = None  # when to stop: so long before the goal, in times of the approach; None: its own
    side_gain: float = 0.5  # how a walk straight ahead comes back to its line [1/s]
    again: int = 2  # times that it sets out again where it stands short of its goal
    short: float = 0.08  # of the way, that it may stand short
    patience: float = 3.0  # a walk may take so many times as long as it should
    grace: float = 10.0  # ... and so much longer [s]


@dataclass(frozen=True)
class WalkGoal:
    """Where to walk: one of distance, turn, and velocity with seconds.

    A velocity with a distance or a turn is kept as it is, nothing steers back, until the robot has counted so much.
    """

    distance: float | None = None  # straight ahead [m], negative: backwards
    turn: float | None = None  # on the spot [deg], left positive
    velocity: Twist | None = None  # vx, vy [m/s], wz [rad/s]
    seconds: float | None = None  # how long the velocity lasts
    speed: float = 60.0  # percent of the gait's top speed; a velocity says it itself

    def __post_init__(self) -> None:
        goals = [name for name in ("distance", "turn", "seconds") if getattr(self, name) is not None]
        alone = not goals if self.velocity is not None else self.seconds is not None
        if alone:
            raise BadInput("velocity and seconds must be given together")
        if len(goals) != 1:
            raise BadInput(
                "a walk needs one of distance, turn or velocity with seconds, got " + (" and ".join(goals) or "none")
            )
        for name, most in (("distance", 1e4), ("turn", 1e5), ("seconds", LONGEST)):
            value = getattr(self, name)
            if value is not None and not (math.isfinite(value) and abs(value) <= most):
                raise BadInput(f"{name} must be a number up to {most:g}, got {value}")
        if self.seconds is not None and self.seconds < 0:
            raise BadInput(f"seconds must be >= 0, got {self.seconds}")
        if not 0 < self.speed <= 100:
            raise BadInput(f"speed is a percentage above 0 and up to 100, got {self.speed}")
        v = self.velocity
        if v is not None and not (len(v) == 3 and all(math.isfinite(x) and abs(x) < 1e3 for x in v)):
            raise BadInput(f"velocity is vx, vy, wz in m/s, m/s and rad/s, got {v}")
        if v is not None and self.seconds is None:
            name, goal, part = ("turn", self.turn, 2) if self.turn else ("distance", self.distance or 0.0, 0)
            if goal and not v[part] * goal > 0:
                raise BadInput(f"a velocity of {v} never comes to a {name} of {goal:g}")

    def reached(self, moved: tuple[float, float, float]) -> bool:
        """Whether a way (x, y [m], turned [rad]) ends at the goal: within 10 % or 5 cm (5 deg), aside twice that.

        A velocity is no goal: whatever it led to is where it should.
        """
        x, y, turned = moved
        if self.velocity is not None:
            return True
        if self.turn is not None:
            return abs(math.degrees(turned) - self.turn) <= max(0.1 * abs(self.turn), NEAR_TURN)
        if self.distance is None:
            return True
        near = max(0.1 * abs(self.distance), NEAR)
        return abs(x - self.distance) <= near and abs(y) <= 2 * near

    def patience(self, walker: Walker, settings: WalkSettings | None = None) -> float:
        """The longest time that a walk may take [s]: some times what it should, and some stops."""
        settings = settings or WalkSettings()
        if self.seconds is not None:
            return self.seconds + 6 * walker.stopping_time + 0.5 * settings.grace
        vx, _, wz = self.velocity or (0.01 * self.speed * walker.max_speed, 0.0, 0.01 * self.speed * walker.max_turn)
        if self.turn:
            expected = abs(math.radians(self.turn) / wz)
        else:
            expected = abs(self.distance / vx) if self.distance else 0.0
        return min(LONGEST, settings.patience * expected + 6 * walker.stopping_time + settings.grace)


class WalkGuide:
    """The command of every instant on the way to a goal, from the walker's own estimate."""

    def __init__(self, walker: Walker, goal: WalkGoal, settings: WalkSettings | None = None) -> None:
        self.walker, self.goal, self.settings = walker, goal, settings or WalkSettings()
        if goal.distance is not None and not walker.max_speed > 0:
            raise BadInput(f"{type(walker).__name__} cannot move ahead: its top speed is {walker.max_speed:g} m/s")
        if goal.turn is not None and not walker.max_turn > 0:
            raise BadInput(f"{type(walker).__name__} cannot turn: its top turn is {walker.max_turn:g} rad/s")
        self.begin = math.inf  # when the first command is given [s]
        self.braking = False
        self._again = 0  # times that it went on after it had come to stand short of the goal
        self._braked, self._coasts = 0.0, 1.0  # what was left when it braked; part of its braking way that it needed
        self._fraction = goal.speed / 100.0
        self._start = np.zeros(3)
        self.path: list[tuple[float, float, float, float]] = []  # t [s], x, y [m], heading [rad] of every command

    def start(self, now: float) -> None:
        """Give the first command now."""
        self.begin, self._start = now, np.array(self.walker.position)

    def __call__(self, state: BodyState) -> Command:
        """The command at the time of a state."""
        now = state.time
        if now >= self.begin:
            self.path.append((now - self.begin, *self.traveled))
        if now < self.begin or self.braking:
            return Command()
        if self.goal.seconds is not None:
            self.braking = now - self.begin >= self.goal.seconds - 1e-9
            return self._constant()
        x, y, heading = self.traveled
        if self.goal.turn is not None:
            goal, done, top = math.radians(self.goal.turn), heading, self.walker.max_turn
        else:
            goal, done, top = self.goal.distance or 0.0, x, self.walker.max_speed
        sign = math.copysign(1.0, goal)
        speed = self._fraction * top
        left = sign * (goal - done)
        if self.goal.velocity is not None:
            self.braking = left <= 0
            return self._constant()
        approach = self.walker.approach
        if approach is not None:  # it wants its last steps short
            slowest = max(self.settings.slowest, self.walker.slowest)
            speed = min(speed, max(self._near(left, top, approach), slowest * top))
            last = self.walker.last_step if self.settings.last_step is None else self.settings.last_step
            way = last * approach * speed
        else:  # v²/2a with a = top speed / stopping time
            way = 0.5 * speed * self._fraction * self.walker.stopping_time
        self.braking = left <= self._coasts * way
        if self.braking:
            self._braked = left
            return Command()
        if self.goal.turn is not None:
            return Command(wz=sign * speed)
        aside = max(-0.3 * speed, min(0.3 * speed, -self.settings.side_gain * y))
        return Command(vx=sign * speed, vy=aside)

    def goes_on(self) -> bool:
        """Whether it stands too far before its goal, by its own estimate, and sets out again; call it where it stands.

        A robot that slides or sags comes to stand sooner than its braking way tells.
        """
        goal = self.goal
        wanted = goal.distance if goal.turn is None else math.radians(goal.turn)
        if goal.seconds is not None or not wanted or not self.braking or self._again >= self.settings.again:
            return False
        done = self.traveled[0] if goal.turn is None else self.traveled[2]
        left = math.copysign(1.0, wanted) * (wanted - done)
        if left < self.settings.short * abs(wanted):
            return False
        needed = min(1.0, max(0.0, 1.0 - left / self._braked)) if self._braked > 0 else 1.0
        self._coasts *= 0.5 * (1.0 + needed)  # halfway: what stopped it may not be there again
        self._again, self.braking = self._again + 1, False
        return True

    def _constant(self) -> Command:
        """The velocity of the goal, none when it is reached."""
        return Command() if self.braking or self.goal.velocity is None else Command(*self.goal.velocity)

    def _near(self, left: float, top: float, approach: float) -> float:
        """Speed with so much left: v²/2a of even braking, in the end v = left / approach, so that both meet evenly."""
        brake = top / max(self.walker.stopping_time, 1e-3)  # [m/s² or rad/s²]
        last = brake * approach
        return left / approach if left < last * approach else math.sqrt(2.0 * brake * left - last * last)

    @property
    def traveled(self) -> tuple[float, float, float]:
        """x, y [m] in the axes of the start and heading [rad] since the first command, as the walker estimates."""
        here = np.asarray(self.walker.position) - self._start
        c, s = math.cos(self._start[2]), math.sin(self._start[2])
        return c * here[0] + s * here[1], c * here[1] - s * here[0], float(here[2])


class Measure(ABC):
    """Tells how far a robot came since `start`, and whether it lies."""

    @abstractmethod
    def start(self) -> None:
        """The first command is given now."""

    @property
    @abstractmethod
    def moved(self) -> tuple[float, float, float]:
        """Along x, along y [m], turned, unwrapped [rad], in the axes of the world or of the start."""

    @property
    def path(self) -> Array:
        """(n, 4) t [s], x, y [m], unwrapped yaw [rad] since the start, as from there; none where nobody notes it."""
        return np.zeros((0, 4))

    @property
    @abstractmethod
    def fallen(self) -> bool:
        """Whether the robot lies on the ground."""


class LyingSense:
    """Whether a robot lies, as its IMU feels; one without an IMU never does. Call it with nothing to ask."""

    def __init__(self, robot: Robot, angle: float = FallRules.lying) -> None:
        """angle: a robot that leans further lies [rad]."""
        self._attitude, self._last, self._level = Attitude(SETTLE), math.nan, math.cos(angle)
        self._root_from_imu: Array | None = None
        if any(spec.kind == "imu" for spec in robot.sensors):
            self._root_from_imu = np.ascontiguousarray(root_from_imu(robot))

    def feel(self, state: BodyState) -> None:
        """Take the state of a control period."""
        dt, self._last = state.time - self._last, state.time
        turn = self._root_from_imu
        if turn is not None and dt > 0:
            gyro = np.where(np.isnan(state.gyro), 0.0, state.gyro)
            self._attitude.update(turn @ gyro, turn @ state.acceleration, min(dt, LONGEST_STEP))

    def __call__(self) -> bool:
        return bool(self._attitude.up[2] < self._level)


class Estimated(Measure):
    """What the walker itself believes, for bodies that nobody watches; `lies` tells whether the robot does."""

    def __init__(self, guide: WalkGuide, lies: Callable[[], bool] = lambda: False) -> None:
        self._guide, self._lies = guide, lies

    def start(self) -> None:
        """The guide knows its start."""

    @property
    def moved(self) -> tuple[float, float, float]:
        """By feet and gyro, in the axes of the start."""
        return self._guide.traveled

    @property
    def path(self) -> Array:
        """As the guide has noted."""
        return np.array(self._guide.path).reshape(-1, 4)

    @property
    def fallen(self) -> bool:
        """As it feels."""
        return self._lies()


@dataclass(frozen=True)
class Push:
    """Something that happens once on the way: `act` is called a time [s] after the first command."""

    after: float
    act: Callable[[], None]


def walk_to(
    loop: ControlLoop,
    guide: WalkGuide,
    measure: Measure,
    push: Push | None = None,
    report: Callable[[float, float], None] = lambda done, total: None,
    look: int = 10,
) -> bool:
    """Give the first command and go on until the robot stands again, lies, gives up, or the time is over.

    Whether it stands where it should.

    Args:
        loop: runs the guide's walker under the guide's commands.
        measure: asked every `look` periods whether the robot lies.
        push: a push on the way; the walk does not end before it.
        report: called with the time so far and the longest time [s].
    """
    walker, body = guide.walker, loop.body
    now = body.read().time
    guide.start(now)
    measure.start()
    longest = guide.goal.patience(walker, guide.settings)
    periods, waits = math.ceil(longest * loop.rate), push is not None
    for period in range(periods):
        if push is not None and waits and period * loop.period >= push.after - 1e-9:
            push.act()
            waits = False
        loop.step()
        if period % look == look - 1:
            report(period * loop.period, longest)
            if measure.fallen and not walker.tumbles:  # a ball leans as it likes
                return False
            if walker.standing and not waits and (guide.braking or walker.gave_up):
                if not walker.gave_up and guide.goes_on():
                    continue
                return guide.braking
    return False
