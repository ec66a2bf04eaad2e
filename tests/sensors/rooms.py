"""Small worlds and a robot that carries sensors, for the tests of sensors that look at things."""

from __future__ import annotations

from andante.description import Box, Collision, Geometry, Inertia, Link, Placement, Plane, Robot, SensorSpec, World
from andante.geometry import SE3
from andante.physics import Engine, Settings, engine_class
from andante.physics.registry import ENGINES, installed
from andante.sensors import Scene

HERE = SE3.identity()
INSTALLED = [name for name, entry in ENGINES.items() if installed(entry)]


def carrier(*sensors: SensorSpec) -> Robot:
    inertia = Inertia(1.0, (0, 0, 0), (0.01, 0, 0, 0.01, 0, 0.01))
    return Robot("carrier", (Link("base", inertia, collisions=(Collision(Box((0.2, 0.2, 0.2))),)),), sensors=sensors)


def thing(name: str, geometry: Geometry, xyz=(0.0, 0.0, 0.0), rpy=(0.0, 0.0, 0.0), fixed: bool = True) -> Placement:
    inertia = Inertia(1.0, (0, 0, 0), (0.01, 0, 0, 0.01, 0, 0.01))
    robot = Robot(name, (Link(name, inertia, collisions=(Collision(geometry),)),))
    return Placement(name, robot, SE3.from_xyz_rpy(xyz, rpy), fixed=fixed)


def floor() -> Placement:
    return thing("floor", Plane((0.0, 0.0, 1.0)))


def scene_of(
    *things: Placement, robot: Robot | None = None, at: SE3 | None = None, engine: str = "mujoco", gravity: float = 9.81
) -> tuple[Engine, Scene]:
    """A welded carrier among things; it can be put elsewhere by `engine.set_base`."""
    world = World("room", models=things, gravity=(0.0, 0.0, -gravity))
    placed = Placement("carrier", robot or carrier(), SE3.from_xyz_rpy((0, 0, 0.3)) if at is None else at, fixed=True)
    made = engine_class(engine)(world, (placed,), Settings(dt=0.002))
    model = made.model_index("carrier")
    made.set_base(model, placed.pose.vector)
    return made, Scene(made, model)
