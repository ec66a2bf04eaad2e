"""Mesh files (STL, OBJ, PLY, DAE, GLB, glTF, VRML, MSH) as named parts of triangles, read with limits by trimesh.

Nothing is fetched or run: files that a mesh names are looked up in its own folder only (material lists, glTF
buffers), pictures in the usual folders of its model; archives are refused. DAE units and up-axis are applied and glTF,
which has y up by its standard, is turned, so parts are in meters with z up as SDF and URDF readers expect; VRML is
taken as it stands, as the simulators do.
"""

from __future__ import annotations

import io
import json
import logging
import struct
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from andante.description.io.xmltree import read_bytes
from andante.description.shapes import RGBA
from andante.errors import AndanteError, BadInput
from andante.geometry import Array

from . import textures
from .checks import (
    MAX_OBJECTS,
    MAX_TRIANGLES,
    MAX_VERTICES,
    UP_AXES,
    check_collada,
    check_obj,
    clean_gltf,
    ply_counts,
)
from .msh import read_msh

if TYPE_CHECKING:
    import trimesh

HEAD = 84
TRIANGLE = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
SAME = 1e-8  # corners that agree to this are one vertex [file units]
MAX_BYTES = 100 * 1024 * 1024
LARGEST = 1e9  # no coordinate of a robot mesh is larger [file units]
SUFFIXES = (".stl", ".obj", ".ply", ".dae", ".glb", ".gltf", ".wrl", ".vrml", ".msh")


@dataclass(frozen=True)
class MeshPart:
    """One named piece of a mesh file: vertices (n, 3) [m], faces (m, 3), and its looks where it has any."""

    name: str
    vertices: Array
    faces: np.ndarray
    color: RGBA | None = None
    aliases: frozenset[str] = frozenset()  # other names that the file has for it (DAE nodes, OBJ objects)
    corner_colors: np.ndarray | None = None  # (m, 3, 4) uint8, where the vertices or faces are painted one by one
    uv: Array | None = None  # (m, 3, 2) places of the corners in the picture, from its lower left corner
    picture: Any = None  # path of the picture, or the opened picture that the file holds


def load_mesh_file(path: Path, submesh: str = "", center: bool = False) -> trimesh.Trimesh:
    """All parts of a mesh file (or those named `submesh`) as one mesh, equal vertices merged.

    `center` moves the middle of its bounding box to the origin (SDF <center>). Colored files give face colors.
    """
    return join_parts(load_mesh_parts(path), path, submesh, center)


def load_mesh_parts(path: Path) -> tuple[MeshPart, ...]:
    """The parts of a mesh file, each with at least one triangle and finite coordinates [m]."""
    path = Path(path)
    kind = path.suffix.lower()
    if kind not in SUFFIXES:
        raise BadInput(f"mesh {path}: unknown suffix {path.suffix!r}; known: {', '.join(SUFFIXES)}")
    data = read_bytes(path, MAX_BYTES)
    if not data:
        raise BadInput(f"mesh {path} is empty")
    turn, announced = np.eye(3), (0, 0)
    aliases: dict[str, set[str]] = {}
    if kind == ".dae":
        data, turn, aliases = check_collada(data, str(path))
    elif kind == ".obj":
        data, names = check_obj(data)
        aliases = {name: {name} for name in names if len(names) <= MAX_OBJECTS}
    elif kind in (".glb", ".gltf"):
        data, turn = clean_gltf(data, kind, str(path)), UP_AXES["Y_UP"]
    elif kind == ".stl":
        _check_stl(data, path)
    elif kind == ".ply":
        announced = ply_counts(data, str(path))
    elif kind in (".wrl", ".vrml"):
        from .vrml import read_vrml

        with quiet(), _one_line(path, kind):
            return _sound(tuple(read_vrml(data, path)), path)
    elif kind == ".msh":
        vertices, faces, uv = read_msh(data, str(path))
        return _sound((MeshPart(path.stem, vertices, faces, uv=uv),), path)
    with quiet(), _one_line(path, kind):
        parts = tuple(_parts(path, kind, data, turn, aliases))
    if parts and (len(parts[0].vertices) < announced[0] or len(parts[0].faces) < announced[1]):
        raise BadInput(f"mesh {path} is truncated: its header announces {announced[0]} vertices, {announced[1]} faces")
    return _sound(parts, path)


def _sound(parts: tuple[MeshPart, ...], path: Path) -> tuple[MeshPart, ...]:
    """The parts, once there are some and not too many triangles in them."""
    if not parts:
        raise BadInput(f"mesh {path} holds no triangles")
    if sum(len(p.faces) for p in parts) > MAX_TRIANGLES or sum(len(p.vertices) for p in parts) > MAX_VERTICES:
        raise BadInput(f"mesh {path} has more than {MAX_TRIANGLES} triangles; simplify it first")
    return parts


