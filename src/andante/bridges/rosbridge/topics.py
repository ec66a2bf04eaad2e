"""One topic that a rosbridge client subscribes to: its options merged, messages throttled, encoded and fragmented."""

from __future__ import annotations

import asyncio
import uuid
from collections import deque
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from andante.bridges.client import Listening
from andante.bridges.encoding import Frame, to_json
from andante.bridges.server.access import Throttle

DEPTH = 100  # messages of one topic that wait for a slow client when it did not say


@dataclass(frozen=True)
class SubscribeOptions:
    """How a client subscribes to a topic."""

    compression: str = "none"
    throttle: float = 0.0  # least time between messages [s]
    queue: int = 0  # messages kept while throttled, and while the client is slow; 0: none and a default
    fragment: int = 0  # longest text in characters, 0 for no limit


PRECEDENCE = ("cbor-raw", "cbor", "png", "none")


def merged(options: Collection[SubscribeOptions]) -> SubscribeOptions:
    """Options that serve all: a client that subscribes twice still gets each message once."""
    return SubscribeOptions(
        compression=next(c for c in PRECEDENCE if any(each.compression == c for each in options)),
        throttle=min(each.throttle for each in options),
        queue=min(each.queue for each in options),
        fragment=min((each.fragment for each in options if each.fragment), default=0),
    )


class Subscription:
    """Takes frames of one topic and hands those that are due to the client's outlet."""

    def __init__(self, topic: str, outlet: Any) -> None:
        self.topic = topic
        self.listening: Listening | None = None
        self.options = SubscribeOptions()
        self._outlet = outlet
        self._by_id: dict[str, SubscribeOptions] = {}
        self._throttle = Throttle(0.0)
        self._waiting: deque[Frame] = deque()
        self._timer: asyncio.TimerHandle | None = None

    @property
    def empty(self) -> bool:
        """Whether the client has unsubscribed."""
        return not self._by_id

    def add(self, mark: str, options: SubscribeOptions) -> None:
        """Add or change the options of one subscription id."""
        self._by_id[mark] = options
        self._update()

    def remove(self, mark: str | None) -> None:
        """Remove the options of an id, or all of them; an unknown id changes nothing."""
        if mark is None:
            self._by_id.clear()
        else:
            self._by_id.pop(mark, None)
        if self._by_id:
            self._update()

    def take(self, frame: Frame) -> None:
        """Send a frame, keep it until it is due, or leave it out."""
        loop = asyncio.get_running_loop()
        now = loop.time()
        if not self._waiting and (frame.latched or self._throttle.ready(now)):
            self._send(frame)
        elif self.options.queue:
            self._waiting.append(frame)
            while len(self._waiting) > self.options.queue:
                self._waiting.popleft()
            if self._timer is None:
                self._timer = loop.call_later(self._throttle.wait(now), self._due)

    def close(self) -> None:
        """End the subscription."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._waiting.clear()
        if self.listening is not None:
            self.listening.close()
            self.listening = None

    def _due(self) -> None:
        self._timer = None
        loop = asyncio.get_running_loop()
        if self._waiting and self._throttle.ready(loop.time()):
            self._send(self._waiting.popleft())
        if self._waiting:
            self._timer = loop.call_later(max(1e-3, self._throttle.wait(loop.time())), self._due)

    def _send(self, frame: Frame) -> None:
        data = frame.encoded(self.options.compression)
        depth = self.options.queue or DEPTH
        size = self.options.fragment
        if not size or isinstance(data, bytes) or len(data) <= size:
            self._outlet.put(data, self.topic, depth)
            return
        mark, total = str(uuid.uuid4()), -(-len(data) // size)
        for number in range(total):
            part = data[number * size : (number + 1) * size]
            self._outlet.put(to_json({"op": "fragment", "id": mark, "data": part, "num": number, "total": total}))

    def _update(self) -> None:
        self.options = merged(self._by_id.values())
        if self._throttle.period != self.options.throttle:
            self._throttle = Throttle(self.options.throttle)
