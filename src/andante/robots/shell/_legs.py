"""Looks and collision hulls of a lower and an upper leg, each in the frame of its link.

In the frames of femur, tibia and the upper links x runs along the segment, y points out of the ball; in those of femur
and tibia z lies along the joint axis.
"""

from __future__ import annotations

import numpy as np
import trimesh

from andante.description.mesh.modeling import ellipsoid, join, prism, revolve, ring, rounded_box, tube

from ._tiles import figures, hull_of, rib, surface, tile, to_link

F = figures()
TOP = F["ball_radius"]
BASE = TOP - 0.0012  # the graphite plate below the painted panel
THICK = F["tile_thickness"] - 0.0012
NOTCH, KNEE, EAR, FOOT = (F[f"{n}_latitude"] for n in ("notch", "knee", "ear", "foot"))
RIGHT, LEFT = F["notch_right"], F["notch_left"]
EAR_PLAY = 0.0015  # bevel of the ears, which turn inwards between their neighbors when a leg opens in the ball [m]
EDGE = 0.0045  # what the panel leaves free of its plate [m]


def drum(x: float, radius: float, low: float, high: float) -> trimesh.Trimesh:
    """A round hub about the joint axis at x along the segment."""
    bevel = 0.0015
    profile = [[low, radius - bevel], [low + bevel, radius], [high - bevel, radius], [high, radius - bevel]]
    return revolve(profile, (x, 0, 0), (0, 0, 1), around=36)


# ---- coxa: the folding arm ------------------------------------------------------------------------
def coxa_arm() -> trimesh.Trimesh:
    """A bar that sinks from the folding axis to the hip, bowed so that it passes the next folding axis."""
    path = [(0, 0, 0), (0.045, -0.004, -0.001), (0.085, -0.003, -0.010), (F["coxa_length"], 0, -0.014)]
    return join(
        tube(path, [0.0085, 0.0085, 0.0080, 0.0080], around=16, along=12),
        revolve([[-0.010, 0.0105], [0.009, 0.0105]], (0, 0, 0), (0, 0, 1)),
        rounded_box((0.112, 0, -0.0130), (0.046, 0.026, 0.005), 0.001),
    )


def coxa_servo() -> trimesh.Trimesh:
    """The hip yaw servo hangs below the end of the arm."""
    return rounded_box((0.110, 0, -0.0305), (0.040, 0.020, 0.030), 0.0015, power=10)


# ---- hip: yaw bracket -----------------------------------------------------------------------------
def hip_bracket() -> trimesh.Trimesh:
    """A shelf below the yaw servo and a cheek that holds the pitch servo."""
    return join(
        rounded_box((0.006, -0.001, -0.0245), (0.036, 0.024, 0.005), 0.001),
        rounded_box((0.027, 0.0165, -0.006), (0.026, 0.003, 0.040), 0.001),
        revolve([[-0.030, 0.010], [-0.020, 0.010]], (0, 0, 0), (0, 0, 1)),
    )


def hip_servo() -> trimesh.Trimesh:
    """The hip pitch servo, its shaft along the leg's joint axis."""
    return rounded_box((0.031, 0.001, -0.004), (0.020, 0.028, 0.038), 0.0015, power=10)


def hip_drum() -> trimesh.Trimesh:
    """Round housing about the pitch axis, beside the femur's hub, tapering as the sphere does."""
    rows = [[-0.0125, 0.0230], [-0.011, 0.0242], [0.008, 0.0225], [0.0205, 0.0195], [0.0215, 0.0180]]
    return revolve(rows, (F["hip_length"], 0, 0), (0, 1, 0), around=36)


def hip_accent() -> trimesh.Trimesh:
    """Mark on the housing."""
    return ring(0.0228, 0.0014, (F["hip_length"], 0.0045, 0), (0, 1, 0), around=36)


# ---- femur ------------------------------------------------------------------------------------------
def _femur_plates(outer: float, thickness: float, inset: float) -> trimesh.Trimesh:
    band = tile(KNEE, NOTCH, outer, thickness, inset)
    right = tile(NOTCH - 1.2 if inset == 0 else NOTCH, EAR, outer, thickness, inset, right=None, left=RIGHT)
    left = tile(NOTCH - 1.2 if inset == 0 else NOTCH, EAR, outer, thickness, inset, right=LEFT, left=None)
    return join(band, right, left)


