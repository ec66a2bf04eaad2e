"""Navigation live: the map of the world, an initial pose, a goal, particles, and what cannot navigate."""

import math
from pathlib import Path

import numpy as np
import pytest

from andante.bags import messages
from andante.mapping import OccupancyGrid
from andante.session import LiveSession
from andante.session.nodes.navigation import NavigationNode


def publish(session: LiveSession, topic: str, kind: str, **fields) -> None:
    publisher = session.bus.advertise(topic, kind)
    publisher.publish(messages.make(kind, **fields))
    publisher.close()


def at(x: float, y: float, yaw: float) -> dict:
    return {"position": {"x": x, "y": y}, "orientation": {"z": math.sin(yaw / 2), "w": math.cos(yaw / 2)}}


@pytest.fixture
def lab(tmp_path: Path):
    with LiveSession("waffle", world="lab", folder=tmp_path, seed=2) as session:
        yield session


def test_told_where_it_stands_it_drives_to_a_goal(lab: LiveSession) -> None:
    told: dict[str, object] = {}
    for topic in ("/map", "/amcl_pose", "/particlecloud", "/plan", "/local_plan", "/costmap"):
        lab.bus.subscribe(topic, None, lambda m, t=topic: told.__setitem__(t, m))
    lab.respawn(0.5, -0.5, 0.5)
    publish(lab, "/initialpose", "geometry_msgs/msg/PoseWithCovarianceStamped", pose={"pose": at(0.55, -0.45, 0.45)})
    lab.run(0.5)
    assert len(told["/particlecloud"].poses) >= 100
    publish(lab, "/goal_pose", "geometry_msgs/msg/PoseStamped", pose=at(1.5, 0.5, 1.5))
    lab.run(1.0)
    assert len(told["/plan"].poses) > 2
    assert len(told["/local_plan"].poses) > 2
    node = next(node for node in lab.nodes if isinstance(node, NavigationNode))
    for _ in range(150):
        lab.run(0.1)
        if not node.live.active:
            break
    x, y = lab.stage.sim.base_pose[:2]
    assert math.hypot(x - 1.5, y - 0.5) < 0.2
    believed = told["/amcl_pose"].pose.pose.position
    assert math.hypot(believed.x - x, believed.y - y) < 0.12
    grid = told["/map"]
    assert len(grid.data) == grid.info.width * grid.info.height
    assert set(np.unique(grid.data)) <= {-1, 0, 100}
    assert told["/costmap"].data.max() == 100


def test_a_key_overrules_the_goal_and_cancel_forgets_it(lab: LiveSession) -> None:
    publish(lab, "/goal_pose", "geometry_msgs/msg/PoseStamped", pose=at(1.5, 0.5, 0.0))
    lab.run(0.5)
    node = next(node for node in lab.nodes if isinstance(node, NavigationNode))
    assert node.live.active
    for _ in range(5):
        lab.drive(vx=-0.1)
        lab.run(0.1)
    assert lab.teleop.source == "velocity"
    assert lab.stage.walker.twist[0] < 0
    lab.run(0.6)
    assert lab.teleop.source == ""
    assert node.live.active  # the goal leads again
    assert lab.bus.call("/navigation/cancel").message == "goal canceled"
    lab.run(1.0)
    assert lab.behaviour == "balance"


def test_an_unreachable_goal_fails_in_words(lab: LiveSession) -> None:
    ended = []
    node = next(node for node in lab.nodes if isinstance(node, NavigationNode))
    cells = np.zeros((60, 60), dtype=np.int8)
    cells[20:40, 40] = 100
    cells[20:40, 50] = 100
    cells[20, 40:51] = 100
    cells[40, 40:51] = 100
    node.set_map(OccupancyGrid(0.1, (-3.0, -3.0, 0.0), cells))
    lab.bus.send_goal("/navigate_to_pose", {"pose": {"pose": at(1.55, 0.0, 0.0)}}, done=ended.append)
    lab.run(0.3)
    lab.bus.send_goal("/navigate_to_pose", {"pose": {"pose": at(0.5, 0.0, 0.0)}}, done=ended.append)
    lab.run(0.1)
    assert ended[0].status.name == "CANCELED"


def test_who_cannot_go_anywhere_says_so(tmp_path: Path) -> None:
    urdf = tmp_path / "post.urdf"
    urdf.write_text(
        '<robot name="post"><link name="base"><inertial><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1" '
        'ixy="0" ixz="0" iyz="0"/></inertial><collision><geometry><box size="0.2 0.2 0.2"/></geometry></collision>'
        "</link></robot>"
    )
    with LiveSession(urdf, folder=tmp_path) as session:
        lines: list[str] = []
        session.bus.subscribe("/rosout", None, lambda m: lines.append(m.msg), 100)
        publish(session, "/goal_pose", "geometry_msgs/msg/PoseStamped", pose=at(1.0, 0.0, 0.0))
        session.drive(vx=1.0)
        session.run(0.3)
        assert any("cannot be driven" in line for line in lines)
        assert session.bus.call("/list", {"kind": "gaits"}).names == []


EXTREME = (1e308, -1e308, 1e8, 1e4 + 1, math.inf, math.nan, 9.9e3)


@pytest.mark.parametrize("value", EXTREME)
def test_no_pose_ends_a_session(lab: LiveSession, value: float) -> None:
    far = {"position": {"x": value, "y": -value}, "orientation": {"w": 1.0}}
    wide = np.full(36, abs(value))
    for covariance in (np.zeros(36), wide):
        told = {"pose": far, "covariance": covariance}
        publish(lab, "/initialpose", "geometry_msgs/msg/PoseWithCovarianceStamped", pose=told)
        lab.run(0.05)
        publish(lab, "/goal_pose", "geometry_msgs/msg/PoseStamped", pose=at(1.0, 0.5, 0.0))
        lab.run(0.2)
        publish(lab, "/goal_pose", "geometry_msgs/msg/PoseStamped", pose=far)
        lab.run(0.1)
    assert lab.stage.sim.time > 0.5


def test_a_navigator_that_fails_is_made_anew_and_the_robot_stands(lab: LiveSession) -> None:
    lines: list[str] = []
    lab.bus.subscribe("/rosout", None, lambda m: lines.append(m.msg))
    publish(lab, "/goal_pose", "geometry_msgs/msg/PoseStamped", pose=at(1.5, 0.5, 0.0))
    lab.run(0.3)
    node = next(node for node in lab.nodes if isinstance(node, NavigationNode))
    node.live.navigator.update = lambda _: 1 / 0
    lab.run(1.0)
    assert any("navigation failed and begins anew: ZeroDivisionError" in line for line in lines)
    assert np.abs(lab.stage.sim.base_velocity).max() < 0.05
    publish(lab, "/goal_pose", "geometry_msgs/msg/PoseStamped", pose=at(0.6, 0.0, 0.0))
    lab.run(0.5)
    assert node.live.active
