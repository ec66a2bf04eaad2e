"""`/move_base` as a client of actionlib sees it: status, feedback, result, cancel, preemption."""

import math
from pathlib import Path

import pytest

from andante.bags import messages
from andante.session import LiveSession

GOAL = "move_base_msgs/msg/MoveBaseActionGoal"


def publish(session: LiveSession, topic: str, kind: str, **fields) -> None:
    publisher = session.bus.advertise(topic, kind)
    publisher.publish(messages.make(kind, **fields))
    publisher.close()


def goal(session: LiveSession, name: str, x: float, y: float) -> None:
    pose = {"pose": {"position": {"x": x, "y": y}, "orientation": {"w": 1.0}}}
    publish(session, "/move_base/goal", GOAL, goal_id={"id": name}, goal={"target_pose": pose})


@pytest.fixture
def heard(tmp_path: Path):
    """A session in the lab, and what it tells on each topic."""
    with LiveSession("waffle", world="lab", folder=tmp_path, seed=2) as session:
        told = {name: [] for name in ("status", "feedback", "result")}
        for name, kept in told.items():
            session.bus.subscribe(f"/move_base/{name}", None, kept.append)
        yield session, told


def until(session: LiveSession, condition, seconds: float = 20.0) -> bool:
    for _ in range(round(10 * seconds)):
        if condition():
            return True
        session.run(0.1)
    return condition()


def test_a_goal_is_reached_and_told(heard) -> None:
    session, told = heard
    x, y = session.stage.sim.base_pose[:2]
    goal(session, "first", x + 0.4, y)
    session.run(0.5)
    assert [(s.goal_id.id, s.status) for s in told["status"][-1].status_list] == [("first", 1)]
    assert told["feedback"][-1].status.goal_id.id == "first"
    assert until(session, lambda: told["result"])
    assert (told["result"][0].status.goal_id.id, told["result"][0].status.status) == ("first", 3)
    here = session.stage.sim.base_pose
    assert math.hypot(here[0] - x - 0.4, here[1] - y) < 0.25
    base = told["feedback"][-1].feedback.base_position.pose.position
    assert math.hypot(base.x - here[0], base.y - here[1]) < 0.3
    session.run(0.3)
    assert told["status"][-1].status_list[-1].status == 3
    assert len(told["result"]) == 1


def test_a_new_goal_preempts_and_cancel_ends(heard) -> None:
    session, told = heard
    goal(session, "one", 1.5, 0.5)
    session.run(0.3)
    goal(session, "two", 1.5, -0.5)
    session.run(0.3)
    assert [(r.status.goal_id.id, r.status.status) for r in told["result"]] == [("one", 2)]
    publish(session, "/move_base/cancel", "actionlib_msgs/msg/GoalID", id="none of ours")
    session.run(0.2)
    assert len(told["result"]) == 1
    publish(session, "/move_base/cancel", "actionlib_msgs/msg/GoalID")
    session.run(0.2)
    assert [(r.status.goal_id.id, r.status.status) for r in told["result"][1:]] == [("two", 2)]


def test_bad_goals_are_aborted_and_a_goal_of_rviz_leads(heard) -> None:
    session, told = heard
    goal(session, "nowhere", math.nan, 0.0)
    session.run(0.2)
    assert (told["result"][-1].status.goal_id.id, told["result"][-1].status.status) == ("nowhere", 4)
    pose = {"position": {"x": 1.0, "y": 0.5}, "orientation": {"w": 1.0}}
    publish(session, "/move_base_simple/goal", "geometry_msgs/msg/PoseStamped", pose=pose)
    session.run(0.5)
    assert told["status"][-1].status_list[-1].status == 1
