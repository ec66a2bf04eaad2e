"""Identification: parameters that bring an engine nearest to reference trials, checked on tests that were left out."""

from .identify import FitJob, FitOutcome, run_fit
from .objective import FitObjective, Targets, targets_of

__all__ = ["FitJob", "FitObjective", "FitOutcome", "Targets", "run_fit", "targets_of"]
