"""Filling of caches ahead of time: meshes of the robots, and compiled kernels by a short run of every capability."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from andante.description import load_robot, load_world, robot_names
from andante.description.solids import robot_bounds
from andante.experiments.identification import JointRecording, ReplaySettings
from andante.experiments.identification.model import Replay, held_limbs
from andante.experiments.setup import Setup, trial_function
from andante.geometry import SE3
from andante.localization import LikelihoodField, MclParameters, MonteCarloLocalizer, localize_log
from andante.localization.space import SpaceField, SpaceLocalizer, SpaceSettings
from andante.localization.synthetic import uwb_drive
from andante.localization.uwb import track_uwb, trilaterate_log
from andante.locomotion.wave.model import VARIANTS
from andante.mapping import MappingParameters, OccupancyGrid, Scan
from andante.mapping.io.octomap import decode_octree, encode_octree
from andante.mapping.octree import OcTree, height_map, octree_of_world
from andante.mapping.records import Log, Odometry
from andante.mapping.slam import build_map
from andante.mapping.synthetic import drive, rooms, smooth_path
from andante.mapping.worlds import map_of_world, world_of_map
from andante.mobile.feet import LiveObstacles, Look
from andante.mobile.feet.obstacles import HIGH, LOW
from andante.navigation import MoverTracker
from andante.navigation.choose import CONTROLLERS, PLANNERS
from andante.navigation.footsteps import FootstepPlanner, StepSet, Terrain, ground_of_world
from andante.physics.mujoco.engine import MujocoEngine
from andante.physics.mujoco.sliding import let_slide
from andante.physics.registry import ENGINES, installed
from andante.sensors import XTION, DepthCamera
from andante.session import LiveSession
from andante.simulation.simulation import simulate
from andante.tasks.navigate import navigate
from andante.tasks.walk import walk

WALKS = (("nao", "walk"), ("shell", "tripod"), ("shell", "roll"))
MOMENT = 0.3  # simulated time of a walk [s]
STANDS = 0.5  # until a biped knows that it stands [s]
FALL = 1.5  # of a fall [s]
POST = 0.2  # radius of a thing that moves [m]


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
            sim.engine.body_velocities(sim.model)
            if isinstance(sim.engine, MujocoEngine):
                let_slide(sim.engine.data)  # as under wheels that scrub
            sim.close()
            yield f"engine {name}: compiled"
    leg = load_robot("nao").chain("torso", "l_sole")
    leg.jacobian(leg.ik(leg.coordinates(leg.middle)).q)
    yield "kinematics: compiled"
    warm_identification()
    yield "identification: compiled"
    yield from _gaits()
    yield from _finding_the_way()


def _gaits() -> Iterator[str]:
    for robot, gait in WALKS:
        walk(robot, gait=gait, velocity=(0.05, 0.0, 0.0), seconds=MOMENT)
        yield f"{robot} {gait}: compiled"
    for variant in VARIANTS:
        trial_function("wave")(Setup("mujoco", {"variant": variant, "seconds": 0.1}, trial=0, seed=0))
    yield "wave gait: compiled"
    with LiveSession("nao", "empty", nodes=[]) as session:
        session.run(STANDS)
        session.command_api.joint_angles(["LKneePitch", "LShoulderPitch"], [0.9, 1.0], 0.5)  # by the balance filter
        session.run(0.1)
        session.stage.sim.push("torso", (8.0, 0.0, 0.0))
        session.run(FALL)
    yield "balance filter, falls: compiled"


def _finding_the_way() -> Iterator[str]:
    warm_mapping()
    world_of_map(map_of_world(load_world("lab")))
    yield "mapping: compiled"
    warm_localization()
    drive = uwb_drive(0, 3.0)
    track_uwb(drive.log, drive.setup)
    trilaterate_log(drive.log, drive.setup, robust=True)
    yield "localization: compiled"
    for robot, planner, controller in (
        ("rover", "auto", "mppi"),
        *(("waffle", name, "pursuit") for name in ("auto", *PLANNERS)),
        *(("waffle", "auto", name) for name in CONTROLLERS),
    ):
        navigate(robot, world="lab", goal=(0.6, 0.0, 0.0), timeout=1.0, planner=planner, controller=controller)
    yield "navigation: compiled"
    warm_movers()
    yield "moving things: compiled"
    warm_space()
    yield "3D maps and footsteps: compiled"


def warm_identification() -> None:
    """Replay a moment of the rover's steering."""
    robot, joint = load_robot("rover"), "front_left_steering_joint"
    times, none = np.linspace(0.0, 0.09, 10), np.full((10, 1), np.nan)
    told = JointRecording((joint,), times, np.zeros((10, 1)), times, np.zeros((10, 1)), none, none, none)
    for limb in held_limbs(robot, told, (joint,))[0]:
        Replay(limb, told, ReplaySettings()).simulate({})


