"""What is wrong with a machine before it runs: ways to nowhere, states that nothing leads to, words nobody knows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from andante.description.source import Problem, Severity, Source
from andante.errors import AndanteError
from andante.expressions import parsed

from .language import Assignment, Call, constant, names_in, parse_action, unknown_names
from .model import PSEUDO, Kind, Machine, State, Transition
from .runner import OWN_FUNCTIONS, OWN_NAMES, OWN_SKILLS
from .skills import Skill

FREE_SKILLS: Mapping[str, Callable[..., None]] = {
    "emit": lambda event, data=None: None,
    "send": lambda event, delay=0.0: None,
    "log": lambda text: None,
}
assert set(FREE_SKILLS) == set(OWN_SKILLS)


def check_machine(
    machine: Machine,
    skills: Mapping[str, Skill] | None = None,
    facts: frozenset[str] | None = None,
    robot: str = "",
) -> tuple[Problem, ...]:
    """Problems of a machine, errors first; with the skills and the names of the facts of a robot also of its words."""
    found = [*_shape(machine), *_reach(machine), *_circles(machine), *_words(machine, skills, facts)]
    if robot and machine.robot and machine.robot != robot:
        found.append(
            Problem(
                Severity.WARNING, f"{machine.name} is meant for robot {machine.robot!r}, not {robot!r}", machine.source
            )
        )
    return tuple(sorted(found, key=lambda problem: list(Severity).index(problem.severity)))


def machine_names(machine: Machine) -> frozenset[str]:
    """All names that the expressions of a machine use."""
    found: set[str] = set()
    for state in machine.states:
        actions = [*state.do, *state.entry, *state.exit, *(a for t in state.transitions for a in t.actions)]
        texts = [each for text in actions for each in parse_action(text).expressions]
        for text in (*texts, *(t.when for t in state.transitions if t.when)):
            found |= names_in(text)
    return frozenset(found)


def _error(text: str, source: Source) -> Problem:
    return Problem(Severity.ERROR, text, source)


def _shape(machine: Machine) -> Iterator[Problem]:
    """Every name that is named is there, every state may have what it has."""
    tops = {state.name for state in machine.children("")}
    if machine.initial and machine.initial not in tops:
        yield _error(f"the machine begins with {machine.initial!r}, which is no state at its top", machine.source)
    if not tops:
        yield _error("the machine has no state at its top but histories", machine.source)
    for state in machine.states:
        yield from _state_shape(machine, state)
        for index, transition in enumerate(state.transitions):
            if transition.target and transition.target not in machine.by_name:
                yield _error(
                    f"{state.name}: a transition leads to {transition.target!r}, which is no state", transition.source
                )
            if transition.after is not None and not 0 <= transition.after < 1e9:
                yield _error(f"{state.name}: after must be a time >= 0 s, got {transition.after}", transition.source)
            if not transition.target and not transition.actions:
                yield _error(f"{state.name}: a transition has neither a target nor an action", transition.source)
            if not transition.target and transition.at_once:
                yield _error(
                    f"{state.name}: a transition that stays and waits for nothing never ends", transition.source
                )
            shadow = next((t for t in state.transitions[:index] if _covers(t, transition)), None)
            if shadow is not None:
                yield Problem(
                    Severity.WARNING,
                    f"{state.name}: a transition is never taken, one before it always is",
                    transition.source,
                )


def _covers(first: Transition, later: Transition) -> bool:
    """Whether the first is taken whenever the later could be."""
    if first.when or (first.after or 0.0) > (later.after or 0.0):
        return False
    if not first.on:
        return not later.on
    return bool(later.on) and ("*" in first.events or set(later.events) <= set(first.events))


def _state_shape(machine: Machine, state: State) -> Iterator[Problem]:
    name, children = state.name, machine.children(state.name)
    lower = {child.name for child in children}
    if state.kind in PSEUDO:
        siblings = {each.name for each in machine.states if machine.inside(each.name, state.parent)}
        if state.initial not in siblings or machine[state.initial].kind in PSEUDO:
            yield _error(f"{name}: a history needs `initial`, a state beside it, for the first time", state.source)
        if not state.parent:
            yield _error(f"{name}: a history lies in a state", state.source)
        if lower or state.do or state.entry or state.exit or state.transitions:
            yield _error(f"{name}: a history has neither children nor transitions nor actions", state.source)
    elif state.kind is Kind.FINAL:
        if lower or state.transitions or state.do:
            yield _error(f"{name}: a final state has neither children nor transitions nor do", state.source)
    elif state.kind is Kind.PARALLEL:
        if state.initial:
            yield _error(f"{name}: all children of a parallel state begin; leave initial out", state.source)
        if len(lower) < 2:
            yield Problem(Severity.WARNING, f"{name}: a parallel state has two children or more", state.source)
    elif (
        state.initial
        and state.initial not in lower
        and not any(h.name == state.initial for h in machine.histories(name))
    ):
        yield _error(f"{name}: it begins with {state.initial!r}, which is no child of it", state.source)


def _reach(machine: Machine) -> Iterator[Problem]:
    """States that no way from the first one leads to."""
    reached: set[str] = set()  # states that can be active
    begun: set[tuple[str, bool]] = set()
    todo = [(machine.first(""), True)]  # and whether it is entered itself, or a state in it
    while todo:
        name, itself = todo.pop()
        if name not in machine.by_name or (name, itself) in begun:
            continue
        begun.add((name, itself))
        reached.add(name)
        state = machine[name]
        todo += [(outer, False) for outer in machine.above(name) if outer]
        if state.kind in PSEUDO:
            todo.append((state.initial, True))
        elif state.kind is Kind.PARALLEL:
            todo += [(child.name, True) for child in machine.children(name)]
        elif itself:
            todo.append((machine.first(name), True))
        todo += [(transition.target, True) for transition in state.transitions]
    for state in machine.states:
        if state.name not in reached:
            yield Problem(Severity.WARNING, f"nothing leads to state {state.name!r}", state.source)


def _circles(machine: Machine) -> Iterator[Problem]:
    """Rounds of transitions that wait for nothing."""
    ways: dict[str, tuple[str, Source]] = {}
    for state in machine.states:
        for transition in state.transitions:
            if transition.at_once and transition.target in machine.by_name:
                ways[state.name] = (transition.target, transition.source)
                break
    told: set[str] = set()
    for start in ways:
        seen, name = [start], start
        while True:
            name = next((each for each in _entered(machine, ways[name][0]) if each in ways), "")
            if not name or name in told:
                break
            if name in seen:
                ring = seen[seen.index(name) :]
                told.update(ring)
                yield _error(
                    f"{' -> '.join([*ring, name])} goes round without waiting; let it wait for an event, guard or time",
                    ways[ring[0]][1],
                )
                break
            seen.append(name)


def _entered(machine: Machine, target: str) -> Iterator[str]:
    """States that are active after a target was entered, inner ones first as far as they are sure."""
    chain = [target]
    while (child := machine.first(chain[-1])) in machine.by_name and machine[chain[-1]].kind is Kind.STATE:
        chain.append(child)
    yield from reversed(chain)
    yield from (outer for outer in machine.above(target) if outer)


def _words(machine: Machine, skills: Mapping[str, Skill] | None, facts: frozenset[str] | None) -> Iterator[Problem]:
    """Texts that cannot be parsed, and with skills and facts also names that nobody knows."""
    known = OWN_NAMES | frozenset(machine.variables) | (facts or frozenset())
    every = None if skills is None else {**skills, **{name: Skill(name, run) for name, run in FREE_SKILLS.items()}}

    def expression(text: str, where: str, source: Source) -> Iterator[Problem]:
        try:
            parsed(text.strip())
            missing = unknown_names(text, known, OWN_FUNCTIONS) if facts is not None else ()
        except AndanteError as error:
            yield _error(f"{where}: {error}", source)
            return
        for name in missing:
            choices = ", ".join(sorted(known))
            yield _error(f"{where}: nothing is called {name}; known are {choices}", source)

    def action(text: str, where: str, source: Source, doing: bool) -> Iterator[Problem]:
        try:
            made = parse_action(text)
        except AndanteError as error:
            yield _error(f"{where}: {error}", source)
            return
        for each in made.expressions:
            yield from expression(each, where, source)
        if isinstance(made, Assignment):
            if doing:
                yield _error(f"{where}: {text!r} is no skill; assignments stand under entry, exit and actions", source)
            elif made.variable not in machine.variables:
                yield _error(f"{where}: {made.variable!r} is no variable of the machine; give it a first value", source)
        elif every is not None:
            yield from _call_problems(made, every, where, source, doing)

    for state in machine.states:
        for text in state.do:
            yield from action(text, state.name, state.source, True)
        for text in (*state.entry, *state.exit):
            yield from action(text, state.name, state.source, False)
        for transition in state.transitions:
            where = f"{state.name} -> {transition.target or state.name}"
            if transition.when:
                yield from expression(transition.when, where, transition.source)
            for text in transition.actions:
                yield from action(text, where, transition.source, False)


def _call_problems(
    call: Call, skills: Mapping[str, Skill], where: str, source: Source, doing: bool
) -> Iterator[Problem]:
    skill = skills.get(call.skill)
    if skill is None:
        yield _error(f"{where}: no skill {call.skill!r}; skills: {', '.join(sorted(skills))}", source)
        return
    if skill.takes_time and not doing:
        yield _error(f"{where}: {call.skill} takes time; call it under do of a state", source)
    try:
        values = [constant(text) for text in call.arguments]
        named = {name: constant(text) for name, text in call.named}
        skill.bind(values, named)
        if skill.check is not None:
            skill.check(*values, **named)
    except AndanteError as error:
        yield _error(f"{where}: {error}", source)
