"""The known types: names, classes, services and actions."""

from __future__ import annotations

import subprocess
import sys

import pytest

from andante.bags import messages
from andante.errors import BadInput, UnknownName


def test_names_are_completed() -> None:
    assert messages.full_name("std_msgs/String") == "std_msgs/msg/String"
    assert messages.full_name("std_srvs/Trigger", "srv") == "std_srvs/srv/Trigger"
    assert messages.type_name("std_msgs/String") == messages.type_name("std_msgs/msg/String") == "std_msgs/msg/String"
    assert messages.type_of(messages.cls("std_msgs/String")(data="x")) == "std_msgs/msg/String"


def test_services_and_actions() -> None:
    trigger = messages.service("std_srvs/Trigger")
    assert (trigger.request, trigger.response) == ("std_srvs/srv/Trigger_Request", "std_srvs/srv/Trigger_Response")
    assert trigger.name in messages.services()
    navigate = messages.action("nav2_msgs/NavigateToPose")
    assert navigate.feedback == "nav2_msgs/action/NavigateToPose_Feedback"
    assert navigate.name in messages.actions()


def test_ros1_has_the_same_names_and_counting_headers() -> None:
    code = (  # in a process of its own: other tests teach the store types of their bags
        "from andante.bags import messages; messages.load('ros1'); ros1 = messages.ros1_store().fielddefs; "
        "assert set(messages.store().fielddefs) <= set(ros1); "
        "assert ros1['std_msgs/msg/Header'][1][0][0] == 'seq'"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_what_is_not_known_is_told() -> None:
    with pytest.raises(UnknownName, match="no message type 'std_msgs/Strin'; near it: std_msgs/msg/String"):
        messages.type_name("std_msgs/Strin")
    with pytest.raises(UnknownName, match="no service type"):
        messages.service("std_srvs/Nothing")
    with pytest.raises(BadInput, match="a ROS message is wanted, got int"):
        messages.type_of(3)
