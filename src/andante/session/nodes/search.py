"""Gait search on the bus: start, pause, resume, watch, and let the robot walk with a candidate."""

from __future__ import annotations

import contextlib
import json
import math
import os
import queue
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from andante.bags import messages
from andante.child import Child
from andante.errors import BadInput, UnknownName
from andante.locomotion.wave.fitness import FITNESSES
from andante.locomotion.wave.model import SYMBOLS, waves
from andante.locomotion.wave.words import parameter_words
from andante.physics import ENGINES

from .node import Answer, LiveNode, plain_name

if TYPE_CHECKING:
    from andante.session.session import LiveSession

STOP_TIMEOUT = 10.0  # until a process that does not end is killed [s]
BEST, NEWEST = 20, 2000  # candidates that are told
EVERY = 20  # control periods between two looks at the process
MOST_BUDGET = 1_000_000
VARIANTS = ("smooth", "exact")
TRIAL = 6.0  # how long a candidate walks, unless told otherwise [s]

Candidate = messages.cls("andante_msgs/msg/SearchCandidate")


class SearchWorker:
    """One search process. `poll` gives what it has said since; nothing here waits but `close`."""

    def __init__(self, job: dict[str, Any]) -> None:
        self._child = Child("andante.session.search_process", json.dumps(job), told=True, heard=True)

    def poll(self) -> list[dict[str, Any]]:
        """What came since the last call, oldest first."""
        out: list[dict[str, Any]] = []
        with contextlib.suppress(queue.Empty):
            while True:
                line = self._child.said.get_nowait()
                with contextlib.suppress(ValueError):
                    out.append(json.loads(line) if line else {"op": "gone", "code": self._child.process.wait()})
        return out

    def ask_to_stop(self) -> None:
        """Let it end after the present candidate."""
        self._child.tell("stop\n")

    def close(self) -> None:
        """End it, by force if it does not by itself."""
        self.ask_to_stop()
        self._child.end(STOP_TIMEOUT, ask=False)


