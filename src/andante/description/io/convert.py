"""One description format into another: what `andante convert` does."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from andante.description import (
    Collision,
    Geometry,
    Link,
    Mesh,
    Problem,
    Robot,
    Severity,
    Visual,
    World,
    robot_names,
    world_names,
)
from andante.description.load import robot_file, user_robot, world_file
from andante.description.mesh.files import companions, load_mesh_parts
from andante.description.mesh.triangles import triangles
from andante.errors import AndanteError, BadInput, MissingFile
from andante.files import made_folder, write_all
from andante.userfile import is_user_reference

from .mjcf.writer import mjcf_files
from .open import is_world, read_root, read_world, robot_of, world_of
from .resolver import Resolver
from .sdf.writer import write_sdf
from .urdf.writer import write_urdf

MJCF = (".xml", ".mjcf")
ROBOT_FORMATS = (".urdf", ".sdf", ".xml", ".mjcf")
WORLD_FORMATS = (".sdf", ".world", ".xml", ".mjcf")
Shape = TypeVar("Shape", Visual, Collision)


@dataclass(frozen=True)
class Written:
    """What a conversion wrote, and what there is to say about it."""

    path: Path
    problems: tuple[Problem, ...]


def convert_file(
    source: Robot | World | str, out: Path, arguments: Mapping[str, str] | None = None, meshes: Path | None = None
) -> Written:
    """Read a robot or world, if it is not loaded already, and write it in the format of the suffix of `out`.

    All files appear whole or not at all. `meshes` copies every mesh file into a folder and refers to the copies; a file
    that is no mesh is refused.
    """
    suffix = out.suffix.lower()
    if not out.absolute().parent.is_dir():
        raise MissingFile(f"{out}: the folder does not exist; make it first")
    if isinstance(source, str) and out.exists() and out.resolve() == Path(source).resolve():
        raise BadInput(f"{out} is the file to convert itself; give another name")
    if meshes is not None and meshes.exists() and not meshes.is_dir():
        raise BadInput(f"{meshes} is not a folder; `meshes` needs one")
    thing = _read(source, dict(arguments or {})) if isinstance(source, str) else source
    formats = ROBOT_FORMATS if isinstance(thing, Robot) else WORLD_FORMATS
    if suffix not in formats:
        kind = "a robot" if isinstance(thing, Robot) else "a world"
        raise BadInput(f"{out}: {kind} can be written as {', '.join(formats)}")
    if meshes is None:
        return write_description(thing, out)
    thing, lost = _without_missing_meshes(thing) if suffix in MJCF else (thing, ())
    thing, copies = _with_copied_meshes(thing, meshes.resolve())
    written = write_description(thing, out, meshes, copies)
    return replace(written, problems=(*written.problems, *lost))


def write_description(
    thing: Robot | World, out: Path, meshes: Path | None = None, copies: Mapping[Path, Path] | None = None
) -> Written:
    """Write a robot or world in the format of the suffix of `out`, whole or not at all.

    `meshes` is a folder for meshes that are made for MJCF; `copies` are mesh files to be written, by what they copy.
    """
    lost: tuple[Problem, ...] = ()
    made: list[tuple[bytes | Path, Path]] = [(source, path) for path, source in (copies or {}).items()]
    if out.suffix.lower() in MJCF:
        thing, lost = _without_missing_meshes(thing)
        text, exports = mjcf_files(thing, out, meshes, copies)
        made += exports
    elif out.suffix.lower() == ".urdf" and isinstance(thing, Robot):
        text = write_urdf(thing, out)
    else:
        text = write_sdf(thing, out)
    with made_folder(meshes) if meshes is not None and made else nullcontext():
        write_all([*made, (text.encode("utf-8"), out)])
    return Written(out, (*thing.problems, *lost))


def _read(source: str, arguments: dict[str, str]) -> Robot | World:
    if source in world_names() and source not in robot_names():
        return read_world(world_file(source), arguments)
    if is_user_reference(source):
        return user_robot(source, arguments)
    path, resolver = robot_file(source), Resolver()
    root = read_root(path, arguments, resolver)
    return (world_of if is_world(root) or path.suffix == ".world" else robot_of)(root, path, resolver)


def _without_missing_meshes(thing: Robot | World) -> tuple[Robot | World, tuple[Problem, ...]]:
    """The same without meshes that MJCF cannot name, and a warning for each: not found, or seen only and empty."""
    told: list[Problem] = []

    def there(link: Link, role: str, geometry: Geometry) -> bool:
        if not isinstance(geometry, Mesh):
            return True
        if geometry.path is not None and not (role == "visual" and _is_empty(geometry)):
            return True
        fault = "was not found" if geometry.path is None else "holds no triangles"
        text = f"link {link.name!r}: {role} mesh {geometry.uri!r} {fault} and is left out"
        told.append(Problem(Severity.WARNING, text, link.source))
        return False

    def kept(robot: Robot) -> Robot:
        links = (
            replace(
                link,
                visuals=tuple(each for each in link.visuals if there(link, "visual", each.geometry)),
                collisions=tuple(each for each in link.collisions if there(link, "collision", each.geometry)),
            )
            for link in robot.links
        )
        return replace(robot, links=tuple(links))

    if isinstance(thing, Robot):
        return kept(thing), tuple(told)
    models = tuple(replace(model, robot=kept(model.robot)) for model in thing.models)
    return replace(thing, models=models), tuple(told)


def _is_empty(mesh: Mesh) -> bool:
    try:
        triangles(mesh)
    except AndanteError as error:
        return "holds no triangles" in str(error)
    return False


def _with_copied_meshes(thing: Robot | World, folder: Path) -> tuple[Robot | World, dict[Path, Path]]:
    """The same with every mesh in a folder, and the files to be copied there: target and source.

    Equal names of different files get a number.
    """
    targets: dict[Path, Path] = {}

    def moved(path: Path) -> Path:
        if path not in targets:
            parts = load_mesh_parts(path)
            target, number = folder / path.name, 1
            while target in targets.values():
                target = folder / f"{path.stem}_{number}{path.suffix}"
                number += 1
            targets[path] = target
            for beside in (*companions(path), *(part.picture for part in parts if isinstance(part.picture, Path))):
                _take_along(beside, folder / beside.name, targets)
        return targets[path]

    if isinstance(thing, Robot):
        thing = _with_meshes(thing, moved)
    else:
        models = tuple(replace(model, robot=_with_meshes(model.robot, moved)) for model in thing.models)
        thing = replace(thing, models=models)
    return thing, {target: path for path, target in targets.items() if path.resolve() != target.resolve()}


def _take_along(source: Path, target: Path, targets: dict[Path, Path]) -> None:
    """Copy what a mesh names by its name; two such files of one name must be the same."""
    for other, place in targets.items():
        if place == target and other != source and other.read_bytes() != source.read_bytes():
            raise BadInput(f"{other} and {source} differ, and --meshes would put them in one place; rename one of them")
    targets[source] = target


def _with_meshes(robot: Robot, copy: Callable[[Path], Path]) -> Robot:
    def moved(shape: Shape) -> Shape:
        mesh = shape.geometry
        if not isinstance(mesh, Mesh) or mesh.path is None:
            return shape
        path = copy(mesh.path)
        return replace(shape, geometry=replace(mesh, path=path, uri=str(path)))

    links = tuple(
        replace(link, visuals=tuple(map(moved, link.visuals)), collisions=tuple(map(moved, link.collisions)))
        for link in robot.links
    )
    return replace(robot, links=links)
