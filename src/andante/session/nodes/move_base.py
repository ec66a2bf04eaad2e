"""`/move_base`, as clients of ROS 1 know it: an action of actionlib over five topics, and `/move_base_simple/goal`."""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING, Any

from andante.bags import messages
from andante.bus import GoalFailed
from andante.control.publishers import MAP
from andante.errors import AndanteError

from .navigation import flat_pose, navigation_of
from .node import LiveNode

if TYPE_CHECKING:
    from andante.session.session import LiveSession

ACTIVE, PREEMPTED, SUCCEEDED, ABORTED = 1, 2, 3, 4  # of actionlib_msgs/GoalStatus
PERIOD = 0.2  # between two statuses [s]; actionlib's own
FEEDBACK = 0.1  # [s]
KEPT = 5.0  # a goal that has ended is told for so long [s]


class MoveBaseNode(LiveNode):
    """/move_base/goal, /cancel, /move_base_simple/goal in; /move_base/status, /feedback, /result out.

    The newest goal counts, one before it is preempted, as in the original. The work is that of `/navigate_to_pose`.
    """

    name = "move_base"

    def __init__(self, session: LiveSession) -> None:
        super().__init__(session)
        self._status = self.advertise("/move_base/status", "actionlib_msgs/msg/GoalStatusArray")
        self._feedback = self.advertise("/move_base/feedback", "move_base_msgs/msg/MoveBaseActionFeedback")
        self._result = self.advertise("/move_base/result", "move_base_msgs/msg/MoveBaseActionResult")
        self.subscribe("/move_base/goal", "move_base_msgs/msg/MoveBaseActionGoal", self._goal)
        self.subscribe("/move_base/cancel", "actionlib_msgs/msg/GoalID", self._cancel)
        self.subscribe("/move_base_simple/goal", "geometry_msgs/msg/PoseStamped", self._simple)
        self._id: Any = None  # of the goal that is worked on
        self._work: Generator[Any, None, Any] | None = None
        self._ended: list[tuple[float, Any]] = []  # when, and its last status
        self._told = self._told_of_way = -1.0

    # ---- what is asked of it -----------------------------------------------------------------------
    def _goal(self, message: Any) -> str:
        self._end(PREEMPTED, "another goal was sent")
        goal_id = message.goal_id
        if not goal_id.id:
            goal_id = messages.make("actionlib_msgs/msg/GoalID", id=f"goal-{self.bus.clock.now:.3f}")
        self._id = goal_id
        try:
            x, y, yaw = flat_pose(message.goal.target_pose.pose)
            self._work = navigation_of(self.session).go(x, y, yaw)
            self._go_on()
        except AndanteError as error:
            self._end(ABORTED, str(error))
            raise
        return f"goal x {x:.2f} m, y {y:.2f} m"

    def _cancel(self, message: Any) -> str | None:
        """An empty name means all goals."""
        if self._work is None or (message.id and message.id != self._id.id):
            return None
        self._end(PREEMPTED, "canceled")
        return "goal canceled"

    def _simple(self, message: Any) -> str:
        """A goal of RViz: it has no name, and nobody is told how it ended but the log."""
        self._end(PREEMPTED, "another goal was sent")
        x, y, yaw = flat_pose(message.pose)
        self._id = messages.make("actionlib_msgs/msg/GoalID", id=f"simple-{self.bus.clock.now:.3f}")
        self._work = navigation_of(self.session).go(x, y, yaw)
        self._go_on()
        return f"goal x {x:.2f} m, y {y:.2f} m"

    # ---- the work ----------------------------------------------------------------------------------
    def _go_on(self) -> None:
        """One step of the present goal."""
        if self._work is None:
            return
        try:
            told = next(self._work)
        except StopIteration:
            self._end(SUCCEEDED, "the goal is reached")
        except (GoalFailed, AndanteError) as error:
            self._end(ABORTED, str(error))
        else:
            now = self.bus.clock.now
            if now - self._told_of_way >= FEEDBACK or now < self._told_of_way:
                self._told_of_way = now
                self._feedback.publish(
                    messages.make(
                        "move_base_msgs/msg/MoveBaseActionFeedback",
                        header=self.header(MAP),
                        status=self._state(ACTIVE, ""),
                        feedback={"base_position": messages.to_dict(told["current_pose"])},
                    )
                )

    def _state(self, status: int, words: str) -> Any:
        return messages.make("actionlib_msgs/msg/GoalStatus", goal_id=self._id, status=status, text=words)

    def _end(self, status: int, words: str) -> None:
        """The present goal is over: its result is told once, its status for a while."""
        if self._id is None:
            return
        work, self._work = self._work, None
        if work is not None:
            work.close()
        state = self._state(status, words)
        self._ended.append((self.bus.clock.now, state))
        self._result.publish(
            messages.make("move_base_msgs/msg/MoveBaseActionResult", header=self.header(MAP), status=state)
        )
        self._id = None

    # ---- what is told ------------------------------------------------------------------------------
    def update(self) -> None:
        """Go on with the goal, and tell the status five times a second."""
        self._go_on()
        now = self.bus.clock.now
        if 0 <= now - self._told < PERIOD or not self.bus.topic("/move_base/status").subscriptions:
            return
        self._told = now
        self._ended = [(when, state) for when, state in self._ended if 0 <= now - when <= KEPT]
        states = [state for _, state in self._ended]
        if self._id is not None:
            states.append(self._state(ACTIVE, ""))
        self._status.publish(
            messages.make("actionlib_msgs/msg/GoalStatusArray", header=self.header(MAP), status_list=states)
        )
