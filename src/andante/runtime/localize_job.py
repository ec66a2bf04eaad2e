"""A log on a map, or among UWB anchors, as one value in, one value out: what `andante localize` does."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from andante.errors import BadInput, MissingFile
from andante.geometry import Array, se2
from andante.localization import LikelihoodField, LocalizationResult, MclParameters, localize_log, position_error
from andante.localization.anchors import UwbSetup
from andante.localization.io.uwb_logs import read_uwb_log
from andante.localization.io.uwb_setup import read_uwb_setup
from andante.localization.map_alignment import align_by_driving
from andante.localization.mcl import HAND_DEVIATION
from andante.localization.range_filter import RangeNoise
from andante.localization.scoring import error_of, frame_shift
from andante.localization.settings import settings_from
from andante.localization.uwb_log import UwbLog, epochs
from andante.localization.uwb_track import tag_pose, track_uwb, trilaterate_log
from andante.locomotion.io.gait_parameters import read_parameters
from andante.mapping import OccupancyGrid, Scan, Trajectory
from andante.mapping.io.logs import LogOptions, read_log
from andante.mapping.io.map_files import load_map
from andante.mapping.io.trajectories import read_trajectory, trajectory_bytes
from andante.mapping.records import Log, Odometry
from andante.progress import bar

from .map_job import TRAJECTORIES
from .outputs import check_outputs

TAG_DEVIATION = (0.4, 0.4, 0.4)  # of a pose told by the tags [m, m, rad]
OTHER_FRAME, LEAST_ERROR = 5.0, 0.05  # a reference so much nearer when moved as a whole is told elsewhere [-, m]
STANDING = 5.0  # the tags' first so many seconds tell the initial pose [s]


@dataclass(frozen=True)
class LocalizeJob:
    """Which log is localised on what, and from where."""

    log: Path
    map: Path | None = None
    initial_pose: tuple[float, float, float] | None = None
    anywhere: bool = False  # a global start
    uwb: Path | None = None
    seed: int = 0
    trajectory: Path | None = None
    reference: Path | None = None
    params: Path | None = None
    options: LogOptions = field(default_factory=LogOptions)


@dataclass(frozen=True)
class LocalizeOutcome:
    """How it went."""

    updates: int
    rate: float  # updates per second, reading left out
    converged: bool
    pose: Array  # the last one
    error: dict[str, float | int] | None
    trajectory: str | None
    details: dict[str, Any]
    warnings: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        """The keys of the command-line contract, and more."""
        out: dict[str, Any] = {"updates": self.updates, "rate": self.rate, "converged": self.converged}
        if self.error is not None:
            out["error"] = self.error
        return {
            **out, "pose": self.pose, "trajectory": self.trajectory, **self.details, "warnings": self.warnings
        }  # fmt: skip


def run_localize(job: LocalizeJob, progress: bool = False) -> LocalizeOutcome:
    """Check the job, read, localise, and write the trajectory where one is asked for."""
    from andante.files import write_bytes

    _check(job)
    check_outputs({"trajectories": (job.trajectory, TRAJECTORIES)})
    reference = None if job.reference is None else _read_reference(job.reference)
    values = read_parameters(job.params) if job.params is not None else {}
    setup = None if job.uwb is None else read_uwb_setup(job.uwb)
    if job.map is None:
        assert setup is not None
        outcome, path = _by_ranges(job, setup, values, reference, progress)
    else:
        outcome, path = _on_map(job, job.map, setup, values, reference, progress)
    if job.trajectory is not None:
        write_bytes(trajectory_bytes(path, job.trajectory), job.trajectory)
    return outcome


def _check(job: LocalizeJob) -> None:
    if job.map is None and job.uwb is None:
        raise BadInput("localize needs a map to localise on (--map MAP.yaml) or anchors (--uwb FILE)")
    if job.map is None and (job.initial_pose is not None or job.anywhere):
        raise BadInput("--initial-pose and --global belong to a map; without --map the anchors tell where the robot is")
    if job.map is not None and job.initial_pose is not None and job.anywhere:
        raise BadInput("--initial-pose and --global exclude each other")
    if job.map is not None and job.initial_pose is None and not job.anywhere and job.uwb is None:
        raise BadInput('where does the robot start? --initial-pose "x y yaw", --global, or --uwb ANCHORS')
    named = [job.log, job.map, job.uwb, job.reference, job.params, job.options.tf]
    for path in named:
        if path is not None and job.trajectory is not None and path.absolute() == job.trajectory.absolute():
            raise BadInput(f"{job.trajectory} would be written over; give another name")


def _read_reference(path: Path) -> Trajectory:
    if not path.is_file():
        raise MissingFile(f"{path}: no such reference file; it has lines 'time x y z qx qy qz qw'")
    return read_trajectory(path)


def _overlap(reference: Trajectory | None, times: Array, path: Path | None) -> None:
    """Refuse a reference of another time before the work begins."""
    if reference is None or len(times) == 0:
        return
    low, high = float(reference.times.min()), float(reference.times.max())
    if high < times.min() or low > times.max():
        raise BadInput(
            f"{path}: the reference ({low:.3f} to {high:.3f} s) and the log "
            f"({times.min():.3f} to {times.max():.3f} s) share no time"
        )


# ---- on a map --------------------------------------------------------------------------------------
def _on_map(
    job: LocalizeJob,
    map_file: Path,
    setup: UwbSetup | None,
    values: dict[str, Any],
    reference: Trajectory | None,
    progress: bool,
) -> tuple[LocalizeOutcome, Trajectory]:
    parameters = settings_from(MclParameters(), values, "localisation parameter")
    try:
        field_ = LikelihoodField(load_map(map_file), parameters)
    except BadInput as error:
        raise BadInput(str(error) if str(map_file) in str(error) else f"{map_file}: {error}") from None
    log = read_log(job.log, job.options)
    _overlap(reference, np.array([scan.time for scan in log.scans]), job.reference)
    warnings = list(log.warnings)
    tags = None if setup is None else read_uwb_log(job.log, setup)
    start: Array | None = None if job.initial_pose is None else np.array(job.initial_pose)
    deviation: Any = HAND_DEVIATION
    if setup is not None and tags is not None and start is None and not job.anywhere:
        start, deviation = _start_by_tags(tags, setup, warnings)
    if start is not None and int(field_.grid.at(start[:2])) < 0:
        warnings.append(f"the initial pose {start[0]:.2f} {start[1]:.2f} lies outside of what the map knows")
    warm(parameters)
    with bar("localising", progress) as tell:
        result = localize_log(
            log,
            field_,
            start,
            parameters,
            deviation=deviation,
            seed=job.seed,
            progress=lambda done, total: tell(done, total, ""),
        )
    if result.blind:
        warnings.append(f"{log.name}: {result.blind} scans had too few echoes to weigh anything")
    if not log.odometry:
        warnings.append(f"{log.name}: without odometry particles spread by time alone; slow drives only")
    error, since = _score(result, reference, globally=start is None)
    if result.converged:
        warnings += _frame_warning(result.trajectory, reference)
    details: dict[str, Any] = {
        "scans": len(result.trajectory),
        "converged_after": result.first_converged if result.first_converged >= 0 else None,
        "health": {"mean": float(result.health.mean()), "min": float(result.health.min()), "last": result.health[-1]},
        "deviation": result.deviation[-1],
        "particles": {"mean": float(result.particles.mean()), "max": int(result.particles.max())},
        "recoveries": result.recoveries,
        "seconds": result.seconds,
    }
    if since is not None:
        details["error_from"] = since
    if setup is not None and tags is not None:
        details["map_from_uwb"] = _aligned(tags, setup, result.trajectory)
    outcome = LocalizeOutcome(
        result.updates, result.rate, result.converged, result.trajectory.poses[-1], error,
        None if job.trajectory is None else str(job.trajectory), details, tuple(warnings),
    )  # fmt: skip
    return outcome, result.trajectory


def _start_by_tags(tags: UwbLog, setup: UwbSetup, warnings: list[str]) -> tuple[Array, Array]:
    """Pose (3,) on the map and deviations (3,) from the first ranges of the tags."""
    groups = [group for group in epochs(tags) if group.time <= float(tags.times.min()) + STANDING]
    at, yaw = tag_pose(groups, setup)
    if setup.map_from_uwb is None:
        warnings.append("the anchors file has no line 'map x y yaw'; anchors are taken to be given on the map")
    if yaw is None:
        warnings.append("one tag tells no heading; the localiser starts with all headings")
    pose = se2.compose(setup.map_from_uwb or (0.0, 0.0, 0.0), [at[0], at[1], yaw or 0.0])
    spread = np.array(TAG_DEVIATION)
    if yaw is None:
        spread[2] = np.pi
    return pose, spread


def _aligned(tags: UwbLog, setup: UwbSetup, path: Trajectory) -> dict[str, Any] | None:
    """map_from_uwb by least squares over the whole drive; None where the two share too little."""
    times, places = trilaterate_log(tags, setup, robust=True)
    if len(times) == 0:
        return None
    poses = path.at(times)
    good = np.isfinite(poses).all(axis=1)
    try:
        found = align_by_driving(places[good], poses[good], setup.tag_positions[0][:2])
    except BadInput:
        return None
    return {"pose": found.map_from_uwb, "rms": found.rms, "samples": found.samples}


def _score(
    result: LocalizationResult, reference: Trajectory | None, *, globally: bool
) -> tuple[dict[str, float | int] | None, float | None]:
    """Errors against the reference; after a global start from the first convergence on, whose time is told."""
    if reference is None:
        return None, None
    path, since = result.trajectory, None
    if globally and result.first_converged > 0:
        since = float(path.times[result.first_converged])
        path = Trajectory(path.times[result.first_converged :], path.poses[result.first_converged :])
    return position_error(path, reference).as_dict(), since


def _frame_warning(path: Trajectory, reference: Trajectory | None) -> list[str]:
    """A word where the reference would agree but for the frame in which it is told."""
    if reference is None:
        return []
    shift, left = frame_shift(path, reference)
    if position_error(path, reference).mean < OTHER_FRAME * max(left.mean, LEAST_ERROR):
        return []
    x, y, yaw = shift.tolist()
    return [
        f"the reference seems to be told in another frame than the map: moved by x {x:.3f} m, y {y:.3f} m, "
        f"yaw {math.degrees(yaw):.1f} deg the way agrees with it within {left.mean:.3f} m on average"
    ]


def warm(parameters: MclParameters) -> None:
    """Have every compiled part ready, so that its first use does not count as localising."""
    from andante.localization import MonteCarloLocalizer

    cells = np.zeros((40, 60), dtype=np.int8)
    cells[[0, -1], :], cells[:, [0, -1]] = 100, 100
    small = MonteCarloLocalizer(LikelihoodField(OccupancyGrid(0.05, (0.0, 0.0, 0.0), cells), parameters))
    scan = Scan(0.0, np.full(90, 0.7), -1.5, 3.0 / 89, 0.0, 20.0)
    small.start_anywhere(scan)
    for k in range(3):
        small.update(scan, (0.2 * k, 0.0, 0.0))
    log = Log("warm", (Odometry(0.0, (0.0, 0.0, 0.0)), scan))
    localize_log(log, small.field, np.array([1.5, 1.0, 0.0]), parameters)


# ---- among anchors ---------------------------------------------------------------------------------
def _by_ranges(
    job: LocalizeJob, setup: UwbSetup, values: dict[str, Any], reference: Trajectory | None, progress: bool
) -> tuple[LocalizeOutcome, Trajectory]:
    values = dict(values)
    height = values.pop("height", None)
    if height is not None and (isinstance(height, bool) or not isinstance(height, int | float)):
        raise BadInput(f"UWB parameter height must be a number of metres, got {height!r}")
    noise = settings_from(RangeNoise(), values, "UWB parameter")
    log = read_uwb_log(job.log, setup)
    _overlap(reference, log.times, job.reference)
    with bar("localising", progress) as tell:
        result = track_uwb(log, setup, noise, height, lambda done, total: tell(done, total, ""))
    path = _on_frame(result.trajectory, setup)
    details: dict[str, Any] = {
        "ranges": {"accepted": result.accepted, "refused": result.refused},
        "imu": len(log.imu),
        "restarts": result.restarts,
        "deviation": result.deviation,
        "seconds": result.seconds,
    }
    error = None
    if reference is not None:
        error = position_error(path, reference).as_dict()
        details["trilateration"] = _plain(log, setup, reference, height)
    outcome = LocalizeOutcome(
        result.updates, result.rate, result.converged, path.poses[-1], error,
        None if job.trajectory is None else str(job.trajectory), details, log.warnings,
    )  # fmt: skip
    return outcome, path


def _on_frame(path: Trajectory, setup: UwbSetup) -> Trajectory:
    """The way on the map where the file of anchors tells where that is, else in the UWB frame."""
    if setup.map_from_uwb is None:
        return path
    return Trajectory(path.times, se2.compose(setup.map_from_uwb, path.poses))


def _plain(log: UwbLog, setup: UwbSetup, reference: Trajectory, height: float | None) -> dict[str, float | int] | None:
    """Errors of plain trilateration, epoch by epoch, against the same reference."""
    times, places = trilaterate_log(log, setup, height=height)
    poses = np.column_stack([places[:, :2], np.zeros(len(places))])
    if setup.map_from_uwb is not None and len(poses):
        poses = se2.compose(setup.map_from_uwb, poses)
    true = reference.at(times) if len(times) else np.zeros((0, 3))
    good = np.isfinite(true).all(axis=1)
    if not good.any():
        return None
    return error_of(np.linalg.norm(poses[good, :2] - true[good, :2], axis=1)).as_dict()
