"""Messages: defaults, dictionaries, CDR, ROS 1, sums, and every error."""

from __future__ import annotations

import base64
import contextlib
import math
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from andante.bags import messages
from andante.bags.messages import ros1
from andante.bags.messages.dictionaries import DTYPES, INTEGERS, attribute
from andante.bags.messages.interface_files import EMPTY, FOLDER, parse_interface
from andante.errors import BadInput, UnknownName

ALL = sorted(messages.store().fielddefs)


def scalars(name: str, bound: int) -> st.SearchStrategy[Any]:
    if name == "bool":
        return st.booleans()
    if name == "string":
        return st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=bound or 6)
    if name.startswith("float"):
        return st.floats(width=32 if name == "float32" else 64)
    return st.integers(*INTEGERS[name])


def fields(described: Any, depth: int) -> st.SearchStrategy[Any]:
    kind, what = described
    if kind == 1:
        return scalars(*what)
    if kind == 2:
        return dictionaries(what, depth + 1)
    inner, count = what
    low, high = (count, count) if kind == 3 else (0, min(count or 3, 3) if depth < 2 else 1)
    lists = st.lists(fields(inner, depth + 1), min_size=low, max_size=high)
    if inner[0] == 1 and inner[1][0] in DTYPES:
        return lists.map(lambda values: np.array(values, dtype=DTYPES[inner[1][0]]))
    return lists


def dictionaries(name: str, depth: int = 0) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries(
        {field: fields(described, depth) for field, described in messages.store().fielddefs[name][1] if field != EMPTY}
    )


def same(a: Any, b: Any) -> bool:
    """Equality to the bit but for NaN, of dictionaries, lists and arrays."""
    if isinstance(a, dict):
        return isinstance(b, dict) and a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    if isinstance(a, list):
        return isinstance(b, list) and len(a) == len(b) and all(same(x, y) for x, y in zip(a, b, strict=True))
    if isinstance(a, np.ndarray):
        return isinstance(b, np.ndarray) and a.dtype == b.dtype and np.array_equal(a, b, equal_nan=a.dtype.kind == "f")
    if isinstance(a, float):
        return isinstance(b, float) and (a == b or (math.isnan(a) and math.isnan(b)))
    return type(a) is type(b) and a == b


@pytest.mark.parametrize("name", ALL)
def test_every_type_survives_all_forms(name: str) -> None:
    """dictionary -> object -> CDR -> object -> dictionary, and the same through ROS 1."""

    @settings(max_examples=6, deadline=None, database=None, derandomize=True)
    @given(content=dictionaries(name))
    def check(content: dict[str, Any]) -> None:
        message = messages.from_dict(name, content)
        assert same(messages.to_dict(message), content)
        cdr = messages.to_cdr(message)
        assert same(messages.to_dict(messages.from_cdr(name, cdr)), content)
        if ros1.alike(name):
            assert same(messages.to_dict(messages.from_ros1(name, messages.to_ros1(message))), content)

    check()


@pytest.mark.parametrize("name", ALL)
def test_every_type_has_defaults_text_and_hashes(name: str) -> None:
    message = messages.make(name)
    assert messages.type_of(message) == name
    assert messages.to_cdr(messages.from_ros1(name, messages.to_ros1(message))) == messages.to_cdr(message)
    assert messages.type_hash(name).startswith("RIHS01_")
    assert len(messages.md5(name)) == 32
    for described in (messages.definition(name), messages.definition(name, ros=1)):
        heads = re.findall(r"^MSG: (.+)$", described, re.MULTILINE)
        assert len(heads) == len(set(heads))


def test_definitions_are_those_of_rosbags() -> None:
    for name in ALL:
        if "/msg/" in name:
            assert messages.definition(name) == messages.store().generate_msgdef(name, ros_version=2)[0]


@pytest.mark.parametrize("name", [name for name in ALL if not ros1.alike(name)])
def test_types_that_ros1_lays_out_otherwise_keep_what_both_have(name: str) -> None:
    message = messages.make(name)
    messages.ros1_store().deserialize_ros1(messages.to_ros1(message), name)
    assert messages.type_of(messages.from_ros1(name, messages.to_ros1(message))) == name


