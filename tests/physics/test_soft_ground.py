"""Soft and slippery patches of ground against statics, and MuJoCo's own words about contacts."""

from __future__ import annotations

import math
from pathlib import Path

import mujoco
import numpy as np
import pytest

from andante.description import Collision, Link, Placement, Robot, Surface, World, load_robot, load_world
from andante.description.inertia import Inertia
from andante.description.shapes import Box, Geometry, Sphere
from andante.geometry import SE3
from andante.gravity import GRAVITY
from andante.physics import Engine, engine_class
from andante.physics.mujoco.engine import MujocoEngine
from andante.physics.mujoco.softness import pair_softness, plain_softness, spring
from andante.physics.surfaces import with_springs

LAYER = {"bullet": 1e-5, "ode": 2e-4}  # depth that an engine leaves alone [m]
PATCHES = """<sdf version="1.7"><world name="patches">
  <model name="floor"><static>true</static><link name="floor"><collision name="c">
    <pose>0 0 -0.1 0 0 0</pose><geometry><box><size>2 2 0.2</size></box></geometry>
    <surface><friction><ode><mu>0.8</mu><mu2>0.8</mu2></ode></friction></surface></collision></link></model>
  <model name="soft"><static>true</static><link name="soft"><collision name="c">
    <pose>2 0 -0.1 0 0 0</pose><geometry><box><size>1 1 0.2</size></box></geometry>
    <surface><friction><ode><mu>0.8</mu><mu2>0.8</mu2></ode></friction>
      <contact><ode><kp>2000</kp></ode></contact></surface></collision></link></model>
  <model name="slippery"><static>true</static><link name="slippery"><collision name="c">
    <pose>-2 0 -0.1 0 0 0</pose><geometry><box><size>1 1 0.2</size></box></geometry>
    <surface><friction><ode><mu>0.3</mu><mu2>0.3</mu2></ode></friction></surface></collision></link></model>
</world></sdf>"""


def body(geometry: Geometry, mass: float = 1.0, surface: Surface = Surface()) -> Robot:  # noqa: B008
    inertia = Inertia(mass, (0.0, 0.0, 0.0), (0.004 * mass, 0.0, 0.0, 0.004 * mass, 0.0, 0.004 * mass))
    return Robot("body", (Link("body", inertia, collisions=(Collision(geometry, surface=surface),)),))


@pytest.fixture(scope="module")
def patches(tmp_path_factory: pytest.TempPathFactory) -> World:
    file = tmp_path_factory.mktemp("worlds") / "patches.sdf"
    file.write_text(PATCHES, encoding="utf-8")
    return load_world(file)


def on(world: World, engine: str, robot: Robot, x: float, tilt: float = 0.0) -> Engine:
    """A body of 0.1 m half height on the ground at x (model 3), which is tilted to -y by an angle."""
    gravity = (0.0, -GRAVITY * math.sin(tilt), -GRAVITY * math.cos(tilt))
    tilted = World(world.name, world.models, gravity)
    return engine_class(engine)(tilted, [Placement("body", robot, SE3.from_xyz_rpy((x, 0, 0.1)))])


@pytest.mark.parametrize("engine", ["mujoco", "bullet", "ode"])
@pytest.mark.parametrize(
    ("geometry", "mass", "mu", "points"),
    [
        (Sphere(0.1), 1.0, None, 1),
        (Sphere(0.1), 5.0, None, 1),
        (Sphere(0.1), 1.0, 0.3, 1),
        (Box((0.2, 0.2, 0.2)), 1.0, 1.0, 4),
    ],
)
def test_a_weight_sinks_into_a_soft_patch_by_m_g_over_k(
    patches: World, engine: str, geometry: Geometry, mass: float, mu: float | None, points: int
) -> None:
    made = on(patches, engine, body(geometry, mass, Surface(mu=mu)), 2.0)
    made.step(1000)
    deep = 0.1 - float(made.base_pose(3)[2]) - LAYER.get(engine, 0.0)
    assert deep == pytest.approx(mass * GRAVITY / (points * 2000.0), rel=0.03)
    assert abs(made.base_velocity(3)[2]) < 1e-3
    made.close()


@pytest.mark.parametrize("engine", ["mujoco", "bullet", "dart", "ode"])
def test_a_block_slips_on_the_slippery_patch_and_not_on_the_floor(patches: World, engine: str) -> None:
    """Rough feet (mu 1): the patch lets go at atan 0.3, the floor far later."""
    rough = body(Box((0.2, 0.2, 0.2)), surface=Surface(mu=1.0))
    slipped = {}
    for x, angle in ((-2.0, 0.92), (-2.0, 1.08), (0.0, 1.08)):
        made = on(patches, engine, rough, x, angle * math.atan(0.3))
        made.step(500)
        slipped[x, angle] = -float(made.base_pose(3)[1])
        made.close()
    slope = 1.08 * math.atan(0.3)
    way = (math.sin(slope) - 0.3 * math.cos(slope)) * GRAVITY / 2
    assert slipped[-2.0, 0.92] < 0.01
    assert slipped[-2.0, 1.08] == pytest.approx(way, rel=0.15)
    assert slipped[0.0, 1.08] < 0.01


