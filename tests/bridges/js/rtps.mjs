// An RTPS program of another make, as Foxglove has it: what it finds in a domain and hears, as JSON. Args: domain.
import rtps from "@foxglove/rtps";
import nodejs from "@foxglove/rtps/nodejs";

const { Durability, HistoryKind, Participant, Reliability, selectIPv4 } = rtps;
const domainId = Number(process.argv[2]);
const participant = new Participant({
  name: "peer",
  addresses: [selectIPv4(nodejs.getNetworkInterfaces())],
  domainId,
  udpSocketCreate: () => nodejs.UdpSocketNode.Create(),
});
const found = {};
participant.on("discoveredPublication", (end) => {
  found[end.topicName] = [Reliability[end.reliability.kind], Durability[end.durability], end.history.depth];
});
const readers = {};
participant.on("discoveredSubscription", (end) => {
  (readers[end.topicName] ??= []).push(Reliability[end.reliability.kind]);
});
const heard = {};
participant.on("userData", (data) => {
  heard[data.publication.topicName] = Buffer.from(data.serializedData).toString("base64");
});
const wanted = [
  ["rt/joint_states", "sensor_msgs::msg::dds_::JointState_", Reliability.BestEffort, Durability.Volatile],
  ["rt/imu/data", "sensor_msgs::msg::dds_::Imu_", Reliability.Reliable, Durability.Volatile],
  ["rt/robot_description", "std_msgs::msg::dds_::String_", Reliability.Reliable, Durability.TransientLocal],
  [
    "ros_discovery_info",
    "rmw_dds_common::msg::dds_::ParticipantEntitiesInfo_",
    Reliability.Reliable,
    Durability.TransientLocal,
  ],
];
await participant.start();
for (const [topicName, typeName, kind, durability] of wanted) {
  const reliability = { kind, maxBlockingTime: { sec: 0, nsec: 100_000_000 } };
  const history = { kind: HistoryKind.KeepLast, depth: 10 };
  participant.subscribe({ topicName, typeName, durability, reliability, history });
}
const end = Date.now() + 30_000;
const complete = () => wanted.every(([name]) => name in heard) && "rt/cmd_vel" in readers;
while (!complete() && Date.now() < end) await new Promise((done) => setTimeout(done, 50));
await new Promise((done) => setTimeout(done, 500));
console.log(JSON.stringify({ found, readers, heard }));
process.exit(0);
