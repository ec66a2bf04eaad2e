"""The filter of joint targets of a robot that stands: against finite differences, forward kinematics and masses."""

import math

import numpy as np
import pytest

from andante.control.drivers import make_ready
from andante.description.load import load_robot
from andante.geometry.hull import convex_hull
from andante.locomotion.biped.stand_kernels import nearest_step
from andante.locomotion.biped.standing import LEFT, StandFilter, StandSettings
from andante.locomotion.rigs.soles import foot_corners

DT = 0.01


@pytest.fixture(scope="module")
def nao():
    return make_ready(load_robot("nao"))


@pytest.fixture
def standing(nao):
    made = StandFilter(nao.walker.body)
    assert made.begin(nao.walker.body.stance.copy())
    return made


def feet(robot, q):
    """Pose of the right foot seen from the left one, and how far the center of mass is inside the soles [m]."""
    poses = robot.link_poses(dict(zip(robot.joint_names, q.tolist(), strict=True)))
    names = [name for name in ("l_ankle", "r_ankle") if name in poses]
    left, right = (poses[name] for name in names)
    parts = [(link.inertia.mass, poses[link.name] @ np.array(link.inertia.com)) for link in robot.links if link.inertia]
    center = left.inverse() @ (sum(m * at for m, at in parts) / sum(m for m, _ in parts))
    corners = []
    for name in names:
        points = foot_corners(robot, name)
        corners.append(left.inverse() @ poses[name] @ points[points[:, 2] < points[:, 2].min() + 3e-3])
    hull = convex_hull(np.concatenate(corners)[:, :2])
    inside = -float((hull.equations[:, :2] @ center[:2] + hull.equations[:, 2]).max())
    return left.inverse() @ right, inside


def hold(standing, wanted, seconds):
    for _ in range(round(seconds / DT)):
        standing.limit(wanted, DT)
    return standing.positions


def test_a_posture_that_stands_is_reached(nao, standing):
    robot, q = nao.robot, nao.walker.body.stance.copy()
    names = list(robot.joint_names)
    for side in "LR":  # a squat: hip, knee and ankle bend by a, -2a, a
        for joint, bend in (("HipPitch", -0.3), ("KneePitch", 0.6), ("AnklePitch", -0.3)):
            q[names.index(side + joint)] += bend
    q[names.index("LShoulderPitch")] = -0.5
    reached = hold(standing, q, 5.0)
    assert np.abs(reached - q).max() < math.radians(0.5)
    assert standing.refused == {}


@pytest.mark.parametrize("seed", range(4))
def test_feet_stay_and_the_center_of_mass_stays_over_them(nao, standing, seed):
    rng = np.random.default_rng(seed)
    robot, stance = nao.robot, nao.walker.body.stance
    before, _ = feet(robot, stance)
    wanted = stance + rng.uniform(-0.6, 0.6, len(stance))
    for _ in range(40):
        reached = hold(standing, wanted, 0.1)
        between, inside = feet(robot, reached)
        assert np.abs((before.inverse() @ between).matrix - np.eye(4)).max() < 1e-4
        assert inside > standing.margin - 2e-3
    free = ~standing.carrying
    limits = [robot.joint(name).limits for name in robot.joint_names]
    assert np.abs(reached - wanted)[free].max() < 1e-3
    for k in np.flatnonzero(standing.carrying):
        assert limits[k].lower - 1e-6 <= reached[k] <= limits[k].upper + 1e-6
    assert standing.refused  # random legs do not stand


def test_what_cannot_be_is_told_with_its_gap(nao, standing):
    names = list(nao.robot.joint_names)
    wanted = nao.walker.body.stance.copy()
    wanted[names.index("LAnklePitch")] += 0.5
    reached = hold(standing, wanted, 3.0)
    told = standing.refused
    assert "LAnklePitch" in told
    k = names.index("LAnklePitch")
    assert told["LAnklePitch"] == pytest.approx(reached[k] - wanted[k])
    assert abs(told["LAnklePitch"]) < 0.5  # it goes some of the way


