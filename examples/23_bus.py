"""Topics, a service, an action, parameters and transforms on one bus: a thermostat that drives to the cold room."""

import andante as an

messages = an.bags.messages

bus = an.bus.Bus()

# A sensor publishes at most ten times a second of simulated time; a controller listens and answers.
sensor = bus.advertise("/temperature", "sensor_msgs/msg/Temperature", rate=10.0, node="sensor", sensor=True)
heater = bus.advertise("/heater", "std_msgs/msg/Bool", latched=True, node="thermostat")
bus.parameters.declare("/thermostat/target", 20.0, low=5.0, high=30.0, help="wanted temperature [deg C]")


def regulate(message):
    heater.publish(messages.make("std_msgs/Bool", data=message.temperature < bus.parameters.get("/thermostat/target")))


bus.subscribe("/temperature", None, regulate, node="thermostat")
switched = []
bus.subscribe("/heater", None, lambda message: switched.append(message.data), node="house")

# A service that changes a parameter.
bus.provide(
    "/holiday",
    "std_srvs/srv/SetBool",
    lambda request: {
        "success": True,
        "message": f"{bus.parameters.set('/thermostat/target', 12 if request.data else 20)}",
    },
)


# An action: a generator that is advanced once per spin.
def drive(goal):
    x, aim = 0.0, goal.pose.pose.position.x
    try:
        while aim - x > 1e-9:
            x += min(0.05, aim - x)
            bus.tf.set_pose("map", "base", bus.clock.now, (x, 0, 0, 0, 0, 0, 1))
            yield {"distance_remaining": aim - x}
    except an.bus.Cancelled:
        return None
    return {}


bus.provide_action("/navigate", "nav2_msgs/action/NavigateToPose", drive, node="robot")
bus.tf.set_pose("base", "thermometer", 0.0, (0, 0, 0.3, 0, 0, 0, 1), static=True)
goal = bus.send_goal("/navigate", {"pose": {"pose": {"position": {"x": 1.0}}}})

# The loop: advance the clock, publish what is wanted, spin.
room = 18.0
for k in range(100):
    bus.clock.advance_to(k * 0.04)
    room += 0.1 if switched and switched[-1] else -0.05
    if sensor.wanted():
        sensor.publish(messages.make("sensor_msgs/Temperature", temperature=room))
    bus.spin()

print("the action", goal.status.name.lower(), "and the thermometer stands at", bus.tf.lookup("map", "thermometer")[:3])
print("in between it stood at", [round(bus.tf.lookup("map", "thermometer", t)[0], 3) for t in (0.1, 0.3, 0.5)])
print("the heater heard", len(switched), "commands, the room has", round(room, 1), "deg C")
print("on holiday the target is", bus.call("/holiday", {"data": True}).message)
for node in bus.graph():
    print(f"{node.name:>12}  publishes {', '.join(node.publishes) or '-'}; hears {', '.join(node.subscribes) or '-'}")
