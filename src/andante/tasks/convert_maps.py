"""Maps into worlds and worlds into maps: the part of `andante convert` that needs both."""

from __future__ import annotations

from pathlib import Path

from andante.description import load_world
from andante.description.io.convert import WORLD_FORMATS, Written, write_description
from andante.errors import BadInput, MissingFile
from andante.mapping.io.map_files import load_map, map_base, save_map
from andante.mapping.worlds import map_of_world, world_of_map

MAPS = (".yaml", ".yml")


def is_map_conversion(source: str, out: Path) -> bool:
    """Whether one of the two is a map."""
    return Path(source).suffix.lower() in MAPS or out.suffix.lower() in MAPS


def convert_map(source: str, out: Path, *, height: float | None = None, resolution: float = 0.05) -> Written:
    """A map's yaml file into a world, or a world into a map's yaml file and pgm picture.

    height: of the lidar that sees the world (0.2 m), or of the walls of a map (1 m). resolution: of the map [m].
    """
    if not out.absolute().parent.is_dir():
        raise MissingFile(f"{out}: the folder does not exist; make it first")
    from_map, to_map = Path(source).suffix.lower() in MAPS, out.suffix.lower() in MAPS
    if from_map and to_map:
        raise BadInput(f"{source} and {out} are both maps; one of them should be a world")
    if to_map:
        world = load_world(source)
        grid = map_of_world(world, height=0.2 if height is None else height, resolution=resolution)
        return Written(save_map(grid, out)[-1], world.problems)
    if out.suffix.lower() not in WORLD_FORMATS:
        raise BadInput(f"{out}: a map becomes a world as {', '.join(WORLD_FORMATS)}")
    grid = load_map(Path(source))
    world = world_of_map(grid, name=map_base(Path(source)).name, height=1.0 if height is None else height)
    return write_description(world, out)
