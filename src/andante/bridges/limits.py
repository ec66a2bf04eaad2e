"""What one client may ask for, and the bucket that measures it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """Bounds for one client of the server; the defaults suit pages and scripts on the same machine."""

    message_size: int = 4 * 2**20  # largest message from a client, joined fragments too [bytes]
    message_rate: float = 500.0  # messages a client may send in the long run [1/s]
    message_burst: float = 1000.0  # messages at once
    byte_rate: float = 16 * 2**20  # [bytes/s]
    strikes: int = 1000  # messages over the rate before the client is dropped
    clients: int = 64  # sockets at once
    subscriptions: int = 256  # per client
    pending: int = 64  # calls and goals of one client that wait for an answer
    fragments: int = 16  # unfinished fragmented messages of one client
    queue_bytes: int = 8 * 2**20  # encoded frames that wait for one client [bytes]
    stall: float = 5.0  # a client that takes nothing for so long is dropped [s]


class Bucket:
    """A bucket of tokens: refilled at `rate` per second up to `burst`; each message takes some."""

    def __init__(self, rate: float, burst: float, now: float) -> None:
        self.rate, self.burst = rate, burst
        self._level, self._time = burst, now

    def take(self, amount: float, now: float) -> bool:
        """Whether `amount` tokens were there at time `now` [s]; then they are gone."""
        self._level = min(self.burst, self._level + max(0.0, now - self._time) * self.rate)
        self._time = now
        if amount > self._level:
            return False
        self._level -= amount
        return True


class Throttle:
    """Lets events through at most once per period on average [s], forgiving jitter of a fifth of the period."""

    def __init__(self, period: float) -> None:
        self.period = period
        self._due = -float("inf")

    def ready(self, now: float) -> bool:
        """Whether an event at time `now` [s] may pass."""
        if self.period <= 0.0:
            return True
        if now < self._due - 0.2 * self.period:
            return False
        self._due = max(self._due, now) + self.period
        return True

    def wait(self, now: float) -> float:
        """Time until the next event may pass [s]."""
        return max(0.0, self._due - 0.2 * self.period - now)
