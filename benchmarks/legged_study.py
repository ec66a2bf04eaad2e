"""How well legged robots walk: the Shell by every gait on two engines, turns, rough ground, robots of other makers.

python benchmarks/legged_study.py [shell | others FILE.urdf ...] [--two] [--json] prints one line per walk, all by the
simulator's truth; `--two`: on two processes. Robots of other makers are those of `pybullet_data` and a hexapod by the
figures of the PhantomX, or whatever files are named. `--json`: one object on stdout, the lines on stderr.
"""

from __future__ import annotations

import importlib.util
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from side_by_side import side_by_side

from andante.errors import AndanteError
from andante.tasks.walk import WalkResult, walk

Job = dict[str, Any]  # arguments of `walk`

SHELL = [
    *(
        Job(robot="shell", gait=g, engine=e, distance=2.0)
        for g in ("tripod", "ripple", "wave")
        for e in ("mujoco", "bullet")
    ),
    *(Job(robot="shell", gait="tripod", engine=e, turn=360.0) for e in ("mujoco", "bullet")),
    *(Job(robot="shell", gait=g, world="rough", distance=2.0) for g in ("tripod", "ripple")),
    *(Job(robot="shell", gait="roll", engine=e, distance=2.5) for e in ("mujoco", "bullet")),
]
SAMPLES = Path(__file__).resolve().parents[1] / "tests" / "locomotion" / "legged" / "samples.py"
QUADRUPEDS = (
    "a1/a1.urdf",
    "aliengo/aliengo.urdf",
    "laikago/laikago_toes_zup.urdf",
    "mini_cheetah/mini_cheetah.urdf",
    "quadruped/vision60.urdf",
    "quadruped/spirit40.urdf",
)


def hexapod(folder: Path) -> str:
    """A file of the PhantomX, by its published figures."""
    spec = importlib.util.spec_from_file_location("legged_samples", SAMPLES)
    assert spec is not None
    assert spec.loader is not None
    samples = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(samples)
    file = folder / "phantomx.urdf"
    file.write_text(samples.phantomx(), encoding="utf-8")
    return str(file)


def others(files: list[str], folder: Path) -> list[Job]:
    """A metre by every robot that is not ours."""
    if not files:
        import pybullet_data

        data = Path(pybullet_data.getDataPath())
        files = [str(data / name) for name in QUADRUPEDS]
        walks = [Job(robot=file, gait=gait, distance=1.0) for file in files for gait in ("trot", "crawl")]
        return [*walks, Job(robot=hexapod(folder), gait="tripod", distance=1.0)]
    return [Job(robot=file, distance=1.0) for file in files]


def walked(job: Job) -> WalkResult | str:
    """One walk, or why there was none."""
    try:
        return walk(**job)
    except AndanteError as error:
        return str(error)


def main() -> None:
    """Walk and tell."""
    words = [word for word in sys.argv[1:] if not word.startswith("--")]
    out = sys.stderr if "--json" in sys.argv else sys.stdout
    with tempfile.TemporaryDirectory() as folder:
        jobs = SHELL if words[:1] in ([], ["shell"]) else others(words[1:], Path(folder))
        head = ("robot", "gait", "engine", "world", "along", "aside", "turned", "time", "rtf")
        print("{:22} {:7} {:7} {:6} {:>7} {:>7} {:>8} {:>6} {:>5}  state".format(*head), file=out, flush=True)
        rows: list[dict[str, Any]] = []
        for job, o in zip(jobs, side_by_side(walked, jobs, 1 + ("--two" in sys.argv)), strict=True):
            robot, gait = Path(job["robot"]).stem, job.get("gait", "")
            engine, world = job.get("engine", "mujoco"), job.get("world", "empty")
            name = f"{robot:22} {gait:7} {engine:7} {world:6}"
            if isinstance(o, str):
                print(name, o, file=out, flush=True)
                continue
            state = "fallen" if o.fallen else "arrived" if o.arrived else "late"
            numbers = f"{o.distance:7.3f} {o.drift:+7.3f} {o.turned:+8.2f} {o.time:6.1f} {o.real_time_factor:5.1f}"
            print(f"{name} {numbers}  {state}", file=out, flush=True)
            rows.append(
                {"robot": robot, "gait": gait, "engine": engine, "world": world,
                 "turn": "turn" in job, "distance": o.distance, "drift": o.drift, "turned": o.turned,
                 "time": o.time, "fallen": o.fallen, "state": state}
            )  # fmt: skip
    if "--json" in sys.argv:
        print(json.dumps({"walks": rows}))


if __name__ == "__main__":
    main()
