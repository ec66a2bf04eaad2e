"""Trials under physics, and perturbations at work."""

from dataclasses import replace

import numpy as np
import pytest

from andante.description import load_robot, load_world
from andante.errors import BadInput, UnknownName
from andante.experiments import Draw, Setup, load_experiment
from andante.experiments.objective import TrialObjective
from andante.experiments.perturbed import PerturbedWalker, perturbed_robot, perturbed_world, set_servos
from andante.experiments.setup import trial_function, trial_terms
from andante.experiments.trials.walk import Path as WalkPath
from andante.experiments.trials.walk import goal_of, walk_trial
from andante.locomotion import Command, Readings, Walker
from andante.simulation.simulation import simulate


def evaluate(name, **parameters):
    experiment = load_experiment(name)
    objective = TrialObjective(experiment.as_dict())
    return objective.evaluate({"engine": experiment.engines[0], "trial": 0, **parameters})


def test_a_walk_is_measured_and_the_same_twice():
    first = evaluate("straight-walk", speed=100, distance=0.5)
    assert first == evaluate("straight-walk", speed=100, distance=0.5)
    told = first["measures"]
    assert first["fitness"] == 1.0
    assert told["x"] == pytest.approx(0.5, abs=0.025)
    assert told["planar"] == pytest.approx(np.hypot(told["x"], told["y"]))
    path = np.array(first["path"])
    assert path.shape[1] == 4
    assert path[-1, 1] - path[0, 1] == pytest.approx(told["x"], abs=0.02)


def test_an_open_loop_walk_goes_at_the_velocity_of_its_speed_and_is_not_brought_back():
    experiment = load_experiment("straight-walk")
    arguments = replace(experiment, mode="open-loop").settled().arguments
    setup = Setup("mujoco", {"speed": 100, "distance": 0.5}, 0, 3, Draw(yaw=0.2), arguments)
    told = walk_trial(setup)
    assert told["arrived"]
    assert told["believed_x"] == pytest.approx(0.52, abs=0.03)  # a step or two beyond what was to be counted
    assert told["time"] == pytest.approx(0.5 / 0.08, abs=2.5)
    assert told["y"] == pytest.approx(np.tan(0.2) * told["x"], abs=0.04)
    assert told["z"] == pytest.approx(0.31, abs=0.02)


@pytest.mark.parametrize(
    ("values", "velocity"),
    [
        ({"distance": 3.0, "speed": 80, "velocity": {"40": 0.032, "80": 0.064}}, (0.064, 0.0, 0.0)),
        ({"distance": -3.0, "speed": 20, "velocity": {"40": 0.032, "80": 0.064}}, (-0.016, 0.0, 0.0)),
        ({"turn": -90, "speed": 70, "velocity": 0.3}, (0.0, 0.0, -0.3)),
        ({"turn": 90, "speed": 70}, None),
    ],
)
def test_velocities_of_a_walk_by_its_speed(values, velocity):
    assert goal_of(values).velocity == (None if velocity is None else pytest.approx(velocity))


@pytest.mark.parametrize(
    ("velocity", "words"),
    [("fast", "got 'fast'"), ({"a": 1}, "a table of numbers"), ({"40": [1]}, "a table"), ({"40": 0.1}, "ends at 40 %")],
)
def test_velocities_that_cannot_be(velocity, words):
    with pytest.raises(BadInput, match=words):
        goal_of({"distance": 1.0, "speed": 80, "velocity": velocity})


def test_identified_steps_bend_the_way():
    experiment = load_experiment("straight-walk")
    setup = Setup("mujoco", {"speed": 100, "distance": 0.5}, 0, 3, Draw(), experiment.arguments)
    plain = walk_trial(setup)
    bent = walk_trial(
        replace(setup, model={"curl": 0.8, "stride": 1.1, "aim": -0.1, "friction": 0.9, "latency": 0.004})
    )
    assert bent["planar"] - plain["planar"] == pytest.approx(0.05, abs=0.02)
    assert bent["turned"] - plain["turned"] == pytest.approx(np.degrees(0.8 * 0.55), abs=6)
    assert bent["believed_x"] == pytest.approx(0.5, abs=0.02)
    with pytest.raises(UnknownName, match="no model parameter 'curls'"):
        walk_trial(replace(setup, model={"curls": 1.0}))
    with pytest.raises(BadInput, match="one of the two"):
        walk_trial(replace(setup, factors={"speed": 100}))
    with pytest.raises(UnknownName, match="no setting of a walk 'pace'"):
        walk_trial(replace(setup, factors={"pace": 100, "distance": 1.0}))


