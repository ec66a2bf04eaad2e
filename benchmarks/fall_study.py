"""Random falls of the NAO: does it feel them in time, and does it stand again?

    python benchmarks/fall_study.py [--falls 20] [--engine mujoco] [--gait walk] [--seed 0] [--dt S] [--compare]
                                    [--workers N] [--json]

Every fall has its own seed: a push of 5 to 9 N s at the torso in any horizontal direction, at any time within a second,
with sensor noise. The robot sees its sensors only; "stands" is the simulator's truth, held for one second.
--compare lets the servos stay stiff while it falls, to show what the protection is worth; --json
prints one object on stdout and the lines on stderr.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from typing import Any, TextIO

import numpy as np
from side_by_side import processor_time, side_by_side

from andante.errors import Diverged
from andante.experiments.trials.fall import FallOutcome, FallPush, run_fall
from andante.locomotion import Command


def fall(job: tuple[int, dict[str, Any]]) -> FallOutcome | str:
    """One fall by its seed and options, or why the run flew apart."""
    seed, options = job
    try:
        return run_fall(FallPush.random(seed), "nao", seed=seed, command=Command(), **options)
    except Diverged as error:
        return str(error)


def study(falls: int, seed: int, options: dict[str, Any], out_to: TextIO, workers: int) -> list[FallOutcome | str]:
    """The outcomes of falls one after the other, a line each; a run that flew apart is told in words."""
    out: list[FallOutcome | str] = []
    jobs = [(seed + number, options) for number in range(falls)]
    for number, told in enumerate(side_by_side(fall, jobs, workers)):
        out.append(told)
        push = FallPush.random(seed + number)
        if isinstance(told, FallOutcome):
            words = ", ".join(str(event) for event in told.events)
            print(
                f"{number:3d}  {push.impulse:4.1f} N s at {math.degrees(push.direction):6.1f} deg  "
                f"{'fell' if told.fell else 'did not fall':12s}  {'stands' if told.stands else 'LIES':6s}  {words}",
                file=out_to,
                flush=True,
            )
        else:
            print(f"{number:3d}  {told}", file=out_to, flush=True)
    return out


def summary(outcomes: list[FallOutcome | str], spent: float) -> dict[str, object]:
    """Shares and means."""
    good = [o for o in outcomes if isinstance(o, FallOutcome)]
    fell = [o for o in good if o.fell]
    up = [o for o in fell if o.stands]
    return {
        "falls": len(outcomes),
        "fell": len(fell),
        "stands again": len(up),
        "diverged": len(outcomes) - len(good),
        "at the first try": sum(o.failures == 0 for o in up),
        "felt before it lay": sum(o.warning > 0 for o in fell),
        "warning [s], mean": float(np.nanmean([o.warning for o in fell])) if fell else math.nan,
        "push to stand [s], mean": float(np.mean([o.seconds for o in up])) if up else math.nan,
        "hardest knock [m/s^2], median": float(np.median([o.peak for o in fell])) if fell else math.nan,
        "processor time per fall [s]": spent / max(1, len(outcomes)),
    }


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--falls", type=int, default=20)
    parser.add_argument("--engine", default="mujoco")
    parser.add_argument("--gait", default="")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--dt", type=float, default=None)
    parser.add_argument("--compare", action="store_true")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    for protect in (True, False) if options.compare else (True,):
        begin = processor_time()
        lines = sys.stderr if options.json else sys.stdout
        how = {"engine": options.engine, "gait": options.gait, "protect": protect, "dt": options.dt}
        outcomes = study(options.falls, options.seed, how, lines, options.workers)
        told = summary(outcomes, processor_time() - begin)
        if options.json:
            rows = [o.as_dict() if isinstance(o, FallOutcome) else {"diverged": o} for o in outcomes]
            print(json.dumps({"summary": told, "falls": rows}))
            continue
        print(f"\nservos {'soft' if protect else 'stiff'} while falling, {options.engine}:")
        for name, value in told.items():
            print(f"  {name:32s} {value if isinstance(value, int) else f'{value:.2f}'}")


if __name__ == "__main__":
    main()
