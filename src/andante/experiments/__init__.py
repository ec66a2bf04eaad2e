"""Experiments: trials with seeds and perturbations, run anywhere, compared with real robots, summarized in a report.

`load_experiment` reads one, `run_experiment` carries it out, `write_report` compares it with reference trials,
`run_fit` identifies parameters that bring a simulation nearest to them; the statistics are in
`andante.experiments.statistics`.
"""

from typing import TYPE_CHECKING

from andante.lazy import lazy_names

from .definition import builtin_names, load_experiment, parse_experiment
from .experiment import Experiment, Measure
from .objective import check_trial
from .reference import read_reference, reference_names
from .runner import RunJob, RunOutcome, experiment_of, merge_runs, run_experiment, with_settings
from .setup import Setup, trial_function
from .table import Row, Values, rows_of
from .variation import Draw, Variation, read_model

if TYPE_CHECKING:
    from .fit import FitJob, FitOutcome, run_fit
    from .identification import (
        Excited,
        Identification,
        IdentifyJob,
        JointRecording,
        read_joint_recording,
        write_joint_recording,
    )
    from .importing import import_trials
    from .report import Report, write_report
    from .statistics import compare, summarize

__all__ = [
    "Draw", "Excited", "Experiment", "FitJob", "FitOutcome", "Identification", "IdentifyJob", "JointRecording",
    "Measure", "Report", "Row", "RunJob", "RunOutcome", "Setup", "Values", "Variation", "builtin_names", "check_trial",
    "compare", "experiment_of", "import_trials", "load_experiment", "merge_runs",
    "parse_experiment", "read_joint_recording", "read_model", "read_reference", "reference_names", "rows_of",
    "run_experiment", "run_fit", "summarize", "trial_function", "with_settings", "write_joint_recording",
    "write_report",
]  # fmt: skip

__getattr__ = lazy_names(__name__)
