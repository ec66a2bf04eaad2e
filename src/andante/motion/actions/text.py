"""The text format of actions, one thing per line, `#` begins a comment, indentation is for the eye:

robot crab
group front = base_link -> lower_foot_1 hold fold     # base link -> tip link, joints that stay as they are
group leg.{1..6} = lower_coxa_{} -> lower_foot_{}     # six groups; {2,4} lists
group body = base_link on lower_foot_{1..6} hold fold # the body over feet that stay where they are

action greet priority 2 loop 3 preempted resume       # loop forever; preempted end (the default)
  parameter height = 0.04                             # [m]; defaults may use parameters above
  step up repeat 2
    leg.{1,4} in 0.6 by 0 0 height                    # relative to where the tip is
    front at 0.5 to 0.2 0 -0.05 ; 0.22 0 _ nan 0.3 _  # control points x y z yaw pitch roll; _ = free; at: speed
    joint neck in 0.5 to 0.4 ; 0.1
    pose stand in 1.0
    wait 0.2
  do other height=height/2                            # another action as a step

A value is an expression without spaces, or one in parentheses.
"""

from __future__ import annotations

import re
from dataclasses import replace

from andante.description.source import Source
from andante.errors import BadInput

from .model import PREEMPTED, Action, ActionSet, Atomic, Call, Group, Reach, Step, Take, Turn, Value, Wait

MAX_LINES = 100_000
MAX_FAMILY = 64
STARTS = ("robot", "group", "action", "parameter", "step", "do", "joint", "pose", "wait")
BRACES = re.compile(r"\{([^{}]*)\}")


def parse_actions(text: str, file: str = "") -> ActionSet:
    """Actions and groups of a text; errors name file and line."""
    parser = _Parser(file)
    lines = text.splitlines()
    if len(lines) > MAX_LINES:
        raise BadInput(f"{file}: {len(lines)} lines; at most {MAX_LINES} are read")
    for number, line in enumerate(lines, 1):
        parser.read(line, Source(file, number))
    return parser.finish()


class _Parser:
    def __init__(self, file: str) -> None:
        self.source = Source(file)
        self.robot = ""
        self.groups: dict[str, Group] = {}
        self.actions: dict[str, Action] = {}

    def read(self, line: str, source: Source) -> None:
        words = split_words(line.partition("#")[0], source)
        if not words:
            return
        match words[0]:
            case "robot":
                self.robot = _only(words, source)
            case "group":
                self._group(words, source)
            case "action":
                self._action(words, source)
            case "parameter":
                self._parameter(words, source)
            case "step":
                self._step(words, source)
            case "do":
                self._do(words, source)
            case _:
                self._atomic(words, source)

    def finish(self) -> ActionSet:
        return ActionSet(self.actions, self.groups, self.robot, self.source)

    def _group(self, words: list[str], source: Source) -> None:
        wanted = "group NAME = BASE_LINK -> TIP_LINK [hold JOINT ...], or: group NAME = BODY_LINK on FOOT_LINK ..."
        if len(words) < 6 or words[2] != "=" or words[4] not in ("->", "on"):
            raise BadInput(f"{source}: a group looks like: {wanted}")
        cut = words.index("hold") if "hold" in words else len(words)
        ends, held = words[5:cut], words[cut + 1 :]
        if not ends or (words[4] == "->" and len(ends) > 1):
            raise BadInput(f"{source}: a group looks like: {wanted}")
        if cut == len(words) - 1:
            raise BadInput(f"{source}: hold needs the names of joints")
        for name, member in family(words[1], source):
            if name in self.groups:
                raise BadInput(f"{source}: group {name!r} is defined twice")
            if name in STARTS:
                raise BadInput(f"{source}: {name!r} is a word of the format and cannot name a group")
            base, *hold = (word.replace("{}", member) for word in (words[3], *held))
            if words[4] == "on":
                feet = tuple(foot for word in ends for foot, _ in family(word, source))
                self.groups[name] = Group(name, base, "", tuple(hold), feet, source)
            else:
                self.groups[name] = Group(name, base, ends[0].replace("{}", member), tuple(hold), (), source)

    def _action(self, words: list[str], source: Source) -> None:
        if len(words) < 2:
            raise BadInput(f"{source}: an action needs a name, like: action wave priority 1")
        name, rest = words[1], words[2:]
        if name in self.actions:
            raise BadInput(f"{source}: action {name!r} is defined twice")
        options = _pairs(rest, ("priority", "loop", "preempted"), source)
        try:
            priority = int(options.get("priority", "0"))
        except ValueError:
            raise BadInput(f"{source}: priority must be a whole number, got {options['priority']!r}") from None
        preempted = options.get("preempted", "end")
        if preempted not in PREEMPTED:
            raise BadInput(f"{source}: preempted must be {' or '.join(PREEMPTED)}, got {preempted!r}")
        self.actions[name] = Action(name, (), {}, priority, options.get("loop", "1"), preempted, source)
        self.current = name

    def _parameter(self, words: list[str], source: Source) -> None:
        action = self._open(source)
        if len(words) < 4 or words[2] != "=" or not words[1].isidentifier():
            raise BadInput(f"{source}: a parameter looks like: parameter NAME = VALUE")
        if words[1] in action.parameters:
            raise BadInput(f"{source}: parameter {words[1]!r} is defined twice")
        if action.steps:
            raise BadInput(f"{source}: parameters stand before the first step of an action")
        self._put(replace(action, parameters={**action.parameters, words[1]: " ".join(words[3:])}))

    def _step(self, words: list[str], source: Source) -> None:
        action = self._open(source)
        rest = words[1:]
        name = rest.pop(0) if rest and rest[0] != "repeat" else f"step {len(action.steps) + 1}"
        options = _pairs(rest, ("repeat",), source)
        self._put(replace(action, steps=(*action.steps, Step(name, (), options.get("repeat", 1), source))))

    def _do(self, words: list[str], source: Source) -> None:
        action = self._open(source)
        if len(words) < 2:
            raise BadInput(f"{source}: do needs the name of an action, like: do wave height=0.1")
        arguments: dict[str, Value] = {}
        for word in words[2:]:
            name, sign, value = word.partition("=")
            if not sign or not name.isidentifier() or not value:
                raise BadInput(f"{source}: an argument looks like NAME=VALUE without spaces, got {word!r}")
            arguments[name] = value
        self._put(replace(action, steps=(*action.steps, Call(words[1], arguments, source))))

    def _atomic(self, words: list[str], source: Source) -> None:
        action = self._open(source)
        if not action.steps or isinstance(action.steps[-1], Call):
            raise BadInput(f"{source}: {words[0]!r} stands outside a step; begin one with a line like: step up")
        step = action.steps[-1]
        made = tuple(read_atomics(words, source))
        self._put(replace(action, steps=(*action.steps[:-1], replace(step, atomics=(*step.atomics, *made)))))

    def _open(self, source: Source) -> Action:
        if not self.actions:
            raise BadInput(f"{source}: this stands outside an action; begin one with a line like: action wave")
        return self.actions[self.current]

    def _put(self, action: Action) -> None:
        self.actions[action.name] = action


