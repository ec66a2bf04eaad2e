"""Actions: feedback, results, calling off, pre-emption, failures."""

from __future__ import annotations

import contextlib
from collections.abc import Generator
from typing import Any

import pytest

from andante.bags import messages
from andante.bus import Bus, BusError, Cancelled, Goal, GoalFailed, GoalStatus
from andante.errors import BadInput, UnknownName

TYPE = "nav2_msgs/action/NavigateToPose"


def drive(goal: Any) -> Generator[Any, None, Any]:
    """Feedback 3, 2, 1, then done."""
    for left in (3.0, 2.0, 1.0):
        yield {"distance_remaining": left}
    return None


def spins(bus: Bus, count: int) -> None:
    for _ in range(count):
        bus.spin()


def test_feedback_and_result_come_by_spin() -> None:
    bus = Bus()
    bus.provide_action("/go", TYPE, drive, node="driver")
    told: list[float] = []
    ended: list[Goal] = []
    goal = bus.send_goal(
        "/go", {"behavior_tree": "x"}, lambda m: told.append(m.distance_remaining), lambda g: ended.append(g)
    )
    assert goal.status is GoalStatus.ACCEPTED
    bus.spin()
    assert (told, goal.status) == ([3.0], GoalStatus.EXECUTING)
    spins(bus, 2)
    assert told == [3.0, 2.0, 1.0]
    assert ended == []
    bus.spin()
    assert ended == [goal]
    assert goal.status is GoalStatus.SUCCEEDED
    assert goal.over
    assert messages.type_of(goal.result) == "nav2_msgs/action/NavigateToPose_Result"
    assert not goal.cancel()


def test_cancel_throws_into_the_work_which_may_stop_in_its_own_time() -> None:
    bus = Bus()
    steps: list[str] = []

    def work(goal: Any) -> Generator[Any, None, Any]:
        try:
            while True:
                steps.append("drive")
                yield
        except Cancelled as why:
            for _ in range(2):
                steps.append(f"brake, {why}")
                yield {"distance_remaining": 0.5}
        return None

    bus.provide_action("/go", TYPE, work)
    goal = bus.send_goal("/go")
    spins(bus, 2)
    assert goal.cancel("enough")
    assert goal.status is GoalStatus.CANCELING
    spins(bus, 2)
    assert goal.status is GoalStatus.CANCELING
    assert goal.feedback.distance_remaining == 0.5
    bus.spin()
    assert (goal.status, goal.text) == (GoalStatus.CANCELED, "enough")
    assert steps == ["drive", "drive", "brake, enough", "brake, enough"]


def test_cancel_before_the_first_step_starts_nothing() -> None:
    bus = Bus()
    started: list[int] = []

    def work(goal: Any) -> Generator[Any, None, Any]:
        started.append(1)
        yield

    bus.provide_action("/go", TYPE, work)
    goal = bus.send_goal("/go")
    goal.cancel()
    bus.spin()
    assert goal.status is GoalStatus.CANCELED
    assert started == []


def test_cancel_of_work_that_does_not_care() -> None:
    bus = Bus()
    bus.provide_action("/go", TYPE, drive)
    goal = bus.send_goal("/go")
    bus.spin()
    goal.cancel()
    bus.spin()
    assert goal.status is GoalStatus.CANCELED


def test_a_new_goal_takes_the_place_of_the_old_one() -> None:
    bus = Bus()
    bus.provide_action("/go", TYPE, drive)
    order: list[str] = []
    first = bus.send_goal("/go", done=lambda g: order.append(f"first {g.text}"))
    bus.spin()
    second = bus.send_goal("/go", feedback=lambda m: order.append("second moves"))
    bus.spin()
    assert first.status is GoalStatus.CANCELED
    assert second.status is GoalStatus.EXECUTING
    assert order == ["first preempted by another goal", "second moves"]


def test_queued_goals_wait_and_refused_ones_are_told() -> None:
    bus = Bus()
    bus.provide_action("/queue", TYPE, drive, policy="queue")
    bus.provide_action("/refuse", TYPE, drive, policy="refuse")
    ended: list[int] = []
    for k in range(3):
        bus.send_goal("/queue", done=lambda g, k=k: ended.append(k))
    spins(bus, 20)
    assert ended == [0, 1, 2]
    running = bus.send_goal("/refuse")
    with pytest.raises(BusError, match="action /refuse: is busy"):
        bus.send_goal("/refuse")
    spins(bus, 5)
    assert running.status is GoalStatus.SUCCEEDED
    bus.send_goal("/refuse")


