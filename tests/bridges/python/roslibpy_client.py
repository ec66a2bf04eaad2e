"""Drives a session through `roslibpy` and prints what it saw as one JSON object."""

import json
import sys
import threading

import roslibpy

host, port = sys.argv[1:3]
ros = roslibpy.Ros(host, int(port))
ros.run(timeout=20)
seen = {}


def first(topic):
    """The first message of a topic."""
    arrived, got = threading.Event(), []

    def take(message):
        got.append(message)
        arrived.set()

    topic.subscribe(take)
    assert arrived.wait(20)
    topic.unsubscribe()
    return got[0]


seen["joints"] = first(roslibpy.Topic(ros, "/joint_states", "sensor_msgs/JointState", throttle_rate=50))["position"]
seen["latched"] = first(roslibpy.Topic(ros, "/robot_description", "std_msgs/String"))["data"]

seen["service"] = dict(roslibpy.Service(ros, "/set", "std_srvs/SetBool").call({"data": True}, timeout=20))
try:
    roslibpy.Service(ros, "/broken", "std_srvs/Trigger").call({}, timeout=20)
except Exception as error:
    seen["broken"] = str(error)

action = roslibpy.ActionClient(ros, "/reach", "control_msgs/action/FollowJointTrajectory")


def goal(arguments, on_feedback=lambda mark: None):
    """Status, result and feedback of a goal."""
    ended, feedback, end, marks = threading.Event(), [], [], []

    def progress(message):
        feedback.append(message["desired"]["positions"][0])
        if marks:
            on_feedback(marks[0])

    def over(result):
        end.append(result)
        ended.set()

    marks.append(action.send_goal(roslibpy.Goal(arguments), over, progress, over))
    assert ended.wait(20)
    return {"status": end[0]["status"].name, "values": end[0]["values"], "feedback": feedback}


seen["action"] = goal({"trajectory": {"joint_names": ["a"]}})
seen["cancelled"] = goal({"trajectory": {"joint_names": ["slow"]}}, action.cancel_goal)

seen["topics"] = ros.get_topics()
seen["type"] = ros.get_topic_type("/cmd_vel")
seen["services"] = ros.get_services()
seen["service_type"] = ros.get_service_type("/set")
seen["nodes"] = ros.get_nodes()
seen["details"] = ros.get_message_details("geometry_msgs/Twist")
seen["time"] = ros.get_time()
seen["params"] = ros.get_params()
gain = roslibpy.Param(ros, "/nao/pgain")
gain.set(4.5)
seen["param"] = gain.get()

drive = roslibpy.Topic(ros, "/cmd_vel", "geometry_msgs/Twist")
drive.advertise()
drive.publish(roslibpy.Message({"linear": {"x": 0.5}, "angular": {"z": 0.125}}))

served = threading.Event()


def answer(request, response):
    response["success"], response["message"] = not request["data"], "from Python"
    served.set()
    return True


offered = roslibpy.Service(ros, "/my/negate", "std_srvs/SetBool")
offered.advertise(answer)
other = roslibpy.Service(ros, "/my/negate", "std_srvs/SetBool")
seen["offered"] = dict(other.call({"data": False}, timeout=20))

roslibpy.Service(ros, "/pause", "std_srvs/Trigger").call({}, timeout=20)
print(json.dumps(seen, default=dict))
ros.terminate()
