"""Robots and worlds by built-in name or file, whatever the format."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from andante.errors import AndanteError, BadInput, MissingFile, UnknownName
from andante.userfile import is_user_reference, load_user_object

from .robot import Robot
from .world import World

HERE = Path(__file__).resolve().parent


def robot_names() -> tuple[str, ...]:
    """Names of the built-in robots: folders robots/NAME with NAME.urdf.xacro."""
    return tuple(sorted(f.name for f in (HERE / "robots").iterdir() if (f / f"{f.name}.urdf.xacro").is_file()))


def world_names() -> tuple[str, ...]:
    """Names of the built-in worlds: files worlds/NAME.sdf."""
    return tuple(sorted(f.stem for f in (HERE / "worlds").glob("*.sdf")))


def robot_file(name: str) -> Path:
    """File of a built-in robot name or the path itself."""
    return _locate(name, robot_names(), "robot", lambda n: HERE / "robots" / n / f"{n}.urdf.xacro")


def world_file(name: str) -> Path:
    """File of a built-in world name or the path itself."""
    return _locate(name, world_names(), "world", lambda n: HERE / "worlds" / f"{n}.sdf")


def _locate(name: str, names: tuple[str, ...], what: str, builtin) -> Path:  # type: ignore[no-untyped-def]
    if name in names:
        return builtin(name)
    path = Path(name)
    if path.suffix or "/" in name or "\\" in name:
        check_file_name(path)
        return path
    raise UnknownName.among(what, name, names)


def check_file_name(path: Path) -> None:
    """Raise BadInput unless there is a plain file of that name."""
    shown = str(path) if len(str(path)) < 300 else f"{str(path)[:100]}... ({len(str(path))} characters)"
    try:
        if path.is_file():
            return
        if path.is_dir():
            raise BadInput(f"{shown} is a folder; name the file in it")
        if path.exists():
            raise BadInput(f"{shown} is not a regular file; refused")
    except BadInput:
        raise
    except (OSError, ValueError) as error:
        raise BadInput(f"{shown} cannot be read: {getattr(error, 'strerror', None) or error}") from None
    raise MissingFile(f"{shown}: no such file")


def load_robot(name: str | Path, arguments: Mapping[str, str] | None = None) -> Robot:
    """A robot by built-in name, file or a user's `file.py:Name`; `arguments` are xacro arguments."""
    from .io.open import read_robot

    if is_user_reference(str(name)):
        return user_robot(str(name), dict(arguments or {}))
    return read_robot(robot_file(str(name)), dict(arguments or {}))


def user_robot(reference: str, arguments: Mapping[str, str]) -> Robot:
    """The robot of `file.py:Name`: a `Robot`, or a function that gives one and takes `name:=value` as keywords."""
    found = load_user_object(reference)
    if callable(found):
        try:
            found = found(**arguments)
        except AndanteError:
            raise
        except Exception as error:
            raise BadInput(f"{reference} fails: {type(error).__name__}: {error}") from error
    elif arguments:
        raise BadInput(f"{reference} is no function and takes no arguments, got {', '.join(arguments)}")
    if not isinstance(found, Robot):
        raise BadInput(f"{reference} should be a Robot or a function that gives one, got {type(found).__name__}")
    return found


def load_world(name: str | Path, arguments: Mapping[str, str] | None = None) -> World:
    """A world by built-in name or file."""
    from .io.open import read_world

    return read_world(world_file(str(name)), dict(arguments or {}))
