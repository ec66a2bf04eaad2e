"""The meshes of the NAO by part name, one per link and color. Own design after the robot's published dimensions."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType

import trimesh

from andante.description.mesh.modeling import mirror

from . import _limbs, _trunk

Maker = Callable[[], trimesh.Trimesh]


def _parts(module: ModuleType, *links: str) -> dict[str, Maker]:
    """The functions LINK_COLOR of a module by name."""
    return {name: make for name, make in vars(module).items() if name.startswith(tuple(f"{link}_" for link in links))}


MIDDLE = _parts(_trunk, "head", "neck", "torso")
LIMBS = "shoulder bicep elbow forearm hand fingers pelvis hip thigh tibia ankle foot sole"
LEFT = _parts(_limbs, *LIMBS.split())  # l_NAME and its mirror image r_NAME


def _mirrored(make: Maker) -> Maker:
    return lambda: mirror(make())


MESHES: dict[str, Maker] = {
    **MIDDLE,
    **{f"l_{name}": make for name, make in LEFT.items()},
    **{f"r_{name}": _mirrored(make) for name, make in LEFT.items()},
}