class SearchNode(LiveNode):
    """/search/start /search/pause /search/resume /search/replay, topic /search/state."""

    name = "search"

    def __init__(self, session: LiveSession) -> None:
        super().__init__(session)
        self._state = self.advertise("/search/state", "andante_msgs/msg/SearchState", latched=True)
        self.advertise_service("/search/start", "andante_msgs/srv/SearchStart", self._start)
        self.advertise_service("/search/pause", "std_srvs/srv/Trigger", self._pause)
        self.advertise_service("/search/resume", "std_srvs/srv/Trigger", self._resume)
        self.advertise_service("/search/replay", "andante_msgs/srv/SearchReplay", self._replay)
        self.lists = {"studies": self._studies, "samplers": _sampler_words, "gait_parameters": self._parameters}
        self._worker: SearchWorker | None = None
        self._job: dict[str, Any] = {}
        self._count, self._end = 0, ""
        self._forget()
        self._state.publish(self._told())

    def _forget(self) -> None:
        self.status, self.message = "idle", ""
        self._names: list[str] = []
        self._low: list[float] = []
        self._high: list[float] = []
        self._rows: dict[int, dict[str, Any]] = {}
        self._rate, self._budget, self._done, self._sampler = 0.0, 0, 0, ""

    @property
    def folder(self) -> Path:
        """Where studies are kept."""
        return self.session.folder / "studies"

    def _studies(self) -> dict[str, str]:
        found = sorted(p.name for p in self.folder.iterdir() if p.is_dir()) if self.folder.is_dir() else []
        return dict.fromkeys(found, "")

    def _parameters(self) -> dict[str, str]:
        """Numbers of the robot's wave gait in words; none for a robot without one."""
        return parameter_words() if waves(self.stage.robot) else {}

    # ---- services ----------------------------------------------------------------------------------
    def _start(self, request: Any) -> Answer:
        if self._worker is not None:
            raise BadInput("a search is running; pause it first")
        sampler = str(request.sampler) or "cmaes"
        if sampler not in _samplers():
            raise UnknownName.among("sampler", sampler, _samplers())
        budget = int(request.budget) or 200
        workers = int(request.workers) or 1
        seconds = float(request.seconds) or TRIAL
        if not (budget <= MOST_BUDGET and workers <= (os.cpu_count() or 1) and 0.5 <= seconds <= 60):
            raise BadInput(
                f"a search has up to {MOST_BUDGET} candidates, {os.cpu_count()} workers and trials of 0.5 to 60 s"
            )
        variant, fitness = str(request.variant) or "smooth", str(request.fitness) or "better"
        engine = str(request.engine) or self.session.choice.engine
        for what, chosen, known in (
            ("variant", variant, VARIANTS), ("fitness", fitness, FITNESSES), ("engine", engine, ENGINES),
        ):  # fmt: skip
            if chosen not in known:
                raise UnknownName.among(what, chosen, known)
        self.command_api.walker_gait()  # refuses robots without one
        name = plain_name(str(request.study), "study")
        self.folder.mkdir(parents=True, exist_ok=True)
        self._forget()
        self._job = {
            "study": str(self.folder / name), "robot": self.session.choice.robot_name, "world": "empty",
            "engine": engine, "sampler": sampler, "budget": budget, "seed": int(request.seed),
            "seconds": seconds, "workers": workers if workers > 1 else 0, "options": {},
            "variant": variant, "fitness": fitness, "ranges": _ranges(request),
        }  # fmt: skip
        self._begin()
        return {"message": f"{name}: {budget} candidates by {sampler}", "study": name}

    def _begin(self) -> None:
        self._worker, self._end = SearchWorker(self._job), ""
        self.status, self._budget, self._sampler = "running", self._job["budget"], self._job["sampler"]
        self._state.publish(self._told())

    def _pause(self, _: Any) -> str:
        if self._worker is None:
            raise BadInput("no search is running")
        self._worker.ask_to_stop()
        return "pauses after the current candidate"

    def _resume(self, _: Any) -> str:
        if self._worker is not None:
            raise BadInput("the search is running already, or has not paused yet")
        if not self._job:
            raise BadInput("nothing to resume; start a search")
        self._begin()
        return f"{Path(self._job['study']).name} goes on"

    def _replay(self, request: Any) -> str:
        row = self._rows.get(int(request.number))
        if row is None:
            raise BadInput(f"the study has no candidate {request.number}")
        values = {n: float(v) for n, v in zip(self._names, row["values"], strict=True) if v is not None}
        self.command_api.set_wave(values, self._job.get("variant", ""))
        self.command_api.start_wave()
        self.message = f"candidate {request.number} is replayed"
        return self.message

    # ---- the process -------------------------------------------------------------------------------
    def update(self) -> None:
        """Look at the process now and then; it is never waited for."""
        self._count += 1
        if self._worker is None or self._count % EVERY:
            return
        said = self._worker.poll()
        for entry in said:
            self._hear(entry)
        if said:
            self._state.publish(self._told())

    def _hear(self, entry: dict[str, Any]) -> None:
        match entry["op"]:
            case "opened":
                self._names, self._low, self._high = entry["names"], entry["low"], entry["high"]
                self._sampler = entry["sampler"]
                self._rows = {row["number"]: row for row in entry["known"]}
            case "started":
                self._done, self._budget = entry["done"], entry["budget"]
            case "evaluated":
                self._rows[entry["number"]] = entry
                self._done, self._rate = entry["done"], entry["rate"]
            case "notice":
                self.bus.log("warn", entry["text"], self.name)
            case "paused":
                self._end = "paused"
            case "ended":
                self._end, self._done = "done", entry["done"]
            case "failed":
                self._end, self.message = "failed", entry["message"]
                self.bus.log("error", entry["message"], self.name)
            case "gone":  # only now another one can start
                self.status = self._end or "failed"
                if not self._end:
                    self.message = f"the search process exited with code {entry['code']}"
                    self.bus.log("error", self.message, self.name)
                if self._worker is not None:
                    self._worker.close()
                self._worker = None
                self.bus.log("info", f"search {self.status}: {self._done} candidates", self.name)

    def _told(self) -> Any:
        rows = sorted(self._rows.values(), key=lambda row: row["number"])
        fit = [row for row in rows if row["fitness"] is not None]
        best = sorted(fit, key=lambda row: -row["fitness"])[:BEST]
        shown = rows[-NEWEST:]
        return messages.make(
            "andante_msgs/msg/SearchState",
            status=self.status,
            message=self.message,
            study=Path(self._job["study"]).name if self._job else "",
            robot=str(self._job.get("robot", "")),
            sampler=self._sampler,
            budget=self._budget,
            evaluated=self._done,
            rate=self._rate,
            parameters=self._names,
            low=np.array(self._low, dtype=float),
            high=np.array(self._high, dtype=float),
            best=[_candidate(row) for row in best],
            numbers=np.array([row["number"] for row in shown], dtype=np.uint32),
            values=np.array([_number(v) for row in shown for v in row["values"]], dtype=float),
            fitness=np.array([_number(row["fitness"]) for row in shown], dtype=float),
        )

    def close(self) -> None:
        """End the process; the study stays."""
        if self._worker is not None:
            self._worker.close()
            self._worker = None
        super().close()


def _ranges(request: Any) -> dict[str, tuple[float, float]]:
    """Ranges of a request that are other than usual, by symbol."""
    names, low, high = ([*values] for values in (request.parameters, request.low, request.high))
    if not len(names) == len(low) == len(high):
        raise BadInput(f"{len(names)} parameters need as many ends of ranges, got {len(low)} and {len(high)}")
    found = {}
    for name, first, last in zip(map(str, names), map(float, low), map(float, high), strict=True):
        if name not in SYMBOLS:
            raise UnknownName.among("wave parameter", name, SYMBOLS)
        if not (math.isfinite(first) and math.isfinite(last) and first < last):
            raise BadInput(f"the range of {name} goes from a number to a greater one, got {first:g} to {last:g}")
        found[name] = (first, last)
    return found


def _number(value: Any) -> float:
    return math.nan if value is None or isinstance(value, str) else float(value)


def _candidate(row: dict[str, Any]) -> Any:
    return Candidate(
        row["number"],
        np.array([_number(v) for v in row["values"]], dtype=float),
        _number(row["fitness"]),
        _number(row["distance"]),
        _number(row["drift"]),
        _number(row["time"]),
        bool(row["fallen"]),
    )


SAMPLER_WORDS = {
    "cmaes": "covariance matrix adaptation: learns which numbers go together",
    "random": "anywhere in the ranges",
    "grid": "evenly over the ranges",
    "tpe": "tree of Parzen estimators: models where good ones lie",
    "nsga2": "a population that is crossed and mutated",
}


def _sampler_words() -> dict[str, str]:
    return {name: SAMPLER_WORDS.get(name, "") for name in _samplers()}


def _samplers() -> tuple[str, ...]:
    """Names of all samplers; imported when somebody searches, as a session opens more quickly without."""
    from andante.search import SAMPLERS

    return SAMPLERS