def test_a_spring_is_never_shorter_than_two_steps_nor_less_than_critical() -> None:
    (stiffness, damping), (d, *_) = spring(2000.0, 0.0, 1.0, 0.002)
    assert (stiffness, d) == (-1000.0, 0.5)
    assert damping == pytest.approx(-2 * math.sqrt(1000.0))
    (stiffness, _), (d, *_) = spring(1e9, 0.0, 1.0, 0.002)
    assert (stiffness, d) == (-62500.0, 0.9)
    (_, damping), _ = spring(2000.0, 400.0, 1.0, 0.002)
    assert damping == -200.0
    assert plain_softness(Surface(), 0.002) == [0.01, 1.0]


def test_springs_of_two_sides_are_in_series_and_mujocos_words_come_first() -> None:
    both = pair_softness(Surface(kp=2000.0), Surface(kp=2000.0), 1.0, 0.002)
    assert both == pair_softness(Surface(kp=1000.0), Surface(), 1.0, 0.002)
    named = pair_softness(Surface(kp=2000.0, solref=(0.04, 1.0)), Surface(solref=(0.02, 1.0)), 1.0, 0.002)
    assert named is not None
    np.testing.assert_allclose(named[0], [0.03, 1.0])
    assert pair_softness(Surface(), Surface(mu=0.2), 1.0, 0.002) is None


MODEL = """<mujoco model="m"><default><geom solref="0.03 0.9"/></default><worldbody>
  <body name="b" pos="0 0 1"><freejoint/>
    <geom name="plain" size="0.1"/>
    <geom name="own" pos="0.5 0 0" size="0.1" solref="-500 -40" solimp="0.8 0.9 0.002 0.5 2"
          margin="0.003" gap="0.001"/>
  </body></worldbody></mujoco>"""


@pytest.fixture
def model(tmp_path: Path) -> Robot:
    file = tmp_path / "m.xml"
    file.write_text(MODEL, encoding="utf-8")
    return load_robot(file)


def test_words_of_mjcf_reach_mujoco_geom_by_geom(model: Robot) -> None:
    plain, own = (collision.surface for collision in model.links[-1].collisions)
    assert (plain.solref, plain.solimp, plain.margin) == ((0.03, 0.9), None, None)
    assert (own.solref, own.margin, own.gap) == ((-500.0, -40.0), 0.003, 0.001)
    made = MujocoEngine(World("w"), [Placement("m", model)])
    np.testing.assert_allclose(made.mj_model.geom_solref, [[0.03, 0.9], [-500, -40]])
    np.testing.assert_allclose(made.mj_model.geom_solimp[1], [0.8, 0.9, 0.002, 0.5, 2])
    np.testing.assert_allclose(made.mj_model.geom_margin, [0, 0.003])
    np.testing.assert_allclose(made.mj_model.geom_gap, [0, 0.001])
    np.testing.assert_array_equal(made.mj_model.geom_solimp[0], mujoco.MjSpec().default.geom.solimp)


def test_other_engines_get_the_spring_that_a_contact_of_mujoco_is(model: Robot) -> None:
    """At rest on the ground the file's own engine and the spring agree: m g / kp."""
    mass, d = 1.0, 0.9
    ball = body(Sphere(0.1), mass, Surface(mu=0.8, solref=(-500.0, -40.0), solimp=(d, d, 0.001, 0.5, 2.0)))
    surface = with_springs(ball, ("kp",)).links[0].collisions[0].surface
    assert surface.kp == pytest.approx(5000.0)
    assert surface.kd == pytest.approx(400.0)
    assert with_springs(ball, ("kp", "solimp")) is ball
    ground = World("w", (Placement("ground", body(Box((2, 2, 0.2))), SE3.from_xyz_rpy((0, 0, -0.1)), fixed=True),))
    for engine in ("mujoco", "bullet", "ode"):
        made = engine_class(engine)(ground, [Placement("ball", ball, SE3.from_xyz_rpy((0, 0, 0.1)))])
        made.step(1500)
        deep = 0.1 - float(made.base_pose(1)[2]) - LAYER.get(engine, 0.0)
        assert deep == pytest.approx(mass * GRAVITY / 5000.0, rel=0.03), engine
        made.close()


@pytest.mark.parametrize("ending", ["xml", "sdf", "urdf"])
def test_words_of_mjcf_are_written_and_read_again(model: Robot, ending: str, tmp_path: Path) -> None:
    import andante as an

    out = tmp_path / f"again.{ending}"
    an.convert(tmp_path / "m.xml", out)
    again = load_robot(out)
    written = [c.surface for link in again.links for c in link.collisions]
    for before, after in zip(model.links[-1].collisions, written, strict=True):
        for name in ("solref", "solimp", "margin", "gap"):
            assert getattr(after, name) == getattr(before.surface, name), name
