"""Actions: poses by name and joint trajectories, with feedback and a way to call them off."""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING, Any

import numpy as np

from andante.bags import messages
from andante.bus import Cancelled, GoalFailed
from andante.control.activities import Activity, Playing

from .node import LiveNode

if TYPE_CHECKING:
    from andante.session.session import LiveSession

Work = Generator[Any, None, Any]


class ActionNode(LiveNode):
    """/body_pose, /body_pose_with_speed, /follow_joint_trajectory."""

    name = "actions"

    def __init__(self, session: LiveSession) -> None:
        super().__init__(session)
        for name, kind, work in (
            ("/body_pose", "naoqi_bridge_msgs/action/BodyPose", self._pose),
            ("/body_pose_with_speed", "naoqi_bridge_msgs/action/BodyPoseWithSpeed", self._pose_at_speed),
            ("/follow_joint_trajectory", "control_msgs/action/FollowJointTrajectory", self._follow),
        ):
            self._handles.append(self.bus.provide_action(name, kind, work, self.name))

    def _pose(self, goal: Any) -> Work:
        self.bus.log("info", f"/body_pose: {goal.pose_name}", self.name)
        self.command_api.play(str(goal.pose_name))
        yield from self._until_done(None)

    def _pose_at_speed(self, goal: Any) -> Work:
        self.bus.log("info", f"/body_pose_with_speed: {goal.posture_name}", self.name)
        self.command_api.play(str(goal.posture_name), max(0.1, 2.5 * float(goal.speed)))
        yield from self._until_done(None)

    def _follow(self, goal: Any) -> Work:
        points = list(goal.trajectory.points)
        names = [str(name) for name in goal.trajectory.joint_names]
        times = [messages.seconds(p.time_from_start) for p in points]
        duration = self.command_api.follow(names, times, [np.asarray(p.positions, dtype=float) for p in points])
        self.bus.log("info", f"/follow_joint_trajectory: {len(points)} points, {duration:.2f} s", self.name)
        yield from self._until_done("trajectory")
        return {"error_code": 0}

    def _until_done(self, kind: str | None) -> Work:
        """Wait for the activity that was just asked for; it fails when something else took its place."""
        stage = self.stage
        mine: Activity | None = None
        try:
            while True:
                if self.stage is not stage:
                    raise GoalFailed("the scene was rebuilt")
                manager = stage.activities
                if stage.supervisor is not None and stage.supervisor.busy:
                    raise GoalFailed(f"the robot is {stage.supervisor.state}")
                if mine is None and not manager.waiting:
                    if not isinstance(manager.present, Playing):
                        return
                    mine = manager.present
                if mine is not None:
                    assert isinstance(mine, Playing)
                    if mine.finished:
                        return
                    if mine is not manager.present:
                        raise GoalFailed("preempted by another activity")
                yield None
        except Cancelled:
            if mine is not None and mine is stage.activities.present:
                mine.stop()
            raise
