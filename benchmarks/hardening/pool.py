"""Processes that run cases, watched from outside: one that takes too long or dies is replaced, and told."""

from __future__ import annotations

import importlib
import multiprocessing
import os
import pickle
import resource
import shutil
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

from .cases import Case, controls, make_case
from .contract import TRACE, faults
from .runner import Runner

MEMORY = 3 << 30  # beyond what the process has after its start [bytes]
PROCESSOR, CLOCK = 20.0, 240.0  # of a case [s]
LARGE = (
    "matplotlib.pyplot",
    "mujoco",
    "numba",
    "trimesh",
    "andante.runtime.gait_job",
    "andante.runtime.live.launch_run",
)
TURNS = 1500  # cases after which a process is replaced

Row = dict[str, Any]


@dataclass
class Worker:
    """A process and what it is at."""

    process: Any
    pipe: Connection
    number: int | None = None
    attempt: int = 0
    begun: float = 0.0
    used: float = 0.0
    turns: int = 0
    ready: bool = False


@dataclass
class Pool:
    """Runs the cases of a seed by their numbers (below 0: controls) in some processes."""

    folder: Path  # scratch; failures are kept in failures/
    seeds: Path  # pickled list
    seed: int
    count: int = 2
    _workers: list[Worker] = field(default_factory=list)

    def run(self, numbers: Iterable[int], tick: Callable[[], None] = lambda: None) -> Iterator[Row]:
        """A row per case, in the order in which they end."""
        waiting = deque((number, 0) for number in numbers)
        self._workers = [self._start(k) for k in range(self.count)]
        try:
            while waiting or any(w.number is not None for w in self._workers):
                for k, worker in enumerate(self._workers):
                    if worker.ready and worker.number is None and waiting:
                        if worker.turns >= TURNS:
                            self._end(worker)
                            worker = self._workers[k] = self._start(k)
                            continue
                        self._give(worker, *waiting.popleft())
                found = wait([w.pipe for w in self._workers], timeout=0.5)
                tick()
                for k, worker in enumerate(self._workers):
                    row = self._hear(worker, worker.pipe in found)
                    if row is None:
                        continue
                    if row["faults"] and ("lost" in row or row["code"] == "time"):
                        self._end(worker)
                        self._workers[k] = self._start(k)
                        if row["attempt"] == 0:
                            waiting.appendleft((row["number"], 1))
                            continue
                    yield row
        finally:
            for worker in self._workers:
                self._end(worker)

    def _start(self, place: int) -> Worker:
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        folder = self.folder / f"w{place}"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        process = context.Process(
            target=work, args=(theirs, folder, self.seeds, self.seed, self.folder / "failures"), daemon=True
        )
        process.start()
        theirs.close()
        return Worker(process, ours)

    def _give(self, worker: Worker, number: int, attempt: int) -> None:
        worker.number, worker.attempt, worker.begun = number, attempt, time.monotonic()
        worker.used, worker.turns = _processor_time(worker.process.pid), worker.turns + 1
        worker.pipe.send(number)

    def _hear(self, worker: Worker, news: bool) -> Row | None:
        """The row of a case that has ended, by itself or by us."""
        try:
            if news:
                row = worker.pipe.recv()
                if row is None:
                    worker.ready = True
                    return None
                worker.number = None
                return {**row, "attempt": worker.attempt}
        except (EOFError, OSError):
            worker.process.join(5)
            if worker.number is None:
                raise RuntimeError(f"a worker ended with {worker.process.exitcode} before its first case") from None
            return self._lost(worker, f"died with {worker.process.exitcode}", "died")
        if worker.number is None:
            return None
        share = 1 + worker.attempt
        if (
            _processor_time(worker.process.pid) - worker.used > share * PROCESSOR
            or time.monotonic() - worker.begun > share * CLOCK
        ):
            return self._lost(worker, f"longer than {share * PROCESSOR:g} s", "time")
        return None

    def _lost(self, worker: Worker, why: str, code: str) -> Row:
        number, worker.number = worker.number, None
        assert number is not None
        case = case_of(pickle.loads(self.seeds.read_bytes()), self.seed, number)
        used = time.monotonic() - worker.begun
        return {
            **about(case),
            "code": code,
            "faults": [why],
            "seconds": used,
            "peak": 0.0,
            "said": "",
            "lost": True,
            "attempt": worker.attempt,
        }

    def _end(self, worker: Worker) -> None:
        worker.process.kill()
        worker.process.join(10)
        worker.pipe.close()


def work(pipe: Connection, folder: Path, seeds: Path, seed: int, failures: Path) -> None:
    """Run cases as their numbers come."""
    known = pickle.loads(seeds.read_bytes())
    runner = Runner(folder)
    _load()
    _limit()
    pipe.send(None)
    while True:
        try:
            number = pipe.recv()
        except EOFError:
            return
        case = case_of(known, seed, number)
        ran = runner.run(case)
        wrong = faults(case, ran)
        where = ""
        if wrong:
            again = runner.run(case, debug=True, keep=True)
            where = _place(again.err)
            kept = failures / str(number)
            shutil.rmtree(kept, ignore_errors=True)
            shutil.copytree(folder / f"c{number}", kept, ignore=shutil.ignore_patterns("fifo.stl"), symlinks=True)
            shutil.rmtree(folder / f"c{number}", ignore_errors=True)
            told = [" ".join(case.words(kept)), f"code {ran.code}", *wrong, "", ran.err[-4000:], "", again.err[-8000:]]
            (kept / "told.txt").write_text("\n".join(told), encoding="utf-8", errors="backslashreplace")
        said = " ".join(ran.err.split())[:200]
        row = {
            **about(case),
            "code": ran.code,
            "faults": wrong,
            "seconds": round(ran.seconds, 3),
            "peak": round(ran.peak),
            "said": said,
        }
        pipe.send({**row, "where": where} if wrong else row)


def about(case: Case) -> Row:
    """What a row tells of its case."""
    return {
        "number": case.number,
        "kind": case.kind,
        "seed": case.seed,
        "command": " ".join(case.command),
        "mutations": list(case.mutations),
    }


def case_of(seeds: list[Any], seed: int, number: int) -> Case:
    """The case of a number; below 0 a control."""
    return controls(seeds)[-1 - number] if number < 0 else make_case(seeds, seed, number)


def _load() -> None:
    """The large parts, before the memory is limited."""
    for name in LARGE:
        importlib.import_module(name)


def _limit() -> None:
    have = 0
    try:
        have = int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        have = 4 << 30
    resource.setrlimit(resource.RLIMIT_AS, (have + MEMORY, have + MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _processor_time(pid: int) -> float:
    """Used by a process so far [s]; 0 where the system does not tell."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    except (OSError, IndexError, ValueError):
        return 0.0


def _place(err: str) -> str:
    """The last line of our own code in a traceback, and the error."""
    if TRACE not in err:
        return ""
    lines = err.strip().splitlines()
    ours = [
        line.split("andante/")[-1].replace('", line ', ":").split(",")[0]
        for line in lines
        if "/andante/" in line and "File" in line
    ]
    return f"{ours[-1] if ours else '?'} {lines[-1][:120]}"
