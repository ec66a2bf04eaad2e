"""The rover and its room under changed conditions: noisier sensors, smoother floors."""

from __future__ import annotations

import math
from dataclasses import replace

from andante.description import Robot, World
from andante.description.link import Link, SensorSpec
from andante.errors import BadInput
from andante.sensors.lidar import lidar_model
from andante.sensors.suite import noise_of
from andante.sensors.uwb import UwbErrors


def noisier(robot: Robot, factor: float) -> Robot:
    """The robot whose lidar, UWB tags and IMU err `factor` times as much; 0: not at all, 1: as its file says."""
    if not (math.isfinite(factor) and factor >= 0):
        raise BadInput(f"the factor of sensor noise must be a number >= 0, got {factor}")
    return robot if factor == 1 else replace(robot, sensors=tuple(_noisier(spec, factor) for spec in robot.sensors))


def _noisier(spec: SensorSpec, factor: float) -> SensorSpec:
    errors: dict[str, float]
    if spec.kind == "uwb":
        uwb = UwbErrors.of(spec)
        errors = {
            "noise_stddev": uwb.stddev * factor,
            "wall_bias": uwb.wall_bias * factor,
            "outliers": min(uwb.outliers * factor, 1.0),
            "dropout": min(uwb.dropout * factor, 1.0),
        }
    elif spec.kind == "lidar":
        lidar = lidar_model(spec)
        errors = {
            "noise_stddev": lidar.noise_stddev * factor,
            "noise_proportional": lidar.noise_proportional * factor,
            "dropout": min(lidar.dropout * factor, 1.0),
        }
    elif spec.kind == "imu":
        imu = noise_of(spec)
        errors = {name: getattr(imu, field) * factor for name, field in _IMU}
    else:
        return spec
    return replace(spec, parameters={**spec.parameters, **errors})


_IMU = (("noise_stddev", "stddev"), ("bias_stddev", "bias_stddev"), ("bias_walk", "bias_walk"))


def smoother(robot: Robot, factor: float) -> Robot:
    """The robot (or a model of a world) with all coefficients of friction times `factor`."""
    return robot if factor == 1 else replace(robot, links=tuple(_smoother(link, factor) for link in robot.links))


def _smoother(link: Link, factor: float) -> Link:
    shapes = []
    for shape in link.collisions:
        mu = 1.0 if shape.surface.mu is None else shape.surface.mu
        mu2 = None if shape.surface.mu2 is None else shape.surface.mu2 * factor
        shapes.append(replace(shape, surface=replace(shape.surface, mu=mu * factor, mu2=mu2)))
    return replace(link, collisions=tuple(shapes))


def smoother_world(world: World, factor: float) -> World:
    """The world with all coefficients of friction times `factor`."""
    if not (math.isfinite(factor) and factor > 0):
        raise BadInput(f"the factor of friction must be a number > 0, got {factor}")
    if factor == 1:
        return world
    models = tuple(replace(model, robot=smoother(model.robot, factor)) for model in world.models)
    return replace(world, models=models)