@pytest.mark.parametrize(
    ("name", "md5"),
    [
        ("std_srvs/Empty", "d41d8cd98f00b204e9800998ecf8427e"),
        ("std_srvs/srv/Trigger", "937c9679a518e3a18d831e57125ea522"),
        ("std_srvs/SetBool", "09fb03525b03e7ea1fd3992bafd87e16"),
        ("tf2_msgs/TFMessage", "94810edda583a504dfda3829e70d7eec"),
        ("naoqi_bridge_msgs/JointAnglesWithSpeed", "052ca11f74a00ad6745dfff6ebc2b4d8"),
        ("sensor_msgs/msg/JointState", "3066dcd76a6cfaef579bd0f34173e9fd"),
        ("rosgraph_msgs/Log", "acffd30cd6b6de30f120938c17c593fb"),
    ],
)
def test_sums_of_ros1(name: str, md5: str) -> None:
    assert messages.md5(name) == md5


def test_sums_and_bytes_agree_with_the_ros1_of_debian(debian_ros: Path) -> None:
    """Every class of Debian's message packages: the same sum, and its bytes are read with the same values."""
    code = """
import importlib, io, pkgutil, sys
sys.path.append(sys.argv[1])
for package in "std_msgs std_srvs geometry_msgs sensor_msgs nav_msgs tf2_msgs rosgraph_msgs actionlib_msgs".split():
    for kind in ("msg", "srv"):
        try:
            module = importlib.import_module(f"{package}.{kind}")
        except ImportError:
            continue
        for name in sorted(vars(module)):
            cls = getattr(module, name)
            if not isinstance(cls, type) or not hasattr(cls, "_md5sum"):
                continue
            data = b""
            if kind == "msg":
                out = io.BytesIO()
                cls().serialize(out)
                data = out.getvalue()
            print(cls._type, kind, cls._md5sum, data.hex() or "-")
"""
    ran = subprocess.run(["/usr/bin/python3", "-c", code, str(debian_ros)], capture_output=True, text=True, timeout=60)
    assert ran.returncode == 0, ran.stderr
    checked = 0
    for line in ran.stdout.splitlines():
        name, kind, md5, data = line.split()
        full = messages.full_name(name, kind)
        if kind == "srv" and f"{full}_Request" not in messages.store().fielddefs:
            continue
        if kind == "msg" and full not in messages.store().fielddefs:
            continue
        assert messages.md5(full) == md5, name
        if kind == "msg":
            raw = bytes.fromhex(data) if data != "-" else b""
            assert messages.to_ros1(messages.from_ros1(full, raw)) == raw, name
        checked += 1
    assert checked > 100


def test_make_takes_nested_values_messages_and_lists() -> None:
    vector = messages.make("geometry_msgs/Vector3", x=1)
    twist = messages.make("geometry_msgs/Twist", linear=vector, angular={"z": 2})
    assert (twist.linear.x, twist.linear.y, twist.angular.z) == (1.0, 0.0, 2.0)
    state = messages.make("sensor_msgs/JointState", name=("a", "b"), position=[1, 2])
    assert state.name == ["a", "b"]
    assert state.position.dtype == np.float64
    assert len(messages.make("sensor_msgs/Imu").orientation_covariance) == 9


def test_null_is_nan_and_base64_is_bytes() -> None:
    assert math.isnan(messages.make("std_msgs/Float64", data=None).data)
    scan = messages.make("sensor_msgs/LaserScan", ranges=[1.0, None, 3.0])
    assert np.isnan(scan.ranges[1])
    image = messages.make("sensor_msgs/CompressedImage", data=base64.b64encode(b"jpeg").decode())
    assert bytes(image.data) == b"jpeg"
    assert bytes(messages.make("sensor_msgs/CompressedImage", data=b"abc").data) == b"abc"


def test_names_of_ros1_clients_are_understood() -> None:
    header = messages.make("std_msgs/Header", seq=3, stamp={"secs": 4, "nsecs": 5}, frame_id="map")
    assert (header.stamp.sec, header.stamp.nanosec) == (4, 5)


def test_fields_named_like_python_words() -> None:
    assert attribute("from") == "from_"
    messages.register("string from\nint32 lambda", "test_words_msgs/msg/Words")
    message = messages.make("test_words_msgs/Words", **{"from": "here", "lambda": 3})
    assert messages.to_dict(messages.from_cdr("test_words_msgs/Words", messages.to_cdr(message))) == {
        "from": "here",
        "lambda": 3,
    }


