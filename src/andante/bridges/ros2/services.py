"""Services of a session for ROS 2, as the middleware `rmw_cyclonedds` puts them on the wire.

A request goes to the topic `rq/NAMERequest`, its reply to `rr/NAMEReply`. In front of either stands who asks (the
handle of the writer, 8 bytes) and which of its requests it is (8 bytes); the server gives both back. Clients have
`clientid=...;` in their user data, servers `serviceid=...;`. `rmw_fastrtps` keeps the same two numbers in the head of
RTPS packets, which Cyclone DDS does not let us write: its clients see the services, but get no answer.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any

from andante.bags import messages
from andante.bridges.client import Say
from andante.errors import AndanteError, BadInput, one_line

from .ends import Participant, Reader, Writer
from .names import reply_topic, request_topic
from .samples import raw_class

HEAD = b"\x00\x01\x00\x00"  # of CDR, little endian
HEADER = 16  # bytes of the head of a request
PATIENCE = 1.0  # that a client has to hear replies at all [s]
LOOK = 0.01  # between two looks for it [s]
OPEN = 64  # calls under way at once
CLIENT = re.compile(r"clientid=([^;]*);")

Answer = Callable[[bytes], Awaitable[bytes]]


@dataclass
class Calls:
    """The calls that are under way in one bridge."""

    say: Say
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)
    _said: set[str] = field(default_factory=set)

    def start(self, work: Coroutine[Any, Any, None], what: str) -> None:
        """Begin one, unless there are too many."""
        if len(self._tasks) >= OPEN:
            work.close()
            self.once(f"{what}: {OPEN} calls are open; more are not answered")
            return
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def once(self, text: str) -> None:
        """Say something that was not said before."""
        if text not in self._said:
            self._said.add(text)
            self.say(text)

    def close(self) -> None:
        """Give them all up."""
        for task in list(self._tasks):
            task.cancel()


class ServiceEnd:
    """A service that clients of ROS 2 can call.

    Args:
        name, type_name: of the service; a part of an action has its types' common beginning.
        number: of the service among those of its participant.
        answer: gives the response to a request, both as CDR; an `AndanteError` says why there is none.
    """

    def __init__(
        self, participant: Participant, name: str, type_name: str, number: int, answer: Answer, calls: Calls
    ) -> None:
        self.name, self.type_name, self._answer, self._calls = name, type_name, answer, calls
        mark = participant.gid[:12] + number.to_bytes(4, "big")
        told = f"serviceid={'.'.join(f'{byte:x}' for byte in mark)};".encode()
        reply, request = (raw_class(f"{type_name}_{part}", header=True) for part in ("Response", "Request"))
        self.writer = Writer(participant, reply_topic(name), reply, told)
        self.reader = Reader(participant, request_topic(name), request, told, self._take, both=False)

    def close(self) -> None:
        """Withdraw it."""
        self.reader.close()
        self.writer.close()

    def _take(self, cdr: bytes, told: Callable[[], str]) -> None:
        client = CLIENT.search(told())
        if client is None:
            self._calls.once(f"{self.name}: only clients by rmw_cyclonedds are answered")
        elif len(cdr) >= len(HEAD) + HEADER:
            self._calls.start(self._serve(cdr, client[0]), self.name)

    async def _serve(self, cdr: bytes, client: str) -> None:
        start = len(HEAD) + HEADER
        try:
            reply = await self._answer(HEAD + cdr[start:])
        except AndanteError as error:
            self._calls.say(f"{self.name}: {one_line(error)}")
            reply = refusal(f"{self.type_name}_Response", one_line(error))
        loop = asyncio.get_running_loop()
        end = loop.time() + PATIENCE
        while reply and not any(client in told for told in self.writer.told_by_readers()) and loop.time() < end:
            await asyncio.sleep(LOOK)  # a reply that is sent before the client's reader is known is lost
        if reply:
            self.writer.write(HEAD + cdr[len(HEAD) : start] + reply[len(HEAD) :])


def checked(type_name: str, request: bytes) -> bytes:
    """A request that can be decoded; anything else raises BadInput."""
    return messages.to_cdr(messages.from_cdr(type_name, request))


def refusal(type_name: str, reason: str) -> bytes:
    """A response that says no, where its type can; else nothing: ROS 2 knows no failed calls."""
    names = {name for name, _ in messages.store().fielddefs[type_name][1]}
    if "success" not in names:
        return b""
    told = {"message": reason} if "message" in names else {}
    try:
        return messages.to_cdr(messages.from_dict(type_name, {"success": False, **told}))
    except BadInput:  # its `success` is no bool
        return b""