def test_nothing_jumps(nao, standing):
    wanted = nao.walker.body.stance + 0.8
    before = standing.positions.copy()
    last = np.zeros(len(before))
    for _ in range(200):
        standing.limit(wanted, DT)
        speed = (standing.positions - before) / DT
        assert np.abs(speed[standing.carrying]).max() < 2.5
        assert np.abs(speed - last)[standing.carrying].max() < 1.5
        before, last = standing.positions.copy(), speed


@pytest.mark.parametrize("seed", range(6))
def test_the_center_of_mass_is_never_thrown(nao, standing, seed):
    """Both legs bent alike while the arms swing as fast as they can: its acceleration stays what a sole can press."""
    rng, body = np.random.default_rng(seed), nao.walker.body
    names = list(nao.robot.joint_names)
    free, top = ~standing.carrying, standing._top
    places = [standing.seen(standing.positions)[1][:2]]
    for _ in range(4):
        goal, wanted = body.stance.copy(), standing.wanted.copy()
        goal[free] += rng.uniform(-1.5, 1.5, int(free.sum()))
        for joint in ("HipPitch", "KneePitch", "AnklePitch"):
            goal[[names.index(side + joint) for side in "LR"]] += rng.uniform(-0.6, 0.6)
        for _ in range(60):
            wanted = wanted + np.clip(goal - wanted, -top * DT, top * DT)
            standing.limit(wanted, DT)
            places.append(standing.seen(standing.positions)[1][:2])
    height = float(standing.seen(standing.positions)[1][2])
    pressed = np.abs(np.diff(places, n=2, axis=0)) / DT**2 * height / 9.81
    assert pressed.max() < 2.2 * standing.press


@pytest.mark.parametrize("seed", range(8))
def test_the_step_is_that_of_a_general_solver(seed):
    from scipy.optimize import minimize

    rng = np.random.default_rng(seed)
    n, m = 6, 12
    right, rows = rng.normal(size=n), rng.normal(size=(m, n))
    inside = rng.uniform(-0.3, 0.3, n)  # meets all
    least = rows @ inside - rng.uniform(0.0, 0.3, m)
    low, high = inside - rng.uniform(0.0, 0.5, n), inside + rng.uniform(0.0, 0.5, n)
    step = np.empty(n)
    taken = nearest_step(np.eye(n), right, rows, least, low, high, step)
    met = {"type": "ineq", "fun": lambda x: rows @ x - least, "jac": lambda x: rows}
    best = minimize(
        lambda x: 0.5 * float((x - right) @ (x - right)), inside, jac=lambda x: x - right, constraints=[met],
        bounds=list(zip(low, high, strict=True)), method="SLSQP", options={"ftol": 1e-12, "maxiter": 500},
    )  # fmt: skip
    assert best.success
    assert np.abs(step - best.x).max() < 1e-4
    assert taken < 25


def test_what_contradicts_itself_is_missed_evenly():
    rows, least = np.array([[1.0, 0.0], [-1.0, 0.0]]), np.array([0.1, 0.1])  # x >= 0.1 and x <= -0.1
    step, wide = np.empty(2), np.full(2, 9.0)
    nearest_step(np.eye(2), np.array([0.3, 0.4]), rows, least, -wide, wide, step)
    assert step == pytest.approx([0.0, 0.4], abs=1e-5)


def test_a_body_that_gives_way_is_kept_further_inside(nao):
    body = nao.walker.body
    names = list(nao.robot.joint_names)
    lean = body.stance.copy()
    for side in "LR":
        lean[names.index(f"{side}AnklePitch")] -= 0.35  # ahead, onto the toes
    places = []
    for sag in (0.0, 0.02):
        made = StandFilter(body)
        made.begin(body.stance.copy())
        for _ in range(500):
            felt = made.positions.copy()
            for side in "LR":
                felt[names.index(f"{side}AnklePitch")] -= sag
            made.limit(lean, DT, felt)
        places.append(float(made.seen(made.positions)[1][0]))
    assert places[1] < places[0] - 0.5 * 0.02 * 0.25


