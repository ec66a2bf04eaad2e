"""`MachineRunner`: a state machine at work, by the algorithm of SCXML (W3C Recommendation, 2015, appendix D).

A step at time t takes what has happened (ends of activities, delayed and outer events) and runs to completion: as
long as a transition without an event is enabled it is taken, then the oldest event is. From an active state the search
for a transition goes outwards, and of those that would leave the same state the inner one, then the first, is taken.
"""

from __future__ import annotations

import heapq
from collections import ChainMap, deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from andante.errors import AndanteError, BadInput
from andante.expressions import evaluate

from .language import Assignment, Call, parse_action
from .model import DONE, FAILED, PSEUDO, Kind, Machine, Transition
from .skills import Running, Skill, skill_of

MOST_MOVES = 200  # transitions of one step, beyond which a machine runs in circles
MOST_EVENTS = 1000  # that wait
DONE_INVOKE, ERROR_INVOKE, DONE_STATE = "done.invoke.", "error.invoke.", "done.state."
ERROR = "error.execution"  # a guard or an action that cannot be evaluated
OWN_NAMES = frozenset({"time", "elapsed", "event"})  # that expressions know beside variables and facts
OWN_FUNCTIONS = frozenset({"active"})
OWN_SKILLS = ("emit", "send", "log")


@dataclass(frozen=True)
class Taken:
    """A transition that was taken."""

    time: float  # [s]
    source: str
    target: str
    event: str  # that led to it, empty: none
    index: int  # of the transition in its state


