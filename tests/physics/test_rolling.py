"""A ball that rolls is braked alike on all engines, by a = rho g / (r (1 + 2/5))."""

import numpy as np
import pytest

from andante.description import Inertia, Link, Placement, Robot, World
from andante.description.link import Collision, Surface
from andante.description.shapes import Plane, Sphere
from andante.geometry import SE3
from andante.physics import engine_class

RADIUS, MASS, SPEED = 0.04, 0.05, 0.8


def ball(rolling):
    moment = 0.4 * MASS * RADIUS**2
    return Robot(
        "ball",
        (Link("ball", Inertia(MASS, moments=(moment, 0, 0, moment, 0, moment)),
              collisions=(Collision(Sphere(RADIUS), surface=Surface(mu=0.6, rolling=rolling)),)),),
    )  # fmt: skip


def run(engine, rolling, seconds=1.0):
    ground = Robot("ground", (Link("ground", collisions=(Collision(Plane(), surface=Surface(mu=0.8)),)),))
    world = World("w", (Placement("ground", ground, fixed=True),))
    placed = Placement("ball", ball(rolling), SE3.from_parts(np.eye(3), (0, 0, RADIUS)))
    made = engine_class(engine)(world, [placed])
    index = next(k for k, m in enumerate(made.models) if m.name == "ball")
    made.step(50)
    pose = made.base_pose(index)
    made.set_base(index, pose, [SPEED, 0, 0, 0, SPEED / RADIUS, 0])
    began = np.array(made.base_pose(index))
    made.step(round(seconds / made.dt))
    here, velocity = np.array(made.base_pose(index)), np.array(made.base_velocity(index))
    made.close()
    return float(here[0] - began[0]), velocity


@pytest.mark.parametrize("engine", ["mujoco", "bullet", "dart", "ode"])
def test_a_rolling_ball_is_braked_as_its_surface_says(engine):
    way, _ = run(engine, None)
    assert way == pytest.approx(SPEED, rel=0.03)  # nothing brakes
    share = 0.8 if engine == "bullet" else 1.0  # it multiplies by the sliding friction of the other surface
    for rho, near in ((0.0015, 0.06), (0.02, 0.25)):  # friction of MuJoCo is soft: a hard brake creeps
        brake = share * rho * 9.81 / (RADIUS * 1.4)
        time = min(1.0, SPEED / brake)
        way, velocity = run(engine, rho)
        assert way == pytest.approx(SPEED * time - 0.5 * brake * time**2, rel=near)
        assert velocity[0] == pytest.approx(SPEED - brake * time, abs=0.03)  # it stops, and does not roll back
