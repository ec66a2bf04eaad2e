"""Who can reach a bridge: two machines, which are network namespaces with a wire between them."""

import json
import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

if os.environ.get("CI") != "true":  # there a missing part is a failure
    pytest.importorskip("cyclonedds", reason="needs the extra `ros2`")

from andante.bridges.ros2.network import described, is_private, keep_private, local_interfaces, open_sockets
from andante.errors import BadInput

HERE = Path(__file__).parent
DOMAIN = 7  # each test has machines of its own
HOME, AWAY = "10.77.0.1", "10.77.0.2"


@pytest.fixture
def machines(request):
    """Names of two namespaces that are joined by an interface `wire` in each."""
    if shutil.which("ip") is None or not hasattr(os, "geteuid") or os.geteuid() != 0:
        pytest.skip("network namespaces need root and iproute2")
    names = [f"andante{os.getpid()}{k}" for k in "ab"]

    def ip(*words):
        return subprocess.run(["ip", *words], capture_output=True, text=True, timeout=20, check=False)

    told = ip("netns", "add", names[0])
    if told.returncode:
        pytest.skip(f"network namespaces cannot be made here: {told.stderr.strip()}")
    try:
        ip("netns", "add", names[1])
        ip("link", "add", "wire", "netns", names[0], "type", "veth", "peer", "name", "wire", "netns", names[1])
        for name, address in zip(names, (HOME, AWAY), strict=True):
            ip("-n", name, "addr", "add", f"{address}/24", "dev", "wire")
            ip("-n", name, "link", "set", "lo", "up")
            told = ip("-n", name, "link", "set", "wire", "up")
            assert not told.returncode, told.stderr
        yield names
    finally:
        for name in names:
            ip("netns", "del", name)


def on(machine, *words, **options):
    """A process on a machine, with the default settings of DDS."""
    environment = {name: value for name, value in os.environ.items() if name != "CYCLONEDDS_URI"}
    return subprocess.Popen(
        ["ip", "netns", "exec", machine, sys.executable, *map(str, words)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment, **options,
    )  # fmt: skip


def stranger(machine, own, seconds, *more):
    return on(machine, HERE / "peers" / "stranger.py", DOMAIN, own, seconds, *more)


def answer(process):
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    return json.loads(out.splitlines()[-1])


@pytest.fixture
def bridge():
    started = []

    def start(machine, interface):
        process = on(machine, HERE / "host.py", DOMAIN, interface, stdin=subprocess.PIPE)
        started.append(process)
        line = process.stdout.readline()
        assert f"in ROS domain {DOMAIN}" in line, process.stderr.read()
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


@pytest.mark.drill
def test_a_bridge_is_seen_and_driven_on_its_own_machine_alone(machines, bridge):
    home, away = machines
    knowing = stranger(away, "knowing", 14.0, "--ask", HOME)  # is there first, and asks the bridge's ports
    host = bridge(home, "")
    far, near = stranger(away, "far", 8.0), stranger(home, "near", 20.0, "--until", "rt/far")
    for one in (answer(far), answer(knowing)):
        assert "rt/near" in one["topics"]  # the wire works
        assert not [name for name in one["topics"] if name not in ("rt/near", "rt/far", "rt/knowing")]
        assert one["joined"] == 0
    seen = answer(near)
    assert {"rt/joint_states", "rt/robot_description"} <= {*seen["topics"]}
    assert seen["joined"] == 2  # reliable and best effort
    assert answer(host) == [[0.0, 0.0], [20.0, 0.0]]  # what is near drove it, then it stood


@pytest.mark.drill
def test_an_interface_that_is_named_opens_the_bridge(machines, bridge):
    home, away = machines
    host = bridge(home, "wire")
    seen = answer(stranger(away, "far", 20.0, "--until", "rt/joint_states"))
    assert {"rt/joint_states", "rt/robot_description"} <= {*seen["topics"]}
    assert answer(host) == [[0.0, 0.0], [20.0, 0.0]]


@pytest.mark.drill
def test_a_machine_without_a_network_has_its_loopback(machines, bridge):
    home, _ = machines
    subprocess.run(["ip", "-n", home, "link", "set", "wire", "down"], check=True, timeout=20)
    host = bridge(home, "")
    assert "rt/joint_states" in answer(stranger(home, "near", 20.0, "--until", "rt/joint_states"))["topics"]
    assert answer(host) == [[0.0, 0.0], [20.0, 0.0]]


@pytest.mark.parametrize(
    ("name", "private"), [("", True), ("localhost", True), ("127.0.0.1", True), ("eth0", False), ("127.example", False)]
)
def test_only_the_loopback_is_private(name, private):
    assert is_private(name) is private
    assert ("this machine only" in described(name)) is private


def test_the_loopback_is_always_among_the_interfaces():
    names = local_interfaces()
    assert 1 <= len(names) <= 4
    assert is_private(names[0])
    assert not any(map(is_private, names[1:]))


@pytest.mark.skipif(sys.platform != "linux", reason="the filter is one of Linux")
def test_the_filter_lets_this_machine_through():
    known = open_sockets()
    with pytest.raises(BadInput, match="--interface"):
        keep_private(231, known)  # there is no socket to filter
    with (
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as ear,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as mouth,
    ):
        ear.bind(("", 7400 + 250 * 231 + os.getpid() % 250))
        ear.settimeout(5.0)
        assert keep_private(231, known) == 1
        mouth.sendto(b"hello", ("127.0.0.1", ear.getsockname()[1]))
        assert ear.recv(16) == b"hello"
