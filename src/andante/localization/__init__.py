"""Where the robot is: UWB ranges, inertial and wheel odometry, and Monte Carlo localisation on a map."""

from .ahrs import Ahrs
from .anchors import UwbSetup, anchors_from_distances, in_source_frame
from .consistency import consistency, nees
from .filters import FadingFilter1, FadingFilter2, MovingAverage
from .likelihood_field import LikelihoodField
from .map_alignment import StandStill, align_by_driving
from .mcl import Estimate, MonteCarloLocalizer
from .mcl_parameters import MclParameters
from .odometry_filter import OdometryFilter, OdometryNoise
from .range_filter import RangeInertialFilter, RangeNoise
from .replay import LocalizationResult, localize_log
from .scan_search import Places, ScanSearch
from .scoring import PositionError, position_error
from .trilateration import Fix, trilaterate
from .uwb_log import UwbLog
from .uwb_track import track_uwb, trilaterate_log

__all__ = [
    "Ahrs",
    "Estimate",
    "FadingFilter1",
    "FadingFilter2",
    "Fix",
    "LikelihoodField",
    "LocalizationResult",
    "MclParameters",
    "MonteCarloLocalizer",
    "MovingAverage",
    "OdometryFilter",
    "OdometryNoise",
    "Places",
    "PositionError",
    "RangeInertialFilter",
    "RangeNoise",
    "ScanSearch",
    "StandStill",
    "UwbLog",
    "UwbSetup",
    "align_by_driving",
    "anchors_from_distances",
    "consistency",
    "in_source_frame",
    "localize_log",
    "nees",
    "position_error",
    "track_uwb",
    "trilaterate",
    "trilaterate_log",
]
