"""What NAOqi tells and is told, without a robot."""

import math

import numpy as np
import pytest

from andante.bags import messages
from andante.description import load_robot
from andante.errors import BadInput, UnknownName
from andante.hardware.naoqi.settings import NaoqiSettings, naoqi_settings, qi_url
from andante.hardware.naoqi.wire import (
    ANGLES,
    FORCES,
    INERTIAL,
    JOINTS,
    ODOM,
    STIFFNESS,
    VELOCITY,
    Call,
    call_of,
    keys_of,
    told_messages,
    understood,
)
from andante.tasks.dry_run import dry_play, dry_walk

NAMES = ("HeadYaw", "LHand")
ROBOT = "naoqi://192.0.2.1"  # an address that answers nobody


def values(**changed):
    told = dict.fromkeys(keys_of(NAMES), 0.0)
    return list((told | changed).values())


def test_values_become_messages_of_the_wire_contract():
    count = len(keys_of(NAMES))
    given = values()
    given[0], given[2], given[3] = 1500, 0.3, None
    given[4:10] = 0.1, 0.2, None, 0.0, 0.0, 9.8
    given[10:] = [1.0] * (count - 10)
    told = understood(NAMES, given, [1.0, 2.0, 0.5])
    made = told_messages(told, told._replace(time=1.4, place=(0.9, 2.0, 0.5)))
    assert messages.seconds(made[JOINTS].header.stamp) == 1.5
    assert list(made[JOINTS].name) == ["HeadYaw"]  # nobody tells of the hand
    assert math.isnan(made[INERTIAL].angular_velocity.z)
    assert made[FORCES].feet[0].cells[0] == pytest.approx(9.81, abs=0.01)  # kg
    twist = made[ODOM].twist.twist
    assert math.hypot(twist.linear.x, twist.linear.y) == pytest.approx(1.0)
    with pytest.raises(ValueError, match="values came"):
        understood(NAMES, given[:-1], [])


def test_a_robot_without_sensors_tells_no_numbers():
    told = understood(NAMES, [None] * len(keys_of(NAMES)), [])
    assert math.isnan(told.time)
    made = told_messages(told._replace(time=1.0), None)
    assert set(made) == {JOINTS, INERTIAL}
    assert made[INERTIAL].angular_velocity_covariance[0] == -1.0


def test_messages_become_calls_with_plain_numbers():
    fields = {"joint_names": ["HeadYaw"], "joint_angles": np.array([0.5], dtype=np.float32), "speed": 0.8}
    call = call_of(ANGLES, messages.make("naoqi_bridge_msgs/msg/JointAnglesWithSpeed", **fields))
    assert str(call) == "ALMotion.setAngles"
    assert [type(v) for v in call.arguments[1]] == [float]  # qi takes half a second for a number of numpy
    stiff = messages.make("sensor_msgs/msg/JointState", name=["HeadYaw"], effort=[0.6])
    assert call_of(STIFFNESS, stiff) == Call("ALMotion", "setStiffnesses", (["HeadYaw"], [0.6]))
    twist = messages.make("geometry_msgs/msg/Twist", linear={"x": np.float64(0.1)})
    assert call_of(VELOCITY, twist) == Call("ALMotion", "move", (0.1, 0.0, 0.0))
    assert call_of(VELOCITY, messages.make("geometry_msgs/msg/Twist")) == Call("ALMotion", "stopMove")


@pytest.mark.parametrize("address", ["naoqi://", "naoqi://a:b", "naoqi://nao/x", "tcp://nao:9559"])
def test_addresses_that_are_none(address):
    with pytest.raises(BadInput):
        qi_url(address)


def test_settings():
    assert qi_url("naoqi://nao.local") == "tcp://nao.local:9559"
    assert naoqi_settings({"walk": "ours", "rest": True}) == NaoqiSettings(walk="ours", rest=True)
    with pytest.raises(BadInput, match="own"):
        naoqi_settings({"walk": "moon"})
    with pytest.raises(UnknownName, match="stride"):
        naoqi_settings({"stride": 1.0})


def calls(lines):
    return {line["calls"]: line["arguments"] for line in lines if "calls" in line}


def test_dry_runs_name_the_calls(tmp_path):
    assert list(calls(dry_walk("nao", ROBOT))) == ["ALMotion.wakeUp", "ALMotion.stopMove"]  # it stands at first
    file = tmp_path / "ours.toml"
    file.write_text('[body]\nwalk = "ours"\nwake = false\n')
    ours = calls(dry_walk("nao", ROBOT, params=file))
    assert list(ours) == ["ALMotion.setAngles"]
    assert set(ours["ALMotion.setAngles"][0]) == set(load_robot("nao").joint_names)
    assert "ALMotion.setAngles" in calls(dry_play("nao", "nod", ROBOT))
