"""The NAO in StandInit on every installed engine: it stands, lands on its feet, and falls when pushed over."""

import numpy as np
import pytest

import andante as an
from andante.physics import ENGINES, installed

ENGINE_NAMES = [name for name, entry in ENGINES.items() if installed(entry)]


@pytest.fixture(scope="module")
def nao():
    return an.robot("nao")


@pytest.mark.parametrize("engine", ENGINE_NAMES)
def test_stands_ten_seconds_without_drifting(nao, engine):
    sim = an.simulate(nao, engine=engine, pose="StandInit")
    sim.run(1.0)
    start = sim.base_pose
    sim.run(9.0)
    assert not sim.fallen
    assert np.linalg.norm(sim.base_pose[:2] - start[:2]) < 0.01
    assert sim.joints.position == pytest.approx([nao.pose("StandInit")[n] for n in nao.joint_names], abs=0.03)


@pytest.mark.parametrize("engine", ENGINE_NAMES)
def test_dropped_from_five_centimeters_it_stays_up(nao, engine):
    sim = an.simulate(nao, engine=engine, pose="StandInit", drop=0.05)
    sim.run(3.0)
    assert not sim.fallen
    assert sim.base_pose[2] == pytest.approx(0.32, abs=0.02)


@pytest.mark.parametrize("engine", ENGINE_NAMES)
@pytest.mark.parametrize("direction", [(1.0, 0.0, 0.0), (0.0, -1.0, 0.0)])
def test_pushed_over_it_falls(nao, engine, direction):
    sim = an.simulate(nao, engine=engine, pose="StandInit")
    sim.run(0.3)
    sim.push("torso", 6.0 * np.asarray(direction), duration=0.1)
    sim.run(1.5)
    assert sim.fallen


@pytest.mark.parametrize("engine", ENGINE_NAMES)
def test_its_weight_rests_on_its_feet(nao, engine):
    sim = an.simulate(nao, engine=engine)
    sim.run(1.0)
    contacts = sim.engine.contacts().of(sim.model)
    forces = []
    for _ in range(25):
        sim.run(0.002)
        contacts = sim.engine.contacts().of(sim.model)
        forces.append(contacts.force.sum(axis=0))
    links = {nao.links[i].name for i in contacts.link_a}
    assert links <= {"l_ankle", "r_ankle", "l_sole", "r_sole"}
    assert np.mean(forces, axis=0)[2] == pytest.approx(nao.mass * 9.81, rel=0.03)
