"""A ROS 2 peer by `cyclonedds` alone, with classes written down here: prints what it hears as JSON, then drives."""

import json
import sys
import time
from dataclasses import dataclass

from cyclonedds.domain import Domain, DomainParticipant
from cyclonedds.idl import IdlStruct
from cyclonedds.idl.types import float64, int32, sequence, uint32
from cyclonedds.pub import DataWriter
from cyclonedds.qos import Policy, Qos
from cyclonedds.sub import DataReader
from cyclonedds.topic import Topic
from cyclonedds.util import duration

number, configuration = int(sys.argv[1]), sys.argv[2]


@dataclass
class Time(IdlStruct, typename="builtin_interfaces.msg.dds_.Time_"):
    sec: int32
    nanosec: uint32


@dataclass
class Header(IdlStruct, typename="std_msgs.msg.dds_.Header_"):
    stamp: Time
    frame_id: str


@dataclass
class JointState(IdlStruct, typename="sensor_msgs.msg.dds_.JointState_"):
    header: Header
    name: sequence[str]
    position: sequence[float64]
    velocity: sequence[float64]
    effort: sequence[float64]


@dataclass
class String(IdlStruct, typename="std_msgs.msg.dds_.String_"):
    data: str


@dataclass
class Vector3(IdlStruct, typename="geometry_msgs.msg.dds_.Vector3_"):
    x: float64
    y: float64
    z: float64


@dataclass
class Twist(IdlStruct, typename="geometry_msgs.msg.dds_.Twist_"):
    linear: Vector3
    angular: Vector3


CDR = Policy.DataRepresentation(use_cdrv0_representation=True, use_xcdrv2_representation=False)
RELIABLE = Policy.Reliability.Reliable(duration(milliseconds=100))
domain = Domain(number, configuration)
participant = DomainParticipant(number)


def read(name, kind, *policies):
    """The first sample of a topic, and what its writer says of itself."""
    reader = DataReader(participant, Topic(participant, f"rt/{name}", kind), qos=Qos(CDR, *policies))
    end = time.monotonic() + 30
    while time.monotonic() < end:
        samples = reader.take()
        if samples:
            (writer, *_) = reader.get_matched_publications()
            qualities = reader.get_matched_publication_data(writer).qos
            return samples[0], {
                "user_data": qualities[Policy.Userdata].data.decode(),
                "reliability": type(qualities[Policy.Reliability]).__name__,
                "durability": type(qualities[Policy.Durability]).__name__,
                "depth": qualities[Policy.History].depth,
            }
        time.sleep(0.01)
    raise SystemExit(f"nothing on {name}")


seen = {}
joints, seen["sensor"] = read("joint_states", JointState, Policy.Reliability.BestEffort)
seen["joints"] = [joints.name, [repr(value) for value in joints.position], joints.header.frame_id]
text, seen["latched"] = read("robot_description", String, RELIABLE, Policy.Durability.TransientLocal)
seen["text"] = text.data

writer = DataWriter(participant, Topic(participant, "rt/cmd_vel", Twist), qos=Qos(CDR, RELIABLE))
while not writer.get_matched_subscriptions():
    time.sleep(0.01)
writer.write(Twist(Vector3(0.75, 0.0, 0.0), Vector3(0.0, 0.0, -1.5)))
writer.wait_for_acks(duration(seconds=5))
print(json.dumps(seen), flush=True)
