"""Topics, services, actions, parameters, tf and clock of a session; recordings and replay."""

from __future__ import annotations

from .actions import Action, Cancelled, Goal, GoalStatus
from .bus import Bus, Node, Service
from .clock import Clock, Timer
from .errors import BusError, GoalFailed, TfError
from .namespace import Namespace
from .parameters import Parameter, Parameters
from .player import Player
from .recorder import Recorder
from .tf import TfBuffer
from .topics import Publisher, Sample, Subscription

__all__ = [
    "Action", "Bus", "BusError", "Cancelled", "Clock", "Goal", "GoalFailed", "GoalStatus", "Namespace", "Node",
    "Parameter", "Parameters", "Player", "Publisher", "Recorder", "Sample", "Service", "Subscription", "TfBuffer",
    "TfError", "Timer",
]  # fmt: skip
