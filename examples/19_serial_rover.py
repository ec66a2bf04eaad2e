"""A rover at a serial line: poses and a waypoint go down, the firmware drives the wheels, telemetry comes up.

The microcontroller is simulated: its firmware sits in a rover under physics, at the end of a cable in memory, and both
run in lock-step on simulated time. With a real one, `SerialBody("/dev/ttyUSB0", "rover").connect()` is all that
changes; a thread then keeps the line. The pose that is sent here is the simulator's with noise, in place of an
estimator's.
"""

import numpy as np

import andante as an

print("serial ports here:", ", ".join(port.name for port in an.hardware.serial_ports()) or "none")

sim = an.simulate("rover", sensors=True)
cable = an.hardware.Loopback()
sim.observers.append(an.hardware.FirmwareOnBoard(sim, cable.microcontroller))
body = an.hardware.SerialBody(
    cable.computer, "rover", clock=lambda: sim.time, threaded=False, say=lambda words: print("line:", words)
)
noise = np.random.default_rng(0)


def tick() -> None:
    """One control period: the rover and its microcontroller, then the computer."""
    sim.run(0.02)
    body.poll()


def estimate() -> np.ndarray:
    """x, y, yaw as a localizer would give them."""
    pose = an.geometry.SE3.from_vector(sim.base_pose)
    return np.array([*pose.translation[:2], pose.rpy[2]]) + noise.normal(0.0, 0.02, 3)


body.connect(step=tick)
for goal in ((1.5, 0.0), (2.5, 1.0)):  # ahead, then to the left
    number = body.go_to(*goal)
    body.start()
    steps = 0
    while not body.arrived(number) and sim.time < 30.0:
        if steps % 5 == 0:
            body.send_pose(*estimate())  # 10 Hz
        if steps % 50 == 0 and body.telemetry is not None:
            told = body.telemetry
            pulses = f"throttle {told.throttle} µs, steering {told.steering} µs"
            print(f"{sim.time:5.2f} s  {an.hardware.State(told.state).name:9} {pulses}")
        tick()
        steps += 1
    off = np.hypot(*(sim.base_pose[:2] - goal))
    print(f"{sim.time:5.2f} s  waypoint {goal}: {off:.3f} m away; firmware: {body.logs[-1].text!r}")

print("driven by twists instead, then the cable is pulled:")
for _ in range(50):
    body.write(an.hardware.BodyCommand(twist=(0.5, 0.0, 0.0)))
    tick()
cable.pull()
for _ in range(50):
    tick()
print(f"health: {body.read().health.words}; the rover moves at {np.linalg.norm(sim.base_velocity[:2]):.3f} m/s")
cable.plug()
for _ in range(50):
    tick()
print("health:", body.read().health.words)
body.close()
