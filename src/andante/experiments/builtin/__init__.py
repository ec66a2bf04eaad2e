"""The experiments that ship: definitions (*.toml), real trials (reference/*.csv).

General code finds them through `andante.experiments.setup.PACKAGES`; a robot's own package can offer the same.
"""

DEFAULT_ROBOTS = {  # by trial, for experiments that name no robot
    "navigation": "waffle",
    "parity": "nao",
    "walk": "nao",
    "wave": "nao",
}
