"""The meshes of the Shell by part name, one per link and color, and its convex collision hulls. Own design."""

from __future__ import annotations

from collections.abc import Callable

import trimesh

from . import _body, _legs

MESHES: dict[str, Callable[[], trimesh.Trimesh]] = {
    "body_frame": _body.frame,
    "body_steel": _body.steel,
    "body_fan": _body.fan,
    "body_battery": _body.battery,
    "body_boards": _body.boards,
    "body_camera": _body.camera,
    "body_lens": _body.lens,
    "body_lid": _legs.lid,
    "coxa_arm": _legs.coxa_arm,
    "coxa_servo": _legs.coxa_servo,
    "hip_bracket": _legs.hip_bracket,
    "hip_servo": _legs.hip_servo,
    "hip_drum": _legs.hip_drum,
    "hip_accent": _legs.hip_accent,
    "femur_shell": _legs.femur_shell,
    "femur_panel": _legs.femur_panel,
    "femur_arm": _legs.femur_arm,
    "femur_accent": _legs.femur_accent,
    "femur_servo": _legs.femur_servo,
    "femur_hull": _legs.femur_hull,
    "femur_hull_right": _legs.femur_hull_right,
    "femur_hull_left": _legs.femur_hull_left,
    "tibia_shell": _legs.tibia_shell,
    "tibia_panel": _legs.tibia_panel,
    "tibia_accent": _legs.tibia_accent,
    "tibia_arm": _legs.tibia_arm,
    "tibia_hull": _legs.tibia_hull,
    "foot_rubber": _legs.foot_rubber,
    "thigh_shell": _legs.thigh_shell,
    "thigh_panel": _legs.thigh_panel,
    "thigh_accent": _legs.thigh_accent,
    "thigh_arm": _legs.thigh_arm,
    "thigh_servo": _legs.thigh_servo,
    "thigh_hull": _legs.thigh_hull,
    "petal_shell": _legs.petal_shell,
    "petal_panel": _legs.petal_panel,
    "petal_accent": _legs.petal_accent,
    "petal_arm": _legs.petal_arm,
    "petal_tab": _legs.petal_tab,
    "petal_rings": _legs.petal_rings,
    "petal_servo": _legs.petal_servo,
    "petal_hull": _legs.petal_hull,
}
