"""The lock-step loop and the one-call front door."""

import numpy as np
import pytest

import andante as an
from andante.description import Box, Collision, Inertia, Joint, JointType, Limits, Link, Robot
from andante.errors import BadInput, UnknownName
from andante.geometry import SE3
from andante.physics import Mode


@pytest.fixture(scope="module")
def nao():
    return an.robot("nao")


def cube(size: float = 0.2, mass: float = 1.0) -> Robot:
    moment = mass * size**2 / 6
    inertia = Inertia(mass, (0, 0, 0), (moment, 0, 0, moment, 0, moment))
    return Robot("cube", (Link("cube", inertia, collisions=(Collision(Box((size,) * 3)),)),))


def test_the_ten_lines_of_the_readme(nao):
    sim = an.simulate(nao, world="lab", engine="mujoco")
    sim.target(nao.poses["StandInit"])
    sim.run(2.0)
    assert sim.time == pytest.approx(2.0)
    assert not sim.fallen
    assert sim.base_pose.shape == (7,)
    assert sim.joints.position.shape == (26,)
    assert sim.joints["LKneePitch"] == pytest.approx(0.7, abs=0.02)


def test_starts_on_the_ground_and_flat_on_its_feet(nao):
    sim = an.simulate(nao)
    before = sim.base_pose
    soles = [i for i, link in enumerate(nao.links) if link.name in ("l_sole", "r_sole")]
    poses = sim.engine.link_poses(sim.model)[soles]
    assert poses[:, 2] == pytest.approx([5e-4, 5e-4], abs=1e-4)
    assert np.allclose(SE3.from_vector(poses).rotation[:, 2, 2], 1.0, atol=1e-4)
    sim.run(1.0)
    assert np.linalg.norm(sim.base_pose[:2] - before[:2]) < 0.005


def test_place_and_drop():
    sim = an.simulate(cube(), start=(1.0, -2.0, np.pi / 2), drop=0.3)
    assert sim.base_pose[:3] == pytest.approx([1.0, -2.0, 0.4005], abs=1e-6)
    assert SE3.from_vector(sim.base_pose).rpy[2] == pytest.approx(np.pi / 2)
    sim.run(1.0)
    assert sim.base_pose[2] == pytest.approx(0.1, abs=2e-3)


def test_spawns_on_top_of_what_stands_there():
    world = an.world("rough")
    sim = an.simulate(cube(), world=world, start=(2.0, 0.0, 0.0))
    assert 0.1 + 0.005 <= sim.base_pose[2] <= 0.1 + 0.0206


def test_push_ends_after_its_duration_and_gives_the_impulse():
    sim = an.simulate(cube(), drop=5.0)
    sim.push("cube", (2.0, 0.0, 0.0), duration=0.1)
    sim.run(0.05)
    assert sim.base_velocity[0] == pytest.approx(1.0, rel=1e-3)
    sim.run(0.2)
    assert sim.base_velocity[0] == pytest.approx(2.0, rel=1e-3)
    assert sim.engine.pushes == {}
    assert sim.observers == []


def test_pushed_over_it_falls(nao):
    sim = an.simulate(nao)
    sim.run(0.5)
    sim.push("torso", (0.0, 8.0, 0.0))
    sim.run(2.0)
    assert sim.fallen


def test_same_seed_same_bits(nao):
    ends = []
    for _ in range(2):
        sim = an.simulate(nao, sensors=True, seed=3)
        sim.run(0.5)
        ends.append((sim.base_pose, sim.joints.position, sim.sensors["encoders"].reading.values))
    for a, b in zip(*ends, strict=True):
        assert np.array_equal(a, b)


def test_snapshot_brings_back_robot_and_sensors(nao):
    sim = an.simulate(nao, sensors=True)
    sim.run(0.3)
    saved = sim.snapshot()
    sim.push("torso", (0.0, 1.0, 0.0))
    sim.restore(saved)
    sim.run(0.3)
    first = (sim.base_pose, {k: r.values for k, r in sim.sensors.readings.items()})
    sim.restore(saved)
    assert sim.time == pytest.approx(0.3)
    sim.run(0.3)
    assert np.allclose(sim.base_pose, first[0], atol=1e-9, rtol=0)
    for name, reading in sim.sensors.readings.items():
        assert np.allclose(reading.values, first[1][name], atol=1e-6, rtol=0, equal_nan=True)


def test_a_run_that_flies_apart_says_so():
    sim = an.simulate(cube())
    sim.engine.set_base(sim.model, [2e7, 0, 1, 0, 0, 0, 1])
    with pytest.raises(an.AndanteError, match="flew apart or away"):
        sim.run(0.2)


def test_observers_are_called_at_their_times():
    class Every:
        def __init__(self, period):
            self.period, self.times = period, []

        @property
        def next_time(self):
            return (len(self.times) + 1) * self.period

        def update(self, sim):
            self.times.append(sim.time)

    sim = an.simulate(cube())
    first, second = Every(0.01), Every(0.03)
    sim.observers += [first, second]
    sim.run(0.12)
    assert first.times == pytest.approx(np.arange(1, 13) * 0.01)
    assert second.times == pytest.approx([0.03, 0.06, 0.09, 0.12])


def test_wheels_are_held_by_velocity_and_legs_by_position():
    base = cube().links[0]
    wheel = Link("wheel", Inertia(0.1, (0, 0, 0), (1e-4, 0, 0, 1e-4, 0, 1e-4)))
    arm = Link("arm", Inertia(0.1, (0, 0, 0), (1e-4, 0, 0, 1e-4, 0, 1e-4)))
    joints = (
        Joint("turn", JointType.CONTINUOUS, "cube", "wheel"),
        Joint("bend", JointType.REVOLUTE, "cube", "arm", limits=Limits(0.5, 1.0, 5, 5)),
    )
    sim = an.simulate(Robot("r", (base, wheel, arm), joints))
    assert sim.engine.modes[sim.model].tolist() == [Mode.VELOCITY, Mode.POSITION]
    assert sim.joints["bend"] == pytest.approx(0.5)  # brought inside its limits


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: an.simulate("nao", engine="havok"), UnknownName, "no engine 'havok'; choices: mujoco, bullet"),
        (lambda: an.simulate("no_such"), UnknownName, "no robot 'no_such'; choices: "),
        (lambda: an.simulate("nao", world="mars"), UnknownName, "no world 'mars'; choices: arena"),
        (
            lambda: an.simulate("nao", pose="Headstand"),
            UnknownName,
            "no pose 'Headstand' in robot 'nao'; choices: Stand",
        ),
        (lambda: an.simulate("nao", dt=1.0), BadInput, "step size must lie between"),
        (lambda: an.simulate("nao", drop=-1), BadInput, "drop must be a height"),
        (lambda: an.simulate(cube()).run(float("nan")), BadInput, "a run needs a time"),
        (lambda: an.simulate(cube()).target({"elbow": 1.0}), UnknownName, "no joint 'elbow' in robot 'cube'"),
        (lambda: an.simulate(cube()).push("cube", (1, 0, 0), duration=0), BadInput, "duration"),
        (lambda: an.simulate(cube()).push("wheel", (1, 0, 0)), UnknownName, "no link 'wheel'"),
    ],
)
def test_errors_name_the_choices(call, error, words):
    with pytest.raises(error) as caught:
        call()
    assert words in str(caught.value)
