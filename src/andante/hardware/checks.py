"""`check_body`: whether a body keeps the contract. It moves nothing: it commands what is there, and stops."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from andante.control.body import Body, BodyCommand, BodyState, JointTarget
from andante.errors import AndanteError, Unsupported
from andante.physics.checks.result import CheckResult

Check: TypeAlias = Callable[[Body, Callable[[float], None]], str]  # words on what is wrong, empty: nothing


def _names(body: Body, wait: Callable[[float], None]) -> str:
    if not body.name:
        return "the body has no name"
    if len(set(body.joint_names)) != len(body.joint_names):
        return "two joints have the same name"
    return ""


def _reading(body: Body, wait: Callable[[float], None]) -> str:
    state, count = body.read(), len(body.joint_names)
    if not isinstance(state, BodyState):
        return f"read gives a {type(state).__name__}, not a BodyState"
    for name, size in (("position", count), ("velocity", count), ("effort", count), ("gyro", 3), ("acceleration", 3)):
        values: np.ndarray = getattr(state, name)
        if values.shape != (size,):
            return f"{name} has shape {values.shape}, not ({size},)"
        if np.isinf(values).any():
            return f"{name} contains infinite values"
    if not state.health.ok and not state.health.words:
        return "a body that is not healthy must give a reason"
    return ""


def _clock(body: Body, wait: Callable[[float], None]) -> str:
    before = body.read().time
    wait(0.05)
    after = body.read().time
    return "" if before < after else f"time goes from {before} to {after} s in 0.05 s"


def _holding(body: Body, wait: Callable[[float], None]) -> str:
    state = body.read()
    body.write(BodyCommand())
    held = np.flatnonzero(np.isfinite(state.position))
    if len(held):
        try:
            body.write(BodyCommand({body.joint_names[held[0]]: JointTarget(float(state.position[held[0]]))}))
        except Unsupported:  # refused by name: allowed
            return ""
    return ""


def _unknown_joint(body: Body, wait: Callable[[float], None]) -> str:
    try:
        body.write(BodyCommand({"no such joint": JointTarget()}))
    except AndanteError:
        return ""
    return "a joint that the body does not have is accepted without an error"


def _stopping(body: Body, wait: Callable[[float], None]) -> str:
    body.stop()
    body.stop()
    wait(0.05)
    body.read()
    return ""


def _closing(body: Body, wait: Callable[[float], None]) -> str:
    body.close()
    body.close()
    if body.read().health.ok:
        return "a closed body reports that it is healthy"
    try:
        body.write(BodyCommand())
    except AndanteError:
        return ""
    return "a closed body accepts commands"


CHECKS: dict[str, Check] = {
    "names": _names,
    "reading": _reading,
    "clock": _clock,
    "unknown joint": _unknown_joint,
    "stopping": _stopping,
    "holding": _holding,
    "closing": _closing,
}


def check_body(
    body: Body, wait: Callable[[float], None] | None = None, *, close: bool = True
) -> tuple[CheckResult, ...]:
    """Results of all checks. `wait` lets the body's time pass; None: its own `advance`.

    The last check closes the body; `close=False` leaves it out.
    """
    pause = wait or body.advance
    results = []
    for name, check in CHECKS.items():
        if name == "closing" and not close:
            continue
        try:
            words = check(body, pause)
        except Exception as error:
            words = f"{type(error).__name__}: {error}"
        results.append(CheckResult(name, not words, words or "as it should be"))
    return tuple(results)
