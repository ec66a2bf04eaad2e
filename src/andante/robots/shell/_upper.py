"""Looks and collision hulls of an upper leg, each in the frame of its link: x along it, y out of the ball."""

from __future__ import annotations

import numpy as np
import trimesh

from andante.description.mesh.modeling import join, prism, revolve, ring, rounded_box

from ._figures import figures
from ._lower import BASE, EDGE, THICK, TOP, drum
from ._tiles import hull_of, rib, surface, tile, to_link

F = figures()
LID, ELBOW, EQUATOR = (F[f"{n}_latitude"] for n in ("lid", "thigh", "equator"))


def thigh_shell() -> trimesh.Trimesh:
    """The plate next to the lid and its rib."""
    web = rib(ELBOW + 3, LID - 14, 0.0, [0.083, 0.006], [0.040, 0.006], "thigh", 0.004)
    return join(to_link(tile(ELBOW, LID, BASE, THICK), "thigh"), web)


def thigh_panel() -> trimesh.Trimesh:
    """The painted panel."""
    return to_link(tile(ELBOW, LID - 10, TOP, 0.002, EDGE), "thigh")


def thigh_accent() -> trimesh.Trimesh:
    """Collar round the lid."""
    return to_link(tile(LID - 10, LID, TOP, 0.002, EDGE * 0.4), "thigh")


def thigh_arm() -> trimesh.Trimesh:
    """A narrow root between its neighbors, widening to the elbow's fork."""
    length = F["thigh_length"]
    root = prism(np.array([[-0.008, -0.006], [0.035, -0.008], [0.035, 0.009], [-0.008, 0.006]]), -0.005, 0.005, 0.001)
    outline = [[0.030, -0.010], [length, -0.010], [length + 0.010, 0], [length, 0.010], [0.030, 0.010], [0.024, 0]]
    plates = [prism(np.array(outline), z - 0.0015, z + 0.0015, bevel=0.0005) for z in (-0.0125, 0.0125)]
    return join(root, *plates, drum(0, 0.0078, -0.0065, 0.0065))


def thigh_servo() -> trimesh.Trimesh:
    """The servo of the root joint; it turns the root by a link."""
    return rounded_box((0.047, 0, 0), (0.038, 0.019, 0.021), 0.0015, power=10)


def petal_shell() -> trimesh.Trimesh:
    """The plate down to the equator and its ribs."""
    webs = [rib(EQUATOR + 6, ELBOW - 4, y, [0.116, 0.004], [0.012, 0.008], "petal", 0.003) for y in (-0.019, 0.019)]
    return join(to_link(tile(EQUATOR, ELBOW, BASE, THICK), "petal"), *webs)


TAB = {"right": F["tab_right"], "left": F["tab_left"]}  # edges of the tab [m]


def petal_panel() -> trimesh.Trimesh:
    """The painted panels of plate and tab."""
    return to_link(
        join(
            tile(EQUATOR + 8.5, ELBOW, TOP, 0.002, EDGE),
            tile(F["tab_latitude"], EQUATOR, TOP, 0.002, EDGE * 0.6, **TAB),
        ),
        "petal",
    )


def petal_accent() -> trimesh.Trimesh:
    """The band along the equator."""
    return to_link(tile(EQUATOR, EQUATOR + 8.5, TOP, 0.002, EDGE * 0.4), "petal")


def petal_tab() -> trimesh.Trimesh:
    """The tab below the equator, in the cut of the femur's tile."""
    return to_link(tile(F["tab_latitude"], EQUATOR + 1.5, BASE, THICK, **TAB), "petal")


def petal_arm() -> trimesh.Trimesh:
    """Two tapering side plates and the elbow's hubs."""
    length = F["petal_length"]
    outline = [[-0.010, 0], [0, -0.010], [0.05, -0.010], [length, -0.004], [length, 0.004], [0.05, 0.010], [0, 0.010]]
    plates = [prism(np.array(outline), z - 0.0015, z + 0.0015, bevel=0.0005) for z in (-0.0190, 0.0190)]
    bar = rounded_box((length - 0.004, 0, 0), (0.006, 0.007, 0.040), 0.001)
    return join(*plates, bar, *(drum(0, 0.0105, z - 0.003, z + 0.003) for z in (-0.017, 0.017)))


def petal_rings() -> trimesh.Trimesh:
    """Rings round the elbow."""
    return join(*(ring(0.0075, 0.0016, (0, 0, z), (0, 0, 1)) for z in (-0.0205, 0.0205)))


def petal_servo() -> trimesh.Trimesh:
    """The elbow's servo."""
    return rounded_box((0.040, 0, 0), (0.040, 0.019, 0.034), 0.0015, power=10)


def lid() -> trimesh.Trimesh:
    """The lid over the pole, in the frame of the body: a cap of the sphere."""
    edge = np.radians(LID) + F["tile_gap"] / TOP
    angle = np.linspace(edge, np.pi / 2 - 0.01, 8)
    outside = np.column_stack([TOP * np.sin(angle), TOP * np.cos(angle)])
    return revolve([[outside[0, 0] - 0.003, outside[0, 1]], *outside], (0, 0, 0), (0, 0, 1), around=48)


def thigh_hull() -> trimesh.Trimesh:
    """The whole tile of the thigh."""
    return hull_of(surface(ELBOW, LID, TOP, step=6.5), "thigh", 0.010)


def petal_hull() -> trimesh.Trimesh:
    """The whole tile of the petal."""
    return hull_of(surface(EQUATOR, ELBOW, TOP, step=6.5), "petal", 0.010)