def read_atomics(words: list[str], source: Source) -> list[Atomic]:
    """Atomic actions of one line; a family of groups or joints gives several."""
    kind = words[0]
    if kind == "wait":
        return [Wait(_only(words, source), source)]
    if kind in ("joint", "pose"):
        if len(words) < 2:
            raise BadInput(f"{source}: {kind} needs a name")
        names, rest = words[1], words[2:]
    else:
        names, rest = words[0], words[1:]
    duration: Value | None = None
    speed: Value = 0.5
    while len(rest) >= 2 and rest[0] in ("in", "at"):
        if rest[0] == "in":
            duration = rest[1]
        else:
            speed = rest[1]
        rest = rest[2:]
    if kind == "pose":
        if rest:
            raise BadInput(f"{source}: a pose looks like: pose NAME in SECONDS, or: pose NAME at SPEED")
        return [Take(names, duration, speed, source)]
    if not rest or rest[0] not in ("to", "by") or len(rest) < 2:
        start = f"joint {names}" if kind == "joint" else names
        raise BadInput(
            f"{source}: {start!r} should go on with: [in SECONDS | at SPEED] to POINT ; POINT ... "
            f"(or: by, for relative ones); lines begin with {', '.join(STARTS)} or a group"
        )
    points = _points(rest[1:], source)
    relative = rest[0] == "by"
    if kind == "joint":
        if any(len(point) != 1 for point in points):
            raise BadInput(f"{source}: a joint takes one number per point; separate points by ;")
        way = tuple(point[0] for point in points)
        return [Turn({name: way for name, _ in family(names, source)}, duration, speed, relative, source)]
    return [Reach(name, points, duration, speed, relative, source) for name, _ in family(names, source)]


def family(name: str, source: Source) -> list[tuple[str, str]]:
    """Names that a word with {1..6} or {a,b} stands for, each with what fills the braces; a plain name stands alone."""
    found = BRACES.search(name)
    if found is None:
        return [(name, "")]
    inside = found.group(1)
    ends = re.fullmatch(r"(\d{1,6})\.\.(\d{1,6})", inside)
    if ends is not None:
        first, last = int(ends.group(1)), int(ends.group(2))
        if not 0 <= last - first < MAX_FAMILY:
            raise BadInput(f"{source}: {{{inside}}} should count up by at most {MAX_FAMILY}")
        members = [str(k) for k in range(first, last + 1)]
    else:
        members = [part.strip() for part in inside.split(",")]
    if not all(members) or len(set(members)) != len(members):
        raise BadInput(f"{source}: {name!r} should hold a range like {{1..6}} or a list like {{1,4}}")
    return [(name[: found.start()] + member + name[found.end() :], member) for member in members]


def split_words(line: str, source: Source) -> list[str]:
    """Words of a line; spaces inside brackets do not separate, `;` always stands alone."""
    words, word, depth = [], "", 0
    for char in line:
        if char in "([{":
            depth += 1
        elif char in ")]}":
            depth -= 1
            if depth < 0:
                raise BadInput(f"{source}: a bracket is closed that was not opened")
        if depth == 0 and (char.isspace() or char == ";"):
            if word:
                words.append(word)
            if char == ";":
                words.append(";")
            word = ""
        else:
            word += char
    if depth:
        raise BadInput(f"{source}: a bracket is not closed")
    return [*words, word] if word else words


def _points(words: list[str], source: Source) -> tuple[tuple[Value, ...], ...]:
    points: list[tuple[Value, ...]] = []
    point: list[Value] = []
    for word in [*words, ";"]:
        if word != ";":
            point.append(word)
            continue
        if not point:
            raise BadInput(f"{source}: there is a ; without a point before it")
        points.append(tuple(point))
        point = []
    return tuple(points)


def _only(words: list[str], source: Source) -> str:
    if len(words) != 2:
        raise BadInput(f"{source}: {words[0]} takes one word, got {len(words) - 1}")
    return words[1]


def _pairs(words: list[str], known: tuple[str, ...], source: Source) -> dict[str, str]:
    if len(words) % 2 or any(word not in known for word in words[::2]):
        raise BadInput(
            f"{source}: expected {', '.join(f'{name} VALUE' for name in known)}, got {' '.join(words)[:60]!r}"
        )
    return dict(zip(words[::2], words[1::2], strict=True))
