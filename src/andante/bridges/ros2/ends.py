"""The DDS side of a bridge: a participant, and writers and readers of CDR bytes with the qualities of ROS 2."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Any

from andante.errors import BadInput, MissingExtra
from andante.extras import how_to_get

from .network import configuration, described, is_private, keep_private, open_sockets
from .samples import raw_sample, trimmed

BLOCKING = 100_000_000  # how long a reliable writer may wait for room [ns]; ROS 2 says 100 ms too
DEPTH, SENSOR_DEPTH = 10, 5  # samples that are kept
REMEMBERED = 256  # samples that a topic may get twice
TAKE = 100  # samples at once
PARTICIPANT = b"enclave=/;"  # what participants of ROS 2 say of themselves


def require() -> None:
    """Raise MissingExtra unless `cyclonedds` is installed."""
    try:
        import cyclonedds  # noqa: F401
    except ImportError:
        raise MissingExtra(f"ROS 2 over DDS needs cyclonedds: {how_to_get('ros2')}") from None


def qos(told: bytes, *, sensor: bool = False, latched: int = 0, best_effort: bool = False) -> Any:
    """The quality of service of a writer or reader.

    A reliable writer suits every reader, so all are reliable. Sensors keep the last 5 and never wait for a slow
    reader; latched topics are transient local.

    Args:
        told: its user data.
        best_effort: for readers that hear best-effort writers too.
    """
    from cyclonedds.qos import Policy, Qos

    reliable = Policy.Reliability.Reliable(0 if sensor else BLOCKING)
    depth = latched or (SENSOR_DEPTH if sensor else DEPTH)
    policies = [
        Policy.Reliability.BestEffort if best_effort else reliable,
        Policy.History.KeepLast(depth),
        Policy.Durability.TransientLocal if latched else Policy.Durability.Volatile,
        Policy.Userdata(told),
        Policy.DataRepresentation(use_cdrv0_representation=True, use_xcdrv2_representation=False),
    ]
    if latched:
        unlimited = -1
        policies.append(
            Policy.DurabilityService(
                0, Policy.History.KeepLast(depth), max_samples=unlimited, max_instances=unlimited,
                max_samples_per_instance=unlimited,
            )
        )  # fmt: skip
    return Qos(*policies)


class Participant:
    """A DDS participant whose writers and readers carry CDR bytes; events arrive in the asyncio loop."""

    def __init__(self, domain: int = 0, interface: str = "") -> None:
        require()
        from cyclonedds.core import DDSException
        from cyclonedds.domain import Domain, DomainParticipant
        from cyclonedds.qos import Policy, Qos

        self._loop = asyncio.get_running_loop()
        private, sockets = is_private(interface), open_sockets()
        try:
            self._domain: Any = Domain(domain, configuration(interface))
            if private:
                keep_private(domain, sockets)
            self._participant: Any = DomainParticipant(domain, qos=Qos(Policy.Userdata(PARTICIPANT)))
        except DDSException as error:
            raise BadInput(f"DDS cannot start ({described(interface)}): {error}") from None

    @property
    def gid(self) -> bytes:
        """Its GUID on the wire, 16 bytes."""
        return guid_of(self._participant)

    def join(self, make: Any, topic: str, kind: Any, quality: Any, **events: Callable[..., None]) -> Any:
        """A DDS writer or reader (`make`) of a DDS topic; functions for its events are called in the asyncio loop."""
        from cyclonedds.core import DDSException, Listener
        from cyclonedds.topic import Topic

        def later(call: Callable[..., None], _end: Any, *status: Any) -> None:  # DDS calls back from its own threads
            if not self._loop.is_closed():
                self._loop.call_soon_threadsafe(call, *status)

        listener = Listener(**{name: partial(later, call) for name, call in events.items()})  # type: ignore[no-untyped-call, unused-ignore]
        try:
            made = make(self._participant, Topic(self._participant, topic, kind), qos=quality, listener=listener)
        except DDSException as error:
            raise BadInput(f"DDS refuses {topic}: {error}") from None
        made.kept_listener = listener  # DDS does not keep it
        return made

    def close(self) -> None:
        """Leave the domain."""
        self._participant = self._domain = None


def guid_of(entity: Any) -> bytes:
    """The GUID of a DDS entity as it stands on the wire, 16 bytes."""
    value: bytes = entity.guid.bytes
    return value


class Writer:
    """The writer of one topic; on_readers is called with the number of its subscribers.

    Args:
        topic: its name in DDS.
        kind: a `raw_class`.
        told: what it says about itself.
        sensor, latched: as for `qos`.
    """

    def __init__(
        self,
        participant: Participant,
        topic: str,
        kind: Any,
        told: bytes,
        on_readers: Callable[[int], None] = lambda count: None,
        *,
        sensor: bool = False,
        latched: int = 0,
    ) -> None:
        from cyclonedds.core import DDSException
        from cyclonedds.pub import DataWriter

        self._refused: Any = DDSException
        self._on_readers, self._kind, self.readers, self.dropped = on_readers, kind, 0, 0
        quality = qos(told, sensor=sensor, latched=latched)
        self._writer: Any = participant.join(DataWriter, topic, kind, quality, on_publication_matched=self._matched)
        self.gids = [guid_of(self._writer)]

    def write(self, cdr: bytes) -> None:
        """Send a message; it is lost for readers that are too slow."""
        if self._writer is not None:
            try:
                self._writer.write(raw_sample(self._kind, cdr))
            except self._refused as error:
                if error.code != error.DDS_RETCODE_TIMEOUT:
                    raise
                self.dropped += 1

    def told_by_readers(self) -> list[str]:
        """What the readers that it is joined with say about themselves."""
        if self._writer is None:
            return []
        ends = [self._writer.get_matched_subscription_data(one) for one in self._writer.get_matched_subscriptions()]
        return [_told(end) for end in ends]

    def close(self) -> None:
        """Withdraw the writer."""
        self._writer = None

    def _matched(self, status: Any) -> None:
        count = int(status.current_count)
        if self._writer is not None and count != self.readers:
            self.readers = count
            self._on_readers(count)


class Reader:
    """Hears one topic; on_cdr is called once with every message, and with a function that says what its writer told.

    A reliable reader does not fit a best-effort writer, and a best-effort one may lose what a reliable writer sends.
    So there is one of each, and what both get counts once.

    Args:
        both: False for a reliable one alone.
        topic, kind, told: as for `Writer`.
    """

    def __init__(
        self,
        participant: Participant,
        topic: str,
        kind: Any,
        told: bytes,
        on_cdr: Callable[[bytes, Callable[[], str]], None],
        *,
        both: bool = True,
    ) -> None:
        from cyclonedds.sub import DataReader

        self._on_cdr = on_cdr
        self._recent: deque[tuple[int, int, int]] = deque(maxlen=REMEMBERED)  # writer, time and content of samples
        self._readers: list[Any] = [None, None]
        for k, best_effort in enumerate((False, True) if both else (False,)):
            quality = qos(told, best_effort=best_effort)
            drain = partial(self._drain, k)
            self._readers[k] = participant.join(DataReader, topic, kind, quality, on_data_available=drain)
        self.gids = [guid_of(reader) for reader in self._readers if reader is not None]

    def close(self) -> None:
        """End the subscription."""
        self._readers = [None, None]

    def _drain(self, k: int) -> None:
        while (reader := self._readers[k]) is not None:
            samples = reader.take(N=TAKE)
            for sample in samples:
                if hasattr(sample, "cdr") and self._is_new(sample):
                    writer = sample.sample_info.publication_handle
                    self._on_cdr(trimmed(sample.cdr), lambda: _told(reader.get_matched_publication_data(writer)))  # noqa: B023
            if len(samples) < TAKE:
                return

    def _is_new(self, sample: Any) -> bool:
        info = sample.sample_info
        known = (info.publication_handle, info.source_timestamp, hash(sample.cdr))
        if known in self._recent:
            return False
        self._recent.append(known)
        return True


def _told(end: Any) -> str:
    """The user data of another's writer or reader; empty for one that has left."""
    from cyclonedds.qos import Policy

    policy = end.qos[Policy.Userdata] if end is not None and Policy.Userdata in end.qos else None
    return policy.data.decode("latin-1") if policy is not None else ""
