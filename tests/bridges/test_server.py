"""The server in its own process: pages, access, limits, and what happens when somebody dies, floods or sleeps."""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request

import cbor2
import numpy as np
import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect as _connect

from andante.bags import messages
from andante.bridges import Access, Limits, Page, start_server
from andante.bridges.server.access import Guesses
from andante.bridges.server.web import guarding_headers
from andante.bus import Bus
from andante.errors import AndanteError, BadInput


def connect(url, **options):
    """A client whose farewell does not wait for what it has not read."""
    return _connect(url, legacy=True, close_timeout=0.2, proxy=None, **options)


def get(url, **headers):
    """(status, body, headers) of a request, errors too."""
    try:
        with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=10) as answer:
            return answer.status, answer.read(), answer.headers
    except urllib.error.HTTPError as error:
        return error.code, error.read(), error.headers


def say(socket, **message):
    socket.send(json.dumps(message))


def hear(socket, op, seconds=10.0, **fields):
    """The next message with this op and these fields."""
    end = time.monotonic() + seconds
    while True:
        data = socket.recv(timeout=max(0.01, end - time.monotonic()))
        message = cbor2.loads(data) if isinstance(data, bytes) else json.loads(data)
        if message["op"] == op and all(message.get(name) == value for name, value in fields.items()):
            return message


def raw_get(port, path, host="127.0.0.1"):
    """Bytes that come back for a path that is sent as it is."""
    with socket.create_connection(("127.0.0.1", port), timeout=10) as line:
        line.sendall(f"GET {path} HTTP/1.1\r\nHost: {host}:{port}\r\nConnection: close\r\n\r\n".encode())
        data = b""
        while part := line.recv(65536):
            data += part
    return data


def test_the_last_of_a_latched_topic_comes_however_soon_after_another(session):
    """A state that ends shortly after it has changed must not stay on the client's screen as it was."""
    string = messages.cls("std_msgs/msg/String")
    state = session.do(lambda: session.bus.advertise("/state", "std_msgs/msg/String", latched=True))
    with connect(session.server.ws_url) as client:
        say(client, op="call_service", id="there", service="/pause")
        hear(client, "service_response", id="there")
        say(client, op="subscribe", topic="/state", throttle_rate=5000, queue_length=1)
        session.do(lambda: state.publish(string(data="running")))
        assert hear(client, "publish", topic="/state")["msg"]["data"] == "running"
        for word in ("one", "two", "done"):
            session.do(lambda word=word: state.publish(string(data=word)))
        while hear(client, "publish", topic="/state")["msg"]["data"] != "done":
            pass


def test_topics_services_actions_and_parameters(session):
    with connect(session.server.ws_url) as client:
        say(client, op="subscribe", topic="/joint_states", throttle_rate=40)
        assert hear(client, "publish")["msg"]["position"] == [0.25, None]
        say(client, op="subscribe", topic="/robot_description", type="std_msgs/String")
        assert hear(client, "publish", topic="/robot_description")["msg"]["data"] == "<robot name='x'/>"
        say(client, op="publish", topic="/cmd_vel", msg={"linear": {"x": 0.3}})
        session.until(lambda: (0.3, 0.0) in session.heard)
        say(client, op="call_service", id="1", service="/pause")
        assert hear(client, "service_response", id="1")["values"] == {"success": True, "message": "paused"}
        say(client, op="call_service", id="2", service="/broken")
        failed = hear(client, "service_response", id="2")
        assert failed["result"] is False
        assert "ZeroDivisionError" in failed["values"]
        say(client, op="send_action_goal", id="3", action="/reach", args={}, feedback=True)
        assert hear(client, "action_feedback", id="3")["values"]["desired"]["positions"] == [0.0]
        end = hear(client, "action_result", id="3")
        assert (end["status"], end["values"]["error_string"]) == (4, "there")
        say(client, op="send_action_goal", id="4", action="/reach", args={"trajectory": {"joint_names": ["slow"]}})
        say(client, op="cancel_action_goal", id="4", action="/reach")
        assert hear(client, "action_result", id="4")["status"] == 5
        say(client, op="call_service", id="5", service="/rosapi/set_param", args={"name": "/nao/pgain", "value": "2"})
        assert hear(client, "service_response", id="5")["values"]["successful"] is True
        say(client, op="call_service", id="6", service="/rosapi/set_param", args={"name": "/nao/pgain", "value": "99"})
        assert "goes from 0 to 10" in hear(client, "service_response", id="6")["values"]["reason"]
        assert session.do(lambda: session.bus.parameters.get("/nao/pgain")) == 2.0


