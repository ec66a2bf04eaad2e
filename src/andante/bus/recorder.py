"""`Recorder`: what is said on a bus, into a bag, while the session runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from andante.bags import messages
from andante.bags.topics import BagTopic, TopicChoice, chosen
from andante.bags.writer import FLUSH_AFTER, BagWriter
from andante.bus.bus import Bus
from andante.bus.topics import Sample, Subscription
from andante.errors import AndanteError
from andante.files import Closing

QUEUE = 10_000


class Recorder(Closing):
    """Records topics of a bus from now on, also those that are advertised later, until `close`.

    The time of a message is the simulated time of its publishing; latched ones from before come with the time of the
    start. An error of the disk ends the recording, is told on /rosout and in `error`, and leaves the session alone.
    """

    def __init__(
        self,
        bus: Bus,
        path: Path | str,
        topics: TopicChoice | Iterable[str] | str | None = None,
        max_size: int | None = None,
        node: str = "recorder",
    ) -> None:
        self.bus, self.node, self.choice = bus, node, chosen(topics)
        self.writer = BagWriter(path, max_size)
        messages.load(self.writer.encoding)
        self.error = ""
        self._subscriptions: dict[str, Subscription] = {}
        self._ros = 1 if self.writer.encoding == "ros1" else 2
        self._looking = False
        self._since = bus.clock.now
        self._look()
        self._unwatch = bus.on_change(self._look)
        self._timer = bus.every(FLUSH_AFTER, self.keep_safe, node)

    @property
    def count(self) -> int:
        """Messages written."""
        return self.writer.count

    @property
    def file(self) -> Path:
        """The file that is being written."""
        return self.writer.file

    @property
    def dropped(self) -> int:
        """Messages lost because too many came between two spins."""
        return sum(subscription.dropped for subscription in self._subscriptions.values())

    @property
    def active(self) -> bool:
        """Whether it still records."""
        return not self.writer.closed

    def change(self, topics: TopicChoice | Iterable[str] | str | None) -> None:
        """Record another choice of topics from now on; those that are recorded already go on."""
        self.choice = chosen(topics)
        self._look()

    def keep_safe(self) -> None:
        """Hand what has waited to the system; to be called now and then where the clock of the bus may stand still."""
        if not self.writer.closed:
            self._guarded(self.writer.keep_safe)

    def close(self) -> None:
        """Stop, and complete the bag; what is still queued is written first."""
        if self.writer.closed:
            return
        for subscription in self._subscriptions.values():
            while subscription.pending and not self.writer.closed:
                self._take(subscription.pending.popleft())
        self._stop()
        if not self.writer.closed:
            self._guarded(self.writer.close)

    def _look(self) -> None:
        """Listen to topics that have come up."""
        if self._looking or self.writer.closed:
            return
        self._looking = True  # listening is a change of the bus too
        try:
            for name, type_name in self.bus.topics().items():
                if name not in self._subscriptions and self.choice.takes(name):
                    self._subscriptions[name] = self.bus.subscribe(
                        name, type_name, self._take, queue=QUEUE, node=self.node, whole=True
                    )
        finally:
            self._looking = False

    def _take(self, sample: Sample) -> None:
        if self.writer.closed:
            return
        try:
            data = messages.to_ros1(sample.message) if self._ros == 1 else sample.cdr
        except AndanteError as error:
            self.bus.log("warn", f"not recorded: {sample.topic}: {error}", self.node)
            return
        self._guarded(lambda: self._write(sample, data))

    def _write(self, sample: Sample, data: bytes) -> None:
        if not self.writer.knows(sample.topic):
            self.writer.add(self._described(sample))
        self._since = min(self._since, self.bus.clock.now)  # time may jump back
        self.writer.write(sample.topic, round(max(sample.stamp, self._since) * 1e9), data)

    def _described(self, sample: Sample) -> BagTopic:
        publishers = self.bus.topic(sample.topic).publishers
        return BagTopic(
            sample.topic,
            sample.type,
            self.writer.encoding,
            messages.definition(sample.type, self._ros),
            latched=any(publisher.latched for publisher in publishers),
            sensor=bool(publishers) and all(publisher.sensor for publisher in publishers),
        )

    def _guarded(self, work: Callable[[], None]) -> None:
        try:
            work()
        except OSError as error:
            self.error = f"{self.writer.path}: {error.strerror or error}"
            self.writer.abandon()
            self._stop()
            self.bus.log("error", f"recording stopped: {self.error}", self.node)

    def _stop(self) -> None:
        self._timer.close()
        self._unwatch()
        for subscription in self._subscriptions.values():
            subscription.close()
