"""Masses and inertias of the links, from the volumes of their parts; writes shell_masses.xacro.

Run `python -m andante.robots.shell.masses` after a change of the shapes or of the figures.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import trimesh

from andante.description.inertia import Inertia, combine

from ._tiles import figures
from .meshes import MESHES

TARGET = Path(__file__).resolve().parent / "shell_masses.xacro"

# link: parts with the figure that gives their mass: a density [kg/m^3] or a mass [kg]
PARTS: dict[str, dict[str, str]] = {
    "body": {"body_frame": "frame_mass", "body_battery": "battery_mass", "body_boards": "board_mass"},
    "coxa": {"coxa_arm": "arm_density", "coxa_servo": "servo_mass"},
    "hip": {"hip_bracket": "arm_density", "hip_drum": "drum_density", "hip_servo": "servo_mass"},
    "femur": {
        "femur_shell": "tile_density",
        "femur_panel": "tile_density",
        "femur_arm": "arm_density",
        "femur_servo": "servo_mass",
    },
    "tibia": {
        "tibia_shell": "tile_density",
        "tibia_panel": "tile_density",
        "tibia_accent": "tile_density",
        "tibia_arm": "arm_density",
    },
    "foot": {"foot_rubber": "foot_density"},
    "thigh": {
        "thigh_shell": "tile_density",
        "thigh_panel": "tile_density",
        "thigh_accent": "tile_density",
        "thigh_arm": "arm_density",
        "thigh_servo": "servo_mass",
    },
    "petal": {
        "petal_shell": "tile_density",
        "petal_panel": "tile_density",
        "petal_accent": "tile_density",
        "petal_tab": "tile_density",
        "petal_arm": "arm_density",
        "petal_servo": "servo_mass",
    },
}


def part_inertia(mesh: trimesh.Trimesh, figure: str) -> Inertia:
    """Inertia of a part of even density; `figure` names its mass or its density."""
    value = figures()[figure]
    mass = value if figure.endswith("_mass") else value * mesh.volume
    return Inertia.from_matrix(mass, mesh.center_mass, mesh.moment_inertia * (mass / mesh.volume))


def link_inertia(link: str) -> Inertia:
    """Inertia of a kind of link, from its parts."""
    whole = combine(part_inertia(MESHES[part](), figure) for part, figure in PARTS[link].items())
    assert whole is not None
    return whole


def masses_text() -> str:
    """The text of shell_masses.xacro."""
    lines = [
        '<?xml version="1.0"?>',
        "<!-- Made by masses.py from the shapes and the densities of shell_variables.xacro; do not edit by hand. -->",
        '<robot xmlns:xacro="http://www.ros.org/wiki/xacro">',
    ]
    for link in PARTS:
        body = link_inertia(link)
        x, y, z = (_number(v) for v in np.asarray(body.com))
        names = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
        tensor = " ".join(f'{name}="{_number(value)}"' for name, value in zip(names, body.moments, strict=True))
        lines += [
            f'  <xacro:macro name="{link}_inertial" params="">',
            "    <inertial>",
            f'      <origin xyz="{x} {y} {z}"/>',
            f'      <mass value="{_number(body.mass)}"/>',
            f"      <inertia {tensor}/>",
            "    </inertial>",
            "  </xacro:macro>",
        ]
    return "\n".join([*lines, "</robot>", ""])


def _number(value: float) -> str:
    return f"{value:.5g}" if abs(value) > 1e-9 else "0"


def main() -> None:
    """Write shell_masses.xacro."""
    TARGET.write_text(masses_text(), encoding="utf-8")


if __name__ == "__main__":
    main()