def test_cbor_is_exact_over_the_wire(session):
    with connect(session.server.ws_url) as client:
        say(client, op="subscribe", topic="/joint_states", compression="cbor")
        position = hear(client, "publish")["msg"]["position"]
        assert position.tag == 86
        assert np.frombuffer(position.value, "<f8")[0] == 0.25
        assert np.isnan(np.frombuffer(position.value, "<f8")[1])
        say(client, op="unsubscribe", topic="/joint_states")
        say(client, op="subscribe", topic="/joint_states", compression="cbor-raw", id="raw")
        while not isinstance((part := hear(client, "publish")["msg"]).get("bytes"), bytes):
            pass
        assert messages.from_cdr("sensor_msgs/msg/JointState", part["bytes"]).name == ["a", "b"]


def test_a_latched_message_reaches_the_second_client_too(session):
    with connect(session.server.ws_url) as first, connect(session.server.ws_url) as second:
        for client in (first, second):
            say(client, op="subscribe", topic="/robot_description")
            assert hear(client, "publish")["msg"]["data"].startswith("<robot")


def test_nothing_is_published_for_nobody(session):
    def heard():
        return session.do(lambda: len(session.bus.topic("/image").subscriptions))

    assert heard() == 0
    with connect(session.server.ws_url) as client:
        say(client, op="subscribe", topic="/image")
        session.until(lambda: heard() == 1)
    session.until(lambda: heard() == 0)


def test_a_client_that_dies_while_driving_stops_the_robot(session):
    session.heard.clear()
    client = connect(session.server.ws_url)
    say(client, op="publish", topic="/cmd_vel", msg={"linear": {"x": 0.7}})
    session.until(lambda: (0.7, 0.0) in session.heard)
    client.socket.shutdown(socket.SHUT_RDWR)  # no farewell, as when its process is killed
    session.until(lambda: session.heard[-1] == (0.0, 0.0))


def test_a_topic_of_a_client_is_heard_by_the_others(session):
    with connect(session.server.ws_url) as first, connect(session.server.ws_url) as second:
        say(first, op="advertise", topic="/my/words", type="std_msgs/String")
        say(first, op="publish", topic="/my/words", msg={"data": "zero"})
        session.until(lambda: session.do(lambda: "/my/words" in session.bus.topics()))
        for _ in range(100):
            say(second, op="call_service", id="t", service="/rosapi/topic_type", args={"topic": "/my/words"})
            if hear(second, "service_response", id="t")["values"]["type"]:
                break
        say(second, op="subscribe", topic="/my/words")
        session.until(lambda: session.do(lambda: bool(session.bus.topic("/my/words").subscriptions)))
        say(first, op="publish", topic="/my/words", msg={"data": "one"})
        assert hear(second, "publish")["msg"] == {"data": "one"}


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "https://127.0.0.1.evil.example"])
def test_a_foreign_page_cannot_connect(session, origin):
    with pytest.raises(InvalidStatus) as refused:
        connect(session.server.ws_url, origin=origin)
    assert refused.value.response.status_code == 403
    assert get(session.server.url, Origin=origin)[0] == 403