def test_failures_end_as_aborted_with_words() -> None:
    bus = Bus()

    def told(goal: Any) -> Generator[Any, None, Any]:
        yield
        raise GoalFailed("blocked", {"error_string": "wall"})

    def broken(goal: Any) -> Generator[Any, None, Any]:
        yield
        raise ValueError("oops")

    def odd_feedback(goal: Any) -> Generator[Any, None, Any]:
        yield {"speed": 1}

    def odd_result(goal: Any) -> Generator[Any, None, Any]:
        yield
        return {"speed": 1}

    lines: list[Any] = []
    bus.subscribe("/rosout", None, lambda m: lines.append(m.msg))
    kind = "control_msgs/action/FollowJointTrajectory"
    for name, work in (("/told", told), ("/broken", broken), ("/feedback", odd_feedback), ("/result", odd_result)):
        bus.provide_action(name, kind, work)
    bus.provide_action("/none", kind, lambda goal: 3)  # type: ignore[arg-type,return-value]
    goals = {name: bus.send_goal(name) for name in bus.actions()}
    spins(bus, 4)
    assert all(goal.status is GoalStatus.ABORTED for goal in goals.values())
    assert goals["/told"].text == "blocked"
    assert goals["/told"].result.error_string == "wall"
    assert goals["/broken"].text == "ValueError: oops"
    assert "no field 'speed'" in goals["/feedback"].text
    assert "no field 'speed'" in goals["/result"].text
    assert "must return a generator, got int" in goals["/none"].text
    assert "action /broken: ValueError: oops" in lines


def test_errors_in_the_callbacks_of_the_sender_do_not_hurt_the_goal() -> None:
    bus = Bus()
    bus.provide_action("/go", TYPE, drive)
    goal = bus.send_goal("/go", feedback=lambda m: 1 / 0, done=lambda g: 1 / 0)
    spins(bus, 5)
    assert goal.status is GoalStatus.SUCCEEDED


def test_goals_that_beget_goals_do_not_hang_the_loop() -> None:
    bus = Bus()

    def at_once(goal: Any) -> Generator[Any, None, Any]:
        return None
        yield

    bus.provide_action("/go", TYPE, at_once)
    ends: list[int] = []

    def again(goal: Goal) -> None:
        ends.append(goal.number)
        bus.send_goal("/go", done=again)

    bus.send_goal("/go", done=again)
    spins(bus, 3)
    assert ends == [1, 2, 3]


def test_withdrawing_an_action_ends_its_goals() -> None:
    bus = Bus()

    def stubborn(goal: Any) -> Generator[Any, None, Any]:
        while True:
            with contextlib.suppress(Cancelled):
                yield

    action = bus.provide_action("/go", TYPE, stubborn, policy="queue")
    goals = [bus.send_goal("/go") for _ in range(2)]
    bus.spin()
    action.close()
    assert [goal.status for goal in goals] == [GoalStatus.CANCELED] * 2
    assert bus.actions() == {}
    with pytest.raises(UnknownName, match="no action '/go'"):
        bus.send_goal("/go")


def test_goals_and_policies_are_checked() -> None:
    bus = Bus()
    bus.provide_action("/go", TYPE, drive, node="driver")
    with pytest.raises(BadInput, match="no field 'pos'; fields: pose, behavior_tree"):
        bus.send_goal("/go", {"pos": 1})
    with pytest.raises(BadInput, match="NavigateToPose_Goal is wanted, got std_msgs/msg/Empty"):
        bus.send_goal("/go", messages.make("std_msgs/Empty"))
    with pytest.raises(BadInput, match="action /go is provided already by driver"):
        bus.provide_action("/go", TYPE, drive)
    with pytest.raises(BadInput, match="one of preempt, queue, refuse"):
        bus.provide_action("/other", TYPE, drive, policy="both")


def test_parallel_goals_go_on_side_by_side() -> None:
    bus = Bus()
    bus.provide_action("/go", TYPE, drive, policy="parallel")
    told: list[tuple[str, float]] = []
    for name in ("a", "b"):
        bus.send_goal("/go", None, lambda m, name=name: told.append((name, m.distance_remaining)))
    first, second = bus.send_goal("/go"), bus.send_goal("/go")
    bus.spin()
    assert told == [("a", 3.0), ("b", 3.0)]
    first.cancel()
    spins(bus, 4)
    assert (first.status, second.status) == (GoalStatus.CANCELED, GoalStatus.SUCCEEDED)
    assert told[-1] == ("b", 1.0)
