"""Maps of worlds, flat or of three dimensions, and of logs whose clouds have poses: `andante map` beside scans."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from andante import viz
from andante.errors import BadInput
from andante.files import check_outputs, write_all
from andante.mapping import OccupancyGrid, map_of_world
from andante.mapping.io.clouds import clouds_of
from andante.mapping.io.map_files import encode_map, map_base
from andante.mapping.io.octomap import save_octree
from andante.mapping.octree import OcTree, octree_of_world
from andante.tasks.inputs import WorldLike, as_world
from andante.tasks.outputs import MapFiles
from andante.tasks.result import HIDDEN, Result

from .map_log import MapResult, map_log

FINE, FLAT = 0.05, 0.05  # usual edges of voxels and cells [m]
LOW, HIGH = 0.05, 0.65  # heights between which things are on the flat picture of a map [m]
TREES = (".bt", ".ot")


@dataclass(frozen=True)
class SpaceResult(Result):
    """A map of a world, or of three dimensions from a log."""

    map: str  # the file; empty: none was written
    source: str  # the world or log
    resolution: float  # [m]
    size: tuple[int, ...]  # voxels along x, y, z, or columns and rows
    occupied: float  # volume [m³], or area [m²]
    megabytes: float  # in memory
    clouds: int  # of a log
    seconds: float
    warnings: tuple[str, ...] = ()
    stopped: str = ""
    trajectory_file: str | None = field(default=None, metadata=HIDDEN)
    made: OcTree | OccupancyGrid = field(kw_only=True, metadata=HIDDEN, repr=False)

    def __str__(self) -> str:
        cells = " x ".join(str(n) for n in self.size)
        unit = "m³" if isinstance(self.made, OcTree) else "m²"
        return (
            f"{self.source}: {cells} cells of {self.resolution:g} m, {self.occupied:.2f} {unit} occupied, "
            f"{self.megabytes:.1f} MB, {self.seconds:.1f} s"
        )

    def plot(self) -> viz.Figure:
        """From above."""
        grid = self.made.slice(LOW, HIGH) if isinstance(self.made, OcTree) else self.made
        return viz.plot_map(grid, None, str(self))


def make_map(
    log: Path | str | None = None,
    out: Path | str | None = None,
    *,
    from_world: WorldLike | None = None,
    space: bool = False,
    resolution: float | None = None,
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
) -> MapResult | SpaceResult:
    """Make a map from a log of laser scans, or of a world; flat, or of three dimensions.

    Args:
        log: rosbag1, rosbag2 (folder, .db3, .mcap) or CARMEN (.log, .clf; .gz); or the address of a robot that is
            driven by others (serial:PORT, ws://HOST:9090, http://HOST:11311) or of a lidar that is carried
            (rplidar:PORT), which are listened to until Ctrl-C.
        out: MAP of MAP.pgm and MAP.yaml, or of MAP.bt (MAP.ot where it says so); None: nothing is written.
        from_world: a world in place of a log: its true map.
        space: an octree of three dimensions; of a log its clouds and depth images with the poses of their sensors.
        resolution: edge of a cell of a world's or an octree's map [m].
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
        The map. Files are written all or none.
    """
    if (log is None) == (from_world is None):
        raise BadInput("a map is made of a log or of a world (from_world): name one of them")
    if from_world is not None:
        return map_world(from_world, out, space=space, resolution=resolution)
    assert log is not None
    if space:
        return map_clouds(log, out, resolution=resolution)
    if resolution is not None:
        raise BadInput("the resolution of a map of scans stands in the table [grid] of its params")
    return map_log(
        log, out, odometry=odometry, loop_closure=loop_closure, trajectory=trajectory, params=params, scan=scan,
        odom=odom, imu=imu, base_frame=base_frame, tf=tf, model=model, lidar=lidar, seconds=seconds, resume=resume,
        progress=progress,
    )  # fmt: skip


def map_world(
    world: WorldLike, out: Path | str | None = None, *, space: bool = False, resolution: float | None = None
) -> SpaceResult:
    """The true map of a world: MAP.pgm and MAP.yaml, or with `space` an octree MAP.bt or MAP.ot."""
    begun, there = time.perf_counter(), as_world(world)
    if not space:
        files = MapFiles.of(out, None, ())
        check_outputs(files.wanted)
        grid = map_of_world(there, resolution=resolution or FLAT)
        if files.maps:
            write_all(encode_map(grid, map_base(files.maps[".yaml"])))
        rows, columns = grid.shape
        area = float(grid.occupied().sum()) * grid.resolution**2
        spent = time.perf_counter() - begun
        size = grid.cells.nbytes / 1e6
        told = (grid.resolution, (columns, rows), area, size, 0, spent)
        return SpaceResult(files.yaml, there.name, *told, made=grid)
    path = tree_path(out)
    return _told(octree_of_world(there, resolution or FINE), path, there.name, 0, begun)


def map_clouds(
    log: Path | str, out: Path | str | None = None, *, resolution: float | None = None, max_range: float = 5.0
) -> SpaceResult:
    """An octree from a bag with PointCloud2 or depth images and the poses of their sensors in /tf."""
    begun, path = time.perf_counter(), tree_path(out)
    tree, count = OcTree(resolution or FINE), 0
    for origin, points in clouds_of(Path(log)):
        tree.insert(points, origin, max_range)
        count += 1
    if not count:
        raise BadInput(
            f"{log}: no cloud or depth image in it has a known pose; it needs sensor_msgs/PointCloud2, or Image of "
            "32FC1 or 16UC1 with its camera_info, and /tf from map, odom or world to their frames"
        )
    return _told(tree, path, Path(log).name, count, begun)


def tree_path(out: Path | str | None) -> Path | None:
    """The file of an octree: .bt unless it says .ot."""
    if out is None:
        return None
    path = Path(out)
    path = path if path.suffix in TREES else path.with_name(path.name + ".bt")
    check_outputs({"octrees": (path, TREES)})
    return path


def _told(tree: OcTree, path: Path | None, source: str, clouds: int, begun: float) -> SpaceResult:
    if path is not None:
        save_octree(path, tree)
    low, high = tree.bounds
    nx, ny, nz = (int(n) for n in np.rint((high - low) / tree.resolution))
    spent = time.perf_counter() - begun
    told = (tree.resolution, (nx, ny, nz), tree.volume(), tree.nbytes / 1e6, clouds, spent)
    return SpaceResult(str(path) if path is not None else "", source, *told, made=tree)