def test_a_foreign_name_for_this_machine_is_refused(session):
    assert b" 403 " in raw_get(session.server.port, "/", "evil.example").split(b"\r\n")[0]
    with pytest.raises(InvalidStatus):
        connect(session.server.ws_url, additional_headers={"Host": "evil.example"})


def test_our_own_origin_is_welcome(session):
    with connect(session.server.ws_url, origin=f"http://127.0.0.1:{session.server.port}") as client:
        say(client, op="call_service", id="x", service="/rosapi/get_ros_version")
        assert hear(client, "service_response")["result"] is True


@pytest.mark.parametrize(
    "data", ["{", "", "null", '{"op":"publish"}', b"\xff\xfe", b"", '{"op":"publish","topic":5}', "[" * 9999]
)
def test_nonsense_is_answered_and_harmless(session, data):
    with connect(session.server.ws_url) as client:
        client.send(data)
        assert hear(client, "status")["level"] == "error"
        say(client, op="call_service", id="x", service="/pause")
        assert hear(client, "service_response")["result"] is True


def test_a_message_that_is_too_large_ends_the_connection(make_session):
    session = make_session(limits=Limits(message_size=10000))
    with connect(session.server.ws_url) as client:
        say(client, op="publish", topic="/points", msg={"data": list(range(100))})
        session.until(lambda: len(session.heard) == 1)
        client.send("x" * 20000)
        with pytest.raises(ConnectionClosed) as closed:
            client.recv(timeout=10)
        assert closed.value.rcvd.code == 1009
    assert session.server.alive


def test_a_flood_is_held_back_and_then_cut_off(make_session):
    session = make_session(limits=Limits(message_rate=50, message_burst=100, strikes=300))

    def flood(client):
        for n in range(5000):
            say(client, op="publish", topic="/cmd_vel", msg={"linear": {"x": float(n)}})
        while True:
            client.recv(timeout=10)

    with connect(session.server.ws_url) as client, pytest.raises(ConnectionClosed) as closed:
        flood(client)
    assert closed.value.rcvd is None or closed.value.rcvd.code == 1008
    session.until(lambda: any("too many messages" in text for text in session.logs))
    session.until(lambda: session.heard[-1] == (0.0, 0.0))
    assert len(session.heard) < 400


def test_a_client_that_does_not_read_is_cut_off_and_the_loop_goes_on(make_session):
    session = make_session(limits=Limits(stall=1.0, queue_bytes=2**21))
    sleeper = connect(session.server.ws_url, max_queue=1)
    awake = connect(session.server.ws_url)
    for client in (sleeper, awake):
        say(client, op="subscribe", topic="/big", compression="cbor")
    session.until(lambda: session.do(lambda: bool(session.bus.topic("/big").subscriptions)))
    got, ending = [], threading.Event()

    def read():
        while not ending.is_set():
            got.append(len(awake.recv(timeout=20)))

    reader = threading.Thread(target=read)
    reader.start()
    sleeper.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    big = messages.make("std_msgs/msg/Float64MultiArray", data=np.zeros(40000))

    def cut():
        session.do(lambda: session.big.publish(big))
        return any("read nothing" in text for text in session.logs)

    session.until(cut, 30.0)
    before, count = session.cycles, len(got)
    for _ in range(5):
        session.do(lambda: session.big.publish(big))
    session.until(lambda: session.cycles > before + 50)
    session.until(lambda: len(got) > count)
    ending.set()
    session.do(lambda: session.big.publish(big))
    reader.join(20.0)
    sleeper.socket.close()
    awake.close()


def test_sockets_that_ask_for_nothing_lock_nobody_out(session):
    """Half-open connections, more of them than the server keeps: the oldest go, pages and clients are served."""
    silent = [socket.create_connection(("127.0.0.1", session.server.port), timeout=10) for _ in range(300)]
    for line in silent[::2]:
        line.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1")  # a head that never ends
    assert _welcome(session)
    gone = 0
    for line in silent[:40]:
        line.settimeout(10)
        try:
            gone += line.recv(10) == b""
        except ConnectionResetError:
            gone += 1
    assert gone == 40
    for line in silent:
        line.close()


