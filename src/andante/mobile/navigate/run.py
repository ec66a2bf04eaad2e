"""The loop of a navigated drive: the navigator sees what the robot sensed, the robot drives what the navigator says."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from andante.geometry import Array
from andante.mobile.robot import MobileRobot
from andante.mobile.sensing import Sensed
from andante.navigation import Navigator, NavigatorInput, NavigatorOutput, State

BRAKING = 3.0  # longest time to come to rest at the end [s]
FOLLOWS = np.array([0.3, 0.3, 0.6])  # a reference further from the measured twist is not followed [m/s, rad/s]
STANDING = 0.02  # slower than this it stands [m/s, rad/s]

Watch = Callable[[Sensed, NavigatorOutput], bool | None]  # called after every decision; True ends the drive


@dataclass
class Drive:
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
) -> Drive:
    """Drive until the navigator has arrived or given up, `watch` ends it, or the time is over [s]; then stand.

    The navigator has its goal. `sensed` is the moment to begin with; the last one is in the result. `over` says
    that the braking of a drive that failed is of no interest, as after a collision.
    """
    drive = Drive(navigator.state, "", sensed.time, sensed.time)
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


def _stand(robot: MobileRobot, drive: Drive, sensed: Sensed, over: Callable[[], bool]) -> None:
    end = sensed.time + BRAKING
    while np.abs(sensed.twist).max() > STANDING and sensed.time < end:
        if drive.state is not State.ARRIVED and over():
            break
        sensed = robot.step()
        drive.believed.append(np.array([sensed.time, *sensed.pose]))
    drive.last, drive.ended = sensed, sensed.time


def _note(drive: Drive, sensed: Sensed, output: NavigatorOutput) -> None:
    drive.believed.append(np.array([sensed.time, *sensed.pose]))
    for event in output.events:
        drive.events.append((sensed.time - drive.begun, event))
    if output.path is not None and (not drive.planned or output.path.poses is not drive.planned[-1]):
        drive.planned.append(output.path.poses)
