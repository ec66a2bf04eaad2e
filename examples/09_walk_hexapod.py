"""Walk the Shell over uneven ground: infer its rig, make a gait, let it run on what the robot feels.

The gait sees encoders, foot forces and the IMU only; where it really is comes from the simulator, for comparison.
"""

import andante as an

robot = an.robot("shell")
rig = an.locomotion.infer_rig(robot)  # any robot file with four legs or more
for leg in rig.legs:
    print(f"{leg.name:14} {', '.join(leg.joints):18} reaches {1e3 * leg.reach:.0f} mm")

robot = an.locomotion.with_rig(robot, rig)
gait = an.locomotion.LeggedGait(robot, rig, "tripod")  # or ripple, wave, crawl, trot
sim = an.simulate(robot, world="rough", pose=rig.stance, sensors=True)
walk = an.ControlLoop(sim, gait)
walk.run(0.5)

for words, command, seconds in (
    ("ahead", an.Command(vx=0.12), 3.0),
    ("in an arc, body low", an.Command(vx=0.08, wz=0.2, height=-0.015), 2.0),
    ("sideways", an.Command(vy=-0.1), 1.5),
    ("stand, leaning", an.Command(pitch=0.1), 2.0),
):
    walk.command = command
    walk.run(seconds)
    x, y, yaw = gait.position
    print(f"{words:20} believes x {x:+.3f} y {y:+.3f}   is at x {sim.base_pose[0]:+.3f} y {sim.base_pose[1]:+.3f} m")
print("fallen" if sim.fallen else "up")
