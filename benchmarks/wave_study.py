"""What a plain CMA-ES makes of the wave gait, and how well the gaits that ship hold: all by the simulator's truth.

python benchmarks/wave_study.py search [exact | smooth] [--minutes M] [--budget N] [--workers K] [--seed N]
       [--robust] [--start FILE.json --sigma S] [-o FILE.json]
python benchmarks/wave_study.py hold [exact | smooth] [FILE.json]   # step sizes, friction, strides, engines
python benchmarks/wave_study.py choose [exact | smooth] STUDY       # the best of an `andante gait search` under changes
"""

from __future__ import annotations

import argparse
import json
import math
import multiprocessing
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from andante.description import load_robot, load_world
from andante.experiments.perturbed import with_friction, world_with_friction
from andante.locomotion.wave.fitness import statistics
from andante.locomotion.wave.model import WaveParameters, default_gait
from andante.physics.registry import ENGINES, installed
from andante.robots.nao.experiments.objective import WaveObjective
from andante.robots.nao.experiments.trial import WaveTrial
from andante.search import StudyFolder

ROBUST = {"trials": 4, "friction": [0.6, 1.0], "mass": 0.03, "pose": 0.01, "push": 0.2, "stride": [0.4, 1.0]}
EXTRAS = ("f_r", "w_k", "c_a", "p_h")
POPULATION = 16

_objective: WaveObjective | None = None


def arguments_of(variant: str, robust: bool) -> dict[str, Any]:
    """How the objective of a study is made."""
    if variant == "exact":
        return {"variant": variant, "robust": {**ROBUST, "stride": [1.0, 1.0]} if robust else None}
    return {"variant": variant, "robust": ROBUST if robust else None, "extras": EXTRAS}


def begin(arguments: dict[str, Any]) -> None:
    """Build the objective of a worker."""
    global _objective
    _objective = WaveObjective(**arguments)


def evaluate(job: tuple[dict[str, float], int]) -> dict[str, Any]:
    """One candidate in a worker."""
    assert _objective is not None
    return _objective.evaluate(*job)


def search(told: argparse.Namespace) -> None:
    """CMA-ES from the middle of the ranges, or from a gait."""
    from cmaes import CMA

    arguments = arguments_of(told.variant, told.robust)
    space = WaveObjective(**arguments).space
    middle = np.full(space.dimensions, 0.5)
    if told.start is not None:
        middle = space.encode(json.loads(told.start.read_text(encoding="utf-8"))["parameters"])
    optimizer = CMA(
        mean=middle,
        sigma=told.sigma,
        bounds=np.tile([0.0, 1.0], (space.dimensions, 1)),
        seed=told.seed,
        population_size=POPULATION,
    )
    start, count, best = time.perf_counter(), 0, -math.inf
    with multiprocessing.get_context("spawn").Pool(told.workers, begin, (arguments,)) as pool:
        while count < told.budget and time.perf_counter() - start < 60 * told.minutes and not optimizer.should_stop():
            places = [optimizer.ask() for _ in range(POPULATION)]
            candidates = [space.decode(place) for place in places]
            found = pool.map(evaluate, [(each, count + k) for k, each in enumerate(candidates)], chunksize=1)
            optimizer.tell([(place, -result["fitness"]) for place, result in zip(places, found, strict=True)])
            count += POPULATION
            top = max(range(POPULATION), key=lambda k: found[k]["fitness"])
            if found[top]["fitness"] > best:
                best = found[top]["fitness"]
                if told.out is not None:
                    best_so_far = {"parameters": candidates[top], "candidates": count, **found[top]}
                    told.out.write_text(json.dumps(best_so_far, indent=1) + "\n", encoding="utf-8")
            print(
                f"{count:6} candidates {time.perf_counter() - start:6.0f} s  best {best:+.3f}  "
                f"now {found[top]['distance']:.3f} m ahead {found[top]['drift']:+.3f} m aside, "
                f"{sum(each['fallen'] for each in found)} of {POPULATION} fell",
                flush=True,
            )
    print(f"{count} candidates, {count / (time.perf_counter() - start):.1f} a second")


def choose(variant: str, study: Path) -> None:
    """The best twelve of a study, each by six trials that differ; one line per candidate."""
    objective = WaveObjective(
        variant=variant,
        robust={"trials": 6, "friction": [0.6, 1.0], "mass": 0.05, "pose": 0.02, "push": 0.3},
        extras=EXTRAS if variant == "smooth" else (),
    )
    records = [record for record in StudyFolder.open(study).records() if record.fitness is not None]
    for record in sorted(records, key=lambda record: -(record.fitness or 0.0))[:12]:
        found = objective.evaluate(dict(record.parameters), 0)
        print(
            f"candidate {record.index:5} fitness {record.fitness:.3f}: with changes mean {found['fitness']:+.3f}, "
            f"worst {found['worst']:+.3f}, {found['falls']} of 6 fell, {found['distance']:.3f} m ahead",
            flush=True,
        )


def scenes() -> Iterator[tuple[str, dict[str, Any], float]]:
    """A label, how the trial is made, and the stride."""
    for dt in (0.001, 0.002, 0.003, 0.004):
        yield f"step {1e3 * dt:g} ms", {"dt": dt}, 1.0
    robot, world = load_robot("nao"), load_world("empty")
    for mu in (0.6, 0.7, 0.8, 0.9, 1.0):
        scene = {"robot": with_friction(robot, mu), "world": world_with_friction(world, mu)}
        yield f"friction {mu:g}", scene, 1.0
    for stride in (0.25, 0.5, 0.75):
        yield f"stride {stride:g}", {}, stride
    for name, entry in ENGINES.items():
        if installed(entry) and name != "mujoco":
            yield name, {"engine": name}, 1.0


def hold(variant: str, file: Path | None) -> None:
    """One line per scene."""
    if file is None:
        parameters = default_gait(variant).parameters
    else:
        parameters = WaveParameters.of(json.loads(file.read_text(encoding="utf-8"))["parameters"])
    for label, scene, stride in scenes():
        if variant == "exact" and stride != 1.0:
            continue
        trial = WaveTrial(**scene)
        s = statistics(trial.run(parameters, variant, stride=stride))
        trial.close()
        state = f"fallen after {s.time:.1f} s" if s.fallen else "up"
        print(
            f"{label:14} {s.along:+.3f} m ahead {s.aside:+.3f} m aside, turned {math.degrees(s.turned):+6.1f} deg, "
            f"wobble {math.degrees(s.wobble):4.1f} deg, {s.energy:5.1f} J  {state}",
            flush=True,
        )


def main() -> None:
    """Read the words and do it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("search", "hold", "choose"))
    parser.add_argument("variant", nargs="?", default="smooth", choices=("exact", "smooth"))
    parser.add_argument("file", nargs="?", type=Path)
    parser.add_argument("--minutes", type=float, default=30.0)
    parser.add_argument("--budget", type=int, default=1_000_000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--start", type=Path)
    parser.add_argument("--sigma", type=float, default=0.2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--robust", action="store_true")
    parser.add_argument("-o", "--out", type=Path)
    told = parser.parse_args()
    if told.what == "search":
        search(told)
    elif told.what == "hold":
        hold(told.variant, told.file)
    elif told.file is None:
        parser.error("choose needs the folder of a study")
    else:
        choose(told.variant, told.file)


if __name__ == "__main__":
    main()
