"""Actions and services of a robot that is told where to go: joints along curves, a walk to a pose, named poses."""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING, Any

import numpy as np

from andante.bus import Cancelled, GoalFailed
from andante.control.joints.timed_moves import JointPoints, TimedMove
from andante.errors import BadInput
from andante.session.waiting import walk_to

from .node import Answer, LiveNode

if TYPE_CHECKING:
    from andante.session.session import LiveSession

Work = Generator[Any, None, Any]


class MoveNode(LiveNode):
    """/interpolate_joints, /walk_to, /get_pose."""

    name = "moves"

    def __init__(self, session: LiveSession) -> None:
        super().__init__(session)
        for name, kind, work, policy in (
            ("/interpolate_joints", "andante_msgs/action/InterpolateJoints", self._interpolate, "parallel"),
            ("/walk_to", "andante_msgs/action/WalkTo", self._walk, "preempt"),
        ):
            self._handles.append(self.bus.provide_action(name, kind, work, self.name, policy))
        self._handles.append(self.bus.provide("/get_pose", "andante_msgs/srv/GetPose", self._pose, self.name))

    def _pose(self, request: Any) -> Answer:
        pose = self.stage.robot.pose(str(request.name))
        return {"success": True, "joints": list(pose), "positions": np.array(list(pose.values()), dtype=float)}

    # ---- joints ------------------------------------------------------------------------------------
    def _interpolate(self, goal: Any) -> Work:
        command_api, stage = self.command_api, self.stage
        move = command_api.interpolate(joint_points(goal), bool(goal.relative))
        try:
            while not move.done:
                if self.stage is not stage:
                    raise GoalFailed("the scene was rebuilt")
                if not command_api.move_lives(move):
                    break
                yield None
        except Cancelled:
            command_api.cancel_move(move)
            raise
        if not _finished(move):
            raise GoalFailed("another command took the joints")
        return {"completed": True}

    # ---- walking -----------------------------------------------------------------------------------
    def _walk(self, goal: Any) -> Work:
        place = (float(goal.x), float(goal.y), float(goal.theta))
        self.bus.log("info", f"/walk_to: x {place[0]:.2f} m, y {place[1]:.2f} m, theta {place[2]:.2f} rad", self.name)
        return (yield from walk_to(self.session, place, (float(goal.vx), float(goal.vy), float(goal.wz))))


def joint_points(goal: Any) -> dict[str, JointPoints]:
    """Points of each joint of an InterpolateJoints goal."""
    names, counts = [str(name) for name in goal.joints], [int(count) for count in goal.counts]
    total = sum(counts)
    if len(counts) != len(names) or len(set(names)) != len(names):
        raise BadInput(f"{len(names)} joints, each named once, need as many counts, got {len(counts)}")
    if len(goal.times) != total or len(goal.positions) != total or len(goal.velocities) not in (0, total):
        raise BadInput(f"{total} points need as many times and positions, and as many velocities or none")
    found, at = {}, 0
    for name, count in zip(names, counts, strict=True):
        part = slice(at, at + count)
        times, places, speeds = (
            tuple(float(v) for v in list(values)[part]) for values in (goal.times, goal.positions, goal.velocities)
        )
        found[name] = JointPoints(times, places, speeds)
        at += count
    return found


def _finished(move: TimedMove) -> bool:
    return move.done and not move.interrupted
