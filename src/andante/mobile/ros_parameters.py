"""Parameter files of ROS navigation by their own names: AMCL, hector_mapping, slam_toolbox, move_base, Nav2.

A file is a tree of nodes and names. Each leaf that has a counterpart here becomes a value of one of our tables; the
rest is listed, so that nobody believes that it counts.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from andante.errors import BadInput

DEEPEST = 12  # tree that is looked through
STRUCTURE = ("ros__parameters",)  # levels that say nothing
WORDS = {  # kinds of models
    "diff": "diff", "diff-corrected": "diff-corrected", "omni": "omni", "omni-corrected": "omni-corrected",
    "differential": "diff-corrected", "omnidirectional": "omni-corrected",
    "nav2_amcl::DifferentialMotionModel": "diff-corrected", "nav2_amcl::OmniMotionModel": "omni-corrected",
    "beam": "beam", "likelihood_field": "likelihood_field", "likelihood_field_prob": "likelihood_field_prob",
}  # fmt: skip


def _count(value: float) -> float:
    return int(value)


def _period(value: float) -> float:
    return 1.0 / value if value > 0 else 1e6


Place = tuple[str, str] | tuple[str, str, Callable[[float], float]]
NAMES: dict[str, Place] = {
    "min_particles": ("mcl", "particles_min", _count),
    "max_particles": ("mcl", "particles_max", _count),
    "kld_err": ("mcl", "kld_error"), "pf_err": ("mcl", "kld_error"),
    "kld_z": ("mcl", "kld_z"), "pf_z": ("mcl", "kld_z"),
    "odom_alpha1": ("mcl", "turn_from_turn"), "alpha1": ("mcl", "turn_from_turn"),
    "odom_alpha2": ("mcl", "turn_from_drive"), "alpha2": ("mcl", "turn_from_drive"),
    "odom_alpha3": ("mcl", "drive_from_drive"), "alpha3": ("mcl", "drive_from_drive"),
    "odom_alpha4": ("mcl", "drive_from_turn"), "alpha4": ("mcl", "drive_from_turn"),
    "odom_alpha5": ("mcl", "aside_from_drive"), "alpha5": ("mcl", "aside_from_drive"),
    "laser_max_beams": ("mcl", "beams", _count), "max_beams": ("mcl", "beams", _count),
    "laser_max_range": ("mcl", "range_max"),
    "laser_sigma_hit": ("mcl", "sigma_hit"), "sigma_hit": ("mcl", "sigma_hit"),
    "laser_z_hit": ("mcl", "z_hit"), "z_hit": ("mcl", "z_hit"),
    "laser_z_short": ("mcl", "z_short"), "z_short": ("mcl", "z_short"),
    "laser_z_max": ("mcl", "z_max"), "z_max": ("mcl", "z_max"),
    "laser_z_rand": ("mcl", "z_rand"), "z_rand": ("mcl", "z_rand"),
    "laser_lambda_short": ("mcl", "lambda_short"), "lambda_short": ("mcl", "lambda_short"),
    "laser_likelihood_max_dist": ("mcl", "field_distance"),
    "update_min_d": ("mcl", "update_min_d"), "update_min_a": ("mcl", "update_min_a"),
    "recovery_alpha_slow": ("mcl", "recovery_slow"), "recovery_alpha_fast": ("mcl", "recovery_fast"),
    "odom_model_type": ("mcl", "odometry_model"), "robot_model_type": ("mcl", "odometry_model"),
    "laser_model_type": ("mcl", "sensor_model"),
    "max_vel_x": ("vehicle", "max_speed"), "vx_max": ("vehicle", "max_speed"),
    "desired_linear_vel": ("vehicle", "max_speed"),
    "min_vel_x": ("vehicle", "max_reverse", lambda value: max(0.0, -value)),
    "vx_min": ("vehicle", "max_reverse", lambda value: max(0.0, -value)),
    "max_vel_theta": ("vehicle", "max_turn"), "max_rot_vel": ("vehicle", "max_turn"),
    "max_rotational_vel": ("vehicle", "max_turn"), "wz_max": ("vehicle", "max_turn"),
    "acc_lim_x": ("vehicle", "max_acceleration"), "ax_max": ("vehicle", "max_acceleration"),
    "acc_lim_theta": ("vehicle", "max_turn_acceleration"), "az_max": ("vehicle", "max_turn_acceleration"),
    "decel_lim_x": ("vehicle", "max_deceleration", abs), "ax_min": ("vehicle", "max_deceleration", abs),
    "inflation_radius": ("inflation", "radius"), "cost_scaling_factor": ("inflation", "decline"),
    "obstacle_range": ("layers", "mark_range"), "obstacle_max_range": ("layers", "mark_range"),
    "raytrace_range": ("layers", "clear_range"), "raytrace_max_range": ("layers", "clear_range"),
    "planner_frequency": ("navigator", "replan_every", _period),
    "controller_patience": ("navigator", "patience"),
    "yaw_goal_tolerance": ("arrival", "yaw_tolerance"),
    "map_resolution": ("mapping", "resolution"),
    "map_multi_res_levels": ("mapping", "levels", _count),
    "laser_max_dist": ("mapping", "range_max"), "max_laser_range": ("mapping", "range_max"),
    "update_factor_occupied": ("mapping", "hit"), "update_factor_free": ("mapping", "miss"),
    "map_update_distance_thresh": ("mapping", "key_travel"), "minimum_travel_distance": ("mapping", "key_travel"),
    "map_update_angle_thresh": ("mapping", "key_turn"), "minimum_travel_heading": ("mapping", "key_turn"),
}  # fmt: skip
RESOLUTIONS: dict[str, Place] = {  # what `resolution` is, by the name of its node
    "local_costmap": ("layers", "resolution"), "slam_toolbox": ("mapping", "resolution"),
}  # fmt: skip


@dataclass(frozen=True)
class Translated:
    """Tables of ours, the names that each was made of, and the names that have no counterpart."""

    tables: dict[str, dict[str, Any]] = field(default_factory=dict)
    unmatched: tuple[str, ...] = ()
    names: dict[str, list[str]] = field(default_factory=dict)  # by table

    def only(self, *kept: str) -> Translated:
        """The same with these tables alone; the names of all others count as unmatched."""
        others = [name for table, names in self.names.items() if table not in kept for name in names]
        return Translated(
            {name: table for name, table in self.tables.items() if name in kept},
            (*self.unmatched, *dict.fromkeys(others)),
            {name: names for name, names in self.names.items() if name in kept},
        )


def translated(data: Any, path: str) -> Translated:
    """What the tree of a parameter file says in our tables; of a name that comes twice the last counts."""
    if not isinstance(data, Mapping):
        raise BadInput(f"{path}: parameters of ROS are a tree of names and values")
    tables: dict[str, dict[str, Any]] = {}
    named: dict[str, list[str]] = {}
    unmatched = []
    for names, value in _leaves(data, path):
        place = NAMES.get(names[-1])
        if names[-1] == "resolution":
            place = next((home for node, home in RESOLUTIONS.items() if any(node in name for name in names)), None)
        endless = names[-1] == "laser_max_range" and isinstance(value, int | float) and value <= 0
        if place is None or endless or value is None:
            unmatched.append(".".join(names))
            continue
        tables.setdefault(place[0], {})[place[1]] = _value(place, value, f"{path}: {'.'.join(names)}")
        named.setdefault(place[0], []).append(".".join(names))
    return Translated(tables, tuple(dict.fromkeys(unmatched)), named)


def _value(place: Place, value: Any, where: str) -> Any:
    if place[1] in ("odometry_model", "sensor_model"):
        if value not in WORDS:
            raise BadInput(f"{where} is one of {', '.join(WORDS)}, got {value!r}")
        return WORDS[value]
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise BadInput(f"{where} must be a finite number, got {value!r}")
    return place[2](value) if len(place) == 3 else float(value)


def _leaves(tree: Mapping[Any, Any], path: str, above: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    if len(above) > DEEPEST:
        raise BadInput(f"{path}: {'.'.join(above)} lies deeper than {DEEPEST} levels")
    for name, value in tree.items():
        names = above if str(name) in STRUCTURE else (*above, str(name))
        if isinstance(value, Mapping):
            yield from _leaves(value, path, names)
        else:
            yield names, value
