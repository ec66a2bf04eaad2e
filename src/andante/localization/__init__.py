"""Where the robot is: UWB ranges, inertial and wheel odometry, and Monte Carlo localization on a map."""

from . import space, synthetic
from .evaluation import PositionError, consistency, nees, position_error
from .filters import Ahrs, FadingFilter1, FadingFilter2, MovingAverage
from .likelihood_field import LikelihoodField
from .map_alignment import StandStill, align_by_driving
from .mcl import Estimate, MonteCarloLocalizer
from .odometry_filter import OdometryFilter, OdometryNoise
from .parameters import MclParameters
from .range_filter import RangeInertialFilter, RangeNoise
from .replay import LocalizationResult, localize_log
from .scan_search import Places, ScanSearch
from .trilateration import Fix, trilaterate
from .uwb import UwbLog, UwbSetup, anchors_from_distances, in_source_frame, track_uwb, trilaterate_log

__all__ = [
    "Ahrs", "Estimate", "FadingFilter1", "FadingFilter2", "Fix", "LikelihoodField", "LocalizationResult",
    "MclParameters", "MonteCarloLocalizer", "MovingAverage", "OdometryFilter", "OdometryNoise", "Places",
    "PositionError", "RangeInertialFilter", "RangeNoise", "ScanSearch", "StandStill", "UwbLog", "UwbSetup",
    "align_by_driving", "anchors_from_distances", "consistency", "in_source_frame", "localize_log", "nees",
    "position_error", "space", "synthetic", "track_uwb", "trilaterate", "trilaterate_log",
]  # fmt: skip
