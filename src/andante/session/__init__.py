"""Live sessions: a robot on the bus in one lock-step loop, driven, changed and watched while it runs."""

from typing import TYPE_CHECKING

from andante.lazy import lazy_names

from .choice import CONTROL_TIME, SceneChoice
from .session import LiveSession

if TYPE_CHECKING:
    from .launch_file import LaunchPlan, launch_plan, read_launch
    from .launch_run import LaunchOutcome, run_launch

__all__ = [
    "CONTROL_TIME", "LaunchOutcome", "LaunchPlan", "LiveSession", "SceneChoice", "launch_plan", "read_launch",
    "run_launch",
]  # fmt: skip

__getattr__ = lazy_names(__name__)
