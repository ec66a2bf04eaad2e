"""A gait search in a process of its own: a job as JSON in its argument, events as JSON lines on its output.

Run as `python -m andante.session.search_process JOB`. A line on its input, or its end, stops the search; what is
finished is kept in the study, and a job of the same study goes on with it.
"""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from andante.errors import AndanteError, BadInput, UnknownName
from andante.search import Ended, Evaluated, Event, Notice, Record, Space, Started, StudyFolder
from andante.search.run import events
from andante.search.space import Real
from andante.tasks.gait import GaitTask, study_config

FIGURES = ("distance", "drift", "time", "fallen")


def candidate(record: Record, names: list[str]) -> dict[str, Any]:
    """A record as the node tells it; numbers that are unknown are null."""
    row = {name: record.figures.get(name) for name in FIGURES}
    return {
        "number": record.index,
        "values": [record.parameters.get(name) for name in names],
        "fitness": record.fitness,
        **row,
    }


def bounds(space: Space) -> tuple[list[str], list[float], list[float]]:
    """Names of the free parameters and the ends of their ranges."""
    free = [name for name in space.names if name not in space.frozen]
    ranges = [space.parameters[name] for name in free]
    return free, [float(getattr(r, "low", 0.0)) for r in ranges], [float(getattr(r, "high", 1.0)) for r in ranges]


def with_ranges(space: Space, ranges: Mapping[str, Sequence[float]]) -> Space:
    """The space with other ranges of some parameters."""
    found = dict(space.parameters)
    for name, (low, high) in ranges.items():
        if name not in found:
            raise UnknownName.among("parameter", name, found)
        parameter = found[name]
        if not isinstance(parameter, Real):
            raise BadInput(f"{name} has levels, not a range")
        found[name] = replace(parameter, low=low, high=high, levels=())
    return replace(space, parameters=found)


def run(job: dict[str, Any], stop: threading.Event, say: Any) -> None:
    """Make or open the study and run it until its budget is spent or somebody stops it."""
    path = Path(job["study"])
    if _is_study(path):
        folder = StudyFolder.open(path)
        budget: int | None = max(job["budget"], 0) or None
    else:
        task = GaitTask(
            job["robot"], job["engine"], job["variant"], seconds=job["seconds"], world=job["world"],
            fitness=job["fitness"],
        )  # fmt: skip
        config = study_config(task, job["sampler"], job["budget"], seed=job["seed"], options=job["options"])
        config = replace(config, space=with_ranges(config.space, job["ranges"]))
        folder, budget = StudyFolder.create(path, config), None
    names, low, high = bounds(folder.config.space)
    known = [candidate(record, names) for record in folder.records()]
    say({"op": "opened", "names": names, "low": low, "high": high, "sampler": folder.config.sampler, "known": known})
    stream = events(folder, budget=budget, workers=job["workers"])
    try:
        for event in stream:
            say(told(event, names))
            if stop.is_set():
                say({"op": "paused"})
                return
    finally:
        stream.close()  # type: ignore[attr-defined]


def told(event: Event, names: list[str]) -> dict[str, Any]:
    """An event as a JSON object."""
    match event:
        case Started():
            return {"op": "started", "done": event.known, "budget": event.budget}
        case Evaluated():
            rate = event.rate if event.rate == event.rate else 0.0
            return {"op": "evaluated", "done": event.done, "rate": rate, **candidate(event.record, names)}
        case Notice():
            return {"op": "notice", "text": event.text}
        case Ended():
            return {"op": "ended", "done": event.done}


def _is_study(path: Path) -> bool:
    try:
        StudyFolder.open(path)
    except AndanteError:
        return False
    return True


def main() -> None:
    """Run the job in the first argument."""
    stop = threading.Event()

    def listen() -> None:
        sys.stdin.readline()
        stop.set()

    def say(entry: dict[str, Any]) -> None:
        sys.stdout.write(json.dumps(entry) + "\n")
        sys.stdout.flush()

    threading.Thread(target=listen, daemon=True).start()
    try:
        run(json.loads(sys.argv[1]), stop, say)
    except AndanteError as error:
        say({"op": "failed", "message": str(error)})
    except BrokenPipeError:
        pass


if __name__ == "__main__":
    main()
