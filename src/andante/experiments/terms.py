"""What a built-in trial understands: the settings that it takes and the measures that it gives."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from andante.errors import BadInput, UnknownName

if TYPE_CHECKING:
    from .setup import Setup

GAIT = "gait_"  # begins the name of a parameter of the gait itself: gait_step_height, ...
MOST_FRICTION = 10.0


@dataclass(frozen=True)
class Terms:
    """Settings are arguments or factors; those that begin with `gait_` are passed to the gait where `gaits` is true."""

    what: str  # in words, for messages: "a walk"
    settings: tuple[str, ...]
    measures: tuple[str, ...]
    gaits: bool = False

    def values(self, setup: Setup) -> dict[str, Any]:
        """Arguments and factors of a trial as one table, factors first; UnknownName where one is no setting."""
        values = {**setup.arguments, **setup.factors}
        for name in values:
            self.check_setting(name)
        return values

    def check_setting(self, name: str) -> None:
        """UnknownName unless the trial takes a setting of that name."""
        if name in self.settings or (self.gaits and name.startswith(GAIT) and name != GAIT):
            return
        raise UnknownName.among(f"setting of {self.what}", name, self.known)

    def check(self, arguments: Iterable[str], factors: Iterable[str], measures: Iterable[str]) -> None:
        """BadInput that begins with the key of the first entry that the trial does not know."""
        for table, names in (("arguments", arguments), ("factors", factors)):
            for name in names:
                try:
                    self.check_setting(name)
                except UnknownName as error:
                    raise BadInput(f"{table}.{name}: {error}") from None
        for name in measures:
            if name not in self.measures:
                error = UnknownName.among(f"measure of {self.what}", name, self.measures)
                raise BadInput(f"measures.{name}: {error}")

    @property
    def known(self) -> tuple[str, ...]:
        """The settings in words."""
        return (*self.settings, f"{GAIT}NAME") if self.gaits else self.settings


def gait_values(values: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters of the gait among settings or a model, by their own names."""
    return {name.removeprefix(GAIT): value for name, value in values.items() if name.startswith(GAIT)}


def friction_value(values: Mapping[str, Any]) -> float | None:
    """The coefficient of friction that is set; None: as drawn, or as the files say."""
    mu = values.get("friction")
    if mu is None:
        return None
    if isinstance(mu, bool) or not isinstance(mu, int | float) or not 0 < mu <= MOST_FRICTION:
        raise BadInput(f"friction: a number above 0, at most {MOST_FRICTION:g}, got {mu!r}")
    return float(mu)
