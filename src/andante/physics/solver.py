"""Which step and solver an engine runs with: explicit settings first, then the world's, then the engine's own.

A world's step counts where it is no longer than the usual one; a longer one is told and not taken, since robots are
controlled at the usual one. One that does not divide the control period is shortened to the next that does.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from andante.description.joint import JointType
from andante.description.link import Surface
from andante.description.robot import Robot
from andante.description.solver import KNOWN, PREFIX, SolverSettings, listed
from andante.description.source import Problem, Severity
from andante.description.world import World
from andante.errors import AndanteError, BadInput

from .registry import ENGINES, EngineEntry, engine_class, installed
from .state import Settings

if TYPE_CHECKING:
    from .engine import Engine

CONTROL_PERIOD = 0.01  # which steps divide [s]
USUAL = Settings()
COMMON = ("dt", "friction")  # settings that every engine has
FRICTION = ("mu",)  # and of a surface
SURFACES = {
    "mu": "friction coefficient",
    "mu2": "friction coefficient across fdir1",
    "torsional": "friction against turning on the spot",
    "rolling": "friction against rolling",
    "restitution": "bounce",
    "kp": "stiffness of the contact [N/m]",
    "kd": "damping of the contact [N s/m]",
    "max_velocity": "fastest that bodies are parted [m/s]",
    "min_depth": "depth that is left alone [m]",
    "fdir1": "first friction direction",
    "slip1": "slip per force along fdir1 [m/s/N]",
    "slip2": "slip per force across it [m/s/N]",
    "solref": "time constant and damping of the contact",
    "solimp": "impedance of the contact",
    "margin": "distance at which contacts are found [m]",
    "gap": "part of the margin without force [m]",
}


def world_step(asked: float | None) -> float:
    """The step [s] where a world asks for one and nobody else does: h <= asked, a whole fraction of 0.01 s."""
    if asked is None or asked > USUAL.dt * (1 + 1e-9):
        return USUAL.dt
    count = math.ceil(CONTROL_PERIOD / asked - 1e-6)
    step = CONTROL_PERIOD / count
    return asked if math.isclose(step, asked, rel_tol=1e-6) else step


def resolved(world: SolverSettings, given: SolverSettings | None) -> Settings:
    """Complete settings of an engine: what is given, else what the world asks for; None: the engine's own."""
    explicit = given or SolverSettings()
    values = explicit.over(world).stated
    values["dt"] = world_step(world.dt) if explicit.dt is None else explicit.dt
    return Settings(**values)


def lacking(engine: type[Engine] | EngineEntry, settings: SolverSettings) -> dict[str, str]:
    """Stated settings that an engine has not, each with a word of what it has instead."""
    if engine.solver is None:
        return {}
    found = {}
    for name, value in settings.stated.items():
        if name not in engine.solver and name not in COMMON:
            found[name] = ""
        elif name == "method" and value not in engine.methods:
            found[f"method={value}"] = f"it has {', '.join(engine.methods)}" if engine.methods else ""
    return found


def check_settings(engine: type[Engine], settings: SolverSettings) -> None:
    """BadInput where an engine has not what a user explicitly asks for."""
    for name, instead in lacking(engine, settings).items():
        has = instead or f"it has {', '.join(listed(names_of(engine)))}"
        raise BadInput(f"engine {engine.name!r} has no {PREFIX}{name}; {has}")


def kept_settings(engine: type[Engine], settings: SolverSettings) -> SolverSettings:
    """Those of the settings that an engine has."""
    gone = {name.partition("=")[0] for name in lacking(engine, settings)}
    return SolverSettings(**{name: value for name, value in settings.stated.items() if name not in gone})


def names_of(engine: type[Engine]) -> tuple[str, ...]:
    """Settings that an engine says it has, the common ones first."""
    return tuple(dict.fromkeys((*COMMON, *(engine.solver or ()))))


def world_notes(engine: type[Engine] | EngineEntry, world: World, given: SolverSettings | None = None) -> list[Problem]:
    """What becomes of the settings of a world: its step where that is not simply taken, and what the engine has not."""
    asked, notes = world.physics, []
    explicit = given is not None and given.dt is not None
    if asked.dt is not None and not explicit and (step := world_step(asked.dt)) != asked.dt:
        why = (
            f"is longer than {USUAL.dt:g} s, which is used; --dt {asked.dt:g} takes it"
            if asked.dt > USUAL.dt
            else f"does not divide the control period of {CONTROL_PERIOD:g} s; {step:.6g} s is used"
        )
        notes.append(f"the world's step of {asked.dt:g} s {why}")
    missing = lacking(engine, asked)
    if missing:
        notes.append(f"engine {engine.name!r} has no {', '.join(missing)}, which the world asks for")
    return [Problem(Severity.INFO, text, world.source) for text in notes]


def settings_words(engine: Engine, given: SolverSettings | None = None) -> list[str]:
    """What is said of the settings of a running engine: what its world asks for, and what becomes of it."""
    notes = [note.message for note in world_notes(type(engine), engine.world, given)]
    asked = ", ".join(f"{name} {value}" for name, value in engine.world.physics.stated.items())
    return [*([f"the world asks for {asked}; the step is {1e3 * engine.dt:g} ms"] if asked else []), *notes]


