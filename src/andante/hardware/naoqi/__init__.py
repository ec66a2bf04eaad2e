"""A NAO behind its own NAOqi, as a body: naoqi://HOST:9559."""

from typing import TYPE_CHECKING

from andante.lazy import lazy_names

if TYPE_CHECKING:
    from .body import NaoqiBody
    from .settings import naoqi_settings, qi_url
    from .wire import Told, call_of, told_messages

__all__ = ["NaoqiBody", "Told", "call_of", "naoqi_settings", "qi_url", "told_messages"]

__getattr__ = lazy_names(__name__)  # with qi
