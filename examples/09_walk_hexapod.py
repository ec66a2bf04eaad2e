"""Walk the Shell over uneven ground: infer its rig, make a gait, let it run on what the robot feels.

The gait sees encoders, foot forces and the IMU only; where it really is comes from the simulator, for comparison.
"""

import andante as an
from andante.control.loop import ControlLoop
from andante.locomotion import Command, LeggedGait
from andante.locomotion.rigs.infer import infer_rig
from andante.locomotion.rigs.rig import with_rig

robot = an.robot("shell")
rig = infer_rig(robot)  # any robot file with four legs or more
for leg in rig.legs:
    print(f"{leg.name:14} {', '.join(leg.joints):18} reaches {1e3 * leg.reach:.0f} mm")

robot = with_rig(robot, rig)
gait = LeggedGait(robot, rig, "tripod")  # or ripple, wave, crawl, trot
sim = an.simulate(robot, world="rough", pose=rig.stance, sensors=True)
walk = ControlLoop(sim, gait)
walk.run(0.5)

for words, command, seconds in (
    ("ahead", Command(vx=0.12), 3.0),
    ("in an arc, body low", Command(vx=0.08, wz=0.2, height=-0.015), 2.0),
    ("sideways", Command(vy=-0.1), 1.5),
    ("stand, leaning", Command(pitch=0.1), 2.0),
):
    walk.command = command
    walk.run(seconds)
    x, y, yaw = gait.position
    print(f"{words:20} believes x {x:+.3f} y {y:+.3f}   is at x {sim.base_pose[0]:+.3f} y {sim.base_pose[1]:+.3f} m")
print("fallen" if sim.fallen else "up")
