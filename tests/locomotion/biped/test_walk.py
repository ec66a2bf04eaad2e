"""The walk on two legs under physics, led by its own sensors; and its parts without physics."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from andante.control.loop import ControlLoop
from andante.description import load_robot, load_world
from andante.errors import BadInput, UnknownName
from andante.locomotion import Behaviour, Command, Readings
from andante.locomotion.biped.estimation import Alarm, BipedAttitude, BipedOdometry
from andante.locomotion.biped.footsteps import reversed_step
from andante.locomotion.biped.pose_kernels import share
from andante.locomotion.biped.settings import BipedSettings
from andante.locomotion.biped.walk import BipedWalk
from andante.locomotion.gaits import Request, check_walker, gait_names, prepare
from andante.simulation.simulation import Simulation, simulate
from andante.tasks.walk import walk


def walker() -> BipedWalk:
    made = prepare(load_robot("nao"), Request("walk")).walker
    assert isinstance(made, BipedWalk)
    return made


def simulated(command: Command, engine: str = "mujoco") -> tuple[Simulation, BipedWalk, ControlLoop]:
    """A NAO that gets a command after half a second."""
    ready = prepare(load_robot("nao"), Request(""))
    assert isinstance(ready.walker, BipedWalk)
    sim = simulate(ready.robot, engine=engine, pose=ready.pose, sensors=True, seed=3)
    loop = ControlLoop(sim, ready.walker, command=lambda state: command if state.time > 0.5 else Command())
    return sim, ready.walker, loop


def standing_readings(made: BipedWalk, time: float = 0.0) -> Readings:
    q = np.array([made.pose[name] for name in made.body.names])
    weight = made.body.mass * 9.81
    forces = {sole.link: np.full(4, weight / 8) for sole in made.body.soles}
    return Readings(time, q, np.zeros(len(q)), np.array([0.0, 0.0, math.nan]), forces=forces)


# ---- under physics -------------------------------------------------------------------------------
def test_it_is_the_usual_gait_of_the_nao_and_fast() -> None:
    nao = load_robot("nao")
    assert gait_names(nao)[0] == "walk"
    made = prepare(nao, Request("")).walker
    check_walker(made, nao, "walk")
    assert made.max_speed > 0.3


@pytest.mark.parametrize(("distance", "speed"), [(0.5, 100.0), (-0.2, 60.0)])
def test_a_distance_is_walked_by_its_own_estimate(distance: float, speed: float) -> None:
    out = walk("nao", distance=distance, speed=speed, seed=1)
    assert out.arrived
    assert not out.fallen
    assert abs(out.distance - distance) < 0.05 * abs(distance)
    assert abs(out.drift) < 0.05 * abs(distance)
    assert out.estimated[0] == pytest.approx(out.distance, abs=0.02 * abs(distance) + 0.002)


def test_a_turn_without_a_yaw_gyro() -> None:
    out = walk("nao", turn=-90.0, speed=80.0, seed=2)
    assert out.arrived
    assert not out.fallen
    assert abs(out.turned + 90.0) < 4.5
    assert math.hypot(out.distance, out.drift) < 0.05


@pytest.mark.engine("bullet")
@pytest.mark.parametrize(("stiffer", "least", "most"), [(1.0, 0.8, 1.0), (20.0, 0.0, 0.5)])
def test_it_learns_how_far_servos_give_way(stiffer: float, least: float, most: float) -> None:
    """As far as their stiffness implies, or less where they are stiffer than the file says."""
    sim, made, loop = simulated(Command(vx=0.15), "bullet")
    gains = sim.engine.gains[sim.model]
    sim.engine.set_gains(sim.model, gains.changed(kp=stiffer * gains.kp, kd=stiffer * gains.kd))
    loop.run(2.5)
    assert not sim.fallen
    assert least <= made.sag <= most
    assert sim.base_pose[0] == pytest.approx(made.position[0], abs=0.03)
    assert sim.base_pose[0] > 0.15
    sim.close()


@pytest.mark.parametrize("direction", [0.0, 100.0, -150.0])
def test_pushes_are_caught_while_it_walks(direction: float) -> None:
    push = f"1.0 {direction} 1.3"
    out = walk("nao", velocity=(0.1, 0.0, 0.0), seconds=3.0, push=push, seed=4)
    assert not out.fallen


def test_a_stand_that_is_pushed_over_the_edge_steps_and_stands_again() -> None:
    sim, made, loop = simulated(Command())
    loop.run(1.0)
    assert made.standing
    assert made.phase == "stand"
    sim.push(sim.robot.root, (3.2, 0.0, 0.0))
    phases = set()
    for _ in range(30):
        loop.run(0.1)
        phases.add(made.phase)
    assert "walk" in phases
    assert not sim.fallen
    sim.close()


@pytest.mark.parametrize(("hold", "late"), [(1, 0), (2, 2), (2, 6)])
def test_late_readings_are_no_harm(hold: int, late: int) -> None:
    """Over a line that tells every `hold` periods what was `late` periods ago: learned, and walked with."""
    ready = prepare(load_robot("nao"), Request("walk"))
    made = ready.walker
    assert isinstance(made, BipedWalk)
    sim = simulate(ready.robot, pose=ready.pose, sensors=True)
    kept: list[Readings] = []

    class Late(Behaviour):
        def update(self, readings: Readings, command: Command, dt: float) -> np.ndarray:
            kept.append(readings)
            told = (len(kept) - 1) // hold * hold - late
            return made.update(kept[max(0, told)], command, dt)

    loop = ControlLoop(sim, Late(), command=lambda state: Command(vx=0.2) if 0.5 < state.time < 4.5 else Command())
    loop.run(5.5)
    assert not sim.fallen
    assert sim.base_pose[0] > 0.5
    line = (late + 0.5 * (hold - 1)) * loop.period
    assert made.lag.seconds - made.lag.usual == pytest.approx(line, abs=0.6 * loop.period)
    assert made.lag.late == (late > 0)
    assert not made.notice
    sim.close()


# ---- without physics -----------------------------------------------------------------------------
def test_a_stand_keeps_still_and_knows_its_support() -> None:
    made = walker()
    first = made.update(standing_readings(made), Command(), 0.01)
    for i in range(60):
        last = made.update(standing_readings(made, 0.01 * i), Command(), 0.01)
    assert made.standing
    assert not made.disturbed
    assert np.abs(last - first).max() < 0.01
    assert made.divergent == pytest.approx((made.measures.pressure, -0.05), abs=1e-3)
    assert made.support_margin == pytest.approx(made.measures.pressure + 0.051, abs=5e-3)
    assert made.tilt == pytest.approx((0.0, 0.0), abs=1e-6)
    assert made.position == pytest.approx([0.0, 0.0, 0.0], abs=1e-3)


def test_the_first_foot_is_the_one_on_the_outside() -> None:
    for command, stance in ((Command(vy=0.1), 1), (Command(vy=-0.1), 0), (Command(wz=0.5), 1), (Command(wz=-0.5), 0)):
        made = walker()
        for i in range(50):
            made.update(standing_readings(made, 0.01 * i), command if i > 5 else Command(), 0.01)
        assert made.stance == stance


def test_speeds_are_limited_and_ramped() -> None:
    made = walker()
    for i in range(10):
        made.update(standing_readings(made, 0.01 * i), Command(vx=9.0), 0.01)
    assert made.velocity[0] == pytest.approx(made.measures.acceleration * 0.1)
    for _ in range(200):
        made._follow(Command(vx=9.0, vy=-9.0), 0.01)
    assert made.velocity[:2] == pytest.approx(made.commands.shaped((made.max_speed, -made.measures.max_side, 0.0))[:2])
    for _ in range(200):
        made._follow(Command(vx=9.0), 0.01)
    assert 0.9 * made.max_speed < made.velocity[0] <= made.max_speed


@pytest.mark.parametrize(("turn", "most"), [(0.0, 0.5), (0.4, 0.2), (-0.4, 0.2)])
def test_curves_are_slow_on_uneven_ground(turn: float, most: float) -> None:
    made = walker()
    asked = Command(vx=0.6 * made.max_speed, wz=turn * made.max_turn)
    for _ in range(300):
        made.uneven = 1.0
        made._follow(asked, 0.01)
    assert made.velocity[0] == pytest.approx(most * made.max_speed, rel=1e-3)
    assert made.velocity[2] == pytest.approx(most * turn / 0.6 * made.max_turn, abs=1e-6)


def test_a_steep_slope_is_not_uneven_ground_before_it_is_believed() -> None:
    ready, a = prepare(load_robot("nao"), Request("")), math.radians(7.0)
    assert isinstance(ready.walker, BipedWalk)
    world = replace(load_world("empty"), gravity=(0.0, -9.81 * math.sin(a), -9.81 * math.cos(a)))
    sim = simulate(ready.robot, world, pose=ready.pose, sensors=True, seed=0)
    loop = ControlLoop(sim, ready.walker, command=lambda state: Command(vx=0.145))
    told = 0.0
    for _ in range(250):
        loop.step()
        told = max(told, ready.walker.uneven)
    assert told == 0.0
    assert not sim.fallen
    sim.close()


def test_attitude_follows_gyro_and_accelerometer() -> None:
    attitude = BipedAttitude()
    for _ in range(100):
        attitude.update(np.zeros(3), (0.0, 9.81 * math.sin(0.1), 9.81 * math.cos(0.1)), 0.01)
    assert attitude.roll == pytest.approx(0.1, abs=1e-3)
    for _ in range(20):
        attitude.update(np.array([0.0, 0.5, 0.0]), (0.0, 0.0, 30.0), 0.01)  # a blow: the accelerometer does not count
    assert attitude.pitch == pytest.approx(0.1, abs=2e-3)


def test_odometry_measures_a_step_while_both_feet_carry() -> None:
    odometry = BipedOdometry((0.0, 0.05, 0.0), 6.0)
    odometry.change_foot((0.04, -0.1, 0.1))
    assert odometry.foot == pytest.approx((0.04, -0.05, 0.1))
    odometry.measure(reversed_step((0.05, -0.1, 0.1)), (0.5, 0.5), 0.005)  # too early
    odometry.measure(reversed_step((0.05, -0.1, 0.1)), (0.02, 0.9), 0.03)  # one foot in the air
    assert odometry.foot[0] == pytest.approx(0.04)
    for x in (0.049, 0.051):
        odometry.measure(reversed_step((x, -0.1, 0.1)), (0.5, 0.5), 0.03)
    assert odometry.foot == pytest.approx((0.05, -0.05, 0.1))
    odometry.lifted()
    odometry.measure(reversed_step((0.07, -0.1, 0.1)), (0.5, 0.5), 0.1)
    assert odometry.foot[0] == pytest.approx(0.05)
    assert odometry.middle((0.0, 0.1, 0.2))[2] == pytest.approx(0.2)


def test_odometry_of_feet_with_switches_takes_the_step_where_the_load_goes_over() -> None:
    odometry = BipedOdometry((0.0, 0.05, 0.0), 6.0)
    odometry.change_foot((0.04, -0.1, 0.0))
    for x, carries in ((0.045, False), (0.047, False), (0.05, True), (0.09, True)):  # standing foot; the one before not
        odometry.measure(reversed_step((x, -0.1, 0.0)), (0.5, 0.0) if carries else (0.0, 0.5), 0.03)
    assert odometry.foot[0] == pytest.approx(0.04)  # both might still carry
    odometry.lifted()
    assert odometry.foot == pytest.approx((0.05, -0.05, 0.0))


def test_a_sole_that_spins_on_the_ground_is_seen_by_the_gyro() -> None:
    odometry, blind = (BipedOdometry((0.0, 0.05, 0.0), 6.0) for _ in range(2))
    error = 0.02  # of the gyro
    for _ in range(200):
        odometry.turn(error, 0.0, True, 0.01)
    assert odometry.foot[2] == pytest.approx(0.0, abs=1e-9)
    for step in range(100):
        facing = -0.2 * 0.01 * (step + 1)  # by the joints the body turns with 0.2 rad/s, by the gyro with 0.5
        odometry.turn(0.5 + error, facing, False, 0.01)
        blind.turn(math.nan, facing, False, 0.01)
    assert odometry.foot[2] == pytest.approx(0.3, abs=2e-3)
    assert blind.foot[2] == 0.0
    odometry.change_foot((0.04, -0.1, 0.1))
    odometry.measure(reversed_step((0.05, -0.1, 0.3)), (0.5, 0.5), 0.03)
    assert odometry.foot[2] == pytest.approx(0.4, abs=2e-3)  # the gyro knows better than soles that slip


def test_the_load_is_shared_by_the_pressure_point() -> None:
    push, point, twists, torso = np.empty((2, 3)), np.empty((2, 3)), np.empty(2), np.array([0.0, 0.0, 0.3])
    force = np.array([1.0, 2.0, 49.05])
    share(force, (0.02, -0.05), 0.4, (0.0, -0.1), True, 0, np.eye(3), torso, push, point, twists)
    assert push == pytest.approx(np.array([0.5 * force, 0.5 * force]))
    assert point == pytest.approx(np.array([[0.02, 0.0, -0.3], [0.02, -0.1, -0.3]]))
    assert twists == pytest.approx([0.2, 0.2])
    share(force, (0.01, 0.0), 0.4, (0.0, 0.1), False, 1, np.eye(3), torso, push, point, twists)
    assert push == pytest.approx(np.array([np.zeros(3), force]))
    assert twists == pytest.approx([0.0, 0.4])


@pytest.mark.parametrize("velocity", [(0.0, 0.0, 0.9), (-0.2, 0.0, 0.6), (0.2, 0.06, -0.6), (0.0, 0.1, 0.0)])
def test_joints_do_not_jump_when_feet_change(velocity: tuple[float, float, float]) -> None:
    """Targets of a steady walk in thought go on evenly over every change of feet, arms and load included."""
    walk = prepare(load_robot("nao"), Request("walk")).walker
    thought = walk.ahead()
    thought.begin(velocity)
    readings = Readings(0.0, walk.body.stance, np.zeros(len(walk.body.names)))
    rows, changes, before = [], [], thought.stance
    while len(changes) < 6:
        rows.append(thought.update(readings, Command(*velocity), 0.01))
        if thought.stance != before:
            before = thought.stance
            changes.append(len(rows) - 1)
    speed = np.abs(np.diff(np.array(rows), axis=0)) / 0.01
    steady = speed[changes[2] :].max()
    assert max(float(speed[at - 1].max()) for at in changes[2:]) < 0.8 * steady
    assert steady < 9.0


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"step_time": 0}, "step_time must be > 0"),
        ({"lift": -1.0}, "lift must be >= 0"),
        ({"double": 0.9}, "double is a fraction"),
        ({"arms": "wide"}, "arms must be a number"),
        ({"height": 0.5}, "legs miss the stance"),
    ],
)
def test_bad_parameters_are_told(parameters: dict[str, object], message: str) -> None:
    with pytest.raises(BadInput, match=message):
        prepare(load_robot("nao"), Request("walk", parameters=parameters))


def test_unknown_parameters_and_settings(tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match="step_tim"):
        prepare(load_robot("nao"), Request("walk", parameters={"step_tim": 1}))
    slow = prepare(load_robot("nao"), Request("walk", parameters={"max_speed": 0.1})).walker
    assert slow.max_speed == 0.1
    assert replace(BipedSettings(), arms=0.0).arms == 0.0


def test_alarms_answer_what_is_not_usual() -> None:
    alarm = Alarm(replace(walker().measures, calm=0.010, hurry=0.035, hurry_time=0.8))
    alarm.update((0.009, 0.0), (0.02, 0.0), 0.01)
    assert not alarm.on
    alarm.update((0.02, 0.0), (0.0, 0.05), 0.01)
    assert alarm.error == pytest.approx((0.01, 0.0))
    assert alarm.tilt is not None
    assert not alarm.hurry
    alarm.update((0.0, -0.05), (0.0, 0.0), 0.01)
    assert alarm.hurry
    for _ in range(90):
        alarm.update((0.0, -0.02), (0.0, 0.0), 0.01)
    assert not alarm.hurry
    for _ in range(30):
        alarm.update((0.0, -0.02), (0.0, 0.0), 0.01)
    assert not alarm.on  # it has lasted too long to be a push
    alarm.update((0.0, -0.04), (0.0, 0.0), 0.01)
    assert alarm.error == pytest.approx((0.0, -0.01))
