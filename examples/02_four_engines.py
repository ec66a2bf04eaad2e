"""One robot, four engines: the same NAO stands on each that is installed, and is compared.

The engines get the same bodies, servos and effort limits; what differs is how they solve contacts and joints.
"""

import time

import numpy as np

import andante as an

SECONDS = 2.0
nao = an.robot("nao")

print(f"{'engine':8} {'drift [mm]':>10} {'height [m]':>10} {'x real time':>11}")
for name, entry in an.physics.ENGINES.items():
    if not an.physics.installed(entry):
        print(f"{name:8} not installed: pip install 'andante[{entry.extra}]'")
        continue
    sim = an.simulate(nao, engine=name)
    sim.run(0.5)
    start, before = sim.base_pose, time.perf_counter()
    sim.run(SECONDS)
    wall = time.perf_counter() - before
    drift = 1000 * np.linalg.norm(sim.base_pose[:2] - start[:2])
    print(f"{name:8} {drift:10.2f} {sim.base_pose[2]:10.4f} {SECONDS / wall:11.1f}")
    sim.close()
