"""Statistics of trials: pure functions of arrays. Never a bare mean."""

from .agreement import Agreement, agreement, mean_error
from .compare import Comparison, compare, hedges_g, holm
from .effects import Effect, effects
from .enough import trials_for_difference, trials_for_width
from .equivalence import Equivalence, equivalence
from .summary import Summary, bootstrap_interval, summarize

__all__ = [
    "Agreement",
    "Comparison",
    "Effect",
    "Equivalence",
    "Summary",
    "agreement",
    "bootstrap_interval",
    "compare",
    "effects",
    "equivalence",
    "hedges_g",
    "holm",
    "mean_error",
    "summarize",
    "trials_for_difference",
    "trials_for_width",
]
