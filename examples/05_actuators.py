"""Real motors instead of ideal ones: the same knee bend with ideal servos and with the NAO's actuators.

An actuator has a torque-speed limit, friction, rotor inertia, backlash and delay; presets are in `ACTUATORS`, those
of the NAO in its package.
"""

import numpy as np

import andante as an

nao = an.robot("nao")
for label, robot in (("ideal servos", nao), ("NAO actuators", an.physics.fitted(nao, an.robots.nao.NAO_ACTUATORS))):
    sim = an.simulate(robot)
    if robot is not nao:
        sim.engine.set_drives(sim.model, an.physics.ActuatorDrive(robot, an.robots.nao.NAO_ACTUATORS))
    sim.run(0.5)
    pose = dict(nao.poses["StandInit"])
    for side in "LR":
        pose |= {f"{side}HipPitch": -0.55, f"{side}KneePitch": 0.95, f"{side}AnklePitch": -0.5}
    sim.target(pose)
    gaps = []
    for _ in range(50):
        sim.run(0.01)
        gaps.append(abs(sim.joints["LKneePitch"] - 0.95))
    settled = next((i * 0.01 for i, gap in enumerate(gaps) if max(gaps[i:]) < 0.05), float("nan"))
    print(f"{label:14}: knee within 0.05 rad after {settled:.2f} s, rests {np.degrees(gaps[-1]):.2f} deg off")
