"""A log into map files as one value in, one value out: what `andante map` does."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from andante.errors import BadInput
from andante.locomotion.io.gait_parameters import read_parameters
from andante.mapping.io.logs import LogOptions, read_log
from andante.mapping.io.map_files import encode_map, map_base
from andante.mapping.io.trajectories import trajectory_bytes
from andante.mapping.parameters import MappingParameters, parameters_from
from andante.mapping.slam import MappingResult, build_map
from andante.progress import bar

from .outputs import check_outputs

MAPS = (".pgm", ".yaml")
TRAJECTORIES = (".txt", ".tum", ".log", ".clf", ".csv")


@dataclass(frozen=True)
class MapJob:
    """Which log becomes which map, and how."""

    log: Path
    out: Path  # MAP of MAP.pgm and MAP.yaml
    odometry: bool = True
    loop_closure: bool = True
    trajectory: Path | None = None
    params: Path | None = None
    options: LogOptions = field(default_factory=LogOptions)


@dataclass(frozen=True)
class MapOutcome:
    """What was written and how fast it was made."""

    scans: int
    rate: float  # scans per second, reading the log left out
    map: str  # the yaml file
    trajectory: str | None
    keys: int
    loops: int
    unmatched: int  # scans placed by dead reckoning alone
    seconds: float  # of work, reading the log left out
    length: float  # of the way [m]
    size: tuple[int, int]  # columns and rows of the map
    resolution: float  # [m]
    warnings: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        """The keys of the command-line contract, and more."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


def run_map(job: MapJob, progress: bool = False) -> MapOutcome:
    """Read the log, map it, and write MAP.pgm, MAP.yaml and the trajectory: all of them or none."""
    from andante.files import write_all

    base = map_base(job.out)
    files = {suffix: base.with_name(base.name + suffix) for suffix in MAPS}
    wanted = {f"maps ({suffix})": (path, (suffix,)) for suffix, path in files.items()}
    check_outputs({**wanted, "trajectories": (job.trajectory, TRAJECTORIES)})
    _distinct(job, list(files.values()))
    parameters = parameters_from(read_parameters(job.params)) if job.params else MappingParameters()
    log = read_log(job.log, job.options)
    blind = sum(not scan.hit.any() for scan in log.scans)
    if blind == len(log.scans):
        raise BadInput(f"{log.name}: none of its {blind} scans has an echo; there is nothing to map")
    warnings = list(log.warnings)
    if blind:
        warnings.append(f"{log.name}: {blind} of {len(log.scans)} scans have no echo and were placed by odometry alone")
    warm()
    with bar("tracking", progress) as tell:
        result = build_map(
            log,
            parameters,
            odometry=job.odometry,
            loop_closure=job.loop_closure,
            progress=lambda what, done, total: tell(done, total, what),
        )
    written = encode_map(result.grid, base)
    if job.trajectory is not None:
        written.append((trajectory_bytes(result.trajectory, job.trajectory), job.trajectory))
    write_all(written)
    return _outcome(result, job, files[".yaml"], tuple(warnings))


def warm() -> None:
    """Have every compiled part ready, so that its first use does not count as mapping."""
    import numpy as np

    from andante.mapping.records import Log, Odometry
    from andante.mapping.scan import Scan

    records: list[Any] = []
    for k in range(3):
        ranges = 2.0 / np.maximum(np.abs(np.cos(np.linspace(-1.5, 1.5, 90))), 0.5)
        records += [Odometry(0.5 * k, (0.5 * k, 0.0, 0.0)), Scan(0.5 * k, ranges, -1.5, 3.0 / 89, 0.0, 20.0)]
    small = MappingParameters(loop_travel=0.1, pair_rounds=1)
    build_map(Log("warm", tuple(records)), small)
    build_map(Log("warm", tuple(records)), small, odometry=False, loop_closure=False)


def _distinct(job: MapJob, files: list[Path]) -> None:
    named = [path for path in (job.log, job.trajectory, job.params, job.options.tf) if path is not None]
    for path in named:
        for made in files if path is job.trajectory else [*files, *([job.trajectory] if job.trajectory else [])]:
            if path.absolute() == made.absolute():
                raise BadInput(f"{made} would be written over; give another name")


def _outcome(result: MappingResult, job: MapJob, yaml: Path, warnings: tuple[str, ...]) -> MapOutcome:
    rows, columns = result.grid.shape
    return MapOutcome(
        scans=result.scans,
        rate=result.rate,
        map=str(yaml),
        trajectory=None if job.trajectory is None else str(job.trajectory),
        keys=result.keys,
        loops=result.loops,
        unmatched=result.unmatched,
        seconds=result.seconds,
        length=result.trajectory.length,
        size=(columns, rows),
        resolution=result.grid.resolution,
        warnings=warnings,
    )
