"""Links as painted triangles: what a picture shows of them, and what they collide with."""

from __future__ import annotations

from collections.abc import Iterable

from andante.description.link import Collision, Link, Visual
from andante.description.mesh import triangles as meshes
from andante.description.shapes import RGBA, Geometry, Mesh, Plane
from andante.description.solids import surface
from andante.errors import AndanteError
from andante.geometry import SE3
from andante.physics.rendering import PLAIN, shown

from .mesh_bytes import Part

SECTIONS = 40  # faces around a cylinder
COLLISION: RGBA = (0.12, 0.75, 0.55, 0.45)


def visual_parts(link: Link) -> list[Part]:
    """What is to be seen of a link, in its own frame; planes are left out."""
    return [part for visual in shown(link) for part in _part(visual.geometry, visual.pose, color_of(visual))]


def collision_parts(link: Link) -> list[Part]:
    """What a link collides with, in its own frame: meshes as their convex hulls; planes are left out."""
    found = []
    for item in link.collisions:
        if isinstance(item.geometry, Mesh) and item.geometry.path is None:
            continue
        found += _part(item.geometry, item.pose, COLLISION, hull=True)
    return found


def color_of(visual: Visual) -> RGBA:
    """Colour of a visual: as stated, as the mesh file says, or plain grey."""
    if visual.material.rgba is not None:
        return visual.material.rgba
    if isinstance(visual.geometry, Mesh):
        return meshes.mesh_color(visual.geometry) or PLAIN
    return PLAIN


def planes(link: Link) -> Iterable[tuple[Plane, Visual | Collision]]:
    """The planes among what is shown of a link."""
    for visual in shown(link):
        if isinstance(visual.geometry, Plane):
            yield visual.geometry, visual


def _part(geometry: Geometry, pose: SE3, rgba: RGBA, hull: bool = False) -> list[Part]:
    if isinstance(geometry, Plane):
        return []
    if isinstance(geometry, Mesh):
        try:
            vertices, faces = meshes.hull(geometry) if hull else meshes.triangles(geometry)
        except AndanteError:  # a flat mesh has no hull, a broken one no triangles: the rest is still shown
            return []
    else:
        vertices, faces = surface(geometry, SECTIONS)
    return [Part(pose @ vertices, faces, rgba)]


def moved(parts: Iterable[Part], pose: SE3) -> list[Part]:
    """The same parts in another frame."""
    return [Part(pose @ part.vertices, part.faces, part.rgba) for part in parts]