def femur_shell() -> trimesh.Trimesh:
    """The plate and its ribs."""
    webs = [rib(KNEE + 1, NOTCH - 1, y, [0.012, 0.004], [0.060, 0.004], "femur", 0.003) for y in (-0.010, 0.012)]
    return join(to_link(_femur_plates(BASE, THICK, 0.0), "femur"), *webs)


def femur_panel() -> trimesh.Trimesh:
    """The painted panels."""
    return to_link(_femur_plates(TOP, 0.002, EDGE), "femur")


def femur_arm() -> trimesh.Trimesh:
    """Two side plates, hub and cross bars."""
    length = F["femur_length"]
    outline = [[-0.012, -0.010], [0.02, -0.013], [length, -0.011], [length + 0.011, 0], [length, 0.011], [0.02, 0.011]]
    outline += [[-0.006, 0.013], [-0.014, 0.004]]
    plates = [prism(np.array(outline), z - 0.0015, z + 0.0015, bevel=0.0005) for z in (-0.0105, 0.0105)]
    return join(*plates, drum(0, 0.0245, -0.0095, 0.0095))


def femur_accent() -> trimesh.Trimesh:
    """Ring round the hip's hub."""
    return join(ring(0.0190, 0.0022, (0, 0, 0.0105), (0, 0, 1)), ring(0.0085, 0.0016, (0.07, 0, 0.012), (0, 0, 1)))


def femur_servo() -> trimesh.Trimesh:
    """The knee servo between the side plates."""
    return rounded_box((0.047, -0.002, 0.0), (0.036, 0.018, 0.025), 0.0015, power=10)


# ---- tibia and foot -----------------------------------------------------------------------------------
def tibia_shell() -> trimesh.Trimesh:
    """The plate and its ribs."""
    length = F["tibia_length"]
    webs = [
        rib(FOOT + 2, KNEE - 2, y, [length - 0.012, 0.002], [0.008, 0.006], "tibia", 0.003) for y in (-0.0065, 0.0065)
    ]
    return join(to_link(tile(FOOT, KNEE, BASE, THICK), "tibia"), *webs)


def tibia_panel() -> trimesh.Trimesh:
    """The painted panel down to the toe cap."""
    return to_link(tile(FOOT + 11, KNEE, TOP, 0.002, EDGE), "tibia")


def tibia_accent() -> trimesh.Trimesh:
    """Toe cap."""
    return to_link(tile(FOOT, FOOT + 11, TOP, 0.002, EDGE * 0.4), "tibia")


def tibia_arm() -> trimesh.Trimesh:
    """A tapering shin with the knee's fork."""
    length = F["tibia_length"]
    bars = [
        tube(
            [(0.004, -0.001, z), (0.5 * length, -0.002, z * 0.75), (length - 0.006, 0, 0)],
            [0.0055, 0.0055, 0.0045],
            along=10,
        )
        for z in (-0.0165, 0.0165)
    ]
    return join(*bars, *[drum(0, 0.0115, z - 0.0035, z + 0.0035) for z in (-0.0165, 0.0165)])


def foot_rubber() -> trimesh.Trimesh:
    """The rubber tip: a ball and its shaft, foot frame."""
    radius = F["foot_radius"]
    shaft = revolve([[-0.022, 0.0055], [-0.010, 0.0070], [0, radius * 0.93]], (0, 0, 0), (1, 0, 0), around=24)
    return join(ellipsoid((0, 0, 0), (radius,) * 3, around=28, along=16), shaft)


# ---- collision hulls ------------------------------------------------------------------------------------
def femur_hull() -> trimesh.Trimesh:
    """The band between notch and knee."""
    return hull_of(surface(KNEE, NOTCH, TOP, step=6.5), "femur", 0.010)


def femur_hull_right() -> trimesh.Trimesh:
    """The ear on the side of the joint axis."""
    return hull_of(surface(NOTCH, EAR, TOP, EAR_PLAY, left=RIGHT, step=8.0), "femur", 0.004)


def femur_hull_left() -> trimesh.Trimesh:
    """The ear on the side of the hip servo."""
    return hull_of(surface(NOTCH, EAR, TOP, EAR_PLAY, right=LEFT, step=8.0), "femur", 0.004)


def tibia_hull() -> trimesh.Trimesh:
    """The whole tile of the tibia."""
    return hull_of(surface(FOOT, KNEE, TOP, step=6.5), "tibia", 0.010)


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


def body_lid() -> trimesh.Trimesh:
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
