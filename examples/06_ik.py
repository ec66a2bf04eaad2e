"""Inverse kinematics: name the coordinates that matter, of a leg, an arm, a batch, a whole robot, a body on its feet.

A target is x y z yaw pitch roll in the base frame; NaN leaves a coordinate free.
"""

import numpy as np

import andante as an

nan = np.nan
nao, shell = an.robot("nao"), an.robot("shell")

# One leg: the sole to a point, with the sole flat (pitch and roll 0) and the yaw free.
leg = nao.chain("torso", "l_sole")
start = leg.vector(nao.pose("StandInit"))
found = leg.ik([0.02, 0.05, -0.30, nan, 0.0, 0.0], start=start)
print(f"leg: reached {found.converged} in {found.iterations} steps, gap {found.error:.1e}")
for name, angle in zip(leg.joint_names, found.q, strict=True):
    print(f"  {name:13} {np.degrees(angle):7.2f} deg")

# Out of reach: the nearest solution, and it says so.
far = leg.ik([0.1, 0.05, -0.60, nan, nan, nan], start=start)
print(f"far: reached {far.converged}, {100 * far.error:.1f} cm are missing")

# A thousand targets in one call, on two threads.
arm = an.kinematics.load_dh("panda_like")
lower, upper = arm.limits
targets = arm.coordinates(np.random.default_rng(0).uniform(lower, upper, (1000, 7)))
batch = arm.ik(targets, threads=2)
print(f"batch: {batch.converged.sum()} of 1000 reached, {batch.iterations.mean():.0f} steps each")

# All six legs of the Shell in one call; the folding joint, which they share, stands still.
chains = [shell.chain("base_link", f"lower_foot_{k}").hold({"q111": 0.0}) for k in range(1, 7)]
feet = np.array([chain.coordinates(chain.vector(shell.pose("stand"))) for chain in chains])
feet[:, 3:] = nan
feet[::2, 2] += 0.02  # every other foot up
together = an.kinematics.Legs(tuple(chains)).ik(feet)
print(f"six legs: {together.converged.sum()} reached")

# The body moves while the feet stay; the folding joint of all six legs is one variable.
body = an.kinematics.parallel(shell, [f"lower_foot_{k}" for k in range(1, 7)])
stance = body.vector(shell.pose("stand"))
ground = body.foot_poses(stance)[:, :3, 3]
circle = np.linspace(0, 2 * np.pi, 9)
poses = an.geometry.SE3.from_xyz_rpy(
    np.stack([0.02 * np.cos(circle), 0.02 * np.sin(circle), 0 * circle], axis=-1),
    np.stack([0.1 * np.sin(circle), 0.1 * np.cos(circle), 0 * circle], axis=-1),
)
motion = body.inverse(poses, ground, stance)
print(f"body circle: {motion.converged.sum()} of {len(circle)} poses, feet within {1000 * motion.error.max():.4f} mm")
back = body.forward(motion.q[3], ground)
print(f"and back: body at {np.round(back.pose[:3, 3], 4).tolist()}, told by the legs alone")
