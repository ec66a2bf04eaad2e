"""`Player`: a bag back onto a bus, at any speed, with its clock."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from time import monotonic, sleep

from andante.bags import messages
from andante.bags.convert import refuse_missing
from andante.bags.reader import Bag, BagMessage, open_bag
from andante.bags.topics import Convert, TopicChoice, chosen, converter, learn
from andante.bus.bus import ROSOUT, Bus
from andante.bus.topics import Publisher
from andante.errors import BadInput

CLOCK, CLOCK_TYPE = "/clock", "rosgraph_msgs/msg/Clock"
TICK = 0.01  # of the clock [s]


class Player:
    """Publishes the messages of a bag when their time comes. The clock of the bus is moved to the time of the bag.

    speed 2 plays twice as fast. start is where to begin [s from the beginning]; what was latched before that comes
    first. loop begins anew at the end, with a jump back of the clock. alone: nobody else is heard meanwhile on the
    topics that it plays (see `Publisher.lead`), but for the log.
    """

    def __init__(
        self,
        bus: Bus,
        bag: Bag | Path | str,
        speed: float = 1.0,
        loop: bool = False,
        start: float = 0.0,
        topics: TopicChoice | Iterable[str] | str | None = None,
        clock: bool = True,
        node: str = "player",
        alone: bool = False,
    ) -> None:
        if not (math.isfinite(speed) and speed > 0):
            raise BadInput(f"the speed of a replay must be > 0, got {speed}")
        if not (math.isfinite(start) and start >= 0):
            raise BadInput(f"a replay starts 0 s or more after the beginning, got {start}")
        self.bus, self.speed, self.loop, self.node = bus, speed, loop, node
        self.bag = bag if isinstance(bag, Bag) else open_bag(bag)
        if start > self.bag.duration and self.bag.count:
            raise BadInput(f"{self.bag.path}: lasts {self.bag.duration:.3f} s, cannot start at {start:g} s")
        self.choice = chosen(topics)
        self._left_out: list[str] = []
        self.rounds = 0  # complete ones
        self.count = 0  # messages published
        self.broken = 0  # messages that could not be read
        self._start = self.bag.start + round(start * 1e9)
        self._publishers: dict[str, tuple[Publisher, Convert]] = {}
        self._advertise()
        own_clock = any(topic.name == CLOCK and self.choice.takes(CLOCK) for topic in self.bag.topics)
        self._clock = bus.advertise(CLOCK, CLOCK_TYPE, node=node) if clock and not own_clock else None
        if alone:
            for publisher in [made for made, _ in self._publishers.values()] + ([self._clock] if self._clock else []):
                if publisher.topic != ROSOUT:
                    publisher.lead()
        self._next: BagMessage | None = None
        self._source: Iterator[BagMessage] = iter(())
        self.finished = False
        self._begin()

    @property
    def notes(self) -> list[str]:
        """What the bag lacks, and topics that cannot be played, a line each."""
        return [*self.bag.notes, *self._left_out]

    @property
    def time(self) -> float:
        """Time of the bag that has been played up to [s]."""
        return self._now * 1e-9

    @property
    def position(self) -> float:
        """The same from the beginning of the bag [s]."""
        return (self._now - self.bag.start) * 1e-9

    def advance(self, seconds: float) -> int:
        """Play on by so many seconds of wall time (times the speed); the number of messages published.

        Each instant of the bag is delivered (`Bus.spin`) before the next one comes.
        """
        goal = self._now + round(seconds * self.speed * 1e9)
        count = seams = 0
        while not self.finished and self._next is not None and self._next.time <= goal:
            instant, rounds = self._next.time, self.rounds
            count += self._play_instant()
            if self.rounds != rounds:  # begun anew: what is left of the time counts from there
                goal = self._now + min(goal - instant, self.bag.end - self._start)
                seams += 1
                if seams > 1:
                    break
        if not self.finished:
            self._move(goal)
            self.bus.spin()
        self.count += count
        return count

    def run(self, told: Callable[[Player], None] | None = None, pace: Callable[[float], None] = sleep) -> None:
        """Play to the end in real time (endless with loop); told is called about ten times a second."""
        begun, played, last_told = monotonic(), 0.0, -math.inf
        while not self.finished:
            elapsed = monotonic() - begun
            self.advance(max(0.0, elapsed - played))
            played = max(played, elapsed)
            if told is not None and elapsed - last_told >= 0.1:
                last_told = elapsed
                told(self)
            if not self.finished:
                pace(TICK / 2)

    def play_all(self) -> int:
        """Play one round as fast as it goes."""
        count, rounds = 0, self.rounds
        while not self.finished and self.rounds == rounds and self._next is not None:
            count += self._play_instant()
        self.count += count
        return count

    def close(self) -> None:
        """Stop publishing and let go of the bag."""
        self.finished = True
        for publisher, _ in self._publishers.values():
            publisher.close()
        if self._clock is not None:
            self._clock.close()
        self.bag.close()

    def _advertise(self) -> None:
        refuse_missing(self.bag, self.choice)
        for topic in self.bag.topics:
            if not self.choice.takes(topic.name):
                continue
            try:
                learn(topic)
                publisher = self.bus.advertise(
                    topic.name, topic.type, latched=topic.latched, node=self.node, sensor=topic.sensor
                )
                self._publishers[topic.name] = publisher, converter(topic, "cdr")
            except Exception as error:
                self._left_out.append(f"left out: {topic.name}: {' '.join(str(error).split())[:160]}")

    def _begin(self) -> None:
        """To the start; messages of latched topics from before come at once."""
        self._now = self._start
        if self.bus.clock.now != self._now * 1e-9:
            self.bus.clock.reset(self._now * 1e-9)
        self._tick = self._now
        if self._start > self.bag.start:
            latched = [name for name in self._publishers if self._publishers[name][0].latched]
            last: dict[str, BagMessage] = {}
            if latched:
                for message in self.bag.messages(TopicChoice(tuple(latched)), stop=self._start):
                    last[message.topic.name] = message
            for message in last.values():
                self._publish(message)
        self._source = self.bag.messages(self.choice, start=self._start)
        self._next = next(self._source, None)
        self.finished = self._next is None

    def _play_instant(self) -> int:
        """All messages of the next instant, then a spin."""
        assert self._next is not None
        instant = self._next.time
        self._move(instant)
        count = 0
        while self._next is not None and self._next.time <= instant:
            count += self._publish(self._next)
            self._next = next(self._source, None)
        self.bus.spin()
        if self._next is None:
            self.rounds += 1
            if self.loop:
                self._begin()
            else:
                self.finished = True
        return count

    def _publish(self, message: BagMessage) -> int:
        found = self._publishers.get(message.topic.name)
        if found is None:
            return 0
        publisher, convert = found
        if not publisher.wanted():
            return 1
        try:
            data = convert(message.data)
        except Exception:
            self.broken += 1
            return 0
        publisher.publish_cdr(data)
        return 1

    def _move(self, instant: int) -> None:
        """Move the clock, and tell it in steps."""
        while self._clock is not None and self._tick <= instant:
            self._set(self._tick)
            if self._clock.wanted():
                stamp = messages.cls("builtin_interfaces/msg/Time")(*divmod(self._tick, 1_000_000_000))
                self._clock.publish(messages.cls(CLOCK_TYPE)(stamp))
            if instant - self._tick > 1_000_000_000:  # a gap in the bag: no need to fill it
                self._tick = instant
            else:
                self._tick += round(TICK * 1e9)
        self._set(instant)

    def _set(self, instant: int) -> None:
        if instant < self._now:
            return
        self._now = instant
        self.bus.clock.advance_to(max(self.bus.clock.now, instant * 1e-9))
