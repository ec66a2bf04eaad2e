"""Search over parameters: spaces, objectives, samplers, studies that survive any end, executors."""

from .check import check_objective, check_sampler
from .config import StudyConfig
from .folder import StudyFolder
from .objective import Objective, ObjectiveSpec
from .progress import Ended, Evaluated, Event, Notice, Started
from .record import Record, tail
from .run import events, resume, search
from .samplers import SAMPLERS, Sampler, Shard, Told, make_sampler
from .space import Choice, Grid, Real, Space
from .summary import Summary, merge, summarize

__all__ = [
    "SAMPLERS", "Choice", "Ended", "Evaluated", "Event", "Grid", "Notice", "Objective", "ObjectiveSpec", "Real",
    "Record", "Sampler", "Shard", "Space", "Started", "StudyConfig", "StudyFolder", "Summary", "Told",
    "check_objective", "check_sampler", "events", "make_sampler", "merge", "resume", "search", "summarize", "tail",
]  # fmt: skip
