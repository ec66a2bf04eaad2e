"""Commands that are declared once: the options of a command are the arguments of the function that it calls.

    walk = Command("andante.tasks.walk:walk", "Let a robot walk.", {"velocity": Take('"VX VY WZ"', velocity_of)})

Types, defaults and help are those of the function, read from its source when the command is asked for. `SHARED` in
`options` says how arguments are taken that many functions have, a `Take` what a command does in another way.
"""

from __future__ import annotations

import importlib
import inspect
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any

import typer

from andante.gc_paused import gc_paused
from andante.stages import stage

from .coercion import quick
from .options import BODY, CALLBACKS, JSON, SET, SHARED, Take, allow, refuse_simulated
from .output import console, print_json, print_lines, print_written, warn
from .signature import REQUIRED, Argument, read_arguments
from .words import merge_of, values_of

FILES = ("record", "plot", "video", "picture")  # arguments that name files to write
UNIT = re.compile(r"\[(\w+)\]")


@dataclass(frozen=True)
class Call:
    """A command line that was understood."""

    function: str  # module:name
    given: dict[str, Any]  # arguments of the function
    own: dict[str, Any]  # values of what only the command line has
    json: bool

    def run(self, **more: Any) -> Any:
        """What the function returns."""
        return _load(self.function)(**self.given, **more)

    def by(self, reference: str) -> Any:
        """What another function returns, given those of the arguments that it takes."""
        function = _load(reference)
        taken = inspect.signature(function).parameters
        return function(**{name: value for name, value in self.given.items() if name in taken})


def in_words(result: Any, call: Call) -> None:
    """A result for people."""
    console().print(str(result), markup=False)


@dataclass(frozen=True)
class Command:
    """A command of the command line.

    Args:
        function: what it calls, `module:name`.
        about: the line in the list of commands.
        takes: how arguments of the function are taken, where `SHARED` or their type do not say it.
        own: what only the command line has.
        name: of the command; empty: that of the function.
        run: calls the function and returns its result.
        words: tells the result to people; `--json` prints its `as_dict()` instead.
        warned: lines for stderr about a result.
        written: files that a result tells of, beside those that the command line names.
        code: exit code after a result.
        dry: what `--dry-run` calls instead, `module:name`, for a function with an argument `body`.
        json: whether there is `--json`.
    """

    function: str
    about: str
    takes: Mapping[str, Take] = field(default_factory=dict)
    own: Mapping[str, Take] = field(default_factory=dict)
    name: str = ""
    run: Callable[[Call], Any] = Call.run
    words: Callable[[Any, Call], None] = in_words
    warned: Callable[[Any], Iterable[str]] = lambda result: ()
    written: Callable[[Any], Iterable[Path | str | None]] = lambda result: ()
    code: Callable[[Any], int] = lambda result: 0
    dry: str = ""
    json: bool = True

    def add_to(self, app: typer.Typer) -> None:
        """Make it a command of an app."""
        name = self.name or self.function.partition(":")[2].replace("_", "-")
        app.command(name, help=self.about, cls=_read_when_asked(self))(lambda: None)

    @property
    def doing(self) -> str:
        """What is told while nothing closer is known: the first clause of what it is for."""
        about = re.split(r"[;.:](?:\s|$)", self.about, maxsplit=1)[0]
        return f"working: {about[:1].lower()}{about[1:]}"

    @cached_property
    def _arguments(self) -> list[Argument]:
        return read_arguments(self.function)

    @cached_property
    def _own(self) -> Mapping[str, Take]:
        return {**self.own, **(BODY if self._moves else {}), **(JSON if self.json else {})}

    @cached_property
    def _moves(self) -> bool:
        """Whether it may move a real robot: whatever takes a body asks first."""
        return any(each.name == "body" for each in self._arguments)

    def callback(self) -> Callable[..., None]:
        """What Typer makes a command of: a function with all options in its signature."""

        def carry_out(**values: Any) -> None:
            self._carry_out(values)

        flags = [Argument(name, "bool", False, False, "") for name in self._own]
        hidden = {*CALLBACKS, *(("solver",) if self._sharing else ())}
        asked = [_parameter(each, self._takes[each.name]) for each in self._arguments if each.name not in hidden]
        asked += [_parameter(each, self._own[each.name]) for each in flags]
        carry_out.__annotations__ = {each.name: each.annotation for each in asked}
        carry_out.__signature__ = inspect.Signature(asked)  # type: ignore[attr-defined]
        return carry_out

    @cached_property
    def _takes(self) -> dict[str, Take]:
        usual = {each.name: Take(convert=values_of if each.mapping else None) for each in self._arguments}
        return {name: self.takes.get(name) or SHARED.get(name) or take for name, take in usual.items()}

    @cached_property
    def _sharing(self) -> str:
        """The argument whose `--set` takes settings of the solver too; empty: they have it for themselves, or none."""
        others = (name for name, take in self._takes.items() if take.flags == SET and name != "solver")
        return next(others, "") if "solver" in self._takes else ""

    def _carry_out(self, values: dict[str, Any]) -> None:
        if self._sharing:
            words = values[self._sharing] or []
            mine = [word for word in words if word.startswith("solver.")]
            values |= {"solver": mine or None, self._sharing: [word for word in words if word not in mine] or None}
        own = {name: values.pop(name) for name in self._own}
        given = {name: self._takes[name].value(value) for name, value in values.items() if value is not None}
        call = Call(self.function, given, own, own.get("json", False))
        if any(each.name == "progress" for each in self._arguments):
            given["progress"] = not call.json
        if self._moves:
            if own["dry_run"]:
                refuse_simulated(given["body"])
                print_lines(call.by(self.dry))
                return
            allow(given["body"], given["robot"], own["yes"])
        with stage(self.doing):
            result = self.run(call)
        for line in self.warned(result):
            warn(line)
        if call.json and result is not None:
            print_json(result.as_dict())
        elif result is not None:
            self.words(result, call)
            print_written(*self.written(result), *(given.get(name) for name in FILES))
        raise typer.Exit(self.code(result))


