"""A robot without any file: a pendulum as plain data, and its period beside the formula.

T = 2 pi sqrt(I / (m g l)) with I about the pivot, for small swings.
"""

import math

import numpy as np

import andante as an
from andante.description import Inertia, Joint, JointType, Link, Robot
from andante.geometry import SE3
from andante.physics import Mode

mass, length = 1.0, 0.5  # a point-like bob [kg, m]
bob = Inertia(mass, (0, 0, -length), (1e-3, 0, 0, 1e-3, 0, 1e-3))
pendulum = Robot(
    "pendulum",
    links=(Link("stand", Inertia(1.0)), Link("rod", bob)),
    joints=(Joint("pivot", JointType.CONTINUOUS, "stand", "rod", SE3.from_xyz_rpy((0, 0, 1)), axis=(0, 1, 0)),),
    fixed_base=True,
)

sim = an.simulate(pendulum, dt=0.001, pose={"pivot": 0.05})
sim.engine.command(sim.model, 0.0, Mode.OFF)  # let it swing
angles = []
for _ in range(6000):
    sim.run(0.001)
    angles.append(sim.joints["pivot"])

crossings = np.flatnonzero(np.diff(np.sign(angles)) > 0)
measured = float(np.mean(np.diff(crossings))) * 0.001
expected = 2 * math.pi * math.sqrt((mass * length**2 + 1e-3) / (mass * 9.81 * length))
print(f"period {measured:.4f} s, formula {expected:.4f} s, difference {100 * (measured / expected - 1):+.2f} %")
