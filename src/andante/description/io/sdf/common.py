"""Models that worlds include so often that they are built in, and boxes that stand for models that are not there."""

from __future__ import annotations

from collections.abc import Collection

from andante.description.io.fuel import fuel_address
from andante.description.io.xmltree import Node, free_name

from .values import text_of


def _ground(name: str, rgb: str, size: str = "100 100") -> bytes:
    plane = f"<geometry><plane><normal>0 0 1</normal><size>{size}</size></plane></geometry>"
    return f"""<sdf version="1.6"><model name="{name}"><static>true</static><link name="link">
<collision name="collision">{plane}<surface><friction><ode><mu>100</mu><mu2>50</mu2></ode></friction></surface>
</collision><visual name="visual">{plane}<material><ambient>{rgb} 1</ambient><diffuse>{rgb} 1</diffuse></material>
</visual></link></model></sdf>""".encode()


BUILT_IN = {
    "ground_plane": _ground("ground_plane", "0.8 0.8 0.8"),
    "asphalt_plane": _ground("asphalt_plane", "0.3 0.3 0.3", "20 20"),
    "grass_plane": _ground("grass_plane", "0.3 0.5 0.2"),
    "sun": b"""<sdf version="1.6"><light name="sun" type="directional"><cast_shadows>true</cast_shadows>
<pose>0 0 10 0 0 0</pose><diffuse>0.8 0.8 0.8 1</diffuse><specular>0.2 0.2 0.2 1</specular>
<direction>-0.5 0.1 -0.9</direction></light></sdf>""",
}
# rough sizes of things that many worlds have [m]
SIZES: dict[str, tuple[float, float, float]] = {
    **dict.fromkeys(("table", "table_marble", "desk"), (1.5, 0.8, 1.0)),
    "cafe_table": (0.9, 0.9, 0.77),
    **dict.fromkeys(("bookshelf", "cabinet", "filing_cabinet"), (0.9, 0.4, 1.2)),
    **dict.fromkeys(("construction_cone", "traffic_cone"), (0.4, 0.4, 0.6)),
    "construction_barrel": (0.6, 0.6, 1.0),
    "jersey_barrier": (4.0, 0.8, 1.1),
    "cinder_block": (0.4, 0.2, 0.2),
    "cardboard_box": (0.5, 0.4, 0.3),
    "chair": (0.5, 0.5, 0.9),
    **dict.fromkeys(("person_standing", "person_walking", "standing_person", "walking_person"), (0.5, 0.4, 1.8)),
    "fire_hydrant": (0.4, 0.4, 0.8),
    "coke_can": (0.07, 0.07, 0.12),
    "beer": (0.11, 0.11, 0.23),
}
UNKNOWN = (0.5, 0.5, 0.5)  # shown where a model of unknown size is missing [m]


def short_name(uri: str) -> str:
    """Name of a model as it stands in the tables here: model://ground_plane and ".../models/Ground Plane" are one."""
    address = fuel_address(uri)
    name = address.name if address is not None else uri.partition("://")[2].rstrip("/") or uri
    return name.strip().casefold().replace(" ", "_").replace("-", "_")


def stand_in(include: Node, taken: Collection[str]) -> Node:
    """A box in place of an included model that is not there; one of unknown size is only seen and stops nothing."""
    name = text_of(include, "name") or short_name(text_of(include, "uri")).rpartition("/")[2] or "missing"
    short = short_name(text_of(include, "uri"))
    size = next((SIZES[key] for key in (short, short.rstrip("0123456789_")) if key in SIZES), None)
    source = include.source

    def node(tag: str, *children: Node, text: str = "", **attributes: str) -> Node:
        return Node(tag, attributes, text, list(children), source)

    extent = " ".join(f"{v:g}" for v in size or UNKNOWN)
    place = node("pose", text=f"0 0 {(size or UNKNOWN)[2] / 2:g} 0 0 0")
    shape = node("geometry", node("box", node("size", text=extent)))
    paint = node("material", node("diffuse", text="0.8 0.5 0.8 0.5"))
    parts = [node("visual", place, shape, paint, name="visual")]
    parts += [node("collision", place, shape, name="collision")] if size is not None else []
    kept = [child for child in include.children if child.tag == "pose"]
    link = node("link", *parts, name="link")
    return node("model", *kept, node("static", text="true"), link, name=free_name(name.strip()[:80], set(taken)))
