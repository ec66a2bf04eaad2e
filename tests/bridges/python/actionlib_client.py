"""A `move_base` client as ROS 1 users write it, with Debian's rospy and actionlib; prints what it is told as JSON."""

import json

import actionlib
import rospy
from move_base_msgs.msg import MoveBaseAction, MoveBaseGoal

rospy.init_node("move_base_client")
client = actionlib.SimpleActionClient("move_base", MoveBaseAction)
seen = {"server": client.wait_for_server(rospy.Duration(60))}
feedback = []


def send(x, y):
    goal = MoveBaseGoal()
    goal.target_pose.header.frame_id = "map"
    goal.target_pose.header.stamp = rospy.Time.now()
    goal.target_pose.pose.position.x, goal.target_pose.pose.position.y = x, y
    goal.target_pose.pose.orientation.w = 1.0
    client.send_goal(goal, feedback_cb=feedback.append)


def told():
    client.wait_for_result(rospy.Duration(120))
    return [actionlib.GoalStatus.to_string(client.get_state()), client.get_goal_status_text()]


send(0.8, -0.8)
seen["there"], seen["feedback"] = told(), len(feedback)
send(3.0, 0.5)
rospy.sleep(1.5)
client.cancel_goal()
seen["canceled"] = told()
send(99.0, 0.0)
seen["off_map"] = told()
print(json.dumps(seen), flush=True)
