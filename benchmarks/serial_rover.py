"""How near the simulated rover stops to waypoints over a serial line, and what the protocol costs.

    python benchmarks/serial_rover.py [SEEDS]

The line is in memory and runs in lock-step; the pose that goes down is the simulator's with 0.02 m and 0.02 rad of
noise at 10 Hz. Faults: each byte is flipped, dropped or doubled with a probability of 1e-3 each, both ways.
"""

import sys
import time

import numpy as np

import andante as an
from andante.geometry import SE3
from andante.hardware import FrameReader, HostLink, Loopback, SerialBody
from andante.hardware.serial.board import FirmwareOnBoard
from andante.hardware.serial.endpoint import Endpoint
from andante.hardware.serial.messages import Role, Telemetry

GOALS = {"ahead (1.5, 0)": (1.5, 0.0), "left (1, 1)": (1.0, 1.0), "inside the turning circle (0, 0.9)": (0.0, 0.9)}


class Faulty:
    """A port that loses and changes bytes."""

    def __init__(self, port, rng, rate):
        self.port, self.rng, self.rate = port, rng, rate

    def spoil(self, data):
        out = bytearray()
        for byte, u in zip(data, self.rng.random(len(data)), strict=True):
            if u < self.rate:
                out.append(byte ^ 0x10)
            elif u < 2 * self.rate:
                continue
            elif u < 3 * self.rate:
                out += bytes((byte, byte))
            else:
                out.append(byte)
        return bytes(out)

    def read(self):
        return self.spoil(self.port.read())

    def write(self, data):
        return self.port.write(self.spoil(data))

    def close(self):
        self.port.close()


def trial(goal, seed, rate):
    """Final distance [m], time [s] and how many frames were spoilt on the way."""
    rng, sim, cable = np.random.default_rng(seed), an.simulate("rover", sensors=True, seed=seed), Loopback()
    micro = FirmwareOnBoard(sim, lambda: Faulty(cable.microcontroller(), rng, rate))
    sim.observers.append(micro)
    body = SerialBody(lambda: Faulty(cable.computer(), rng, rate), "rover", clock=lambda: sim.time, threaded=False)

    def tick():
        sim.run(0.02)
        body.poll()

    body.connect(20.0, tick)
    number, steps = body.go_to(*goal), 0
    body.start()
    while not body.arrived(number) and sim.time < 60.0:
        if steps % 5 == 0:
            pose = SE3.from_vector(sim.base_pose)
            body.send_pose(*(np.array([*pose.translation[:2], pose.rpy[2]]) + rng.normal(0.0, 0.02, 3)))
        tick()
        steps += 1
    took = sim.time
    for _ in range(25):
        tick()
    spoilt = body.counters.troubles + micro.board.firmware.endpoint.counters.troubles
    off = float(np.hypot(*(sim.base_pose[:2] - goal)))
    body.close()
    sim.close()
    return off, took, spoilt


def cost():
    """Processor time to encode and to deal with a telemetry frame [µs]; garbage skipped [MB/s]."""
    endpoint, link = Endpoint(Role.MICROCONTROLLER, 1), HostLink(2, lambda words: None)
    for k in range(3):
        endpoint.receive(link.exchange(endpoint.due(0.1 * k), 0.1 * k), 0.1 * k)
    told, count = Telemetry(1, 1500, 1500, 7400, 0, 0, 2, 0, 1), 20_000
    begin = time.process_time()
    data = [endpoint.send(told, 0.3)[0] for _ in range(count)]
    middle = time.process_time()
    for each in data:
        link.exchange(each, 0.3)
    end = time.process_time()
    garbage, reader = np.random.default_rng(0).bytes(20_000_000), FrameReader()
    for at in range(0, len(garbage), 4096):
        reader.feed(garbage[at : at + 4096])
    flood = time.process_time() - end
    return 1e6 * (middle - begin) / count, 1e6 * (end - middle) / count, len(garbage) / 1e6 / flood


if __name__ == "__main__":
    seeds = int(sys.argv[1]) if len(sys.argv) > 1 else 6
    for rate in (0.0, 1e-3):
        for name, goal in GOALS.items():
            off, took, spoilt = np.array([trial(goal, seed, rate) for seed in range(seeds)]).T
            words = f"mean {off.mean():.3f} m, largest {off.max():.3f} m, {took.mean():.1f} s"
            print(f"faults {rate:g}, {name}: {words}, {spoilt.mean():.0f} bad or missing frames")
    print("telemetry frame: encode {:.1f} µs, decode {:.1f} µs; garbage skipped at {:.0f} MB/s".format(*cost()))
