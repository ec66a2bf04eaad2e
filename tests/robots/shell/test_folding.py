"""Routes between hexapod and ball, the follower that waits for the joints, and folding under physics."""

from __future__ import annotations

import numpy as np
import pytest

import andante as an
from andante.control.loop import ControlLoop
from andante.description import Robot, load_robot
from andante.errors import BadInput
from andante.geometry import Array
from andante.locomotion import Behaviour, Command, Readings
from andante.motion import smoothstep
from andante.robots.shell.folding import CHAIN, FoldMap, FoldSettings, Progress, RouteFollower, Via


@pytest.fixture(scope="module")
def shell() -> Robot:
    return load_robot("shell")


@pytest.fixture(scope="module")
def chart(shell: Robot) -> FoldMap:
    return FoldMap(shell)


def names(route: list[Via]) -> list[str]:
    return [via.name for via in route]


# ---- routes ---------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("start", "goal", "route"),
    [
        ("stand", "ball", ["tall", "pass", "tuck", "ball"]),
        ("tall", "ball", ["pass", "tuck", "ball"]),
        ("tuck", "ball", ["ball"]),
        ("ball", "stand", ["tuck", "pass", "tall", "stand"]),
        ("ball", "ball", ["ball"]),
        ("stand", "stand", ["stand"]),
        ("tuck", "stand", ["pass", "tall", "stand"]),
        ("pass", "stand", ["tall", "stand"]),
    ],
)
def test_routes_along_the_chain(chart: FoldMap, start: str, goal: str, route: list[str]) -> None:
    assert names(chart.route(chart.poses[start], goal)) == route


def test_from_anywhere_the_route_ends_at_its_goal_and_keeps_the_folding_line(shell: Robot, chart: FoldMap) -> None:
    rng = np.random.default_rng(4)
    low = np.array([joint.limits.lower for joint in shell.movable])
    high = np.array([joint.limits.upper for joint in shell.movable])
    for _ in range(100):
        q = rng.uniform(low, high)
        q[chart.fan] = q[chart.fan][0]
        for goal in ("ball", "stand"):
            route = chart.route(q, goal)
            np.testing.assert_array_equal(route[-1].position, chart.poses[goal])
            fraction = chart.fraction_folded(q)
            if fraction > 0.2:  # the lower legs come to the line before the fan turns
                np.testing.assert_allclose(route[0].position[chart.fan], q[chart.fan])


def test_unknown_goals_and_robots_are_told(chart: FoldMap) -> None:
    with pytest.raises(BadInput, match="stand, tall, pass, tuck, ball"):
        chart.route(chart.poses["ball"], "moon")
    with pytest.raises(BadInput, match="cannot fold"):
        FoldMap(load_robot("nao"))


# ---- the follower ---------------------------------------------------------------------------------
def test_smooth_step_starts_and_ends_at_rest() -> None:
    s = np.linspace(0, 1, 1001)
    value = np.array([smoothstep(x) for x in s])
    slope = np.gradient(value, s)
    assert value[0] == 0
    assert value[-1] == 1
    assert slope[0] < 1e-2
    assert slope[-1] < 1e-2
    assert slope.max() == pytest.approx(1.875, abs=1e-3)
    assert smoothstep(-1) == 0
    assert smoothstep(2) == 1


def follow(
    follower: RouteFollower, q: Array, blocked: Array | None = None, seconds: float = 60.0
) -> tuple[Array, Array]:
    """A perfect servo that follows at once, but for blocked joints; the last position and the fastest speeds."""
    fastest = np.zeros(len(q))
    for _ in range(round(seconds / 0.01)):
        target = follower.update(q, 0.01)
        new = target if blocked is None else np.where(blocked, q, target)
        fastest = np.maximum(fastest, np.abs(new - q) / 0.01)
        q = new
        if follower.progress is not Progress.MOVING:
            break
    return q, fastest


def test_follows_all_the_way_under_the_speed_limits(chart: FoldMap) -> None:
    follower = RouteFollower(chart)
    for goal in ("ball", "stand"):
        start = chart.poses["stand" if goal == "ball" else "ball"]
        follower.begin(start, chart.route(start, goal))
        q, fastest = follow(follower, start)
        assert follower.progress is Progress.DONE
        np.testing.assert_allclose(q, chart.poses[goal], atol=0.081)
        assert (fastest <= 0.61 * chart.speed).all()
        assert (fastest > 0.55 * chart.speed).any()


