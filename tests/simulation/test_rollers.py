"""Mecanum wheels without rollers in their file move a base as if they had them; casters and balls hardly hold."""

from dataclasses import replace

import numpy as np
import pytest
from tests.kinematics.wheels.samples import body, fork, mecanum_robot, robot, wheel

import andante as an
from andante.control.body import BodyCommand
from andante.description import Box, Collision, Dynamics, Inertia, Limits, Robot, Sphere, Surface
from andante.geometry import SE3
from andante.simulation.motors import SHARE
from andante.simulation.rollers import CASTER_GRIP, HAIR, roller_drive, with_plain_wheels

ENGINES = ["mujoco", "bullet", "dart", "ode"]


def driven(engine: str, twist: tuple[float, float, float], seconds: float = 1.5, push: bool = False) -> np.ndarray:
    sim = an.simulate(mecanum_robot(), engine=engine)
    sim.write(BodyCommand(twist=np.array(twist)))
    sim.run(0.5)
    if push:
        sim.push(sim.robot.root, (0.0, 0.0, 3.0))
    before = sim.base_pose.copy()
    sim.run(seconds)
    moved = (sim.base_pose - before)[:3]
    sim.close()
    return moved


@pytest.mark.parametrize("engine", ENGINES)
def test_it_goes_sideways(engine):
    moved = driven(engine, (0.0, 0.3, 0.0))
    assert moved == pytest.approx([0.0, 0.45, 0.0], abs=0.02)


def test_it_goes_ahead_and_turns():
    assert driven("mujoco", (0.3, 0.0, 0.0)) == pytest.approx([0.45, 0.0, 0.0], abs=0.02)
    sim = an.simulate(mecanum_robot())
    sim.write(BodyCommand(twist=np.array([0.0, 0.0, 1.0])))
    sim.run(2.0)
    assert sim.base_velocity == pytest.approx([0, 0, 0, 0, 0, 1.0], abs=0.05)


def test_a_push_on_the_same_link_acts_and_ends():
    assert driven("mujoco", (0.0, 0.3, 0.0), push=True)[:2] == pytest.approx([0.0, 0.45], abs=0.03)


def test_other_wheels_keep_their_friction():
    four = robot(
        "four", [wheel(n, x, y) for n, x, y in (("a", 0.1, 0.1), ("b", 0.1, -0.1), ("c", -0.1, 0.1), ("d", -0.1, -0.1))]
    )
    assert roller_drive(four) is None
    assert with_plain_wheels(four) is four
    assert roller_drive(an.robot("waffle")) is None
    surfaces = [c.surface.mu for link in with_plain_wheels(mecanum_robot()).links for c in link.collisions]
    assert surfaces.count(0.0) == 4


def frictions(made: Robot, link: str) -> list[float | None]:
    return [each.surface.mu for each in with_plain_wheels(made).link(link).collisions]


def test_a_wheel_on_a_free_fork_hardly_holds() -> None:
    pieces = [wheel("l", 0.0, 0.2), wheel("r", 0.0, -0.2), fork("swivel", 0.2, 0.0, 0.08)]
    made = robot("cart", [*pieces, wheel("caster", -0.03, 0.0, parent="swivel_link", z=-0.03)])
    assert frictions(made, "caster_link") == [CASTER_GRIP]
    assert frictions(made, "l_link") == [None]


def test_a_body_that_nothing_else_holds_leans_on_an_edge_that_hardly_holds() -> None:
    made = robot("cart", [wheel("l", 0.0, 0.2), wheel("r", 0.0, -0.2)])
    low = made.link("base").collisions[0]
    assert frictions(made, "base") == [CASTER_GRIP]
    high = replace(low, pose=SE3.from_xyz_rpy((0, 0, 1.0)))
    assert frictions(
        robot("cart", [wheel("l", 0, 0.2), wheel("r", 0, -0.2)], base=replace(body(), collisions=(high,))), "base"
    ) == [None]


