"""`FoxgloveBridge`: the topics of a session for Foxglove, by the WebSocket server of `foxglove-sdk`.

That server knows neither tokens nor origins, so it stays on the loopback and only shows; `drive` lets its clients
publish, call services and set parameters too.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Coroutine
from typing import Any

from andante.bags import messages
from andante.errors import AndanteError, BadInput, MissingExtra
from andante.extras import how_to_get

from .base import GraphBridge, stale, types
from .client import BusClient, Directions, Graph, Say, quiet
from .encoding import Frame, absolute
from .server.access import is_loopback

TIMEOUT = 30.0  # for a service call or a parameter [s]
TICK = 0.1  # time between broadcasts of the session's clock [s]


def require_sdk() -> Any:
    """The package of Foxglove; MissingExtra tells how to get it."""
    try:
        import foxglove
    except ImportError:
        raise MissingExtra(f"Foxglove needs foxglove-sdk: {how_to_get('foxglove')}") from None
    return foxglove


class FoxgloveBridge(GraphBridge):
    """A Foxglove server beside a session."""

    def __init__(
        self,
        bus: BusClient,
        port: int = 8765,
        *,
        host: str = "127.0.0.1",
        drive: bool = False,
        directions: Directions | None = None,
        say: Say = quiet,
    ) -> None:
        if not is_loopback(host):
            raise BadInput(f"the Foxglove server has no token and stays on the loopback, got {host!r}; use a tunnel")
        self._sdk = foxglove = require_sdk()
        super().__init__(bus, directions, say)
        self._drive = drive
        self._loop = asyncio.get_running_loop()
        self._context = foxglove.Context()
        self._channels: dict[str, tuple[str, Any]] = {}  # topic: type, channel
        self._heard: dict[str, set[int]] = {}  # topic: clients
        self._latched: dict[str, list[Frame]] = {}
        self._offers: dict[tuple[int, int], tuple[str, str]] = {}  # (client, channel): topic, encoding
        self._services: dict[str, str] = {}
        self._follow_topics(bus.graph)  # before there are clients: brand-new channels cannot be subscribed to
        kinds = foxglove.websocket.Capability
        capabilities = [kinds.Time, kinds.ConnectionGraph]
        if drive:
            capabilities += [kinds.ClientPublish, kinds.Services, kinds.Parameters]
        try:
            self._server = foxglove.start_server(
                name="andante",
                host=host,
                port=port,
                capabilities=capabilities,
                server_listener=_Listener(self),
                supported_encodings=["cdr", "json"],
                context=self._context,
            )
        except (OSError, RuntimeError) as error:
            raise BadInput(f"address {host}:{port} cannot be bound ({error}); choose another port") from None
        self.port: int = self._server.port
        say(f"Foxglove finds the session at ws://{host}:{self.port}")

    async def run(self) -> None:
        """Serve until cancelled."""
        self._begin()
        try:
            while True:
                self._server.broadcast_time(round(self._bus.now * 1e9))
                await asyncio.sleep(TICK)
        finally:
            self.close()

    def close(self) -> None:
        """End the server."""
        self._end()
        self._server.stop()

    # Out of the session.

    def _follow(self, graph: Graph) -> None:
        self._follow_topics(graph)
        if self._drive:
            self._follow_services(graph)
        self._server.publish_connection_graph(self._connections(graph))

    def _follow_topics(self, graph: Graph) -> None:
        outgoing = self._directions.outgoing(graph)
        for name in stale({name: kind for name, (kind, _) in self._channels.items()}, types(outgoing)):
            self._channels.pop(name)[1].close()
            self._unheard(name)
        for name, topic in outgoing.items():
            if name not in self._channels:
                self._channels[name] = (topic.type_name, self._channel(name, topic.type_name))

    def _channel(self, name: str, type_name: str) -> Any:
        return self._sdk.Channel(
            name, message_encoding="cdr", schema=self._schema(type_name, type_name), context=self._context
        )

    def _schema(self, type_name: str, name: str) -> Any:
        return self._sdk.Schema(name=name, encoding="ros2msg", data=messages.definition(type_name).encode())

    def _connections(self, graph: Graph) -> Any:
        made = self._sdk.ConnectionGraph()
        for name, topic in graph.topics.items():
            made.set_published_topic(name, list(topic.publishers))
            made.set_subscribed_topic(name, list(topic.subscribers))
        for name, service in graph.services.items():
            made.set_advertised_service(name, [service.node])
        return made

    def _subscribed(self, client: int, topic: str) -> None:
        self._heard.setdefault(topic, set()).add(client)
        if topic not in self._channels:
            return
        if topic not in self._listening:
            self._listening[topic] = self._bus.subscribe(topic, self._send)
        else:
            for frame in self._latched.get(topic, []):
                self._log(frame)

    def _unsubscribed(self, client: int, topic: str) -> None:
        clients = self._heard.get(topic, set())
        clients.discard(client)
        if not clients:
            self._unheard(topic)

    def _unheard(self, topic: str) -> None:
        self._heard.pop(topic, None)
        self._latched.pop(topic, None)
        self._unhear(topic)

    def _send(self, frame: Frame) -> None:
        if frame.latched:
            info = self._bus.graph.topics.get(frame.topic)
            kept = [*self._latched.get(frame.topic, []), frame]
            self._latched[frame.topic] = kept[-max(1, info.latched if info else 1) :]
        self._log(frame)

    def _log(self, frame: Frame) -> None:
        entry = self._channels.get(frame.topic)
        if entry is not None:
            entry[1].log(frame.cdr, log_time=round(frame.stamp * 1e9))

    # Into the session.

    def _offered(self, client: int, number: int, topic: str, encoding: str) -> None:
        self._offers[client, number] = (topic, encoding)

    def _withdrawn(self, client: int, number: int) -> None:
        topic, _ = self._offers.pop((client, number), ("", ""))
        if topic:
            self._drivers.stop(topic)

    def _received(self, client: int, number: int, data: bytes) -> None:
        topic, encoding = self._offers.get((client, number), ("", ""))
        try:
            name = absolute(topic)
            known = self._directions.incoming(self._bus.graph).get(name)
            if known is None:
                raise BadInput(f"clients may not publish topic {name!r}: nothing in the session subscribes to it")
            if encoding == "json":
                message = messages.from_dict(known.type_name, json.loads(data))
            else:
                message = messages.from_cdr(known.type_name, data)
            self._drivers.pass_on(name, known.type_name, message)
        except (AndanteError, ValueError) as error:
            self._server.publish_status(str(error), self._sdk.websocket.StatusLevel.Error)

    def _follow_services(self, graph: Graph) -> None:
        wanted = {name: graph.services[name].type_name for name in self._directions.services(graph)}
        gone, new = stale(self._services, wanted), stale(wanted, self._services)
        if gone:
            self._server.remove_services(gone)
        if new:
            self._server.add_services([self._service(name, wanted[name]) for name in new])
        self._services = wanted

    def _service(self, name: str, kind: str) -> Any:
        sdk = self._sdk.websocket
        request, response = (
            sdk.MessageSchema(encoding="cdr", schema=self._schema(f"{kind}_{part}", f"{kind}_{part}"))
            for part in ("Request", "Response")
        )

        def handler(asked: Any) -> bytes:
            return bytes(self.wait(self._bus.call(name, asked.payload, TIMEOUT)))

        return sdk.Service(name, schema=sdk.ServiceSchema(kind, request=request, response=response), handler=handler)

    # Between the threads of the server and the asyncio loop.

    def later(self, call: Callable[..., None], *arguments: Any) -> None:
        """Call a function in the asyncio loop."""
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(call, *arguments)

    def wait(self, work: Coroutine[Any, Any, Any]) -> Any:
        """The result of a coroutine, waited for in a thread of the server."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(TIMEOUT + 5.0)


