"""The NAO stands in the lab: load, simulate, look.

Run it with `python examples/00_hello_nao.py`; it writes `hello_nao.png`.
"""

from pathlib import Path

import andante as an

nao = an.robot("nao")  # a built-in name, or the path of a URDF, xacro, SDF or MJCF file
sim = an.simulate(nao, world="lab", engine="mujoco")
sim.target(nao.poses["StandInit"])
sim.run(2.0)

x, y, z = sim.base_pose[:3]
print(f"after {sim.time:.1f} s the torso is at x {x:.4f}  y {y:.4f}  z {z:.4f} m; fallen: {sim.fallen}")
print(f"left knee {sim.joints['LKneePitch']:.4f} rad")
an.viz.save_picture(sim, Path("hello_nao.png"))
