"""Actions: work that takes time, with feedback, a result, and a way to call it off.

The work is a generator. `factory(goal)` returns it; the executor advances it once per `Bus.spin`; what it yields is
feedback (a message, a dictionary, or None for nothing new); what it returns is the result. Called off, it gets
`Cancelled` where it stands, may go on for as long as it needs to stop, and may return a result. `GoalFailed` ends it
as aborted, any other error too.

    def stand_up(goal):
        for k in range(10):
            yield {"progress": k / 10}
        return {"success": True}
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from enum import IntEnum
from typing import TYPE_CHECKING, Any

from andante.bags import messages
from andante.errors import AndanteError, BadInput

from .errors import BusError, GoalFailed

if TYPE_CHECKING:
    from .bus import Bus

Work = Generator[Any, None, Any]
OnFeedback = Callable[[Any], None] | None
OnDone = Callable[["Goal"], None] | None
POLICIES = ("preempt", "queue", "refuse", "parallel")


def shaped(content: Any, type_name: str, where: str) -> Any:
    """A message of that type from a message, a dictionary or None (the defaults); `where` begins the error."""
    if content is None or isinstance(content, Mapping):
        return messages.from_dict(type_name, content)
    if messages.type_of(content) != type_name:
        raise BadInput(f"{where}: a {type_name} is wanted, got {messages.type_of(content)}")
    return content


class Cancelled(Exception):
    """Thrown into the work of an action when its goal is called off or another goal takes its place."""


class GoalStatus(IntEnum):
    """States of a goal, numbered as in action_msgs/GoalStatus."""

    ACCEPTED = 1
    EXECUTING = 2
    CANCELING = 3
    SUCCEEDED = 4
    CANCELED = 5
    ABORTED = 6

    @property
    def over(self) -> bool:
        """Whether nothing more will happen."""
        return self >= GoalStatus.SUCCEEDED


class Goal:
    """One goal of an action, as its sender sees it."""

    def __init__(self, action: Action, number: int, message: Any, feedback: OnFeedback, done: OnDone) -> None:
        self.action, self.number, self.message = action, number, message
        self.status = GoalStatus.ACCEPTED
        self.feedback: Any = None  # the last one
        self.result: Any = None  # a message once it is over
        self.text = ""  # why it ended, when there is something to say
        self._told, self._done = feedback, done
        self._work: Work | None = None
        self._cancel = ""  # why it shall end
        self._thrown = False

    @property
    def over(self) -> bool:
        """Whether it has ended."""
        return self.status.over

    def cancel(self, why: str = "called off") -> bool:
        """Ask for its end; it takes effect in the next `Bus.spin`. False when it is over already."""
        if self.over:
            return False
        self._cancel = self._cancel or why
        self.status = GoalStatus.CANCELING
        return True

    def _advance(self, bus: Bus) -> None:
        """One step of the work."""
        try:
            told = self._step()
        except StopIteration as end:
            self._end(bus, GoalStatus.CANCELED if self._cancel else GoalStatus.SUCCEEDED, end.value, self._cancel)
        except Cancelled:
            self._end(bus, GoalStatus.CANCELED, None, self._cancel)
        except GoalFailed as failed:
            self._end(bus, GoalStatus.ABORTED, failed.result, str(failed))
        except Exception as error:
            text = str(error) if isinstance(error, AndanteError) else f"{type(error).__name__}: {error}"
            bus.log("error", f"action {self.action.name}: {text}", self.action.node)
            self._end(bus, GoalStatus.ABORTED, None, text)
        else:
            if told is not None:
                self.feedback = told
                if self._told is not None:
                    bus._guard(self._told, told, f"feedback of {self.action.name}", self.action.node)

    def _step(self) -> Any:
        """Feedback of the next step; the first step after `cancel` throws Cancelled into the work."""
        if self._work is None:
            if self._cancel:
                raise Cancelled
            self._work = self.action.begin(self.message)
        if self._cancel and not self._thrown:
            self._thrown = True
            told = self._work.throw(Cancelled(self._cancel))
        else:
            told = next(self._work)
        if not self._cancel:
            self.status = GoalStatus.EXECUTING
        return None if told is None else self.action.shaped(told, self.action.type.feedback)

    def _end(self, bus: Bus, status: GoalStatus, result: Any, text: str) -> None:
        try:
            self.result = self.action.shaped(result, self.action.type.result)
        except AndanteError as error:
            bus.log("error", f"action {self.action.name}: its result: {error}", self.action.node)
            self.result, status, text = messages.make(self.action.type.result), GoalStatus.ABORTED, str(error)
        if self._work is not None:
            self._work.close()
        self.status, self.text, self._work = status, text, None
        if self._done is not None:
            bus._guard(self._done, self, f"done of {self.action.name}", self.action.node)


class Action:
    """An action that somebody provides."""

    def __init__(
        self, bus: Bus, name: str, type_name: str, factory: Callable[[Any], Work], node: str, policy: str
    ) -> None:
        if policy not in POLICIES:
            raise BadInput(f"action {name}: the policy is one of {', '.join(POLICIES)}, got {policy!r}")
        self._bus, self.name, self.node, self.policy = bus, name, node, policy
        self.type = messages.action(type_name)
        self._factory = factory
        self.goals: list[Goal] = []  # running first, then waiting
        self._count = 0

    def begin(self, goal: Any) -> Work:
        """The work of a goal."""
        work = self._factory(goal)
        if not isinstance(work, Generator):
            raise BusError(f"action {self.name}: its factory must return a generator, got {type(work).__name__}")
        return work

    def shaped(self, content: Any, type_name: str) -> Any:
        """A message of a message, a dictionary or None."""
        return shaped(content, type_name, f"action {self.name}")

    def send(self, goal: Any, feedback: OnFeedback, done: OnDone) -> Goal:
        """Take a goal; a running one is called off, waited for, or stands in the way, by the policy."""
        message = self.shaped(goal, self.type.goal)
        alive = [other for other in self.goals if not other.over]
        if alive and self.policy == "refuse":
            raise BusError(f"action {self.name}: is busy; cancel its goal first")
        if self.policy == "preempt":
            for other in alive:
                other.cancel("preempted by another goal")
        self._count += 1
        handle = Goal(self, self._count, message, feedback, done)
        self.goals.append(handle)
        return handle

    def advance(self) -> None:
        """Let the goal in front go on by one step; where it ends, the next one begins at once. Parallel ones all go on.

        Goals that are sent meanwhile wait for the next spin.
        """
        if self.policy == "parallel":
            for goal in list(self.goals):
                goal._advance(self._bus)
            self.goals = [goal for goal in self.goals if not goal.over]
            return
        for _ in range(len(self.goals)):
            goal = self.goals[0]
            goal._advance(self._bus)
            if not goal.over:
                return
            self.goals.remove(goal)

    def close(self) -> None:
        """Withdraw the action; its goals end as called off."""
        for goal in list(self.goals):
            goal.cancel("the action was withdrawn")
            goal._advance(self._bus)
            if not goal.over:
                goal._end(self._bus, GoalStatus.CANCELED, None, "the action was withdrawn")
        self.goals.clear()
        self._bus._actions.pop(self.name, None)
