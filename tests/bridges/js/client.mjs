// Drives a session through npm `roslib` and prints what it saw as one JSON object.
import * as ROSLIB from "roslib";

const ros = new ROSLIB.Ros({ url: process.argv[2] });
const seen = { statuses: [] };

const promised = (start) => new Promise((resolve, reject) => start(resolve, reject));
const first = (topic, accept = () => true) =>
  promised((resolve) => {
    topic.subscribe(function take(message) {
      if (!accept(message)) return;
      topic.unsubscribe(take);
      resolve(message);
    });
  });
const described = (value) => (ArrayBuffer.isView(value) ? [value.constructor.name, Array.from(value, String)] : value);

await promised((resolve, reject) => {
  ros.on("connection", resolve);
  ros.on("error", reject);
});
const emit = ros.emit.bind(ros); // a status for an operation is emitted as "status:ID"
ros.emit = (event, ...rest) => {
  if (String(event).startsWith("status")) seen.statuses.push(rest[0].msg);
  return emit(event, ...rest);
};

const topic = (name, messageType, options = {}) => new ROSLIB.Topic({ ros, name, messageType, ...options });

// Topics, in every encoding.
seen.json = (await first(topic("/joint_states", "sensor_msgs/JointState", { throttle_rate: 50 }))).position;
const cbor = await first(
  topic("/joint_states", "sensor_msgs/msg/JointState", { compression: "cbor" }),
  (message) => ArrayBuffer.isView(message.position), // JSON that is still on its way comes first
);
seen.cbor = { name: cbor.name, position: described(cbor.position), stamp: typeof cbor.header.stamp.sec };
const raw = await first(
  topic("/joint_states", "sensor_msgs/JointState", { compression: "cbor-raw" }),
  (message) => message.bytes !== undefined,
);
seen.raw = { kind: raw.bytes.constructor.name, head: Array.from(raw.bytes.slice(0, 4)), size: raw.bytes.length };
seen.png = (await first(topic("/robot_description", "std_msgs/String", { compression: "png" }))).data;
seen.latched = (await first(topic("/robot_description", "std_msgs/String"))).data;

// Services.
const service = (name, serviceType) => new ROSLIB.Service({ ros, name, serviceType });
const call = (name, serviceType, request) =>
  promised((resolve) =>
    service(name, serviceType).callService(
      request,
      (values) => resolve({ values }),
      (failed) => resolve({ failed }),
    ),
  );
seen.service = await call("/set", "std_srvs/SetBool", { data: true });
seen.broken = await call("/broken", "std_srvs/Trigger", {});
seen.unknown = await call("/nope", "std_srvs/Trigger", {});

// An action to its end, and one that is cancelled.
const reach = new ROSLIB.Action({ ros, name: "/reach", actionType: "control_msgs/action/FollowJointTrajectory" });
const goal = (args, started) =>
  promised((resolve) => {
    const feedback = [];
    const id = reach.sendGoal(
      args,
      (result) => resolve({ result, feedback }),
      (part) => {
        feedback.push(part.desired.positions[0]);
        started(id);
      },
      (failed) => resolve({ failed, feedback }),
    );
  });
seen.action = await goal({ trajectory: { joint_names: ["a"] } }, () => {});
seen.cancelled = await goal({ trajectory: { joint_names: ["slow"] } }, (id) => reach.cancelGoal(id));

// What roslib asks about the session.
const asked = (name, ...rest) => promised((resolve, reject) => ros[name](...rest, resolve, reject));
seen.topics = await asked("getTopics");
seen.topicType = await asked("getTopicType", "/cmd_vel");
seen.forType = await asked("getTopicsForType", "geometry_msgs/Twist");
seen.services = await asked("getServices");
seen.serviceType = await asked("getServiceType", "/set");
seen.nodes = await asked("getNodes");
seen.actions = await asked("getActionServers");
seen.params = await asked("getParams");
seen.details = ros.decodeTypeDefs(await asked("getMessageDetails", "geometry_msgs/Twist"));
seen.raws = (await asked("getTopicsAndRawTypes")).typedefs_full_text.length;
const gain = new ROSLIB.Param({ ros, name: "/nao/pgain" });
seen.paramBefore = await promised((resolve, reject) => gain.get(resolve, reject));
await promised((resolve, reject) => gain.set(3.5, resolve, reject));
seen.paramAfter = await promised((resolve, reject) => gain.get(resolve, reject));
seen.paramRefused = await promised((resolve) => gain.set(1000, () => resolve("taken"), resolve));

// Offering a service to others, and using it over a second connection.
const offered = service("/my/double", "std_srvs/SetBool");
await offered.advertise((request, response) => {
  response.success = !request.data;
  response.message = "from JavaScript";
  return true;
});
const other = new ROSLIB.Ros({ url: process.argv[2] });
await promised((resolve) => other.on("connection", resolve));
seen.offered = await promised((resolve, reject) =>
  new ROSLIB.Service({ ros: other, name: "/my/double", serviceType: "std_srvs/SetBool" }).callService(
    { data: false },
    resolve,
    reject,
  ),
);

// Publishing; the unknown topic comes back as status.
topic("/nope", "std_msgs/String").publish({ data: "x" });
const drive = topic("/cmd_vel", "geometry_msgs/Twist");
drive.publish({ linear: { x: 0.25, y: 0, z: 0 }, angular: { x: 0, y: 0, z: -0.5 } });
await call("/pause", "std_srvs/Trigger", {});

console.log(JSON.stringify(seen));
other.close();
ros.close();
