"""Words of one engine about surfaces in those of another."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from andante.description.link import Surface
from andante.description.robot import Robot

IMPEDANCE = 0.95  # of MuJoCo's contacts where none is stated


def with_springs(robot: Robot, known: Collection[str]) -> Robot:
    """A robot whose surfaces have kp and kd where they state solref, for an engine that knows kp and not solimp.

    A contact of MuJoCo with impedance d on a mass m rests as deep as on a spring kp = m / (T^2 z^2 (1 - d)) with the
    damper kd = 2 m / (T (1 - d)), T its time constant and z its damping ratio; given as stiffness S and damping D,
    kp = m S / (1 - d) and kd = m D / (1 - d). The mass is that of the robot; what weighs nothing stays as it is.
    """
    mass = robot.mass if "kp" in known and "solimp" not in known else 0.0
    if mass <= 0 or not any(c.surface.solref for link in robot.links for c in link.collisions):
        return robot
    links = []
    for link in robot.links:
        shapes = tuple(replace(shape, surface=_with_spring(shape.surface, mass)) for shape in link.collisions)
        links.append(replace(link, collisions=shapes))
    return replace(robot, links=tuple(links))


def _with_spring(surface: Surface, mass: float) -> Surface:
    if surface.solref is None or surface.kp is not None:
        return surface
    first, second = surface.solref
    heavy = mass / (1 - min(max(surface.solimp[1] if surface.solimp else IMPEDANCE, 0.0), 0.999))
    if first < 0:
        return replace(surface, kp=-first * heavy, kd=max(-second, 0.0) * heavy)
    if first == 0 or second <= 0:
        return surface
    return replace(surface, kp=heavy / (first * second) ** 2, kd=2 * heavy / first)
