"""`an.mesh`: convert, turn, scale, re-center, split and wrap mesh files; tell their inertia."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from andante.description.inertia import Inertia, inertia_element
from andante.description.mesh import tools
from andante.description.mesh.files import load_mesh_file
from andante.description.mesh.tools import WRITABLE, MeshReport, mesh_bytes
from andante.description.solids import mesh_moments
from andante.errors import BadInput, MissingFile
from andante.files import write_all

from .result import Result

if TYPE_CHECKING:
    import trimesh


@dataclass(frozen=True)
class MeshResult(Result):
    """The meshes that were written; `inertias` are about the centers of mass, empty where no mass was given."""

    source: Path
    files: tuple[Path, ...]
    reports: tuple[MeshReport, ...]
    inertias: tuple[Inertia, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """The keys of the command-line contract."""
        rows = [{"file": str(file), **asdict(each)} for file, each in zip(self.files, self.reports, strict=True)]
        for row, inertia in zip(rows, self.inertias, strict=False):
            row |= {"mass": inertia.mass, "com": list(inertia.com), "inertia": list(inertia.moments)}
        return {"source": str(self.source), "files": rows}

    def __str__(self) -> str:
        lines = []
        for file, each in zip(self.files, self.reports, strict=True):
            volume = "open surface" if each.volume is None else f"{each.volume:.6g} m^3"
            size = " x ".join(f"{high - low:.4g}" for low, high in zip(each.lower, each.upper, strict=True))
            lines.append(f"{file}: {each.vertices} vertices, {each.faces} faces, {size} m, {volume}")
        for inertia in self.inertias:
            origin = " ".join(f"{value:.3g}" for value in np.round(inertia.com, 6) + 0.0)
            lines += ["<inertial>", f'  <origin xyz="{origin}"/>', f'  <mass value="{inertia.mass:.4g}"/>']
            lines += [f"  {inertia_element(inertia)}", "</inertial>"]
        return "\n".join(lines)


def mesh(
    source: Path | str,
    target: Path | str,
    *,
    rotate: Sequence[float] | None = None,
    scale: float | Sequence[float] | None = None,
    center: bool = False,
    split: bool = False,
    hull: bool = False,
    box: bool = False,
    mass: float | None = None,
) -> MeshResult:
    """Convert a mesh file; the steps happen in this order: scale, rotate, center, split, then hull or box of each.

    Args:
        source: mesh to read (.stl .obj .ply .dae .glb .gltf).
        target: mesh to write (.stl .obj .ply .dae .glb).
        rotate: turn by roll, pitch, yaw [rad].
        scale: one factor, or one per axis.
        center: move the middle of the bounding box to 0.
        split: write connected pieces as TARGET_0, TARGET_1, ...
        hull: write the convex hull.
        box: write the best-fitting bounding box.
        mass: mass of all pieces together [kg]; tells their inertia.

    Returns:
        What was written; all files or none.
    """
    source, target = Path(source), Path(target)
    if hull and box:
        raise BadInput("give hull or box, not both")
    if target.suffix.lower() not in WRITABLE:
        raise BadInput(f"{target}: cannot write {target.suffix or 'a file without suffix'}; use {', '.join(WRITABLE)}")
    if not target.parent.is_dir():
        raise MissingFile(f"{target.parent}: no such folder; make it first")
    if rotate is not None and len(rotate) != 3:
        raise BadInput(f"rotate needs 3 numbers (roll, pitch, yaw), got {list(rotate)}")
    if scale is not None and np.size(scale) not in (1, 3):
        raise BadInput(f"scale needs 1 or 3 numbers, got {np.asarray(scale).tolist()}")
    whole = load_mesh_file(source)
    if scale is not None:
        whole = tools.scale(whole, scale if np.size(scale) == 3 else float(np.ravel(scale)[0]))
    if rotate is not None:
        whole = tools.rotate(whole, rotate)
    if center:
        whole = tools.recenter(whole)
    pieces = tools.split(whole) if split else (whole,)
    if hull:
        pieces = tuple(tools.convex_hull(piece) for piece in pieces)
    elif box:
        pieces = tuple(tools.box_mesh(*tools.oriented_box(piece)) for piece in pieces)
    inertias = _inertias(pieces, mass) if mass is not None else ()
    files = [target.with_name(f"{target.stem}_{i}{target.suffix}") for i in range(len(pieces))] if split else [target]
    write_all([(mesh_bytes(piece, target.suffix), file) for piece, file in zip(pieces, files, strict=True)])
    return MeshResult(source, tuple(files), tuple(tools.report(piece) for piece in pieces), inertias)


def _inertias(pieces: Sequence[trimesh.Trimesh], mass: float) -> tuple[Inertia, ...]:
    """Inertia of each piece about its center of mass, all of one density, together of that mass [kg]."""
    if not (math.isfinite(mass) and mass > 0):
        raise BadInput(f"mass must be a positive number of kilograms, got {mass:g}")
    closed = [
        piece if piece.is_watertight and piece.is_winding_consistent else tools.convex_hull(piece) for piece in pieces
    ]
    moments = [mesh_moments(piece) for piece in closed]
    density = mass / sum(each.volume for each in moments)
    return tuple(Inertia.from_matrix(density * each.volume, each.com, density * each.tensor) for each in moments)
