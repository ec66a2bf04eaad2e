"""`an.experiment`: run trials with statistics, compare them with a real robot, report, identify parameters."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from andante.bags import is_bag
from andante.description.solver import SolverLike
from andante.errors import BadInput
from andante.tasks.bodies import BodyLike, read_params
from andante.tasks.inputs import RobotLike, as_robot

from .definition import builtin_names, load_experiment
from .experiment import Experiment
from .fit import FitJob, FitOutcome, run_fit
from .identification import (
    Excited,
    Identification,
    IdentifyJob,
    JointRecording,
    ReplaySettings,
    excite_dry,
    excite_robot,
    fit_recordings,
)
from .importing import ImportResult, guessed_experiment
from .importing import import_trials as keep_trials
from .reference import REAL, reference_names
from .report import Report, write_report
from .runner import RunJob, RunOutcome, merge_runs, run_experiment, with_settings
from .variation import read_model

RECORDED = (".mcap", ".bag", ".db3", ".csv")


def names() -> tuple[str, ...]:
    """List the experiments.

    Returns:
        Their names: those that ship and those of installed robot packages.
    """
    return builtin_names()


def references() -> tuple[str, ...]:
    """List the references, the trials of real robots that experiments are compared with.

    Returns:
        Their names: those that ship and those that were imported.
    """
    return reference_names()


def load(name: Experiment | Path | str) -> Experiment:
    """Load an experiment.

    Args:
        name: an `Experiment`, a name, FILE.toml or `file.py:Name`.

    Returns:
        The experiment: factors, engines, trials and measures.
    """
    return name if isinstance(name, Experiment) else load_experiment(str(name))


def run(
    name: Experiment | Path | str,
    out: Path | str,
    *,
    engines: Sequence[str] = (),
    factors: Mapping[str, Sequence[Any]] | None = None,
    solver: SolverLike | None = None,
    mode: str = "",
    trials: int | None = None,
    seed: int | None = None,
    workers: int | None = None,
    executor: str = "local",
    shard: str = "0/1",
    timeout: float | None = None,
    minutes: float | None = None,
    model: Mapping[str, float] | Path | str | None = None,
    record: Path | str | None = None,
    progress: bool = False,
) -> RunOutcome:
    """Run an experiment, or go on with it: any stop is safe; no trial is lost or done twice.

    Args:
        name: an `Experiment`, a name, FILE.toml or `file.py:Name`.
        out: folder for the results; goes on where it holds some.
        engines: mujoco, bullet, dart, ode, with commas between on the command line; those of the experiment by default.
        factors: other levels of some factors, such as {"distance": [0.5]}.
        solver: settings of the solver in all trials, such as {"iterations": 50}.
        mode: one of the experiment's ways to carry its tests out, such as `open-loop`; the first one by default.
        trials: trials of every combination.
        seed: random seed of the experiment.
        workers: processes; None: one per processor, 0: none.
        executor: `local` or `ray`.
        shard: only part i (from 0) of n, "i/n".
        timeout: time after which a trial counts as failed [s].
        minutes: time after which nothing new is started [min].
        model: parameters from `fit`, or their file.
        record: folder to record every trial into, as MCAP.
        progress: print progress on stderr.

    Returns:
        How many trials there are; `plot` shows what they measured.
    """
    experiment = with_settings(load(name), list(engines), trials, seed, timeout, factors, solver, mode)
    parameters = read_model(Path(model)) if isinstance(model, str | Path) else dict(model or {})
    recordings = None if record is None else Path(record)
    job = RunJob(experiment, Path(out), workers, executor, shard, minutes, recordings, parameters)
    return run_experiment(job, progress=progress)


def merge(out: Path | str, parts: Sequence[Path | str]) -> RunOutcome:
    """Merge the shards of an experiment.

    Args:
        out: new folder for the whole run.
        parts: folders of the shards.

    Returns:
        How many trials there are; `plot` shows what they measured.
    """
    return merge_runs(Path(out), [Path(part) for part in parts])


def report(
    folder: Path | str | Sequence[Path | str],
    out: Path | str | None = None,
    *,
    reference: str | None = None,
    standard: str = REAL,
) -> Report:
    """Statistics, figures and tables of runs as one HTML page, and each as PNG, PDF, CSV and LaTeX.

    Args:
        folder: of a run, or several of one experiment.
        out: folder to write; `report` in the first one by default.
        reference: another reference than that of the experiment; "none": without.
        standard: which source of the reference counts as the truth.

    Returns:
        Where the report is and what it says.
    """
    folders = [Path(folder)] if isinstance(folder, str | Path) else [Path(each) for each in folder]
    return write_report(folders, None if out is None else Path(out), reference, standard)


def import_trials(
    file: Path | str,
    name: str,
    *,
    experiment: Experiment | Path | str | None = None,
    source: str = REAL,
    factors: Mapping[str, Any] | None = None,
    odom: str = "",
) -> ImportResult:
    """Keep trials of a real robot as a reference; a table replaces what was there, a bag adds a trial.

    Args:
        file: a .csv table, a bag (.bag .db3 .mcap) or TUM lines (.txt).
        name: name of the reference.
        experiment: whose factors and measures it has; guessed by default.
        source: who was measured in a bag.
        factors: of the trial in a bag.
        odom: topic of the odometry.

    Returns:
        The reference that was written.
    """
    path, given = Path(file), dict(factors or {})
    chosen = load(experiment) if experiment else guessed_experiment(path, given)
    return keep_trials(path, name, chosen, source=source, factors=given, odom=odom)


def fit(
    name: Experiment | JointRecording | Path | str | Sequence[JointRecording | Path | str],
    out: Path | str,
    *,
    engine: str = "mujoco",
    robot: RobotLike | None = None,
    joints: Sequence[str] = (),
    parameters: Sequence[str] = (),
    share: Sequence[str] = (),
    mass_range: float = 0.3,
    tilt: Sequence[float] = (0.0, 0.0, 0.0),
    recorded_on: str = "",
    recorded_dt: float | None = None,
    targets: str = "",
    mode: str = "",
    hold_out: Sequence[str] = (),
    budget: int = 66,
    rounds: int = 3,
    repeats: int = 1,
    trials: int | None = None,
    sampler: str = "cmaes",
    reference: str = "",
    standard: str = REAL,
    seed: int = 0,
    workers: int | None = None,
    executor: str = "local",
    progress: bool = False,
) -> FitOutcome | Identification:
    """Identify parameters that bring an engine nearest to the reference, and prove them on tests that were left out.

    With recordings of joints (.mcap, .bag, .db3, .csv) in place of an experiment the servos, friction and masses of
    `robot` are identified from what its joints were told and did, on a held base.

    Args:
        name: an `Experiment`, a name, FILE.toml or `file.py:Name`; or one or more recordings of joints.
        out: folder to make; goes on where it was stopped.
        engine: whose parameters are identified; with recordings, the one that they are replayed on at the end.
        robot: with recordings, a `Robot`, a name or a path.
        joints: with recordings, names or patterns of the joints to identify; those that moved by default.
        parameters: with recordings, what to identify: stiffness, damping, velocity_gain, friction, viscous, delay,
            backlash, armature, torque_constant, mass; by default what servos have.
        share: with recordings, patterns of joints that share their parameters.
        mass_range: with recordings, fraction by which masses may differ from the file.
        tilt: with recordings, roll, pitch, yaw of the held base [deg].
        recorded_on: with recordings that a simulation made, its engine: fitted are the numbers that its servos have.
        recorded_dt: with `recorded_on`, the step of that engine; its usual one by default [s].
        targets: with recordings, topic of the joint targets.
        mode: with an experiment, the way in which its tests are carried out, as in `run`.
        hold_out: tests that take no part in the fit; those of the experiment by default.
        budget: candidates of the search; 0: none.
        rounds: guesses that are tried and moved first.
        repeats: trials of a test in a candidate.
        trials: trials of a test in the proof.
        sampler: grid, random, cmaes, tpe, nsga2, elites or `file.py:Name`.
        reference: another reference than that of the experiment.
        standard: which of its sources to come near.
        seed: random seed of the search.
        workers, executor, progress: as in `run`.

    Returns:
        The model, and how near it comes; with recordings the parameters with their intervals.
    """
    recordings = _recordings(name)
    if recordings:
        if robot is None:
            raise BadInput(f"{recordings[0]}: whose recording is it? name the robot")
        roll, pitch, yaw = (math.radians(value) for value in _three("tilt", tilt))
        return fit_recordings(
            IdentifyJob(
                recordings, as_robot(robot), tuple(joints), tuple(parameters), tuple(share), mass_range,
                (roll, pitch, yaw), targets, engine, ReplaySettings.recorded_on(recorded_on, recorded_dt),
            ),
            Path(out),
            progress,
        )  # fmt: skip
    if isinstance(name, Sequence) and not isinstance(name, str) and len(name) == 1:
        (name,) = name
    if not isinstance(name, Experiment | Path | str):
        raise BadInput("name one experiment, or recordings of joints")
    try:
        experiment = with_settings(load(name), mode=mode)
    except BadInput:
        if isinstance(name, Experiment) or not Path(name).is_file() or Path(name).suffix == ".toml":
            raise
        kinds = f"neither a recording of joints ({' '.join(RECORDED)}) nor an experiment (FILE.toml, file.py:Name)"
        raise BadInput(f"{name}: {kinds}") from None
    job = FitJob(
        experiment, Path(out), engine, tuple(hold_out), budget, rounds, repeats, trials, workers, executor, sampler,
        seed, reference, standard,
    )  # fmt: skip
    return run_fit(job, progress=progress)


def excite(
    robot: RobotLike,
    out: Path | str,
    *,
    joints: Sequence[str] = (),
    seconds: float = 30.0,
    rate: float = 100.0,
    engine: str = "mujoco",
    dt: float | None = None,
    pose: str | None = None,
    body: BodyLike = "sim",
    params: Path | str | None = None,
    arguments: Mapping[str, str] | None = None,
    seed: int = 0,
    progress: bool = False,
) -> Excited:
    """Sweep and step the joints of a robot that hangs, and record them for `fit`.

    Args:
        robot: a `Robot`, a name or a path.
        out: recording to write (.mcap, .bag, .csv).
        joints: names or patterns of the joints to move; all that have a servo by default.
        seconds: how long [s].
        rate: of targets and states [Hz].
        engine: mujoco, bullet, dart, ode, or `file.py:Name`.
        dt: step of the engine; its usual one by default [s].
        pose: named pose about which a simulated robot is moved.
        body: sim, or a real robot whose base is held: a `Body`, ws://HOST:9090, http://HOST:11311, or `file.py:Name`.
            It moves at once, from where its joints are.
        params: a TOML file with tables [excite] (`ExcitationSettings`) and [robot] (`RobotParameters`, of a simulated
            robot), and [body] and [start] for a real robot.
        arguments: `name:=value` arguments of the robot's file.
        seed: random seed of all noise.
        progress: print progress on stderr.

    Returns:
        The recording, and which joints were moved.
    """
    made, given = as_robot(robot, arguments), read_params(params)
    return excite_robot(made, Path(out), body, given, joints, seconds, rate, engine, dt, pose, seed, progress)


def dry_excite(
    robot: RobotLike, body: str, joints: Sequence[str] = (), seconds: float = 30.0, rate: float = 100.0,
    params: Path | None = None, arguments: Mapping[str, str] | None = None,
) -> list[dict[str, Any]]:  # fmt: skip
    """What the first period of an excitation would send to a real robot that stands in its usual pose."""
    return excite_dry(as_robot(robot, arguments), body, read_params(params), joints, seconds, rate)


def _recordings(name: Any) -> tuple[Path | JointRecording, ...]:
    """The recordings that are named, none where it is an experiment."""
    several = isinstance(name, Sequence) and not isinstance(name, str)
    parts = [*name] if several else [name]
    if several and len(parts) == 1 and isinstance(parts[0], str | Path) and not _is_recording(parts[0]):
        return ()
    if not several and not (isinstance(name, JointRecording) or _is_recording(name)):
        return ()
    for each in parts:
        if not (isinstance(each, JointRecording) or _is_recording(each)):
            raise BadInput(f"{each}: recordings of joints are bags (.mcap .bag .db3) or tables (.csv)")
    return tuple(each if isinstance(each, JointRecording) else Path(each) for each in parts)


def _is_recording(name: Any) -> bool:
    return isinstance(name, str | Path) and (Path(name).suffix.lower() in RECORDED or is_bag(Path(name)))


def _three(what: str, values: Sequence[float]) -> tuple[float, float, float]:
    if len(values) != 3 or not all(math.isfinite(value) for value in values):
        raise BadInput(f"{what} is three finite numbers, got {values}")
    return float(values[0]), float(values[1]), float(values[2])