def test_a_walk_can_be_recorded(tmp_path):
    experiment = replace(load_experiment("turn-in-place"), engines=("mujoco",))
    objective = TrialObjective(experiment.as_dict(), record=str(tmp_path / "bags"))
    told = objective.evaluate({"engine": "mujoco", "trial": 2, "speed": 100, "turn": 90})
    assert told["measures"]["turned"] == pytest.approx(90, abs=5)
    (file,) = (tmp_path / "bags").iterdir()
    assert file.name == "mujoco-T-2.mcap"
    assert file.read_bytes().startswith(b"\x89MCAP")


@pytest.mark.parametrize(
    ("name", "parameters", "measure", "low", "high"),
    [
        ("wave-gait", {"stride": 1.0}, "x", 0.8, 2.0),
        ("localization", {"start": "known", "range_noise": 0.01, "odometry_noise": 1.0}, "mean_error", 0.0, 0.15),
        ("localization", {"start": "kidnapped", "range_noise": 0.05, "odometry_noise": 1.0}, "right", 1.0, 1.0),
        ("engine-parity", {"scene": "sliding", "dt": 0.001, "iterations": 0}, "off", -0.01, 0.01),
        ("engine-parity", {"scene": "standing", "dt": 0.002, "iterations": 0}, "value", 0.0, 0.01),
    ],
)
def test_built_in_trials(name, parameters, measure, low, high):
    told = evaluate(name, **parameters)
    assert low <= told["measures"][measure] <= high
    assert set(load_experiment(name).measures) <= set(told["measures"])


@pytest.mark.parametrize(
    ("trial", "factors", "words"),
    [
        ("wave", {"pace": 1}, "no setting of a wave gait 'pace'"),
        ("localization", {"start": "lost"}, "no start 'lost'"),
        ("localization", {"pace": 1}, "no setting of localization 'pace'"),
        ("parity", {"scene": "flying"}, "no scene 'flying'"),
        ("parity", {"pace": 1}, "no setting of parity 'pace'"),
        ("navigation", {"pace": 1}, "no setting of navigation 'pace'"),
        ("rover", {"course": "moon"}, "no course 'moon'"),
        ("rover", {"pace": 1}, "no setting of the rover's trials 'pace'"),
    ],
)
def test_settings_that_no_trial_knows(trial, factors, words):
    with pytest.raises(UnknownName, match=words):
        trial_function(trial)(Setup("mujoco", factors, 0, 0))


def test_navigation_needs_a_route():
    with pytest.raises(BadInput, match="navigation needs `start` and `goal`"):
        trial_function("navigation")(Setup("mujoco", {"world": "lab"}, 0, 0))


def test_masses_and_friction_vary_with_the_seed():
    nao, world = load_robot("nao"), load_world("empty")
    draw = Draw(friction=0.4, mass=0.1, seed=5)
    made = perturbed_robot(nao, draw, {})
    ratios = [
        b.inertia.mass / a.inertia.mass
        for a, b in zip(nao.links, made.links, strict=True)
        if a.inertia and a.inertia.mass
    ]
    assert 0.9 <= min(ratios) < 0.97 < 1.03 < max(ratios) <= 1.1
    assert perturbed_robot(nao, draw, {}) == made
    frictions = {c.surface.mu for link in made.links for c in link.collisions}
    assert frictions == {0.4}
    ground = perturbed_world(world, draw, {"friction": 0.5}).models[0].robot
    assert {c.surface.mu for link in ground.links for c in link.collisions} == {0.2}
    assert perturbed_world(world, Draw(), {}) is world


def test_servos_are_scaled_by_side():
    sim = simulate("nao")
    usual = sim.engine.commands[sim.model].gains
    set_servos(sim, {"servo_gain": 0.5, "asymmetry": 0.2})
    now, names = sim.engine.commands[sim.model].gains, list(sim.robot.joint_names)
    ratio = {name: now.kp[k] / usual.kp[k] for k, name in enumerate(names)}
    assert ratio["LKneePitch"] == pytest.approx(0.6)
    assert ratio["RKneePitch"] == pytest.approx(0.4)
    assert ratio["HeadYaw"] == pytest.approx(0.5)
    sim.close()


class Steps(Walker):
    """A walker that goes as it is told."""

    max_speed, position = 0.3, np.zeros(3)

    def update(self, readings, command, dt):
        x, y, yaw = self.position
        self.position = np.array(
            [x + np.cos(yaw) * command.vx * dt, y + np.sin(yaw) * command.vx * dt, yaw + command.wz * dt]
        )
        self.seen = readings
        return np.array([readings.time])