def test_a_blocked_joint_is_tried_again_and_then_named(chart: FoldMap) -> None:
    follower = RouteFollower(chart, FoldSettings(patience=0.3, retries=1))
    start = chart.poses["stand"]
    follower.begin(start, chart.route(start, "ball"))
    blocked = np.array([name == "q133" for name in chart.names])
    q, _ = follow(follower, start, blocked)
    assert follower.progress is Progress.FAILED
    assert "q133" in follower.reason
    assert follower.heading_for in follower.reason
    np.testing.assert_array_equal(follower.update(q, 0.01), follower.update(q, 0.01))  # it holds


def test_a_loaded_leg_that_sticks_a_little_is_passed(chart: FoldMap) -> None:
    """Standing legs may stick to the floor short of the stance; legs on the way into the ball may not."""
    q0 = chart.poses["tall"]
    stiff = np.array([name == "q134" for name in chart.names])
    for goal, progress in (("stand", Progress.DONE), ("tuck", Progress.FAILED)):
        follower = RouteFollower(chart, FoldSettings(patience=0.2))
        follower.begin(q0, [chart.via(goal)])
        follow(follower, q0, stiff)
        assert follower.progress is progress
        assert "q134" in follower.reason


def test_an_empty_route_is_refused(chart: FoldMap) -> None:
    with pytest.raises(BadInput, match="via-point"):
        RouteFollower(chart).begin(chart.poses["stand"], [])


# ---- under physics --------------------------------------------------------------------------------
class Folds(Behaviour):
    """Goes to one pose after another."""

    def __init__(self, chart: FoldMap, goals: list[str]) -> None:
        self.chart, self.goals = chart, goals
        self.follower = RouteFollower(chart)
        self.begun = False

    def update(self, readings: Readings, command: Command, dt: float) -> Array:
        if not self.begun:
            self.follower.begin(readings.position, self.chart.route(readings.position, self.goals[0]))
            self.begun = True
        elif self.follower.progress is Progress.DONE and len(self.goals) > 1:
            del self.goals[0]
            self.begun = False
        return self.follower.update(readings.position, dt)


def test_folds_and_unfolds_on_the_floor(shell: Robot, chart: FoldMap) -> None:
    sim = an.simulate(shell, pose="stand", sensors=True)
    folds = Folds(chart, ["ball", "stand"])
    loop = ControlLoop(sim, folds)
    loop.run(5.0)
    assert np.abs(sim.joints.position - chart.poses["ball"]).max() < 0.3
    loop.run(5.5)
    assert folds.goals == ["stand"]
    assert folds.follower.progress is Progress.DONE
    assert sim.base_pose[2] == pytest.approx(0.157, abs=0.005)
    assert not sim.fallen
    sim.close()


def test_unfolds_on_bullet_without_a_stall(shell: Robot, chart: FoldMap) -> None:
    """Bullet lays a skin around meshes: with more than 0.1 mm femurs meet the petals that they pass."""
    pytest.importorskip("pybullet")
    sim = an.simulate(shell, engine="bullet", pose="tuck", sensors=True)
    folds = Folds(chart, ["stand"])
    loop = ControlLoop(sim, folds)
    loop.run(2.5)
    assert folds.follower.progress is Progress.DONE
    assert not folds.follower.reason
    assert sim.base_pose[2] == pytest.approx(0.157, abs=0.005)
    sim.close()


def test_folds_from_a_twisted_stance(shell: Robot, chart: FoldMap) -> None:
    sim = an.simulate(shell, pose="stand", sensors=True)
    rng = np.random.default_rng(8)
    q = chart.poses["stand"].copy()
    q[~chart.fan] += rng.uniform(-0.4, 0.4, int((~chart.fan).sum()))
    sim.target(q)
    sim.run(0.7)
    folds = Folds(chart, ["ball"])
    loop = ControlLoop(sim, folds)
    loop.run(7.0)
    assert folds.follower.progress is Progress.DONE, folds.follower.reason
    assert np.abs(sim.joints.position - chart.poses["ball"]).max() < 0.1
    assert CHAIN[-1] == "ball"
    sim.close()


def test_the_long_way_may_leave_stalled_joints_behind(chart: FoldMap) -> None:
    start = chart.poses["tuck"]
    route = chart.long_route(start, "ball")
    assert names(route)[:5] == ["petals up", "legs up", "legs out", "dome closed", "stand"]
    assert not route[-1].optional
    follower = RouteFollower(chart, FoldSettings(patience=0.2))
    follower.begin(start, route[:2] + route[-1:])
    blocked = np.array([name == "q212" for name in chart.names])
    q, _ = follow(follower, start, blocked)
    assert follower.progress is Progress.DONE  # q212 is where the ball wants it, so only the detour stalled
    np.testing.assert_allclose(q, chart.poses["ball"], atol=0.081)
