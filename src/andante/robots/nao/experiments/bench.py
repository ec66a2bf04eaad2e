"""`andante bench gait`: trials of a gait search beside bare stepping of the same motion, and candidates a second.

A trial (targets, restore, commands, steps, measuring, looking for a fall) is compared with a loop of
raw engine calls that plays the same references for the same simulated time from the same state; both sides take turns
and the ratio is the median over pairs, in CPU time, as `bench physics` does it. MuJoCo walks the shipped gait; engines
on which that falls would do less work, so the others mark time on the spot.

The last rows search: two processes evaluate candidates of which half fall, 6 s each. The rate is told by the wall clock
and by CPU time (what two cores of its own would give), each of the best of several rounds, since others use this
machine's processors too; the baseline is what is asked for, 20 a second.
"""

from __future__ import annotations

import multiprocessing
import sys
import time
from collections.abc import Callable

import numpy as np

from andante.bench.physics import BARE, Unequal, take_turns
from andante.bench.rows import Row
from andante.geometry import Array
from andante.locomotion.wave.gait import Playback, playback
from andante.locomotion.wave.model import WaveModel, WaveParameters, default_gait
from andante.physics.registry import ENGINES, installed
from andante.robots.nao.experiments.objective import WaveObjective
from andante.robots.nao.experiments.trial import WaveTrial

LONG, SHORT = 6.0, 1.0  # a trial on MuJoCo and on the slower engines [s]
PROCESSES = 2
ROUNDS = 6  # of a search
ASKED = 20.0  # candidates a second
SAME_PLACE = 0.005  # where both sides end [m]
STEPPING = {"A_h": 0.0, "A_k": 6.0, "A_a": 0.0, "b": 8.0, "s_h": -24.0, "s_k": 40.0, "s_a": -18.0}


def run(seconds: float, quiet: bool) -> tuple[Row, ...]:
    """A row per engine, twice `seconds` pairs of trials each; then the search."""
    rows = []
    for name, entry in ENGINES.items():
        if installed(entry):
            rows.append(measure(name, max(3, round(2 * seconds))))
        elif not quiet:
            sys.stderr.write(f"left out: trial ({name}): the package {entry.distribution} is not installed\n")
    return (*rows, *search(max(4, 4 * round(seconds))))


def motion_for(engine: str) -> tuple[WaveParameters, float]:
    """What is played on an engine, and for how long [s]."""
    shipped = default_gait("smooth").parameters
    if engine == "mujoco":
        return shipped, LONG
    return WaveParameters.of(STEPPING, shipped), SHORT


def measure(engine: str, pairs: int) -> Row:
    """Simulated seconds per CPU second of a trial, beside the bare loop."""
    parameters, seconds = motion_for(engine)
    ours, other = WaveTrial(engine=engine), WaveTrial(engine=engine)
    try:
        bare = bare_trial(other, parameters, seconds)
        ours.run(parameters, "smooth", seconds)
        bare()
        times = take_turns((lambda _: walk(ours, parameters, seconds), lambda _: bare()), [np.zeros(0)], pairs)
        _compare(engine, ours, other)
    finally:
        ours.close()
        other.close()
    baseline = seconds / float(times[1].min())
    return Row(f"trial ({engine})", baseline * float(np.median(times[1] / times[0])), baseline, "x real time")


def command_steps(played: Playback, dt: float, steps: int) -> dict[int, Array]:
    """Before which step each target is commanded; of several for one step the last counts."""
    at = np.round(played.times / dt).astype(int).tolist()
    return {step: target for step, target in zip(at, played.targets, strict=True) if step < steps}


def walk(trial: WaveTrial, parameters: WaveParameters, seconds: float) -> None:
    """Andante's side: a whole trial."""
    if trial.run(parameters, "smooth", seconds).fallen:
        raise Unequal(f"trial ({trial.engine.name}): the robot fell, so the sides did different work")


