"""The whole way from an unknown lab to goals on the saved map: `python benchmarks/explore_study.py [ROBOT ENGINE]...`.

For each robot and engine: explore by frontiers, save the map, then in a new run localise on it from a pose told by
hand and drive to two goals, and find a robot that was put down elsewhere without telling it. Prints a line per step
with the errors by the simulator's truth. Without arguments: rover and waffle on MuJoCo and Bullet.
"""

from __future__ import annotations

import math
import sys
import tempfile
import time
from pathlib import Path

from andante.geometry import se2
from andante.mapping.io.map_files import load_map
from andante.mobile.robot import mobile_robot
from andante.mobile.sensing import OnMap
from andante.tasks.explore import explore as run_explore
from andante.tasks.navigate import navigate as run_navigate

CASES = [("rover", "mujoco"), ("waffle", "mujoco"), ("rover", "bullet"), ("waffle", "bullet")]
GOALS = [(3.1, -0.4, 0.0), (-1.6, 0.2, math.pi)]
ELSEWHERE = [(1.0, -0.6, 2.0), (-1.2, -0.5, -1.0)]
SETTLING = 6.0  # longest time to find itself [s]


def explore(robot: str, engine: str, folder: Path) -> Path:
    """Map the lab by frontiers and print how well that went."""
    began = time.process_time()
    out = folder / f"{robot}_{engine}"
    made = run_explore(
        robot, world="lab", out=out, engine=engine, controller="pursuit", plot=out.with_suffix(".png"), timeout=400.0
    )
    assert made.walls is not None
    print(
        f"{robot:7} {engine:7} explore   {made.time:5.0f} s {made.distance:5.1f} m {made.scans:5} scans "
        f"{made.goals:3} goals  floor {made.coverage:.3f}  true walls {made.walls.true_walls:.3f}  "
        f"found {made.walls.found_walls:.3f}  path error {made.path_error:.4f} m  final {made.pose_error[0]:.4f} m "
        f"{math.degrees(made.pose_error[1]):.2f} deg  {made.collided or 'no collision'}  {len(made.missed)} missed  "
        f"processor {time.process_time() - began:.0f} s\n{'':16}{made.reason}",
        flush=True,
    )
    return Path(made.map)


def navigate(robot: str, engine: str, grid: Path) -> None:
    """Drive to the goals one after the other, each in a new run from a pose told by hand."""
    start = (0.0, 0.0, 0.0)
    for goal in GOALS:
        made = run_navigate(
            robot, world="lab", start=start, goal=goal, map=grid, engine=engine, controller="pursuit", max_speed=0.5,
            ignore_yaw=True,
        )  # fmt: skip
        print(
            f"{robot:7} {engine:7} navigate  {start[:2]} to {goal[:2]}: success {made.success}  "
            f"final error {made.final_error:.3f} m  time {made.time:.1f} s  collided {made.collided}  {made.reason}",
            flush=True,
        )


def find(robot: str, engine: str, grid: Path) -> None:
    """Put the robot down elsewhere and let it find itself, standing."""
    for k, place in enumerate(ELSEWHERE):
        carried = mobile_robot(robot, "lab", place, engine, localizer=OnMap(load_map(grid), None, seed=k), seed=k)
        try:
            sensed = carried.settle(1.0)
            while not sensed.trusted and sensed.time < SETTLING:
                sensed = carried.settle(0.5)
            off = se2.between(carried.truth.pose, carried.to_root(sensed.pose))
            print(
                f"{robot:7} {engine:7} global    at {place}: sure {sensed.trusted} after {sensed.time:.1f} s  "
                f"error {math.hypot(off[0], off[1]):.3f} m {abs(math.degrees(off[2])):.1f} deg",
                flush=True,
            )
        finally:
            carried.close()


def main() -> None:
    """Print the table."""
    words = sys.argv[1:]
    cases = list(zip(words[::2], words[1::2], strict=True)) if words else CASES
    with tempfile.TemporaryDirectory() as folder:
        for robot, engine in cases:
            grid = explore(robot, engine, Path(folder))
            navigate(robot, engine, grid)
            find(robot, engine, grid)


if __name__ == "__main__":
    main()
