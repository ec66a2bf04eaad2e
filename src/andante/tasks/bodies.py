"""What tasks on a real robot share: opening it, whether it may be moved, and what is told of the line to it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from andante.control.body import Body
from andante.description import Robot
from andante.errors import BadInput, Unsupported
from andante.hardware.open import SIMULATED, check_address, open_body
from andante.locomotion.io.gait_parameters import read_parameter_file
from andante.progress import on_terminal

BodyLike = Body | str
SLACK = 0.9  # of the rate that a gait needs: a measured one scatters
NEAR = 0.25  # joints further than this from where a gait begins must be brought there first [rad or m]


def is_simulated(body: BodyLike) -> bool:
    """Whether the word for a simulated body is given; refuses what is no address."""
    if isinstance(body, Body):
        return False
    check_address(body)
    return body == SIMULATED


def split_params(params: Path | str | None) -> tuple[dict[str, Any], dict[str, Any]]:
    """The table [body] of a parameter file, and the rest of it."""
    data = {} if params is None else read_parameter_file(Path(params))
    if not isinstance(data, dict):
        raise BadInput(f"{params}: parameters are lines like NAME = VALUE")
    table = data.pop("body", {})
    if not isinstance(table, dict):
        raise BadInput(f"{params}: [body] is a table of names and values")
    return table, data


@contextmanager
def opened(body: BodyLike, robot: Robot, table: Mapping[str, Any], log: Callable[[str], None] | None) -> Iterator[Body]:
    """A real body for a while; one that was opened here is closed at the end, a `Body` that was given only stopped."""
    if isinstance(body, Body):
        try:
            yield body
        finally:
            body.stop()
        return
    made = open_body(body, robot, table, log)
    try:
        yield made
    finally:
        made.close()


def require_rate(body: Body, least: float, what: str) -> None:
    """Refuse what needs to hear of the joints more often [Hz] than the body tells."""
    rate = body.link.rate
    if rate < SLACK * least:
        raise Unsupported(f"the robot tells its joints {rate:.0f} times a second, {what} needs {least:.0f}")


def require_pose(body: Body, pose: Mapping[str, float], what: str) -> None:
    """Refuse to begin far from a pose: the robot would have to jump there."""
    position = body.read().position
    off = {name: abs(position[i] - pose[name]) for i, name in enumerate(body.joint_names) if name in pose}
    unknown = [name for name, gap in off.items() if not np.isfinite(gap)]
    if unknown:
        raise BadInput(f"{body.name} does not tell where {', '.join(unknown)} are; {what} cannot begin")
    worst = max(off, key=lambda name: off[name], default="")
    if worst and off[worst] > NEAR:
        raise BadInput(
            f"{body.name} does not stand as {what} begins: {worst} is off by {off[worst]:.2f} rad; "
            "bring it there first, for example by play with a pose"
        )


def line_words(body: Body) -> str:
    """How the line to a real body is, for a progress line; empty for a simulated one."""
    if body.simulated:
        return ""
    link = body.link
    return f"{body.name} at {body.address}, {link.late} late, {link.lost} lost"


def report_log(progress: bool) -> Callable[[str], None] | None:
    """Where the lines of a connection go: to stderr beside a progress line that is wanted."""
    if not progress or on_terminal():
        return None
    return lambda words: print(f"andante: {words}", file=sys.stderr, flush=True)
