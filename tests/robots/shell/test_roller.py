"""The rolling ball: which legs push, the wanted speeds, and short runs under physics."""

from __future__ import annotations

import math

import numpy as np
import pytest

import andante as an
from andante.control.loop import ControlLoop
from andante.description import Robot, load_robot
from andante.geometry import SE3, so3
from andante.locomotion import Command
from andante.robots.shell.roller import LEGS, BallRoller, Strokes, strokes_of
from andante.simulation.simulation import Simulation


@pytest.fixture(scope="module")
def shell() -> Robot:
    return load_robot("shell")


@pytest.fixture(scope="module")
def strokes(shell: Robot) -> Strokes:
    return strokes_of(shell)


def side_of(strokes: Strokes, opening: np.ndarray, rotation: np.ndarray) -> np.ndarray:
    """Sum of the outward directions of open legs in the world, weighed by their openings."""
    out = np.stack([np.cos(strokes.azimuth), np.sin(strokes.azimuth), np.zeros(12)], axis=1)
    return rotation @ (opening @ out)


# ---- what it wants --------------------------------------------------------------------------------
def test_legs_behind_push_and_others_stay_closed(shell: Robot, strokes: Strokes) -> None:
    roller = BallRoller(shell, strokes=strokes)
    for angle in np.linspace(0, 2 * math.pi, 7)[:-1]:
        way = np.array([math.cos(angle), math.sin(angle)])
        opening = roller.push(np.eye(3), way)
        assert opening[:LEGS].max() > 0.3
        assert not opening[LEGS:].any()  # upright: the petals are far from the floor
        # upright, the feet meet at the pole: those that open toward the back lie behind
        assert side_of(strokes, opening, np.eye(3))[:2] @ way < 0


def test_pushes_turn_with_the_attitude(shell: Robot, strokes: Strokes) -> None:
    """The same attitude and error turned about the vertical gives the same openings."""
    roller = BallRoller(shell, strokes=strokes)
    rng = np.random.default_rng(2)
    for _ in range(20):
        rotation, error, yaw = so3.exp(rng.normal(size=3) * 2), rng.normal(size=2), rng.uniform(-3, 3)
        turn = so3.from_rpy((0.0, 0.0, yaw))
        one, two = roller.push(rotation, error), roller.push(turn @ rotation, (turn[:2, :2] @ error))
        np.testing.assert_allclose(one, two, atol=1e-9)


def test_no_error_no_push(shell: Robot, strokes: Strokes) -> None:
    roller = BallRoller(shell, strokes=strokes)
    assert not roller.push(np.eye(3), np.array([0.01, 0.0])).any()


def test_wanted_speed_follows_the_energy_of_the_heavy_side(shell: Robot, strokes: Strokes) -> None:
    roller = BallRoller(shell, strokes=strokes)
    upright = roller.wanted_velocity(Command(vx=1.0))
    roller.attitude.rotation = so3.from_rpy((math.pi, 0.0, 0.0))
    roller.course = 0.0
    over = roller.wanted_velocity(Command(vx=1.0))
    assert upright @ upright - over @ over == pytest.approx(2 * strokes.lift, rel=1e-6)
    assert upright[1] == pytest.approx(0.0, abs=1e-12)
    slow, fast = roller.wanted_velocity(Command(vx=0.01)), roller.wanted_velocity(Command(vx=9.0))
    assert np.linalg.norm(slow) >= roller.settings.slowest_on_top
    assert np.linalg.norm(fast) < roller.settings.fastest


def test_righting_goes_the_short_way(shell: Robot, strokes: Strokes) -> None:
    roller = BallRoller(shell, strokes=strokes)
    for lean in (0.3, 1.5, 3.0):
        roller.attitude.rotation = so3.from_rpy((0.0, lean, 0.0))  # leans forward: rolls back
        velocity = roller.righting_velocity()
        assert velocity[0] < 0
        assert velocity[1] == pytest.approx(0.0, abs=1e-9)
    roller.attitude.rotation = np.diag([1.0, -1.0, -1.0])  # on its head: any way will do
    assert np.linalg.norm(roller.righting_velocity()) > 0.1


# ---- under physics --------------------------------------------------------------------------------
def rolled(shell: Robot, roller: BallRoller, command: Command, seconds: float, seed: int = 0) -> Simulation:
    sim = an.simulate(shell, pose="ball", sensors=True, seed=seed)
    ControlLoop(sim, roller, command=command).run(seconds)
    return sim


@pytest.mark.parametrize("heading", [0.0, 120.0, 180.0])
def test_rolls_where_it_is_told(shell: Robot, strokes: Strokes, heading: float) -> None:
    c, s = math.cos(math.radians(heading)), math.sin(math.radians(heading))
    roller = BallRoller(shell, strokes=strokes)
    sim = rolled(shell, roller, Command(vx=0.9 * c, vy=0.9 * s), 3.0, seed=round(heading))
    x, y = sim.base_pose[:2]
    assert c * x + s * y > 1.0
    assert abs(c * y - s * x) < 0.3
    speed = roller.velocity - sim.base_velocity[:2]
    assert np.linalg.norm(speed) < 0.35  # by the gyro alone; pushes lift the ball a little
    sim.close()


def test_steering_curves_the_way(shell: Robot, strokes: Strokes) -> None:
    ends = []
    for turn in (0.4, -0.4):
        sim = rolled(shell, BallRoller(shell, strokes=strokes), Command(vx=0.9, wz=turn), 4.0)
        ends.append(sim.base_pose[1])
        sim.close()
    assert ends[0] > 0.5
    assert ends[1] < -0.5


@pytest.mark.parametrize("lean", [75.0, 170.0])
def test_rights_itself(shell: Robot, strokes: Strokes, lean: float) -> None:
    roller = BallRoller(shell, strokes=strokes)
    sim = an.simulate(shell, pose="ball", sensors=True)
    turn = so3.from_rpy((math.radians(lean), 0.0, 0.7))
    sim.engine.set_base(sim.model, SE3.from_parts(turn, (0.0, 0.0, 0.2005)).vector)
    sim.run(0.02)
    loop = ControlLoop(sim, roller)
    while sim.time < 8.0 and not roller.settled:
        loop.run(0.1)
    assert roller.settled
    assert so3.from_quaternion(sim.base_pose[3:])[2, 2] > math.cos(math.radians(28))
    sim.close()
