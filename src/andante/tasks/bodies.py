"""What tasks on a real robot share: opening it, whether it may be moved, and what is told of the line to it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from andante import hardware
from andante.compiling.ahead import compile_ahead
from andante.control.body import Body
from andante.control.start import START, StartSettings
from andante.description import Robot
from andante.errors import BadInput
from andante.hardware.address import SIMULATED, check_address
from andante.locomotion import FallRules
from andante.locomotion.io.gait_parameters import read_parameter_file
from andante.mobile.navigate_settings import TABLES
from andante.physics import RobotParameters
from andante.progress import on_terminal
from andante.settings import settings_from
from andante.simulation import FallRule, Simulation
from andante.tasks.ros_files import is_ros_file, left_out, read_ros

BodyLike = Body | str
T = TypeVar("T")


def is_simulated(body: BodyLike) -> bool:
    """Whether the word for a simulated body is given; refuses what is no address."""
    if isinstance(body, Body):
        return False
    check_address(body)
    return body == SIMULATED


@dataclass(frozen=True)
class Params:
    """A parameter file in its parts."""

    path: str
    body: dict[str, Any]  # the table [body]
    start: StartSettings
    falls: FallRules
    robot: RobotParameters  # the table [robot]
    rest: dict[str, Any]  # what nobody has taken yet
    unmatched: tuple[str, ...] = ()  # names of a parameter file of ROS that have no counterpart

    @property
    def warnings(self) -> tuple[str, ...]:
        """What of the file does not count, in words."""
        return left_out(self.path, self.unmatched)

    def settings(self, name: str, base: T) -> T:
        """Settings with the values of their table, which leaves the rest."""
        return settings_from(base, _table(self.rest, name, self.path), f"{self.path}: [{name}] parameter")


def read_params(path: Path | str | None, flat: str = "") -> Params:
    """The parts of a parameter file; empty without one.

    Args:
        path: the file; None: there is none.
        flat: the table whose names stand at the top of files of ours; of a file of ROS it alone counts.
    """
    unmatched: tuple[str, ...] = ()
    if path is not None and is_ros_file(Path(path)):
        made = read_ros(Path(path)).only(*((flat,) if flat else (*TABLES, "arrival")))
        data: Any = made.tables.get(flat, {}) if flat else made.tables
        unmatched = made.unmatched
    else:
        data = {} if path is None else read_parameter_file(Path(path))
    if not isinstance(data, dict):
        raise BadInput(f"{path}: parameters are lines like NAME = VALUE")
    changes = RobotParameters.of(_table(data, "robot", path), str(path))
    given = Params(str(path), _table(data, "body", path), START, FallRules(), changes, data, unmatched)
    start, falls = given.settings("start", given.start), given.settings("falls", given.falls)
    return replace(given, start=start, falls=falls)


def _table(data: dict[str, Any], name: str, path: Path | str | None) -> dict[str, Any]:
    table = data.pop(name, {})
    if not isinstance(table, dict):
        raise BadInput(f"{path}: [{name}] is a table of names and values")
    return table


def with_sensors(
    table: Mapping[str, Any], lidar: str, uwb: str = "", anchors: Path | str | None = None
) -> dict[str, Any]:
    """The table [body] with the lidar, the UWB tags and the file of anchors that were named beside it."""
    named = {"lidar": lidar, "uwb": uwb, "anchors": "" if anchors is None else str(anchors)}
    return {**table, **{name: value for name, value in named.items() if value}}


@contextmanager
def opened(body: BodyLike, robot: Robot, table: Mapping[str, Any], log: Callable[[str], None] | None) -> Iterator[Body]:
    """A real body for a while; one that was opened here is closed at the end, a `Body` that was given only stopped."""
    if isinstance(body, Body):
        try:
            yield body
        finally:
            body.stop()
        return
    compile_ahead()
    made = hardware.open_body(body, robot, table, log)
    try:
        yield made
    finally:
        made.close()


def judge_falls(body: Body, rules: FallRules) -> None:
    """Let a simulation tell by these rules whether its robot has fallen."""
    if isinstance(body, Simulation):
        body.fall_rule = FallRule(rules.lying, rules.height_fraction)


def line_words(body: Body) -> str:
    """How the line to a real body is, for a progress line; empty for a simulated one."""
    if body.simulated:
        return ""
    link = body.link
    return f"{body.name} at {body.address}, {link}"


def report_log(progress: bool) -> Callable[[str], None] | None:
    """Where the lines of a connection go: to stderr beside a progress line that is wanted."""
    if not progress or on_terminal():
        return None
    return lambda words: print(f"andante: {words}", file=sys.stderr, flush=True)
