"""Plan and drive: a costmap from a map, three planners, and a navigator that drives around what the map lacks.

The navigator is pure: pose, velocity and scans go in, a velocity and reasons in words come out. Here a few lines of
kinematics stand in for the robot, and rays against a disc for its lidar.
"""

import math

import numpy as np

import andante as an

se2 = an.geometry.se2

cells = np.zeros((120, 160), dtype=np.int8)  # 8 x 6 m
cells[[0, -1]] = 100
cells[:, [0, -1]] = 100
cells[:80, 79:81] = 100  # a wall to drive around
grid = an.mapping.OccupancyGrid(0.05, (0.0, 0.0, 0.0), cells)

rover, waffle = an.navigation.vehicle_of(an.robot("rover"), max_speed=1.0), an.navigation.vehicle_of(an.robot("waffle"))
print(f"rover: {rover.drive}, turns within {rover.turning_radius:.2f} m")
print(f"waffle: {waffle.drive}, up to {waffle.max_speed:.2f} m/s")

start, goal = (1.2, 1.2, 0.0), (6.5, 1.0, math.pi / 2)
for name, planner, vehicle in (
    ("A*", an.navigation.AStar(), waffle),
    ("any angle", an.navigation.ThetaStar(), waffle),
    ("hybrid A*", an.navigation.HybridAStar(rover), rover),
):
    plan = planner.plan(start, goal, an.navigation.Costmap.of(grid, vehicle))
    parts = len(plan.path.segments())
    print(f"{name}: {plan.path.length:.2f} m in {parts} part(s), {plan.expanded} cells or states looked at")

inside = an.navigation.AStar().plan(start, (4.0, 2.0, 0.0), an.navigation.Costmap.of(grid, waffle))
print("a goal in the wall:", inside.reason)

box = np.array([2.6, 2.9, 0.25])  # on no map: x, y, radius
beams = np.linspace(-math.pi, math.pi, 360, endpoint=False)


def look(time: float, pose: np.ndarray) -> an.mapping.Scan:
    """Ranges to the box alone; the walls are on the map."""
    x, y = se2.transform(se2.inverse(pose), box[:2])
    along = x * np.cos(beams) + y * np.sin(beams)
    inside = box[2] ** 2 - (x * x + y * y - along**2)
    ranges = np.where((along > 0) & (inside > 0), along - np.sqrt(np.maximum(inside, 0.0)), np.inf)
    return an.mapping.Scan(time, ranges, beams[0], beams[1] - beams[0], 0.05, 3.0)


navigator = an.navigation.Navigator(waffle, grid, controller="pursuit")
navigator.set_goal(goal)
pose, velocity, time, nearest = np.array(start), np.zeros(3), 0.0, math.inf
while time < 120:
    output = navigator.update(an.navigation.NavigatorInput(time, pose, velocity, (look(time, pose),)))
    for event in output.events:
        print(f"{time:5.1f} s: {event}")
    if output.state in (an.navigation.State.ARRIVED, an.navigation.State.FAILED):
        break
    velocity = output.velocity
    pose, time = se2.compose(pose, se2.exp(0.1 * velocity)), time + 0.1
    nearest = min(nearest, float(np.hypot(*(pose[:2] - box[:2]))) - box[2])
gap = np.hypot(*(pose - np.array(goal))[:2])
print(f"{output.state} after {time:.1f} s, {gap:.2f} m from the goal; the box was passed at {nearest:.2f} m")
