"""Where am I? A robot on a known map without an initial pose, carried elsewhere on the way; then one among UWB anchors.

Everything comes from made-up sensor readings; the true way only measures.
"""

import numpy as np

import andante as an

se2 = an.geometry.se2
synthetic = an.mapping.synthetic

walls = synthetic.rooms(
    [(0, 0), (12, 0), (12, 9), (0, 9)], (3, 3, 6, 3), (0, 6.5, 1.5, 0.3), (5, 0, 0.4, 1.2), (8, 7.5, 0.5, 1.5)
)
way = synthetic.smooth_path([(1.5, 1.6), (10.3, 1.6), (10.5, 7), (1.8, 7.6)], 0.2)
run = synthetic.drive(walls, way, seed=3, noise=synthetic.DriveNoise(way_scale=1.05, turn_scale=0.95, drift=0.03))
wheels, truth = an.mapping.odometry_at_scans(run.log), run.truth.poses

# On a map: the first scan is searched for everywhere, then particles follow odometry and scans.
field = an.localization.LikelihoodField(an.localization.synthetic.map_of_walls(walls))
localizer = an.localization.MonteCarloLocalizer(field, seed=1)
localizer.start_anywhere(run.log.scans[0])
lifted, put_down = 30, 75
carried = se2.compose(wheels[lifted - 1], se2.inverse(wheels[put_down]))  # the wheels do not notice
for k in [*range(lifted), *range(put_down, len(truth))]:
    made = localizer.update(run.log.scans[k], wheels[k] if k < lifted else se2.compose(carried, wheels[k]))
    if k in (0, 10, lifted - 1) or put_down <= k < put_down + 4 or k == len(truth) - 1:
        away = np.hypot(*(made.pose - truth[k])[:2])
        print(
            f"scan {k:3d}: {away:5.2f} m away, health {made.health:.2f}, {made.particles:5d} particles, "
            f"{100 * made.added:3.0f} % put elsewhere, {'converged' if made.converged else 'not sure'}"
        )

# Among anchors: ranges of two tags with outliers and walls in between, and an IMU.
hall = an.localization.synthetic.uwb_drive(seed=1, seconds=30.0)
times, places = an.localization.trilaterate_log(hall.log, hall.setup)
plain = np.linalg.norm(places[:, :2] - hall.truth.at(times)[:, :2], axis=1)
fused = an.localization.track_uwb(hall.log, hall.setup)
ours = np.linalg.norm(fused.positions[:, :2] - hall.truth.at(fused.trajectory.times)[:, :2], axis=1)
print(f"UWB: {plain.mean():.2f} m by trilateration, {ours.mean():.2f} m with the IMU; {fused.refused} ranges refused")

# The UWB frame on the map: stand still at a known pose until told to move.
still = an.localization.StandStill(laser_on_map=(0.0, 0.0, 0.0), samples=20)
for position, pose in zip(fused.positions, fused.trajectory.poses, strict=True):
    message = still.add(position, pose[2])
    if still.ready:
        break
print(f"{message}: map_from_uwb {np.round(still.result().map_from_uwb, 2)}")
