"""A line to any rosbridge server (ROS 1, ROS 2 or one of ours) over WebSocket; JSON, no other service is needed.

Protocol: https://github.com/RobotWebTools/rosbridge_suite/blob/ros2/ROSBRIDGE_PROTOCOL.md
"""

from __future__ import annotations

import asyncio
import json
from typing import Any

from andante.bags import messages
from andante.bridges.encoding import ros1_times, short_type, to_json
from andante.errors import AndanteError, BadInput, one_line

from .link import RosLink

FIRST_WAIT, LONGEST_WAIT = 0.1, 2.0  # before connecting again [s]
ASK_AGAIN = 2.0  # a topic that is silent is asked for again after so long [s]
PING, PONG = 2.0, 4.0  # how often the other side is asked for a sign of life, how long it may take [s]
LARGEST = 2**24  # of one message [bytes]


class RosbridgeLink(RosLink):
    """Hears and tells topics of a rosbridge server, ws://host:9090."""

    def __init__(self, url: str) -> None:
        if not url.startswith(("ws://", "wss://")):
            raise BadInput(f"address {url!r} should look like ws://127.0.0.1:9090")
        super().__init__(url)
        self._silent: set[str] = set()
        self._told: set[str] = set()  # words that were said once
        self._ros1 = False  # times are secs and nsecs there

    async def _keep(self) -> None:
        from websockets.asyncio.client import connect
        from websockets.exceptions import WebSocketException

        wait = FIRST_WAIT
        while True:
            try:
                async with connect(
                    self.where, max_size=LARGEST, compression=None, proxy=None, open_timeout=5.0, close_timeout=1.0,
                    ping_interval=PING, ping_timeout=PONG,
                ) as socket:  # fmt: skip
                    wait = FIRST_WAIT
                    await self._serve(socket)
                    reason = "the server has closed the connection"
            except (OSError, WebSocketException, TimeoutError) as error:
                if (task := asyncio.current_task()) is not None and task.cancelling():
                    raise asyncio.CancelledError from None  # the farewell failed
                reason = one_line(error)[:160]
            self._lose(reason)
            await asyncio.sleep(wait)
            wait = min(2.0 * wait, LONGEST_WAIT)

    async def _serve(self, socket: Any) -> None:
        """One connection."""
        for topic, kind in self.advertised.items():
            await socket.send(
                to_json({"op": "advertise", "id": f"tell:{topic}", "topic": topic, "type": short_type(kind)})
            )
        self._silent = set(self.subscribed)

        async def send(topic: str, message: Any) -> None:
            await socket.send(to_json({"op": "publish", "topic": topic, "msg": self._value(message)}))

        self._join()
        tasks = [asyncio.create_task(self._ask(socket)), asyncio.create_task(self._write(send))]
        try:
            async for data in socket:
                self._take(data)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _ask(self, socket: Any) -> None:
        """Ask for every topic, and again for those that stay silent: they may appear later."""
        while True:
            for topic in sorted(self._silent):
                request = {"op": "subscribe", "id": f"hear:{topic}", "topic": topic, "throttle_rate": 0}
                kind = short_type(self.subscribed[topic])
                await socket.send(to_json({**request, "type": kind, "queue_length": 1}))
            await asyncio.sleep(ASK_AGAIN)

    def _take(self, data: str | bytes) -> None:
        try:
            content = json.loads(data)
            op, topic = content["op"], str(content.get("topic"))
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            return self._say_once("received something that is not a rosbridge message")
        if op == "status" and content.get("level") in ("error", "warning"):
            self._say_once(str(content.get("msg"))[:160])
        if op != "publish" or topic not in self.subscribed:
            return None
        value = content.get("msg")
        try:
            message = messages.from_dict(self.subscribed[topic], value)
        except AndanteError as error:
            return self._say_once(f"{topic}: {error}")
        self._silent.discard(topic)
        header = value.get("header")
        stamp = header.get("stamp") if isinstance(header, dict) else None
        if isinstance(stamp, dict):
            self._ros1 = "secs" in stamp
        return self.listener.heard(topic, message)

    def _value(self, message: Any) -> Any:
        value = messages.to_dict(message)
        return ros1_times(value) if self._ros1 else value

    def _say_once(self, words: str) -> None:
        if words not in self._told and len(self._told) < 100:
            self._told.add(words)
            self.listener.say(f"{self.where}: {words}")
