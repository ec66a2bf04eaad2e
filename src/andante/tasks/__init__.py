"""What the commands do: one function and one result each, as `an.walk`, `an.map_log`, `an.navigate` give them."""

from typing import TYPE_CHECKING

from andante.lazy import lazy_names

if TYPE_CHECKING:
    from .explore import ExploreResult, explore
    from .localize import LocalizeResult, localize
    from .map_log import MapResult, map_log
    from .navigate import NavigateResult, navigate
    from .play import PlayResult, check_play, play
    from .result import Result
    from .sim import SimResult, sim
    from .walk import WalkResult, walk

__all__ = [
    "ExploreResult",
    "LocalizeResult",
    "MapResult",
    "NavigateResult",
    "PlayResult",
    "Result",
    "SimResult",
    "WalkResult",
    "check_play",
    "explore",
    "localize",
    "map_log",
    "navigate",
    "play",
    "sim",
    "walk",
]

__getattr__ = lazy_names(
    __name__,
    {
        "ExploreResult": ".explore",
        "LocalizeResult": ".localize",
        "MapResult": ".map_log",
        "NavigateResult": ".navigate",
        "PlayResult": ".play",
        "Result": ".result",
        "SimResult": ".sim",
        "WalkResult": ".walk",
        "check_play": ".play",
        "explore": ".explore",
        "localize": ".localize",
        "map_log": ".map_log",
        "navigate": ".navigate",
        "play": ".play",
        "sim": ".sim",
        "walk": ".walk",
    },
)