def test_balls_of_the_body_that_touch_the_ground_hardly_hold_unless_their_file_says() -> None:
    ball = Collision(Sphere(0.02), SE3.from_xyz_rpy((0.15, 0, 0.02)))
    rough = replace(ball, surface=Surface(mu=0.7))
    base = body()
    base = replace(base, collisions=(*base.collisions, ball, rough))
    made = robot("cart", [wheel("l", 0.0, 0.2), wheel("r", 0.0, -0.2)], base=base)
    assert frictions(made, "base") == [None, CASTER_GRIP, 0.7]


def flush(*shapes: Collision, x: float = 0.0) -> Robot:
    """A cart on two wheels, shapes of its body on the ground."""
    made = body()
    return robot("cart", [wheel("l", x, 0.2), wheel("r", x, -0.2)], base=replace(made, collisions=shapes))


def lows(made: Robot) -> list[float]:
    """How much higher than in the file its body's shapes stand [m]."""
    before, after = made.link("base").collisions, with_plain_wheels(made).link("base").collisions
    return [float(b.pose.translation[2] - a.pose.translation[2]) for a, b in zip(before, after, strict=True)]


def test_a_body_that_is_drawn_down_to_the_floor_is_lifted_so_that_wheels_carry() -> None:
    plate = Collision(Box((0.4, 0.3, 0.1)), SE3.from_xyz_rpy((0.0, 0.0, 0.05)))
    ball = Collision(Sphere(0.02), SE3.from_xyz_rpy((-0.3, 0.0, 0.02)))
    assert lows(flush(plate)) == pytest.approx([HAIR], abs=1e-6)
    assert lows(flush(ball)) == [0.0]  # the wheels and it carry together
    assert lows(flush(ball, plate, x=0.05)) == pytest.approx([0.0, HAIR], abs=1e-6)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_body_on_the_floor_does_not_keep_a_base_from_driving(engine: str) -> None:
    plate = Collision(Box((0.3, 0.3, 0.1)), SE3.from_xyz_rpy((0.0, 0.0, 0.05)))
    sim = an.simulate(flush(plate), engine=engine)
    sim.write(BodyCommand(twist=np.array([0.2, 0.0, 0.0])))
    sim.run(3.0)
    assert sim.base_pose[0] == pytest.approx(0.6, abs=0.06)
    sim.close()


def geared(joint: str, made: Robot, **dynamics: float) -> Robot:
    change = replace(made.joint(joint), dynamics=Dynamics(**dynamics))
    return replace(made, joints=tuple(change if each.name == joint else each for each in made.joints))


def test_wheels_that_weigh_next_to_nothing_get_the_rotor_of_a_motor() -> None:
    heavy = replace(body(), inertia=Inertia(50.0, (0, 0, 0.08), (1, 0, 0, 1, 0, 1)))
    made = robot("cart", [wheel("l", 0.0, 0.2), wheel("r", 0.0, -0.2)], base=heavy)
    ready = with_plain_wheels(made)
    share = SHARE * made.mass * 0.05**2 / 2
    assert [ready.joint(name).dynamics.armature for name in "lr"] == pytest.approx([share - 2e-4] * 2)
    assert with_plain_wheels(geared("l", made, armature=0.004)).joint("l").dynamics.armature == 0.004
    light = robot("cart", [wheel("l", 0.0, 0.2), wheel("r", 0.0, -0.2)])
    assert with_plain_wheels(light).joint("l").dynamics.armature == 0.0  # heavy enough for what they move


def test_friction_that_a_motor_is_tuned_against_is_left_out_unless_its_effort_is_stated() -> None:
    made = robot("cart", [wheel("l", 0.0, 0.2), wheel("r", 0.0, -0.2)])
    stiff = geared("l", made, friction=50.0, damping=20.0)
    assert with_plain_wheels(stiff).joint("l").dynamics.friction == 0.0
    limited = replace(stiff.joint("l"), limits=Limits(effort=10.0))
    stuck = replace(stiff, joints=tuple(limited if each.name == "l" else each for each in stiff.joints))
    assert with_plain_wheels(stuck).joint("l").dynamics.friction == 50.0
    assert with_plain_wheels(geared("l", made, friction=0.01)).joint("l").dynamics.friction == 0.01