def walked(walker, command, seconds, dt=0.01):
    times = dt * np.arange(round(seconds / dt))
    return [float(walker.update(Readings(t, np.zeros(3), np.zeros(3)), command, dt)[0]) for t in times]


def test_what_is_counted_differs_from_what_is_gone():
    inner = Steps()
    walker = PerturbedWalker(inner, Draw(), {"stride": 1.25, "curl": 0.5})
    walked(walker, Command(vx=0.5), 4.0)
    assert walker.max_speed == 0.3
    assert walker.position == pytest.approx([2.0 / 1.25, 0.0, 0.0], abs=1e-6)
    assert inner.position[2] == pytest.approx(1.0)
    turner = PerturbedWalker(inner, Draw(), {"turn_left": 1.1, "turn_right": 1.3})
    before = inner.position[2]
    walked(turner, Command(wz=0.5), 2.0)
    assert turner.position[2] - before == pytest.approx(1.0 / 1.1)
    walked(turner, Command(wz=-0.5), 2.0)
    assert turner.position[2] - before == pytest.approx(1.0 / 1.1 - 1.0 / 1.3)


@pytest.mark.parametrize("late", [0.0, 0.01, 0.025, 0.04])
def test_targets_come_late_by_the_latency(late):
    out = walked(PerturbedWalker(Steps(), Draw(latency=late), {}), Command(), 0.5)
    assert np.arange(50)[10:] * 0.01 - np.array(out)[10:] == pytest.approx(np.full(40, late), abs=1e-9)


def test_noise_reaches_the_readings():
    inner = Steps()
    walker = PerturbedWalker(inner, Draw(noise=2.0, seed=1), {})
    seen = []
    for _ in range(500):
        walker.update(Readings(0.0, np.zeros(3), np.zeros(3)), Command(), 0.01)
        seen.append(inner.seen.position)
    assert np.std(seen) == pytest.approx(0.002, rel=0.1)


def test_long_paths_are_thinned():
    class Still:
        time = 0.0
        base_pose = np.array([1.0, 2.0, 0.0, 0.0, 0.0, 0.0, 1.0])

    path, sim = WalkPath((1.0, 2.0)), Still()
    while sim.time < 300.0:
        sim.time = path.next_time
        path.update(sim)
    assert 100 <= len(path.rows) < 200
    assert path.rows[0] == [0.0, 0.0, 0.0, 0.0]
    assert np.all(np.diff([row[0] for row in path.rows]) > 0)


def test_terms_of_every_trial_are_those_that_it_gives():
    for name in ("walk", "wave", "localization", "parity"):
        terms = trial_terms(name)
        settings = {"distance": 0.05} if name == "walk" else {"seconds": 0.2} if name == "wave" else {}
        told = trial_function(name)(Setup("mujoco", settings, 0, 1))
        assert set(terms.measures) == set(told) - {"success", "path"}
        assert set(settings) <= set(terms.settings)
    assert trial_terms("mine.py:trial") is None
    with pytest.raises(UnknownName, match=r"no setting of a walk 'gait_'; choices: .*, gait_NAME"):
        trial_terms("walk").check_setting("gait_")
    with pytest.raises(UnknownName, match="no setting of navigation 'gait_T'"):
        trial_terms("navigation").check_setting("gait_T")


def test_gait_and_friction_are_settings_of_walks():
    setup = Setup("mujoco", {"gait_step_height": 0.05}, 0, 1, arguments={"robot": "shell", "distance": 0.1})
    high = walk_trial(setup)
    assert high["x"] == pytest.approx(0.1, abs=0.03)
    assert high["path"] != walk_trial(replace(setup, factors={}))["path"]
    ice = walk_trial(replace(setup, factors={"friction": 0.02}, draw=Draw(friction=0.9)))
    drawn = walk_trial(replace(setup, factors={}, draw=Draw(friction=0.02)))
    assert ice["path"] == drawn["path"] != high["path"]
    with pytest.raises(UnknownName, match="no gait parameter 'step_hight'"):
        walk_trial(replace(setup, factors={"gait_step_hight": 0.05}))
    with pytest.raises(BadInput, match="friction: a number above 0, at most 10, got 0"):
        walk_trial(replace(setup, factors={"friction": 0}))
    wave = trial_function("wave")
    still = wave(Setup("mujoco", {"gait_A_h": 0.0, "stride": 0.0}, 0, 1, arguments={"seconds": 2.0}))
    assert abs(still["x"]) < abs(wave(Setup("mujoco", {}, 0, 1, arguments={"seconds": 2.0}))["x"])
    with pytest.raises(UnknownName, match="no wave parameter 'A_x'"):
        wave(Setup("mujoco", {"gait_A_x": 0.0}, 0, 1))
