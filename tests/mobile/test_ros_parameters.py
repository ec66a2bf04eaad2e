"""Parameter files of AMCL, hector_mapping, slam_toolbox, move_base and Nav2 by their own names."""

import math

import pytest
import yaml

from andante.errors import BadInput
from andante.localization import MclParameters
from andante.mobile.navigate_settings import changed
from andante.mobile.ros_parameters import NAMES, RESOLUTIONS, translated

MOVE_BASE = """
controller_patience: 2.5
planner_frequency: 4.0
recovery_behavior_enabled: true
DWAPlannerROS: {max_vel_x: 0.22, min_vel_x: -0.1, acc_lim_x: 2.0, max_vel_theta: 1.5, path_distance_bias: 32.0}
local_costmap: {resolution: 0.04, global_frame: odom, inflation_layer: {inflation_radius: 0.5, cost_scaling_factor: 3}}
global_costmap: {resolution: 0.1}
"""
AMCL = """
amcl:
  ros__parameters:
    alpha1: 0.2
    max_particles: 2000
    min_particles: 300
    laser_max_range: -1.0
    robot_model_type: "nav2_amcl::DifferentialMotionModel"
    laser_model_type: likelihood_field
    tf_broadcast: true
"""


def test_move_base():
    made = translated(yaml.safe_load(MOVE_BASE), "base.yaml")
    assert made.tables == {
        "navigator": {"patience": 2.5, "replan_every": 0.25},
        "vehicle": {"max_speed": 0.22, "max_reverse": 0.1, "max_acceleration": 2.0, "max_turn": 1.5},
        "layers": {"resolution": 0.04},
        "inflation": {"radius": 0.5, "decline": 3.0},
    }
    assert made.unmatched == (
        "recovery_behavior_enabled", "DWAPlannerROS.path_distance_bias", "local_costmap.global_frame",
        "global_costmap.resolution",
    )  # fmt: skip


def test_amcl_of_nav2():
    made = translated(yaml.safe_load(AMCL), "amcl.yaml")
    mcl = changed(MclParameters(), made.tables, "mcl")
    assert (mcl.particles_min, mcl.particles_max, mcl.turn_from_turn) == (300, 2000, 0.2)
    assert (mcl.odometry_model, mcl.sensor_model) == ("diff-corrected", "likelihood_field")
    assert made.unmatched == ("amcl.laser_max_range", "amcl.tf_broadcast")


def test_every_name_leads_to_a_setting_that_exists():
    from andante.mapping import MappingParameters
    from andante.navigation import Inflation, LayerSettings, NavigatorSettings, Vehicle
    from andante.tasks.navigate import ArrivalSettings

    homes = {
        "mcl": MclParameters, "vehicle": Vehicle, "inflation": Inflation, "layers": LayerSettings,
        "navigator": NavigatorSettings, "arrival": ArrivalSettings, "mapping": MappingParameters,
    }  # fmt: skip
    for table, name, *_ in (*NAMES.values(), *RESOLUTIONS.values()):
        assert name in homes[table].__dataclass_fields__


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ([1], "a tree of names"),
        ({"a": {"max_vel_x": "fast"}}, r"x\.yaml: a\.max_vel_x must be a finite number"),
        ({"max_vel_x": True}, "finite number"),
        ({"max_vel_x": math.nan}, "finite number"),
        ({"odom_model_type": "wheel"}, "is one of diff"),
    ],
)
def test_bad_values_are_named(data, words):
    with pytest.raises(BadInput, match=words):
        translated(data, "x.yaml")


def test_the_resolution_is_that_of_its_node_and_other_tables_are_left_out_by_name():
    made = translated(
        {"slam_toolbox": {"ros__parameters": {"resolution": 0.1, "max_laser_range": 12.0}}, "amcl": {"z_hit": 0.5},
         "map_saver": {"resolution": 0.2}}, "x.yaml",
    )  # fmt: skip
    assert made.tables == {"mapping": {"resolution": 0.1, "range_max": 12.0}, "mcl": {"z_hit": 0.5}}
    only = made.only("mapping")
    assert only.tables == {"mapping": {"resolution": 0.1, "range_max": 12.0}}
    assert only.unmatched == ("map_saver.resolution", "amcl.z_hit")
