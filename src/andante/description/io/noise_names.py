"""What stands below a <noise> element of Gazebo, in SDF and in the <gazebo> blocks of URDF."""

from __future__ import annotations

from collections.abc import Mapping

NOISE: Mapping[str, str] = {  # element -> end of the parameter's name
    "type": "noise_type",
    "mean": "noise_mean",
    "stddev": "noise_stddev",
    "bias_mean": "bias_mean",
    "bias_stddev": "bias_stddev",
    "dynamic_bias_stddev": "dynamic_bias_stddev",
    "dynamic_bias_correlation_time": "dynamic_bias_correlation_time",
    "precision": "noise_precision",
}
