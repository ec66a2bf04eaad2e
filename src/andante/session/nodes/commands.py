"""Topics and actions that tell the robot what to do."""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING, Any

import numpy as np

from andante.bags import messages
from andante.control.body import StopPlan
from andante.errors import BadInput
from andante.sensors.topics import plain
from andante.session.waiting import until_done

from .node import LiveNode

if TYPE_CHECKING:
    from andante.session.session import LiveSession


STREAM = 1.0  # messages that come closer to each other are one stream, told once [s]


class CommandNode(LiveNode):
    """/cmd_vel, /key, /joint_targets, /joint_angles, /joint_trajectory, /push, /NAME/pgain, /NAME/dgain.

    Streams (velocities, held keys, sliders) are logged when they begin or change their kind, not message by message.
    """

    name = "commands"

    def __init__(self, session: LiveSession) -> None:
        super().__init__(session)
        self.subscribe("/cmd_vel", "geometry_msgs/msg/Twist", self._velocity)
        self.subscribe("/key", "std_msgs/msg/String", self._key)
        self.subscribe("/joint_angles", "naoqi_bridge_msgs/msg/JointAnglesWithSpeed", self._joint_angles)
        self.subscribe("/joint_trajectory", "trajectory_msgs/msg/JointTrajectory", self._trajectory)
        self.subscribe("/joint_targets", "sensor_msgs/msg/JointState", self._targets, queue=5)
        self.subscribe("/joint_targets/stop", "trajectory_msgs/msg/JointTrajectory", self._stop_plan, queue=2)
        self.subscribe("/push", "andante_msgs/msg/Push", self._push)
        self._moving = False
        self._joints: frozenset[str] = frozenset()
        self._joints_at = self._pushed_at = -1.0
        self._pushed = ""  # the link that is being pushed
        self._gains: list[Any] = []
        self.rebuilt()

    def rebuilt(self) -> None:
        """The topics of the gains carry the name of the robot."""
        for gain in self._gains:
            self.drop(gain)
        name = plain(self.stage.name)
        self._gains = [
            self.subscribe(f"/{name}/{which}", "std_msgs/msg/Float64", self._gain_setter(f"/{name}/{which}"))
            for which in ("pgain", "dgain")
        ]

    def _gain_setter(self, parameter: str) -> Any:
        def set_gain(message: Any) -> str:
            self.bus.parameters.set(parameter, float(message.data))
            return f"{message.data:g} for all joints"

        return set_gain

    def _velocity(self, message: Any) -> str | None:
        v, w = message.linear, message.angular
        self.session.drive(float(v.x), float(v.y), float(w.z))
        moving = bool(v.x or v.y or w.z)
        began, self._moving = moving and not self._moving, moving
        return f"drive {v.x:.2f} m/s ahead, {v.y:.2f} m/s left, {w.z:.2f} rad/s" if began else None

    def _key(self, message: Any) -> str | None:
        held = str(message.data).split()
        fresh = self.session.keys(held[:16])
        return " ".join(fresh) or None

    def _joint_angles(self, message: Any) -> str | None:
        names = [str(name) for name in message.joint_names]
        values = [float(v) for v in message.joint_angles]
        beyond = self.command_api.joint_angles(names, values, float(message.speed), bool(message.relative))
        now = self.bus.clock.now
        same = frozenset(names) == self._joints and now - self._joints_at < STREAM
        self._joints, self._joints_at = frozenset(names), now
        if same:
            return None
        return beyond or ", ".join(f"{n} {v:.2f}" for n, v in list(zip(names, values, strict=False))[:4])

    def _targets(self, message: Any) -> str | None:
        """Targets of some joints; `effort` tells stiffness from 0 to 1 where it is not empty."""
        names, values, fractions = list(message.name), list(message.position), list(message.effort)
        if len(values) != len(names) or len(fractions) not in (0, len(names)):
            raise BadInput(f"{len(names)} joints need as many positions, and as many efforts or none")
        told = {str(name): float(fraction) for name, fraction in zip(names, fractions, strict=False)}
        targets = {str(name): float(value) for name, value in zip(names, values, strict=True)}
        begins = self.command_api.follow_targets(targets, messages.seconds(message.header.stamp), told)
        return f"following targets of {len(names)} joints" if begins else None

    def _stop_plan(self, message: Any) -> None:
        names, robot = [str(name) for name in message.joint_names], self.stage.robot
        if set(names) != set(robot.joint_names) or len(message.points) < 2:
            raise BadInput(f"a stop plan has two points or more for all {len(robot.joint_names)} joints")
        order = [names.index(name) for name in robot.joint_names]
        rows = np.array([point.positions for point in message.points], dtype=float)
        first, second = (messages.seconds(point.time_from_start) for point in message.points[:2])
        if rows.shape[1:] != (len(names),) or not np.isfinite(rows).all() or not second > first:
            raise BadInput("a stop plan has finite positions for all joints, at even times")
        self.command_api.stop_plan(StopPlan(messages.seconds(message.header.stamp), second - first, rows[:, order]))

    def _trajectory(self, message: Any) -> str:
        points = list(message.points)
        if not points:
            self.command_api.behave("hold")
            return "empty: the joints are held"
        times = [messages.seconds(p.time_from_start) for p in points]
        positions = [np.asarray(p.positions, dtype=float) for p in points]
        lengths = {len(p) for p in positions}
        if lengths != {len(message.joint_names)}:
            raise BadInput(f"every point needs {len(message.joint_names)} positions")
        speeds = [np.asarray(p.velocities, dtype=float) for p in points]
        given = speeds if all(len(s) == len(message.joint_names) for s in speeds) else None
        duration = self.command_api.follow([str(n) for n in message.joint_names], times, positions, given)
        return f"{len(points)} points, {duration:.2f} s"

    def _push(self, message: Any) -> str | None:
        f, p = message.force, message.point
        point = (float(p.x), float(p.y), float(p.z)) if message.at_point else None
        force = (float(f.x), float(f.y), float(f.z))
        self.session.push(str(message.link), force, float(message.seconds), point)
        now, link = self.bus.clock.now, str(message.link or self.stage.robot.root)
        same = link == self._pushed and now - self._pushed_at < STREAM
        self._pushed, self._pushed_at = link, now
        return None if same else f"{np.linalg.norm(force):.1f} N on {link}"


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
        yield from until_done(self.session)

    def _pose_at_speed(self, goal: Any) -> Work:
        self.bus.log("info", f"/body_pose_with_speed: {goal.posture_name}", self.name)
        self.command_api.play(str(goal.posture_name), max(0.1, 2.5 * float(goal.speed)))
        yield from until_done(self.session)

    def _follow(self, goal: Any) -> Work:
        points = list(goal.trajectory.points)
        names = [str(name) for name in goal.trajectory.joint_names]
        times = [messages.seconds(p.time_from_start) for p in points]
        duration = self.command_api.follow(names, times, [np.asarray(p.positions, dtype=float) for p in points])
        self.bus.log("info", f"/follow_joint_trajectory: {len(points)} points, {duration:.2f} s", self.name)
        yield from until_done(self.session)
        return {"error_code": 0}