def join_parts(
    parts: tuple[MeshPart, ...], path: Path | str = "mesh", submesh: str = "", center: bool = False
) -> trimesh.Trimesh:
    """One mesh of several parts; `submesh` picks those of that name."""
    import trimesh

    chosen = chosen_parts(parts, path, submesh, center)
    offsets = np.cumsum([0, *(len(part.vertices) for part in chosen[:-1])])
    vertices = np.concatenate([part.vertices for part in chosen])
    faces = np.concatenate([part.faces + offset for part, offset in zip(chosen, offsets, strict=True)])
    with quiet():
        mesh = trimesh.Trimesh(vertices, faces, process=False)
        mesh.merge_vertices(merge_tex=True, merge_norm=True)
        if any(part.color is not None for part in chosen):
            colors = np.concatenate(
                [np.tile(np.multiply(part.color or (0.8, 0.8, 0.8, 1.0), 255), (len(part.faces), 1)) for part in chosen]
            )
            paint(mesh, np.round(colors).astype(np.uint8))
    return mesh


def chosen_parts(
    parts: tuple[MeshPart, ...], path: Path | str, submesh: str = "", center: bool = False
) -> tuple[MeshPart, ...]:
    """The parts of one name, or all; `center` moves the middle of the box around them to the origin."""
    chosen = tuple(part for part in parts if not submesh or submesh in (part.name, *part.aliases))
    if not chosen:
        names = ", ".join(sorted({name for part in parts for name in (part.name, *part.aliases)}))
        raise BadInput(f"mesh {path} has no submesh {submesh!r}; it has: {names}")
    if not center:
        return chosen
    low = np.min([part.vertices.min(axis=0) for part in chosen], axis=0)
    high = np.max([part.vertices.max(axis=0) for part in chosen], axis=0)
    return tuple(replace(part, vertices=part.vertices - (low + high) / 2) for part in chosen)


def companions(path: Path) -> tuple[Path, ...]:
    """Files beside a mesh that it needs: material lists of OBJ, buffers of glTF; names that lead elsewhere are none.

    Pictures are not among them: they may lie in other folders (`MeshPart.picture`).
    """
    kind = path.suffix.lower()
    if kind == ".obj":
        text = read_bytes(path, MAX_BYTES).decode("utf-8", errors="replace")
        words = (line.split(None, 1) for line in text.splitlines() if line.startswith("mtllib"))
        names = [rest[0] for _, *rest in words if rest]
    elif kind == ".gltf":
        buffers = json.loads(read_bytes(path, MAX_BYTES)).get("buffers", [])
        names = [str(each.get("uri", "")) for each in buffers if isinstance(each, dict)]
    else:
        return ()
    return tuple(dict.fromkeys(path.parent / name.strip() for name in names if _beside(path, name.strip(), kind)))


def _beside(path: Path, name: str, kind: str) -> bool:
    """Whether a mesh may read a file of that name: one in its own folder, of the kinds that belong to it."""
    allowed = {".obj": (".mtl",), ".gltf": (".bin",)}.get(kind, ())
    plain = bool(name) and name == Path(name).name and "\\" not in name and "\0" not in name
    return plain and Path(name).suffix.lower() in allowed and (path.parent / name).is_file()


def face_colors(mesh: trimesh.Trimesh) -> np.ndarray | None:
    """Colors of the faces (m, 4) 0..255, None when the mesh has none."""
    visual: Any = mesh.visual
    return np.array(visual.face_colors) if visual.kind == "face" else None


def paint(mesh: trimesh.Trimesh, colors: np.ndarray) -> None:
    """Gives the faces of a fresh mesh their colors (m, 4) 0..255."""
    visual: Any = mesh.visual
    visual.face_colors = colors


@contextmanager
def quiet() -> Iterator[None]:
    """Keeps the chatter of the mesh libraries (log lines, warnings, numpy floating point notes) from the user."""
    loggers = [logging.getLogger(name) for name in ("trimesh", "trimesh.util", "collada")]
    before = [logger.disabled for logger in loggers]
    for logger in loggers:
        logger.disabled = True
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            yield
    finally:
        for logger, state in zip(loggers, before, strict=True):
            logger.disabled = state


@contextmanager
def _one_line(path: Path, kind: str) -> Iterator[None]:
    """Whatever goes wrong inside a mesh library becomes one line that names the file."""
    try:
        yield
    except AndanteError:
        raise
    except MemoryError:
        raise BadInput(f"mesh {path} asks for more memory than there is") from None
    except RecursionError:
        raise BadInput(f"mesh {path}: the parts are nested too deeply or in a circle") from None
    except Exception as error:  # the loaders raise whatever their parsing meets
        reason = " ".join(str(error).split())[:120] or type(error).__name__
        raise BadInput(f"mesh {path} is not a readable {kind[1:].upper()} file: {reason}") from None


