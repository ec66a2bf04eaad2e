"""The loop of a navigated drive: the navigator sees what the robot sensed, the robot drives what the navigator says."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from andante.geometry import Array, se2, so3
from andante.mobile.robot import MobileRobot, SimulatedMobileRobot
from andante.mobile.sensing import Sensed
from andante.navigation import Navigator, NavigatorInput, NavigatorOutput, State
from andante.physics.bounds import check_bounds
from andante.progress import Report

BRAKING = 3.0  # longest time to come to rest at the end [s]
FOLLOWS = np.array([0.3, 0.3, 0.6])  # a reference further from the measured twist is not followed [m/s, rad/s]
STANDING = 0.02  # slower than this it stands [m/s, rad/s]

Watch = Callable[[Sensed, NavigatorOutput], bool | None]  # called after every decision; True ends the drive


@dataclass
class DriveResult:
    """What became of a drive, as far as the robot knows."""

    state: State
    reason: str
    begun: float  # time of the first decision [s]
    ended: float  # time of the last moment [s]
    events: list[tuple[float, str]] = field(default_factory=list)  # seconds after the beginning, and words
    believed: list[Array] = field(default_factory=list)  # (4,) t, x, y, yaw of the reference point on the map
    planned: list[Array] = field(default_factory=list)  # (n, 3) the paths that were followed, oldest first
    last: Sensed | None = None

    @property
    def arrived(self) -> bool:
        """Whether the robot believes to be there."""
        return self.state is State.ARRIVED


def reading_of(sensed: Sensed) -> NavigatorInput:
    """What the navigator reads of what the robot sensed.

    Its velocity is the reference of the wheels where the robot follows that; a robot that is held up or pushed is told
    by what it measures. So small lags do not keep a controller from asking for more.
    """
    held = np.clip(sensed.reference - sensed.twist, -FOLLOWS, FOLLOWS)
    return NavigatorInput(
        sensed.time,
        sensed.pose,
        sensed.twist + held,
        tuple(sweep.scan for sweep in sensed.sweeps),
        sensed.trusted,
        tuple(sweep.pose for sweep in sensed.sweeps),
        tuple(sweep.twist for sweep in sensed.sweeps),
    )


def drive_to_goal(
    robot: MobileRobot,
    navigator: Navigator,
    sensed: Sensed,
    timeout: float = math.inf,
    watch: Watch | None = None,
    over: Callable[[], bool] = lambda: False,
) -> DriveResult:
    """Drive until the navigator has arrived or given up, `watch` ends it, or the time is over [s]; then stand.

    The navigator has its goal. `sensed` is the moment to begin with; the last one is in the result. `over` says
    that the braking of a drive that failed is of no interest, as after a collision.
    """
    drive = DriveResult(navigator.state, "", sensed.time, sensed.time)
    while True:
        output = navigator.update(reading_of(sensed))
        _note(drive, sensed, output)
        if output.request == "relocalize":
            robot.relocalize()
        if output.state in (State.ARRIVED, State.FAILED, State.IDLE):
            break
        if watch is not None and watch(sensed, output):
            break
        if sensed.time - drive.begun >= timeout - 1e-9:
            drive.reason = f"timed out after {timeout:g} s" + (f": {output.reason}" if output.reason else "")
            break
        sensed = robot.step(output.velocity)
    drive.state, drive.reason = output.state, drive.reason or output.reason
    _stand(robot, drive, sensed, over)
    return drive


def _stand(robot: MobileRobot, drive: DriveResult, sensed: Sensed, over: Callable[[], bool]) -> None:
    end = sensed.time + BRAKING
    while np.abs(sensed.twist).max() > STANDING and sensed.time < end:
        if drive.state is not State.ARRIVED and over():
            break
        sensed = robot.step()
        drive.believed.append(np.array([sensed.time, *sensed.pose]))
    drive.last, drive.ended = sensed, sensed.time


def _note(drive: DriveResult, sensed: Sensed, output: NavigatorOutput) -> None:
    drive.believed.append(np.array([sensed.time, *sensed.pose]))
    for event in output.events:
        drive.events.append((sensed.time - drive.begun, event))
    if output.path is not None and (not drive.planned or output.path.poses is not drive.planned[-1]):
        drive.planned.append(output.path.poses)


@dataclass(frozen=True)
class Outcome:
    """What came of a drive, by the simulator's truth but for `arrived` and `events`; its estimate of a real robot."""

    robot: str
    world: str
    engine: str  # or the address of a real robot
    planner: str
    controller: str
    success: bool  # it stands inside the tolerance and has touched nothing
    collided: bool
    time: float  # from the first decision until it came inside the tolerance to stay; else until the end [s]
    path_length: float  # way of the root link [m]
    final_error: float  # distance of the root link from the goal at the end [m]
    final_yaw_error: float  # [rad]; NaN where the yaw is free
    reason: str
    arrived: bool  # as the robot believes
    fallen: bool
    collision: str  # what touched what, and when
    estimate_error: dict[str, float]  # of the believed place: mean, rms, max [m], and of the yaw, rms [rad]
    replans: int
    recoveries: int
    events: list[str]
    end: Array  # (3,) true pose of the root link
    seconds: float  # of the whole drive [s]
    real_time_factor: float


