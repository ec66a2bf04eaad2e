"""Every error that Andante raises for a user's mistake; the message is one clear line.

The command line turns any `AndanteError` into that line on stderr and exit code 2.
"""

from __future__ import annotations

from collections.abc import Iterable


class AndanteError(Exception):
    """Base of all errors a user can cause. `str(error)` is one line that says what to do."""


class BadInput(AndanteError):
    """A file or value cannot be used; the message names file, element and remedy."""


class UnknownName(AndanteError):
    """A name (robot, joint, engine, pose, ...) does not exist; the message lists the choices."""

    @classmethod
    def among(cls, what: str, name: str, choices: Iterable[str], where: str = "") -> UnknownName:
        """The usual sentence: no WHAT 'NAME' [in WHERE]; choices: a, b, c."""
        listed = ", ".join(choices) or "none"
        place = f" in {where}" if where else ""
        return cls(f"no {what} {name!r}{place}; choices: {listed}")


class MissingExtra(AndanteError):
    """A feature needs a package that is not installed; the message names the extra."""


class Diverged(AndanteError):
    """A simulation left all bounds; the message names engine and model and advises a smaller step."""


class Unsupported(AndanteError):
    """An engine or format refuses a feature by name instead of dropping it."""


class LostBody(AndanteError):
    """A robot has fallen silent while it was moved; the message says since when and where."""
