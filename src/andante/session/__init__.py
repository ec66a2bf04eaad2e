"""Live sessions: a robot on the bus in one lock-step loop, driven, changed and watched while it runs."""

from .choice import CONTROL_TIME, SceneChoice
from .session import LiveSession

__all__ = ["CONTROL_TIME", "LiveSession", "SceneChoice"]
