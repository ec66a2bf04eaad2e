"""Live mapping: a robot that is driven, carried or explores makes its map, which is saved and navigated on."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

from andante.geometry import se2
from andante.mapping.io.map_files import load_map
from andante.mapping.worlds import map_of_world
from andante.session import LiveSession
from andante.session.nodes.mapping import MappingNode
from andante.session.nodes.navigation import NavigationNode


@pytest.fixture
def lab(tmp_path: Path):
    with LiveSession("waffle", world="lab", folder=tmp_path, seed=5) as session:
        yield session


def node_of(session: LiveSession) -> MappingNode:
    return next(node for node in session.nodes if isinstance(node, MappingNode))


def truth(session: LiveSession) -> np.ndarray:
    x, y, _, _, _, z, w = session.stage.sim.base_pose
    return np.array([x, y, 2 * math.atan2(z, w)])


def error(session: LiveSession, pose: np.ndarray) -> tuple[float, float]:
    gap = se2.between(truth(session), pose)
    return math.hypot(gap[0], gap[1]), abs(float(gap[2]))


def drive(session: LiveSession, vx: float, wz: float, seconds: float) -> None:
    for _ in range(round(seconds / 0.2)):
        session.drive(vx, 0.0, wz)
        session.run(0.2)


def test_the_map_grows_while_somebody_drives_and_is_navigated_on(lab: LiveSession, tmp_path: Path) -> None:
    maps, states = [], []
    lab.bus.subscribe("/map", None, lambda message: maps.append((message.info.width, np.asarray(message.data))))
    lab.bus.subscribe("/mapping/state", None, lambda message: states.append(json.loads(message.data)))
    lab.run(0.1)
    cut = len(maps)
    assert lab.bus.call("/mapping/start", {}).success
    refused = lab.bus.call("/mapping/start", {})
    assert not refused.success
    assert "reset" in refused.message
    drive(lab, 0.25, 0.3, 6.0)
    drive(lab, 0.0, 0.8, 4.0)
    lab.run(0.6)
    grown = [int((data >= 0).sum()) for _, data in maps[cut:]]
    assert len(grown) >= 4
    assert grown[-1] > 5000
    assert states[-1]["mapping"]
    assert states[-1]["scans"] > 30
    assert states[-1]["size"][0] > 60
    off, turn = error(lab, node_of(lab).live.root_pose)
    assert off < 0.04
    assert turn < 0.05  # the frame of the map is that of the first scans of a lidar that errs by a centimeter
    assert lab.bus.call("/mapping/stop", {}).success
    saved = lab.bus.call("/mapping/save", {"name": "lab"})
    assert saved.success
    grid = load_map(tmp_path / "lab.yaml")
    walls = map_of_world(lab.stage.world, height=0.2)
    points = grid.point_of(np.argwhere(grid.occupied()).astype(float))
    near = np.array(
        [walls.occupied()[max(r - 2, 0) : r + 3, max(c - 2, 0) : c + 3].any() for r, c in walls.cell_of(points)]
    )
    assert near.mean() > 0.9
    navigation = next(node for node in lab.nodes if isinstance(node, NavigationNode))
    assert navigation.the_map() is node_of(lab).grid
    navigation.live.set_goal(0.0, 0.0, math.nan)
    for _ in range(60):
        lab.run(0.5)
        if not navigation.live.active:
            break
    assert math.hypot(*truth(lab)[:2]) < 0.25
    lab.run(0.6)
    assert not states[-1]["mapping"]


def test_a_robot_that_is_carried_is_followed_by_its_scans(lab: LiveSession) -> None:
    lab.bus.call("/mapping/start", {})
    lab.run(1.0)
    sim = lab.stage.sim
    pose = sim.base_pose.copy()
    for _ in range(40):  # 0.5 m/s sideways, as no wheel could
        pose[1] += 0.025
        sim.engine.set_base(sim.model, pose)
        lab.run(0.05)
    lab.run(0.5)
    off, _ = error(lab, node_of(lab).live.root_pose)
    assert abs(truth(lab)[1]) > 0.9
    assert off < 0.06


def test_what_cannot_be_mapped_is_refused_in_words(tmp_path: Path) -> None:
    with LiveSession("nao", folder=tmp_path) as session:
        told = session.bus.call("/mapping/start", {})
        assert not told.success
        assert "no lidar" in told.message
        assert not session.bus.call("/mapping/stop", {}).success
        assert not session.bus.call("/mapping/save", {}).success
        assert not session.bus.call("/explore/start", {}).success


def test_a_rebuilt_scene_ends_the_map_and_keeps_it(lab: LiveSession) -> None:
    lab.bus.call("/mapping/start", {})
    drive(lab, 0.2, 0.5, 2.0)
    lab.reset()
    lab.run(0.1)
    assert node_of(lab).live is None
    assert lab.bus.call("/mapping/save", {"name": "kept"}).success
    twice = lab.bus.call("/mapping/save", {"name": "kept"})
    assert not twice.success
    assert "exists" in twice.message


@pytest.mark.drill
def test_it_explores_by_itself(lab: LiveSession) -> None:
    assert lab.bus.call("/explore/start", {}).success
    node = node_of(lab)
    for _ in range(240):
        lab.run(1.0)
        if node.live.explored is not None:
            break
    assert node.live.explored is not None
    assert node.live.explored.complete
    off, turn = error(lab, node.live.root_pose)
    assert off < 0.1
    assert turn < 0.05
