"""Map a log: a robot drives around a made-up floor, and its scans and bad wheels become a map and its way.

The log is made here, with noise, and written as CARMEN text; a rosbag or an MCAP file is read by the same call. The
wheels put the robot meters away from where it is; laying each scan on the map and closing loops brings it back to
centimeters.
"""

import numpy as np
from PIL import Image

import andante as an

se2 = an.geometry.se2
synthetic = an.mapping.synthetic

# A floor of 16 x 11 m: a ring of corridors around a core, with niches and pillars.
niches = [(0, 5, 1.2, 0.2), (14.5, 8, 1.5, 0.2), (11, 9.8, 0.3, 1.2), (2, 1, 0.4, 0.4)]
outline = [(0, 0), (6, 0), (6, -2), (9, -2), (9, 0), (16, 0), (16, 11), (0, 11)]
walls = synthetic.rooms(outline, (3, 3, 4, 5), (8, 3, 5, 2), (8, 6, 5, 2), *niches)
way = [(1.5, 1.5), (14.5, 1.5), (14.3, 9.4), (1.7, 9.2), (1.5, 1.6), (7.5, 1.4), (7.5, 9), (14, 9.3), (14.2, 3)]
# 4 % too far, turned 3 % too little, drifting 3 degrees per meter
wheels = synthetic.DriveNoise(way_scale=1.04, turn_scale=0.97, drift=0.05)
made = synthetic.drive(walls, synthetic.smooth_path(way, 0.1), seed=7, noise=wheels)
an.mapping.write_carmen(made.log, "drive.log.gz")

log = an.mapping.read_log("drive.log.gz")
result = an.mapping.build_map(log)
an.mapping.save_map(result.grid, "floor")
an.mapping.write_trajectory(result.trajectory, "way.txt")


def off(poses: np.ndarray) -> float:
    """Greatest distance from the true way, both seen from their first pose [m]."""
    error = se2.between(poses[0], poses) - se2.between(made.truth.poses[0], made.truth.poses)
    return float(np.hypot(error[:, 0], error[:, 1]).max())


print(f"{result.scans} scans over {made.truth.length:.0f} m, {result.keys} key scans, {result.loops} loops closed")
odometry = an.mapping.odometry_at_scans(log)
print(f"furthest from the truth: wheels {off(odometry):.2f} m, mapped {off(result.poses):.3f} m")

# The map as a picture, with the way drawn into it.
grid = an.mapping.load_map("floor.yaml")
gray = np.where(grid.occupied(), 0, np.where(grid.known, 255, 200)).astype(np.uint8)
picture = np.repeat(gray[..., None], 3, axis=-1)
cells = grid.cell_of(result.poses[:, :2])
picture[cells[:, 0], cells[:, 1]] = (200, 30, 30)
Image.fromarray(picture[::-1]).resize((2 * grid.shape[1], 2 * grid.shape[0]), 0).save("floor.png")
print(f"wrote floor.pgm, floor.yaml, floor.png ({grid.shape[1]} x {grid.shape[0]} cells) and way.txt")
