"""Recordings and films of a run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from andante import viz
from andante.control.body import Body
from andante.control.view import RobotView
from andante.errors import BadInput
from andante.files import PICTURES, RECORDINGS, VIDEOS, check_outputs, made_folder, write_all
from andante.mapping import OccupancyGrid, Trajectory
from andante.mapping.io.map_files import encode_map, map_base
from andante.mapping.io.trajectories import trajectory_bytes
from andante.simulation.simulation import Simulation

PathLike = Path | str | None
MAPS = (".pgm", ".yaml")
TRAJECTORIES = (".txt", ".tum", ".log", ".clf", ".csv")


@dataclass(frozen=True)
class RunFiles:
    """Files that a run writes, each None where it is not asked for; refused before the work where they cannot be."""

    record: Path | None = None
    video: Path | None = None
    picture: Path | None = None  # of the end
    plot: Path | None = None

    @staticmethod
    def of(
        record: PathLike = None,
        video: PathLike = None,
        picture: PathLike = None,
        plot: PathLike = None,
        others: Mapping[str, tuple[PathLike, Sequence[str]]] | None = None,
    ) -> RunFiles:
        """The files by their names; `others` that the same run writes are checked with them."""
        wanted = {
            "recordings": (record, RECORDINGS), "videos": (video, VIDEOS), "pictures": (picture, PICTURES),
            "plots": (plot, (*PICTURES, ".svg", ".pdf")),
        }  # fmt: skip
        paths = check_outputs({**(others or {}), **wanted})
        return RunFiles(*(paths[what] for what in wanted))


@dataclass(frozen=True)
class MapFiles:
    """MAP.pgm, MAP.yaml and the trajectory that mapping writes; none of them may be one that is read."""

    maps: dict[str, Path]  # by their suffix; empty: none are written
    trajectory: Path | None

    @staticmethod
    def of(out: PathLike, trajectory: PathLike, read: Iterable[object]) -> MapFiles:
        """The files of a map MAP; `read`: what else may be a path that is read."""
        base = None if out is None else map_base(Path(out))
        maps = {} if base is None else {suffix: base.with_name(base.name + suffix) for suffix in MAPS}
        made = MapFiles(maps, None if trajectory is None else Path(trajectory))
        taken = {Path(path).absolute() for path in read if isinstance(path, str | Path)}
        for path in (*maps.values(), *([made.trajectory] if made.trajectory is not None else [])):
            if path.absolute() in taken:
                raise BadInput(f"{path} would be overwritten; give another name")
            taken.add(path.absolute())
        return made

    @property
    def wanted(self) -> dict[str, tuple[PathLike, Sequence[str]]]:
        """For `check_outputs`."""
        maps: dict[str, tuple[PathLike, Sequence[str]]]
        maps = {f"maps ({suffix})": (path, (suffix,)) for suffix, path in self.maps.items()}
        return {**maps, "trajectories": (self.trajectory, TRAJECTORIES)}

    @property
    def yaml(self) -> str:
        """The yaml file; empty where none is written."""
        return str(self.maps[".yaml"]) if self.maps else ""

    def write_sheets(self, sheets: Iterable[OccupancyGrid]) -> Path:
        """Write a map in squares of its full resolution, each a map of its own, to the folder MAP_tiles."""
        base = map_base(self.maps[".yaml"])
        folder = base.with_name(f"{base.name}_tiles")
        with made_folder(folder):
            for number, sheet in enumerate(sheets):
                write_all(encode_map(sheet, folder / f"{base.name}_{number:04d}"))
        return folder

    def write(self, grid: OccupancyGrid, trajectory: Trajectory) -> None:
        """Write all or none."""
        written = encode_map(grid, map_base(self.maps[".yaml"])) if self.maps else []
        if self.trajectory is not None:
            written.append((trajectory_bytes(trajectory, self.trajectory), self.trajectory))
        write_all(written)


@contextmanager
def kept(body: Body, files: RunFiles, view: RobotView | None = None) -> Iterator[None]:
    """Record, film and at last draw a robot while the block runs, where asked for; the files are whole or absent.

    Args:
        body: a simulation, with sensors where it is recorded, or a real robot, which is not filmed.
        files: the recording, the film and the picture of the end.
        view: of what moves the robot; None: nobody does.
    """
    with ExitStack() as stack:
        record, video = files.record, files.video
        if record is not None:
            from andante.simulation.recording import open_recording

            recording = stack.enter_context(open_recording(record, body, view))
            if isinstance(body, Simulation):
                body.observers.append(recording)
            elif view is not None:
                view.observers.append(recording)
        if video is not None:
            if not isinstance(body, Simulation):
                raise BadInput("only a simulated robot can be filmed; leave video out, or record it")
            body.observers.append(stack.enter_context(viz.Film(body, video)))
        yield
        if files.picture is not None and isinstance(body, Simulation):
            viz.save_picture(body, files.picture)
