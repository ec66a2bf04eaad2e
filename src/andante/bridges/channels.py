"""Topics that are heard over one line: many listeners, one subscription at the far end, latched messages kept."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from .client import OnFrame
from .frames import Frame


class ChannelListener:
    """One listener of a topic."""

    def __init__(self, channels: Channels, topic: str, on_frame: OnFrame, throttle: float) -> None:
        self._channels, self.topic, self.on_frame, self.throttle = channels, topic, on_frame, throttle

    def close(self) -> None:
        """Hear no more."""
        self._channels.remove(self)


class _Channel:
    def __init__(self) -> None:
        self.listeners: list[ChannelListener] = []
        self.throttle = -1.0
        self.kept: deque[Frame] = deque(maxlen=1)


class Channels:
    """Joins the listeners of each topic; the far end is asked for the rate of the fastest one.

    Args:
        subscribe: called with topic and throttle [s] whenever the far end is to send a topic, or at another rate.
        unsubscribe: called with the topic that nobody hears any more.
    """

    def __init__(self, subscribe: Callable[[str, float], None], unsubscribe: Callable[[str], None]) -> None:
        self._subscribe, self._unsubscribe = subscribe, unsubscribe
        self._channels: dict[str, _Channel] = {}

    def add(self, topic: str, on_frame: OnFrame, throttle: float) -> ChannelListener:
        """Hear a topic; what is kept of it comes at once."""
        channel = self._channels.setdefault(topic, _Channel())
        listener = ChannelListener(self, topic, on_frame, throttle)
        channel.listeners.append(listener)
        self._adjust(topic, channel)
        for frame in list(channel.kept):
            on_frame(frame)
        return listener

    def remove(self, listener: ChannelListener) -> None:
        """End one listener."""
        channel = self._channels.get(listener.topic)
        if channel is not None and listener in channel.listeners:
            channel.listeners.remove(listener)
            self._adjust(listener.topic, channel)

    def take(self, frame: Frame, depth: int) -> None:
        """Hand a frame to all who hear its topic; of a latched topic the last `depth` are kept."""
        channel = self._channels.get(frame.topic)
        if channel is None:
            return
        if depth:
            if channel.kept.maxlen != depth:
                channel.kept = deque(channel.kept, maxlen=depth)
            channel.kept.append(frame)
        for listener in list(channel.listeners):
            listener.on_frame(frame)

    def renew(self) -> None:
        """Ask the far end for everything again, as after a lost connection."""
        for topic, channel in self._channels.items():
            channel.kept.clear()
            self._subscribe(topic, channel.throttle)

    def _adjust(self, topic: str, channel: _Channel) -> None:
        if not channel.listeners:
            del self._channels[topic]
            self._unsubscribe(topic)
            return
        throttle = min(listener.throttle for listener in channel.listeners)
        if throttle != channel.throttle:
            channel.throttle = throttle
            channel.kept.clear()  # the far end sends latched messages anew
            self._subscribe(topic, throttle)
