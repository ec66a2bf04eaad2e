"""Explore: a robot maps the lab along two waypoints by its wheels, gyro and lidar; another one finds itself on the map.

Leave the waypoints out and it drives by itself, from frontier to frontier, until nothing unknown can be reached:
`andante explore waffle --world lab -o lab_map --plot lab_map.png` takes about two simulated minutes.
"""

import numpy as np

import andante as an

way = [(0.8, 0.1), (1.4, -0.4)]  # x, y [, yaw] in the world; or a file of them
outcome = an.explore("rover", world="lab", out="lab_map", waypoints=way, plot="lab_map.png")
print(f"{outcome.reason}: {outcome.scans} scans over {outcome.distance:.1f} m, map of {outcome.size} cells")
print(
    f"by the truth: {100 * outcome.walls.true_walls:.0f} % of the map's walls are true, "
    f"{100 * outcome.coverage:.0f} % of the floor is mapped, the robot errs by {outcome.pose_error[0]:.3f} m"
)

# A new robot, put down elsewhere, reads the map and finds itself: nobody tells it where it is.
where = (0.9, -0.5, 2.0)
localizer = an.mobile.OnMap(an.mapping.load_map("lab_map.yaml"), start=None)
robot = an.mobile.mobile_robot("rover", "lab", where, localizer=localizer, seed=3)
sensed = robot.settle(2.0)
print(f"put at {where}, it believes to be at {np.round(robot.to_root(sensed.pose), 2)}, sure: {sensed.trusted}")
robot.close()
print("wrote lab_map.pgm, lab_map.yaml, lab_map.tum and lab_map.png")