def _parts(path: Path, kind: str, data: bytes, turn: Array, aliases: dict[str, set[str]]) -> Iterator[MeshPart]:
    if kind == ".stl" and is_binary(data):
        vertices, faces = binary_triangles(data)
        if len(faces) > MAX_TRIANGLES:
            raise BadInput(f"mesh {path} has more than {MAX_TRIANGLES} triangles; simplify it first")
        _check_coordinates(vertices, path)
        yield MeshPart(path.stem, vertices, faces)
        return
    scene = _load_scene(path, kind, data, split=bool(aliases))
    total = 0
    for node in scene.graph.nodes_geometry:
        matrix, name = scene.graph[node]
        geometry = scene.geometry[name]
        faces = getattr(geometry, "faces", None)
        if faces is None or len(faces) == 0:
            continue
        total += len(faces)
        if total > MAX_TRIANGLES:
            raise BadInput(f"mesh {path} has more than {MAX_TRIANGLES} triangles; simplify it first")
        faces, vertices = np.asarray(faces), np.asarray(geometry.vertices, dtype=float)
        if faces.ndim != 2 or faces.shape[1] != 3 or vertices.ndim != 2 or vertices.shape[1] != 3:
            raise BadInput(f"mesh {path}: vertices need three coordinates and faces three corners")
        vertices = vertices @ matrix[:3, :3].T + matrix[:3, 3]
        vertices = vertices @ turn.T
        _check_coordinates(vertices, path)
        wrong = faces[(faces < 0) | (faces >= len(vertices))]
        if len(wrong):
            raise BadInput(f"mesh {path}: a face names vertex {int(wrong[0])} of {len(vertices)}")
        painted, uv, picture = _looks(geometry, faces)
        if np.linalg.det(turn @ matrix[:3, :3]) < 0:
            faces = faces[:, ::-1]
            painted = painted[:, ::-1] if painted is not None else None
            uv = uv[:, ::-1] if uv is not None else None
        color = _color(geometry)
        yield MeshPart(str(name), vertices, faces, color, _aliases(str(name), aliases), painted, uv, picture)


def _check_coordinates(vertices: Array, path: Path) -> None:
    if not np.isfinite(vertices).all() or np.abs(vertices).max() > LARGEST:
        raise BadInput(f"mesh {path}: a coordinate is not a finite number up to {LARGEST:g}")


def _aliases(name: str, aliases: dict[str, set[str]]) -> frozenset[str]:
    """Other names of a part; the loader numbers repeated ones and adds materials after an underscore."""
    base = name
    while base and base not in aliases:
        base = base.rpartition("_")[0]
    return frozenset(aliases.get(base, set())) - {name}


def _load_scene(path: Path, kind: str, data: bytes, split: bool) -> trimesh.Scene:
    """trimesh's scene of the bytes."""
    import trimesh

    resolver = _folder_resolver(path, kind)
    options: dict[str, Any] = {"process": False}
    if kind == ".obj":
        options |= {"split_objects": split, "group_material": True}
        data = _plain_text(data)
    scene = trimesh.load_scene(io.BytesIO(data), file_type=kind[1:], resolver=resolver, **options)
    if not scene.geometry:
        raise BadInput(f"mesh {path} holds no triangles; is it a complete {kind[1:].upper()} file?")
    return scene


def _plain_text(data: bytes) -> bytes:
    """The bytes as UTF-8, whatever stands in comments and names; the loader would ask for one more package."""
    return data.decode("utf-8", errors="replace").encode("utf-8")


def _folder_resolver(path: Path, kind: str) -> Any:
    """Serves material lists and glTF buffers out of the mesh's own folder, and nothing else."""
    from trimesh.resolvers import Resolver

    class FolderResolver(Resolver):
        def __init__(self) -> None:
            pass

        def get(self, key: str) -> bytes:
            name = key.strip()
            if Path(name.replace("\\", "/")).suffix.lower() in textures.SUFFIXES:
                picture = textures.find_texture(path, name)
                if picture is None:
                    raise KeyError(f"{name[:60]!r} was not found")
                return textures.stand_in(picture)
            if not _beside(path, name, kind):
                raise KeyError(f"{name[:60]!r} is not a file that may be read beside the mesh")
            found = read_bytes(path.parent / name, MAX_BYTES)
            return _plain_text(found) if name.lower().endswith(".mtl") else found

        def write(self, name: str, data: Any) -> None:
            raise KeyError(name)

        def namespaced(self, namespace: str) -> Any:
            return self

        def keys(self) -> list[str]:
            return []

    return FolderResolver()


