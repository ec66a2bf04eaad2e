"""Launch files: one TOML file says what starts. `name:=value` changes a value; errors name file, line and key.

robot = "nao"
world = "lab"

[server]
port = 8642

[[then]]
at = 2.0
do = "play wave_hand"
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from andante.description.solver import solver_settings
from andante.errors import AndanteError, BadInput
from andante.files import read_text
from andante.hardware.address import SIMULATED, check_address
from andante.locomotion import FallRules
from andante.parsing import key_lines, line_of, parse_toml
from andante.settings import DEFAULT_ENGINE, DEFAULT_ROBOT, DEFAULT_WORLD, renamed


@dataclass(frozen=True)
class ServerPlan:
    """The web server: page and rosbridge."""

    port: int = 0
    host: str = "127.0.0.1"
    token: str = ""
    browser: bool = False


@dataclass(frozen=True)
class RecordPlan:
    """What is recorded from the start to the end."""

    name: str = ""
    topics: tuple[str, ...] = ()
    format: str = "mcap"


@dataclass(frozen=True)
class NavigationPlan:
    """A map for the robot, or that it makes one, and a goal at the start."""

    map: str = ""
    goal: tuple[float, ...] = ()  # x, y [m], yaw [deg]
    mapping: bool = False  # the map grows while the robot moves
    explore: bool = False  # ... which it does by itself


@dataclass(frozen=True)
class RobotPlan:
    """One more robot."""

    robot: str = ""
    name: str = ""  # empty: as the robot with a number
    start: tuple[float, ...] = (0.0, 0.0, 0.0)  # x, y [m], yaw [deg]
    gait: str = ""
    pose: str = ""
    behaviour: str = ""
    goal: tuple[float, ...] = ()  # x, y [m], yaw [deg]


@dataclass(frozen=True)
class BodyPlan:
    """What is moved: sim, or a real robot at an address."""

    address: str = SIMULATED
    options: Mapping[str, Any] = field(default_factory=dict)  # names and times of the line, as [body] of `--params`


@dataclass(frozen=True)
class ThenPlan:
    """A line of the terminal at a time."""

    at: float = 0.0  # [s] after the start
    do: str = ""


@dataclass(frozen=True)
class LaunchPlan:
    """Everything that a launch file can say."""

    robot: str = DEFAULT_ROBOT
    world: str = DEFAULT_WORLD
    engine: str = DEFAULT_ENGINE
    gait: str = ""
    pose: str = ""
    start: tuple[float, ...] = (0.0, 0.0, 0.0)  # x, y [m], yaw [deg]
    seed: int = 0
    dt: float = 0.0  # [s]; 0: that of [solver] or of the world up to 0.002, else 0.002
    speed: float = 60.0  # percent, for keys
    realtime: bool = True
    paused: bool = False
    seconds: float = 0.0  # of simulated time; 0: until somebody ends it
    behaviour: str = ""
    body: BodyPlan = BodyPlan()
    folder: str = ""  # of recordings, clips and studies; empty: andante_sessions beside the file
    arguments: Mapping[str, str] = field(default_factory=dict)  # of the robot's file
    parameters: Mapping[str, Any] = field(default_factory=dict)
    solver: Mapping[str, Any] = field(default_factory=dict)  # settings of the solver: iterations, erp ...
    bridges: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)  # further ones by name
    server: ServerPlan | None = None
    record: RecordPlan | None = None
    navigation: NavigationPlan | None = None
    falls: FallRules | None = None
    robots: tuple[RobotPlan, ...] = ()  # more of them
    then: tuple[ThenPlan, ...] = ()
    source: str = ""


PARTS: dict[str, type] = {"server": ServerPlan, "record": RecordPlan, "navigation": NavigationPlan, "falls": FallRules}
TABLES = ("arguments", "parameters", "solver", "bridges")
NAMES = tuple(each.name for each in fields(LaunchPlan) if each.name != "source")


class _Where:
    """Where keys stand in the text, and which were given on the command line."""

    def __init__(self, file: str, text: str, overridden: Mapping[str, str]) -> None:
        self._file, self._lines, self._overridden = file, key_lines(text), overridden

    def __call__(self, *path: str | int) -> str:
        name = ".".join(str(part) for part in path)
        if name in self._overridden or (len(path) > 1 and str(path[0]) in self._overridden):
            return f"{self._overridden.get(name, name)}: "
        line = line_of(self._lines, name)
        return f"{self._file}:{line}: " if line else f"{self._file}: "


def read_launch(path: Path | str, overrides: Sequence[str] = ()) -> LaunchPlan:
    """The plan of a launch file with `name:=value` words laid over it."""
    file = Path(path)
    text = read_text(file)
    try:
        table = parse_toml(text)
    except ValueError as error:
        place = re.search(r"line (\d+)", str(error))
        raise BadInput(f"{file}{f':{place.group(1)}' if place else ''}: not valid TOML: {error}") from None
    return launch_plan(table, str(file), text, overrides)


def launch_plan(table: dict[str, Any], file: str, text: str = "", overrides: Sequence[str] = ()) -> LaunchPlan:
    """The plan of a table."""
    overridden: dict[str, str] = {}
    for word in overrides:
        _lay_over(table, word, overridden)
    where = _Where(file, text, overridden)
    if "place" in table:
        table[renamed(f"{where('place')}key", "place", "start")] = table.pop("place")
    _known(table, NAMES, where)
    values: dict[str, Any] = {}
    for each in fields(LaunchPlan):
        if each.name not in table:
            continue
        given = table[each.name]
        if each.name in PARTS:
            if given is not False:
                values[each.name] = _part(PARTS[each.name], given, where, each.name)
        elif each.name == "body":
            values["body"] = _body(given, where)
        elif each.name == "then":
            values["then"] = _then(given, where)
        elif each.name == "robots":
            values["robots"] = _robots(given, where)
        elif each.name in TABLES:
            values[each.name] = _table(given, where, each.name)
        else:
            values[each.name] = _value(given, getattr(LaunchPlan, each.name, ""), where, (each.name,))
    if "arguments" in values:
        values["arguments"] = {name: str(value) for name, value in values["arguments"].items()}
    plan = LaunchPlan(**values, source=file)
    _check(plan, where)
    return plan


def _check(plan: LaunchPlan, where: _Where) -> None:
    if len(plan.start) != 3:
        raise BadInput(f"{where('start')}start is [x, y, yaw] in m, m and degrees, got {list(plan.start)}")
    if not 0 < plan.speed <= 100:
        raise BadInput(f"{where('speed')}speed is a percentage above 0 and up to 100, got {plan.speed:g}")
    if not 0 <= plan.seconds <= 1e6:
        raise BadInput(f"{where('seconds')}seconds must lie between 0 and 1e6, got {plan.seconds:g}")
    if plan.navigation is not None and len(plan.navigation.goal) not in (0, 2, 3):
        raise BadInput(f"{where('navigation', 'goal')}goal is [x, y] or [x, y, yaw], got {list(plan.navigation.goal)}")
    if plan.record is not None and plan.record.format not in ("mcap", "bag"):
        raise BadInput(f"{where('record', 'format')}format is mcap or bag, got {plan.record.format!r}")
    if plan.server is not None and not 0 <= plan.server.port <= 65535:
        raise BadInput(f"{where('server', 'port')}port is 0 to 65535, got {plan.server.port}")


def _lay_over(table: dict[str, Any], word: str, overridden: dict[str, str]) -> None:
    """Put `name:=value` or `section.name:=value` into the table; values are TOML, anything else a text."""
    name, sign, value = word.partition(":=")
    path = name.split(".") if "/" not in name else ["parameters", name]
    if not sign or not all(path) or not re.fullmatch(r"[\w./\-]+", name):
        raise BadInput(f"argument {word!r} should look like name:=value or section.name:=value")
    try:
        read: Any = parse_toml(f"value = {value}")["value"]
    except ValueError:
        read = value
    place = table
    for part in path[:-1]:
        inner = place.setdefault(part, {})
        if inner is False:
            inner = place[part] = {}
        if not isinstance(inner, dict):
            raise BadInput(f"argument {word!r}: {part} is not a section")
        place = inner
    place[path[-1]] = read
    overridden[".".join(path)] = f"argument {word!r}"


def _known(table: Mapping[str, Any], names: Sequence[str], where: _Where, *above: str | int) -> None:
    for key in table:
        if key not in names:
            place = f" in [{above[0]}]" if above else ""
            raise BadInput(f"{where(*above, key)}no key {key!r}{place}; choices: {', '.join(names)}")


def _part(kind: type, given: Any, where: _Where, name: str, *more: int) -> Any:
    if given is True:
        given = {}
    if not isinstance(given, dict):
        raise BadInput(f"{where(name)}{name} is a section [{name}], got {given!r}")
    known = {each.name: each.default for each in fields(kind)}
    _known(given, tuple(known), where, name, *more)
    values = {key: _value(value, known[key], where, (name, *more, key)) for key, value in given.items()}
    try:
        return kind(**values)
    except BadInput as error:
        raise BadInput(f"{where(name)}{error}") from None


def _body(given: Any, where: _Where) -> BodyPlan:
    """A text is an address; a section has it beside what `[body]` of parameter files has."""
    options = dict(given) if isinstance(given, dict) else {"address": given}
    address = options.pop("address", None)
    if not isinstance(address, str):
        raise BadInput(f"{where('body')}body is an address, or a section [body] with one, got {given!r}")
    try:
        check_address(address)
    except BadInput as error:
        raise BadInput(f"{where('body')}{error}") from None
    return BodyPlan(address, options)


def _robots(given: Any, where: _Where) -> tuple[RobotPlan, ...]:
    made: list[RobotPlan] = _sections(RobotPlan, given, where, "robots", "robot, name and start")
    for k, entry in enumerate(made):
        if not entry.robot:
            raise BadInput(f"{where('robots', k)}every [[robots]] needs robot, a name or a file")
        if len(entry.start) != 3:
            raise BadInput(f"{where('robots', k, 'start')}start is [x, y, yaw] in m, m and degrees")
        if len(entry.goal) not in (0, 2, 3):
            raise BadInput(f"{where('robots', k, 'goal')}goal is [x, y] or [x, y, yaw], got {list(entry.goal)}")
    names = [entry.name for entry in made if entry.name]
    for k, entry in enumerate(made):
        if entry.name and names.count(entry.name) > 1:
            raise BadInput(f"{where('robots', k, 'name')}two robots are called {entry.name!r}; give them other names")
    return tuple(made)


def _sections(kind: type, given: Any, where: _Where, name: str, keys: str) -> list[Any]:
    if not isinstance(given, list) or not all(isinstance(entry, dict) for entry in given):
        raise BadInput(f"{where(name)}{name} is written as [[{name}]] sections with {keys}")
    return [_part(kind, entry, where, name, k) for k, entry in enumerate(given)]


def _then(given: Any, where: _Where) -> tuple[ThenPlan, ...]:
    made: list[ThenPlan] = _sections(ThenPlan, given, where, "then", "at and do")
    for k, entry in enumerate(made):
        if not entry.do:
            raise BadInput(f"{where('then', k)}every [[then]] needs do, a line of the terminal")
        if not 0 <= entry.at <= 1e6:
            raise BadInput(f"{where('then', k, 'at')}at is a time of 0 s or more, got {entry.at:g}")
    return tuple(sorted(made, key=lambda entry: entry.at))


def _table(given: Any, where: _Where, name: str) -> dict[str, Any]:
    if not isinstance(given, dict):
        raise BadInput(f"{where(name)}{name} is a section [{name}], got {given!r}")
    if name == "bridges":
        for key, entry in given.items():
            if not isinstance(entry, dict) and entry is not True:
                raise BadInput(f"{where(name, key)}a bridge is a section [bridges.{key}] or true, got {entry!r}")
        return {key: {} if entry is True else entry for key, entry in given.items()}
    if name == "solver":
        for key, value in given.items():
            try:
                solver_settings({key: value})
            except AndanteError as error:
                raise BadInput(f"{where(name, key)}{error}") from None
    return given


def _value(given: Any, like: Any, where: _Where, path: tuple[str | int, ...]) -> Any:
    """A value in the type of the default."""
    name = path[-1]
    if isinstance(like, tuple):
        numbers = name in ("start", "goal")
        fits = (int, float) if numbers else (str,)
        if isinstance(given, list) and all(isinstance(v, fits) and not isinstance(v, bool) for v in given):
            return tuple(float(v) for v in given) if numbers else tuple(given)
        wanted = f"a list of {'numbers' if numbers else 'texts'}"
    elif isinstance(like, bool | str):
        if isinstance(given, type(like)):
            return given
        wanted = "true or false" if isinstance(like, bool) else "a text"
    elif isinstance(given, bool) or not isinstance(given, int | float) or not math.isfinite(given):
        wanted = "a number"
    elif isinstance(like, float) or float(given).is_integer():
        return type(like)(given)
    else:
        wanted = "a whole number"
    raise BadInput(f"{where(*path)}{name} is {wanted}, got {given!r}")