def references_of(trial: WaveTrial, parameters: WaveParameters, seconds: float) -> tuple[Array, np.ndarray]:
    """Servo references (steps, joints) [rad] of a trial, slewed at the joints' speed limits, and which rows are new."""
    engine, steps = trial.engine, round(seconds / trial.engine.dt)
    played = playback(WaveModel(trial.robot, parameters), trial.start, seconds)
    commands = command_steps(played, engine.dt, steps)
    current = engine.commands[trial.model]
    stride = engine.gains[trial.model].velocity * engine.dt
    rows, new = np.empty((steps, len(trial.start))), np.zeros(steps, dtype=bool)
    now = goal = trial.start
    for step in range(steps):
        if step in commands:
            goal = np.clip(commands[step], current.lower, current.upper)
        gap = goal - now
        far = np.abs(gap) > stride
        new[step] = bool(gap.any())
        now = np.where(far, now + np.clip(gap, -stride, stride), goal)
        rows[step] = now
    return rows, new


def bare_trial(trial: WaveTrial, parameters: WaveParameters, seconds: float) -> Callable[[], None]:
    """The same motion by raw calls: one command per change of the references, nothing measured."""
    rows, new = references_of(trial, parameters, seconds)
    new[0] = True
    begins = np.flatnonzero(new)
    lengths = np.diff([*begins, len(rows)])
    plays = {int(n): BARE[trial.engine.name](trial.engine, trial.model, int(n)) for n in np.unique(lengths)}
    parts = [(plays[int(n)], rows[b : b + 1]) for b, n in zip(begins, lengths, strict=True)]

    def play() -> None:
        trial.rewind()
        for one, row in parts:
            one(row)

    return play


def _compare(engine: str, ours: WaveTrial, bare: WaveTrial) -> None:
    """Both sides end at the same place: else they did not do the same work."""
    places: list[Array] = []
    for trial in (ours, bare):
        trial.engine.restore(trial.engine.snapshot())  # stepped behind its back
        places.append(trial.engine.base_pose(trial.model)[:3])
    gap = float(np.linalg.norm(places[0] - places[1]))
    if not gap < SAME_PLACE:
        raise Unequal(f"trial ({engine}): the sides end {gap:.4f} m from each other")


# ---- the search ------------------------------------------------------------------------------------
def candidates(count: int) -> list[dict[str, float]]:
    """Shipped gaits a little changed, every second one leaning so far that it falls."""
    usual = default_gait("smooth").parameters.symbols()
    rng = np.random.default_rng(0)
    out = []
    for k in range(count):
        near = {**usual, "A_k": usual["A_k"] * rng.uniform(0.98, 1.02), "T": usual["T"] * rng.uniform(0.995, 1.005)}
        out.append(near if k % 2 == 0 else {**near, "s_h": near["s_h"] - rng.uniform(14.0, 24.0)})
    return out


_objective: WaveObjective | None = None


def _begin() -> None:
    global _objective
    _objective = WaveObjective()
    _objective.evaluate(default_gait("smooth").parameters.symbols())


def _evaluate(parameters: dict[str, float]) -> tuple[bool, float, float]:
    """Whether it fell, simulated time and CPU time [s]."""
    if _objective is None:
        _begin()
    assert _objective is not None
    start = time.process_time()
    found = _objective.evaluate(parameters)
    return bool(found["fallen"]), float(found["time"]), time.process_time() - start


def search(count: int) -> tuple[Row, ...]:
    """Candidates a second of two processes, by the wall clock and by their own CPU time."""
    jobs = candidates(count)
    with multiprocessing.get_context("spawn").Pool(PROCESSES, _begin) as pool:
        pool.map(_evaluate, jobs[: 2 * PROCESSES], chunksize=1)
        rounds = []
        for _ in range(ROUNDS):
            start = time.perf_counter()
            rounds.append(search_rows(pool.map(_evaluate, jobs, chunksize=1), time.perf_counter() - start))
    return tuple(max(rows, key=lambda row: row.andante) for rows in zip(*rounds, strict=True))


def search_rows(found: list[tuple[bool, float, float]], spent: float) -> tuple[Row, ...]:
    """Rows of what was found in a time by the wall clock [s]."""
    fell = sum(fallen for fallen, _, _ in found)
    if not 0.35 * len(found) <= fell <= 0.65 * len(found):
        raise Unequal(f"search: {fell} of {len(found)} candidates fell; about half should")
    cpu = sum(used for _, _, used in found)
    return (
        Row("search, half fall (wall clock)", len(found) / spent, ASKED, "candidates/s"),
        Row("search, half fall (CPU time of two)", PROCESSES * len(found) / cpu, ASKED, "candidates/s"),
    )