HANDSHAKE = (
    "GET /rosbridge HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
)


def test_clients_that_read_no_answer_lock_nobody_out(make_session, tmp_path):
    """A file for each of 800 connections that take nothing of it would be more files than a process may have."""
    (tmp_path / "large.bin").write_bytes(bytes(20_000_000))
    session = make_session(pages=[Page("/files/", tmp_path), Page("/word.txt", content=b"hi")])
    ask = b"GET /files/large.bin HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    deaf = []
    for _ in range(400):
        line = socket.create_connection(("127.0.0.1", session.server.port), timeout=10)
        line.sendall(ask)
        deaf.append(line)
    assert get(f"http://127.0.0.1:{session.server.port}/word.txt")[0] == 200
    gone = 0
    for line in deaf[:60]:
        line.settimeout(10)
        try:
            while line.recv(1 << 20):
                pass
            gone += 1
        except ConnectionResetError:
            gone += 1
        except TimeoutError:
            break
    assert gone == 60
    for line in deaf:
        line.close()


def test_clients_that_say_nothing_make_room(make_session):
    """WebSockets that were opened and left: whoever speaks is served; if all do, the next one is told so."""
    session = make_session(limits=Limits(clients=4))
    idle = []
    for _ in range(12):
        line = socket.create_connection(("127.0.0.1", session.server.port), timeout=10)
        line.sendall(HANDSHAKE.encode())
        assert b"101" in line.recv(1000)
        idle.append(line)
    speaking = []
    for _ in range(4):
        speaking.append(connect(session.server.ws_url))
        say(speaking[-1], op="subscribe", topic="/robot_description")
        hear(speaking[-1], "publish")
    with connect(session.server.ws_url) as late, pytest.raises(ConnectionClosed) as found:
        late.recv(timeout=10)
    assert found.value.rcvd.code == 1013
    say(speaking[0], op="call_service", service="/set", args={"data": True})
    hear(speaking[0], "service_response")
    for line in (*idle, *speaking):
        line.close()


def test_a_flood_of_pings_ends_the_connection(session):
    def flood(client):
        for _ in range(20_000):
            client.ping()
        client.recv(timeout=10)

    with connect(session.server.ws_url) as flooding, pytest.raises(ConnectionClosed):
        flood(flooding)
    with connect(session.server.ws_url) as calm:
        assert calm.ping().wait(10)
    assert _welcome(session)


def test_only_so_many_clients(make_session):
    session = make_session(limits=Limits(clients=2))
    clients = [connect(session.server.ws_url) for _ in range(2)]
    for client in clients:
        say(client, op="call_service", service="/rosapi/get_ros_version")
        hear(client, "service_response")
    with connect(session.server.ws_url) as third, pytest.raises(ConnectionClosed) as closed:
        third.recv(timeout=10)
    assert closed.value.rcvd.code == 1013
    for client in clients:
        client.close()
    session.until(lambda: _welcome(session))


def _welcome(session):
    with connect(session.server.ws_url) as client:
        say(client, op="call_service", id="x", service="/rosapi/get_ros_version")
        try:
            return hear(client, "service_response")["result"]
        except ConnectionClosed:
            return False


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    folder = tmp_path_factory.mktemp("served")
    (folder / "site" / "assets").mkdir(parents=True)
    (folder / "site" / "index.html").write_text("<p>page</p>")
    (folder / "site" / "assets" / "app.js").write_text("let a = 1")
    (folder / "robot.urdf").write_text("<robot/>")
    (folder / "secret.txt").write_text("secret")
    (folder / "site" / "way_out").symlink_to(folder / "secret.txt")
    bus = Bus()
    served = [
        Page("/", folder / "site"),
        Page("/robot/nao.urdf", folder / "robot.urdf", media_type="application/xml"),
        Page("/world/lab.json", content=b"{}"),
    ]
    server = start_server(bus, pages=served)
    server.poll()
    yield server
    server.stop()