class MachineRunner:
    """Runs a machine that was checked.

    Args:
        machine: what is run.
        skills: that its states call, by name.
        facts: what expressions know of the robot; asked when a name is used.
        log: takes lines about what fails.
    """

    def __init__(
        self,
        machine: Machine,
        skills: Mapping[str, Skill],
        facts: Mapping[str, Any] | None = None,
        log: Callable[[str], None] = lambda line: None,
    ) -> None:
        self.machine, self.facts, self._log = machine, facts if facts is not None else {}, log
        own = (skill_of(self.send, "emit"), skill_of(self._delay, "send"), skill_of(self._tell, "log"))
        self.skills = {**skills, **{skill.name: skill for skill in own}}
        self.variables: dict[str, Any] = dict(machine.variables)
        self.running = False
        self.outcome = ""  # the final state at the top that ended it
        self.taken: deque[Taken] = deque(maxlen=1000)
        self.count = 0  # of transitions that were taken
        self.now = 0.0  # [s]
        self._active: set[str] = set()
        self._entered: dict[str, float] = {}  # when each active state was [s]
        self._before: dict[str, frozenset[str]] = {}  # history -> states that were active
        self._tasks: dict[str, list[Running]] = {}  # state -> what it does
        self._inner: deque[tuple[str, Any]] = deque()
        self._outer: deque[tuple[str, Any]] = deque()
        self._delayed: list[tuple[float, int, str, Any]] = []
        self._sent = 0
        self._told: set[str] = set()

    # ---- what is known -----------------------------------------------------------------------------
    @property
    def active(self) -> tuple[str, ...]:
        """Active states, outer ones first."""
        return tuple(sorted(self._active, key=self.machine.order.__getitem__))

    def elapsed(self, state: str) -> float:
        """Time since an active state was entered [s]."""
        return self.now - self._entered[state]

    # ---- from outside ------------------------------------------------------------------------------
    def start(self, now: float) -> None:
        """Enter the first state at a time [s]."""
        self.now, self.running, self.outcome = now, True, ""
        self._enter("", self.machine.first(""))
        self._settle()

    def send(self, event: str, data: Any = None) -> None:
        """Let an event happen; it is heeded at the next step, or in this one where a state itself lets it happen."""
        if len(self._outer) >= MOST_EVENTS:
            raise BadInput(f"more than {MOST_EVENTS} events wait")
        self._outer.append((str(event), data))

    def step(self, now: float) -> None:
        """What is due at a time [s]."""
        if not self.running:
            return
        self.now = now
        while self._delayed and self._delayed[0][0] <= now + 1e-9:
            _, _, event, data = heapq.heappop(self._delayed)
            self._outer.append((event, data))
        for state in self.active:
            self._poll(state)
        self._settle()

    def stop(self) -> None:
        """Leave all states; what they do ends."""
        if self.running:
            self._leave(sorted(self._active, key=self.machine.order.__getitem__, reverse=True))
            self.running = False

    # ---- what states do ----------------------------------------------------------------------------
    def _poll(self, state: str) -> None:
        tasks = self._tasks.get(state)
        if not tasks:
            return
        for task in tasks:
            try:
                task.poll()
            except AndanteError as error:
                self._fail(state, str(error))
                return
        if all(task.done for task in tasks):
            self._tasks[state] = []
            self._inner.append((f"{DONE_INVOKE}{state}", None))

    def _fail(self, state: str, reason: str) -> None:
        for task in self._tasks.get(state, ()):
            task.cancel()
        self._tasks[state] = []
        self._log(f"{state}: {reason}")
        self._inner.append((f"{ERROR_INVOKE}{state}", reason))

    def _symbols(self, state: str, event: str = "", data: Any = None) -> Mapping[str, Any]:
        own = {"time": self.now, "event": {"name": event, "data": data}}
        if state in self._entered:
            own["elapsed"] = self.elapsed(state)
        return ChainMap(own, self.variables, self.facts)  # type: ignore[arg-type]

    @property
    def _functions(self) -> Mapping[str, Callable[..., Any]]:
        return {"active": lambda name: name in self._active}

    def _act(self, state: str, actions: Iterable[str], event: str = "", data: Any = None) -> None:
        """Carry out actions; one that fails is told, ends the others, and is an event."""
        try:
            for text in actions:
                action, symbols = parse_action(text), self._symbols(state, event, data)
                if isinstance(action, Assignment):
                    self.variables[action.variable] = evaluate(action.expression, symbols, {"": self._functions})
                else:
                    given, named = action.values(symbols, self._functions)
                    skill = self._skill(action)
                    skill.bind(given, named)
                    skill.run(*given, **named)
        except (AndanteError, TypeError, ValueError) as error:
            self._log(f"{state}: {error}")
            self._inner.append((ERROR, str(error)))

    def _skill(self, call: Call) -> Skill:
        if call.skill not in self.skills:
            raise BadInput(f"no skill {call.skill!r}; skills: {', '.join(sorted(self.skills))}")
        return self.skills[call.skill]

    def _begin(self, state: str) -> None:
        """Start what an entered state does."""
        tasks: list[Running] = []
        self._tasks[state] = tasks
        try:
            for text in self.machine[state].do:
                call = parse_action(text)
                if not isinstance(call, Call):
                    raise BadInput(f"{text!r} stands under do, where skills are called")
                skill = self._skill(call)
                tasks.append(Running(skill, lambda c=call: c.values(self._symbols(state), self._functions)))  # type: ignore[misc]
        except (AndanteError, TypeError, ValueError) as error:
            self._fail(state, str(error))

    def _delay(self, event: str, delay: float = 0.0) -> None:
        """Let an event happen after some seconds."""
        if len(self._delayed) >= MOST_EVENTS or not 0 <= delay < 1e9:
            raise BadInput(f"an event waits for 0 s or more, and up to {MOST_EVENTS} of them do")
        self._sent += 1
        heapq.heappush(self._delayed, (self.now + delay, self._sent, str(event), None))

    def _tell(self, text: Any) -> None:
        """Write a line into the log."""
        self._log(str(text))

    # ---- the algorithm -----------------------------------------------------------------------------
    def _settle(self) -> None:
        """Run to completion."""
        moves, at = 0, ""
        while self.running:
            event, data = "", None
            chosen = self._choose("", None)
            if not chosen:
                if not (self._inner or self._outer):
                    return
                event, data = (self._inner or self._outer).popleft()
                chosen = self._choose(event, data)
            for state, index in chosen:
                at = state
                self._move(state, self.machine[state].transitions[index], index, event, data)
            moves += len(chosen)
            if moves > MOST_MOVES:
                self.stop()
                raise BadInput(
                    f"{self.machine.name}: more than {MOST_MOVES} transitions at one instant, last from state {at!r}; "
                    "let one of them wait for an event or a time"
                )

    def _choose(self, event: str, data: Any) -> list[tuple[str, int]]:
        """Enabled transitions (state, index) of an event, or without one; of those in conflict the inner, first one."""
        found: list[tuple[str, int]] = []
        for leaf in self._leaves():
            for state in (leaf, *(name for name in self.machine.above(leaf) if name)):
                index = self._enabled(state, event, data)
                if index is not None:
                    if (state, index) not in found:
                        found.append((state, index))
                    break
        kept: list[tuple[str, int]] = []
        for state, index in found:
            exits = self._exits(state, self.machine[state].transitions[index])
            rivals = [
                other for other in kept if exits & self._exits(other[0], self.machine[other[0]].transitions[other[1]])
            ]
            if all(self.machine.inside(state, other[0]) for other in rivals):
                kept = [other for other in kept if other not in rivals] + [(state, index)]
        return kept

    def _leaves(self) -> list[str]:
        """Active states without active children, in order."""
        outer = {self.machine[name].parent for name in self._active}
        return [name for name in self.active if name not in outer]

    def _enabled(self, state: str, event: str, data: Any) -> int | None:
        for index, transition in enumerate(self.machine[state].transitions):
            if bool(transition.on) is not bool(event) or (event and not heeds(transition, state, event)):
                continue
            if transition.after is not None and self.elapsed(state) < transition.after - 1e-9:
                continue
            if not transition.when or self._holds(state, transition.when, event, data):
                return index
        return None

    def _holds(self, state: str, guard: str, event: str, data: Any) -> bool:
        try:
            return bool(evaluate(guard, self._symbols(state, event, data), {"": self._functions}))
        except AndanteError as error:  # a guard that cannot be evaluated does not hold
            text = f"{state}: {error}"
            if text not in self._told and len(self._told) < MOST_EVENTS:
                self._told.add(text)
                self._log(text)
            return False

    def _domain(self, source: str, target: str) -> str:
        """The innermost state that holds source and target and is not left ("": the top)."""
        machine = self.machine
        for outer in machine.above(source):
            if not outer or (machine.inside(target, outer) and machine[outer].kind is not Kind.PARALLEL):
                return outer
        return ""

    def _exits(self, source: str, transition: Transition) -> set[str]:
        if not transition.target:
            return set()
        domain = self._domain(source, transition.target)
        return {name for name in self._active if self.machine.inside(name, domain)}

    def _move(self, source: str, transition: Transition, index: int, event: str, data: Any) -> None:
        if source not in self._active:
            return
        leaves = sorted(self._exits(source, transition), key=self.machine.order.__getitem__, reverse=True)
        domain = self._domain(source, transition.target) if transition.target else ""
        elapsed = self._entered[source]
        self._leave(leaves)
        self._entered.setdefault(source, elapsed)
        self._act(source, transition.actions, event, data)
        if source not in self._active:
            del self._entered[source]
        self.count += 1
        self.taken.append(Taken(self.now, source, transition.target or source, event, index))
        if transition.target:
            self._enter(domain, transition.target)

    def _leave(self, states: Iterable[str]) -> None:
        """Leave states, inner ones first, and remember them for histories."""
        states = list(states)
        for name in states:
            for history in self.machine.histories(name):
                if history.kind is Kind.DEEP_HISTORY:
                    below = {leaf for leaf in self._leaves() if self.machine.inside(leaf, name)}
                else:
                    below = {child.name for child in self.machine.children(name)} & self._active
                if below:
                    self._before[history.name] = frozenset(below)
        for name in states:
            for task in self._tasks.pop(name, ()):
                task.cancel()
            self._act(name, self.machine[name].exit)
            self._active.discard(name)
            self._entered.pop(name, None)

    def _enter(self, domain: str, target: str) -> None:
        """Enter a state from the one that was not left, with all that becomes active by that."""
        wanted: set[str] = set()
        self._add(target, domain, wanted)
        for name in sorted(wanted - self._active, key=self.machine.order.__getitem__):
            self._active.add(name)
            self._entered[name] = self.now
            self._act(name, self.machine[name].entry)
            self._begin(name)
            if self.machine[name].kind is Kind.FINAL:
                self._ended(name)

    def _add(self, name: str, domain: str, wanted: set[str]) -> None:
        """A state to enter, those around it up to the domain, and those that follow from them."""
        machine, targets = self.machine, (name,)
        if machine[name].kind in PSEUDO:
            targets = tuple(self._before.get(name) or (machine[name].initial,))
        for each in targets:
            wanted.update((each, *(outer for outer in machine.above(each, domain) if outer)))
        for each in sorted(wanted, key=machine.order.__getitem__):
            self._complete(each, wanted)

    def _complete(self, name: str, wanted: set[str]) -> None:
        """Children that an entered state has active."""
        children = self.machine.children(name)
        if self.machine[name].kind is Kind.PARALLEL:
            for child in children:
                if child.name not in wanted:
                    wanted.add(child.name)
                    self._complete(child.name, wanted)
        elif children and not any(child.name in wanted for child in children):
            self._add(self.machine.first(name), name, wanted)

    def _ended(self, final: str) -> None:
        """A final state is entered: its parent is done, and a parallel one above it when all its regions are."""
        parent = self.machine[final].parent
        if not parent:
            self.outcome = final
            self.stop()
            return
        self._inner.append((f"{DONE_STATE}{parent}", None))
        outer = self.machine[parent].parent
        if (
            outer
            and self.machine[outer].kind is Kind.PARALLEL
            and all(self._finished(child.name) for child in self.machine.children(outer))
        ):
            self._inner.append((f"{DONE_STATE}{outer}", None))

    def _finished(self, name: str) -> bool:
        machine = self.machine
        if machine[name].kind is Kind.PARALLEL:
            return all(self._finished(child.name) for child in machine.children(name))
        return any(c.kind is Kind.FINAL and c.name in self._active for c in machine.children(name))


def heeds(transition: Transition, state: str, event: str) -> bool:
    """Whether an event is among those of a transition of a state."""
    for word in transition.events:
        if word == "*":
            return True
        if word == DONE:
            if event in (f"{DONE_INVOKE}{state}", f"{DONE_STATE}{state}"):
                return True
        elif word == FAILED:
            if event == f"{ERROR_INVOKE}{state}":
                return True
        else:
            plain = word.removesuffix(".*").removesuffix(".")
            if event == plain or event.startswith(f"{plain}."):
                return True
    return False
