"""The Shell's modes, and one run: stands, folds, rolls, unfolds, stands."""

from __future__ import annotations

import math

import numpy as np
import pytest

import andante as an
from andante.control.loop import ControlLoop
from andante.description import Robot, load_robot
from andante.geometry import SE3, Array, so3
from andante.locomotion import Command, Readings, Walker
from andante.locomotion.gaits import Request, check_walker, gait_names, prepare
from andante.robots.shell.controller import ShellController, ShellMode
from andante.robots.shell.driver import RollingWalker
from andante.tasks.walk import walk


@pytest.fixture(scope="module")
def shell() -> Robot:
    return load_robot("shell")


# ---- modes without physics ------------------------------------------------------------------------
class Spy(Walker):
    """A walker that remembers its commands."""

    def __init__(self, robot: Robot) -> None:
        self.seen: list[Command] = []
        pose = robot.pose("stand")
        self.target = np.array([pose[name] for name in robot.joint_names])

    def update(self, readings: Readings, command: Command, dt: float) -> Array:
        self.seen.append(command)
        return self.target


def test_keys_and_commands_reach_the_walker_and_are_logged(shell: Robot) -> None:
    spy = Spy(shell)
    controller = ShellController(shell, spy)
    assert "hexapod" in controller.say()
    assert "forward" in controller.handle("w")
    assert controller.handle("w", False) == ""
    controller.handle("q")
    readings = Readings(1.0, spy.target, np.zeros(36))
    target = controller.update(readings, Command(vx=0.05), 0.01)
    np.testing.assert_array_equal(target, spy.target)
    assert spy.seen[-1].vx == pytest.approx(0.05)
    assert spy.seen[-1].wz > 0
    assert "turn left" in controller.say()
    assert len(controller.log) == 2


def perfect(controller: ShellController, q: Array, seconds: float, blocked: Array | None = None) -> Array:
    """Servos that follow at once, but for blocked joints, on a robot that does not move."""
    for step in range(round(seconds / 0.01)):
        target = controller.update(Readings(step * 0.01, q, np.zeros(36)), Command(), 0.01)
        q = target if blocked is None else np.where(blocked, q, target)
    return q


def test_buttons_lead_through_the_modes_and_back(shell: Robot) -> None:
    controller = ShellController(shell)
    q = np.array([shell.pose("stand")[name] for name in shell.joint_names])
    controller.handle("shell")
    q = perfect(controller, q, 0.5)
    assert controller.mode is ShellMode.FOLDING
    controller.handle("hexapod")  # thinks better of it half way
    q = perfect(controller, q, 3.0)
    assert controller.mode is ShellMode.HEXAPOD
    controller.handle("shell")
    q = perfect(controller, q, 6.0)
    assert controller.mode is ShellMode.BALL
    controller.handle("hexapod")
    q = perfect(controller, q, 0.2)
    assert controller.mode in (ShellMode.RIGHTING, ShellMode.UNFOLDING)  # a ball at rest needs no righting
    perfect(controller, q, 7.0)
    assert controller.mode is ShellMode.HEXAPOD
    told = " ".join(controller.log)
    assert all(word in told for word in ("now folding", "now ball", "now righting", "now unfolding", "now hexapod"))


def test_a_blocked_joint_leaves_it_stuck_with_the_reason_and_a_button_tries_again(shell: Robot) -> None:
    controller = ShellController(shell)
    q = np.array([shell.pose("stand")[name] for name in shell.joint_names])
    blocked = np.array([name == "q143" for name in shell.joint_names])
    controller.handle("shell")
    q = perfect(controller, q, 12.0, blocked)
    assert controller.mode is ShellMode.STUCK
    assert any("q143" in line for line in controller.log)
    controller.handle("shell")
    perfect(controller, q, 8.0)
    assert controller.mode is ShellMode.BALL


# ---- the gait -------------------------------------------------------------------------------------
def test_roll_is_a_gait_of_the_shell_alone_and_not_its_usual_one(shell: Robot) -> None:
    assert "roll" in gait_names(shell)
    assert gait_names(shell)[0] != "roll"
    assert "roll" not in gait_names(load_robot("nao"))
    ready = prepare(shell, Request("roll"))
    check_walker(ready.walker, shell, "roll")
    assert isinstance(ready.walker, RollingWalker)


# ---- under physics --------------------------------------------------------------------------------
def test_stands_folds_rolls_unfolds_and_stands_again(shell: Robot) -> None:
    controller = ShellController(shell)
    sim = an.simulate(shell, pose="stand", sensors=True, seed=3)
    loop = ControlLoop(sim, controller)

    def run_until(mode: ShellMode, seconds: float) -> None:
        end = sim.time + seconds
        while sim.time < end and controller.mode is not mode:
            loop.run(0.1)
        assert controller.mode is mode, controller.say()

    loop.run(0.2)
    controller.handle("shell")
    run_until(ShellMode.BALL, 7.0)
    controller.handle("w")
    loop.run(2.5)
    controller.handle("w", False)
    controller.handle("hexapod")
    run_until(ShellMode.HEXAPOD, 18.0)
    loop.run(0.3)
    assert sim.base_pose[0] > 0.8
    assert sim.base_pose[2] == pytest.approx(0.157, abs=0.006)
    assert not sim.fallen
    assert not controller.fallen
    sim.close()


def test_a_robot_on_its_back_folds_rights_itself_and_stands(shell: Robot) -> None:
    controller = ShellController(shell)
    sim = an.simulate(shell, pose="stand", sensors=True)
    turn = so3.from_rpy((math.pi - 0.3, 0.0, 0.0))
    sim.engine.set_base(sim.model, SE3.from_parts(turn, (0.0, 0.0, 0.25)).vector)
    loop = ControlLoop(sim, controller)
    loop.run(1.0)
    assert controller.fallen
    controller.handle("shell")
    for _ in range(90):
        loop.run(0.1)
        if controller.mode is ShellMode.BALL:
            controller.handle("hexapod")
        if controller.mode is ShellMode.RIGHTING:
            break
    for _ in range(180):
        loop.run(0.1)
        if controller.mode is ShellMode.HEXAPOD:
            break
    assert controller.mode is ShellMode.HEXAPOD, controller.say()
    assert not controller.fallen
    assert so3.from_quaternion(sim.base_pose[3:])[2, 2] > 0.99
    sim.close()


@pytest.mark.parametrize("distance", [1.5, -1.5])
def test_a_rolled_way_ends_on_its_line(distance: float) -> None:
    """Forward and backward: its legs walk what the ball left over."""
    outcome = walk("shell", gait="roll", distance=distance, seed=1)
    assert outcome.arrived
    assert not outcome.fallen
    assert outcome.distance == pytest.approx(distance, abs=0.15)
    assert abs(outcome.drift) < 0.12
