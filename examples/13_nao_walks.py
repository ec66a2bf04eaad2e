"""Let the NAO walk, turn, step aside and be pushed; it sees encoders, foot forces and a gyro without a yaw axis.

Where it believes to be comes from its own steps; where it really is comes from the simulator, for comparison.
"""

import math

import andante as an
from andante.control.loop import ControlLoop
from andante.locomotion import Command
from andante.locomotion.gaits import Request, prepare

ready = prepare(an.robot("nao"), Request("walk"))
walker = ready.walker
print(f"up to {walker.max_speed:.2f} m/s ahead and {math.degrees(walker.max_turn):.0f} deg/s on the spot")

sim = an.simulate(ready.robot, pose=ready.pose, sensors=True)
walk = ControlLoop(sim, walker)
walk.run(0.5)

for words, command, seconds in (
    ("ahead", Command(vx=0.25), 2.0),
    ("in an arc", Command(vx=0.15, wz=0.5), 1.5),
    ("aside", Command(vy=0.08), 1.5),
    ("stop", Command(), 1.5),
):
    walk.command = command
    walk.run(seconds)
    x, y, yaw = walker.position
    print(
        f"{words:10} believes x {x:+.3f} y {y:+.3f} heading {math.degrees(yaw):+5.1f}   "
        f"is at x {sim.base_pose[0]:+.3f} y {sim.base_pose[1]:+.3f} m"
    )

sim.push("torso", (0.0, 1.5, 0.0))  # 1.5 N s from the right
walk.run(0.15)
print(f"pushed: the divergent component is {1e3 * walker.support_margin:.0f} mm inside the support")
walk.run(2.0)
print("fallen" if sim.fallen else "up")
