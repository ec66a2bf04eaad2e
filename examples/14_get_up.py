"""The NAO is pushed over, feels it, protects itself, and gets up again: by its sensors alone."""

import numpy as np

import andante as an
from andante.control.loop import ControlLoop
from andante.locomotion.behaviour import HoldPose
from andante.locomotion.falls.detector import FallRules
from andante.locomotion.falls.manager import FallManager, FallState
from andante.locomotion.io.fall_library import fall_motions

nao = an.robot("nao")
stander = HoldPose(nao, "StandInit")  # any walker will do; this one only stands
manager = FallManager(stander, nao, fall_motions(nao), FallRules(step_reach=0.0), listener=print)
sim = an.simulate(nao, sensors=True, seed=1)
loop = ControlLoop(sim, manager)

loop.run(0.5)
sim.push("torso", np.array([-6.5, 0.0, 0.0]))  # 6.5 N s from the front
loop.run(0.5)
while manager.state not in (FallState.UPRIGHT, FallState.FAILED) and sim.time < 40:
    loop.run(0.1)
loop.run(1.0)
print(f"{sim.time:.1f} s: torso {sim.base_pose[2]:.2f} m high, {'fallen' if sim.fallen else 'stands'}")
