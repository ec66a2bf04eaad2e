"""The meshes of the NAO by part name, one per link and color. Own design after the robot's published dimensions."""

from __future__ import annotations

from collections.abc import Callable

import trimesh

from andante.description.mesh.modeling import mirror

from . import _head, _limbs, _torso

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
    "shoulder_grey": _limbs.shoulder,
    "bicep_white": _limbs.bicep,
    "bicep_accent": _limbs.bicep_accent,
    "bicep_grey": _limbs.bicep_grey,
    "elbow_grey": _limbs.elbow,
    "forearm_white": _limbs.forearm,
    "forearm_accent": _limbs.forearm_accent,
    "hand_grey": _limbs.cuff,
    "hand_white": _limbs.palm,
    "hand_accent": _limbs.palm_accent,
    "hand_ring": _limbs.wrist_ring,
    "fingers_white": _limbs.fingers,
    "fingers_dark": _limbs.grip,
    "pelvis_white": _limbs.pelvis_housing,
    "pelvis_grey": _limbs.pelvis,
    "hip_grey": _limbs.hip,
    "thigh_white": _limbs.thigh,
    "thigh_accent": _limbs.thigh_accent,
    "thigh_grey": _limbs.thigh_grey,
    "thigh_ring": _limbs.knee_ring,
    "tibia_white": _limbs.tibia,
    "tibia_accent": _limbs.tibia_accent,
    "tibia_grey": _limbs.tibia_grey,
    "ankle_grey": _limbs.ankle,
    "foot_white": _limbs.foot,
    "foot_accent": _limbs.foot_accent,
    "foot_grey": _limbs.foot_grey,
    "foot_dark": _limbs.foot_dark,
    "sole_hull": _limbs.sole_hull,
}


def _mirrored(make: Maker) -> Maker:
    return lambda: mirror(make())


MESHES: dict[str, Maker] = {
    **MIDDLE,
    **{f"l_{name}": make for name, make in LEFT.items()},
    **{f"r_{name}": _mirrored(make) for name, make in LEFT.items()},
}
