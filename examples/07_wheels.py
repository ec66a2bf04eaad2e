"""Wheels: find the drive of a robot, ask what it can do, drive it by twists, and check its odometry against the truth.

`find_drive` reads the drive plugin of the file, else the geometry. The drive turns a twist (vx, vy, w) into joint
commands within its limits and joint speeds back into a twist.
"""

import numpy as np

import andante as an
from andante.geometry import SE3
from andante.kinematics import find_drive, instantaneous_center, integrate, mecanum
from andante.physics import Mode

for name in ("waffle", "rover"):
    sim = an.simulate(name)
    drive = find_drive(sim.robot)
    degrees = drive.base.degrees
    print(f"{name}: {drive.kind}, mobility {degrees.mobility}, steerability {degrees.steerability}, ", end="")
    print(f"footprint {drive.footprint_radius:.2f} m, turns within {drive.turning_radius:.2f} m")

    start = SE3.from_vector(sim.base_pose)
    odometry = drive.pose_from_root([*start.translation[:2], start.rpy[2]])
    for twist in ((0.2, 0.0, 0.2), (0.2, 0.0, -0.2), (-0.2, 0.0, 0.0)):  # left bend, right bend, back
        for joint, (mode, value) in drive.joint_commands(twist).items():
            sim.engine.command(sim.model, float(value), Mode[mode.upper()], [sim.robot.joint_names.index(joint)])
        for _ in range(100):
            sim.run(0.02)
            joints = sim.joints
            speed = dict(zip(joints.names, joints.velocity, strict=True))
            spins = {part.joint: speed[part.joint] for part in drive.wheels if part.driven}
            angles = {joint: joints[joint] for joint in drive.steering_joints}
            odometry = integrate(odometry, drive.twist(spins, angles).twist, 0.02)

    end = SE3.from_vector(sim.base_pose)
    truth = drive.pose_from_root([*end.translation[:2], end.rpy[2]])
    gap = 1000 * np.hypot(*(odometry - truth)[:2])
    print(f"  odometry {odometry.round(3)}, truth {truth.round(3)}, {gap:.1f} mm apart")

rover = find_drive(an.robot("rover"))
print("sharpest left bend:", rover.limited((0.5, 0.3, 5.0)).round(3), "(no sideways speed, steering at its limit)")
print("its center:", instantaneous_center(rover.limited((0.5, 0.3, 5.0))).point.round(3))

base = mecanum(wheelbase=0.4, track=0.3, radius=0.05)
speeds = base.wheel_motion((0.0, 0.3, 0.0)).speeds
print("mecanum base sideways:", dict(zip(base.wheel_joints, speeds.round(2).tolist(), strict=True)))
told = base.twist(speeds + np.array([0.0, 0.0, 0.0, 1.0]))  # one wheel spins
print(f"one wheel 1 rad/s too fast: twist {told.twist.round(3)}, slip {told.slip:.3f} m/s")
