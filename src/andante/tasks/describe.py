"""`an.check`, `an.convert` and `an.rig`: what is said about robots and worlds in files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from andante.description import Problem, Robot, World, load_robot, load_world
from andante.description.check import CheckReport, check_file, check_robot, check_world
from andante.errors import BadInput, MissingFile
from andante.gc_paused import gc_paused
from andante.physics.solver import engine_notes

from .inputs import RobotLike, as_robot, told_of_legs
from .result import HIDDEN, Result

if TYPE_CHECKING:
    from andante import viz
    from andante.description.io.convert import Written
    from andante.locomotion.rigs.rig import Rig

MAPS = (".yaml", ".yml")


# ---- check ---------------------------------------------------------------------------------------
@dataclass(frozen=True)
class CheckResult(CheckReport, Result):
    """What is in a robot or world, and what is wrong with it, errors first."""

    subject: Robot | World | str = field(metadata=HIDDEN, repr=False)
    arguments: Mapping[str, str] = field(metadata=HIDDEN, repr=False)

    def __str__(self) -> str:
        head = f"{self.name} ({self.kind}): {self.links} links, {self.joints} joints, {self.mass:.4g} kg"
        found = [str(problem) for problem in self.problems] or ["  no problems found"]
        return "\n".join([head, *(f"  {line}" for line in self.recognised), *found])

    def plot(self) -> viz.Figure:
        """The robot as sticks and collision outlines."""
        from andante import viz

        if self.kind != "robot":
            raise NotImplementedError("a world has no preview; `an.show` shows it in the studio")
        shown = self.subject if isinstance(self.subject, Robot) else load_robot(str(self.subject), self.arguments)
        return viz.preview_robot(shown)


def check(file: Robot | World | Path | str, arguments: Mapping[str, str] | None = None) -> CheckResult:
    """Check a robot or world.

    Args:
        file: a `Robot`, a `World`, a name, a path or `file.py:Name`.
        arguments: `name:=value` arguments of the file.

    Returns:
        What was found; `ok` says whether there are no errors. What an installed engine has not of what a world or a
        surface asks for is among it. BadInput when the file cannot be read at all.
    """
    legs: list[str] = []

    def notes(subject: Robot | World) -> list[Problem]:
        from andante.description.check.recognize import find_wheels
        from andante.description.stand_ins import solid_or_same
        from andante.locomotion.rigs.legs import told_legs

        if isinstance(subject, Robot) and not find_wheels(shaped := solid_or_same(subject)):
            legs.append(told_legs(shaped))
        return engine_notes(subject)

    if isinstance(file, Robot | World):
        if arguments:
            raise BadInput(f"{file.name!r} is loaded already; arguments belong to a file: {', '.join(arguments)}")
        found = check_robot(file, notes(file)) if isinstance(file, Robot) else check_world(file, notes(file))
    else:
        with gc_paused():
            found = check_file(str(file), arguments, notes)
    told = (*found.recognised, *(words for words in legs if words))
    subject = file if isinstance(file, Robot | World) else str(file)
    return CheckResult(**{**vars(found), "recognised": told}, subject=subject, arguments=dict(arguments or {}))


# ---- convert -------------------------------------------------------------------------------------
@dataclass(frozen=True)
class ConvertResult(Result):
    """The file that was written, and what there is to say about it."""

    path: Path
    problems: tuple[Problem, ...]

    def __str__(self) -> str:
        return "\n".join([*map(str, self.problems), f"wrote {self.path}"])


def convert(
    source: Robot | World | Path | str,
    out: Path | str,
    arguments: Mapping[str, str] | None = None,
    *,
    meshes: Path | str | None = None,
    height: float | None = None,
    resolution: float = 0.05,
) -> ConvertResult:
    """Convert a robot or world: .xacro .urdf .sdf .world .xml (MJCF); also a map.yaml to a world and back.

    Args:
        source: a `Robot`, a `World`, a name or a path.
        out: file to write, its suffix says the format.
        arguments: `name:=value` arguments of the source.
        meshes: folder to copy the meshes to; the file then refers to the copies.
        height: maps: of the lidar that sees the world (0.2 m), or of the walls to pull up (1 m).
        resolution: of the map of a world [m].

    Returns:
        The file and what could not be kept. All files appear whole or not at all.
    """
    target, folder = Path(out), None if meshes is None else Path(meshes)
    given = source if isinstance(source, Robot | World) else str(source)
    if arguments and not isinstance(given, str):
        raise BadInput(f"{given.name!r} is loaded already; arguments belong to a file: {', '.join(arguments)}")
    if target.suffix.lower() in MAPS or (isinstance(given, str) and Path(given).suffix.lower() in MAPS):
        written = _convert_map(given, target, height, resolution)
    else:
        from andante.description.io.convert import convert_file

        written = convert_file(given, target, arguments, folder)
    return ConvertResult(written.path, written.problems)


def _convert_map(source: Robot | World | str, out: Path, height: float | None, resolution: float) -> Written:
    """A map's yaml file into a world, or a world into a map's yaml file and pgm picture."""
    from andante.description.io.convert import WORLD_FORMATS, Written, write_description
    from andante.mapping.io.map_files import load_map, map_base, save_map  # compiled code: only when it is needed
    from andante.mapping.worlds import map_of_world, world_of_map

    if not out.absolute().parent.is_dir():
        raise MissingFile(f"{out}: the folder does not exist; make it first")
    from_map = isinstance(source, str) and Path(source).suffix.lower() in MAPS
    if out.suffix.lower() in MAPS:
        if from_map:
            raise BadInput(f"{source} and {out} are both maps; one of them should be a world")
        if isinstance(source, Robot):
            raise BadInput(f"{source.name!r} is a robot; maps are made of worlds")
        world = source if isinstance(source, World) else load_world(source)
        grid = map_of_world(world, height=0.2 if height is None else height, resolution=resolution)
        return Written(save_map(grid, out)[-1], world.problems)
    if out.suffix.lower() not in WORLD_FORMATS:
        raise BadInput(f"{out}: a map becomes a world as {', '.join(WORLD_FORMATS)}")
    path = Path(str(source))
    world = world_of_map(load_map(path), name=map_base(path).name, height=1.0 if height is None else height)
    return write_description(world, out)


# ---- rig -----------------------------------------------------------------------------------------
@dataclass(frozen=True)
class RigResult(Result):
    """What gaits must know about a legged robot."""

    rig: Rig = field(repr=False)
    weak: Mapping[str, tuple[float, float]]  # joint to load and effort limit [N m, N], the weakest first
    file: Path | None
    robot: Robot = field(repr=False)

    @property
    def text(self) -> str:
        """The rig as the text of a rig file."""
        from andante.locomotion.io.rig_file import rig_text

        return rig_text(self.rig)

    @property
    def warning(self) -> str:
        """What to do about joints that are too weak; empty where all are strong enough."""
        if not self.weak:
            return ""
        name, (load, effort) = next(iter(self.weak.items()))
        others = f" (and {len(self.weak) - 1} other joints)" if len(self.weak) > 1 else ""
        return (
            f"{name} holds {load:.2g} N m when half of the legs carry the robot, its effort limit is {effort:g}"
            f"{others}: it will sink; take stronger servos, less weight or straighter legs (a greater height)"
        )

    def as_dict(self) -> dict[str, Any]:
        """The keys of the command-line contract."""
        made = self.rig
        return {
            "robot": made.robot,
            "body": made.body,
            "forward": made.forward,
            "height": made.height,
            "legs": [
                {"name": leg.name, "joints": leg.joints, "foot": leg.foot, "reach": leg.reach} for leg in made.legs
            ],
            "weak": {name: {"load": load, "effort": effort} for name, (load, effort) in self.weak.items()},
            "file": self.file,
        }

    def __str__(self) -> str:
        names = ", ".join(leg.name for leg in self.rig.legs)
        wrote = "" if self.file is None else f"; wrote {self.file}"
        return f"{len(self.rig.legs)} legs ({names}), body {self.rig.height:.3f} m high{wrote}"

    def plot(self) -> viz.Figure:
        """The robot in the stance of the rig."""
        from andante import viz

        return viz.preview_robot(self.robot, self.rig.stance, frames=[leg.foot for leg in self.rig.legs])


def rig(
    robot: RobotLike,
    out: Path | str | None = None,
    *,
    knees: str = "same",
    height: float | None = None,
    stance: Path | str | None = None,
    arguments: Mapping[str, str] | None = None,
) -> RigResult:
    """Infer a rig: legs, feet, stance, steps and gains of a legged robot.

    Args:
        robot: a `Robot`, a name or a path.
        out: rig file to write (.toml).
        knees: same, back, front, in, out or up.
        height: height of the body over the ground [m]; None: found.
        stance: a TOML file with a table [stance], joint = position, of a pose in which it stands; None: found.
        arguments: `name:=value` arguments of the robot's file.

    Returns:
        The rig, and the joints that are too weak for it.
    """
    from andante.description.stand_ins import solid_or_same
    from andante.locomotion.io.rig_file import read_stance, write_rig
    from andante.locomotion.rigs.infer import infer_rig
    from andante.locomotion.rigs.rig import weak_joints

    model = solid_or_same(as_robot(robot, arguments))
    stated = None if stance is None else read_stance(Path(stance))
    with told_of_legs(model, stated is None):
        made = infer_rig(model, knees, height, stated)
    weak, file = weak_joints(model, made), None if out is None else Path(out)
    if file is not None:
        write_rig(made, file)
    return RigResult(rig=made, weak=weak, file=file, robot=model)
