"""Trials of the minibot: functions of a `Setup` that give measures, named by the files in `experiments`."""

import andante as an
from andante.experiments import Setup


def nod_trial(setup: Setup) -> dict[str, float]:
    """Tell the neck to turn to `angle` [rad]; `reached` is where it stands after a second."""
    sim = an.simulate("minibot", "yard", setup.engine, seed=setup.seed)
    try:
        sim.target({"neck": setup.factors["angle"]})
        sim.run(1.0)
        return {"reached": float(sim.joints.position[sim.robot.joint_names.index("neck")])}
    finally:
        sim.close()
