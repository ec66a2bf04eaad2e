"""A ROS 2 peer by `cyclonedds` alone in its default settings, with its own classes of the types.

It prints as JSON what it hears, then drives: by a reliable writer, then by a best-effort one.
"""

import json
import sys
import time

from cyclone_types import CDR, RELIABLE, JointState, String, Twist, Vector3
from cyclonedds.builtin import BuiltinDataReader, BuiltinTopicDcpsPublication
from cyclonedds.domain import DomainParticipant
from cyclonedds.pub import DataWriter
from cyclonedds.qos import Policy, Qos
from cyclonedds.sub import DataReader
from cyclonedds.topic import Topic
from cyclonedds.util import duration

number = int(sys.argv[1])


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

found = {sample.topic_name for sample in BuiltinDataReader(participant, BuiltinTopicDcpsPublication).take(N=1000)}
seen["topics"] = sorted(found)


def drive(forward, turn, *policies):
    """A writer that has sent a command as soon as somebody listens."""
    made = DataWriter(participant, Topic(participant, "rt/cmd_vel", Twist), qos=Qos(CDR, *policies))
    while not made.get_matched_subscriptions():
        time.sleep(0.01)
    time.sleep(0.2)  # the reader has to know the writer too
    made.write(Twist(Vector3(forward, 0.0, 0.0), Vector3(0.0, 0.0, turn)))
    return made


writer = drive(0.75, -1.5, RELIABLE)
writer.wait_for_acks(duration(seconds=5))
time.sleep(0.2)
for _ in range(4):  # nobody sends a best-effort sample again to a reader that came late
    other = drive(0.5, 0.25, Policy.Reliability.BestEffort)
    time.sleep(0.05)
print(json.dumps(seen), flush=True)
