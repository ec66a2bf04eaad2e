"""Filling of caches ahead of time: meshes of the robots, and compiled kernels by a short run of every capability."""

from __future__ import annotations

from collections.abc import Iterator

from andante.description import load_robot, load_world, robot_names
from andante.description.extent import robot_bounds
from andante.physics.registry import ENGINES, installed

from .simulation import simulate

WALKS = (("nao", "walk"), ("shell", "tripod"), ("shell", "roll"))
MOMENT = 0.3  # simulated time of a walk [s]


def warm_up() -> Iterator[str]:
    """Make the meshes of every robot and compile every kernel; tells what was done."""
    for name in robot_names():
        robot_bounds(load_robot(name))
        yield f"robot {name}: meshes made"
    for name, entry in ENGINES.items():
        if installed(entry):
            sim = simulate("nao", "lab", name)
            sim.run(0.02)
            sim.engine.cast_rays([[0.0, 0.0, 1.0]], [[1.0, 0.0, 0.0]], 10.0)
            sim.close()
            yield f"engine {name}: compiled"
    leg = load_robot("nao").chain("torso", "l_sole")
    leg.jacobian(leg.ik(leg.coordinates(leg.middle)).q)
    yield "kinematics: compiled"
    yield from _gaits()
    yield from _finding_the_way()


def _gaits() -> Iterator[str]:
    from andante.locomotion.io.wave_file import default_gait
    from andante.locomotion.wave.model import VARIANTS

    from .walk import WalkJob, run_walk
    from .wave_trial import WaveTrial

    for robot, gait in WALKS:
        run_walk(WalkJob(robot, gait=gait, velocity="0.05 0 0", seconds=MOMENT))
        yield f"{robot} {gait}: compiled"
    trial = WaveTrial()
    for variant in VARIANTS:
        trial.run(default_gait(variant).parameters, variant, 0.1)
    trial.close()
    yield "wave gait: compiled"


def _finding_the_way() -> Iterator[str]:
    from andante.localization import MclParameters
    from andante.localization.synthetic import uwb_drive
    from andante.localization.uwb_track import track_uwb, trilaterate_log
    from andante.mapping.worlds import map_of_world, world_of_map
    from andante.navigation.choose import CONTROLLERS, PLANNERS

    from .localize_job import warm as warm_localization
    from .map_job import warm as warm_mapping
    from .navigate_job import NavigateJob, run_navigate

    warm_mapping()
    world_of_map(map_of_world(load_world("lab")))
    yield "mapping: compiled"
    warm_localization(MclParameters())
    drive = uwb_drive(0, 3.0)
    track_uwb(drive.log, drive.setup)
    trilaterate_log(drive.log, drive.setup, robust=True)
    yield "localisation: compiled"
    for robot, planner, controller in (
        ("rover", "auto", "mppi"),
        *(("waffle", name, "pursuit") for name in PLANNERS),
        *(("waffle", "auto", name) for name in CONTROLLERS),
    ):
        job = NavigateJob(robot, "lab", goal=(0.6, 0.0, 0.0), timeout=1.0, planner=planner, controller=controller)
        run_navigate(job)
    yield "navigation: compiled"
