"""What is wrong with a robot file, and where: `check` from Python.

The file below has four typical mistakes: a tensor that no body can have, a moving link without mass, limits in degrees,
and a mesh that is not there.
"""

from pathlib import Path
from tempfile import TemporaryDirectory

import andante as an

URDF = """<robot name="arm">
  <link name="base"><inertial><mass value="2"/>
    <inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="upper"><inertial><mass value="1"/>
    <inertia ixx="0.01" iyy="0.01" izz="0.08" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="hand"><visual><geometry><mesh filename="package://arm/hand.stl"/></geometry></visual></link>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/><axis xyz="0 1 0"/>
    <limit lower="-90" upper="90" effort="5" velocity="3"/></joint>
  <joint name="wrist" type="continuous"><parent link="upper"/><child link="hand"/><axis xyz="1 0 0"/></joint>
</robot>
"""

with TemporaryDirectory() as folder:
    file = Path(folder) / "arm.urdf"
    file.write_text(URDF)
    report = an.check(file)

print(f"{report.name}: {report.links} links, {report.joints} joints, {report.mass:g} kg; good to use: {report.ok}")
for problem in report.problems:
    print(f"  line {problem.source.line}: {problem.severity}: {problem.message}")
