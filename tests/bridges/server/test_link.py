"""The loop's end of the line: order, bounds, drops that are counted, and no waiting."""

import socket
import time

import pytest

from andante.bridges.server.link import Link, Unpacker, pack


@pytest.fixture
def pair():
    ours, theirs = socket.socketpair()
    theirs.setblocking(False)
    yield ours, theirs
    ours.close()
    theirs.close()


def drained(link, far):
    """All heads that arrive while the link is flushed."""
    unpacker = Unpacker()
    for _ in range(10000):
        link.flush()
        try:
            data = far.recv(1 << 20)
        except BlockingIOError:
            break
        unpacker.feed(data)
    return [head for head, _ in unpacker.packets()]


def test_packets_arrive_in_order(pair):
    link, far = Link(pair[0]), pair[1]
    for n in range(100):
        link.send({"n": n}, b"x" * n)
    assert [head["n"] for head in drained(link, far)] == list(range(100))
    assert link.sent == 100
    assert link.dropped == 0


def test_a_reader_that_sleeps_costs_the_oldest_and_never_an_answer(pair):
    link, far = Link(pair[0], frames=20, size=10**7), pair[1]
    before = time.process_time()
    for n in range(400):
        link.send({"frame": n}, b"x" * 20000, droppable=True)
        if n % 100 == 0:
            link.send({"answer": n})
    assert time.process_time() - before < 5.0  # it did not wait for anybody
    assert link.dropped > 300
    got = drained(link, far)
    frames = [head["frame"] for head in got if "frame" in head]
    assert frames == sorted(frames)
    assert frames[-20:] == list(range(380, 400))
    assert [head["answer"] for head in got if "answer" in head] == [0, 100, 200, 300]
    assert len(frames) + link.dropped == 400


def test_bytes_are_bounded_too(pair):
    link = Link(pair[0], frames=10**6, size=10**6)
    for n in range(100):
        link.send({"frame": n}, b"x" * 100000, droppable=True)
    assert link.dropped >= 80
    assert link.open


def test_a_peer_that_lets_answers_pile_up_counts_as_gone(pair):
    link = Link(pair[0], size=10**5)
    for n in range(100):
        link.send({"answer": n}, b"x" * 50000)
    assert not link.open
    assert link.reason == "the other side does not read"
    link.send({"more": 1})  # has no effect
    assert link.receive() == []


def test_at_most_so_many_requests_at_once(pair):
    link, far = Link(pair[0]), pair[1]
    far.sendall(b"".join(pack({"n": n}) for n in range(100)))
    assert [head["n"] for head, _ in link.receive(30)] == list(range(30))
    assert [head["n"] for head, _ in link.receive(100)] == list(range(30, 100))


def test_the_end_of_the_peer_is_noticed_after_its_last_words(pair):
    link, far = Link(pair[0]), pair[1]
    far.sendall(pack({"last": 1}))
    far.close()
    assert link.receive(5) == [({"last": 1}, b"")]
    assert link.receive(5) == []
    assert not link.open
    assert link.reason == "the other side has ended"


def test_nonsense_ends_the_line(pair):
    link, far = Link(pair[0]), pair[1]
    far.sendall(b"\xff" * 100)
    assert link.receive() == []
    assert "not one of ours" in link.reason
