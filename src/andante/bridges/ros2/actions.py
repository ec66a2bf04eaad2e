"""Actions of a session for ROS 2: three services and two topics each, under `NAME/_action/`.

Source: https://design.ros2.org/articles/actions.html; the services are those of `services`.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from andante.bags import messages
from andante.bridges.client import ABORTED, BusClient, ClientGoal
from andante.errors import AndanteError, one_line

from .ends import Participant, Reader, Writer
from .names import dds_topic, user_data
from .samples import raw_class
from .services import HEAD, Calls, ServiceEnd, checked

UNKNOWN, EXECUTING, CANCELING = 0, 2, 3  # action_msgs/msg/GoalStatus
NO_SUCH_GOAL, TERMINATED = 2, 3  # action_msgs/srv/CancelGoal
ID = 16  # bytes of the name of a goal
KEPT = 50  # ended goals whose results can be asked for
STATUS = "action_msgs/msg/GoalStatusArray"


@dataclass
class Taken:
    """A goal that was taken."""

    goal: ClientGoal
    time: float  # when [s]
    status: int = EXECUTING

    @property
    def is_over(self) -> bool:
        """Whether it has ended."""
        return self.goal.done.done()


class ActionEnd:
    """An action to which clients of ROS 2 can send goals.

    Args:
        numbers: of services of the participant.
    """

    def __init__(
        self, participant: Participant, bus: BusClient, name: str, type_name: str, numbers: itertools.count[int],
        calls: Calls,
    ) -> None:  # fmt: skip
        self.name, self.type_name, self._bus, self._calls = name, type_name, bus, calls
        self._goals: dict[bytes, Taken] = {}

        def service(part: str, kind: str, answer: Callable[[bytes], Awaitable[bytes]]) -> ServiceEnd:
            return ServiceEnd(participant, f"{name}/_action/{part}", kind, next(numbers), answer, calls)

        def topic(part: str, kind: str, latched: int) -> Writer:
            where = dds_topic(f"{name}/_action/{part}")
            return Writer(participant, where, raw_class(kind), user_data(kind), latched=latched)

        self.services = (
            service("send_goal", f"{type_name}_SendGoal", self._take),
            service("cancel_goal", "action_msgs/srv/CancelGoal", self._cancel),
            service("get_result", f"{type_name}_GetResult", self._result),
        )
        self._feedback = topic("feedback", f"{type_name}_FeedbackMessage", 0)
        self._status = topic("status", STATUS, 1)

    @property
    def writers(self) -> list[Writer]:
        """All its writers."""
        return [*(service.writer for service in self.services), self._feedback, self._status]

    @property
    def readers(self) -> list[Reader]:
        """All its readers."""
        return [service.reader for service in self.services]

    def close(self) -> None:
        """Withdraw it, and end the goals that are under way."""
        for taken in self._goals.values():
            if not taken.is_over:
                taken.goal.cancel()
        for end in (*self.services, self._feedback, self._status):
            end.close()

    async def _take(self, request: bytes) -> bytes:
        """Send a goal to the session."""
        mark = request[len(HEAD) : len(HEAD) + ID]
        accepted = False
        try:
            if mark not in self._goals:
                content = checked(f"{self.type_name}_Goal", HEAD + request[len(HEAD) + ID :])
                goal = await self._bus.send_goal(self.name, content, lambda feedback: self._tell(mark, feedback))
                self._keep(mark, Taken(goal, self._bus.now))
                accepted = True
        except AndanteError as error:
            self._calls.say(f"{self.name}: {one_line(error)}")
        kind = f"{self.type_name}_SendGoal_Response"
        return messages.to_cdr(messages.make(kind, accepted=accepted, stamp=messages.time(self._bus.now)))

    def _keep(self, mark: bytes, taken: Taken) -> None:
        over = [key for key, one in self._goals.items() if one.is_over]
        for key in over[: max(0, len(over) - KEPT + 1)]:
            del self._goals[key]
        self._goals[mark] = taken
        taken.goal.done.add_done_callback(lambda done: self._ended(taken, done))
        self._tell_status()

    def _ended(self, taken: Taken, done: asyncio.Future[tuple[int, bytes]]) -> None:
        taken.status = ABORTED if done.cancelled() or done.exception() else done.result()[0]
        self._tell_status()

    def _tell(self, mark: bytes, feedback: bytes) -> None:
        self._feedback.write(HEAD + mark + feedback[len(HEAD) :])

    def _tell_status(self) -> None:
        entries = [
            {"goal_info": self._info(mark, taken), "status": taken.status} for mark, taken in self._goals.items()
        ]
        self._status.write(messages.to_cdr(messages.from_dict(STATUS, {"status_list": entries})))

    def _info(self, mark: bytes, taken: Taken) -> dict[str, Any]:
        stamp = messages.time(taken.time)
        return {"goal_id": {"uuid": list(mark)}, "stamp": {"sec": stamp.sec, "nanosec": stamp.nanosec}}

    async def _cancel(self, request: bytes) -> bytes:
        """Ask for the end of a goal, of all up to a time, or of both; without either: of all."""
        asked = messages.from_cdr("action_msgs/srv/CancelGoal_Request", request).goal_info
        mark, until = bytes(asked.goal_id.uuid), messages.seconds(asked.stamp)
        every = not any(mark) and until == 0.0
        meant = {key: one for key, one in self._goals.items() if every or key == mark or 0.0 < until >= one.time}
        running = {key: one for key, one in meant.items() if not one.is_over}
        for one in running.values():
            one.goal.cancel()
            one.status = CANCELING
        code = 0
        if any(mark) and not running:
            code = TERMINATED if mark in self._goals else NO_SUCH_GOAL
        if running:
            self._tell_status()
        goals = [self._info(key, one) for key, one in running.items()]
        kind = "action_msgs/srv/CancelGoal_Response"
        return messages.to_cdr(messages.from_dict(kind, {"return_code": code, "goals_canceling": goals}))

    async def _result(self, request: bytes) -> bytes:
        """Wait for the end of a goal."""
        taken = self._goals.get(request[len(HEAD) : len(HEAD) + ID])
        status, result = UNKNOWN, messages.make(f"{self.type_name}_Result")
        if taken is not None:
            try:
                status, content = await asyncio.shield(taken.goal.done)
                result = messages.from_cdr(f"{self.type_name}_Result", content)
            except AndanteError as error:
                self._calls.say(f"{self.name}: {one_line(error)}")
                status = ABORTED
        return messages.to_cdr(messages.make(f"{self.type_name}_GetResult_Response", status=status, result=result))