@pytest.mark.parametrize(
    ("name", "content", "fragment"),
    [
        ("geometry_msgs/Twist", {"linear": {"x": "fast"}}, "linear.x: a number is wanted, got 'fast'"),
        ("geometry_msgs/Twist", {"speed": 1}, "no field 'speed'; fields: linear, angular"),
        ("geometry_msgs/Twist", {"linear": {"vx": 1}}, "in linear: has no field 'vx'; fields: x, y, z"),
        ("geometry_msgs/Twist", {"linear": 3}, "in linear: a dictionary of fields is wanted, got 3"),
        ("geometry_msgs/Twist", [1, 2], "a dictionary of fields is wanted"),
        ("std_msgs/UInt8", {"data": 256}, "data: 256 is outside 0 to 255 (uint8)"),
        ("std_msgs/Int64", {"data": 2**63}, "is outside"),
        ("std_msgs/Int32", {"data": 1.5}, "data: a whole number is wanted, got 1.5"),
        ("std_msgs/Bool", {"data": "yes"}, "data: true or false is wanted, got 'yes'"),
        ("std_msgs/String", {"data": 5}, "data: a text is wanted, got 5"),
        ("std_msgs/Float32", {"data": 1e39}, "too large for a float32"),
        ("std_msgs/Float64", {"data": 10**400}, "too large for a float64"),
        ("std_msgs/Empty", {"data": 5}, "has no fields, got data"),
        ("sensor_msgs/JointState", {"position": "abc"}, "position: a list of numbers is wanted, got 'abc'"),
        ("sensor_msgs/JointState", {"position": [1, "a"]}, "position: a list of numbers is wanted"),
        ("sensor_msgs/JointState", {"position": [[1], [2, 3]]}, "position: a list of numbers is wanted"),
        ("sensor_msgs/JointState", {"name": "LKnee"}, "name: a list is wanted, got 'LKnee'"),
        ("sensor_msgs/JointState", {"name": ["a", 3]}, "name: element 1: a text is wanted, got 3"),
        ("sensor_msgs/Imu", {"orientation_covariance": [1, 2]}, "orientation_covariance: 9 numbers are wanted, got 2"),
        ("nav_msgs/OccupancyGrid", {"data": [0, 200]}, "outside -128 to 127"),
        ("nav_msgs/OccupancyGrid", {"data": [0.5]}, "whole numbers"),
        ("sensor_msgs/CompressedImage", {"data": "*"}, "not base64"),
        ("nav_msgs/Path", {"poses": [{"pose": {"position": {"x": []}}}]}, "poses[0].pose.position.x: a number"),
        ("nav_msgs/Path", {"poses": [3]}, "in poses[0]: a dictionary"),
    ],
)
def test_what_does_not_fit_is_named(name: str, content: Any, fragment: str) -> None:
    with pytest.raises(BadInput, match=re.escape(fragment)):
        messages.from_dict(name, content)


def test_a_message_of_another_type_is_refused() -> None:
    with pytest.raises(BadInput, match="a geometry_msgs/msg/Vector3 is wanted, got a geometry_msgs/msg/Point"):
        messages.make("geometry_msgs/Twist", linear=messages.make("geometry_msgs/Point"))


@pytest.mark.parametrize("call", [messages.type_name, messages.service, messages.action, messages.cls])
def test_unknown_types_tell_what_is_near(call: Any) -> None:
    with pytest.raises(UnknownName, match="near it: "):
        call("geometry_msgs/Twits")


def test_bytes_that_are_no_message() -> None:
    with pytest.raises(BadInput, match="std_msgs/msg/String: 2 bytes are not such a message"):
        messages.from_cdr("std_msgs/String", b"ab")
    with pytest.raises(BadInput, match="are not such a ROS 1 message"):
        messages.from_ros1("std_msgs/String", b"\xff\xff\xff\xff")
    with pytest.raises(BadInput, match="a ROS message is wanted, got dict"):
        messages.to_cdr({})


def test_a_message_with_a_wrong_value_names_the_field_when_packed() -> None:
    message = messages.make("std_msgs/UInt8")
    message.data = 300
    with pytest.raises(BadInput, match="data: 300 is outside"):
        messages.to_cdr(message)
    with pytest.raises(BadInput, match="data: 300 is outside"):
        messages.to_ros1(message)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(data=st.binary(max_size=80), name=st.sampled_from(ALL))
def test_wild_bytes_never_raise_anything_else(data: bytes, name: str) -> None:
    for read in (messages.from_cdr, messages.from_ros1):
        with contextlib.suppress(BadInput):
            read(name, b"\x00\x01\x00\x00" + data)


