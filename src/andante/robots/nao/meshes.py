"""The meshes of the NAO by part name, one per link and color. Own design after the robot's published dimensions."""

from __future__ import annotations

from collections.abc import Callable

import trimesh

from andante.description.mesh.modeling import mirror

from . import _arm, _head, _leg, _torso

Maker = Callable[[], trimesh.Trimesh]

MIDDLE: dict[str, Maker] = {
    "head_white": _head.white,
    "head_accent": _head.accent,
    "head_grey": _head.grey,
    "head_dark": _head.dark,
    "head_light": _head.light,
    "head_lens": _head.lens,
    "neck_dark": _head.neck,
    "torso_white": _torso.white,
    "torso_accent": _torso.accent,
    "torso_grey": _torso.grey,
    "torso_dark": _torso.dark,
    "torso_light": _torso.light,
}

LEFT: dict[str, Maker] = {  # l_NAME and its mirror image r_NAME
    "shoulder_grey": _arm.shoulder,
    "bicep_white": _arm.bicep,
    "bicep_accent": _arm.bicep_accent,
    "bicep_grey": _arm.bicep_grey,
    "elbow_grey": _arm.elbow,
    "forearm_white": _arm.forearm,
    "forearm_accent": _arm.forearm_accent,
    "hand_grey": _arm.cuff,
    "hand_white": _arm.palm,
    "hand_accent": _arm.palm_accent,
    "hand_ring": _arm.wrist_ring,
    "fingers_white": _arm.fingers,
    "fingers_dark": _arm.grip,
    "pelvis_white": _leg.pelvis_housing,
    "pelvis_grey": _leg.pelvis,
    "hip_grey": _leg.hip,
    "thigh_white": _leg.thigh,
    "thigh_accent": _leg.thigh_accent,
    "thigh_grey": _leg.thigh_grey,
    "thigh_ring": _leg.knee_ring,
    "tibia_white": _leg.tibia,
    "tibia_accent": _leg.tibia_accent,
    "tibia_grey": _leg.tibia_grey,
    "ankle_grey": _leg.ankle,
    "foot_white": _leg.foot,
    "foot_accent": _leg.foot_accent,
    "foot_grey": _leg.foot_grey,
    "foot_dark": _leg.foot_dark,
    "sole_hull": _leg.sole_hull,
}


def _mirrored(make: Maker) -> Maker:
    return lambda: mirror(make())


MESHES: dict[str, Maker] = {
    **MIDDLE,
    **{f"l_{name}": make for name, make in LEFT.items()},
    **{f"r_{name}": _mirrored(make) for name, make in LEFT.items()},
}
