"""`Ros2Bridge`: the topics of a session in a ROS 2 domain over DDS, by `cyclonedds` (experimental).

No ROS install is needed. DDS writers and readers have the names, type hashes and quality of service of ROS 2; samples
carry CDR as it is.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from functools import cache, partial
from typing import Any

from andante.bags import messages
from andante.bridges.base import GraphBridge, stale, types
from andante.bridges.client import BusClient, Directions, Graph, Say, TopicInfo, quiet
from andante.bridges.encoding import Frame
from andante.errors import BadInput, MissingExtra
from andante.extras import how_to_get

BASES = {
    "bool": "bool", "byte": "uint8", "octet": "uint8", "char": "uint8", "float32": "float32", "float64": "float64",
    "int8": "int8", "uint8": "uint8", "int16": "int16", "uint16": "uint16", "int32": "int32", "uint32": "uint32",
    "int64": "int64", "uint64": "uint64",
}  # fmt: skip
BLOCKING = 100_000_000  # how long a reliable writer may wait for room [ns]; ROS 2 says 100 ms too
TAKE = 100  # samples at once


def require() -> None:
    """Raise MissingExtra unless `cyclonedds` is installed."""
    try:
        import cyclonedds  # noqa: F401
    except ImportError:
        raise MissingExtra(f"ROS 2 over DDS needs cyclonedds: {how_to_get('ros2')}") from None


def dds_topic(name: str) -> str:
    """`rt/joint_states` of `/joint_states`."""
    return f"rt{name}"


def dds_type(type_name: str) -> str:
    """`sensor_msgs::msg::dds_::JointState_` of `sensor_msgs/msg/JointState`."""
    package, kind, name = type_name.split("/")
    return f"{package}::{kind}::dds_::{name}_"


def user_data(type_name: str) -> bytes:
    """What writers and readers of ROS 2 from Iron on say about their type."""
    return f"typehash={messages.type_hash(type_name)};".encode()


@cache
def typed_class(type_name: str) -> Any:
    """An IDL class of `cyclonedds` with the fields of a ROS type, all types in it included."""
    return _idl_class(type_name, "")


@cache
def raw_class(type_name: str) -> Any:
    """The same class, but its samples hold CDR bytes and are neither packed nor unpacked on the way."""
    made = _idl_class(type_name, "raw", dataclassify=False)

    def deserialize(cls: Any, data: bytes, /, **_: Any) -> Any:
        sample = cls.__new__(cls)
        sample.cdr = bytes(data)
        return sample

    made.serialize = lambda self, **_: self.cdr
    made.deserialize = classmethod(deserialize)
    made.deserialize_key = classmethod(deserialize)
    return made


def _idl_class(type_name: str, suffix: str, **options: Any) -> Any:
    from cyclonedds.idl import make_idl_struct

    fields = {field: _described(kind) for field, kind in messages.store().fielddefs[type_name][1]}
    name = f"{type_name.replace('/', '_')}_{suffix}"
    return make_idl_struct(name, dds_type(type_name).replace("::", "."), fields, **options)


def raw_sample(type_name: str, cdr: bytes) -> Any:
    """A sample of `raw_class`."""
    kind = raw_class(type_name)
    sample = kind.__new__(kind)
    sample.cdr = cdr
    return sample


def _described(kind: Any) -> Any:
    from cyclonedds.idl import types

    idl: Any = types
    number, what = int(kind[0]), kind[1]
    if number == 1:
        name, bound = what
        if name in ("string", "wstring"):
            return idl.bounded_str[bound] if bound else str
        return bool if name == "bool" else getattr(idl, BASES[name])
    if number == 2:
        return typed_class(what)
    inner, count = what
    if number == 3:
        return idl.array[_described(inner), count]
    return idl.sequence[_described(inner), count] if count else idl.sequence[_described(inner)]


def qos(type_name: str, *, sensor: bool = False, latched: int = 0) -> Any:
    """The quality of service of a topic: reliable and the last 10; sensors best effort and the last 5; latched
    topics transient local."""
    from cyclonedds.qos import Policy, Qos

    reliability = Policy.Reliability.BestEffort if sensor else Policy.Reliability.Reliable(BLOCKING)
    depth = latched or (5 if sensor else 10)
    durability = Policy.Durability.TransientLocal if latched else Policy.Durability.Volatile
    policies = [reliability, Policy.History.KeepLast(depth), durability, Policy.Userdata(user_data(type_name))]
    policies.append(Policy.DataRepresentation(use_cdrv0_representation=True, use_xcdrv2_representation=False))
    if latched:
        unlimited = -1
        policies.append(
            Policy.DurabilityService(
                0, Policy.History.KeepLast(depth), max_samples=unlimited, max_instances=unlimited,
                max_samples_per_instance=unlimited,
            )
        )  # fmt: skip
    return Qos(*policies)


def configuration(interface: str = "") -> str:
    """The settings of Cyclone DDS: one network interface, by default the loopback."""
    name = interface or {"darwin": "lo0", "win32": "127.0.0.1"}.get(sys.platform, "lo")
    if not all(c.isalnum() or c in ".:_-" for c in name):
        raise BadInput(f"network interface {name!r} should be a name such as eth0 or an address")
    where = f'address="{name}"' if name[0].isdigit() else f'name="{name}"'
    # Loopback interfaces do not claim to be able to do multicast, but they are.
    return (
        "<CycloneDDS><Domain><General><Interfaces>"
        f'<NetworkInterface {where} multicast="true"/>'
        "</Interfaces><AllowMulticast>true</AllowMulticast></General>"
        "<Discovery><ParticipantIndex>auto</ParticipantIndex><MaxAutoParticipantIndex>100</MaxAutoParticipantIndex>"
        "</Discovery></Domain></CycloneDDS>"
    )


def check_domain(domain: int) -> None:
    """Raise BadInput unless the number can be a ROS domain."""
    if not 0 <= domain <= 232:
        raise BadInput(f"a ROS domain is a number from 0 to 232, got {domain}")


class Participant:
    """A DDS participant whose writers and readers carry CDR bytes; events arrive in the asyncio loop."""

    def __init__(self, domain: int = 0, interface: str = "") -> None:
        require()
        check_domain(domain)
        from cyclonedds.core import DDSException
        from cyclonedds.domain import Domain, DomainParticipant

        self._loop = asyncio.get_running_loop()
        try:
            self._domain: Any = Domain(domain, configuration(interface))
            self._participant: Any = DomainParticipant(domain)
        except DDSException as error:
            raise BadInput(f"DDS cannot start on {interface or 'the loopback'}: {error}") from None

    def join(self, make: Any, topic: str, type_name: str, quality: Any, **events: Callable[..., None]) -> Any:
        """A DDS writer or reader (`make`) of a ROS topic; functions for its events are called in the asyncio loop."""
        from cyclonedds.core import Listener
        from cyclonedds.topic import Topic

        def later(call: Callable[..., None], _end: Any, *status: Any) -> None:  # DDS calls back from its own threads
            if not self._loop.is_closed():
                self._loop.call_soon_threadsafe(call, *status)

        joined = Topic(self._participant, dds_topic(topic), raw_class(type_name))
        listener = Listener(**{name: partial(later, call) for name, call in events.items()})  # type: ignore[no-untyped-call, unused-ignore]
        made = make(self._participant, joined, qos=quality, listener=listener)
        made.kept_listener = listener  # DDS does not keep it
        return made

    def close(self) -> None:
        """Leave the domain."""
        self._participant = self._domain = None


class Writer:
    """The writer of one ROS topic; on_readers is called with the number of its subscribers."""

    def __init__(
        self, participant: Participant, topic: str, info: TopicInfo, on_readers: Callable[[int], None]
    ) -> None:
        from cyclonedds.pub import DataWriter

        self._on_readers, self.type_name, self.readers = on_readers, info.type_name, 0
        quality = qos(info.type_name, sensor=info.sensor, latched=info.latched)
        events = {"on_publication_matched": self._matched}
        self._writer: Any = participant.join(DataWriter, topic, info.type_name, quality, **events)

    def write(self, cdr: bytes) -> None:
        """Send a message."""
        if self._writer is not None:
            self._writer.write(raw_sample(self.type_name, cdr))

    def close(self) -> None:
        """Withdraw the writer."""
        self._writer = None

    def _matched(self, status: Any) -> None:
        count = int(status.current_count)
        if self._writer is not None and count != self.readers:
            self.readers = count
            self._on_readers(count)


class Reader:
    """The reader of one ROS topic; on_cdr is called with every message."""

    def __init__(self, participant: Participant, topic: str, type_name: str, on_cdr: Callable[[bytes], None]) -> None:
        from cyclonedds.sub import DataReader

        self._on_cdr, self.type_name = on_cdr, type_name
        events = {"on_data_available": self._drain}
        self._reader: Any = participant.join(DataReader, topic, type_name, qos(type_name), **events)

    def close(self) -> None:
        """End the subscription."""
        self._reader = None

    def _drain(self) -> None:
        while self._reader is not None:
            samples = self._reader.take(N=TAKE)
            for sample in samples:
                if hasattr(sample, "cdr"):
                    self._on_cdr(trimmed(sample.cdr))
            if len(samples) < TAKE:
                return


def trimmed(cdr: bytes) -> bytes:
    """CDR bytes with plain little-endian head; other heads are kept for the decoder to judge."""
    return b"\x00\x01\x00\x00" + cdr[4:] if cdr[:2] == b"\x00\x01" else cdr


class Ros2Bridge(GraphBridge):
    """Keeps DDS writers and readers in line with the graph of a session."""

    def __init__(
        self,
        bus: BusClient,
        domain: int = 0,
        *,
        interface: str = "",
        directions: Directions | None = None,
        say: Say = quiet,
    ) -> None:
        """`interface` names the network interface; the default is the loopback, so that nothing leaves the machine."""
        super().__init__(bus, directions, say)
        self._participant = Participant(domain, interface)
        self._writers: dict[str, Writer] = {}
        self._readers: dict[str, Reader] = {}
        say(f"in ROS domain {domain} on {interface or 'the loopback'}")

    async def run(self) -> None:
        """Bridge until cancelled."""
        self._begin()
        try:
            await asyncio.Event().wait()
        finally:
            self.close()

    def close(self) -> None:
        """Withdraw everything."""
        self._end()
        ends: list[Writer | Reader] = [*self._writers.values(), *self._readers.values()]
        for end in ends:
            end.close()
        self._writers.clear()
        self._readers.clear()
        self._participant.close()

    def _follow(self, graph: Graph) -> None:
        outgoing, incoming = self._directions.outgoing(graph), self._directions.incoming(graph)
        for name in stale(types(self._writers), types(outgoing)):
            self._writers.pop(name).close()
            self._unhear(name)
        for name in stale(types(self._readers), types(incoming)):
            self._readers.pop(name).close()
        for name, topic in outgoing.items():
            if name not in self._writers:
                self._add_writer(name, topic)
        for name, topic in incoming.items():
            if name not in self._readers:
                take = partial(self._take, messages.from_cdr, name, topic.type_name)
                self._readers[name] = Reader(self._participant, name, topic.type_name, take)

    def _add_writer(self, name: str, topic: TopicInfo) -> None:
        """Latched topics are subscribed to at once, so that DDS can keep them; the others once DDS has a reader."""
        on_readers: Callable[[int], None] = partial(self._hear, name) if not topic.latched else lambda count: None
        self._writers[name] = Writer(self._participant, name, topic, on_readers)
        if topic.latched:
            self._hear(name, 1)

    def _hear(self, name: str, readers: int) -> None:
        if not readers:
            self._unhear(name)
        elif name not in self._listening and name in self._writers:
            self._listening[name] = self._bus.subscribe(name, self._send)

    def _send(self, frame: Frame) -> None:
        writer = self._writers.get(frame.topic)
        if writer is not None:
            writer.write(frame.cdr)