def test_times() -> None:
    assert messages.time(1.25) == messages.make("builtin_interfaces/Time", sec=1, nanosec=250_000_000)
    assert messages.seconds(messages.duration(-0.25)) == -0.25
    assert messages.time(0.9999999999).sec == 1
    assert messages.header(2.0, "map").frame_id == "map"


def test_services_and_actions_expand() -> None:
    assert messages.service("std_srvs/Trigger").response == "std_srvs/srv/Trigger_Response"
    found = messages.action("naoqi_bridge_msgs/BodyPose")
    assert found.goal == "naoqi_bridge_msgs/action/BodyPose_Goal"
    assert messages.make(found.goal, pose_name="init").pose_name == "init"
    feedback = messages.make("nav2_msgs/action/NavigateToPose_FeedbackMessage")
    assert len(feedback.goal_id.uuid) == 16
    assert messages.make("naoqi_bridge_msgs/BodyPoseActionGoal").goal.pose_name == ""
    assert {"std_srvs/srv/Empty", "andante_msgs/srv/Select"} <= set(messages.services())
    assert {"control_msgs/action/FollowJointTrajectory", "nav2_msgs/action/NavigateToPose"} <= set(messages.actions())


def test_every_interface_file_is_known() -> None:
    for path in FOLDER.glob("*/*/*.*"):
        package, kind, name = path.parts[-3], path.parts[-2], path.stem
        {"msg": messages.type_name, "srv": messages.service, "action": messages.action}[kind](
            f"{package}/{kind}/{name}"
        )


def test_register_adds_and_refuses_changes() -> None:
    messages.register("float64[<=3] values\nstring<=4 tag\nuint8 A=1 # one\nstring S=a # b", "test_own_msgs/msg/Own")
    message = messages.make("test_own_msgs/Own", values=[1, 2], tag="abcd")
    assert message.A == 1
    assert message.S == "a # b"
    for content, fragment in (({"values": [0] * 4}, "at most 3 numbers"), ({"tag": "abcde"}, "at most 4 characters")):
        with pytest.raises(BadInput, match=fragment):
            messages.from_dict("test_own_msgs/Own", content)
    messages.register("float64[<=3] values\nstring<=4 tag\nuint8 A=1", "test_own_msgs/msg/Own")
    with pytest.raises(BadInput, match="already present with different definition"):
        messages.register("int32 other", "test_own_msgs/msg/Own")


@pytest.mark.parametrize(
    ("text", "name", "fragment"),
    [
        ("float64", "a_msgs/msg/A", "a_msgs/msg/A:1: a line is TYPE NAME"),
        ("int32 a\nint32 a", "a_msgs/msg/A", ":2: field 'a' comes twice"),
        ("int32 A=x", "a_msgs/msg/A", "'x' is not a int32"),
        ("bool A=maybe", "a_msgs/msg/A", "'maybe' is not a bool"),
        ("int32 a", "a_msgs/srv/A", "1 lines with --- are wanted in a .srv text, got 0"),
        ("int32 a\n---", "a_msgs/action/A", "2 lines with ---"),
    ],
)
def test_bad_interface_texts(text: str, name: str, fragment: str) -> None:
    with pytest.raises(BadInput, match=re.escape(fragment)):
        parse_interface(text, name)


def test_register_wants_a_full_name() -> None:
    with pytest.raises(BadInput, match="pkg/msg/Name"):
        messages.register("int32 a", "Own")


def test_import_is_light() -> None:
    code = "import sys, andante.bus; print('rosbags.typesys' in sys.modules, 'numpy' in sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert ran.stdout.split()[0] == "False"


LAZY = """
from andante.bags import messages
types = messages.store().types
before = len(types)
made = messages.make("andante_msgs/msg/Footsteps")
assert type(made) is messages.cls("andante_msgs/Footsteps") and made.__msgtype__ == "andante_msgs/msg/Footsteps"
print(len(messages.store().fielddefs) - before > 200, len(types) - before)
"""


def test_classes_are_made_when_they_are_asked_for():
    done = subprocess.run([sys.executable, "-c", LAZY], capture_output=True, text=True, check=False)
    told, made = done.stdout.split() or pytest.fail(done.stderr)
    assert told == "True"
    assert 1 <= int(made) <= 3  # Footsteps and what stands in its defaults
    with pytest.raises(KeyError):
        messages.store().types["none/msg/Such"]
