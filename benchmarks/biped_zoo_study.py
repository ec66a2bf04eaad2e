"""How bipeds of other makers walk: 1 m ahead and 90 degrees to either side, over seeds, by the simulator's truth.

python benchmarks/biped_zoo_study.py [NAME ...] [--inferred] [--seeds N] [--engine E] [--json]

The files are looked for in $ANDANTE_ZOO, by default ../shared/zoo. Each robot is given a stance by hand, nothing else
(`--inferred`: not even that); legs, soles, gains, speeds and times are found. Every trial starts from another pose: all
joints of the legs are up to 0.01 rad off. `--json`: one object on stdout, the lines on stderr.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path
from typing import Any

import numpy as np

from andante import robot as load_robot
from andante.control.walking import WalkGoal
from andante.description import Robot
from andante.locomotion.biped.walk import BipedWalk
from andante.locomotion.gaits import Prepared
from andante.locomotion.rigs.infer import infer_rig
from andante.locomotion.rigs.rig import with_rig
from andante.simulation.simulation import simulate
from andante.tasks.walk import WalkResult, lead

ROOT = Path(__file__).resolve().parents[1]
ZOO = Path(os.environ.get("ANDANTE_ZOO") or ROOT.parent / "shared" / "zoo")
OFF = 0.01  # of the joints of the legs at the start [rad]
SEEDS = 5

Stance = dict[str, float]


def both(left: str, right: str, same: Stance, mirrored: Stance | None = None) -> Stance:
    """A pose of both sides from that of the left one; `{}` in names stands for the side."""
    out = {name.format(side): value for side in (left, right) for name, value in same.items()}
    for name, value in (mirrored or {}).items():
        out |= {name.format(left): value, name.format(right): -value}
    return out


BIPEDS: dict[str, tuple[str, Stance]] = {
    "talos": (
        "stack-of-tasks+talos-data/talos_data/robots/talos_reduced.urdf",
        both("left", "right", {"leg_{}_3_joint": -0.411, "leg_{}_4_joint": 0.859, "leg_{}_5_joint": -0.448,
                               "arm_{}_4_joint": -0.52}, {"arm_{}_1_joint": 0.25, "arm_{}_2_joint": 0.17}),
    ),
    "jvrc1": (
        "stephane-caron+jvrc_description/jvrc_description/urdf/jvrc1.urdf",
        both("L", "R", {"{}_HIP_P": -0.38, "{}_KNEE": 0.72, "{}_ANKLE_P": -0.34, "{}_SHOULDER_P": -0.05,
                        "{}_ELBOW_P": -0.5}, {"{}_SHOULDER_R": 0.17}),
    ),
    "icub": (
        "Gepetto+example-robot-data/example-robot-data/robots/icub_description/robots/icub.urdf",
        both("l", "r", {"{}_hip_pitch": 0.35, "{}_knee": -0.6, "{}_ankle_pitch": -0.25, "{}_shoulder_roll": 0.3,
                        "{}_elbow": 0.5}),
    ),
    "robotis_op3": (
        "google-deepmind+mujoco_menagerie/robotis_op3/op3.xml",
        both("l", "r", {}, {"{}_hip_pitch": -0.5, "{}_knee": 1.0, "{}_ank_pitch": 0.5, "{}_sho_roll": 1.2}),
    ),
    "bullet_humanoid": (
        "bulletphysics+bullet3/data/humanoid.urdf",
        both("left", "right", {"{}_hip_y": -0.35, "{}_knee": -0.7, "{}_ankle_y": -0.35}),
    ),
}  # fmt: skip
GOALS: dict[str, dict[str, float]] = {
    "1 m": {"distance": 1.0}, "1 m at 100 %": {"distance": 1.0, "speed": 100.0}, "90 deg": {"turn": 90.0},
    "-90 deg": {"turn": -90.0},
}  # fmt: skip


def say(words: str) -> None:
    """A line for people."""
    print(words, file=sys.stderr if "--json" in sys.argv else sys.stdout, flush=True)


def prepared(robot: Robot, stance: Stance | None) -> Prepared:
    """A robot ready to walk from nothing but a stance; None: from its file alone."""
    rig = infer_rig(robot, stance=stance)
    rigged = with_rig(robot, rig)
    walker = BipedWalk(rigged, rig)
    return Prepared(rigged, walker.pose, walker, rig.forward, "walk")


def trial(robot: Robot, stance: Stance | None, goal: WalkGoal, seed: int, engine: str) -> WalkResult:
    """One walk from a pose that is a little off."""
    ready = prepared(robot, stance)
    legs = {name for leg in ready.walker.body.rig.legs for name in leg.joints}  # type: ignore[attr-defined]
    rng = np.random.default_rng(seed)
    pose = {name: q + (rng.uniform(-OFF, OFF) if name in legs else 0.0) for name, q in ready.pose.items()}
    start = (0.0, 0.0, -ready.forward)
    sim = simulate(ready.robot, "empty", engine, pose=pose, start=start, seed=seed, sensors=True)
    try:
        return lead(sim, ready, goal)
    finally:
        sim.close()


def study(names: list[str], seeds: int, engine: str, inferred: bool = False) -> list[dict[str, Any]]:
    """A row for every robot and goal: falls, and the worst errors of distance [%] or angle [deg]."""
    rows = []
    say("robot            goal          falls   reached (mean, worst error)   time [s]")
    for name in names:
        file, stance = BIPEDS[name]
        robot = load_robot(str(ZOO / file))
        for label, goal in GOALS.items():
            done = [trial(robot, None if inferred else stance, WalkGoal(**goal), seed, engine) for seed in range(seeds)]  # type: ignore[arg-type]
            wanted = goal.get("distance", goal.get("turn", 0.0))
            reached = np.array([one.distance if "distance" in goal else one.turned for one in done])
            worst = float(np.abs(reached - wanted).max() / abs(wanted) * 100)
            falls, ended = sum(one.fallen for one in done), sum(one.arrived for one in done)
            pace = float(np.mean([one.time for one in done]))
            say(f"{name:16} {label:12} {falls:3}/{seeds} {reached.mean():12.3f} {worst:8.1f} % {pace:14.1f}")
            rows.append({"robot": name, "goal": label, "trials": seeds, "falls": falls, "arrived": ended,
                         "mean": float(reached.mean()), "worst_error": worst, "time": pace})  # fmt: skip
    return rows


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(BIPEDS))
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument("--engine", default="mujoco")
    parser.add_argument("--inferred", action="store_true")
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    if not ZOO.is_dir():
        parser.error(f"the robots of other makers are not in {ZOO}; set ANDANTE_ZOO")
    unknown = [name for name in asked.names if name not in BIPEDS]
    if unknown:
        parser.error(f"no biped {unknown[0]!r}; bipeds: {', '.join(BIPEDS)}")
    rows = study(asked.names or list(BIPEDS), asked.seeds, asked.engine, asked.inferred)
    say(f"{sum(row['falls'] for row in rows)} of {sum(row['trials'] for row in rows)} walks fell")
    if asked.json:
        print(json.dumps({"walks": rows}))


if __name__ == "__main__":
    main()