class Measure:
    """Watches a drive: when the robot is inside the tolerance, how far its belief errs, when it must end."""

    def __init__(
        self,
        robot: MobileRobot,
        goal: Array,
        tolerance: float,
        yaw_tolerance: float,
        map_pose: tuple[float, float, float],
        timeout: float,
        push: tuple[Array, float] | None = None,
    ) -> None:
        self.robot, self.goal, self.tolerance, self.yaw_tolerance = robot, goal, tolerance, yaw_tolerance
        self.begun = robot.body.time
        self._length = robot.measure.length
        self._map_pose = np.array(map_pose)
        self._push, self._timeout = push, timeout
        self._inside: float | None = None  # since when, seconds after the beginning
        self._errors: list[Array] = []
        self._looked = -math.inf
        self.report: Report = lambda done, total, words: None  # told the time once a second

    def watch(self, sensed: Sensed, output: NavigatorOutput) -> bool:
        """Look at the truth; whether the drive has to end: something was touched, or the robot fell."""
        robot, now = self.robot, sensed.time - self.begun
        true = robot.measure.pose
        self._note(now, true)
        believed = se2.compose(self._map_pose, robot.to_root(sensed.pose))
        gap = believed - true
        self._errors.append(np.array([gap[0], gap[1], float(se2.wrap(gap[2]))]))
        if self._push is not None and now >= self._push[1] and isinstance(robot, SimulatedMobileRobot):
            axes = so3.from_rpy((0.0, 0.0, float(true[2])))
            robot.sim.push(robot.sim.robot.root, axes @ self._push[0])
            self._push = None
        if now - self._looked > 1.0:
            self._looked = now
            if isinstance(robot, SimulatedMobileRobot):
                check_bounds(robot.sim.engine)
            link = robot.body.link
            self.report(now, self._timeout, "" if robot.body.simulated else str(link))
        return robot.measure.collided or robot.measure.fallen

    def _note(self, now: float, true: Array) -> None:
        if not self.within(true):
            self._inside = None
        elif self._inside is None:
            self._inside = now

    def within(self, pose: Array) -> bool:
        """Whether a pose of the root link counts as the goal."""
        if float(np.hypot(*(pose - self.goal)[:2])) > self.tolerance:
            return False
        return math.isnan(self.goal[2]) or abs(float(se2.wrap(pose[2] - self.goal[2]))) <= self.yaw_tolerance

    def outcome(self, drive: DriveResult, names: tuple[str, str], spent: float) -> Outcome:
        """The result at the end of a drive; names: of planner and controller; spent: wall time [s]."""
        robot, truth = self.robot, self.robot.measure
        end, seconds = truth.pose, robot.body.time - self.begun
        self._note(seconds, end)
        fallen = truth.fallen
        success = self.within(end) and not truth.collided and not fallen
        gap = end - self.goal
        errors = np.array(self._errors).reshape(-1, 3)
        off = np.hypot(errors[:, 0], errors[:, 1])
        started = [words for _, words in drive.events]
        return Outcome(
            robot=robot.body.robot.name,
            world=robot.sim.engine.world.name if isinstance(robot, SimulatedMobileRobot) else "",
            engine=robot.body.address,
            planner=names[0],
            controller=names[1],
            success=success,
            collided=truth.collided,
            time=self._inside if success and self._inside is not None else seconds,
            path_length=truth.length - self._length,
            final_error=float(np.hypot(gap[0], gap[1])),
            final_yaw_error=abs(float(se2.wrap(gap[2]))),
            reason=self._reason(drive, success, fallen),
            arrived=drive.arrived,
            fallen=fallen,
            collision=str(truth.collision or ""),
            estimate_error=_spread(off, errors[:, 2]),
            replans=sum("replanning" in words for words in started),
            recoveries=sum("; it " in words or "forgotten" in words for words in started),
            events=[f"{when:.2f} s: {words}" for when, words in drive.events],
            end=end,
            seconds=seconds,
            real_time_factor=seconds / spent if spent > 0 else math.nan,
        )

    def _reason(self, drive: DriveResult, success: bool, fallen: bool) -> str:
        if drive.reason.startswith("the start"):
            return drive.reason
        if self.robot.measure.collision is not None:
            return f"collided: {self.robot.measure.collision}"
        if fallen:
            return "the robot fell over"
        if drive.arrived and not success:
            return "at the goal by its own estimate only: the estimate is off by more than the tolerance"
        return drive.reason


def _spread(off: Array, yaw: Array) -> dict[str, float]:
    if not len(off):
        return {"mean": math.nan, "rms": math.nan, "max": math.nan, "yaw_rms": math.nan}
    return {
        "mean": float(off.mean()),
        "rms": float(np.sqrt(np.mean(off**2))),
        "max": float(off.max()),
        "yaw_rms": float(np.sqrt(np.mean(yaw**2))),
    }
