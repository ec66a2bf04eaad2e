"""Several clients at once, clients that die, and calls that cannot be done: nothing is stuck, the robot is safe."""

import signal
import socket
from pathlib import Path

import pytest

from andante.bridges.naoqi.bridge import check_place, make_services, service_classes
from andante.bridges.naoqi.service import EMPTY, stub_table
from andante.errors import BadInput

CONNECT = """
import qi, time, os, signal
session = qi.Session()
session.connect("tcp://nao:9559")
motion = session.service("ALMotion")
"""
REFUSED = (
    CONNECT
    + """
def refused(call, *given):
    try:
        call(*given)
    except RuntimeError as error:
        print(str(error).splitlines()[0])
    else:
        print("accepted")
refused(motion.setAngles, "Nose", 0.1, 0.1)
refused(motion.setAngles, "HeadYaw", float("nan"), 0.1)
refused(motion.setAngles, "HeadYaw", "far", 0.1)
refused(motion.setAngles, ["HeadYaw", "HeadPitch"], [0.1], 0.1)
refused(motion.setAngles, "HeadYaw", 0.1, 3.0)
refused(motion.angleInterpolation, "HeadYaw", [0.1, 0.2], [1.0, 0.5], True)
refused(motion.angleInterpolation, "HeadYaw", 0.1, -1.0, True)
refused(motion.moveTo, float("inf"), 0.0, 0.0)
refused(motion.setFallManagerEnabled, False)
refused(motion.wbFootState, "Free", "Legs")
refused(motion.wbGoToBalance, "Tail", 1.0)
refused(motion.wbGoToBalance, "Legs", -1.0)
refused(session.service("ALRobotPosture").goToPosture, "Stand", 7.0)
refused(session.service("ALVideoDevice").getImageRemote, "nobody_0")
refused(session.service("ALMemory").unsubscribeToEvent, "Nothing", "Nobody")
refused(session.service("ALMemory").getData, "Nothing")
print(session.service("ALFaceDetection").getLearnedFacesList(), motion.wbGoToBalance("Legs", 1.0))
"""
)
DIES = (
    CONNECT
    + """
future = motion.moveTo(5.0, 0.0, 0.0, _async=True)
while not motion.moveIsActive():
    pass
motion.angleInterpolation("HeadYaw", 0.5, 30.0, True, _async=True)
print("walking", flush=True)
time.sleep(60)
"""
)
AFTER = (
    CONNECT
    + """
print(motion.moveIsActive())
motion.stopMove()
motion.killTasksUsingResources(["HeadYaw"])
motion.angleInterpolation("HeadYaw", -0.2, 0.4, True)
print(motion.moveIsActive(), round(motion.getAngles("HeadYaw", True)[0], 1))
"""
)
TOGETHER = (
    CONNECT
    + """
import threading
sessions = []
for k in range(10):
    each = qi.Session()
    each.connect("tcp://nao:9559")
    sessions.append(each)
def work(k, each):
    own = each.service("ALMotion")
    for i in range(20):
        own.setAngles("HeadPitch", 0.1 if i % 2 else -0.1, 0.2)
        own.getAngles("Body", True)
        each.service("ALMemory").insertData("client%d" % k, i)
threads = [threading.Thread(target=work, args=entry) for entry in enumerate(sessions)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
print(session.service("ALMemory").getListData(["client%d" % k for k in range(10)]))
first = motion.angleInterpolation("HeadYaw", 0.4, 0.6, True, _async=True)
time.sleep(0.05)
second = motion.angleInterpolation("HeadYaw", 0.0, 0.6, True, _async=True)
first.value()
middle = motion.getAngles("HeadYaw", False)[0]
second.value()
print(round(middle, 1), abs(round(motion.getAngles("HeadYaw", False)[0], 1)))
"""
)


@pytest.fixture
def client(run_program, tmp_path):
    def started(text):
        file = tmp_path / "client.py"
        file.write_text(text)
        return run_program(file)

    return started


def test_calls_that_cannot_be_done_raise_as_on_a_nao(host, client):
    before = host.state["joints"]["HeadYaw"]
    code, out, errors = client(REFUSED).finish()
    lines = out.splitlines()
    assert code == 0, errors
    assert "accepted" not in lines
    assert all(line.startswith("AL") and "::" in line for line in lines[:-1]), lines
    assert len(lines) == 17
    assert lines[-1] == "[] True"
    assert host.state["joints"]["HeadYaw"] == pytest.approx(before, abs=0.02)


def test_ten_clients_at_once_and_two_for_one_joint(host, client):
    code, out, errors = client(TOGETHER).finish()
    assert code == 0, errors
    assert out.splitlines() == [str([19] * 10), "0.4 0.0"]


@pytest.mark.drill
def test_a_client_that_dies_in_a_call_leaves_nothing_stuck(host, client):
    """Walks until another client stops it: ten seconds."""
    program = client(DIES)
    program.until("walking")
    program.process.send_signal(signal.SIGKILL)
    program.finish()
    code, out, errors = client(AFTER).finish()
    assert code == 0, errors
    assert out.splitlines() == ["True", "False -0.2"]
    assert not host.state["fallen"]


def test_the_port_is_open_to_this_machine_only(host):
    addresses = {info[4][0] for info in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)}
    outside = [address for address in addresses if not address.startswith("127.")]
    for address in outside:
        with pytest.raises(OSError, match="refused"):
            socket.create_connection((address, host.port), 2)


@pytest.mark.parametrize(("place", "words"), [(("127.0.0.1", 0), "port 0"), (("a b", 9559), "host 'a b'")])
def test_bad_places(place, words):
    with pytest.raises(BadInput, match=words):
        check_place(*place)


def test_the_page_lists_every_service_and_stub():
    page = (Path(__file__).parents[3] / "docs" / "naoqi.md").read_text(encoding="utf-8")
    own = {kind.name for kind in service_classes()}
    words = set(page.replace("|", " ").replace(",", " ").replace(".", " ").split())
    assert not [name for name in stub_table() if name not in words]
    assert not [stub for name, stubs in stub_table().items() if name in own for stub in stubs if stub not in words]


def test_stubs_have_values_of_their_kinds():
    table = stub_table()
    assert all(kind in EMPTY for methods in table.values() for kind in methods.values())
    names = [kind.name for kind in service_classes()]
    assert len(set(names)) == len(names)
    assert callable(make_services)
