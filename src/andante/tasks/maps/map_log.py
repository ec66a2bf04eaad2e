"""`an.map_log`: a map and a trajectory from a log of laser scans."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path

from andante import viz
from andante.errors import BadInput
from andante.files import check_outputs
from andante.mapping import OccupancyGrid, Trajectory
from andante.mapping.io.checkpoints import SUFFIX, Checkpoint
from andante.mapping.io.logs import LogOptions
from andante.mapping.io.map_files import map_base
from andante.mapping.parameters import MappingParameters, parameters_from
from andante.mapping.slam import MappingResult, build_map
from andante.progress import bar
from andante.tasks.outputs import MapFiles
from andante.tasks.result import HIDDEN, Result
from andante.tasks.ros_files import read_values

from .live_log import Listening, is_live, open_log

SHEET = 4096  # cells along an edge of a square of a large map


@dataclass(frozen=True)
class MapResult(Result):
    """A map, what was written and how fast it was made."""

    scans: int
    rate: float  # scans per second, reading the log left out
    map: str  # the yaml file; empty: none was written
    trajectory_file: str | None = field(metadata=HIDDEN)
    keys: int
    loops: int
    unmatched: int  # scans placed by dead reckoning alone
    seconds: float  # of work, reading the log left out
    length: float  # of the way [m]
    size: tuple[int, int]  # columns and rows of the map
    resolution: float  # [m]
    warnings: tuple[str, ...]
    stopped: str  # why it ended before its time; empty: it did not
    result: MappingResult = field(metadata=HIDDEN, repr=False)

    @property
    def grid(self) -> OccupancyGrid:
        """The map."""
        return self.result.grid

    @property
    def trajectory(self) -> Trajectory:
        """The way of the robot on the map."""
        return self.result.trajectory

    def as_dict(self) -> dict[str, object]:
        """The keys of the command-line contract, and more."""
        return {**super().as_dict(), "trajectory": self.trajectory_file}

    def __str__(self) -> str:
        lost = f"; {self.unmatched} scans could not be matched and were placed by odometry" if self.unmatched else ""
        return (
            f"{self.scans} scans over {self.length:.1f} m at {self.rate:.0f} scans/s, {self.keys} key scans, "
            f"{self.loops} loops closed, map of {self.size[0]} x {self.size[1]} cells of {self.resolution:g} m{lost}"
        )

    def plot(self) -> viz.Figure:
        """The map with the way over it."""
        return viz.plot_map(self.grid, self.trajectory.poses, str(self))


def map_log(
    log: Path | str,
    out: Path | str | None = None,
    *,
    odometry: bool = True,
    loop_closure: bool = True,
    trajectory: Path | str | None = None,
    params: Path | str | None = None,
    scan: str = "",
    odom: str = "",
    imu: str = "",
    base_frame: str = "",
    tf: Path | str | None = None,
    model: str = "",
    lidar: str = "",
    seconds: float = math.inf,
    resume: bool = False,
    progress: bool = False,
) -> MapResult:
    """Make a map from a log of laser scans.

    Args:
        log: rosbag1, rosbag2 (folder, .db3, .mcap) or CARMEN (.log, .clf; .gz); or the address of a robot that is
            driven by others (serial:PORT, ws://HOST:9090, http://HOST:11311) or of a lidar that is carried
            (rplidar:PORT), which are listened to until Ctrl-C.
        out: MAP of MAP.pgm and MAP.yaml; None: nothing is written, `grid` has the map.
        odometry: use the wheels' odometry, not scans alone.
        loop_closure: close loops; without them it only tracks, which is faster.
        trajectory: file to write: TUM lines (.txt, .tum), or CARMEN lines (.log, .clf).
        params: a TOML or JSON file with parameters of mapping; or a YAML or launch file of hector_mapping or
            slam_toolbox.
        scan: topic of the scans, where it cannot be guessed; FLASER or RLASER of CARMEN.
        odom: topic of the odometry, where it cannot be guessed.
        imu: topic of the IMU, where it cannot be guessed.
        base_frame: frame of the robot, where it cannot be guessed.
        tf: transforms that the log lacks: a robot file, or lines 'parent child x y z yaw pitch roll'.
        model: of the robot at an address, a name or a path.
        lidar: of a car at a serial port: rplidar:PORT.
        seconds: how long a robot or lidar at an address is listened to [s]; else until Ctrl-C.
        resume: go on where an earlier run with the same `out` was stopped or killed.
        progress: print progress on stderr.

    Returns:
        The map and the trajectory. Files are written all or none. Ctrl-C writes the map so far, `stopped` says so.
        A map of more than 100 million cells is coarsened, with its full resolution in the folder MAP_tiles.
    """
    source, options = Path(log), LogOptions(scan, odom, imu, base_frame, Path(tf) if tf is not None else None)
    files = MapFiles.of(out, trajectory, (None if is_live(log) else source, params, tf))
    check_outputs(files.wanted)
    usual = MappingParameters()
    if is_live(log):
        from andante.mobile.growing import KEYS as usual  # with all of driving
    values, told = read_values(Path(params), "mapping") if params else ({}, ())
    parameters = parameters_from(values, usual)
    records = open_log(log, options, Listening(model, lidar, seconds=seconds), progress)
    blind = sum(not each.hit.any() for each in records.scans)
    if blind == len(records.scans):
        raise BadInput(f"{records.name}: none of its {blind} scans has an echo; there is nothing to map")
    warnings = [*told, *records.warnings]
    if blind:
        warnings.append(
            f"{records.name}: {blind} of {len(records.scans)} scans have no echo and were placed by odometry alone"
        )
    saved = None
    if files.maps:
        beside = map_base(files.maps[".yaml"])
        saved = Checkpoint(beside.with_name(beside.name + SUFFIX), records, parameters, odometry, loop_closure)
    elif resume:
        raise BadInput("resume goes on with a map that is written: name it as out")
    state = saved.read() if saved is not None and resume else None
    if resume and state is None and saved is not None:
        warnings.append(f"{saved.path}: there is none, so the map was begun anew")
    with bar("tracking", progress, unit="scans") as report:
        result = build_map(
            records,
            parameters,
            odometry=odometry,
            loop_closure=loop_closure,
            progress=lambda what, done, total: report(done, total, what),
            resume=state,
            keep=None if saved is None else saved.keep,
        )
    if result.stopped:
        warnings.append(f"{result.stopped}; the map so far is written, resume goes on")
    if result.grid.resolution > 1.01 * result.drawing.resolution:
        told = f"the map is too large for one picture and was coarsened to cells of {result.grid.resolution:g} m"
        if files.maps:
            folder = files.write_sheets(result.drawing.sheets(SHEET))
            told += f"; {folder} has all of it at {result.drawing.resolution:g} m"
        warnings.append(told)
    files.write(result.grid, result.trajectory)
    if saved is not None and not result.stopped:
        saved.remove()
    rows, columns = result.grid.shape
    return MapResult(
        scans=result.scans,
        rate=result.rate,
        map=files.yaml,
        trajectory_file=None if files.trajectory is None else str(files.trajectory),
        keys=result.keys,
        loops=result.loops,
        unmatched=result.unmatched,
        seconds=result.seconds,
        length=result.trajectory.length,
        size=(columns, rows),
        resolution=result.grid.resolution,
        warnings=tuple(warnings),
        stopped=result.stopped,
        result=result,
    )
