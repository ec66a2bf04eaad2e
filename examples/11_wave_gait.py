"""Ten numbers make a NAO walk: play the wave gait that ships, change it as it runs, measure it, keep it as key-frames.

The gait is open loop: it sends joint targets and feels nothing. What it came to is told by the simulator.
"""

import math
import tempfile
from pathlib import Path

import numpy as np

import andante as an
from andante.locomotion import WaveModel, WaveParameters
from andante.locomotion.wave.fitness import better_fitness, source_fitness
from andante.locomotion.wave.gait import WaveGait, wave_keyframes
from andante.locomotion.wave.model import default_gait
from andante.motion.io.library import write_keyframes_toml
from andante.simulation.walk_watch import WalkWatch

shipped = default_gait("smooth")
print(" ".join(f"{symbol}={value:g}" for symbol, value in shipped.parameters.symbols().items()))

sim = an.simulate("nao")
first = np.array([sim.robot.pose("StandInit")[name] for name in sim.robot.joint_names])
gait = WaveGait(sim.robot, shipped.parameters, "smooth", shipped.speed, first)
watch = WalkWatch(sim, shipped.parameters.period)
sim.observers.append(watch)


def go(seconds: float) -> None:
    """Play the gait and tell where the robot is."""
    for _ in range(round(seconds / 0.01)):
        sim.target(gait.advance(0.01))
        sim.run(0.01)
    x, y = sim.base_pose[:2]
    print(f"{sim.time:4.1f} s  x {x:+.3f}  y {y:+.3f} m  estimated {gait.position[0]:.3f} m")


gait.start()
go(3.0)
gait.set_parameters(WaveParameters.of({"T": 1.03 * gait.parameters.period}, gait.parameters))  # a little slower
go(2.0)
gait.stop()
go(2.0)

found = watch.statistics
print(
    f"{found.along:.3f} m ahead, {found.aside:+.3f} m aside, turned {math.degrees(found.turned):+.1f} deg, "
    f"{found.energy:.0f} J, {'fallen' if found.fallen else 'up'}"
)
print(f"fitness {better_fitness(found):.3f}, by the source {source_fitness(found):.1f}")

with tempfile.TemporaryDirectory() as folder:
    file = Path(folder) / "stroll.toml"
    write_keyframes_toml(wave_keyframes(WaveModel(sim.robot, shipped.parameters), first, cycles=4, name="stroll"), file)
    print(f"{file.name}: {len(file.read_text().splitlines())} lines; andante play nao {file.name}")
