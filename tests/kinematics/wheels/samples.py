"""Small wheeled robots made in Python, for tests of drives."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from andante.description import Box, Collision, Cylinder, Inertia, Joint, JointType, Limits, Link, Robot, Sphere
from andante.description.robot import Plugin
from andante.geometry import SE3

ACROSS = SE3.from_xyz_rpy((0, 0, 0), (math.pi / 2, 0, 0))  # a cylinder's axis turned from z to -y


def body(size=(0.4, 0.3, 0.1), height=0.08) -> Link:
    box = Collision(Box(size), SE3.from_xyz_rpy((0, 0, height)))
    return Link("base", Inertia(5.0, (0, 0, height), (0.05, 0, 0, 0.08, 0, 0.1)), collisions=(box,))


def wheel(
    name: str,
    x: float,
    y: float,
    yaw: float = 0.0,
    radius: float = 0.05,
    parent: str = "base",
    z: float | None = None,
    **more,
) -> tuple[Link, Joint]:
    """A wheel that rolls along `yaw`, and its joint."""
    link = Link(
        f"{name}_link",
        Inertia(0.2, (0, 0, 0), (2e-4, 0, 0, 2e-4, 0, 2e-4)),
        collisions=(Collision(Cylinder(radius, 0.03), ACROSS),),
    )
    place = SE3.from_xyz_rpy((x, y, radius if z is None else z), (0, 0, yaw))
    return link, Joint(name, JointType.CONTINUOUS, parent, link.name, place, (0, 1, 0), **more)


def fork(name: str, x: float, y: float, z: float, axis=(0, 0, 1), limits: Limits | None = None) -> tuple[Link, Joint]:
    """A vertical joint that carries a wheel."""
    link = Link(f"{name}_link", Inertia(0.1, (0, 0, 0), (1e-4, 0, 0, 1e-4, 0, 1e-4)))
    kind = JointType.CONTINUOUS if limits is None else JointType.REVOLUTE
    return link, Joint(name, kind, "base", link.name, SE3.from_xyz_rpy((x, y, z)), axis, limits or Limits())


def robot(
    name: str, pieces: Iterable[tuple[Link, Joint]], plugin: Plugin | None = None, base: Link | None = None
) -> Robot:
    pieces = tuple(pieces)
    links = (base or body(), *(link for link, _ in pieces))
    return Robot(name, links, tuple(joint for _, joint in pieces), plugins=(plugin,) if plugin else ())


def plugin(filename: str, parameters: Mapping[str, str], name: str = "drive") -> Plugin:
    return Plugin(name, filename, dict(parameters))


def roller_wheel(
    name: str, x: float, y: float, yaw: float, gamma: float, radius: float = 0.05, count: int = 12, reach: float = 0.008
) -> list[tuple[Link, Joint]]:
    """A Swedish wheel with spheres as free rollers around its rim; gamma as in `SwedishWheel`."""
    hub = Link(f"{name}_hub", Inertia(0.2, (0, 0, 0), (2e-4, 0, 0, 2e-4, 0, 2e-4)))
    out = [
        (
            hub,
            Joint(
                name, JointType.CONTINUOUS, "base", hub.name, SE3.from_xyz_rpy((x, y, radius), (0, 0, yaw)), (0, 1, 0)
            ),
        )
    ]
    for i in range(count):
        turn = 2 * math.pi * i / count
        # At the bottom the roller's axis lies at gamma from the rolling direction x toward the axle y.
        link = Link(
            f"{name}_roller_{i}",
            Inertia(0.005, (0, 0, 0), (2e-7, 0, 0, 2e-7, 0, 2e-7)),
            collisions=(Collision(Sphere(reach)),),
        )
        bottom = SE3.from_xyz_rpy((0, 0, -(radius - reach)))
        place = SE3.from_xyz_rpy((0, 0, 0), (0, turn, 0)) @ bottom
        axis = (math.cos(gamma), math.sin(gamma), 0.0)
        out.append((link, Joint(f"{name}_free_{i}", JointType.CONTINUOUS, hub.name, link.name, place, axis)))
    return out


def mecanum_robot(**more) -> Robot:
    corners = [
        ("front_left", 0.2, 0.15),
        ("front_right", 0.2, -0.15),
        ("rear_left", -0.2, 0.15),
        ("rear_right", -0.2, -0.15),
    ]
    told = {
        "front_left_joint": "front_left",
        "front_right_joint": "front_right",
        "back_left_joint": "rear_left",
        "back_right_joint": "rear_right",
        "wheelbase": "0.4",
        "wheel_separation": "0.3",
        "wheel_radius": "0.05",
    }
    return robot(
        "mecanum",
        [wheel(n, x, y) for n, x, y in corners],
        plugin("gz-sim-mecanum-drive-system", told, "gz::sim::systems::MecanumDrive"),
        **more,
    )


def omni_robot() -> Robot:
    places = [(math.pi / 3 + i * 2 * math.pi / 3) for i in range(3)]
    return robot(
        "omni",
        [wheel(f"wheel_{i}", 0.2 * math.cos(a), 0.2 * math.sin(a), a - math.pi / 2) for i, a in enumerate(places)],
    )
