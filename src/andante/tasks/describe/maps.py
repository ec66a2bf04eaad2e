"""Maps of worlds, and worlds of maps."""

from __future__ import annotations

from pathlib import Path

from andante.description import Robot, World, load_world
from andante.description.io.convert import WORLD_FORMATS, Written, write_description
from andante.errors import BadInput, MissingFile
from andante.mapping.io.map_files import load_map, map_base, save_map
from andante.mapping.worlds import map_of_world, world_of_map


def convert_map(
    source: Robot | World | str, out: Path, height: float | None, resolution: float, suffixes: tuple[str, ...]
) -> Written:
    """A map's yaml file into a world, or a world into a map's yaml file and pgm picture."""
    if not out.absolute().parent.is_dir():
        raise MissingFile(f"{out}: the folder does not exist; make it first")
    from_map = isinstance(source, str) and Path(source).suffix.lower() in suffixes
    if out.suffix.lower() in suffixes:
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