@pytest.mark.parametrize(
    ("path", "body", "kind"),
    [
        ("", b"<p>page</p>", "text/html"),
        ("index.html", b"<p>page</p>", "text/html"),
        ("assets/app.js", b"let a = 1", "javascript"),
        ("robot/nao.urdf", b"<robot/>", "application/xml"),
        ("world/lab.json", b"{}", "application/json"),
        ("?x=1", b"<p>page</p>", "text/html"),
    ],
)
def test_pages_are_served(pages, path, body, kind):
    status, got, headers = get(pages.url + path)
    assert (status, got) == (200, body)
    assert kind in headers["content-type"]
    assert headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize(
    "path",
    [
        "/../secret.txt", "/..%2fsecret.txt", "/%2e%2e/secret.txt", "/assets/../../secret.txt", "/way_out",
        "//etc/passwd", "/etc/passwd", "/robot/../secret.txt", "/robot/", "/robot/secret.txt", "/%00",
        "/..\\secret.txt", "/assets/%2e%2e/%2e%2e/secret.txt", "/assets/..%5c..%5csecret.txt",
        "/world/lab.json/x", "/.", "/..",
    ],
)  # fmt: skip
def test_no_path_leaves_what_is_served(pages, path):
    answer = raw_get(pages.port, path)
    assert b"secret" not in answer.split(b"\r\n\r\n", 1)[1]
    assert b"root:" not in answer
    assert answer.split(b" ")[1] in (b"404", b"400", b"405", b"200", b"307")
    assert pages.alive


def test_only_reading_is_possible(pages):
    for method in ("POST", "PUT", "DELETE"):
        request = urllib.request.Request(pages.url + "index.html", data=b"x", method=method)
        with pytest.raises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(request, timeout=10)
        assert refused.value.code == 405


def test_pages_can_be_added_later(pages):
    assert get(pages.url + "late.txt")[0] == 404
    pages.add_pages([Page("/late.txt", content=b"late")])
    pages.poll()
    end = time.monotonic() + 10
    while get(pages.url + "late.txt")[:2] != (200, b"late"):
        assert time.monotonic() < end


def test_a_token_is_asked_for_everywhere(make_session):
    session = make_session(token="a-long-token", pages=[Page("/x.txt", content=b"x")])
    bare = f"http://127.0.0.1:{session.server.port}"
    assert get(f"{bare}/x.txt")[0] == 403
    assert get(f"{bare}/x.txt?token=wrong-token")[0] == 403
    status, _, headers = get(f"{bare}/x.txt?token=a-long-token")
    assert status == 200
    cookie = headers["set-cookie"].split(";")[0]
    assert "HttpOnly" in headers["set-cookie"]
    assert get(f"{bare}/x.txt", Cookie=cookie)[0] == 200
    assert get(f"{bare}/x.txt", Authorization="Bearer a-long-token")[0] == 200
    with pytest.raises(InvalidStatus):
        connect(f"ws://127.0.0.1:{session.server.port}/rosbridge")
    with connect(session.server.ws_url) as client:
        say(client, op="call_service", id="x", service="/pause")
        assert hear(client, "service_response")["result"] is True


@pytest.mark.parametrize("token", ["a+b&c#d;e=f g", "schl\u00fcssel-\u20ac-\u4e2d", 'quote"and\\slash'])
def test_any_letter_may_stand_in_a_token(make_session, token, tmp_path):
    """In the printed address, in the cookie, as a header; and read from a file, out of sight of `ps`."""
    file = tmp_path / "token"
    file.write_text(f"{token}\n", encoding="utf-8")
    session = make_session(token=f"@{file}", pages=[Page("/x.txt", content=b"x")])
    assert session.server.token == token
    bare = f"http://127.0.0.1:{session.server.port}"
    status, _, headers = get(session.server.url.replace("/?", "/x.txt?"))
    assert status == 200
    assert get(f"{bare}/x.txt", Cookie=headers["set-cookie"].split(";")[0])[0] == 200
    assert get(f"{bare}/x.txt", Authorization=b"Bearer " + token.encode())[0] == 200
    with connect(session.server.ws_url):
        pass


