"""`ActivityManager`: what a robot does, one activity at a time, handed over without a jump in the joint targets.

A new activity waits until the present one has come to rest (a walking robot stops first). Then the difference between
what was sent last and what the new one asks for dies out smoothly beside it. An activity that begins in a certain pose
is preceded by a move there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from andante.errors import AndanteError
from andante.geometry import Array
from andante.locomotion import Behaviour, Command, Readings, Walker
from andante.motion import JointMotion
from andante.motion.joint_motion import Fading, MotionLimits, fading_time
from andante.physics.state import Mode

from .activities import Activity, Hold, Playing
from .joints.balance_filter import BalanceFilter
from .joints.joint_moves import JointMoves

SPEED = 0.4  # fraction of the joints' top speed with which differences die out
PATIENCE = 90.0  # the longest wait for an activity to come to rest [s]
NEAR = 0.15  # joints this near to a pose need no move there [rad or m]

Make = Callable[[Array], Activity]
Route = Callable[[Array, Mapping[str, float]], JointMotion]


@dataclass(frozen=True)
class Wanted:
    """An activity that waits for its turn. `make` gets the targets (joints,) that were sent last."""

    make: Make
    label: str
    pose: Mapping[str, float] | None = None  # that it begins in


class ActivityManager(Walker):
    """Runs activities on one robot; `log` is called with what happens in words.

    Args:
        limits: of the joints; they bound how fast differences die out.
        start: targets (joints,) that the robot holds now.
        first: the first activity; its targets are taken as they are.
        route: the way from joint targets to a pose.
        modes: a `Mode` per joint (joints,); values of joints that are not held by position are never blended.
        position: where the robot believes to be, x, y [m], heading [rad].
    """

    def __init__(
        self,
        limits: MotionLimits,
        start: Array,
        first: Activity,
        route: Route,
        modes: np.ndarray | None = None,
        position: Callable[[], Array] = lambda: np.zeros(3),
        log: Callable[[str], None] = lambda line: None,
    ) -> None:
        self.names, self._route, self._position, self._log = limits.names, route, position, log
        self.modes = modes
        self._speeds = np.zeros(len(start), dtype=bool) if modes is None else modes != Mode.POSITION
        self._top, self._push = limits.velocity * SPEED, limits.acceleration * SPEED
        self.present: Activity = first
        self.sent = np.array(start, dtype=float)  # targets of the last control step
        self._velocity = np.zeros(len(self.sent))  # of the last targets and, as it was seen, in the last period:
        self._passed = np.zeros(len(self.sent))  # a jump is no velocity
        self._wanted: Wanted | None = None
        self._waited = 0.0
        self._fading: Fading | None = None
        self._since = 0.0
        self._fresh = False  # the present activity has just taken over and has not been asked for targets yet
        self.over: JointMoves | None = None  # joints that are moved beside the activity
        self.balance: BalanceFilter | None = None  # keeps a robot that stands on its feet
        self._held = False  # whether it had the joints in the last period

    @property
    def standing(self) -> bool:
        """Whether the present activity rests."""
        return self.present.resting

    @property
    def position(self) -> Array:
        """Where the robot believes to be."""
        return self._position()

    def ahead(self) -> Behaviour | None:
        """A copy of what moves the robot now that feels what it plans; None while one activity gives way to another."""
        return None if self._fading is not None or self._fresh else self.present.ahead()

    # ---- what is asked of it -----------------------------------------------------------------------
    @property
    def waiting(self) -> str:
        """What waits for its turn, empty: nothing."""
        return "" if self._wanted is None else self._wanted.label

    def request(self, make: Make, label: str, pose: Mapping[str, float] | None = None) -> None:
        """Let an activity take over as soon as the present one rests; an earlier request that waits is dropped."""
        self._wanted, self._waited = Wanted(make, label, pose), 0.0
        self.present.stop()

    def replace(self, activity: Activity, sent: Array | None = None) -> None:
        """Put an activity in place at once, as after a fall; its targets are taken as they are."""
        self.present, self._wanted, self._fading, self._fresh = activity, None, None, sent is not None
        self.over = None
        self._velocity[:] = self._passed[:] = 0.0
        self._held = False
        if sent is not None:
            self.sent = np.array(sent, dtype=float)

    # ---- one control step --------------------------------------------------------------------------
    def update(self, readings: Readings, command: Command, dt: float) -> Array:
        """Joint targets (joints,) for the next control step of dt [s]."""
        if self._wanted is not None:
            self._hand_over(dt)
        elif self.present.over:
            self._rest()
        targets = np.array(self.present.update(readings, command, dt), dtype=float)
        if self.over is not None:
            targets = self._beside(targets, dt)
        if self._fresh:
            self._begin_fading(targets)
        if self._fading is not None:
            self._since += dt
            targets = np.where(self._speeds, targets, targets + self._fading.evaluate(self._since))
            if self._since >= self._fading.duration:
                self._fading = None
        if self.balance is not None:
            targets = self.balance.limit(self.present, targets, self.sent, readings.position, dt)
            if isinstance(self.present, JointMoves):
                self.present.held = self.balance.lagging
            if self._held and not self.balance.engaged and self._fading is None:  # what it held back comes now
                self._begin_fading(targets)
                targets = targets if self._fading is None else targets + self._fading.evaluate(0.0)
            self._held = self.balance.engaged
        passed = (targets - self.sent) / dt
        nearer = np.where(np.abs(passed) < np.abs(self._passed), passed, self._passed)
        self._velocity, self._passed = np.where(passed * self._passed > 0.0, nearer, 0.0), passed
        self.sent = targets
        self.stiffness, self.base_twist = self.present.stiffness, self.present.base_twist
        return targets

    def _hand_over(self, dt: float) -> None:
        assert self._wanted is not None
        self._waited += dt
        late = self._waited > PATIENCE
        if not (self.present.resting or self.present.over or late):
            return
        if late:
            self._log(f"{self.present.name} did not stop within {PATIENCE:g} s; {self._wanted.label} takes over")
        wanted = self._wanted
        self._wanted = None
        try:
            if wanted.pose is not None and not late and self._far(wanted.pose):
                motion = self._route(self.sent, wanted.pose)
                self._start(Playing(motion, self.names, self.sent, wanted.label, kind="preparing"))
                self._wanted, self._waited = Wanted(wanted.make, wanted.label), 0.0
            else:
                self._start(wanted.make(self.sent.copy()))
        except AndanteError as error:
            self._log(f"{wanted.label} cannot start: {error}")
            self._rest()

    def _far(self, pose: Mapping[str, float]) -> bool:
        return any(
            abs(self.sent[i] - pose[name]) > NEAR
            for i, name in enumerate(self.names)
            if name in pose and not self._speeds[i]
        )

    def _rest(self) -> None:
        self._start(Hold(np.where(self._speeds, 0.0, self.sent), self.present.guarded))

    def _start(self, activity: Activity) -> None:
        self.present, self._fresh = activity, True

    def _beside(self, targets: Array, dt: float) -> Array:
        assert self.over is not None
        if isinstance(self.present, JointMoves | Playing | Hold):
            self.over = None  # these hold what was sent last, or move the joints themselves
            return targets
        own = self.over.advance(dt)
        for name in self.over.moved:
            i = self.names.index(name)
            targets[i] = own[i]
        return targets

    def _begin_fading(self, targets: Array) -> None:
        """Let what differs from the last targets die out, in position and velocity."""
        self._fresh = False
        gap = np.where(self._speeds, 0.0, self.sent - targets)
        speed = np.where(self._speeds, 0.0, self._velocity)
        if not (np.abs(gap) > 1e-9).any():
            self._fading = None
            return
        duration = fading_time(gap, speed, self._top, self._push)
        self._fading, self._since = Fading(gap, speed, np.zeros(len(gap)), duration), 0.0
