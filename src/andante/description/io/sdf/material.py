"""<material> of SDF: colors, pictures of PBR materials, and the scripts of Gazebo classic."""

from __future__ import annotations

from pathlib import Path

from andante.description.io.gazebo import COLORS
from andante.description.io.xmltree import Node, number
from andante.description.link import Material
from andante.description.mesh.textures import find_texture
from andante.description.shapes import RGBA

from .geometry import find_file
from .include import Reading
from .ogre import Script, scripts_at
from .values import color, text_of

SCRIPT_COLORS: dict[str, RGBA] = {  # by the names that worlds use most, letters of either case
    **{name.casefold(): rgba for name, rgba in COLORS.items()},
    "lightgrey": (0.8, 0.8, 0.8, 1.0),
    "redbright": (0.87, 0.26, 0.07, 1.0),
    "gold": (0.8, 0.64869, 0.12076, 1.0),
    "bluglow": COLORS["Blue"],
    "wood": (0.6, 0.43, 0.27, 1.0),
    "woodfloor": (0.6, 0.43, 0.27, 1.0),
    "bricks": (0.6, 0.3, 0.24, 1.0),
    "residential": (0.7, 0.65, 0.6, 1.0),
    "asphalt": (0.3, 0.3, 0.3, 1.0),
    "road": (0.3, 0.3, 0.3, 1.0),
    "grass": (0.3, 0.5, 0.2, 1.0),
}
HARMLESS = ("specular", "emissive", "shader", "lighting", "render_order", "double_sided", "shininess")


def read_material(reading: Reading, visual: Node) -> Material:
    """Color and picture of a visual: as stated, else those of its material script."""
    materials = list(visual.all("material"))
    if not materials:
        return _ground_picture(reading, visual)
    name, rgba, texture = "", None, ""
    script = Script()
    for node in materials:
        element = node.find("script")
        script_name = text_of(element, "name") if element is not None else ""
        if element is not None and script_name:
            script = _script(reading, element, script_name)
        name = name or (node.get("andante:name") or script_name)
        rgba = rgba or color(node, "diffuse") or color(node, "ambient")
        pbr = node.find("pbr")
        for flow in pbr.children if pbr is not None else ():
            texture = texture or text_of(flow, "albedo_map")
        reading.report.leftovers(node, ("script", "ambient", "diffuse", "pbr"), HARMLESS)
    path = find_picture(reading, texture, materials[0]) if texture else None
    if texture and path is None:
        reading.report.warn(materials[0], f"the picture {texture[:200]!r} was not found; the visual keeps its color")
    elif script.texture and not texture:
        path = find_texture(script.folder / "script", script.texture)
        texture = script.texture if path is not None else ""
    own = any(node.get("andante:name") is not None for node in materials)
    if path is not None and script.texture == texture:
        rgba = script.rgba  # the colors beside a script are for programs without it
    elif rgba is None and name and not own:
        rgba = script.rgba or SCRIPT_COLORS.get(name.rpartition("/")[2].casefold())
        if rgba is None and path is None:
            reading.report.info(materials[0], f"the color of material script {name[:80]!r} is not known")
    transparency = text_of(visual, "transparency")
    if transparency:
        hidden = number(visual, transparency, "<transparency>")
        if hidden:
            r, g, b, a = rgba or SCRIPT_COLORS["white" if path is not None else "grey"]
            rgba = (r, g, b, a * min(max(1.0 - hidden, 0.0), 1.0))
    return Material(name, rgba, texture, path)


def _ground_picture(reading: Reading, visual: Node) -> Material:
    """The first picture of a <heightmap>, which repeats every <size> meters."""
    geometry = visual.find("geometry")
    field = geometry.find("heightmap") if geometry is not None else None
    texture = field.find("texture") if field is not None else None
    uri = text_of(texture, "diffuse") if texture is not None else ""
    path = find_picture(reading, uri, visual) if uri else None
    if texture is None or path is None:
        return Material()
    side = number(texture, text_of(texture, "size"), "<size>", 10.0)
    return Material("", None, uri, path, (side, side) if side > 0 else None)


def find_picture(reading: Reading, uri: str, node: Node) -> Path | None:
    """A picture by its URI, else by its name among the pictures of the model."""
    found = find_file(reading, uri, node)
    return found or find_texture(Path(node.source.file), uri.rpartition("://")[2])


def _script(reading: Reading, element: Node, name: str) -> Script:
    """What the script files that <uri> names say of a material."""
    places = []
    for node in element.all("uri"):
        uri = node.text.strip()
        found = find_file(reading, uri, node)
        folder = reading.folder_of(uri, Path(node.source.file)) if found is None else None
        places += [place for place in (found, folder) if place is not None]
    return next((table[name] for place in places if name in (table := scripts_at(place))), Script())
