"""Walking, rolling and driving as pure functions of what the robot feels: readings in, joint targets out."""

from .behaviour import Behaviour, Command, Readings, Walker, WalkerWrapper

__all__ = ["Behaviour", "Command", "Readings", "Walker", "WalkerWrapper"]
