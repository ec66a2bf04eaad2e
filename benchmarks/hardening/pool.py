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
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

from .cases import Case, controls, make_case
from .contract import TRACE, faults
from .runner import Runner

MEMORY = 3 << 30  # of a case, beyond what the process has before it [bytes]
PROCESSOR, CLOCK = 20.0, 240.0  # of a case [s]
LARGE = (
    "matplotlib.pyplot",
    "mujoco",
    "numba",
    "trimesh",
    "andante.tasks.gait",
    "andante.session.launch_run",
)
AHEAD = 12  # cases that a process is given at once
TURNS = 3000  # cases after which a process is replaced

Row = dict[str, Any]


@dataclass
class Worker:
    """A process and what it is at: the first number, and those that it has been given beyond."""

    process: Any
    pipe: Connection
    given: deque[tuple[int, int]] = field(default_factory=deque)  # number, attempt
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

    def run(self, numbers: Iterable[int]) -> Iterator[Row]:
        """A row per case, in the order in which they end."""
        waiting = deque((number, 0) for number in numbers)
        self._workers = [self._start(k) for k in range(self.count)]
        try:
            while waiting or any(worker.given for worker in self._workers):
                for k, worker in enumerate(self._workers):
                    if worker.turns >= TURNS and not worker.given:
                        self._end(worker)
                        self._workers[k] = self._start(k)
                    while worker.ready and waiting and len(worker.given) < AHEAD and worker.turns < TURNS:
                        self._give(worker, *waiting.popleft())
                found = wait([worker.pipe for worker in self._workers], timeout=0.5)
                for k, worker in enumerate(self._workers):
                    for row in self._hear(worker, worker.pipe in found):
                        if "lost" in row:
                            waiting.extendleft(reversed(worker.given))
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
        if not worker.given:
            self._clock(worker)
        worker.given.append((number, attempt))
        worker.turns += 1
        worker.pipe.send(number)

    def _clock(self, worker: Worker) -> None:
        worker.begun, worker.used = time.monotonic(), _processor_time(worker.process.pid)

    def _hear(self, worker: Worker, news: bool) -> list[Row]:
        """The rows of cases that have ended, by themselves or by us."""
        rows: list[Row] = []
        try:
            while news and worker.pipe.poll():
                row = worker.pipe.recv()
                if row is None:
                    worker.ready = True
                    continue
                _, attempt = worker.given.popleft()
                rows.append({**row, "attempt": attempt})
                self._clock(worker)
        except (EOFError, OSError):
            worker.process.join(5)
            if not worker.given:
                raise RuntimeError(f"a worker ended with {worker.process.exitcode} before its first case") from None
            return [*rows, self._lost(worker, f"died with {worker.process.exitcode}", "died")]
        if not worker.given or rows:
            return rows
        fraction = 1 + worker.given[0][1]
        late = time.monotonic() - worker.begun > fraction * CLOCK
        if late or _processor_time(worker.process.pid) - worker.used > fraction * PROCESSOR:
            return [self._lost(worker, f"longer than {fraction * PROCESSOR:g} s", "time")]
        return rows

    def _lost(self, worker: Worker, why: str, code: str) -> Row:
        number, attempt = worker.given.popleft()
        worker.turns = 0
        case = case_of(pickle.loads(self.seeds.read_bytes()), self.seed, number)
        row = {**about(case), "code": code, "faults": [why], "seconds": time.monotonic() - worker.begun, "peak": 0.0}
        return {**row, "said": "", "lost": True, "attempt": attempt}

    def _end(self, worker: Worker) -> None:
        worker.process.kill()
        worker.process.join(10)
        worker.pipe.close()


def work(pipe: Connection, folder: Path, seeds: Path, seed: int, failures: Path) -> None:
    """Run cases as their numbers come."""
    known = pickle.loads(seeds.read_bytes())
    runner = Runner(folder)
    _load()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    pipe.send(None)
    while True:
        try:
            number = pipe.recv()
        except EOFError:
            return
        case = case_of(known, seed, number)
        limit_memory(MEMORY)
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


def limit_memory(more: int) -> None:
    """Let the process grow by so many bytes; what earlier cases have left behind is no fault of the next one."""
    try:
        have = int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        have = 4 << 30
    resource.setrlimit(resource.RLIMIT_AS, (have + more, resource.RLIM_INFINITY))


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