def test_tokens_cannot_be_guessed_without_end(make_session):
    session = make_session(token="a-long-token", pages=[Page("/x.txt", content=b"x")])
    bare = f"http://127.0.0.1:{session.server.port}"
    answers = [get(f"{bare}/x.txt?token=guess-{k}")[0] for k in range(30)]
    assert answers[:20] == [403] * 20
    assert answers[-1] == 429
    assert get(f"{bare}/x.txt?token=a-long-token")[0] == 429  # what is not looked at cannot be told apart
    assert get(f"{bare}/x.txt")[0] == 403  # who gives none is told that one is needed


def test_guesses_come_back_with_time_and_networks_count_as_one():
    guesses = Guesses(rate=1.0, burst=2.0, addresses=2)
    for address in ("2001:db8::1", "2001:db8::2"):
        assert not guesses.spent(address, 0.0)
        guesses.wrong(address, 0.0)
    assert guesses.spent("2001:db8::3", 0.0)
    assert not guesses.spent("2001:db8:0:1::3", 0.0)
    assert not guesses.spent("2001:db8::3", 1.5)
    for address in ("10.0.0.1", "10.0.0.2"):
        guesses.wrong(address, 0.0)
    assert len(guesses._known) == 2


def test_pages_are_kept_to_themselves(pages):
    headers = get(pages.url + "a.txt")[2]
    policy = headers["content-security-policy"]
    assert "script-src 'self'" in policy
    assert "object-src 'none'" in policy
    assert "frame-ancestors 'self' http://localhost:*" in policy  # notebooks of this machine show it in a frame
    away = dict(guarding_headers(Access("0.0.0.0", "a-long-token")))
    assert away[b"content-security-policy"].endswith(b"frame-ancestors 'self'")
    assert away[b"x-frame-options"] == b"SAMEORIGIN"


def test_an_open_address_needs_a_token():
    with pytest.raises(BadInput, match="give a token"):
        start_server(Bus(), host="0.0.0.0")
    with pytest.raises(BadInput, match="port 70000"):
        start_server(Bus(), port=70000)


def test_an_address_that_is_taken_is_told():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(BadInput, match=f"127.0.0.1:{port} cannot be bound"):
            start_server(Bus(), port=port)


