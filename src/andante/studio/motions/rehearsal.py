"""A motion tried under physics in a process of its own: `python -m andante.studio.motions.rehearsal`, with a job.

The job comes on its input and is JSON: robot, arguments, world, engine, place (x, y, yaw), start (joint positions),
motion (its entries). The answer is one JSON line: problems, fallen, time.
"""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path
from typing import Any

import numpy as np

from andante.control.activities import Playing
from andante.control.loop import ControlLoop
from andante.description.load import load_robot, load_world
from andante.errors import AndanteError
from andante.motion.actions.check import check_keyframes
from andante.motion.io.library import keyframes_of
from andante.motion.keyframes import fit, play_from
from andante.simulation import simulate

SETTLE = 1.0  # watched after the end [s]
LONGEST = 60.0  # of a motion without end, or a very long one [s]


def rehearse(job: dict[str, Any]) -> dict[str, Any]:
    """What goes wrong when the motion is played: problems of its check, and whether and when the robot falls."""

    robot, world = load_robot(job["robot"], job["arguments"]), load_world(job["world"])
    motion = keyframes_of(job["motion"], Path("motion"))
    start = robot.complete(job["start"])
    problems = [f"{each.severity}: {each.message}" for each in check_keyframes(robot, motion, start)]
    played = play_from(fit(motion, robot).motion, robot, start)
    end = min(LONGEST, played.duration)
    hold = np.array([start[name] for name in robot.joint_names])
    sim = simulate(robot, world, job["engine"], pose=start, start=tuple(job["place"]), sensors=True, seed=0)
    try:
        loop = ControlLoop(sim, Playing(played, robot.joint_names, hold, motion.name))
        fell = math.nan
        while sim.time < end + SETTLE:
            loop.step()
            if sim.fallen:
                fell = sim.time
                break
    finally:
        sim.close()
    fallen = not math.isnan(fell)
    return {"problems": problems, "fallen": fallen, "time": fell if fallen else end}


def main() -> None:
    """Read the job, answer."""
    try:
        answer = rehearse(json.loads(sys.stdin.read()))
    except AndanteError as error:
        answer = {"error": str(error)}
    print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
