"""Users' own trials made a reference: a CSV table, or the path of a robot in a bag or a trajectory file."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from andante.errors import AndanteError, BadInput, MissingFile
from andante.files import write_whole
from andante.geometry import Array
from andante.mapping import Trajectory
from andante.mapping.io.logs import LogOptions, read_log
from andante.mapping.io.trajectories import read_trajectory
from andante.tasks.result import Result

from .definition import builtin_names, load_experiment
from .experiment import Experiment
from .reference import REAL, parse_labels, parse_reference, read_table_text, reference_folder
from .table import Row, columns_of, flat

TRAJECTORIES = (".txt", ".tum")
SETTLED = 0.05  # fraction of the path that counts as standing at the start or the end


@dataclass(frozen=True)
class ImportResult(Result):
    """The reference that was written."""

    name: str
    path: Path
    trials: int  # in it now
    added: int
    sources: tuple[str, ...]

    def __str__(self) -> str:
        who = ", ".join(self.sources)
        return f"{self.name}: {self.added} added, {self.trials} trials of {who} in {self.path}"


def guessed_experiment(file: Path, factors: Mapping[str, Any]) -> Experiment:
    """The one built-in experiment that knows all columns of a table, or has just these factors; BadInput: say which."""
    fits = []
    for name in builtin_names():
        each = load_experiment(name)
        if file.suffix.lower() == ".csv":
            try:
                next(parse_reference(read_table_text(file), each, str(file)), None)
            except (AndanteError, OSError, UnicodeDecodeError):
                continue
            fits.append(each)
        elif set(each.factors) == set(factors):
            fits.append(each)
    if len(fits) != 1:
        found = ", ".join(each.name for each in fits) or "none"
        raise BadInput(f"{file}: which experiment has these trials? name it as `experiment` (fitting: {found})")
    return fits[0]


def import_trials(
    file: Path,
    name: str,
    experiment: Experiment,
    *,
    source: str = REAL,
    factors: Mapping[str, Any] | None = None,
    odom: str = "",
) -> ImportResult:
    """Keep trials of a file under a name; a table replaces what was there, a bag adds one trial to it.

    factors: of the trial in a bag or trajectory file (time x y z qx qy qz qw). odom: topic of the poses in a bag.
    """
    if not name or not all(letter.isalnum() or letter in "-_." for letter in name):
        raise BadInput(f"name: made of letters, digits, - and _, got {name!r}")
    if not file.exists():
        raise MissingFile(f"{file}: no such file")
    target = reference_folder() / f"{name}.csv"
    if file.suffix.lower() == ".csv":
        text = read_table_text(file)
        rows = [*parse_reference(text, experiment, str(file))]
        added = len(rows)
    else:
        path = _path(file, odom)
        text = read_table_text(target) if target.is_file() else ""
        before = [*parse_reference(text, experiment, str(target))] if text else []
        cell = _cell(experiment, factors or {})
        measures = {key: value for key, value in path_measures(path).items() if key in experiment.measures}
        if not measures:
            raise BadInput(
                f"{file}: a path gives {', '.join(path_measures(path))}, none of which {experiment.name} measures"
            )
        test = experiment.test_of(cell)
        number = sum(row.source == source and row.test == test for row in before)
        rows, added = [*before, Row(source, test, cell, number, measures)], 1
    target.parent.mkdir(parents=True, exist_ok=True)
    labels = "".join(f"# label {each}: {words}\n" for each, words in parse_labels(text).items())
    write_whole(target, labels + _table(rows, experiment))
    return ImportResult(name, target, len(rows), added, tuple(dict.fromkeys(row.source for row in rows)))


def path_measures(path: Trajectory) -> dict[str, float]:
    """x, y, planar [m], turned [deg] and time [s] of a path, seen from its first pose; time without standing still."""
    poses = np.asarray(path.poses)
    first, last = poses[0], poses[-1]
    c, s = math.cos(first[2]), math.sin(first[2])
    dx, dy = last[:2] - first[:2]
    x, y = c * dx + s * dy, c * dy - s * dx
    turned = math.degrees(float(np.unwrap(poses[:, 2])[-1] - poses[0, 2]))
    return {"x": x, "y": y, "planar": math.hypot(x, y), "turned": turned, "time": _moving_time(path.times, poses)}


def _moving_time(times: Array, poses: Array) -> float:
    """From the first to the last instant at which it is neither at the start nor at the end."""
    steps = np.hypot(*np.diff(poses[:, :2], axis=0).T) + 0.1 * np.abs(np.diff(np.unwrap(poses[:, 2])))
    gone = np.concatenate([[0.0], np.cumsum(steps)])
    if gone[-1] <= 0:
        return 0.0
    moving = np.flatnonzero((gone > SETTLED * gone[-1]) & (gone < (1 - SETTLED) * gone[-1]))
    if len(moving) < 2:
        return float(times[-1] - times[0])
    return float(times[moving[-1]] - times[moving[0]]) / (1 - 2 * SETTLED)


def _path(file: Path, odom: str) -> Trajectory:
    if file.suffix.lower() in TRAJECTORIES:
        path = read_trajectory(file)
    else:
        readings = read_log(file, LogOptions(odom=odom)).odometry
        if not readings:
            raise BadInput(f"{file}: no odometry there; name its topic as `odom`")
        path = Trajectory(np.array([each.time for each in readings]), np.array([each.pose for each in readings]))
    if len(path) < 2:
        raise BadInput(f"{file}: a path needs at least two poses, got {len(path)}")
    return path.sorted()


def _cell(experiment: Experiment, factors: Mapping[str, Any]) -> dict[str, Any]:
    for name in experiment.factors:
        if name not in factors:
            raise BadInput(f"which {name} was this trial? give it in `factors`")
    for name in factors:
        if name not in experiment.factors:
            raise BadInput(f"factors.{name}: no such factor; factors: {', '.join(experiment.factors)}")
    return {name: factors[name] for name in experiment.factors}


def _table(rows: list[Row], experiment: Experiment) -> str:
    out = io.StringIO()
    columns = [name for name in columns_of(experiment) if name not in ("seed", "ok")]
    writer = csv.DictWriter(out, columns, lineterminator="\n", extrasaction="ignore")
    writer.writeheader()
    for row in rows:
        writer.writerow({name: "" if value is None else value for name, value in flat(row, experiment).items()})
    return out.getvalue()
