"""What the robot itself feels while somebody pushes it: IMU and foot forces, with noise and a seed."""

import andante as an

sim = an.simulate("nao", sensors=True, seed=7)
feet = [channel.name for channel in sim.sensors if channel.name.endswith("/force")]
imu = next(channel.name for channel in sim.sensors if len(channel.sensor.labels) == 6)

print(f"{'time':>5}  {'lean acc_y':>10}  " + "  ".join(f"{name:>14}" for name in feet))
sim.run(0.5)
sim.push("torso", (0.0, 1.2, 0.0), duration=0.1)  # 1.2 N s to its left
for _ in range(8):
    sim.run(0.1)
    loads = [sim.sensors[name].reading.values.sum() for name in feet]
    lean = sim.sensors[imu].reading.values[4]
    print(f"{sim.time:5.2f}  {lean:10.3f}  " + "  ".join(f"{load:12.2f} N" for load in loads))
print("still up" if not sim.fallen else "fallen")
