"""What waits for one client, and listeners that share one subscription."""

import asyncio

from andante.bridges.encoding import Frame
from andante.bridges.graph_client import Channels
from andante.bridges.server.web import Outbox


def drained(outbox):
    async def all_of_them():
        return [await outbox.get() for _ in range(len(outbox))]

    return all_of_them()


def in_loop(test):
    asyncio.run(test())


def test_a_lane_keeps_its_newest_and_others_are_untouched():
    async def check():
        outbox = Outbox(10**6)
        outbox.put("answer")
        for n in range(5):
            outbox.put(f"a{n}", "/a", 2)
            outbox.put(f"b{n}", "/b", 100)
        assert await drained(outbox) == ["answer", "b0", "b1", "b2", "a3", "b3", "a4", "b4"]
        assert outbox.dropped == 3

    in_loop(check)


def test_bytes_are_bounded_and_answers_survive():
    async def check():
        outbox = Outbox(1000)
        outbox.put("x" * 300)
        for n in range(20):
            outbox.put(bytes([n]) * 200, "/a", 100)
        assert not outbox.overflow
        data = await drained(outbox)
        assert data[0] == "x" * 300
        assert [part[0] for part in data[1:]] == [17, 18, 19]

    in_loop(check)


def test_the_newest_stays_however_large_it_is():
    async def check():
        outbox = Outbox(1000)
        outbox.put(b"old", "/a", 100)
        outbox.put(b"x" * 5000, "/map", 100)
        assert not outbox.overflow
        assert await drained(outbox) == [b"x" * 5000]
        assert outbox.dropped == 1

    in_loop(check)


def test_answers_that_pile_up_are_an_overflow():
    async def check():
        outbox = Outbox(1000)
        for _ in range(11):
            outbox.put("x" * 100)
        assert outbox.overflow

    in_loop(check)


def test_get_waits_for_put():
    async def check():
        outbox = Outbox(1000)
        waiting = asyncio.create_task(outbox.get())
        await asyncio.sleep(0)
        assert not waiting.done()
        outbox.put("late")
        assert await waiting == "late"

    in_loop(check)


def frame(text, latched=False):
    return Frame("/t", "std_msgs/msg/String", 0.0, text, latched)


def test_listeners_share_a_subscription_at_the_fastest_rate():
    asked, first, second = [], [], []
    channels = Channels(lambda topic, throttle: asked.append((topic, throttle)), lambda topic: asked.append(topic))
    slow = channels.add("/t", first.append, 0.5)
    fast = channels.add("/t", second.append, 0.1)
    channels.add("/t", lambda f: None, 0.2).close()
    assert asked == [("/t", 0.5), ("/t", 0.1)]
    channels.take(frame(b"1"), 0)
    fast.close()
    fast.close()
    assert asked[2:] == [("/t", 0.5)]
    channels.take(frame(b"2"), 0)
    slow.close()
    assert asked[3:] == ["/t"]
    channels.take(frame(b"3"), 0)
    assert [f.cdr for f in first] == [b"1", b"2"]
    assert [f.cdr for f in second] == [b"1"]


def test_latched_messages_are_kept_for_those_who_come_late():
    asked, late = [], []
    channels = Channels(lambda topic, throttle: asked.append(topic), lambda topic: None)
    channels.add("/t", lambda f: None, 0.0)
    for text in (b"1", b"2", b"3"):
        channels.take(frame(text, True), 2)
    channels.add("/t", late.append, 0.0)
    assert [f.cdr for f in late] == [b"2", b"3"]
    channels.renew()
    assert asked == ["/t", "/t"]
    again = []
    channels.add("/t", again.append, 0.0)
    assert again == []  # they come anew


def test_what_waits_for_a_client_that_is_gone_is_forgotten():
    async def check():
        outbox = Outbox(1000)
        outbox.put("answer")
        outbox.put(b"x" * 900, "/a", 100)
        outbox.clear()
        outbox.put(b"y" * 900, "/a", 1)  # late, and as if nothing had been there
        assert await drained(outbox) == [b"y" * 900]
        assert outbox.dropped == 0

    in_loop(check)


def test_a_client_that_reads_nothing_costs_the_same_for_every_message():
    async def check():
        outbox = Outbox(10**6)
        for _ in range(60_000):  # answers that may not be dropped, as fragments are
            outbox.put("x")
        for n in range(60_000):
            outbox.put(b"y" * 40, f"/{n % 7}", 10**6)
        assert len(outbox) == 60_000 + (10**6 - 60_000) // 40
        assert outbox.dropped == 60_000 - (10**6 - 60_000) // 40
        assert not outbox.overflow

    in_loop(check)
