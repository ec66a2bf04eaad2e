"""Long runs of the Shell as a ball: `python benchmarks/shell_study.py roll|whole|right|strip [--engine E] [--runs N]`.

roll   rolls for 6 s in N directions with N seeds: how far along and beside the wanted way, and the real-time factor
whole  stands, folds, rolls 2 m, unfolds, stands: N runs of `andante walk shell --gait roll --distance 2`
right  rights itself from N random attitudes: time until settled
fold   folds from N random poses that its servos were sent to, and unfolds again
strip  film strips for docs/pictures
"""

from __future__ import annotations

import argparse
import math
import time
from pathlib import Path

import numpy as np
from PIL import Image

import andante as an
from andante.control.loop import ControlLoop
from andante.geometry import SE3, so3
from andante.locomotion import Command
from andante.locomotion.gaits import Request, prepare
from andante.physics.rendering import Camera
from andante.physics.rendering.renderer import Renderer
from andante.physics.rendering.video import film_strip
from andante.robots.shell.controller import ShellController, ShellMode
from andante.robots.shell.roller import BallRoller
from andante.tasks.walk import walk

PICTURES = Path(__file__).resolve().parent.parent / "docs" / "pictures"


def roll(engine: str, runs: int) -> None:
    """Straight runs in directions spread over the circle."""
    robot = an.robot("shell")
    for k in range(runs):
        angle = 2 * math.pi * k / runs
        c, s = math.cos(angle), math.sin(angle)
        sim = an.simulate(robot, engine=engine, pose="ball", sensors=True, seed=k)
        loop = ControlLoop(sim, BallRoller(robot), command=Command(vx=0.8 * c, vy=0.8 * s))
        loop.run(0.1)
        start, work = time.perf_counter(), time.process_time()
        loop.run(6.0)
        factor, cpu = 6.0 / (time.perf_counter() - start), 6.0 / (time.process_time() - work)
        x, y = sim.base_pose[:2]
        print(
            f"direction {math.degrees(angle):5.0f}  along {c * x + s * y:5.2f} m  beside {c * y - s * x:5.2f} m  "
            f"real-time factor {factor:.1f} (by CPU time {cpu:.1f})",
            flush=True,
        )
        sim.close()


def whole(engine: str, runs: int) -> None:
    """The whole way by the command line's own job."""
    for seed in range(runs):
        outcome = walk("shell", engine=engine, gait="roll", distance=2.0, seed=seed)
        print(
            f"seed {seed}  distance {outcome.distance:.2f}  drift {outcome.drift:.2f}  time {outcome.time:.1f} s  "
            f"fallen {outcome.fallen}  arrived {outcome.arrived}  real-time factor {outcome.real_time_factor:.1f}",
            flush=True,
        )


def right(engine: str, runs: int) -> None:
    """Righting from random attitudes."""
    robot, rng = an.robot("shell"), np.random.default_rng(0)
    for k in range(runs):
        roller, turn = BallRoller(robot), so3.exp(rng.normal(size=3) * 2)
        sim = an.simulate(robot, engine=engine, pose="ball", sensors=True, seed=k)
        sim.engine.set_base(sim.model, SE3.from_parts(turn, (0.0, 0.0, 0.2005)).vector)
        sim.run(0.02)
        loop = ControlLoop(sim, roller)
        while sim.time < 20 and not roller.settled:
            loop.run(0.1)
        lean = math.degrees(math.acos(np.clip(turn[2, 2], -1, 1)))
        print(f"lean {lean:4.0f}  settled {roller.settled} after {sim.time:.1f} s", flush=True)
        sim.close()


def fold(engine: str, runs: int) -> None:
    """Folding from random poses: lower legs anywhere in their limits, fan open or part closed, petals not crossed."""
    robot, rng = an.robot("shell"), np.random.default_rng(1)
    low = np.array([joint.limits.lower for joint in robot.movable])
    high = np.array([joint.limits.upper for joint in robot.movable])
    fan = np.array([name in {f"q1{k}1" for k in range(1, 7)} for name in robot.joint_names])
    for k in range(runs):
        controller = ShellController(robot)
        sim = an.simulate(robot, engine=engine, pose="stand", sensors=True, seed=k)
        q = rng.uniform(low, high)
        q[fan] = rng.choice([0.0, rng.uniform(0.0, 1.78)])
        for name, bounds in (("1", (0.0, 0.9)), ("2", (-2.8, -1.0))):  # petals that cross each other hook the mast
            mine = [i for i, joint in enumerate(robot.joint_names) if joint[:2] == "q2" and joint[3] == name]
            q[mine] = rng.uniform(*bounds, len(mine))
        sim.target(q)
        sim.run(1.5)
        loop = ControlLoop(sim, controller)
        loop.run(0.05)
        controller.handle("shell")
        took = _until(loop, controller, ShellMode.BALL, 40.0)
        controller.handle("hexapod")
        back = _until(loop, controller, ShellMode.HEXAPOD, 40.0)
        print(f"run {k}  fan {q[0]:.2f}  folded in {took:.1f} s  stands after {back:.1f} s", flush=True)
        for line in controller.log:
            if "stalled" in line or "leans" in line:
                print("   ", line, flush=True)
        sim.close()


def _until(loop: ControlLoop, controller: ShellController, mode: ShellMode, seconds: float) -> float:
    """Run until a mode is reached; the time it took [s], NaN when it was not."""
    start = loop.periods
    loop.run(seconds, until=lambda: controller.mode in (mode, ShellMode.STUCK))
    return (loop.periods - start) * loop.period if controller.mode is mode else math.nan


def strip(engine: str, runs: int) -> None:
    """The whole run seen from the side."""
    ready = prepare(an.robot("shell"), Request("tripod"))
    controller = ShellController(ready.robot, ready.walker)
    sim = an.simulate(ready.robot, engine=engine, pose=ready.pose, sensors=True, seed=1)
    loop = ControlLoop(sim, controller)
    renderer = Renderer(sim.engine.models, sim.engine.world, 320, 240)
    pictures: list[np.ndarray] = []

    def shoot() -> None:
        x, y = sim.base_pose[:2]
        camera = Camera(position=(x + 0.55, y - 1.15, 0.5), lookat=(x, y, 0.15), fov=math.radians(36))
        pictures.append(renderer.shoot(sim.engine, camera))

    def film(mode: ShellMode, every: float, most: int) -> None:
        for _ in range(most):
            loop.run(every)
            shoot()
            if controller.mode is mode:
                break

    loop.run(0.3)
    shoot()
    controller.handle("shell")
    film(ShellMode.BALL, 1.1, 6)
    fold_end = len(pictures)
    controller.handle("w")
    for _ in range(12):
        loop.run(0.3)
        shoot()
    controller.handle("w", False)
    controller.handle("hexapod")
    film(ShellMode.HEXAPOD, 1.1, 20)
    controller.handle("w")
    loop.run(1.5)
    shoot()
    renderer.close()
    sim.close()
    print(f"{len(pictures)} pictures, {fold_end} until the ball; log:\n" + "\n".join(controller.log))
    Image.fromarray(film_strip(pictures[:23] + pictures[-1:], 6)).save(PICTURES / "shell_rolls.webp", quality=80)


def main() -> None:
    """Run one study."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("study", choices=("roll", "whole", "right", "fold", "strip"))
    parser.add_argument("--engine", default="mujoco")
    parser.add_argument("--runs", type=int, default=6)
    given = parser.parse_args()
    {"roll": roll, "whole": whole, "right": right, "fold": fold, "strip": strip}[given.study](given.engine, given.runs)


if __name__ == "__main__":
    main()