def test_over_one_foot(nao, standing):
    standing.rest_on(LEFT)
    stance = nao.walker.body.stance
    reached = hold(standing, stance, 4.0)
    _, center, _ = standing.seen(reached)
    heel, toe, right, left = nao.walker.body.soles[LEFT].box
    assert right < center[1] < left
    assert heel < center[0] < toe
    between, _ = feet(nao.robot, reached)
    assert np.abs((feet(nao.robot, stance)[0].inverse() @ between).matrix - np.eye(4)).max() < 1e-4


def test_who_does_not_stand_is_left_alone(nao):
    made = StandFilter(nao.walker.body, StandSettings())
    names = list(nao.robot.joint_names)
    lifted = nao.walker.body.stance.copy()
    lifted[names.index("RKneePitch")] += 0.8
    assert not made.begin(lifted)
    assert not made.engaged


def test_a_joint_that_follows_another_one_is_where_that_one_puts_it(nao):
    """Commands tell nothing of NAO's right hip yaw joint: it hangs on the servo of the left one."""
    robot = nao.robot
    q = np.array([robot.complete(robot.pose("Stand"))[name] for name in robot.joint_names])
    told = q.copy()
    told[robot.joint_names.index("RHipYawPitch")] = 0.0
    made = StandFilter(nao.walker.body)
    assert made.begin(told)
    for _ in range(100):
        made.limit(told, DT)
    legs = made.carrying
    assert np.allclose(made.positions[legs], q[legs], atol=0.02)


def test_arms_go_as_fast_as_they_are_asked_to(nao, standing):
    """A timed move of one arm, half a radian in a second, is not held back where the robot stands in the middle."""
    k = list(nao.robot.joint_names).index("LShoulderPitch")
    start = standing.positions.copy()
    for t in np.arange(DT, 1.0 + DT / 2, DT):
        wanted = start.copy()
        wanted[k] -= 1.5 * (3 * t * t - 2 * t**3)  # 2.25 rad/s at most
        standing.limit(wanted, DT)
        assert abs(standing.positions[k] - wanted[k]) < math.radians(2.0)
    assert not standing.lagging[k]


def test_arms_that_would_tip_it_are_slowed_and_arrive(nao, standing):
    names, top = list(nao.robot.joint_names), standing.body.speeds
    arms = [names.index(side + "ShoulderPitch") for side in "LR"]
    wanted = standing.positions.copy()
    wanted[arms] -= 1.5
    fastest, before, late = 0.0, standing.positions.copy(), 0
    for _ in range(150):
        standing.limit(wanted, DT)
        moved = float(np.abs(standing.positions - before)[arms].max()) / DT
        assert moved <= top[arms].max() + 1e-9
        fastest = max(fastest, moved - abs(before - standing.positions)[arms].min() / DT)
        late += bool(standing.lagging[arms].all())
        before = standing.positions.copy()
    assert late > 1.5 / top[arms[0]] / DT + 5  # slower than the joints could: at once would need an endless push
    assert not standing.lagging[arms].any()
    assert np.abs(standing.positions - wanted)[arms].max() < math.radians(0.1)
    assert fastest < 1e-6  # both alike


def test_a_joint_that_will_not_get_there_does_not_lag_for_ever(nao, standing):
    wanted = nao.walker.body.stance.copy()
    k = list(nao.robot.joint_names).index("LAnklePitch")
    wanted[k] += 0.5
    standing.limit(wanted, DT)
    assert standing.lagging[k]
    hold(standing, wanted, 5.0)
    assert standing.refused
    assert not standing.lagging.any()
