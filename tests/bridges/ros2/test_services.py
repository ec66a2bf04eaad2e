"""Services, actions and names of nodes, as a client made like those of `rmw_cyclonedds` gets them."""

import os
import struct
import sys
from pathlib import Path

import pytest

if os.environ.get("CI") != "true":  # there a missing part is a failure
    pytest.importorskip("cyclonedds", reason="needs the extra `ros2`")

from andante.bags import messages
from andante.bridges.ros2.discovery import NodeEnds, entities_info, owner, types
from andante.bridges.ros2.services import refusal

PEER = Path(__file__).parent / "peers" / "rmw_client.py"


def test_a_client_knows_nodes_calls_services_and_sends_goals(session, bridged, report):
    session.calls.clear()
    seen = report(sys.executable, PEER, bridged)
    nodes = seen["nodes"]
    assert nodes["/base"] == [[], ["rt/cmd_vel", "rt/points"]]
    assert nodes["/camera"] == [["rt/big", "rt/image"], []]
    assert "rt/joint_states" in nodes["/robot"][0]
    assert "rt/reach/_action/status" in nodes["/robot"][0]
    assert "rq/reach/_action/send_goalRequest" in nodes["/robot"][1]
    assert "rr/pauseReply" in nodes["/session"][0]
    assert "/andante_bridge" in nodes
    assert seen["owner"]
    assert seen["pause"] == ["paused", "paused", True]
    assert session.calls == ["pause"] * 3  # not by the one without the mark of a client
    assert seen["stray"] == 0
    assert seen["set"] is True
    assert seen["broken"][0] is False
    assert "division by zero" in seen["broken"][1]
    assert seen["accepted"] == [True, False]  # a name of a goal is taken once
    assert seen["result"] == [4, 0, "there"]
    assert seen["feedback"] == [[0.0], [1.0], [2.0]]
    assert seen["cancel"] == [0, [2]]
    assert seen["canceled"] == 5
    assert seen["again"] == [3, 2]  # it is over, there is none
    assert seen["unknown"] == 0
    assert seen["status"] == {"1": 4, "2": 5}


@pytest.mark.parametrize(("old", "size"), [(False, 16), (True, 24)])
def test_gids_have_the_length_of_the_release(old, size):
    guid = bytes(range(1, 17))
    packed = entities_info(guid, {"/a/b": NodeEnds([guid[::-1]], [])}, old)
    info = types(old).deserialize_cdr(packed, "rmw_dds_common/msg/ParticipantEntitiesInfo")
    assert bytes(info.gid.data) == guid.ljust(size, b"\0")
    (node,) = info.node_entities_info_seq
    assert (node.node_namespace, node.node_name) == ("/a", "b")
    assert [bytes(gid.data) for gid in node.reader_gid_seq] == [guid[::-1].ljust(size, b"\0")]
    assert len(packed) == 4 + size + struct.calcsize("II4sI4s") - 2 + 2 + 4 + size + 4


def test_an_end_belongs_to_the_first_node_of_the_session():
    assert owner(["/bridge", "", "/robot", "/other"]) == "/robot"
    assert owner(["/bridge"]) == "/andante_bridge"


def test_what_fails_says_so_where_its_type_can():
    said = messages.from_cdr("std_srvs/srv/Trigger_Response", refusal("std_srvs/srv/Trigger_Response", "no"))
    assert (said.success, said.message) == (False, "no")
    assert refusal("action_msgs/srv/CancelGoal_Response", "no") == b""