def notices(result: Any, call: Call) -> None:
    """What was noticed on the way, on stderr; on a terminal the progress line has told it."""
    if "progress" not in call.given or not sys.stderr.isatty():
        for notice in result.notices:
            warn(notice)


def keeping(advice: str) -> Callable[[Call], Any]:
    """The `run` of a command that Ctrl-C may stop: it says how to go on, with arguments of the function in braces."""

    def run(call: Call) -> Any:
        try:
            return call.run()
        except KeyboardInterrupt:
            warn(advice.format(**call.given))
            raise

    return run


def merging(function: str, about: str, words: Callable[[Any, Call], None]) -> Command:
    """A command that puts shards together; the new folder is named apart or leads the list."""

    def run(call: Call) -> Any:
        out, parts = merge_of(call.given.get("out"), call.given["parts"])
        return _load(function)(out, parts)

    takes = {
        "parts": Take("DIR...", about="Folders of the shards; without -o a new one first, to make."),
        "out": Take("DIR", flags="-o --out", about="Folder to make.", default=None),
    }
    return Command(function, about, takes, run=run, words=words)


def _load(reference: str) -> Any:
    module, _, name = reference.partition(":")
    with stage("loading libraries"), gc_paused():  # classes and functions are made, nothing is thrown away
        return getattr(importlib.import_module(module), name)


def _parameter(argument: Argument, take: Take) -> inspect.Parameter:
    """An argument as Typer wants to hear of it."""
    kind = take.kind or argument.kind
    default = argument.default if take.default is REQUIRED and not take.required else take.default
    flags = take.flags.split()
    if kind is bool and not flags:
        name = argument.name.replace("_", "-")
        flags = [f"--{name}/--no-{name}" if default else f"--{name}"]
    about: dict[str, Any] = {
        "metavar": take.metavar or _metavar(kind, argument.about),
        "help": take.about or argument.about,
    }
    if take.argument or (argument.positional and default is REQUIRED and not flags):
        info: Any = typer.Argument(**about)
    else:
        info = typer.Option(*flags, min=take.least, **about)
    if isinstance(default, tuple):
        default = " ".join(f"{value:g}" for value in default) if kind is str else None
    return inspect.Parameter(
        argument.name,
        inspect.Parameter.KEYWORD_ONLY,
        default=default,
        annotation=Annotated[kind | None if default is None else kind, info],
    )


def _metavar(kind: Any, about: str) -> str | None:
    """What stands for the value in the help: the unit of a number, else a letter."""
    if kind is float:
        unit = UNIT.search(about)
        return unit[1].upper() if unit else "X"
    return {int: "N", Path: "FILE", bool: None}.get(kind)


def _read_when_asked(declared: Command) -> type[typer.core.TyperCommand]:
    """A Typer command that reads the source of its function when its options are asked for."""

    class Declared(typer.core.TyperCommand):
        @cached_property
        def made(self) -> Any:
            app = typer.Typer(add_completion=False)
            app.command()(declared.callback())
            return typer.main.get_command(app)

        def get_params(self, ctx: Any) -> list[Any]:
            """Its parameters, the one for help too."""
            return quick(super().get_params(ctx))

        params = property(lambda self: self.made.params, lambda self, value: None)
        callback = property(lambda self: self.made.callback, lambda self, value: None)

    return Declared