class _Listener:
    """Callbacks from the server's threads, handed to the asyncio loop."""

    def __init__(self, bridge: FoxgloveBridge) -> None:
        self._bridge = bridge

    def on_subscribe(self, client: Any, channel: Any) -> None:
        self._bridge.later(self._bridge._subscribed, client.id, channel.topic)

    def on_unsubscribe(self, client: Any, channel: Any) -> None:
        self._bridge.later(self._bridge._unsubscribed, client.id, channel.topic)

    def on_client_advertise(self, client: Any, channel: Any) -> None:
        self._bridge.later(self._bridge._offered, client.id, channel.id, channel.topic, channel.encoding)

    def on_client_unadvertise(self, client: Any, client_channel_id: int) -> None:
        self._bridge.later(self._bridge._withdrawn, client.id, client_channel_id)

    def on_message_data(self, client: Any, client_channel_id: int, data: bytes) -> None:
        self._bridge.later(self._bridge._received, client.id, client_channel_id, bytes(data))

    def on_get_parameters(self, client: Any, param_names: list[str], request_id: str | None = None) -> list[Any]:
        make = self._bridge._sdk.websocket.Parameter
        found = self._bridge.wait(self._bridge._bus.parameters())
        return [make(name, value=value) for name, value in found.items() if not param_names or name in param_names]

    def on_set_parameters(self, client: Any, parameters: list[Any], request_id: str | None = None) -> list[Any]:
        for parameter in parameters:
            try:
                self._bridge.wait(self._bridge._bus.set_parameter(parameter.name, parameter.get_value()))
            except AndanteError as error:
                level = self._bridge._sdk.websocket.StatusLevel.Error
                self._bridge._server.publish_status(str(error), level)
        return self.on_get_parameters(client, [parameter.name for parameter in parameters])

    def on_parameters_subscribe(self, param_names: list[str]) -> None:
        """Values are sent on request only."""

    def on_parameters_unsubscribe(self, param_names: list[str]) -> None:
        """Values are sent on request only."""

    def on_connection_graph_subscribe(self) -> None:
        """The server sends the last graph by itself."""

    def on_playback_control_request(self, playback_control_request: Any) -> None:
        """A session cannot be wound back and forth from here."""

    def on_connection_graph_unsubscribe(self) -> None:
        """The server stops by itself."""
