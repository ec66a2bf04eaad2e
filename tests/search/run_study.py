"""A study in a process of its own, to be killed: run_study.py FOLDER SAMPLER BUDGET WORKERS."""

import sys
from pathlib import Path

from andante.search import ObjectiveSpec, StudyConfig, resume, search

folder, sampler, budget, workers = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
objective = ObjectiveSpec(f"{Path(__file__).parent / 'objectives.py'}:Sphere", {"wait": 0.06})
if (folder / "study.toml").exists():
    resume(folder, workers=workers)
else:
    search(folder, StudyConfig(objective, objective.build().space, sampler, batch=8, budget=budget), workers=workers)
