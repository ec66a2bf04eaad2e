"""A peer that looks for a session and drives it; prints as JSON what others publish and how many readers it drove."""

import argparse
import json
import time

from cyclone_types import CDR, RELIABLE, String, Twist, Vector3
from cyclonedds.builtin import BuiltinDataReader, BuiltinTopicDcpsPublication
from cyclonedds.domain import Domain, DomainParticipant
from cyclonedds.pub import DataWriter
from cyclonedds.qos import Policy, Qos
from cyclonedds.topic import Topic

parser = argparse.ArgumentParser()
parser.add_argument("domain", type=int)
parser.add_argument("own", help="a topic of its own")
parser.add_argument("seconds", type=float)
parser.add_argument("--until", help="stop when somebody was driven and this topic was found")
parser.add_argument("--ask", help="an address where it looks, and never rests")
said = parser.parse_args()
if said.ask:
    discovery = f"<SPDPInterval>50ms</SPDPInterval><Peers><Peer address='{said.ask}'/></Peers>"
    domain = Domain(said.domain, f"<CycloneDDS><Domain><Discovery>{discovery}</Discovery></Domain></CycloneDDS>")
participant = DomainParticipant(said.domain)
mark = DataWriter(participant, Topic(participant, f"rt/{said.own}", String), qos=Qos(CDR))
topic = Topic(participant, "rt/cmd_vel", Twist)
drivers = [DataWriter(participant, topic, qos=Qos(CDR, kind)) for kind in (RELIABLE, Policy.Reliability.BestEffort)]
publications = BuiltinDataReader(participant, BuiltinTopicDcpsPublication)
found, joined = set(), 0
end = time.monotonic() + said.seconds
while time.monotonic() < end:
    found |= {one.topic_name for one in publications.take(N=1000) if one.topic_name}  # those that left have no name
    joined = max(joined, *(len(driver.get_matched_subscriptions()) for driver in drivers))
    for driver in drivers:
        driver.write(Twist(Vector3(said.seconds, 0.0, 0.0), Vector3(0.0, 0.0, 0.0)))
    if joined and said.until in found:
        said.until, end = None, min(end, time.monotonic() + 0.5)
    time.sleep(0.02)
print(json.dumps({"topics": sorted(found - {f"rt/{said.own}", "rt/cmd_vel"}), "joined": joined}), flush=True)
