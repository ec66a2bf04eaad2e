"""A car finds its way to a goal in the lab by its lidar, wheels and gyro; on its way it is pushed.

No map is given: it plans from what the lidar has seen so far. The simulator's truth only measures how well it did.
The same from the command line: andante navigate rover --world lab --start "0 -0.8 0" --goal "1.3 0.2"
"""

import math

import numpy as np

import andante as an

start = (0.0, -0.8, 0.0)  # x, y, yaw in the world [m, m, rad]
vehicle = an.navigation.vehicle_of(an.robot("rover"), max_speed=0.8)  # footprint and drive from the robot file
robot = an.mobile.mobile_robot("rover", "lab", start, localizer=an.mobile.ByScans(start), vehicle=vehicle, seed=1)
navigator = an.navigation.Navigator(vehicle, seed=1)
sensed = robot.settle()  # the gyro shows its bias while the car stands


def push_it(sensed, output):
    """Called after every decision: once, one second on its way, somebody pushes the car."""
    if pushes and sensed.time > pushes[0]:
        pushes.clear()
        ahead = robot.truth.pose[2]
        robot.sim.push("base_link", 9.0 * np.array([-math.sin(ahead), math.cos(ahead), 0.0]))  # [N s] to its left


goal = (1.3, 0.2, math.nan)  # NaN: any heading will do
pushes = [sensed.time + 1.0]
navigator.set_goal(goal, an.navigation.GoalChecker(distance=0.12, angle=0.15, speed=0.3))
drive = an.mobile.drive_to_goal(robot, navigator, sensed, timeout=40.0, watch=push_it)
off = np.hypot(*(robot.truth.pose[:2] - np.array(goal[:2])))
print(f"{drive.reason} after {drive.ended - drive.begun:.1f} s, {off:.3f} m off")
for when, words in drive.events:
    print(f"  {when:5.2f} s  {words}")
gap = robot.to_root(drive.last.pose) - robot.truth.pose
print(f"drove {robot.truth.length:.2f} m, touched {robot.truth.collision or 'nothing'}")
print(f"its own estimate is {np.hypot(gap[0], gap[1]):.3f} m off")
robot.close()
