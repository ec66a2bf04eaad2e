"""An experiment of one's own in Python: how well do engines keep the period of a pendulum?

andante experiment run pendulum.py:PENDULUM --out pendulum && andante experiment report pendulum
"""

import math

import numpy as np

import andante as an
from andante.description import Inertia, Joint, JointType, Link, Robot
from andante.experiments import Experiment, Measure, Setup, Variation
from andante.geometry import SE3
from andante.physics import Mode


def swing(setup: Setup) -> dict[str, object]:
    """One trial: swing for some seconds and measure the period [s] beside the formula for small swings."""
    rng = np.random.default_rng(setup.seed)
    length = float(setup.factors["length"]) * (1 + 0.02 * rng.uniform(-1, 1))
    bob = Inertia(1.0, (0, 0, -length), (1e-3, 0, 0, 1e-3, 0, 1e-3))
    pivot = Joint("pivot", JointType.CONTINUOUS, "stand", "rod", SE3.from_xyz_rpy((0, 0, 1)), axis=(0, 1, 0))
    robot = Robot("pendulum", links=(Link("stand", Inertia(1.0)), Link("rod", bob)), joints=(pivot,), fixed_base=True)
    sim = an.simulate(robot, engine=setup.engine, dt=float(setup.factors["dt"]), pose={"pivot": 0.05})
    sim.engine.command(sim.model, 0.0, Mode.OFF)
    times, angles = [], []
    for _ in range(1500):
        sim.run(max(0.002, sim.engine.dt))
        times.append(sim.time)
        angles.append(sim.joints["pivot"])
    sim.close()
    rising = np.flatnonzero(np.diff(np.sign(angles)) > 0)
    period = float(np.mean(np.diff(np.array(times)[rising])))
    formula = 2 * math.pi * math.sqrt((length**2 + 1e-3) / (9.81 * length))
    return {"period": period, "off": 100 * (period / formula - 1)}


PENDULUM = Experiment(
    name="pendulum",
    title="Period of a pendulum beside the formula",
    trial="pendulum.py:swing",
    factors={"length": (0.25, 0.5), "dt": (0.001, 0.005)},
    measures={"off": Measure("off", "%", "period off the formula"), "period": Measure("period", "s")},
    engines=("mujoco",),
    trials=3,
    vary=Variation(),
)
