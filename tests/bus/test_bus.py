"""The bus: who hears what, when and in which order; services, timers, log, graph."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from andante.bags import messages
from andante.bus import Bus, BusError, Clock, Node, Sample
from andante.errors import BadInput, UnknownName

NUMBER = "std_msgs/msg/Int32"


def number(value: int) -> Any:
    return messages.make(NUMBER, data=value)


def heard(bus: Bus, topic: str, **options: Any) -> tuple[list[int], Any]:
    out: list[int] = []
    return out, bus.subscribe(topic, NUMBER, lambda m: out.append(m.data), **options)


def test_messages_arrive_in_spin_only_and_in_order() -> None:
    bus = Bus()
    publisher = bus.advertise("/n", NUMBER)
    out, _ = heard(bus, "/n")
    for k in range(3):
        assert publisher.publish(number(k))
    assert out == []
    assert bus.spin() == 3
    assert out == [0, 1, 2]
    assert bus.spin() == 0


def test_what_is_queued_can_be_delivered_before_the_spin_but_not_within_it() -> None:
    bus = Bus()
    publisher = bus.advertise("/n", NUMBER)
    out: list[int] = []

    def take(message: Any) -> None:
        out.append(message.data)
        assert bus.deliver() == 0

    bus.subscribe("/n", NUMBER, take)
    publisher.publish(number(1))
    assert (bus.deliver(), bus.deliver(), bus.spin(), out) == (1, 0, 0, [1])


def test_nobody_listens_nothing_is_sent() -> None:
    bus = Bus()
    publisher = bus.advertise("/n", NUMBER)
    assert not publisher.wanted()
    assert not publisher.publish(number(1))
    _, subscription = heard(bus, "/n")
    assert publisher.wanted()
    subscription.close()
    assert not publisher.wanted()
    assert not publisher.publish_cdr(messages.to_cdr(number(1)))


def test_order_is_topics_as_first_named_then_subscriptions() -> None:
    bus = Bus()
    order: list[str] = []
    bus.subscribe("/b", NUMBER, lambda m: order.append(f"b1:{m.data}"))
    a, b = bus.advertise("/a", NUMBER), bus.advertise("/b", NUMBER)
    bus.subscribe("/a", NUMBER, lambda m: order.append(f"a:{m.data}"))
    bus.subscribe("/b", NUMBER, lambda m: order.append(f"b2:{m.data}"))
    a.publish(number(1))
    b.publish(number(2))
    b.publish(number(3))
    bus.spin()
    assert order == ["b1:2", "b1:3", "b2:2", "b2:3", "a:1"]


def test_answers_are_delivered_in_the_same_spin() -> None:
    bus = Bus()
    answer = bus.advertise("/a", NUMBER)
    out, _ = heard(bus, "/a")
    ask = bus.advertise("/z", NUMBER)
    bus.subscribe("/z", NUMBER, lambda m: answer.publish(number(m.data + 1)))
    ask.publish(number(1))
    assert bus.spin() == 2
    assert out == [2]


def test_endless_answers_do_not_hang_the_loop() -> None:
    bus = Bus()
    publisher = bus.advertise("/n", NUMBER)
    bus.subscribe("/n", NUMBER, lambda m: publisher.publish(number(m.data + 1)))
    publisher.publish(number(0))
    assert bus.spin() == 100
    assert bus.spin() == 100


def test_full_queue_drops_the_oldest_and_counts() -> None:
    bus = Bus()
    publisher = bus.advertise("/n", NUMBER)
    out, subscription = heard(bus, "/n", queue=2)
    for k in range(5):
        publisher.publish(number(k))
    bus.spin()
    assert out == [3, 4]
    assert (subscription.dropped, subscription.delivered) == (3, 2)


@settings(max_examples=60, deadline=None)
@given(steps=st.lists(st.one_of(st.integers(0, 99), st.none()), max_size=60), queue=st.integers(1, 5))
def test_queue_against_a_plain_model(steps: list[int | None], queue: int) -> None:
    """None spins, a number is published: what comes out is the newest `queue` of each stretch."""
    bus = Bus()
    publisher = bus.advertise("/n", NUMBER)
    out, subscription = heard(bus, "/n", queue=queue)
    expected: list[int] = []
    waiting: list[int] = []
    dropped = 0
    for step in [*steps, None]:
        if step is None:
            bus.spin()
            expected += waiting[-queue:]
            dropped += max(0, len(waiting) - queue)
            waiting = []
        else:
            publisher.publish(number(step))
            waiting.append(step)
    assert out == expected
    assert subscription.dropped == dropped


def test_rate_is_kept_on_a_grid_of_simulated_time() -> None:
    bus = Bus()
    publisher = bus.advertise("/n", NUMBER, rate=50.0)
    out, _ = heard(bus, "/n", queue=1000)
    for k in range(1001):  # 8 ms steps for 8 s
        bus.clock.advance_to(k * 0.008)
        if publisher.wanted():
            assert publisher.publish(number(k))
        else:
            assert not publisher.publish(number(k))
    bus.spin()
    assert len(out) == 401
    assert out[:6] == [0, 3, 5, 8, 10, 13]  # first steps at or after 0, 20, 40, ... ms


def test_rate_starts_anew_after_a_jump_back() -> None:
    bus = Bus(Clock(100.0))
    publisher = bus.advertise("/n", NUMBER, rate=1.0)
    out, _ = heard(bus, "/n")
    publisher.publish(number(1))
    assert not publisher.wanted()
    bus.clock.reset(0.0)
    assert publisher.publish(number(2))
    assert not publisher.publish(number(3))
    bus.spin()
    assert out == [1, 2]


def test_throttle_of_a_subscription() -> None:
    bus = Bus()
    publisher = bus.advertise("/n", NUMBER)
    out, subscription = heard(bus, "/n", throttle=0.1, queue=100)
    all_of_it, _ = heard(bus, "/n", queue=100)
    for k in range(21):
        bus.clock.advance_to(k * 0.02)
        publisher.publish(number(k))
    bus.clock.reset(0.0)
    publisher.publish(number(99))
    bus.spin()
    assert out == [0, 5, 10, 15, 20, 99]
    assert subscription.throttled == 16
    assert len(all_of_it) == 22


def test_latched_messages_come_to_late_listeners() -> None:
    bus = Bus()
    one = bus.advertise("/map", NUMBER, latched=True, node="one")
    two = bus.advertise("/map", NUMBER, latched=2, node="two")
    assert one.wanted()
    for k in (1, 2):
        one.publish(number(k))
    for k in (3, 4, 5):
        two.publish(number(k))
    out, _ = heard(bus, "/map")
    bus.spin()
    assert out == [2, 4, 5]
    one.close()
    late, _ = heard(bus, "/map")
    bus.spin()
    assert late == [4, 5]


def test_a_sample_is_packed_once_and_unpacked_on_demand() -> None:
    bus = Bus(Clock(1.5))
    publisher = bus.advertise("/n", NUMBER)
    samples: list[Sample] = []
    bus.subscribe("/n", None, samples.append, whole=True)
    bus.subscribe("/n", None, samples.append, whole=True)
    publisher.publish(number(7))
    publisher.publish_cdr(messages.to_cdr(number(8)))
    bus.spin()
    first, second = samples[0], samples[1]
    assert first is samples[2]
    assert first.cdr is first.cdr
    assert (first.topic, first.type, first.stamp) == ("/n", NUMBER, 1.5)
    assert messages.from_cdr(NUMBER, first.cdr).data == 7
    assert second.message.data == 8


def test_errors_in_callbacks_go_to_the_log_and_nothing_stops() -> None:
    bus = Bus()
    publisher = bus.advertise("/n", NUMBER)
    failing = bus.subscribe("/n", NUMBER, lambda m: 1 / 0, node="bad")
    out, _ = heard(bus, "/n")
    lines: list[Any] = []
    bus.subscribe("/rosout", None, lines.append)
    publisher.publish(number(1))
    bus.spin()
    assert out == [1]
    assert failing.errors == 1
    assert (lines[0].level, lines[0].name) == (40, "bad")
    assert lines[0].msg == "callback for /n of bad raised ZeroDivisionError: division by zero"


def test_an_error_in_a_listener_of_the_log_does_not_feed_itself() -> None:
    bus = Bus()
    failing = bus.subscribe("/rosout", None, lambda m: 1 / 0)
    bus.log("info", "hello")
    bus.spin()
    assert failing.errors == 1
    assert bus.spin() == 0


def test_bytes_that_cannot_be_unpacked_count_as_an_error_of_delivery() -> None:
    bus = Bus()
    publisher = bus.advertise("/n", NUMBER)
    out, subscription = heard(bus, "/n")
    publisher.publish_cdr(b"junk")
    publisher.publish(number(2))
    bus.spin()
    assert out == [2]
    assert subscription.errors == 1


def test_the_log_keeps_lines_for_late_listeners() -> None:
    bus = Bus(Clock(2.0))
    for k in range(120):
        bus.log("warn", f"line {k}", node="me")
    lines: list[Any] = []
    bus.subscribe("/rosout", None, lines.append, queue=1000)
    bus.spin()
    assert [line.msg for line in lines] == [f"line {k}" for k in range(20, 120)]
    assert lines[0].stamp.sec == 2
    assert lines[0].level == 30
    with pytest.raises(UnknownName, match="no log level 'loud'"):
        bus.log("loud", "x")


def test_closing_inside_a_callback() -> None:
    bus = Bus()
    publisher = bus.advertise("/n", NUMBER)
    out: list[int] = []

    def once(message: Any) -> None:
        out.append(message.data)
        subscription.close()
        other.close()

    subscription = bus.subscribe("/n", NUMBER, once)
    more, other = heard(bus, "/n")
    publisher.publish(number(1))
    publisher.publish(number(2))
    bus.spin()
    assert out == [1]
    assert more == []
    subscription.close()


def test_spin_inside_a_callback_is_refused() -> None:
    bus = Bus()
    publisher = bus.advertise("/n", NUMBER)
    subscription = bus.subscribe("/n", NUMBER, lambda m: bus.spin())
    publisher.publish(number(1))
    bus.spin()
    assert subscription.errors == 1


def test_types_must_agree() -> None:
    bus = Bus()
    publisher = bus.advertise("/n", NUMBER)
    heard(bus, "/n")
    with pytest.raises(BadInput, match="topic /n: carries std_msgs/msg/Int32, not std_msgs/msg/String"):
        bus.subscribe("/n", "std_msgs/String", print)
    with pytest.raises(BadInput, match="/n: carries std_msgs/msg/Int32, got std_msgs/msg/String"):
        publisher.publish(messages.make("std_msgs/String"))
    with pytest.raises(BadInput, match="a ROS message is wanted, got int"):
        publisher.publish(3)


def test_a_topic_may_be_heard_before_its_type_is_known() -> None:
    bus = Bus()
    got: list[Any] = []
    bus.subscribe("n", None, got.append)
    assert bus.topics() == {}
    bus.advertise("/n", NUMBER).publish(number(4))
    bus.spin()
    assert bus.topics() == {"/n": NUMBER}
    assert got[0].data == 4


@pytest.mark.parametrize("name", ["", "/", "/a b", "/a//b", "/1a", "/é", "a-b"])
def test_names_are_checked(name: str) -> None:
    with pytest.raises(BadInput, match="a topic is named like"):
        Bus().advertise(name, NUMBER)


@pytest.mark.parametrize(
    ("options", "fragment"),
    [({"queue": 0}, "at least 1"), ({"throttle": -1.0}, "0 or more"), ({"throttle": float("nan")}, "0 or more")],
)
def test_subscription_options_are_checked(options: dict[str, Any], fragment: str) -> None:
    with pytest.raises(BadInput, match=fragment):
        Bus().subscribe("/n", NUMBER, print, **options)


@pytest.mark.parametrize("rate", [0.0, -1.0, float("inf"), float("nan")])
def test_rates_are_checked(rate: float) -> None:
    with pytest.raises(BadInput, match="/n: the rate must be > 0 Hz"):
        Bus().advertise("/n", NUMBER, rate=rate)


# ---- services ------------------------------------------------------------------------------------
def test_services_answer_with_messages_dictionaries_or_nothing() -> None:
    bus = Bus()
    bus.provide("/set", "std_srvs/srv/SetBool", lambda r: {"success": r.data, "message": "ok"})
    bus.provide("/trigger", "std_srvs/Trigger", lambda r: messages.make("std_srvs/srv/Trigger_Response", success=True))
    bus.provide("/nothing", "std_srvs/Empty", lambda r: None)
    assert bus.call("/set", {"data": True}).success
    assert not bus.call("set", messages.make("std_srvs/srv/SetBool_Request")).success
    assert bus.call("/trigger").success
    assert messages.type_of(bus.call("/nothing")) == "std_srvs/srv/Empty_Response"
    assert bus.services()["/set"] == "std_srvs/srv/SetBool"


def test_services_fail_in_clear_words() -> None:
    bus = Bus()
    service = bus.provide("/fail", "std_srvs/Empty", lambda r: 1 / 0, node="me")
    bus.provide("/odd", "std_srvs/Empty", lambda r: {"a": 1})
    bus.provide("/refuse", "std_srvs/Empty", _refuse)
    for name, request, fragment in (
        ("/fail", None, "service /fail failed: ZeroDivisionError: division by zero"),
        ("/fail", {"x": 1}, "has no fields, got x"),
        ("/fail", number(1), "a std_srvs/srv/Empty_Request is wanted, got std_msgs/msg/Int32"),
        ("/odd", None, "has no fields, got a"),
        ("/refuse", None, "service /refuse: no such pose"),
    ):
        with pytest.raises(BusError, match=re.escape(fragment)):
            bus.call(name, request)
    with pytest.raises(UnknownName, match="no service '/other'; choices: /fail, /odd, /refuse"):
        bus.call("/other")
    with pytest.raises(BadInput, match="service /fail is provided already by me"):
        bus.provide("/fail", "std_srvs/Empty", print)
    service.close()
    service.close()
    with pytest.raises(UnknownName):
        bus.call("/fail")


def _refuse(request: Any) -> None:
    raise BadInput("no such pose")


# ---- timers --------------------------------------------------------------------------------------
def test_timers_run_on_their_grid_in_order_of_time() -> None:
    bus = Bus()
    runs: list[tuple[str, float]] = []
    bus.every(0.1, lambda: runs.append(("slow", bus.clock.now)))
    fast = bus.every(0.05, lambda: runs.append(("fast", bus.clock.now)))
    for k in range(1, 11):
        bus.clock.advance_to(k * 0.03)
        bus.spin()
    assert [round(t, 2) for name, t in runs if name == "slow"] == [0.12, 0.21, 0.3]
    assert [round(t, 2) for name, t in runs if name == "fast"] == [0.06, 0.12, 0.15, 0.21, 0.27, 0.3]
    fast.close()
    fast.close()
    bus.clock.advance_to(10.0)
    runs.clear()
    bus.spin()
    assert runs == [("slow", 10.0)]


def test_timers_count_what_they_missed_and_start_anew_after_a_jump() -> None:
    bus = Bus()
    runs: list[float] = []
    timer = bus.every(1.0, lambda: runs.append(bus.clock.now))
    bus.clock.advance_to(5.5)
    bus.spin()
    assert (runs, timer.missed) == ([5.5], 4)
    bus.clock.reset(2.0)
    bus.spin()
    bus.clock.advance_to(3.0)
    bus.spin()
    assert runs == [5.5, 3.0]


def test_an_error_in_a_timer_is_told() -> None:
    bus = Bus()
    bus.every(1.0, lambda: [][0], node="clockwork")
    lines: list[Any] = []
    bus.subscribe("/rosout", None, lines.append)
    bus.clock.advance_to(1.0)
    bus.spin()
    assert lines[0].msg == "timer of clockwork raised IndexError: list index out of range"
    with pytest.raises(BadInput, match="period of a timer"):
        bus.every(0.0, print)


# ---- clock and graph -----------------------------------------------------------------------------
def test_the_clock_goes_forwards_only() -> None:
    clock = Clock(1.0)
    for time in (0.5, float("nan"), float("inf")):
        with pytest.raises(BadInput, match="clock"):
            clock.advance_to(time)
    with pytest.raises(BadInput, match="clock"):
        clock.reset(float("inf"))
    told: list[float] = []
    clock.on_reset(lambda: told.append(clock.now))
    clock.reset(0.25)
    assert told == [0.25]


def test_the_graph_names_everyone() -> None:
    bus = Bus()
    changes: list[int] = []
    bus.on_change(lambda: changes.append(1))
    publisher = bus.advertise("/a", NUMBER, node="talker")
    subscription = bus.subscribe("/a", NUMBER, print, node="listener")
    bus.provide("/s", "std_srvs/Empty", print, node="listener")
    bus.provide_action("/act", "naoqi_bridge_msgs/BodyPose", print, node="talker")
    assert bus.graph() == (
        Node("listener", (), ("/a",), ("/s",), ()),
        Node("talker", ("/a",), (), (), ("/act",)),
    )
    assert bus.topic("/a").publishers == [publisher]
    assert len(changes) == 4
    publisher.close()
    publisher.close()
    subscription.close()
    assert bus.topics() == {}
    with pytest.raises(UnknownName, match="no topic '/a'"):
        bus.topic("/a")


def test_two_runs_are_the_same() -> None:
    def run() -> list[tuple[str, float, int]]:
        bus = Bus()
        seen: list[tuple[str, float, int]] = []
        a, b = bus.advertise("/a", NUMBER, rate=30.0), bus.advertise("/b", NUMBER)
        bus.subscribe("/a", None, lambda m: (seen.append(("a", bus.clock.now, m.data)), b.publish(number(m.data * 2))))
        bus.subscribe("/b", None, lambda m: seen.append(("b", bus.clock.now, m.data)), throttle=0.05)
        bus.every(0.02, lambda: seen.append(("t", bus.clock.now, 0)))
        for k in range(200):
            bus.clock.advance_to(k * 0.004)
            a.publish(number(k))
            bus.spin()
        return seen

    assert run() == run()


def test_while_one_publisher_leads_nobody_else_is_heard() -> None:
    bus = Bus()
    live, played = (bus.advertise("/a", "std_msgs/msg/String", latched=True, node=name) for name in ("live", "played"))
    words: list[str] = []
    bus.subscribe("/a", None, lambda message: words.append(message.data))

    def say(publisher: Any, text: str) -> None:
        publisher.publish(messages.make("std_msgs/msg/String", data=text))
        bus.spin()

    say(live, "one")
    played.lead()
    say(live, "two")
    say(played, "three")
    assert words == ["one", "three"]
    late: list[str] = []
    bus.subscribe("/a", None, lambda message: late.append(message.data))
    bus.spin()
    assert late == ["three"]
    with pytest.raises(BadInput, match="played leads it already"):
        live.lead()
    played.close()
    bus.spin()
    assert words == ["one", "three", "two"]  # what was latched meanwhile comes now
    say(live, "four")
    assert words[-1] == late[-1] == "four"


def test_a_publisher_that_is_not_heard_is_not_wanted() -> None:
    bus = Bus()
    live, played = bus.advertise("/a", "std_msgs/msg/String"), bus.advertise("/a", "std_msgs/msg/String")
    bus.subscribe("/a", None, lambda message: None)
    assert live.wanted()
    played.lead()
    assert played.wanted()
    assert not live.wanted()
