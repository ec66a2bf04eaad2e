"""Experiments: trials with seeds and perturbations, run anywhere, compared with real robots, summarized in a report."""

from .definition import builtin_names, load_experiment, parse_experiment
from .experiment import Experiment, Measure
from .objective import check_trial
from .runner import RunJob, RunOutcome, experiment_of, merge_runs, run_experiment
from .setup import Setup
from .table import Row, Values, rows_of
from .variation import Draw, Variation

__all__ = [
    "Draw",
    "Experiment",
    "Measure",
    "Row",
    "RunJob",
    "RunOutcome",
    "Setup",
    "Values",
    "Variation",
    "builtin_names",
    "check_trial",
    "experiment_of",
    "load_experiment",
    "merge_runs",
    "parse_experiment",
    "rows_of",
    "run_experiment",
]
