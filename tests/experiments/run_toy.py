"""The toy experiment in a process of its own, to be killed: run_toy.py FOLDER WORKERS."""

import sys
from dataclasses import replace
from pathlib import Path

from andante.experiments import RunJob, load_experiment, run_experiment

toy = load_experiment(f"{Path(__file__).parent / 'toys.py'}:TOY")
run_experiment(RunJob(replace(toy, arguments={"wait": 0.05}), Path(sys.argv[1]), workers=int(sys.argv[2])))
