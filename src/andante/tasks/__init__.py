"""What the commands do: one function and one result each, as `an.walk`, `an.map_log`, `an.navigate` give them.

`gait`, `bag` and `bridge` are modules of functions, as `an.gait.search` gives them.
"""

from typing import TYPE_CHECKING

from andante.lazy import lazy_names

if TYPE_CHECKING:
    from .catalog import DoctorResult, EngineInfo, RobotEntry, WorldEntry, doctor, engines, robots, worlds
    from .compare_engines import EnginesResult, compare_engines
    from .describe.check import CheckResult, check
    from .describe.convert import ConvertResult, convert
    from .describe.rig import RigResult, rig
    from .explore import ExploreResult, explore
    from .gait import ExportResult, GaitResult, SearchResult
    from .ik import IkResult, ik
    from .maps.localize import LocalizeResult, localize
    from .maps.map_log import MapResult, map_log
    from .mesh import MeshResult, mesh
    from .navigate import NavigateResult, navigate
    from .play import PlayResult, check_play, play
    from .result import Result
    from .sim import SimResult, sim
    from .tune import TuneResult, tune
    from .walk import WalkResult, walk
    from .zoo.run import ZooResult, zoo

__all__ = [
    "CheckResult", "ConvertResult", "DoctorResult", "EngineInfo", "EnginesResult", "ExploreResult", "ExportResult",
    "GaitResult", "IkResult", "LocalizeResult", "MapResult", "MeshResult", "NavigateResult", "PlayResult", "Result",
    "RigResult", "RobotEntry", "SearchResult", "SimResult", "TuneResult", "WalkResult", "WorldEntry", "ZooResult",
    "check", "check_play", "compare_engines", "convert", "doctor", "engines", "explore", "ik", "localize", "map_log",
    "mesh", "navigate", "play", "rig", "robots", "sim", "tune", "walk", "worlds", "zoo",
]  # fmt: skip

__getattr__ = lazy_names(__name__)
