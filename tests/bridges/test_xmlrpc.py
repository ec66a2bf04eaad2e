"""XML-RPC as ROS 1 uses it: real calls over the loopback, faults, and peers that answer nonsense."""

from __future__ import annotations

import asyncio
import xmlrpc.client
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from andante.bridges.ros1.xmlrpc import LARGEST, MOST_SILENT, RpcError, RpcServer, call, loads


def serving(work: Callable[[str], Awaitable[Any]]) -> Any:
    """What some work with the address of a server of ours gives."""

    async def run() -> Any:
        server = RpcServer({"add": lambda a, b: a + b, "fail": lambda: int("x")})
        await server.start("127.0.0.1")
        try:
            return await asyncio.wait_for(work(f"http://127.0.0.1:{server.port}/"), 30)
        finally:
            await server.stop()

    return asyncio.run(run())


def answering(reply: bytes) -> str:
    """What a call tells of a peer that answers so."""

    async def run() -> str:
        async def peer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(reply)
            writer.close()

        server = await asyncio.start_server(peer, "127.0.0.1", 0)
        try:
            with pytest.raises(RpcError) as caught:
                await call(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/", "add", 1, 2)
            return str(caught.value)
        finally:
            server.close()

    return asyncio.run(run())


def test_calls_and_python_s_own_client() -> None:
    assert serving(lambda uri: call(uri, "add", 1, 2)) == 3
    assert serving(lambda uri: asyncio.to_thread(xmlrpc.client.ServerProxy(uri).add, "a", "b")) == "ab"


@pytest.mark.parametrize(
    ("method", "arguments", "told"),
    [("multiply", (), "no method 'multiply'"), ("add", (1,), "missing 1 required"), ("fail", (), "invalid literal")],
)
def test_faults_come_back_as_words(method: str, arguments: tuple[object, ...], told: str) -> None:
    async def work(uri: str) -> str:
        with pytest.raises(RpcError) as caught:
            await call(uri, method, *arguments)
        return str(caught.value)

    assert told in serving(work)


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        (b"HTTP/1.1 404 Not Found\r\n\r\n", "answers 'HTTP/1.1 404 Not Found'"),
        (b"HTTP/1.1 200 OK\r\n\r\nnonsense", "add failed"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\n<a></a>!", "add failed"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\nshort", "does not answer (IncompleteReadError)"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % (LARGEST + 1), "is too large"),
        (b"HTTP/1.1 200 OK\r\n\r\n" + b"x" * (LARGEST + 1), "is too large"),
        (b"", "does not answer"),
    ],
    ids=["status", "no-xml", "other-xml", "short", "announced-large", "large", "silence"],
)
def test_peers_that_answer_nonsense(reply: bytes, told: str) -> None:
    assert told in answering(reply)


def test_connections_that_ask_for_nothing_lock_nobody_out() -> None:
    """Half-open ones, more than the server keeps: the first go, calls are answered; who asks now and then stays."""

    async def work(uri: str) -> tuple[int, int, int]:
        port = int(uri.rsplit(":", 1)[1].strip("/"))
        kept = xmlrpc.client.ServerProxy(uri)
        assert await asyncio.to_thread(kept.add, 1, 2) == 3
        silent = []
        for count in range(3 * MOST_SILENT // 2):
            silent.append(await asyncio.open_connection("127.0.0.1", port))
            silent[-1][1].write(b"POST / HTTP/1.1\r\nHost: ")
            if count % 50 == 49:
                assert await asyncio.to_thread(kept.add, 1, count) == 1 + count
        found = await call(uri, "add", 2, 3)
        await asyncio.sleep(0.1)
        gone = sum(reader.at_eof() or reader.exception() is not None for reader, _ in silent)
        for _, writer in silent:
            writer.close()
        return int(found), gone, len(silent)

    found, gone, count = serving(work)
    assert found == 5
    assert count - MOST_SILENT <= gone <= count - MOST_SILENT + 3


def test_only_posts_are_served() -> None:
    async def work(uri: str) -> bytes:
        reader, writer = await asyncio.open_connection("127.0.0.1", int(uri.rsplit(":", 1)[1].strip("/")))
        writer.write(b"GET / HTTP/1.1\r\nContent-Length: 0\r\n\r\n")
        answer = await reader.read()
        writer.close()
        return answer

    assert serving(work).startswith(b"HTTP/1.1 405 ")


BOMB = b"""<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "bb"><!ENTITY c "&b;&b;&b;">]>
<methodCall><methodName>add</methodName><params><param><value>&c;</value></param>
<param><value>x</value></param></params></methodCall>"""


@pytest.mark.parametrize("content", [BOMB, BOMB.decode().encode("utf-16")])
def test_entities_are_not_expanded(content: bytes) -> None:
    with pytest.raises(ValueError, match="a document type is declared"):
        loads(content)


def test_what_loads_reads_is_what_python_s_own_reads() -> None:
    text = xmlrpc.client.dumps((1, "a & b < c", [True, {"x": 2.5}]), "add").encode()
    assert loads(text) == xmlrpc.client.loads(text)
