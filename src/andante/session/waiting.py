"""Work of a live session that takes time, as generators that are resumed every control period: walks and motions.

What is called off is closed (or `Cancelled` is thrown into it); what fails raises `GoalFailed`.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING, Any

from andante.bus import Cancelled, GoalFailed
from andante.control.activities import Acting, Activity, GettingUp, Playing
from andante.control.pose_guide import PoseGuide, PoseTolerance

if TYPE_CHECKING:
    from .session import LiveSession
    from .stage import Stage

Work = Generator[Any, None, Any]
REPORT = 10  # periods between two words about a walk


def until_done(session: LiveSession) -> Work:
    """Wait for the activity that was just asked for; it fails when something else took its place."""
    stage = session.stage
    mine: Activity | None = None
    try:
        while True:
            if session.stage is not stage:
                raise GoalFailed("the scene was rebuilt")
            manager = stage.activities
            if stage.supervisor is not None and stage.supervisor.busy:
                raise GoalFailed(f"the robot is {stage.supervisor.state}")
            if mine is None and not manager.waiting:
                if not isinstance(manager.present, Playing | Acting | GettingUp):
                    return
                mine = manager.present
            if mine is not None:
                assert isinstance(mine, Playing | Acting | GettingUp)
                if mine.finished:
                    return
                if mine is not manager.present:
                    raise GoalFailed("preempted by another activity")
            yield None
    except (Cancelled, GeneratorExit):
        if mine is not None and mine is stage.activities.present:
            mine.stop()
        raise


def walk_to(
    session: LiveSession,
    place: tuple[float, float, float],
    tops: tuple[float, float, float] = (0.0, 0.0, 0.0),
    tolerance: PoseTolerance | None = None,
) -> Work:
    """Walk to x, y [m], theta [rad] from where the robot stands; tells what is left, and at the end what came of it."""
    stage = session.stage
    guide = PoseGuide(stage.walker, stage.position, place, tops, tolerance)
    end, count, released = session.time + guide.patience, 0, False
    mark = session.teleop.mark
    try:
        yield None  # velocities that were sent before the goal come first
        mark = session.teleop.mark
        while not guide.over:
            _check_walk(session, stage, guide)
            if session.teleop.mark != mark:
                raise GoalFailed("another command drives the robot", _told(guide, stage))
            if session.time > end:
                raise GoalFailed("the goal was not reached in time", _told(guide, stage))
            guide.walker = stage.walker  # another one may have started anew
            command = guide.command(stage.position)
            if command.moving:
                session.drive(command.vx, command.vy, command.wz)
                mark, released = session.teleop.mark, False
            elif not released:
                session.teleop.release()
                mark, released = session.teleop.mark, True
            count += 1
            yield {"left": _flat(guide.left(stage.position))} if count % REPORT == 0 else None
    except (Cancelled, GeneratorExit):
        if count and session.teleop.mark == mark:
            session.teleop.release()
        raise
    if not guide.reached:
        raise GoalFailed("it stands beside the goal", _told(guide, stage))
    return _told(guide, stage)


def _check_walk(session: LiveSession, stage: Stage, guide: PoseGuide) -> None:
    if session.stage is not stage:
        raise GoalFailed("the scene was rebuilt")
    if stage.supervisor is not None and stage.supervisor.busy:
        raise GoalFailed(f"the robot is {stage.supervisor.state}", _told(guide, stage))
    if stage.supervisor is not None and stage.supervisor.limp:
        raise GoalFailed("the joints have no stiffness", _told(guide, stage))
    if stage.walker.gave_up:
        raise GoalFailed(stage.walker.notice or "the walk was given up", _told(guide, stage))


def _told(guide: PoseGuide, stage: Stage) -> dict[str, Any]:
    return {"reached": guide.reached, "left": _flat(guide.left(stage.position))}


def _flat(pose: Any) -> dict[str, float]:
    x, y, theta = (float(v) for v in pose)
    return {"x": x, "y": y, "theta": theta}
