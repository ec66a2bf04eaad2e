"""The meshes of the Shell by part name, one per link and color, and its convex collision hulls. Own design."""

from __future__ import annotations

from collections.abc import Callable

import trimesh

from . import _body, _lower, _upper

MESHES: dict[str, Callable[[], trimesh.Trimesh]] = {
    "body_frame": _body.frame,
    "body_steel": _body.steel,
    "body_fan": _body.fan,
    "body_battery": _body.battery,
    "body_boards": _body.boards,
    "body_camera": _body.camera,
    "body_lens": _body.lens,
    "body_lid": _upper.lid,
    "coxa_arm": _lower.coxa_arm,
    "coxa_servo": _lower.coxa_servo,
    "hip_bracket": _lower.hip_bracket,
    "hip_servo": _lower.hip_servo,
    "hip_drum": _lower.hip_drum,
    "hip_accent": _lower.hip_accent,
    "femur_shell": _lower.femur_shell,
    "femur_panel": _lower.femur_panel,
    "femur_arm": _lower.femur_arm,
    "femur_accent": _lower.femur_accent,
    "femur_servo": _lower.femur_servo,
    "femur_hull": _lower.femur_hull,
    "femur_hull_right": _lower.femur_hull_right,
    "femur_hull_left": _lower.femur_hull_left,
    "tibia_shell": _lower.tibia_shell,
    "tibia_panel": _lower.tibia_panel,
    "tibia_accent": _lower.tibia_accent,
    "tibia_arm": _lower.tibia_arm,
    "tibia_hull": _lower.tibia_hull,
    "foot_rubber": _lower.foot_rubber,
    "thigh_shell": _upper.thigh_shell,
    "thigh_panel": _upper.thigh_panel,
    "thigh_accent": _upper.thigh_accent,
    "thigh_arm": _upper.thigh_arm,
    "thigh_servo": _upper.thigh_servo,
    "thigh_hull": _upper.thigh_hull,
    "petal_shell": _upper.petal_shell,
    "petal_panel": _upper.petal_panel,
    "petal_accent": _upper.petal_accent,
    "petal_arm": _upper.petal_arm,
    "petal_tab": _upper.petal_tab,
    "petal_rings": _upper.petal_rings,
    "petal_servo": _upper.petal_servo,
    "petal_hull": _upper.petal_hull,
}
