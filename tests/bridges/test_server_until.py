"""Clients that come before the session is built are held, then served."""

from __future__ import annotations

import json
import threading
import time

from websockets.sync.client import connect

from andante.bags import messages
from andante.bridges import start_server
from andante.bus import Bus


def test_a_client_that_comes_early_hears_the_session_once_it_is_there() -> None:
    bus = Bus()
    heard: list[str] = []

    def listen(url: str) -> None:
        with connect(url, open_timeout=60) as line:
            line.send(json.dumps({"op": "subscribe", "topic": "/status", "type": "std_msgs/msg/String"}))
            heard.append(str(line.recv(60)))

    with start_server(bus, until="/status") as server:
        early = threading.Thread(target=listen, args=(server.ws_url,), daemon=True)
        early.start()
        for _ in range(60):  # the session is still being built
            server.poll()
            time.sleep(0.005)
        assert not heard
        topic = bus.advertise("/status", "std_msgs/msg/String", latched=True)
        topic.publish(messages.make("std_msgs/msg/String", data="ready"))
        ends = time.monotonic() + 60
        while early.is_alive() and time.monotonic() < ends:
            server.poll()
            bus.spin()
            time.sleep(0.005)
    assert json.loads(heard[0])["msg"]["data"] == "ready"
