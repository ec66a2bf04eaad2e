"""Record a session, look into the bag, cut it off as a crash would, repair it, and play it back."""

from pathlib import Path

import andante as an

messages = an.bags.messages

# Two seconds of joint states at 50 Hz, and a name that is latched.
bus = an.bus.Bus()
states = bus.advertise("/joint_states", "sensor_msgs/msg/JointState", rate=50.0)
bus.advertise("/robot_name", "std_msgs/msg/String", latched=True).publish(messages.make("std_msgs/String", data="nao"))
with an.bus.Recorder(bus, "run.mcap") as recorder:
    for k in range(250):
        now = k * 0.008
        bus.clock.advance_to(now)
        if states.wanted():
            header = messages.header(now, "base_link")
            states.publish(
                messages.make("sensor_msgs/JointState", header=header, name=["HeadYaw"], position=[0.01 * k])
            )
        if k % 50 == 0:
            recorder.writer.flush()  # also done by itself every second of wall time
        bus.spin()

found = an.bags.bag_info("run.mcap")
print(f"{found.path}: {found.kind}, {found.duration:.2f} s, {found.count} messages")
for topic in found.topics:
    print(f"  {topic.name} ({topic.type}) {topic.count} messages")

# A power cut in the middle: no index any more, half of the file gone.
raw = Path("run.mcap").read_bytes()
Path("cut.mcap").write_bytes(raw[: len(raw) // 3])
with an.bags.open_bag("cut.mcap") as cut:
    print("after the cut:", cut.count, "messages;", cut.notes[0])
repaired = an.bags.convert_bag("cut.mcap", "repaired.bag")
print("repaired as rosbag1:", repaired.count, "messages, whole:", an.bags.bag_info("repaired.bag").whole)

# Play it ten times as fast.
stage = an.bus.Bus()
player = an.bus.Player(stage, "run.mcap", speed=10.0)
positions = []
stage.subscribe("/joint_states", None, lambda message: positions.append(float(message.position[0])), queue=1000)
player.run()
print(f"played {player.count} messages up to {player.position:.2f} s; HeadYaw ends at {positions[-1]:.2f} rad")
