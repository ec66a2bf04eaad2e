"""Sensors for driving: a lidar, two UWB tags, counted wheels and a camera on a car that circles through the lab.

Every sensor has the errors of a real one: the lidar turns while the car drives, so its scans are distorted; walls add
to UWB ranges; wheels slip. What comes out goes straight into mapping and localization.
"""

import numpy as np
from PIL import Image

import andante as an

SE3 = an.geometry.SE3

sim = an.simulate("rover", world="lab", start=(0.0, -0.8, 0.0), sensors=True, seed=1)
robot, sensors = sim.robot, sim.sensors
print("sensors:", ", ".join(f"{channel.name} {channel.rate:g} Hz" for channel in sensors))

# More sensors than the file has: any lidar, sonar or camera on any link.
roof = SE3.from_xyz_rpy((0.1, 0.0, 0.25))
model = an.sensors.RPLIDAR_A3
sensors.add(an.sensors.Lidar(robot, "base_link", roof, model, "second_scan"), model.rate)
sonar = an.sensors.Sonar(robot, "base_link", roof, an.sensors.SonarModel(range_max=6.0), "sonar")
sonar = sensors.add(sonar, rate=20.0, latency=0.02)
sensors.add(an.sensors.CameraSensor(robot, "base_link", roof, an.sensors.CameraModel(320, 240), "eye"), rate=5.0)

wheels, start, records = an.mobile.WheelOdometry(robot), sim.base_pose, []
for k in range(450):  # 9 s of a left bend
    sim.drive((0.6, 0.0, 0.6 if k > 25 else 0.0))
    sim.run(0.02)
    wheels.update(sim.read())
    x, y, yaw = wheels.pose
    records.append(an.mapping.Odometry(wheels.time, (float(x), float(y), float(yaw))))
    records += an.simulation.scans_since(robot, sensors, sim.time - 0.02, "laser")  # since the last look

truth = (SE3.from_vector(start).inverse() @ SE3.from_vector(sim.base_pose)).translation
print(f"wheels say {wheels.pose[:2].round(3)}, truth {truth[:2].round(3)} from the start [m]")

log = an.mapping.Log("drive", tuple(records))
scan = log.scans[-1]
print(f"lidar: {len(scan.ranges)} beams, nearest echo {np.min(scan.ranges[scan.hit]):.2f} m")
print(f"sonar ahead: {sonar.reading.values[0]:.2f} m, {1000 * (sim.time - sonar.reading.time):.0f} ms old")

# Where is the front tag? The ranges alone, in the frame of the anchors, told in the world.
setup, ranges = an.mobile.uwb_setup(robot, sensors), sensors["tag0"].reading.values
heard = np.isfinite(ranges)
found = an.localization.trilaterate(setup.anchor_positions[heard], ranges[heard])
place = an.mobile.world_from_uwb(sensors) @ found.position
tag = SE3.from_vector(sim.engine.link_poses(sim.model)[[link.name for link in robot.links].index("tag0")]).translation
print(f"tag 0 by UWB at {place[:2].round(2)}, truth {tag[:2].round(2)} [m]")

result = an.mapping.build_map(log)
print(f"map of {result.scans} scans: {result.grid.shape[1]} x {result.grid.shape[0]} cells")
gray = np.where(result.grid.occupied(), 0, np.where(result.grid.known, 255, 200)).astype(np.uint8)
Image.fromarray(gray[::-1]).resize((3 * gray.shape[1], 3 * gray.shape[0]), 0).save("lab_map.png")
Image.fromarray(sensors.picture("eye").image).save("eye.png")
print("wrote lab_map.png and eye.png")
sim.close()