def test_routes_of_the_caller_and_their_mistakes(monkeypatch, tmp_path):
    (tmp_path / "own_routes.py").write_text(
        "from starlette.responses import JSONResponse\nfrom starlette.routing import Route\n"
        "def routes(bus, arguments):\n"
        "    return [Route('/graph', lambda request: JSONResponse([arguments, list(bus.graph.topics)]))]\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    bus = Bus()
    bus.advertise("/chatter", "std_msgs/msg/String")
    with start_server(bus, routes="own_routes:routes", arguments={"n": 1}) as server:
        assert json.loads(get(server.url + "graph")[1]) == [{"n": 1}, ["/chatter"]]
    with pytest.raises(BadInput, match="no_such_module"):
        start_server(bus, routes="no_such_module:routes")


def test_a_killed_server_is_reported_and_can_come_back(make_session):
    session = make_session()
    port = session.server.port
    client = connect(session.server.ws_url)
    say(client, op="publish", topic="/cmd_vel", msg={"linear": {"x": 0.4}})
    session.until(lambda: (0.4, 0.0) in session.heard)
    os.kill(session.server.pid, signal.SIGKILL)
    session.until(lambda: any("the web server exited (exit code -9)" in text for text in session.logs))
    session.until(lambda: session.heard[-1] == (0.0, 0.0))
    assert not session.server.alive
    before = session.cycles
    session.until(lambda: session.cycles > before + 20)
    before = session.cycles
    session.do(session.server.restart)
    assert session.server.alive  # it comes up
    session.until(lambda: any("the web server is back" in text for text in session.logs))
    assert session.cycles > before + 20  # the loop went on meanwhile
    assert session.server.port == port
    with connect(session.server.ws_url) as again:
        say(again, op="subscribe", topic="/joint_states")
        assert hear(again, "publish")["topic"] == "/joint_states"


def test_a_server_that_hangs_costs_messages_not_time(make_session):
    session = make_session()
    with connect(session.server.ws_url) as client:
        say(client, op="subscribe", topic="/big")
        session.until(lambda: session.do(lambda: bool(session.bus.topic("/big").subscriptions)))
        big = messages.make("std_msgs/msg/Float64MultiArray", data=np.zeros(100000))
        os.kill(session.server.pid, signal.SIGSTOP)
        try:
            for _ in range(60):
                session.do(lambda: session.big.publish(big))
                session.do(lambda: None)
            session.until(lambda: session.server.dropped > 10)
            before = session.cycles
            session.until(lambda: session.cycles > before + 20)
        finally:
            os.kill(session.server.pid, signal.SIGCONT)
        assert hear(client, "publish")["topic"] == "/big"
        assert session.server.alive


def test_the_server_ends_with_the_loop():
    code = (
        "import sys, time\nfrom andante.bus import Bus\nfrom andante.bridges import start_server\n"
        "server = start_server(Bus())\nprint(server.pid, flush=True)\ntime.sleep(60)\n"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as loop:
        pid = int(loop.stdout.readline())
        os.kill(pid, 0)
        loop.kill()
    end = time.monotonic() + 20.0
    while _exists(pid):
        assert time.monotonic() < end
        time.sleep(0.05)


def _exists(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_types_of_the_user_reach_the_server(make_session):
    session = make_session()
    messages.register("float64[] v\nstd_msgs/Header header\n", "bridge_tests/msg/Own")
    session.do(lambda: session.bus.advertise("/own", "bridge_tests/msg/Own", latched=True)).publish(
        messages.make("bridge_tests/msg/Own", v=[1.5])
    )
    with connect(session.server.ws_url) as client:
        end = time.monotonic() + 10
        while "/own" not in _topics(client):
            assert time.monotonic() < end
        say(client, op="subscribe", topic="/own")
        assert hear(client, "publish")["msg"]["v"] == [1.5]


def _topics(client):
    say(client, op="call_service", id="t", service="/rosapi/topics")
    return hear(client, "service_response", id="t")["values"]["topics"]


def test_twenty_clients_share_one_encoding(make_session):
    session = make_session()
    clients = [connect(session.server.ws_url) for _ in range(20)]
    for client in clients:
        say(client, op="subscribe", topic="/joint_states", compression="cbor")
        say(client, op="subscribe", topic="/imu/data")
    for client in clients:
        assert hear(client, "publish", topic="/joint_states")
    assert session.do(lambda: len(session.bus.topic("/joint_states").subscriptions)) == 1
    session.until(lambda: session.server.clients == 20)
    for client in clients:
        client.close()
    assert session.server.dropped == 0


def test_a_restart_that_fails_is_told(make_session):
    session = make_session()
    port = session.server.port
    session.do(session.server.stop)
    with socket.create_server(("127.0.0.1", port)):
        session.do(session.server.restart)
        session.until(lambda: not session.server.alive)
    session.until(lambda: any(f"127.0.0.1:{port} cannot be bound" in text for text in session.logs))
    session.do(lambda: session.server.restart(wait=True))
    assert _topics(connect(session.server.ws_url))


def test_a_process_that_cannot_start_is_told(monkeypatch):
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with pytest.raises(AndanteError, match="the web server did not start: exit code 1"):
        start_server(Bus())