def solver_lines(engine: Engine) -> dict[str, str]:
    """Settings that a running engine has: "present value | own value | about | choices", what is not known is empty."""
    lines = {}
    for name in names_of(type(engine)):
        own, known = _own(type(engine), name), KNOWN[name]
        present = engine.settings.stated.get(name, own)
        unit = f" [{known['unit']}]" if known.get("unit") else ""
        choices = ", ".join(engine.methods if name == "method" else known.get("choices", ()))
        values = ["" if value is None or value is True else str(value) for value in (present, own)]
        lines[name] = " | ".join([*values, f"{known['about']}{unit}", choices])
    return lines


def stated_surfaces(robots: Iterable[Robot]) -> dict[str, int]:
    """Contact parameters that surfaces state, and by how many; those that say nothing new are left out.

    mu2 counts where it differs from mu; without `fdir1` it has no direction and counts as `mu2 without fdir1`.
    """
    counts: dict[str, int] = {}
    for robot in robots:
        for link in robot.links:
            for collision in link.collisions:
                for name in _telling(collision.surface):
                    counts[name] = counts.get(name, 0) + 1
    return counts


def _telling(surface: Surface) -> list[str]:
    names = [name for name, value in vars(surface).items() if value not in (None, 0.0) and name != "collide_bitmask"]
    aniso = surface.mu2 is not None and surface.mu2 != surface.mu
    if not aniso:
        return [name for name in names if name not in ("mu2", "fdir1")]
    return names if surface.fdir1 is not None else [*(n for n in names if n != "mu2"), "mu2 without fdir1"]


def installed_engines() -> dict[str, type[Engine]]:
    """Classes of the engines that are installed and can be loaded, by name."""
    found = {}
    for name in ENGINES:
        with suppress(AndanteError, ImportError):
            found[name] = engine_class(name)
    return found


def _spoken_for() -> Iterator[type[Engine] | EngineEntry]:
    """The installed engines; those that say what they have beside their name are not imported."""
    for name in ENGINES:
        with suppress(AndanteError, ImportError):
            entry = ENGINES[name]
            if entry.solver is None:
                yield engine_class(name)
            elif installed(entry):
                yield entry


def engine_notes(thing: Robot | World) -> list[Problem]:
    """What becomes of the settings and surfaces of a robot or world on the engines that are installed."""
    robots = [thing] if isinstance(thing, Robot) else list({id(m.robot): m.robot for m in thing.models}.values())
    asked = isinstance(thing, World) and bool(thing.physics.stated)
    asked = asked or any(robot.loops for robot in robots)
    if not asked and not stated_surfaces(robots).keys() - set(FRICTION):
        return []
    notes = []
    for kind in _spoken_for():
        notes += world_notes(kind, thing) if isinstance(thing, World) else []
        notes += [Problem(Severity.INFO, text, thing.source) for text in surface_notes(kind, robots)]
        notes += loop_notes(kind, robots)
    return notes


def loop_notes(engine: type[Engine] | EngineEntry, robots: Iterable[Robot]) -> list[Problem]:
    """Joints by which an engine cannot close the loops that a robot has: it refuses that robot."""
    told = f"engine {engine.name!r} cannot close a loop with"
    return [
        Problem(Severity.WARNING, f"{told} the {loop.type} joint {loop.name!r}; run it on another engine", loop.source)
        for robot in robots
        for loop in robot.loops
        if loop.type not in (*engine.loops, JointType.FLOATING)
    ]


@dataclass(frozen=True)
class SettingRow:
    """A setting, what it is, and what each installed engine has: its own value, or None where it has no such thing."""

    name: str  # solver.NAME or surface.NAME
    about: str
    engines: Mapping[str, Any]


def setting_rows() -> list[SettingRow]:
    """Every setting of a solver and every contact parameter of a surface, with the engines that have it."""
    kinds = installed_engines()
    rows = []
    for name, known in KNOWN.items():
        own = {engine: _own(kind, name) for engine, kind in kinds.items()}
        unit = f" [{known['unit']}]" if known.get("unit") else ""
        rows.append(SettingRow(f"{PREFIX}{name}", f"{known['about']}{unit}", own))
    for each in fields(Surface):
        if each.name != "collide_bitmask":
            has = {engine: each.name in {*FRICTION, *kind.surface} or None for engine, kind in kinds.items()}
            rows.append(SettingRow(f"surface.{each.name}", SURFACES[each.name], has))
    return rows


def _own(engine: type[Engine], name: str) -> Any:
    """The value of a setting where nobody states one; True where it depends; None: the engine has it not."""
    if name in COMMON:
        return getattr(USUAL, name)
    if engine.solver is None or name not in engine.solver:
        return None
    return True if engine.solver[name] is None else engine.solver[name]


def surface_notes(engine: type[Engine] | EngineEntry, robots: Iterable[Robot]) -> list[str]:
    """What an engine has not of the contact parameters that robots and worlds state, in a sentence or none."""
    if engine.solver is None:
        return []
    has = {*FRICTION, *engine.surface}
    missing = {name: count for name, count in stated_surfaces(robots).items() if name not in has}
    if not missing:
        return []
    words = ", ".join(f"{name} ({count} surface{'s' if count > 1 else ''})" for name, count in missing.items())
    return [f"engine {engine.name!r} does not use {words}"]
