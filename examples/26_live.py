"""A live session: a robot on the bus, driven, posed, pushed and measured while it runs.

Everything that the studio's page and the ROS bridges do goes over the same topics and services.
"""

import andante as an

session = an.session.LiveSession("nao", world="empty", seed=1)
session.bus.subscribe("/rosout", None, lambda line: print(f"  log: {line.msg}"), queue=100)

# Listen: a message is built only because somebody does.
loads = []
session.bus.subscribe("/nao/foot_force", None, lambda feet: loads.append(sum(foot.total for foot in feet.feet)))
session.run(1.0)
print(f"{session.behaviour}: the feet carry {loads[-1]:.1f} N of {9.81 * session.stage.robot.mass:.1f} N")

# Drive: a velocity lasts for half a second, then the robot stops by itself.
twist = session.bus.advertise("/cmd_vel", "geometry_msgs/msg/Twist")
for _ in range(20):
    twist.publish(an.bags.messages.make("geometry_msgs/msg/Twist", linear={"x": 0.1}))
    session.run(0.1)
print(f"{session.behaviour}: believes to be at x = {session.position[0]:.2f} m")

# Ask for a pose while it walks: it stops first, and no joint target jumps.
answer = session.bus.call("/play", {"name": "Crouch"})
print(f"/play: {answer.message}, {answer.duration:.1f} s; meanwhile {session.behaviour}")
session.run(3.0)
print(f"{session.behaviour} at height {session.stage.sim.base_pose[2]:.2f} m")

# The terminal does all of this by typed lines.
for line in ("status", "drive 0.1 0 0.2 1.5", "get /nao/pgain/Head*"):
    print(f"> {line}")
    print(session.bus.call("/terminal", {"line": line}).text)
session.run(3.5)
x, y, heading = session.position
print(f"{session.behaviour}: x {x:.2f} m, y {y:.2f} m, heading {heading:.2f} rad; fallen: {session.stage.sim.fallen}")
session.close()
