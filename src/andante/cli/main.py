"""`andante`: one thin command per job. Heavy imports happen inside the command that needs them."""

from __future__ import annotations

import io
import os
import signal
import sys
import threading
import warnings
from contextlib import suppress
from typing import Annotated, Any, TextIO

import typer

from andante._version import __version__
from andante.errors import AndanteError, MissingFile

from . import bag, bridge, catalog, describe, experiment, gait, naoqi, navigate, studio, walk
from .coercion import QuickGroup
from .output import one_line, tell_stages, warn

INTERRUPTED = 130  # exit code after Ctrl-C
USAGE = 2  # and after a mistake on the command line
FUEL_CACHE = "GZ_FUEL_CACHE"  # where Andante looks for models of Gazebo Fuel first

app = typer.Typer(
    cls=QuickGroup,
    name="andante",
    help="A whole robot lab: describe, check, convert and simulate robots on four physics engines.",
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command in (
    catalog.robots, catalog.worlds, catalog.engines, describe.check, describe.convert, describe.mesh, walk.sim,
    describe.rig, walk.walk, walk.play, walk.behave, gait.app, experiment.app, describe.ik, navigate.map,
    navigate.localize, navigate.navigate, navigate.tune, navigate.explore, studio.launch, studio.studio, bag.app,
    bridge.app, naoqi.app, catalog.bench, catalog.doctor, catalog.zoo,
):  # fmt: skip
    if isinstance(command, typer.Typer):
        app.add_typer(command)
    else:
        command.add_to(app)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"andante {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
    fuel_cache: Annotated[
        str, typer.Option(metavar="DIR", help="Folder of downloaded Gazebo Fuel models, for any command.")
    ] = "",
) -> None:
    if fuel_cache:
        if not os.path.isdir(fuel_cache):
            raise MissingFile(f"--fuel-cache {fuel_cache}: no such folder")
        os.environ[FUEL_CACHE] = fuel_cache


def _root_first(words: list[str]) -> list[str]:
    """The words of a command line with --fuel-cache before the command, wherever it stood."""
    first, rest = [], list(words)
    end = rest.index("--") if "--" in rest else len(rest)
    for at in reversed(range(end)):
        if rest[at] == "--fuel-cache" or rest[at].startswith("--fuel-cache="):
            count = 2 if rest[at] == "--fuel-cache" else 1
            first += rest[at : at + count]
            del rest[at : at + count]
    return first + rest


def main() -> None:
    """Run the command line; every user error becomes one line on stderr and exit code 2, every warning a line."""
    with warnings.catch_warnings():
        if not os.environ.get("ANDANTE_DEBUG"):  # which shows where a warning comes from
            warnings.showwarning = _told
        code = _run()
    sys.exit(code if isinstance(code, int) else 0)


def _told(message: Warning | str, *_where: Any, **_more: Any) -> None:
    warn(str(message))


def _run() -> object:
    """Run the command line; its exit code."""
    _prepare()
    tell_stages()
    code: object
    try:
        code = app(args=_root_first(sys.argv[1:]), standalone_mode=False)
        if code == INTERRUPTED:  # typer takes Ctrl-C for itself
            _complain("stopped")
    except AndanteError as error:
        code = _complain(str(error))
    except typer.TyperException as error:
        code = _refused(error)
    except (typer.Abort, KeyboardInterrupt):
        code = _complain("stopped", INTERRUPTED)
    except Terminated:
        code = _complain("stopped", 143)
    except BrokenPipeError:
        _silence(sys.stdout)  # nobody reads: end quietly
        code = 0
    except OSError as error:
        code = _complain(f"{error.filename or 'input or output'}: {error.strerror or error}")
    except MemoryError:
        code = _complain("not enough memory for this input")
    except Exception as error:
        if os.environ.get("ANDANTE_DEBUG"):
            raise
        code = _missing(error) or _complain(
            f"internal error ({type(error).__name__}: {error}); ANDANTE_DEBUG=1 shows where; please report it", 70
        )
    return code


def _missing(error: Exception) -> int | None:
    """Say which package is missing; None when that is not what happened."""
    if not isinstance(error, ImportError):
        return None
    from andante.extras import missing_package

    line = missing_package(error)
    return None if line is None else _complain(line)


def _refused(error: typer.TyperException) -> int:
    """Say what is wrong with the command line, and where its help is; a bare group of commands shows its help."""
    if error.exit_code != USAGE:
        return _complain(error.format_message())
    words, command = [], typer.main.get_command(app)
    for word in sys.argv[1:]:
        if isinstance(command, typer.core.TyperGroup) and word in command.commands:
            words.append(word)
            command = command.commands[word]
    if words == sys.argv[1:] and isinstance(command, typer.core.TyperGroup):  # a bare `andante` or `andante gait`
        typer.echo(error.format_message(), err=True)
        return USAGE
    return _complain(f"{error.format_message().rstrip('.')}; see {' '.join(['andante', *words])} --help")


def _prepare() -> None:
    """Output that can always be written, and an end by SIGTERM that closes files as Ctrl-C does."""
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 (closed with the process)
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, _stop)


def _stop(_number: int, _frame: object) -> None:
    raise Terminated


class Terminated(BaseException):
    """SIGTERM came: leave as tidily as after Ctrl-C."""


def _complain(message: str, code: int = 2) -> int:
    """Write the line; readers that the same Ctrl-C has ended are not missed."""
    for stream, text in ((sys.stdout, ""), (sys.stderr, f"andante: {one_line(message)}\n")):
        try:
            stream.write(text)
            stream.flush()
        except BrokenPipeError:
            _silence(stream)
    return code


def _silence(stream: TextIO) -> None:
    """What is still written, or waits to be, goes nowhere."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


if __name__ == "__main__":
    main()
