"""NAO H25 V4.0."""

from pathlib import Path
from typing import TYPE_CHECKING

from andante.description import RobotPackage
from andante.lazy import lazy_names

if TYPE_CHECKING:
    from .actuators import NAO_ACTUATORS
    from .experiments.trial import WaveTrial

__all__ = ["NAO_ACTUATORS", "ROBOT", "WaveTrial"]

ROBOT = RobotPackage(
    Path(__file__).with_name("nao.urdf.xacro"),
    meshes="andante.robots.nao.meshes:MESHES",
    motions=Path(__file__).with_name("motions"),
    gaits=Path(__file__).with_name("gaits"),
    behaviors=Path(__file__).with_name("behaviors"),
    experiments=Path(__file__).with_name("experiments"),
    trials={"wave": "andante.robots.nao.experiments.trial:wave_trial"},
    objective="andante.robots.nao.experiments.objective:WaveObjective",
    benchmarks={"gait": "andante.robots.nao.experiments.bench:run"},
    walkers="andante.locomotion.wave.gait:WALKERS",
)

__getattr__ = lazy_names(__name__)
