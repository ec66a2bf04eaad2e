"""How well legged robots walk: the Shell by every gait on two engines, turns, rough ground, robots of other makers.

python benchmarks/legged_study.py [shell | others FILE.urdf ...] prints one line per walk, all by the simulator's truth.
Robots of other makers are those of `pybullet_data`, and whatever files are named.
"""

from __future__ import annotations

import sys
from pathlib import Path

from andante.errors import AndanteError
from andante.runtime.walk import WalkJob, run_walk

SHELL = [
    *(
        WalkJob("shell", gait=g, engine=e, distance=2.0)
        for g in ("tripod", "ripple", "wave")
        for e in ("mujoco", "bullet")
    ),
    *(WalkJob("shell", gait="tripod", engine=e, turn=360.0) for e in ("mujoco", "bullet")),
    *(WalkJob("shell", gait=g, world="rough", distance=2.0) for g in ("tripod", "ripple")),
]
QUADRUPEDS = (
    "a1/a1.urdf",
    "aliengo/aliengo.urdf",
    "laikago/laikago_toes_zup.urdf",
    "mini_cheetah/mini_cheetah.urdf",
    "quadruped/vision60.urdf",
    "quadruped/spirit40.urdf",
)


def others(files: list[str]) -> list[WalkJob]:
    """A metre by every robot that is not ours."""
    if not files:
        import pybullet_data

        folder = Path(pybullet_data.getDataPath())
        files = [str(folder / name) for name in QUADRUPEDS]
        return [WalkJob(file, gait=gait, distance=1.0) for file in files for gait in ("trot", "crawl")]
    return [WalkJob(file, distance=1.0) for file in files]


def main() -> None:
    """Walk and tell."""
    which = sys.argv[1] if len(sys.argv) > 1 else "shell"
    jobs = SHELL if which == "shell" else others(sys.argv[2:])
    head = ("robot", "gait", "engine", "world", "along", "aside", "turned", "time", "rtf")
    print("{:22} {:7} {:7} {:6} {:>7} {:>7} {:>8} {:>6} {:>5}  state".format(*head), flush=True)
    for job in jobs:
        name = f"{Path(job.robot).stem:22} {job.gait:7} {job.engine:7} {job.world:6}"
        try:
            o = run_walk(job)
        except AndanteError as error:
            print(name, error, flush=True)
            continue
        state = "fallen" if o.fallen else "arrived" if o.arrived else "late"
        numbers = f"{o.distance:7.3f} {o.drift:+7.3f} {o.turned:+8.2f} {o.time:6.1f} {o.real_time_factor:5.1f}"
        print(f"{name} {numbers}  {state}", flush=True)


if __name__ == "__main__":
    main()
