"""Runs the command line in this process on one case: captured at the file descriptors, watched, measured."""

from __future__ import annotations

import os
import resource
import shutil
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from .cases import Case, write_case
from .contract import Ran, differences, tree
from .watch import Watch

MOST_READ = 4_000_000  # letters of output that are looked at


class Runner:
    """One per process: holds the folder for cases, a cache, and the watch."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        cache = folder.parent / "cache"  # of all processes
        cache.mkdir(parents=True, exist_ok=True)
        os.environ |= {
            "XDG_CACHE_HOME": str(cache),
            "MPLCONFIGDIR": str(cache / "mpl"),
            "MPLBACKEND": "Agg",
            "COLUMNS": "200",
        }
        self.watch = Watch((cache.resolve(),))
        _build_once()

    def run(self, case: Case, debug: bool = False, keep: bool = False) -> Ran:
        """Write the case, run it, tell what happened; debug raises internal errors as Python does."""
        place = (self.folder / f"c{case.number}").resolve()
        shutil.rmtree(place, ignore_errors=True)
        write_case(case, place)
        before, there = tree(place), tree(place / "out")
        try:
            with self._here(place, debug):
                ran = self._main(case.words(place))
            changed = differences(before, tree(place))
            written = tuple(name for name in differences(there, tree(place / "out")) if not name.endswith("lock"))
            written = tuple(name for name in written if (place / "out" / name).is_file())
            return Ran(*ran, tuple(self.watch.events), changed, written)
        finally:
            if not keep:
                shutil.rmtree(place, ignore_errors=True)

    @contextmanager
    def _here(self, place: Path, debug: bool) -> Iterator[None]:
        """Home, working and temporary folder inside the case."""
        before, directory = dict(os.environ), os.getcwd()
        os.environ |= {"HOME": str(place / "home"), "TMPDIR": str(place / "tmp")}
        os.environ["ANDANTE_REFERENCES"] = str(place / "out" / "references")
        os.environ.pop("ANDANTE_DEBUG", None)
        if debug:
            os.environ["ANDANTE_DEBUG"] = "1"
        tempfile.tempdir = str(place / "tmp")
        os.chdir(place / "cwd")
        self.watch.folder, self.watch.events = str(place), []
        try:
            yield
        finally:
            os.chdir(directory)
            os.environ.clear()
            os.environ.update(before)
            tempfile.tempdir = None

    def _main(self, words: list[str]) -> tuple[int | str, str, str, float, float]:
        from andante.cli.main import main

        with tempfile.TemporaryFile(dir=self.folder) as out, tempfile.TemporaryFile(dir=self.folder) as err:
            begin = time.process_time()
            with _captured(out.fileno(), err.fileno()), warnings.catch_warnings():
                warnings.simplefilter("always", RuntimeWarning)
                sys.argv = ["andante", *words]
                self.watch.active = True
                try:
                    main()
                    code: int | str = "none"
                except SystemExit as end:
                    code = end.code if isinstance(end.code, int) else 0 if end.code is None else str(end.code)
                except BaseException as error:
                    code = f"raised {type(error).__name__}"
                    traceback.print_exc()
                finally:
                    self.watch.active = False
            used = time.process_time() - begin
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            return code, _text(out), _text(err), used, peak


def _build_once() -> None:
    """Let every call use the same command tree: making it anew takes longer than most files."""
    import typer.main

    from andante.cli import main as cli

    if isinstance(cli.app, typer.Typer):
        vars(cli)["app"] = typer.main.get_command(cli.app)


@contextmanager
def _captured(out: int, err: int) -> Iterator[None]:
    """Both outputs into files, at the level where libraries write too."""
    sys.stdout.flush()
    sys.stderr.flush()
    kept = os.dup(0), os.dup(1), os.dup(2)
    nothing = os.open(os.devnull, os.O_RDONLY)
    for source, target in ((nothing, 0), (out, 1), (err, 2)):
        os.dup2(source, target)
    os.close(nothing)
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = (open(number, "w", encoding="utf-8", closefd=False) for number in (1, 2))  # noqa: SIM115
    try:
        yield
    finally:
        for stream in (sys.stdout, sys.stderr):
            stream.close()
        sys.stdout, sys.stderr = before
        for target, source in enumerate(kept):
            os.dup2(source, target)
            os.close(source)


def _text(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read(MOST_READ).decode("utf-8", errors="replace")