def warm_mapping() -> None:
    """Have every compiled part ready, so that its first use does not count as mapping."""
    records: list[Scan | Odometry] = []
    for k in range(3):
        ranges = 2.0 / np.maximum(np.abs(np.cos(np.linspace(-1.5, 1.5, 90))), 0.5)
        records += [Odometry(0.5 * k, (0.5 * k, 0.0, 0.0)), Scan(0.5 * k, ranges, -1.5, 3.0 / 89, 0.0, 20.0)]
    small = MappingParameters(loop_travel=0.1, pair_rounds=1)
    build_map(Log("warm", tuple(records)), small)
    build_map(Log("warm", tuple(records)), small, odometry=False, loop_closure=False)
    way = smooth_path([(1, 1), (3, 1), (3, 2), (1, 2), (1, 1), (2, 1)], 0.3)  # comes by where it was
    build_map(drive(rooms([(0, 0), (4, 0), (4, 3), (0, 3)]), way).log, replace(small, loop_travel=2.0))


def warm_localization() -> None:
    """Have every compiled part ready, so that its first use does not count as localizing."""
    parameters = MclParameters()
    cells = np.zeros((40, 60), dtype=np.int8)
    cells[[0, -1], :], cells[:, [0, -1]] = 100, 100
    small = MonteCarloLocalizer(LikelihoodField(OccupancyGrid(0.05, (0.0, 0.0, 0.0), cells), parameters))
    scan = Scan(0.0, np.full(90, 0.7), -1.5, 3.0 / 89, 0.0, 20.0)
    small.start_anywhere(scan)
    for k in range(3):
        small.update(scan, (0.2 * k, 0.0, 0.0))
    other = replace(parameters, odometry_model="omni-corrected", sensor_model="beam")
    for settings, moved in ((parameters, 0.0), (other, 0.2)):  # without odometry, and with the other models
        small = MonteCarloLocalizer(LikelihoodField(small.field.grid, settings), seed=0)
        small.start_at([1.5, 1.0, 0.0])
        for k in range(3):
            small.update(replace(scan, time=0.5 * k), (moved * k, 0.0, 0.0) if moved else None)
    log = Log("warm", (Odometry(0.0, (0.0, 0.0, 0.0)), scan))
    localize_log(log, small.field, np.array([1.5, 1.0, 0.0]), parameters)


def warm_movers() -> None:
    """Follow a post that slides by."""
    angles, tracker = np.linspace(-math.pi, math.pi, 360, endpoint=False), MoverTracker()
    for time in (0.0, 0.1, 0.2, 0.3):
        ahead = 1.5 * np.cos(angles) + time * np.sin(angles)
        beside = np.minimum(np.abs(1.5 * np.sin(angles) - time * np.cos(angles)), POST)
        ranges = np.where((beside < POST) & (ahead > 0), ahead - np.sqrt(POST**2 - beside**2), math.inf)
        tracker.update(np.zeros(3), Scan(time, ranges, -math.pi, math.pi / 180, 0.02, 10.0), time)


def warm_space() -> None:
    """A small octree through its files, a depth image, places in six dimensions, footsteps on a floor that changes."""
    tree = OcTree(0.1)
    tree.insert([[1.0, 0.2, 0.1]], [0.0, 0.0, 0.1])
    around = np.linspace(-math.pi, math.pi, 400)
    far = 25.0 * np.column_stack([np.cos(around), np.sin(around), np.sin(7.0 * around)])
    tree.insert(far, [0.0, 0.0, 0.1])  # its tables grow
    for whole in (False, True):
        decode_octree(encode_octree(tree, whole=whole)).log_odds([[1.0, 0.2, 0.1]])
    height_map(tree, 0.2)
    _warm_sight()
    ground_of_world(load_world("lab"), resolution=0.1)
    steps = StepSet(np.array([[0.06, 0.1, 0.0], [0.0, 0.1, 0.2]]), 0.1, (-0.04, 0.06, -0.03, 0.03))
    floors = [Terrain.of(0.02, (0.0, 0.0), np.zeros((60, 60)), np.zeros((60, 60), dtype=np.bool_)) for _ in range(2)]
    floors[1].heights[30:32] = 0.01
    planner = FootstepPlanner(floors[0], steps)
    for floor in floors:
        planner.change(floor)
        planner.plan((0.3, 0.55, 0.0), (0.3, 0.45, 0.0), (0.7, 0.5, 0.0), seconds=0.2)


def _warm_sight() -> None:
    """A depth camera and a lidar of rings in the lab, and a localizer that starts anywhere."""
    lab = load_world("lab")
    sim = simulate("waffle", lab, sensors=True)
    assert sim.sensors is not None
    camera = DepthCamera(sim.robot, sim.robot.root, SE3.from_xyz_rpy((0.2, 0.0, 0.3)), XTION, "warm")
    sim.sensors.add(camera, 10.0)
    picture = sim.sensors.picture("warm")
    sim.close()
    cloud = camera.model.points(picture.image, 16) if picture is not None else np.zeros((100, 3))
    settings = SpaceSettings(particles=20, particles_global=100)
    tree = octree_of_world(lab, 0.2)
    small = SpaceLocalizer(SpaceField(tree, settings))
    small.start_anywhere(cloud, np.array([0.0, 0.0, 0.3, 0.0, 0.0, 0.0]))
    for k in range(3):
        small.update(cloud, np.array([0.1 * k, 0.0, 0.3, 0.0, 0.0, 0.0]))
    things = LiveObstacles(Terrain.of_grid(tree.slice(LOW, HIGH)), small.field)
    things.see(np.array([0.0, 0.0, 0.3, 0.0, 0.0, 0.0]), Look(cloud, np.zeros_like(cloud), sim.robot.root))
