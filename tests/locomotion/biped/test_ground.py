"""Ground that is not flat: planes, what feet tell of it, and walks on slopes, ramps, edges and bars."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from andante.control.loop import ControlLoop
from andante.control.walking import WalkGoal
from andante.description import Robot, load_robot, load_world
from andante.description.link import Collision, Link, Surface
from andante.description.shapes import Box
from andante.description.shapes import Plane as PlaneShape
from andante.description.world import Placement
from andante.geometry import SE3, so3
from andante.locomotion import Command
from andante.locomotion.behaviour import Readings
from andante.locomotion.biped.ground import FLAT, Ground, Plane
from andante.locomotion.biped.walk import BipedWalk
from andante.locomotion.gaits import Request, prepare
from andante.simulation.simulation import simulate
from andante.tasks.walk import WalkResult, lead

slopes = st.floats(-0.2, 0.2)
angles = st.floats(-3.0, 3.0)


@given(slopes, slopes)
def test_a_sole_on_a_plane_has_its_normal(x: float, y: float) -> None:
    plane = Plane(x, y)
    normal = np.array([-x, -y, 1.0]) / math.sqrt(1.0 + x * x + y * y)
    assert plane.tilt @ [0.0, 0.0, 1.0] == pytest.approx(normal, abs=1e-12)
    assert plane.height(0.3, -0.1) == pytest.approx(0.3 * x - 0.1 * y)


@given(slopes, slopes, angles, angles)
def test_who_turns_sees_the_same_ground(x: float, y: float, yaw: float, bearing: float) -> None:
    """The rise toward one direction is the same, whoever names the direction."""
    plane = Plane(x, y)
    there, seen = bearing, bearing - yaw
    rise = plane.seen(yaw).height(math.cos(seen), math.sin(seen))
    assert rise == pytest.approx(plane.height(math.cos(there), math.sin(there)), abs=1e-12)


def feel(ground: Ground, plane: Plane, seconds: float, along: bool = True, across: bool = True) -> None:
    for _ in range(round(seconds / 0.01)):
        ground.update(plane.roll, plane.pitch, (along, across), 0.01)


@given(slopes, slopes)
def test_a_plane_is_that_of_the_sole_on_it(x: float, y: float) -> None:
    found = Plane.of(Plane(x, y).roll, Plane(x, y).pitch)
    assert (found.x, found.y) == pytest.approx((x, y), abs=1e-12)


def test_a_sole_pressed_at_its_side_tells_the_slope_ahead_alone() -> None:
    ground = Ground(6.0, 0.27)
    feel(ground, Plane(0.1, 0.1), 3.0, across=False)
    assert ground.under.x > 0.08
    assert ground.under.y == 0.0


def test_slopes_are_doubted_where_the_ground_is_uneven() -> None:
    calm, uneven = Ground(6.0, 0.27), Ground(6.0, 0.27)
    for _ in range(100):
        calm.update(0.0, -0.1, (True, True), 0.01)
        uneven.update(0.0, -0.1, (True, True), 0.01, uneven=1.0)
    assert 0.0 < uneven.felt.x < 0.6 * calm.felt.x


def climb(ground: Ground, feet: int, step: float, slope: float, rise: float) -> None:
    """Feet come down one after the other, a step further and so much higher [m], each on a slope; all is uneven."""
    for _ in range(feet):
        ground.change_foot(0.0)
        ground.meet((-step - 0.07, 0.0, -rise - 0.07 * slope), (0.07, 0.0))  # by its toes
        for _ in range(20):
            ground.update(0.0, -math.atan(slope), (True, True), 0.01, uneven=1.0)


def test_feet_that_go_on_to_rise_tell_a_slope_from_a_bar() -> None:
    ramp, bar, top = Ground(6.0, 0.27), Ground(6.0, 0.27), Ground(6.0, 0.27)
    climb(ramp, 6, 0.04, 0.17, 0.04 * 0.17)
    climb(bar, 6, 0.04, 0.17, 0.0)  # tilted they stand, but one as high as the other
    assert ramp.felt.x > 0.1 > 0.08 > bar.felt.x
    feel(top, Plane(0.17, 0.0), 3.0)
    climb(top, 4, 0.04, 0.17, 0.04 * 0.17)
    climb(top, 2, 0.04, 0.0, 0.0)
    doubted = top.felt.x
    climb(top, 8, 0.04, 0.0, 0.0)  # and it is told that the slope has ended
    assert doubted > 0.1 > 0.05 > top.felt.x


def test_where_a_sole_met_the_ground_counts_not_how_it_was_tilted_then() -> None:
    """Level in the air, it touches a ramp with its toes; the heel goes down until it lies."""
    ground = Ground(6.0, 0.27)
    ground.change_foot(0.0)
    toe = 0.07 * 0.17
    ground.meet((-0.11, 0.0, -toe - 0.04 * 0.17), (0.07, 0.0))
    (_, _, z) = ground._feet(Plane(0.17, 0.0))[-1]
    assert z == pytest.approx(-0.04 * 0.17)


def test_a_resting_foot_tells_the_slope_and_one_in_the_air_does_not() -> None:
    ground, slope = Ground(6.0, 0.27), Plane(0.08, -0.05)
    feel(ground, slope, 3.0, along=False, across=False)
    assert (ground.felt, ground.under) == (FLAT, FLAT)
    feel(ground, slope, 3.0)
    size = math.hypot(slope.x, slope.y)
    left = (size - ground.settings.flat) / size  # what is flat enough is left out
    for found in (ground.felt, ground.under):
        assert (found.x, found.y) == pytest.approx((left * slope.x, left * slope.y), abs=2e-3)
    ground.change_foot(0.5 * math.pi)
    assert (ground.under.x, ground.under.y) == pytest.approx((left * slope.y, -left * slope.x), abs=2e-3)


def test_a_foot_that_tips_over_its_edge_is_no_slope() -> None:
    ground = Ground(6.0, 0.27)
    for i in range(40):
        ground.update(0.0, 0.03 * i, (True, True), 0.01)  # 3 rad/s
    assert ground.felt == FLAT


def test_nearly_flat_is_flat() -> None:
    ground = Ground(6.0, 0.27)
    feel(ground, Plane(0.008, -0.005), 2.0)
    assert (ground.felt, ground.under) == (FLAT, FLAT)


CASES = [(5.0, 0.0), (5.0, 180.0), (5.0, 90.0)]
STEEP = [pytest.param(7.0, 45.0 * k, marks=pytest.mark.drill) for k in range(8)]


@pytest.mark.parametrize(("degrees", "way"), [*CASES, *STEEP])
def test_a_nao_walks_on_a_slope_that_it_feels(degrees: float, way: float) -> None:
    """Gravity is turned instead of the ground: the slope goes on for ever, and rises toward `way`."""
    a, d = math.radians(degrees), math.radians(way)
    down = (-math.sin(a) * math.cos(d), -math.sin(a) * math.sin(d), -math.cos(a))
    world = replace(load_world("empty"), gravity=tuple(9.81 * each for each in down))
    ready = prepare(load_robot("nao"), Request("walk"))
    sim = simulate(ready.robot, world, pose=ready.pose, sensors=True, seed=round(way))
    made = ready.walker
    loop = ControlLoop(sim, made, command=lambda state: Command(vx=0.14 if 0.7 < state.time < 6.0 else 0.0))
    lowest = 1.0
    while sim.time < 8.0:
        loop.step()
        _, _, _, x, y, z, w = sim.base_pose
        up = np.array([2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)])
        lowest = min(lowest, float(-up @ down))
    slope = made.ground.felt.seen(-made.odometry.foot[2])
    sim.close()
    assert lowest > math.cos(math.radians(20.0))
    assert made.standing
    assert sim.base_pose[0] == pytest.approx(0.14 * 5.3, rel=0.12)
    rise = math.tan(a) - made.ground.settings.flat
    assert (slope.x, slope.y) == pytest.approx((rise * math.cos(d), rise * math.sin(d)), abs=0.02)


ROUGH = Surface(mu=0.9)


def block(x: float, top: float, length: float, pitch: float = 0.0, height: float = 0.5) -> Collision:
    """A block 4 m wide whose first upper edge lies at x, top [m], and which slopes down by pitch [rad]."""
    axes = so3.from_rpy((0.0, pitch, 0.0))
    middle = np.array([x, 0.0, top]) + axes @ np.array([0.5 * length, 0.0, -0.5 * height])
    return Collision(Box((length, 4.0, height)), SE3.from_parts(axes, middle), ROUGH)


def walked(blocks: list[Collision], floor: float, seed: int = 1) -> tuple[WalkResult, float]:
    """A NAO walks 0.9 m at 40 % over blocks at x = 0.3 m; what came of it, and how high its root went [m]."""
    ground = Collision(PlaneShape(), SE3.from_xyz_rpy((0.0, 0.0, floor)), ROUGH)
    link = Link("ground", collisions=(ground, *blocks))
    placed = Placement("ground", Robot("ground", (link,)), fixed=True)
    ready = prepare(load_robot("nao"), Request("walk"))
    world = replace(load_world("empty"), models=(placed,))
    sim = simulate(ready.robot, world, pose=ready.pose, sensors=True, seed=seed)
    first = float(sim.base_pose[2])
    told = lead(sim, ready, WalkGoal(distance=0.9, speed=40.0))
    rise = float(sim.base_pose[2]) - first
    sim.close()
    return told, rise


FIRST = block(-2.0, 0.0, 2.3)
GROUNDS = {
    "ramp down": ([FIRST, block(0.3, 0.0, 3.0, pitch=math.radians(7.0))], -2.0, -0.6 * math.tan(math.radians(7.0))),
    "edge up": ([FIRST, block(0.3, 0.01, 3.0)], -0.5, 0.01),
    "bar": ([block(0.3, 0.01, 0.03, height=0.02)], 0.0, 0.0),
}


@pytest.mark.parametrize("name", GROUNDS)
def test_a_nao_walks_over_what_only_its_feet_can_tell(name: str) -> None:
    blocks, floor, rise = GROUNDS[name]
    told, risen = walked(blocks, floor)
    assert not told.fallen
    assert told.arrived
    assert told.distance == pytest.approx(0.9, rel=0.1)
    assert risen == pytest.approx(rise, abs=0.012)


@pytest.mark.drill
@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("name", GROUNDS)
def test_a_nao_stays_up_whatever_its_sensors_say(name: str, seed: int) -> None:
    blocks, floor, _ = GROUNDS[name]
    told, _ = walked(blocks, floor, 10 + seed)
    assert not told.fallen


def test_level_ground_is_not_taken_for_uneven() -> None:
    told, _ = walked([], 0.0)
    assert told.arrived
    assert told.notice == ""


def test_a_stumble_on_uneven_ground_ends_the_walk_with_a_word() -> None:
    walk = prepare(load_robot("nao"), Request("walk")).walker
    rest, ahead = Readings(0.0, walk.body.stance, np.zeros(len(walk.body.names))), Command(vx=0.1)
    walk.uneven, walk.error = 1.0, (0.0, 2.0 * walk.measures.hurry)
    walk.update(rest, ahead, 0.01)
    assert walk.gave_up
    assert "uneven" in walk.notice
    walk.error = (0.0, 0.0)
    walk.update(rest, ahead, 0.01)
    assert walk.gave_up  # until it is told to stop
    walk.update(rest, Command(), 0.01)
    assert not walk.gave_up


def test_a_nao_goes_back_from_a_step_that_is_too_high_and_says_so() -> None:
    told, risen = walked([FIRST, block(0.3, 0.02, 3.0)], -0.5)
    assert not told.fallen
    assert told.time < 8.0  # it stands, long before the time is over
    assert not told.arrived
    assert "too high" in told.notice
    assert told.distance < 0.25  # its toes are clear of the edge at 0.3 m
    assert risen == pytest.approx(0.0, abs=0.004)


@pytest.mark.parametrize(("start", "seed"), [((-0.12, 0.05, 0.03), 0), ((-0.03, -0.02, 0.06), 1)])
def test_a_foot_on_too_high_a_step_stands_on_it(start: tuple[float, float, float], seed: int) -> None:
    """One that was drawn back with a twentieth of a second left came down on the tile all the same, and threw it."""
    ready = prepare(load_robot("nao"), Request("walk"))
    sim = simulate(ready.robot, load_world("rough"), pose=ready.pose, start=start, sensors=True, seed=seed)
    told = lead(sim, ready, WalkGoal(distance=2.0, speed=40.0))
    sim.close()
    assert not told.fallen
    assert "too high" in told.notice


def lie(made: BipedWalk, pitch: float, point: tuple[float, float]) -> float:
    """Let the standing sole lie at a pitch [rad], pressed there, just after a push; how uneven the ground is found."""
    made.phase, made.time, made.uneven, made._askew = "walk", 0.1, 0.0, 0.0
    made.sense.loads, made.sense.points[0], made.sense.foot_pitch = (1.0, 0.0), np.array(point), pitch
    made.pushes._since = 0.1
    for _ in range(12):
        made._feel_lying(0.01)
    return made.uneven


def test_a_sole_that_lies_askew_stands_on_something_also_after_a_push() -> None:
    made = prepare(load_robot("nao"), Request("walk")).walker
    assert isinstance(made, BipedWalk)
    inside = made.body.soles[0].cells.mean(axis=0)
    toe = (float(made.body.soles[0].cells[:, 0].max()), float(inside[1]))
    middle = (float(inside[0]), float(inside[1]))
    assert lie(made, 0.08, toe) == 0.0  # tipped over its edge
    assert lie(made, 0.03, middle) == 0.0
    assert lie(made, 0.08, middle) == 1.0


def test_a_push_takes_back_what_was_not_sure_to_be_the_ground() -> None:
    made = prepare(load_robot("nao"), Request("walk")).walker
    assert isinstance(made, BipedWalk)
    made.phase, made.sense.loads = "walk", (1.0, 0.0)
    for sure, left in ((False, 0.0), (True, 1.0)):
        made.uneven, made._sure, made._known_for = 1.0, sure, 0.0
        made.sense._felt[7] = 80.0  # an acceleration that the ground cannot give [m/s²]
        made._feel_pushes(0.01)
        assert made.pushes.now
        assert made.uneven == left


def touch(made: BipedWalk, height: float) -> float:
    """Let the swinging foot meet the ground so much higher [m]; how uneven it is found."""
    made.uneven, made.sense.loads = 0.0, (0.8, 0.4)
    made._touched_height = lambda: height  # type: ignore[method-assign]
    made._tell_height()
    return made.uneven


def test_a_foot_that_meets_the_ground_high_up_tells_it_also_after_a_push() -> None:
    made = prepare(load_robot("nao"), Request("walk")).walker
    assert isinstance(made, BipedWalk)
    assert touch(made, 0.006) == 0.0
    assert touch(made, 0.012) == 1.0


def test_it_goes_back_until_its_soles_are_clear_and_then_stands() -> None:
    walk = prepare(load_robot("nao"), Request("walk")).walker
    rest, ahead = Readings(0.0, walk.body.stance, np.zeros(len(walk.body.names))), Command(vx=0.1, wz=0.2)
    walk.update(rest, ahead, 0.01)
    walk.barred = True
    back = walk._heed(ahead, 0.01)
    assert (back.vx, back.vy, back.wz) == (-0.1, 0.0, 0.0)
    assert walk.gave_up
    heel, toe, _, _ = walk.body.soles[walk.stance].box
    x, y, yaw = walk.odometry.foot
    walk.odometry.foot = (x - 0.5 * (toe - heel), y, yaw)
    walk._heed(ahead, 0.01)
    assert not walk._heed(ahead, 0.01).moving
    assert walk.gave_up
    walk._heed(Command(), 0.01)
    assert not walk.gave_up
    assert walk._heed(ahead, 0.01) == ahead  # told to stop and to go on: it tries again


def test_the_rim_of_a_sole_is_that_of_its_load_cells_hull() -> None:
    """The NAO's cells are a trapezium: its inner heel cell lies inside their box, and is a rim all the same."""
    made = prepare(load_robot("nao"), Request("walk")).walker
    assert isinstance(made, BipedWalk)
    for foot, sole in enumerate(made.body.soles):
        for cell in sole.cells:
            made.sense.points[foot] = cell
            x, y = made.sense.at_rim(foot, 0.9)
            middle = sole.cells.mean(axis=0)
            assert x * (cell[0] - middle[0]) > 0.0
            assert y * (cell[1] - middle[1]) > 0.0
        made.sense.points[foot] = sole.cells.mean(axis=0)
        assert made.sense.at_rim(foot, 0.9) == (0.0, 0.0)


