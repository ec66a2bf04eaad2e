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

# what gives the mass of a part: a density [kg/m^3] or a mass [kg]; and the parts of each link
FIGURES = {
    **{"frame": "frame_mass", "battery": "battery_mass", "boards": "board_mass", "servo": "servo_mass"},
    **{"arm": "arm_density", "bracket": "arm_density", "drum": "drum_density", "rubber": "foot_density"},
    **dict.fromkeys(("shell", "panel", "accent", "tab"), "tile_density"),
}
PARTS = {
    "body": "frame battery boards",
    "coxa": "arm servo",
    "hip": "bracket drum servo",
    "femur": "shell panel arm servo",
    "tibia": "shell panel accent arm",
    "foot": "rubber",
    "thigh": "shell panel accent arm servo",
    "petal": "shell panel accent tab arm servo",
}


def part_inertia(mesh: trimesh.Trimesh, figure: str) -> Inertia:
    """Inertia of a part of even density; `figure` names its mass or its density."""
    value = figures()[figure]
    mass = value if figure.endswith("_mass") else value * mesh.volume
    return Inertia.from_matrix(mass, mesh.center_mass, mesh.moment_inertia * (mass / mesh.volume))


def link_inertia(link: str) -> Inertia:
    """Inertia of a kind of link, from its parts."""
    whole = combine(part_inertia(MESHES[f"{link}_{part}"](), FIGURES[part]) for part in PARTS[link].split())
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
