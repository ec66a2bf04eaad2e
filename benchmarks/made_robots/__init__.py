"""Robots that nobody drew: legs and wheels of many makes, as small URDF files with a list for `andante zoo`.

Each differs from a plain robot of its kind in one thing that files of strangers differ in: size, mass, axes and their
signs, order and names of legs, feet, limits, casters, drives, missing sensors. Nothing of them is tuned.
"""

from __future__ import annotations

from pathlib import Path

from made_robots.bipeds import Biped
from made_robots.legged import Legs
from made_robots.wheeled import Wheeled, wheel_mesh

FREE = 'effort="{effort:.4g}" velocity="12"'
NO_EFFORT = 'lower="-1.5" upper="1.5" effort="0" velocity="0"'
LEGGED: tuple[Legs | Biped, ...] = (
    Legs("quad"),
    Legs("quad_half", scale=0.5),
    Legs("quad_double", scale=2.0),
    Legs("quad_heavy", weight=3.0),
    Legs("quad_flip", flip=True),
    Legs("quad_order", order=(3, 0, 2, 1), names=("lf", "rf", "lh", "rh")),
    Legs("quad_nameless", order=(1, 3, 0, 2), names=("a", "b", "c", "d")),
    Legs("quad_box_feet", foot="box"),
    Legs("quad_no_feet", foot="none"),
    Legs("quad_seen_feet", foot="seen"),
    Legs("quad_two_joints", joints=2),
    Legs("quad_four_joints", joints=4),
    Legs("quad_no_limits", limits=FREE),
    Legs("quad_no_effort", limits=NO_EFFORT),
    Legs("quad_dummy_root", root="world_dummy", dummy=True),
    Legs("quad_knees_in", knees="in"),
    Legs("quad_cad_frames", frames=True),
    Legs("spider4", sprawled=True),
    Legs("hexapod", sprawled=True, six=True, order=()),
    Legs("hexapod_double", sprawled=True, six=True, order=(), scale=2.0, foot="none"),
    Legs("hexapod_upright", six=True, order=()),
    Biped("biped"),
    Biped("biped_half", scale=0.5),
    Biped("biped_tall", scale=1.7),
    Biped("biped_heavy", weight=2.0),
    Biped("biped_flip", flip=True),
    Biped("biped_no_limits", limits=False),
    Biped("biped_no_ankle_roll", roll=False),
    Biped("biped_no_hip_yaw", yaw=False),
    Biped("biped_no_arms", arms=False),
    Biped("biped_pitch_first", order="pry"),
    Biped("biped_ball_soles", sole="balls"),
    Biped("biped_small_feet", narrow=True),
    Biped("biped_names", sides=("L", "R"), root="torso_link_0"),
)
WHEELED: tuple[Wheeled, ...] = (
    Wheeled("diff"),
    Wheeled("diff_front_caster", caster=1.0),
    Wheeled("diff_two_casters", caster=0.0),
    Wheeled("diff_fork", kind="fork"),
    Wheeled("diff_fork_front", kind="fork", caster=1.0),
    Wheeled("diff_no_lidar", lidar=False),
    Wheeled("diff_mesh_wheels", mesh=True),
    Wheeled("diff_z_axes", axis=(0, 0, 1)),
    Wheeled("diff_minus_axes", axis=(0, -1, 0)),
    Wheeled("diff_plugin", plugin=True, limits='effort="5" velocity="20"'),
    Wheeled("diff_no_footprint", footprint=False),
    Wheeled("diff_small", scale=0.5),
    Wheeled("diff_massless_wheels", inertia=False),
    Wheeled("skid4", kind="skid4"),
    Wheeled("skid6", kind="skid6"),
    Wheeled("skid4_no_lidar", kind="skid4", lidar=False),
    Wheeled("ackermann", kind="ackermann"),
    Wheeled("tricycle", kind="tricycle"),
    Wheeled("mecanum", kind="mecanum", plugin=True),
    Wheeled("omni3", kind="omni3"),
    Wheeled("omni4", kind="omni4"),
)


def write_all(folder: Path) -> Path:
    """Write the files and their list, whose path is returned."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "wheel.stl").write_bytes(wheel_mesh(0.07, 0.04))
    lines = []
    for made in (*LEGGED, *WHEELED):
        made.make().write(folder)
        lines.append("\t".join((f"{made.name}.urdf", "urdf", "", "", "", _kind(made))))
    (folder / "LIST.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder / "LIST.tsv"


def _kind(made: Legs | Biped | Wheeled) -> str:
    """What a list calls it."""
    if isinstance(made, Wheeled):
        return "wheeled"
    return "biped" if isinstance(made, Biped) else "hexapod" if made.six else "quadruped"