def test_a_foot_is_as_high_as_it_is_from_the_standing_sole_as_it_lies() -> None:
    """Of a stand that has tipped sideways the other foot is high; not if its own sole is known to lie on that slope."""
    made = prepare(load_robot("nao"), Request("walk")).walker
    assert isinstance(made, BipedWalk)
    sense, width = made.sense, made.measures.width
    sense.points = [np.zeros(2), np.zeros(2)]
    assert made._touched_height() == pytest.approx(0.0, abs=1e-6)
    sense.foot_roll = -0.08  # to the left, the right foot rises
    middle = made.body.soles[1].outline.mean(axis=0)[1]
    assert made._touched_height() == pytest.approx(math.sin(0.08) * (width - max(middle, 0.0)), abs=2e-4)
    sense.points[1] = np.array([0.0, 0.02])  # it touches nearer to the standing foot, where it is lower
    assert made._touched_height() == pytest.approx(math.sin(0.08) * (width - 0.02), abs=2e-4)
    made.ground.under = Plane.of(sense.foot_roll, 0.0)
    assert made._touched_height() == pytest.approx(0.0, abs=1e-4)


def turn_a_sole(made: BipedWalk, pitch: float, point: tuple[float, float]) -> float:
    """Turn the standing sole slowly to a pitch [rad] while it is pressed there; how uneven the ground is found."""
    made.phase, made.time, made.uneven = "walk", 0.1, 0.0
    made._await_landing(True)
    made.sense.loads, made.sense.points[0] = (1.0, 0.0), np.array(point)
    for part in np.linspace(0.0, 1.0, 20):
        made.sense.foot_pitch = float(part) * pitch
        made._tip_on(0.01)
    return made.uneven


def test_a_sole_that_turns_while_it_is_pressed_inside_stands_on_something() -> None:
    """On level ground a sole turns about its edge alone; also in a brisk walk that changes."""
    made = prepare(load_robot("nao"), Request("walk")).walker
    assert isinstance(made, BipedWalk)
    made.pace, made.steady = 1.0, 0.0
    middle = made.body.soles[0].cells.mean(axis=0)
    toe = (float(made.body.soles[0].cells[:, 0].max()), float(middle[1]))
    inside = (float(middle[0]), float(middle[1]))
    assert turn_a_sole(made, 0.04, toe) == 0.0
    assert turn_a_sole(made, 0.01, inside) == 0.0
    assert turn_a_sole(made, 0.04, inside) == 1.0
    assert made.ground.under.pitch > 0.01  # the sole is turned on, until its toes find the ground
