"""`an.localize`: where the robot of a log was, on a map or among UWB anchors."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from andante import viz
from andante.errors import BadInput, MissingFile
from andante.files import check_outputs, write_bytes
from andante.geometry import Array, se2
from andante.localization import LikelihoodField, LocalizationResult, MclParameters, localize_log, position_error
from andante.localization.evaluation import error_of, frame_shift
from andante.localization.io import read_uwb_log, read_uwb_setup
from andante.localization.map_alignment import align_by_driving
from andante.localization.mcl import HAND_DEVIATION
from andante.localization.range_filter import RangeNoise
from andante.localization.uwb import UwbLog, UwbSetup, track_uwb, trilaterate_log
from andante.mapping import Log, OccupancyGrid, Trajectory
from andante.mapping.io.logs import LogOptions
from andante.mapping.io.map_files import load_map
from andante.mapping.io.trajectories import read_trajectory, trajectory_bytes
from andante.progress import bar
from andante.settings import settings_from
from andante.tasks.inputs import Pose, pose_of
from andante.tasks.outputs import TRAJECTORIES, MapFiles
from andante.tasks.result import HIDDEN, Result
from andante.tasks.ros_files import read_values

from .live_log import Listening, is_live, listen, open_log
from .tag_start import start_by_tags

OTHER_FRAME, LEAST_ERROR = 5.0, 0.05  # a reference so much nearer when moved as a whole is told elsewhere [-, m]


@dataclass(frozen=True)
class Request:
    """Which log is localized on what, and from where; paths and poses checked."""

    log: Path | str  # a file, or an address
    map: OccupancyGrid | Path | None
    initial_pose: Pose | None
    anywhere: bool  # a global start
    uwb: Path | None
    seed: int
    trajectory: Path | None
    reference: Path | None
    params: Path | None
    options: LogOptions
    live: Listening

    def __post_init__(self) -> None:
        if is_live(self.log) and bool(self.live.tags) != (self.uwb is not None):
            raise BadInput(
                "the UWB tags of a robot at an address are named by tags (pozyx:PORT,PORT), their anchors by uwb: give "
                "both or none"
            )
        if self.map is None and self.uwb is None:
            raise BadInput("localize needs a map to localize on, or UWB anchors")
        if self.map is None and (self.initial_pose is not None or self.anywhere):
            raise BadInput(
                "an initial pose or a global start belongs to a map; without one the anchors give the position"
            )
        if self.map is not None and self.initial_pose is not None and self.anywhere:
            raise BadInput("an initial pose and a global start exclude each other")
        if self.map is not None and self.initial_pose is None and not self.anywhere and self.uwb is None:
            raise BadInput("no start is given: give an initial pose, a global start, or UWB anchors")
        MapFiles.of(None, self.trajectory, (self.log, self.map, self.uwb, self.reference, self.params, self.options.tf))


@dataclass(frozen=True)
class LocalizeResult(Result):
    """Where the robot of a log was."""

    updates: int
    rate: float  # updates per second, reading left out
    converged: bool
    pose: Array  # the last one
    error: dict[str, float | int] | None
    trajectory_file: str | None
    details: dict[str, Any]
    warnings: tuple[str, ...]
    trajectory: Trajectory = field(metadata=HIDDEN, repr=False)
    grid: OccupancyGrid | None = field(default=None, metadata=HIDDEN, repr=False)

    def __str__(self) -> str:
        x, y, yaw = (float(value) for value in self.pose)
        lines = [
            f"{self.updates} updates at {self.rate:.0f} a second, {'' if self.converged else 'not '}converged; "
            f"last at x {x:.3f} m, y {y:.3f} m, yaw {math.degrees(yaw):.1f} deg"
        ]
        plain = self.details.get("trilateration")
        lines += [_told("error", self.error)] if self.error is not None else []
        lines += [_told("plain trilateration", plain)] if plain is not None else []
        return "\n".join(lines)

    def plot(self) -> viz.Figure:
        """The way on the map."""
        poses = self.trajectory.poses
        return viz.plot_way(poses, str(self)) if self.grid is None else viz.plot_map(self.grid, poses, str(self))

    def as_dict(self) -> dict[str, Any]:
        """The keys of the command-line contract, and more."""
        out: dict[str, Any] = {"updates": self.updates, "rate": self.rate, "converged": self.converged}
        if self.error is not None:
            out["error"] = self.error
        return {
            **out, "pose": self.pose, "trajectory": self.trajectory_file, **self.details, "warnings": self.warnings
        }  # fmt: skip


def localize(
    log: Path | str,
    *,
    map: OccupancyGrid | Path | str | None = None,
    initial_pose: Sequence[float] | None = None,
    anywhere: bool = False,
    uwb: Path | str | None = None,
    seed: int = 0,
    trajectory: Path | str | None = None,
    reference: Path | str | None = None,
    params: Path | str | None = None,
    scan: str = "",
    odom: str = "",
    imu: str = "",
    base_frame: str = "",
    tf: Path | str | None = None,
    model: str = "",
    lidar: str = "",
    tags: str = "",
    seconds: float = math.inf,
    progress: bool = False,
) -> LocalizeResult:
    """Localize the robot of a log on a map, or by UWB ranges.

    Args:
        log: rosbag1, rosbag2 (folder, .db3, .mcap) or CARMEN (.log, .clf; .gz); or a table of UWB ranges (.csv); or the
            address of a robot (serial:PORT, ws://HOST:9090, http://HOST:11311) or of a lidar (rplidar:PORT), which are
            listened to until Ctrl-C.
        map: a grid, or a map_server yaml file.
        initial_pose: x, y [m], yaw [rad] on the map at the start.
        anywhere: start without a pose: search the whole map.
        uwb: file of anchors and tags, lines 'NAME x y z', 'tag NAME x y z', 'map x y yaw'.
        seed: random seed of the particles.
        trajectory: file to write: TUM lines (.txt, .tum), or CARMEN lines (.log, .clf).
        reference: file of true poses to compare with: TUM lines or 'time x y yaw'.
        params: a TOML or JSON file with parameters; or a YAML or launch file of AMCL.
        scan: topic of the scans, where it cannot be guessed; FLASER or RLASER of CARMEN.
        odom: topic of the odometry, where it cannot be guessed.
        imu: topic of the IMU, where it cannot be guessed.
        base_frame: frame of the robot, where it cannot be guessed.
        tf: transforms that the log lacks: a robot file, or lines 'parent child x y z yaw pitch roll'.
        model: of the robot at an address, a name or a path.
        lidar: of a car at a serial port: rplidar:PORT.
        tags: UWB tags of such a car, whose anchors `uwb` names: pozyx:PORT,PORT.
        seconds: how long a robot or lidar at an address is listened to [s]; else until Ctrl-C.
        progress: print progress on stderr.

    Returns:
        Where it was, and how well that agrees with a reference.
    """
    pose = None if initial_pose is None else pose_of("initial_pose", initial_pose)
    request = Request(
        log if is_live(log) else Path(log), Path(map) if isinstance(map, str) else map, pose, anywhere, _path(uwb),
        seed, _path(trajectory), _path(reference), _path(params), LogOptions(scan, odom, imu, base_frame, _path(tf)),
        Listening(model, lidar, tags, _path(uwb), seconds),
    )  # fmt: skip
    check_outputs({"trajectories": (request.trajectory, TRAJECTORIES)})
    true = None if request.reference is None else _read_reference(request.reference)
    table = "uwb" if request.map is None else "mcl"
    values, told = read_values(request.params, table) if request.params is not None else ({}, ())
    setup = None if request.uwb is None else read_uwb_setup(request.uwb)
    if request.map is None:
        assert setup is not None
        result = _by_ranges(request, setup, values, true, progress)
    else:
        result = _on_map(request, request.map, setup, values, true, progress)
    result = replace(result, warnings=(*told, *result.warnings))
    if request.trajectory is not None:
        write_bytes(trajectory_bytes(result.trajectory, request.trajectory), request.trajectory)
    return result


def _path(name: Path | str | None) -> Path | None:
    return None if name is None else Path(name)


def _told(what: str, error: Mapping[str, float | int]) -> str:
    return (
        f"{what}: mean {error['mean']:.3f} m, median {error['median']:.3f} m, max {error['max']:.3f} m, "
        f"within 0.5 m {100 * error['within_0_5']:.1f} %"
    )


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
            f"({times.min():.3f} to {times.max():.3f} s) do not overlap in time"
        )


# ---- on a map --------------------------------------------------------------------------------------
def _on_map(
    job: Request,
    grid: OccupancyGrid | Path,
    setup: UwbSetup | None,
    values: dict[str, Any],
    reference: Trajectory | None,
    progress: bool,
) -> LocalizeResult:
    parameters = settings_from(MclParameters(), values, "localization parameter")
    try:
        field_ = LikelihoodField(load_map(grid) if isinstance(grid, Path) else grid, parameters)
    except BadInput as error:
        raise BadInput(str(error) if str(grid) in str(error) else f"{grid}: {error}") from None
    log, tags = _heard(job, setup, progress)
    _overlap(reference, np.array([scan.time for scan in log.scans]), job.reference)
    warnings = list(log.warnings)
    start: Array | None = None if job.initial_pose is None else np.array(job.initial_pose)
    deviation: Any = HAND_DEVIATION
    if setup is not None and tags is not None and start is None and not job.anywhere:
        start, deviation = start_by_tags(tags, setup, warnings)
    if start is not None and int(field_.grid.at(start[:2])) < 0:
        warnings.append(f"the initial pose {start[0]:.2f} {start[1]:.2f} lies outside the known area of the map")
    with bar("localizing", progress) as report:
        result = localize_log(
            log,
            field_,
            start,
            parameters,
            deviation=deviation,
            seed=job.seed,
            progress=lambda done, total: report(done, total, ""),
        )
    if result.blind:
        warnings.append(f"{log.name}: {result.blind} scans had too few echoes to be used")
    if result.doubted.any():
        when = result.trajectory.times[int(np.argmax(result.doubted))] - result.trajectory.times[0]
        count = f"{int(result.doubted.sum())} of {len(result.doubted)} scans"
        warnings.append(f"{log.name}: the place is in doubt at {count}, first {when:.1f} s after the start")
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
        "doubted": int(result.doubted.sum()),
        "seconds": result.seconds,
    }
    if since is not None:
        details["error_from"] = since
    if setup is not None and tags is not None:
        details["map_from_uwb"] = _aligned(tags, setup, result.trajectory)
    return LocalizeResult(
        result.updates, result.rate, result.converged, result.trajectory.poses[-1], error,
        None if job.trajectory is None else str(job.trajectory), details, tuple(warnings), result.trajectory,
        field_.grid,
    )  # fmt: skip


def _heard(job: Request, setup: UwbSetup | None, progress: bool) -> tuple[Log, UwbLog | None]:
    """Scans with odometry, and ranges where anchors are named, of a log or of a robot that is listened to."""
    if is_live(job.log):
        return listen(job.log, job.live, progress)
    log = open_log(job.log, job.options, job.live, progress)
    return log, None if setup is None else read_uwb_log(Path(job.log), setup)


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
        f"the reference seems to be in another frame than the map: moved by x {x:.3f} m, y {y:.3f} m, "
        f"yaw {math.degrees(yaw):.1f} deg the way agrees with it within {left.mean:.3f} m on average"
    ]


# ---- among anchors ---------------------------------------------------------------------------------
def _by_ranges(
    job: Request, setup: UwbSetup, values: dict[str, Any], reference: Trajectory | None, progress: bool
) -> LocalizeResult:
    values = dict(values)
    height = values.pop("height", None)
    if height is not None and (isinstance(height, bool) or not isinstance(height, int | float)):
        raise BadInput(f"UWB parameter height must be a number of meters, got {height!r}")
    noise = settings_from(RangeNoise(), values, "UWB parameter")
    live = listen(job.log, job.live, progress)[1] if is_live(job.log) else None
    log = read_uwb_log(Path(job.log), setup) if live is None else live
    _overlap(reference, log.times, job.reference)
    with bar("localizing", progress) as report:
        result = track_uwb(log, setup, noise, height, lambda done, total: report(done, total, ""))
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
    return LocalizeResult(
        result.updates, result.rate, result.converged, path.poses[-1], error,
        None if job.trajectory is None else str(job.trajectory), details, log.warnings, path,
    )  # fmt: skip


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
