"""The part of a session's client that knows no line: graphs that are told, topics that are asked for once."""

import asyncio

from andante.bridges.client import Graph, TopicInfo
from andante.bridges.encoding import Frame
from andante.bridges.graph_client import GraphClient


class Line(GraphClient):
    """Keeps what it would ask of the far end."""

    def __init__(self):
        super().__init__()
        self.asked = []

    def _subscribe(self, topic, throttle):
        self.asked.append((topic, throttle))

    def _unsubscribe(self, topic):
        self.asked.append((topic, None))


def graph_of(*topics):
    return {"graph": Graph({name: TopicInfo("std_msgs/msg/String") for name in topics}).as_dict()}


def frame(topic, number):
    return Frame(topic, "std_msgs/msg/String", float(number), b"")


def test_every_graph_is_told_to_those_who_still_listen():
    line, first, second = Line(), [], []
    ears = line.on_graph(lambda graph: first.append(sorted(graph.topics)))

    def once(graph):
        second.append(sorted(graph.topics))
        own.close()  # in the midst of being told

    own = line.on_graph(once)
    line._learn(graph_of("/a"))
    line._learn(graph_of("/a", "/b"))
    ears.close()
    ears.close()  # a second time is no harm
    line._learn(graph_of("/c"))
    assert first == [["/a"], ["/a", "/b"]]
    assert second == [["/a"]]
    assert sorted(line.graph.topics) == ["/c"]


def test_ready_waits_for_the_first_graph():
    async def run():
        line = Line()
        waiting = asyncio.create_task(line.ready())
        await asyncio.sleep(0)
        before = waiting.done()
        line._learn(graph_of())
        await asyncio.wait_for(waiting, 5)
        return before

    assert asyncio.run(run()) is False


def test_a_topic_is_asked_for_once_at_the_rate_of_the_fastest():
    line = Line()
    slow = line.subscribe("/t", lambda frame: None, 1.0)
    fast = line.subscribe("/t", lambda frame: None, 0.1)
    line.subscribe("/t", lambda frame: None, 0.5)
    assert line.asked == [("/t", 1.0), ("/t", 0.1)]
    fast.close()
    fast.close()
    slow.close()
    assert line.asked[2:] == [("/t", 0.5)]


def test_a_new_connection_asks_for_all_topics_before_the_graph_is_told():
    line, told = Line(), []
    a = line.subscribe("/a", lambda frame: None, 0.2)
    line.subscribe("/b", lambda frame: None)
    line.on_graph(lambda graph: told.append(list(line.asked)))
    line.asked.clear()
    line._learn(graph_of("/a", "/b"), renew=True)
    assert told == [[("/a", 0.2), ("/b", 0.0)]]
    a.close()
    assert line.asked[-1] == ("/a", None)


def test_latched_messages_reach_those_who_come_late_and_are_forgotten_with_the_line():
    line, early, late, later = Line(), [], [], []
    line.subscribe("/t", early.append)
    line._channels.take(frame("/none", 0), 1)  # nobody hears it
    frames = [frame("/t", k) for k in range(3)]
    for each in frames:
        line._channels.take(each, 2)
    line.subscribe("/t", late.append)
    assert early == frames
    assert late == frames[1:]
    line._learn(graph_of("/t"), renew=True)
    line.subscribe("/t", later.append)
    assert later == []
