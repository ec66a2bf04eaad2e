"""Run the commands one after the other, never two at once, and store each as soon as it has ended."""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ET
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from .machine import machine
from .model import Run
from .store import ROOT, Stored, commit_now, save

PATIENCE, GRACE = 4.0, 180.0  # a run is given up after PATIENCE times its time and GRACE seconds more
TESTS = ("-m", "pytest", "-n", "2", "--dist", "worksteal", "-p", "no:cacheprovider")


class Trouble(Exception):
    """A command gave nothing that could be read; the message says why."""


def carry_out(run: Run) -> Stored:
    """Make one run, whatever comes of it."""
    commit, load = commit_now(), os.getloadavg()[0]
    date = datetime.now(UTC).strftime("%Y-%m-%d %H:%M")
    begin, used = time.perf_counter(), _children()
    output, failure = None, ""
    with tempfile.TemporaryDirectory(prefix="andante-results-") as folder:
        try:
            output = tests_of(run, Path(folder)) if not run.command else answer_of(run, Path(folder))
        except Trouble as error:
            failure = clean(str(error), folder)
        output = cleaned(output, folder)
    return Stored(
        run.name, run.shown, commit, date, load, time.perf_counter() - begin, _children() - used, output, failure,
        machine(),
    )  # fmt: skip


def run_all(runs: Sequence[Run], folder: Path) -> list[Stored]:
    """All runs with a bar; each is stored when it ends, so that a stop loses only the one under way."""
    done = []
    with _bar(runs) as step:
        for run in runs:
            step(run, None)
            stored = carry_out(run)
            save(stored, folder)
            done.append(stored)
            step(run, stored)
    return done


# ---- commands --------------------------------------------------------------------------------------
def words_of(run: Run, folder: Path) -> list[str]:
    """The command as it is started: by this interpreter, `$OUT` replaced by a folder."""
    first, *rest = (word.replace("$OUT", str(folder)) for word in run.command)
    if first == "andante":
        return [sys.executable, "-m", "andante", *rest]
    return [sys.executable, *rest] if first == "python" else [first, *rest]


def answer_of(run: Run, folder: Path) -> Any:
    """The JSON that the command prints."""
    code, out, said = _start(words_of(run, folder), run.minutes)
    if code != 0:
        raise Trouble(f"ended with code {code}: {_last(said) or _last(out) or 'no words'}")
    return kept(parsed(out), run)


def parsed(text: str) -> Any:
    """The JSON of an output: all of it, or its last line."""
    for part in (text, _last(text)):
        try:
            return json.loads(part)
        except json.JSONDecodeError:
            continue
    raise Trouble(f"no JSON but {_last(text)[:200]!r}")


def kept(output: Any, run: Run) -> Any:
    """The entries that are worth storing."""
    if not run.keep:
        return output
    missing = [key for key in run.keep if key not in output]
    if missing:
        raise Trouble(f"the output has no {missing[0]!r}; it has {', '.join(output)}")
    return {key: output[key] for key in run.keep}


def _start(words: list[str], minutes: float) -> tuple[int, str, str]:
    """Code, stdout and stderr of a process; it and all that it started end with this one, or when time is up."""
    process = subprocess.Popen(
        words, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
        preexec_fn=_end_with_parent,
    )  # fmt: skip
    limit = PATIENCE * 60 * minutes + GRACE
    try:
        out, said = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        _end(process)
        raise Trouble(f"given up after {limit:.0f} s") from None
    except BaseException:
        _end(process)
        raise
    return process.returncode, out, said


def _end_with_parent() -> None:
    """Linux: the process ends when this one is killed."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(1, signal.SIGTERM)


def _end(process: subprocess.Popen[str]) -> None:
    """End a process and its group."""
    for number, wait in ((signal.SIGTERM, 5.0), (signal.SIGKILL, 5.0)):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(wait)
            return


# ---- tests -----------------------------------------------------------------------------------------
def tests_of(run: Run, folder: Path) -> dict[str, dict[str, int]]:
    """How many cases of each test function passed, failed and were skipped."""
    report = folder / "tests.xml"
    words = [sys.executable, *TESTS, f"--junitxml={report}", *run.tests]
    code, out, said = _start(words, run.minutes)
    if code not in (0, 1) or not report.is_file():
        raise Trouble(f"pytest ended with code {code}: {_last(said) or _last(out)}")
    return counted(ET.parse(report).getroot(), run.tests)


def counted(report: ET.Element, tests: Sequence[str]) -> dict[str, dict[str, int]]:
    """Cases by test function, from a JUnit report."""
    counts = {test: {"passed": 0, "failed": 0, "skipped": 0} for test in tests}
    names = {}
    for test in tests:
        file, _, function = test.partition("::")
        names[file.removesuffix(".py").replace("/", "."), function] = test
    for case in report.iter("testcase"):
        test = names.get((case.get("classname", ""), case.get("name", "").partition("[")[0]))
        if test is None:
            continue
        kinds = {child.tag for child in case}
        outcome = "failed" if kinds & {"failure", "error"} else "skipped" if "skipped" in kinds else "passed"
        counts[test][outcome] += 1
    return {test: count for test, count in counts.items() if any(count.values())}


# ---- what is stored --------------------------------------------------------------------------------
def clean(text: str, folder: str) -> str:
    """Without places of this machine."""
    named = {folder: "$OUT", os.environ.get("ANDANTE_DATASETS", ""): "$ANDANTE_DATASETS", str(ROOT): ".",
             str(ROOT.parent): "..", str(Path.home()): "~"}  # fmt: skip
    for place, name in named.items():
        if len(place) > 1:
            text = text.replace(place, name)
    return text


def cleaned(value: Any, folder: str) -> Any:
    """The same in all texts of a JSON value."""
    if isinstance(value, dict):
        return {clean(str(key), folder): cleaned(each, folder) for key, each in value.items()}
    if isinstance(value, list):
        return [cleaned(each, folder) for each in value]
    return clean(value, folder) if isinstance(value, str) else value


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _last(text: str) -> str:
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1].strip() if lines else ""


@contextlib.contextmanager
def _bar(runs: Sequence[Run]) -> Iterator[Any]:
    """A function that is told which run begins, and what came of it."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    console = Console(stderr=True, soft_wrap=True)
    columns = (TextColumn("{task.description:24}"), BarColumn(), TimeElapsedColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, disable=not console.is_terminal) as progress:
        task = progress.add_task("", total=sum(run.minutes for run in runs))

        def step(run: Run, stored: Stored | None) -> None:
            if stored is None:
                progress.update(task, description=run.name)
                return
            progress.advance(task, run.minutes)
            words = f"FAILED: {stored.failure}" if stored.failure else "done"
            spent = (
                f"{stored.seconds:6.1f} s, {stored.processor_seconds:6.1f} s of processor time, load {stored.load:.1f}"
            )
            console.print(f"{run.name:20} {spent}  {words}", markup=False, highlight=False)

        yield step
