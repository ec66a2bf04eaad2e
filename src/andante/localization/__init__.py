"""Where the robot is: UWB ranges, inertial and wheel odometry, and Monte Carlo localisation on a map."""

from .likelihood_field import LikelihoodField
from .mcl import Estimate, MonteCarloLocalizer
from .mcl_parameters import MclParameters
from .replay import LocalizationResult, localize_log
from .scan_search import Places, ScanSearch
from .scoring import PositionError, position_error

__all__ = [
    "Estimate",
    "LikelihoodField",
    "LocalizationResult",
    "MclParameters",
    "MonteCarloLocalizer",
    "Places",
    "PositionError",
    "ScanSearch",
    "localize_log",
    "position_error",
]
