"""`check_engine`: whether an engine keeps the contract, measured against analysis, not against other engines.

What an engine may keep less well it states by class attributes of `Engine`:

| attribute | default | meaning |
|---|---|---|
| `restore_tolerance` | 1e-9 | largest difference of any pose or velocity 100 steps after `restore` |
| `energy_tolerance` | 0.02 | largest change of a double pendulum's energy in 5 s at 1 ms, relative to its swing |
| `sole_tolerance` | 0.02 | how far pressure and tipping of soles of many corners are off, of length or moment |
| `rigid_servos` | False | position servos are velocity constraints: they may sag less than load / kp |
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from andante.errors import UnknownName
from andante.physics.engine import Engine
from andante.physics.registry import engine_class

from .joints import JOINTS
from .loops import LOOPS
from .motion import MOTION
from .result import Check, CheckResult
from .scene import SCENE
from .soles import SOLES

CHECKS: Mapping[str, Check] = {**MOTION, **JOINTS, **LOOPS, **SCENE, **SOLES}

__all__ = ["CHECKS", "Check", "CheckResult", "check_engine"]


def check_engine(
    engine: type[Engine] | Engine | str, only: str | Iterable[str] | None = None
) -> tuple[CheckResult, ...]:
    """Results of all checks, or of those named in `only`, for an engine given by class, instance or name.

    An exception inside a check is a failed check; its message holds the exception.

    Args:
        engine: class, instance or registered name.
        only: names of the checks to run; all of `CHECKS` by default.

    Returns:
        A result per check: name, whether it passed, and what was measured.
    """
    if isinstance(engine, str):
        kind = engine_class(engine)
    else:
        kind = engine if isinstance(engine, type) else type(engine)
    names = list(CHECKS) if only is None else [only] if isinstance(only, str) else list(only)
    UnknownName.check("check", names, CHECKS)
    return tuple(_run(name, CHECKS[name], kind) for name in names)


def _run(name: str, check: Check, engine: type[Engine]) -> CheckResult:
    try:
        return check(engine)
    except Exception as error:
        return CheckResult(name, False, f"{type(error).__name__}: {error}")
