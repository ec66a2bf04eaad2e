"""A client of rosbridge that sends goals as RViz, actionlib and Nav2 users do; prints what it is told as JSON."""

import json
import sys
import time

import roslibpy

ros = roslibpy.Ros(sys.argv[1], int(sys.argv[2]))
ros.run(timeout=30)
seen = {}


def pose(x, y):
    return {"header": {"frame_id": "map"}, "pose": {"position": {"x": x, "y": y}, "orientation": {"w": 1.0}}}


def wait(condition, seconds=90.0):
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.05)
    return condition()


poses, states = [], []
amcl = roslibpy.Topic(ros, "/amcl_pose", "geometry_msgs/PoseWithCovarianceStamped")
amcl.subscribe(lambda message: poses.append(message["pose"]["pose"]["position"]))
state = roslibpy.Topic(ros, "/navigation/state", "andante_msgs/NavigationState")
state.subscribe(states.append)
initial = roslibpy.Topic(ros, "/initialpose", "geometry_msgs/PoseWithCovarianceStamped")
initial.advertise()
time.sleep(0.5)
initial.publish(roslibpy.Message({"header": {"frame_id": "map"}, "pose": {"pose": pose(0.03, -0.02)["pose"]}}))
seen["placed"] = wait(lambda: bool(poses) and abs(poses[-1]["x"]) < 0.1)

simple = roslibpy.Topic(ros, "/move_base_simple/goal", "geometry_msgs/PoseStamped")
simple.advertise()
time.sleep(0.5)
simple.publish(roslibpy.Message(pose(0.3, 0.0)))
seen["simple"] = wait(lambda: any(each["active"] for each in states)) and wait(lambda: states[-1]["state"] == "arrived")

results, feedback = [], []
goals = roslibpy.Topic(ros, "/move_base/goal", "move_base_msgs/MoveBaseActionGoal")
result = roslibpy.Topic(ros, "/move_base/result", "move_base_msgs/MoveBaseActionResult")
result.subscribe(results.append)
progress = roslibpy.Topic(ros, "/move_base/feedback", "move_base_msgs/MoveBaseActionFeedback")
progress.subscribe(feedback.append)
goals.advertise()
time.sleep(0.5)
goals.publish(roslibpy.Message({"goal_id": {"id": "from-afar"}, "goal": {"target_pose": pose(0.0, 0.0)}}))
seen["move_base"] = wait(lambda: any(each["status"]["goal_id"]["id"] == "from-afar" for each in results))
seen["status"] = results[-1]["status"]["status"] if results else None
seen["feedback"] = len(feedback)

told = []
nav2 = roslibpy.ActionClient(ros, "/navigate_to_pose", "nav2_msgs/action/NavigateToPose")
heard = []
nav2.send_goal(
    roslibpy.Goal({"pose": pose(0.3, 0.0)}), told.append, heard.append, lambda error: told.append({"error": str(error)})
)
seen["nav2"] = wait(lambda: bool(told))
seen["nav2_result"] = json.loads(json.dumps(told[-1] if told else None, default=str))
seen["nav2_feedback"] = len(heard)
print(json.dumps(seen), flush=True)
ros.terminate()
