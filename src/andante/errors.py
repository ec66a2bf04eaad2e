"""Every error that Andante raises for a user's mistake, one class per kind; the message is one clear line.

Each is also the built-in exception that Python users expect, so that `except ValueError` or `except FileNotFoundError`
works as with any library. The command line turns any `AndanteError` into its line on stderr and exit code 2.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable


class AndanteError(Exception):
    """Base of all errors a user can cause. `str(error)` is one line that says what to do."""


class BadInput(AndanteError, ValueError):
    """A file or value cannot be used; the message names file, element and remedy."""


class MissingFile(BadInput, FileNotFoundError):
    """A file or folder is not there; the message names it."""


class UnknownName(AndanteError, KeyError):
    """A name (robot, joint, engine, pose, ...) does not exist; the message lists the choices."""

    def __str__(self) -> str:  # that of KeyError puts quotes around the message
        return Exception.__str__(self)

    @classmethod
    def among(cls, what: str, name: str, choices: Iterable[str], where: str = "") -> UnknownName:
        """The usual sentence: no WHAT 'NAME' [in WHERE]; choices: a, b, c."""
        listed = ", ".join(choices) or "none"
        place = f" in {where}" if where else ""
        return cls(f"no {what} {name!r}{place}; choices: {listed}")

    @classmethod
    def check(cls, what: str, names: str | Iterable[str], choices: Collection[str], where: str = "") -> None:
        """Raise it for the first of some names, or for a single one, that is not among the choices."""
        for name in (names,) if isinstance(names, str) else names:
            if name not in choices:
                raise cls.among(what, name, choices, where)


class MissingExtra(AndanteError, ImportError):
    """A feature needs a package that is not installed; the message names the extra."""


class Diverged(AndanteError, ArithmeticError):
    """A simulation left all bounds; the message names engine and model and advises a smaller step."""


class Unsupported(AndanteError, NotImplementedError):
    """An engine or format refuses a feature by name instead of dropping it."""


class TimedOut(AndanteError, TimeoutError):
    """Something (a server, a session, a robot) did not answer in time; the message says how long was waited."""


class LostBody(AndanteError, ConnectionError):
    """A robot has fallen silent while it was moved; the message says since when and where."""


def one_line(error: BaseException) -> str:
    """What an error says, in one line; the name of its class where it says nothing."""
    return " ".join(str(error).split()) or type(error).__name__
