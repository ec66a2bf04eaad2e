"""The experiments that ship: definitions (*.toml), real trials (reference/*.csv), and trials of one robot.

General code finds them through `andante.experiments.setup.PACKAGES`; a robot's own package can offer the same.
"""

TRIALS = {"rover": "andante.experiments.builtin.rover:rover_trial"}  # beyond the general ones: name to module:function
DEFAULT_ROBOTS = {  # by trial, for experiments that name no robot
    "navigation": "waffle",
    "parity": "nao",
    "walk": "nao",
    "wave": "nao",
}