def _check_stl(data: bytes, path: Path) -> None:
    """Binary STL: 84 bytes and 50 per triangle, exactly; ASCII STL: 'solid' ... 'endsolid'."""
    count = struct.unpack_from("<I", data, 80)[0] if len(data) >= 84 else 0
    if len(data) == 84 and count == 0:
        raise BadInput(f"mesh {path} holds no triangles")
    if is_binary(data):
        return
    head = data[:512].lstrip().lower()
    if head.startswith(b"solid") and b"facet" in data[:4096].lower() and b"\0" not in data[:4096]:
        if b"endsolid" not in data[-1024:].lower():
            raise BadInput(f"mesh {path}: the ASCII STL breaks off before 'endsolid'; it is truncated")
        return
    if len(data) >= 84 and len(data) > 84 + 50 * count > 84:
        return  # some programs append notes to the triangles
    raise BadInput(
        f"mesh {path} is not a whole STL file: {len(data)} bytes, but its header announces {count} triangles "
        f"({84 + 50 * count} bytes)"
    )


def _color(geometry: Any) -> RGBA | None:
    """Main color of a loaded part, None when the file gives none."""
    visual = geometry.visual
    material: Any = getattr(visual, "material", None)
    try:
        if getattr(visual, "kind", None) in ("face", "vertex") and visual.defined:
            found = visual.main_color
        elif getattr(material, "baseColorFactor", None) is not None:
            found = material.baseColorFactor
        elif (getattr(material, "kwargs", None) or {}).get("kd") is not None:
            found = material.diffuse
        else:
            return None
        values = np.asarray(found, dtype=float).ravel()[:4]
    except (TypeError, ValueError, AttributeError):
        return None
    if len(values) < 3 or not np.isfinite(values).all():
        return None
    r, g, b, *rest = (float(v) for v in np.clip(values / 255.0, 0, 1))
    return (r, g, b, rest[0] if rest else 1.0)


def _looks(geometry: Any, faces: np.ndarray) -> tuple[np.ndarray | None, Array | None, Any]:
    """Colors (m, 3, 4) and places in the picture (m, 3, 2) of the corners, and the picture; None: there is none."""
    visual = geometry.visual
    kind, count = getattr(visual, "kind", None), len(geometry.vertices)
    painted: np.ndarray | None = None
    if kind == "face" and len(visual.face_colors) == len(faces):
        painted = np.repeat(np.asarray(visual.face_colors, dtype=np.uint8)[:, None], 3, axis=1)
    elif kind == "vertex" and len(visual.vertex_colors) == count:
        painted = np.asarray(visual.vertex_colors, dtype=np.uint8)[faces]
    if painted is not None and (painted.shape[2:] != (4,) or (painted == painted[0, 0]).all()):
        painted = None  # one color is no painting
    material: Any = getattr(visual, "material", None)
    picture = getattr(material, "baseColorTexture", None) or getattr(material, "image", None)
    places = getattr(visual, "uv", None)
    if places is None or np.shape(places) != (count, 2) or not np.isfinite(places).all():
        return painted, None, None
    return painted, np.asarray(places, dtype=float)[faces], textures.meant_by(picture) if picture is not None else None


def is_binary(data: bytes) -> bool:
    """Whether the bytes are as long as their header says; ASCII files and those with notes behind are not."""
    return len(data) > HEAD and len(data) == HEAD + TRIANGLE.itemsize * struct.unpack_from("<I", data, HEAD - 4)[0]


def binary_triangles(data: bytes) -> tuple[Array, np.ndarray]:
    """Corners (3 m, 3), three for each triangle and not merged, and faces (m, 3)."""
    corners = np.frombuffer(data, TRIANGLE, offset=HEAD)["corners"].astype(float).reshape(-1, 3)
    return corners, np.arange(len(corners)).reshape(-1, 3)


def merged(vertices: Array, faces: np.ndarray) -> tuple[Array, np.ndarray]:
    """The same triangles with equal vertices told once, in the order in which they come first; unused ones left out."""
    rounded = np.round(vertices / SAME)
    order = np.lexsort(rounded.T)  # keeps the order of equal ones
    fresh = np.ones(len(order), dtype=bool)
    fresh[1:] = (np.diff(rounded[order], axis=0) != 0).any(axis=1)
    lead = order[fresh][np.cumsum(fresh) - 1]  # the first of the equal ones, of each in that order
    first = np.empty_like(order)
    first[order] = lead
    used = np.zeros(len(order), dtype=bool)
    used[first[faces]] = True
    return vertices[used], (np.cumsum(used) - 1)[first[faces]]
