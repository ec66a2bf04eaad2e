"""Tools to make good-looking closed meshes by code: lofts, solids of revolution, sweeps, prisms and surface patches.

Every function returns a watertight `trimesh.Trimesh` with outward normals, in metres. Parts of one colour are put
together with `join`; overlapping bodies may be joined as they are, since only their outside is seen.
"""

from .loft import Section, loft
from .patch import circle, patch, rounded
from .solids import ellipsoid, prism, revolve, ring, rounded_box, tube
from .transform import join, mirror, moved

__all__ = [
    "Section",
    "circle",
    "ellipsoid",
    "join",
    "loft",
    "mirror",
    "moved",
    "patch",
    "prism",
    "revolve",
    "ring",
    "rounded",
    "rounded_box",
    "tube",
]
