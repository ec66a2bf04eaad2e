"""Runs a program of a NAO in this process: `python -m andante.bridges.naoqi.script PROGRAM.py [ARGS]`.

All connections go to $ANDANTE_NAOQI_URL. The modules naoqi, almath, motion and vision_definitions are those of `shims`,
Python 2 is converted in memory (modules beside the program too), and sleeping takes time of the session.
"""

from __future__ import annotations

import atexit
import builtins
import contextlib
import importlib.abc
import importlib.machinery
import os
import sys
import threading
import time
import traceback
import types
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from andante.bridges.naoqi import old_text
from andante.bridges.naoqi.python2 import code_of, text_of
from andante.bridges.naoqi.shims import FOLDER
from andante.errors import AndanteError

URL = "ANDANTE_NAOQI_URL"
FAREWELL = 3.0  # that what a program has left behind has to end [s]
SHORT = 0.005  # sleeps below this are left alone [s]
_kept: list[Any] = []


class _OldLoader(importlib.machinery.SourceFileLoader):
    """Loads modules beside the program, converted where they are Python 2."""

    def get_code(self, fullname: str) -> types.CodeType:
        path = self.get_filename(fullname)
        code: types.CodeType = code_of(text_of(Path(path).read_bytes()), path)[0]
        return code


class _OldFinder(importlib.abc.MetaPathFinder):
    """Finds modules in the folder of the program."""

    def __init__(self, folder: str) -> None:
        self._folder = folder

    def find_spec(self, fullname: str, path: Sequence[str] | None, target: Any = None) -> Any:
        """A module of the folder, or of a package in it."""
        places = [self._folder] if path is None else [p for p in path if str(p).startswith(self._folder)]
        for place in places:
            made = importlib.machinery.FileFinder(place, (_OldLoader, [".py"])).find_spec(fullname)
            if made is not None and made.loader is not None:
                return made
        return None


def redirect(url: str) -> None:
    """Let qi connect to one address, whatever programs name, and know the old name of runAsync."""
    import qi

    plain = qi.Session

    class Session:
        """A session that connects to one address only."""

        def __init__(self, *_: Any) -> None:
            self._session = plain()

        def connect(self, *_: Any, **options: Any) -> Any:
            return self._session.connect(url, **options)

        def __getattr__(self, name: str) -> Any:
            return getattr(self._session, name)

    make = qi.Application

    def application(args: Any = None, raw: bool = False, autoExit: bool = True, url: Any = None) -> Any:
        words = [word for word in (args if args is not None else sys.argv) if not str(word).startswith("--qi-url")]
        return make([*(words or [sys.executable]), f"--qi-url={os.environ[URL]}"], raw, autoExit, "")

    qi.Session, qi.Application, qi.ApplicationSession = Session, application, application
    setattr(qi, "async", qi.runAsync)


def keep_time(url: str) -> None:
    """Let time.sleep wait for time of the session, which may be slower or faster than the wall's."""
    import qi

    session = qi.Session()
    session.connect(url)
    tools, wall = session.service("AndanteSession"), time.sleep

    def sleep(seconds: float) -> None:
        if not seconds > SHORT:
            wall(max(0.0, seconds))
            return
        future = tools.sleep(float(seconds), _async=True)
        while future.isRunning():  # in small pieces, so that Ctrl-C is heard
            wall(0.005)
        if future.hasError():  # the session has gone
            wall(seconds)

    time.sleep = sleep  # type: ignore[assignment]
    _kept.append(session)  # it closes when nobody holds it


def old_names() -> None:
    """Names of Python 2 and of old libraries that programs still use."""
    sys.setdefaultencoding = lambda name: None  # type: ignore[attr-defined]
    time.clock = time.process_time  # type: ignore[attr-defined]
    asked = builtins.input

    def answer(prompt: object = "") -> str:
        try:
            return asked(prompt)
        except EOFError:
            return ""

    builtins.input = answer
    builtins.raw_input = answer  # type: ignore[attr-defined]
    for name, value in (("xrange", range), ("unicode", str), ("basestring", str), ("long", int), ("unichr", chr)):
        if not hasattr(builtins, name):  # where a program could not be converted
            setattr(builtins, name, value)
    _after("configparser", _old_settings)
    _after("PIL.Image", _old_pictures)
    _after("numpy", _old_arrays)


def _after(name: str, change: Callable[[Any], None]) -> None:
    """Change a module, which is imported for that where it is installed."""
    try:
        module = importlib.import_module(name)
    except ImportError:
        return
    change(module)


def _old_settings(module: Any) -> None:
    if not hasattr(module.RawConfigParser, "readfp"):  # gone in Python 3.12
        module.RawConfigParser.readfp = module.RawConfigParser.read_file


def _old_pictures(module: Any) -> None:
    if not hasattr(module, "fromstring"):
        module.fromstring = module.frombytes


def _old_arrays(module: Any) -> None:
    plain = module.fromstring

    def fromstring(data: Any, dtype: Any = float, count: int = -1, sep: str = "", **options: Any) -> Any:
        if sep == "" and not isinstance(data, str):
            return module.frombuffer(data, dtype=dtype, count=count).copy()
        return plain(data, dtype=dtype, count=count, sep=sep, **options)

    module.fromstring = fromstring


def run(program: Path, arguments: Sequence[str]) -> None:
    """Run a program as the main module; it may end by SystemExit or any error."""
    code, converted = code_of(text_of(program.read_bytes()), str(program))
    if converted:
        old_text.begin()
    folder = str(program.resolve().parent)
    sys.argv = [str(program), *arguments]
    sys.path[:0] = [folder, FOLDER]
    sys.meta_path.insert(0, _OldFinder(folder))
    main = types.ModuleType("__main__")
    main.__file__ = str(program)
    main.__dict__["__builtins__"] = builtins
    sys.modules["__main__"] = main
    exec(code, main.__dict__)


def begin(words: Sequence[str]) -> int:
    """The command line of this module; the exit code of the program."""
    url = os.environ.get(URL, "tcp://127.0.0.1:9559")
    os.environ[URL] = url
    old_names()
    redirect(url)
    keep_time(url)
    try:
        run(Path(words[0]), words[1:])
    except SystemExit as end:
        if end.code is None or isinstance(end.code, int):
            return end.code or 0
        sys.stderr.write(f"{end.code}\n")
        return 1
    except AndanteError as error:
        sys.stderr.write(f"andante: {error}\n")
        return 2
    except KeyboardInterrupt:
        return 130
    except BaseException:
        traceback.print_exc()
        return 1
    return 0


def leave(code: int) -> None:
    """End the process as Python does, but for the library's own end: with a session open it waits for ever."""
    for thread in threading.enumerate():
        if thread is not threading.current_thread() and not thread.daemon:
            thread.join()
    late = threading.Timer(FAREWELL, os._exit, (code,))
    late.daemon = True
    late.start()
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            stream.flush()
    os._exit(code)


if __name__ == "__main__":
    leave(begin(sys.argv[1:]))
