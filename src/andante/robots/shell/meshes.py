"""The meshes of the Shell by part name, one per link and color, and its convex collision hulls. Own design."""

from __future__ import annotations

from collections.abc import Callable

import trimesh

from . import _body, _legs

MESHES: dict[str, Callable[[], trimesh.Trimesh]] = {  # every function LINK_PART of these modules
    name: make
    for module in (_body, _legs)
    for name, make in vars(module).items()
    if name.startswith(("body_", "coxa_", "hip_", "femur_", "tibia_", "foot_", "thigh_", "petal_"))
}
