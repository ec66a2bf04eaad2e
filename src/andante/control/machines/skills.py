"""Skills: what the states of a machine can call. A machine knows their names alone; who runs it provides them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass
from typing import Any

from andante.errors import AndanteError, BadInput

Work = Generator[Any, None, Any]


class SkillFailed(AndanteError):
    """A skill could not do what it was called for; the message says why."""


@dataclass(frozen=True)
class Skill:
    """One thing that a robot can be told to do.

    run: called with the arguments. One that takes time is a generator, resumed every control period until it returns
        (done) or raises an AndanteError (failed); it is closed when its state is left.
    live: called anew every period with arguments of that period, until its state is left; then `stop` is called.
    check: called with constant arguments before the machine starts (None: not constant); raises an AndanteError.
    """

    name: str
    run: Callable[..., Work | None]
    help: str = ""
    live: bool = False
    stop: Callable[[], None] | None = None
    check: Callable[..., None] | None = None

    @property
    def takes_time(self) -> bool:
        """Whether it must stand under `do`."""
        return self.live or inspect.isgeneratorfunction(inspect.unwrap(self.run))

    @property
    def signature(self) -> inspect.Signature:
        """Of its arguments."""
        return inspect.signature(self.run)

    def bind(self, arguments: list[Any], named: Mapping[str, Any]) -> None:
        """Refuse arguments that it does not take."""
        try:
            self.signature.bind(*arguments, **named)
        except TypeError as error:
            shown = ", ".join(
                name if each.default is each.empty else f"{name}={each.default!r}"
                for name, each in self.signature.parameters.items()
            )
            raise BadInput(f"{self.name}: {error}; it is called as {self.name}({shown})") from None


def skill_of(run: Callable[..., Work | None], name: str = "", **options: Any) -> Skill:
    """A skill from a function; its help is the first line of the docstring."""
    lines = (inspect.getdoc(run) or "").splitlines()
    return Skill(name or run.__name__, run, lines[0] if lines else "", **options)


class Running:
    """One call that a state does, while the state is active."""

    def __init__(self, skill: Skill, values: Callable[[], tuple[list[Any], dict[str, Any]]]) -> None:
        self.skill, self._values = skill, values
        self.done, self._work = False, None
        if not skill.live:
            given, named = values()
            skill.bind(given, named)
            self._work = skill.run(*given, **named)
            self.done = self._work is None

    def poll(self) -> None:
        """Go on for a control period; sets `done`. What fails raises an AndanteError and is done, too."""
        if self.done:
            return
        try:
            if self.skill.live:
                given, named = self._values()
                self.skill.bind(given, named)
                self.skill.run(*given, **named)
            else:
                assert self._work is not None
                next(self._work)
        except StopIteration:
            self.done = True
        except AndanteError:
            self.done = True
            raise
        except (ArithmeticError, ValueError, TypeError, LookupError) as error:  # of arguments of a wrong kind
            self.done = True
            raise SkillFailed(f"{self.skill.name}: {' '.join(str(error).split())}") from error

    def cancel(self) -> None:
        """Its state is left."""
        if self._work is not None and not self.done:
            self._work.close()
        if self.skill.live and self.skill.stop is not None:
            self.skill.stop()
        self.done = True
