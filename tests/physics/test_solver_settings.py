"""Every setting that an engine claims has a physical effect, most of them the one that can be computed."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import mujoco
import numpy as np
import pytest

from andante.description import Collision, Placement, Robot, SolverSettings, Surface, World
from andante.description.link import IDENTITY
from andante.description.shapes import Box, Plane
from andante.errors import BadInput
from andante.geometry import SE3
from andante.gravity import GRAVITY
from andante.physics import ENGINES, Engine, Settings, engine_class
from andante.physics.checks import specimens
from andante.physics.solver import check_settings, lacking, resolved, surface_notes, world_notes, world_step
from andante.simulation import simulate

NAMES = ("mujoco", "bullet", "dart", "ode")
SIZE = (0.2, 0.2, 0.1)
HALF = SIZE[2] / 2
MU = 0.5
PLAIN = Surface()


def block(surface: Surface = PLAIN, mass: float = 1.0, name: str = "block", pose: SE3 = IDENTITY) -> Robot:
    made = specimens.block(mass, SIZE, name=name)
    shape = Collision(Box(SIZE), pose, surface)
    return replace(made, links=(replace(made.links[0], collisions=(shape,)),))


def scene(
    engine: str,
    surface: Surface = PLAIN,
    height: float = HALF,
    gravity: tuple[float, float, float] = (0.0, 0.0, -GRAVITY),
    yaw: float = 0.0,
    solver: SolverSettings | None = None,
    floor: Surface = PLAIN,
    **given: Any,
) -> Engine:
    """A block (model 1) on a plane (model 0), or as deep in it as its height says."""
    ground = specimens.solid("ground", Plane())
    ground = replace(ground, links=(replace(ground.links[0], collisions=(Collision(Plane(), surface=floor),)),))
    at = SE3.from_xyz_rpy((0, 0, height), (0, 0, yaw))
    world = World("w", (Placement("ground", ground, fixed=True),), gravity)
    return engine_class(engine)(world, [Placement("block", block(surface), at)], solver or SolverSettings(**given))


def depth(made: Engine, steps: int = 1000) -> float:
    """How deep the block rests [m]."""
    made.step(steps)
    return HALF - float(made.body_poses(1)[0][2])


def stack_error(engine: str, **given: Any) -> float:
    """How far the top of a stack of six blocks is off, each twice as heavy as the one below [m]."""
    blocks = [
        Placement(f"b{i}", block(mass=2.0**i, name=f"b{i}"), SE3.from_xyz_rpy((0, 0, HALF + SIZE[2] * i)))
        for i in range(6)
    ]
    made = engine_class(engine)(specimens.world(specimens.ground()), blocks, SolverSettings(**given))
    made.step(300)
    return abs(float(made.body_poses(6)[0][2]) - (HALF + 5 * SIZE[2]))


# ---- nothing asked, nothing changed ------------------------------------------------------------------------------
@pytest.mark.parametrize("name", NAMES)
def test_stating_what_an_engine_does_by_itself_changes_no_bit(name: str) -> None:
    own = {key: value for key, value in (engine_class(name).solver or {}).items() if value is not None}
    if name == "ode":
        del own["cfm"]  # its own differs between joints and contacts
    world = replace(specimens.world(specimens.ground()), physics=SolverSettings(dt=0.002, **own))
    tangle = [Placement("t", specimens.tangle(), SE3.from_xyz_rpy((0, 0, 0.4)))]
    ends = []
    for place in (specimens.world(specimens.ground()), world):
        made = engine_class(name)(place, tangle)
        made.step(150)
        ends.append(made.body_poses(1).copy())
        made.close()
    np.testing.assert_array_equal(*ends)


# ---- which counts ------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("asked", "step"),
    [
        (None, 0.002),
        (0.001, 0.001),
        (0.002, 0.002),
        (0.01, 0.002),
        (0.0015, 0.01 / 7),
        (0.0005, 0.0005),
        (0.003, 0.002),
    ],
)
def test_a_world_has_its_step_where_it_is_no_longer_than_the_usual_one(asked: float | None, step: float) -> None:
    assert world_step(asked) == pytest.approx(step, rel=1e-12)
    periods = 0.01 / world_step(asked)
    assert periods == pytest.approx(round(periods), abs=1e-6)


def test_explicit_settings_come_before_those_of_the_world() -> None:
    world = SolverSettings(dt=0.001, iterations=40, erp=0.3, friction=0.4)
    assert resolved(world, None) == Settings(dt=0.001, iterations=40, erp=0.3, friction=0.4)
    assert resolved(world, SolverSettings(erp=0.5, dt=0.005)) == Settings(0.005, 40, erp=0.5, friction=0.4)
    assert resolved(world, Settings(iterations=7)) == Settings(0.002, 7, erp=0.3)  # complete ones have a step


def test_the_world_of_a_simulation_counts_and_an_argument_counts_more() -> None:
    world = World("w", physics=SolverSettings(dt=0.001, iterations=17))
    with_world = simulate("waffle", world)
    assert (with_world.engine.dt, with_world.engine.settings.iterations) == (0.001, 17)
    assert simulate("waffle", world, dt=0.0005).engine.dt == 0.0005
    assert simulate("waffle", world, solver={"dt": 0.002, "solver.iterations": 9}).engine.settings.iterations == 9


def test_the_old_name_of_the_argument_still_works() -> None:
    with pytest.warns(DeprecationWarning, match="argument 'settings' of simulate is solver now"):
        made = simulate("waffle", settings=Settings(iterations=9))  # type: ignore[call-arg]
    assert made.engine.settings.iterations == 9


@pytest.mark.parametrize("name", NAMES)
def test_what_an_engine_lacks_is_told_for_a_world_and_refused_for_a_user(name: str) -> None:
    kind = engine_class(name)
    asked = SolverSettings(**{key: 0.1 for key in ("cfm", "erp", "sor", "impratio") if key not in (kind.solver or {})})
    assert set(lacking(kind, asked)) == set(asked.stated)
    (note,) = world_notes(kind, World("w", physics=asked))
    assert all(key in note.message for key in asked.stated)
    assert name in note.message
    with pytest.raises(BadInput, match=rf"engine '{name}' has no solver\.\w+; it has solver\.dt"):
        check_settings(kind, asked)
    made = kind(World("w", physics=asked), [Placement("b", block())])
    assert any("which the world asks for" in problem.message for problem in made.problems)
    made.close()


def test_a_method_of_another_engine_is_refused_with_those_that_there_are() -> None:
    with pytest.raises(BadInput, match=r"'mujoco' has no solver.method=quick; it has newton, cg, pgs"):
        simulate("waffle", solver={"method": "quick"})


@pytest.mark.parametrize(("asked", "words"), [(0.01, "is longer than 0.002 s"), (0.0015, "does not divide")])
def test_a_step_that_is_not_taken_is_told(asked: float, words: str) -> None:
    world = World("w", physics=SolverSettings(dt=asked))
    (note,) = world_notes(engine_class("mujoco"), world)
    assert words in note.message
    assert world_notes(engine_class("mujoco"), world, SolverSettings(dt=0.001)) == []


def test_surfaces_that_say_more_than_an_engine_can_are_counted() -> None:
    told = Surface(mu=0.5, mu2=0.1, fdir1=(1, 0, 0), slip1=0.1)
    (note,) = surface_notes(engine_class("mujoco"), [block(told)])
    assert note == "engine 'mujoco' does not use mu2 (1 surface), fdir1 (1 surface), slip1 (1 surface)"
    assert surface_notes(engine_class("ode"), [block(told)]) == []
    assert surface_notes(engine_class("mujoco"), [block(Surface(mu=0.5, mu2=0.5, fdir1=(1, 0, 0)))]) == []
    (note,) = surface_notes(engine_class("ode"), [block(Surface(mu=0.5, mu2=0.1))])
    assert "mu2 without fdir1" in note


def test_an_engine_that_says_nothing_takes_everything() -> None:
    class Silent(engine_class("mujoco")):  # type: ignore[misc]
        solver = None

    check_settings(Silent, SolverSettings(cfm=0.1, method="quick"))


def test_every_engine_that_ships_says_what_it_has() -> None:
    known = set(SolverSettings().__dataclass_fields__)
    for name in ENGINES:
        kind = engine_class(name)
        assert kind.solver is not None
        assert set(kind.solver) <= known
        assert set(kind.surface) <= set(vars(Surface()))


# ---- steps -------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("step", [0.001, 0.005])
def test_a_step_falls_by_g_h_squared(name: str, step: float) -> None:
    made = scene(name, height=1.0, dt=step)
    made.step(10)
    fallen = 1.0 - made.body_poses(1)[0][2]
    assert fallen == pytest.approx(GRAVITY * step**2 * 10 * 11 / 2, rel=2e-2)  # semi-implicit Euler
    assert made.time == pytest.approx(10 * step)


# ---- solvers -----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("name", "rough", "fine"),
    [
        ("ode", {"iterations": 3}, {"iterations": 200}),
        ("ode", {"iterations": 10}, {"method": "world"}),
        ("ode", {"iterations": 10, "sor": 0.3}, {"iterations": 10, "sor": 1.3}),
        ("bullet", {"iterations": 3}, {"iterations": 200}),
        ("bullet", {"tolerance": 1.0}, {"tolerance": 1e-4}),
        ("dart", {"method": "pgs", "iterations": 5}, {"method": "pgs", "iterations": 100}),
        ("dart", {"method": "pgs", "iterations": 30}, {"method": "dantzig"}),
        ("dart", {"method": "pgs", "iterations": 100, "tolerance": 0.1}, {"method": "pgs", "iterations": 100}),
        ("mujoco", {"method": "pgs", "iterations": 3}, {"method": "pgs", "iterations": 100}),
        ("mujoco", {"iterations": 1}, {"iterations": 30}),
        ("mujoco", {"method": "cg", "iterations": 2}, {"method": "cg", "iterations": 30}),
    ],
)
def test_a_better_solver_carries_a_stack_better(name: str, rough: dict[str, Any], fine: dict[str, Any]) -> None:
    assert stack_error(name, **fine) < 0.6 * stack_error(name, **rough)


@pytest.mark.parametrize(
    ("loose", "tight"), [({"tolerance": 0.5}, {}), ({"ls_tolerance": 0.99, "ls_iterations": 1}, {})]
)
def test_mujoco_ends_where_it_is_told(loose: dict[str, Any], tight: dict[str, Any]) -> None:
    """A loose tolerance needs fewer iterations of the solver, a poor line search more."""

    def iterations(**given: Any) -> int:
        made = scene("mujoco", Surface(mu=MU), gravity=(6.0, 1.0, -GRAVITY), method="cg", **given)
        total = 0
        for _ in range(50):
            made.step()
            total += int(made.data.solver_niter[0])  # type: ignore[attr-defined]
        return total

    if "tolerance" in loose:
        assert iterations(**loose) < iterations(**tight)
    else:
        assert iterations(**loose) > iterations(**tight)


def creep(**given: Any) -> float:
    """How far a block at rest creeps down in a second under a side force of 0.4 of its weight [m]."""
    made = scene("mujoco", Surface(mu=1.0), gravity=(4.0, 0.0, -GRAVITY), **given)
    made.step(500)
    before = made.body_poses(1)[0][0]
    made.step(500)
    return float(made.body_poses(1)[0][0] - before)


def test_mujoco_creeps_inversely_to_impratio_and_not_without_slip() -> None:
    assert creep(impratio=1.0) / creep(impratio=100.0) == pytest.approx(100.0, rel=1e-3)
    assert creep(noslip_iterations=50) < 1e-3 * creep()


@pytest.mark.parametrize(("cone", "share"), [("elliptic", 1.0), ("pyramidal", 1 / math.sqrt(2))])
def test_mujoco_slides_as_its_cone_has_it(cone: str, share: float) -> None:
    """A pyramid inscribed in the cone has 1/sqrt 2 of the friction between its directions."""
    made = scene("mujoco", Surface(mu=MU), gravity=(5.0, 5.0, -GRAVITY), floor=Surface(mu=MU), cone=cone)
    made.step(500)
    expected = 5.0 * math.sqrt(2) - share * MU * GRAVITY
    assert np.hypot(*made.body_velocities(1)[0][:2]) == pytest.approx(expected, abs=0.1)


@pytest.mark.parametrize("cone", ["elliptic", "pyramidal"])
def test_contact_forces_carry_the_weight_whatever_the_cone(cone: str) -> None:
    made = scene("mujoco", Surface(mu=1.0), gravity=(4.0, 1.0, -GRAVITY), cone=cone)
    made.step(500)
    np.testing.assert_allclose(made.contacts_of(1).force.sum(axis=0), [-4.0, -1.0, GRAVITY], atol=1e-3)


def test_mujoco_integrates_as_asked() -> None:
    """A double pendulum at 10 ms: RK4 keeps its energy, one of first order does not."""

    def swing(integrator: str) -> float:
        pendulum = Placement("p", specimens.chain(2, 1.0, 1.0), fixed=True)
        made = engine_class("mujoco")(specimens.world(), [pendulum], SolverSettings(dt=0.01, integrator=integrator))
        made.set_joints(0, [1.5, 0.5])
        model, data = made.mj_model, made.data  # type: ignore[attr-defined]
        model.opt.enableflags |= int(mujoco.mjtEnableBit.mjENBL_ENERGY)
        total = []
        for _ in range(2):
            mujoco.mj_forward(model, data)
            total.append(float(data.energy.sum()))
            made.step(300)
        return abs(total[-1] - total[0])

    assert swing("rk4") < 0.01 * swing("implicitfast")


# ---- contacts ----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("cfm", "erp"), [(1e-2, 0.2), (1e-2, 0.8), (3e-3, 0.2)])
def test_ode_rests_as_deep_as_cfm_and_erp_say(cfm: float, erp: float) -> None:
    """At rest CFM f = ERP/h (d - layer), f the force of each of four points: d = layer + CFM h m g / (4 ERP)."""
    made = scene("ode", height=HALF - 1e-3, cfm=cfm, erp=erp, surface_layer=1e-4, max_correcting_velocity=0.05)
    assert depth(made) == pytest.approx(1e-4 + cfm * 0.002 * GRAVITY / 4 / erp, rel=0.1)


@pytest.mark.parametrize("erp", [0.1, 0.5])
def test_bullet_rests_deeper_with_more_cfm_and_less_erp(erp: float) -> None:
    """Depth is proportional to CFM, and falls with ERP."""
    soft, hard = (depth(scene("bullet", cfm=cfm, erp=erp)) for cfm in (0.02, 0.01))
    assert soft / hard == pytest.approx(2.0, rel=0.05)
    assert depth(scene("bullet", cfm=0.02, erp=erp + 0.3)) < 0.7 * soft


def test_the_surface_layer_is_left_alone() -> None:
    assert depth(scene("bullet", surface_layer=2e-3)) == pytest.approx(2e-3, rel=0.02)
    slow = {"height": HALF - 5e-3, "max_correcting_velocity": 0.02}
    assert depth(scene("ode", surface_layer=2e-3, **slow)) == pytest.approx(2e-3, rel=0.05)


def pop(made: Engine) -> float:
    """Fastest speed at which a block that overlaps the ground is pushed out, without gravity [m/s]."""
    best = 0.0
    for _ in range(30):
        made.step()
        best = max(best, float(made.body_velocities(1)[0][2]))
    return best


@pytest.mark.parametrize("speed", [0.05, 0.4])
def test_ode_parts_bodies_no_faster_than_told(speed: float) -> None:
    deep: dict[str, Any] = {"height": HALF - 0.03, "gravity": (0.0, 0.0, 0.0)}
    assert pop(scene("ode", max_correcting_velocity=speed, **deep)) == pytest.approx(speed, rel=1e-3)
    assert pop(scene("ode", Surface(max_velocity=speed), **deep)) == pytest.approx(speed, rel=1e-3)
    assert pop(scene("ode", floor=Surface(max_velocity=speed), **deep)) == pytest.approx(speed, rel=1e-3)


@pytest.mark.parametrize("own", [True, False])
def test_min_depth_is_the_rest_depth(own: bool) -> None:
    surface = {"surface" if own else "floor": Surface(min_depth=3e-3)}
    mujoco = depth(scene("mujoco", **surface)) - depth(scene("mujoco"))
    assert mujoco == pytest.approx(3e-3, rel=0.02)
    slow: dict[str, Any] = {"height": HALF - 6e-3, "max_correcting_velocity": 0.02, "surface_layer": 0.0}
    assert depth(scene("ode", **surface, **slow)) == pytest.approx(3e-3, rel=0.05)


def test_damping_beyond_that_of_erp_slows_a_contact_down() -> None:
    """ODE: a block that starts 5 mm deep comes up as exp(-kp t / kd); kd/kp = 0.1 s."""
    soft = Surface(kp=2e4, kd=2e3)
    made = scene("ode", soft, height=HALF - 5e-3, gravity=(0.0, 0.0, 0.0), surface_layer=0.0)
    made.step(50)
    stiff = scene("ode", Surface(kp=2e4), height=HALF - 5e-3, gravity=(0.0, 0.0, 0.0), surface_layer=0.0)
    stiff.step(50)
    assert made.body_velocities(1)[0][2] < 0.2 * stiff.body_velocities(1)[0][2]


@pytest.mark.parametrize("name", ["ode", "bullet"])
@pytest.mark.parametrize("turn", [0.0, math.pi / 2])
@pytest.mark.parametrize("heading", [0, 45, 90])
def test_two_frictions_lead_a_sliding_block_aside(name: str, turn: float, heading: int) -> None:
    """Pulled with 6 N at an angle, friction MU along fdir1 and 0.1 across (a pyramid): each axis by itself."""
    made = scene(
        name,
        Surface(mu=MU, mu2=0.1, fdir1=(1.0, 0.0, 0.0)),
        floor=Surface(mu=MU),
        gravity=(6 * math.cos(math.radians(heading)), 6 * math.sin(math.radians(heading)), -GRAVITY),
        yaw=turn,
    )
    made.step(500)
    pull = np.array([math.cos(math.radians(heading)), math.sin(math.radians(heading))]) * 6
    held = np.array([MU, 0.1])[:: -1 if turn else 1] * GRAVITY
    np.testing.assert_allclose(made.body_velocities(1)[0][:2], np.maximum(pull - held, 0.0), atol=0.3)


def test_a_direction_in_the_frame_of_the_shape_turns_with_it() -> None:
    """fdir1 along x of a collision that is turned by 90 degrees is y of the body; of a floor that is turned, too."""
    turned = SE3.from_xyz_rpy((0, 0, 0), (0, 0, math.pi / 2))
    told = Surface(mu=MU, mu2=0.1, fdir1=(1.0, 0.0, 0.0))
    pull = (0.0, 6.0, -GRAVITY)
    for name in ("ode", "bullet"):
        ground = specimens.solid("ground", Plane(), mu=MU)
        world = World("w", (Placement("ground", ground, fixed=True),), pull)
        at = SE3.from_xyz_rpy((0, 0, HALF))
        made = engine_class(name)(world, [Placement("b", block(told, pose=turned), at)])
        made.step(500)
        assert made.body_velocities(1)[0][1] == pytest.approx(6 - MU * GRAVITY, abs=0.2), name
        floor = replace(ground, links=(replace(ground.links[0], collisions=(Collision(Plane(), surface=told),)),))
        made = engine_class(name)(
            replace(world, models=(Placement("g", floor, turned, True),)), [Placement("b", block(Surface(mu=MU)), at)]
        )
        made.step(500)
        assert made.body_velocities(1)[0][1] == pytest.approx(6 - MU * GRAVITY, abs=0.2), name


def test_bullet_tells_of_a_direction_that_is_no_axis() -> None:
    made = scene("bullet", Surface(mu=MU, mu2=0.1, fdir1=(1.0, 1.0, 0.0)))
    assert any("fdir1 is no axis" in problem.message for problem in made.problems)


def test_ode_slips_by_the_force() -> None:
    """v = slip f with f the force of each of the four points."""
    made = scene("ode", Surface(mu=1.0, slip1=0.2, slip2=0.2), gravity=(2.0, 0.0, -GRAVITY))
    made.step(500)
    assert made.body_velocities(1)[0][0] == pytest.approx(0.2 * 2.0 / 4, rel=0.05)
    assert abs(depth(scene("ode", Surface(mu=1.0), gravity=(2.0, 0.0, -GRAVITY)))) < 1e-3


@pytest.mark.parametrize("name", NAMES)
def test_friction_where_no_surface_names_any(name: str) -> None:
    made = scene(name, gravity=(6.0, 0.0, -GRAVITY), friction=0.3)
    made.step(500)
    assert made.body_velocities(1)[0][0] == pytest.approx(6.0 - 0.3 * GRAVITY, rel=0.02)


@pytest.mark.parametrize("name", NAMES)
def test_what_an_engine_says_beside_its_name_is_what_its_class_has(name: str) -> None:
    entry, kind = ENGINES[name], engine_class(name)
    assert entry.solver == tuple(kind.solver or ())
    assert (entry.methods, entry.surface) == (kind.methods, kind.surface)
