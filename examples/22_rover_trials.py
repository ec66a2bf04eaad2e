"""The rover's whole chain: lidar, UWB and IMU lead AMCL, its pose goes down a serial line, firmware drives the wheels.

The rover first stands where the map begins, until 50 positions of its front tag have told where the UWB frame lies.
Then it is put at the start of a trial, finds its pose and drives along y = 0; on the way it is pushed aside. Everything
runs in lock-step and repeats with its seed; the simulator's own pose is used for measuring only.
"""

import andante as an

trial = an.robots.rover.rover_trial("along_y", push="10 left 1.5")  # N s, direction, seconds after it set off
words = an.robots.rover.COURSES["along_y"].words
print(f"{words}: {100 * trial.final_error:.1f} cm from the waypoint after {trial.seconds:.1f} s")
print(f"pushed {trial.off_line:.2f} m off its line")
for source, rms in trial.rms.items():
    print(f"  {source:9} {100 * rms:5.1f} cm rms")
for event in trial.events:
    print(f"  {event.time:6.2f} s  {event.who}: {event.words}")
an.robots.rover.plot_rover_trial(trial, "rover_trial.png")
print("rover_trial.png shows way, estimates, errors and pulses")
