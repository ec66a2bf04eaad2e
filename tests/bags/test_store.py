"""The known types: names, classes, services and actions."""

from __future__ import annotations

import pytest

from andante.bags.messages import store
from andante.errors import BadInput, UnknownName


def test_names_are_completed() -> None:
    assert store.full_name("std_msgs/String") == "std_msgs/msg/String"
    assert store.full_name("std_srvs/Trigger", "srv") == "std_srvs/srv/Trigger"
    assert store.type_name("std_msgs/String") == store.type_name("std_msgs/msg/String") == "std_msgs/msg/String"
    assert store.type_of(store.cls("std_msgs/String")(data="x")) == "std_msgs/msg/String"


def test_services_and_actions() -> None:
    trigger = store.service("std_srvs/Trigger")
    assert (trigger.request, trigger.response) == ("std_srvs/srv/Trigger_Request", "std_srvs/srv/Trigger_Response")
    assert trigger.name in store.services()
    navigate = store.action("nav2_msgs/NavigateToPose")
    assert navigate.feedback == "nav2_msgs/action/NavigateToPose_Feedback"
    assert navigate.name in store.actions()


def test_ros1_has_the_same_names_and_counting_headers() -> None:
    store.load("ros1")
    assert set(store.store().fielddefs) <= set(store.ros1_store().fielddefs)
    assert store.ros1_store().fielddefs["std_msgs/msg/Header"][1][0][0] == "seq"


def test_what_is_not_known_is_told() -> None:
    with pytest.raises(UnknownName, match="no message type 'std_msgs/Strin'; near it: std_msgs/msg/String"):
        store.type_name("std_msgs/Strin")
    with pytest.raises(UnknownName, match="no service type"):
        store.service("std_srvs/Nothing")
    with pytest.raises(BadInput, match="a ROS message is wanted, got int"):
        store.type_of(3)
