"""`andante bench ik`: inverse kinematics beside roboticstoolbox (`ik_LM`, C++) and a Pinocchio loop.

10,000 random reachable targets per chain, all sides from the middle of the joint limits, within the limits, to 1e-6 on
the norm of the gap. The sides take turns, slice by slice, in CPU time of the process. What each says it reached is
checked by forward kinematics. Threads and first calls are timed by the wall clock, best of several. The peers have the
same chain, one target per call.
"""

from __future__ import annotations

import gc
import importlib
import importlib.util
import subprocess
import sys
import time
import timeit
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from andante.description import load_robot
from andante.geometry import Array
from andante.kinematics import Chain, Legs, load_dh

from .rows import Row, leave_out

Solver = Callable[[Array], tuple[bool, Array]]  # (4, 4) pose -> whether it says that it arrived, q

TARGETS = 10_000
SEED = 2026  # of the targets; the solver's constants were chosen on targets of seed 1
SLICES = 20
LOOP_TARGETS = 500  # of the Pinocchio loop, which is slow; spread over all slices
TOLERANCE = 1e-6
CHECK = 1.01 * TOLERANCE  # rounding between the two forward kinematics
THREADS = 2
ROUNDS = 7  # best of
SPEED = "solves/s"
SEARCHES = 1000  # restarts, so that speed and not patience is compared
STEPS = 30  # of one search of the Pinocchio loop, as many as ik_LM takes by default
GAIN = 0.1  # of ik_LM's damping: the quickest of the range that its pages advise, on these chains
HALF_SQUARE = 5e-13  # ik_LM's tolerance is on half the squared error: 1e-6 on the error


# ---- peers ---------------------------------------------------------------------------------------
def missing(package: str) -> bool:
    """Whether a peer is not installed."""
    return importlib.util.find_spec(package) is None


def toolbox(chain: Chain, mask: Array) -> Solver:
    """`ik_LM` (C++) of roboticstoolbox with joint limits, from the middle of the limits."""
    roboticstoolbox: Any = importlib.import_module("roboticstoolbox")
    ET = roboticstoolbox.ET
    lower, upper = chain.limits
    sequence: Any = roboticstoolbox.ETS()
    for row in chain.table:
        sequence = sequence * ET.SE3(_pose(row))
        if row[12] != 2.0:
            index = int(row[13])
            sequence = sequence * ET.Rz(jindex=index, qlim=[lower[index], upper[index]])
    start = np.array(chain.middle)

    def solve(pose: Array) -> tuple[bool, Array]:
        found = sequence.ik_LM(pose, q0=start, slimit=SEARCHES, tol=HALF_SQUARE, mask=mask, k=GAIN)
        return bool(found.success), found.q

    return solve


def pinocchio(chain: Chain, mask: Array, tolerance: float = 1e-6) -> Solver:
    """The damped loop of Pinocchio's pages with ik_LM's damping, limits by cutting and random restarts within them."""
    import pinocchio as pin

    lower, upper = chain.limits
    model = pin.Model()
    parent = 0
    for row in chain.table[:-1]:
        placement = pin.SE3(_pose(row))
        parent = model.addJoint(parent, pin.JointModelRZ(), placement, f"j{parent}")
    tip = model.addFrame(pin.Frame("tip", parent, pin.SE3(_pose(chain.table[-1])), pin.FrameType.OP_FRAME))
    data = model.createData()
    rows = np.flatnonzero(mask)
    positions_only = not mask[3:].any()
    rng = np.random.default_rng(0)
    unit = np.eye(len(rows))
    axes = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED if positions_only else pin.ReferenceFrame.LOCAL

    def solve(pose: Array) -> tuple[bool, Array]:
        goal = pin.SE3(pose)
        q = np.array(chain.middle)
        for _ in range(SEARCHES):
            for _ in range(STEPS):
                pin.forwardKinematics(model, data, q)
                placed = pin.updateFramePlacement(model, data, tip)
                if positions_only:
                    error = (goal.translation - placed.translation)[rows]
                else:
                    error = pin.log6(placed.actInv(goal)).vector
                square = error @ error
                if square < tolerance * tolerance:
                    return True, q
                J = pin.computeFrameJacobian(model, data, q, tip, axes)[rows]
                step = J.T @ np.linalg.solve(J @ J.T + 0.5 * GAIN * square * unit, error)
                q = np.clip(pin.integrate(model, q, step), lower, upper)
            q = rng.uniform(lower, upper)
        return False, q

    return solve


def _pose(row: Array) -> Array:
    """(4, 4) matrix of a kernel row, exactly orthonormal."""
    pose = np.eye(4)
    u, _, vt = np.linalg.svd(row[:9].reshape(3, 3))
    pose[:3, :3], pose[:3, 3] = u @ vt, row[9:12]
    return pose


# ---- the benchmark -------------------------------------------------------------------------------
@dataclass(frozen=True)
class Case:
    """A chain, and the coordinates of its targets that count (x y z yaw pitch roll)."""

    name: str
    chain: Chain
    mask: tuple[int, ...]


def cases() -> tuple[Case, ...]:
    """Two arms with full poses, two legs with three and two coordinates."""
    shell = load_robot("shell")
    full = (1, 1, 1, 1, 1, 1)
    return (
        Case("panda-like", load_dh("panda_like"), full),
        Case("ur5-like", load_dh("ur5_like"), full),
        Case("shell lower leg", shell.chain("base_link", "lower_foot_2"), (1, 1, 1, 0, 0, 0)),
        Case("shell upper leg", shell.chain("base_link", "upper_tip_3"), (1, 0, 1, 0, 0, 0)),
    )


def reachable(case: Case, count: int = TARGETS, seed: int = SEED) -> tuple[Array, Array]:
    """Poses (m, 4, 4) of random joint positions, and the targets (m, 6) with free coordinates as NaN."""
    lower, upper = case.chain.limits
    q = np.random.default_rng(seed).uniform(lower, upper, (count, len(lower)))
    targets = case.chain.coordinates(q)
    targets[:, np.array(case.mask) == 0] = np.nan
    return case.chain.fk(q), targets


def run(seconds: float, quiet: bool) -> tuple[Row, ...]:
    """Rows per chain, then the whole robot and the first call; with `seconds` under 1 on a tenth of the targets."""
    peers: dict[str, Callable[[Chain, Array], Solver]] = {}
    for name, package, make in (("ik_LM", "roboticstoolbox", toolbox), ("Pinocchio loop", "pinocchio", pinocchio)):
        if missing(package):
            leave_out(name, f"the package {package} is not installed", quiet)
        else:
            peers[name] = make
    count = TARGETS if seconds >= 1 else TARGETS // 10
    rows: list[Row] = []
    for case in cases():
        rows += measure(case, peers, count)
    rows.append(threads_row())
    rows.append(legs_row(peers.get("ik_LM")))
    rows.append(first_call_row("ik_LM" in peers))
    return tuple(rows)


def measure(case: Case, peers: dict[str, Callable[[Chain, Array], Solver]], count: int) -> list[Row]:
    """Speed in a batch and by single calls beside every peer, and the fraction of targets that is reached."""
    chain = case.chain
    poses, targets = reachable(case, count)
    mask = np.array(case.mask, dtype=float)
    solvers = {name: make(chain, mask) for name, make in peers.items()}
    chain.ik(targets[0])
    for solve in solvers.values():
        solve(poses[0])
    calls: dict[str, Callable[[Any], Any]] = {
        "batch": lambda part: chain.ik(targets[part]).q,
        "single": lambda part: [chain.ik(targets[i]).q for i in part],
        **{name: _answers_of(solve, poses) for name, solve in solvers.items()},
    }
    spent, done, good = dict.fromkeys(calls, 0.0), dict.fromkeys(calls, 0), dict.fromkeys(calls, 0)
    gc.collect()
    for part in np.array_split(np.arange(count), SLICES):
        for name, call in calls.items():
            chosen = part[: max(1, LOOP_TARGETS // SLICES)] if name == "Pinocchio loop" else part
            begin = time.process_time()
            found = call(chosen)
            spent[name] += time.process_time() - begin
            done[name] += len(found)
            good[name] += int(reached(case, np.array(found), poses[chosen]).sum())
    speed = {name: done[name] / spent[name] for name in spent}
    fraction = {name: 100 * good[name] / done[name] for name in spent}
    rows = []
    for name in solvers or (None,):
        base = speed[name] if name else float("nan")
        beside = f" beside {name}" if name else ""
        rows.append(Row(f"{case.name}: one batch{beside}", speed["batch"], base, SPEED))
        rows.append(Row(f"{case.name}: single calls{beside}", speed["single"], base, SPEED))
        there = fraction[name] if name else float("nan")
        rows.append(Row(f"{case.name}: reached{beside}", fraction["batch"], there, "%"))
    return rows


def _answers_of(solve: Solver, poses: Array) -> Callable[[Any], list[Array]]:
    """What gives the joint positions of a peer for some of the poses, one after another."""
    return lambda part: [solve(poses[i])[1] for i in part]


def reached(case: Case, q: Array, poses: Array) -> np.ndarray:
    """Which joint positions keep the limits and bring the tip to the poses, by forward kinematics."""
    lower, upper = case.chain.limits
    got = case.chain.fk(q)
    mask = np.array(case.mask[:3], dtype=bool)
    squared = np.sum((got - poses)[:, :3, 3][:, mask] ** 2, axis=1)
    if case.mask[5]:
        between = np.swapaxes(got[:, :3, :3], 1, 2) @ poses[:, :3, :3]
        skew = 0.5 * (between - np.swapaxes(between, 1, 2))
        near = np.trace(between, axis1=1, axis2=2) > 0
        squared += np.where(near, skew[:, 0, 1] ** 2 + skew[:, 0, 2] ** 2 + skew[:, 1, 2] ** 2, np.inf)
    inside = np.all((q >= lower - 1e-9) & (q <= upper + 1e-9), axis=1)
    good: np.ndarray = inside & (squared <= CHECK**2)
    return good


def best(call: Callable[[], object], rounds: int = ROUNDS) -> float:
    """Shortest wall time of a call [s]."""
    return min(timeit.repeat(call, number=1, repeat=rounds))


def threads_row(count: int = 10_000) -> Row:
    """A batch large enough to pay for its threads, on two threads beside the same batch on one."""
    chain = load_dh("panda_like")
    _, targets = reachable(Case("", chain, (1,) * 6), count)
    one, two = [], []
    for _ in range(ROUNDS):  # in turns, so that a busy machine meets both
        one.append(best(lambda: chain.ik(targets), 1))
        two.append(best(lambda: chain.ik(targets, threads=THREADS), 1))
    return Row(f"panda-like: batch on {THREADS} threads beside 1", count / min(two), count / min(one), SPEED)


def legs_row(peer: Callable[[Chain, Array], Solver] | None) -> Row:
    """Six lower legs from the stance to feet moved by a few centimeters, beside six calls of the peer."""
    shell = load_robot("shell")
    chains = tuple(shell.chain("base_link", f"lower_foot_{k}").hold({"q111": 0.0}) for k in range(1, 7))
    legs = Legs(chains)
    stance = np.concatenate([chain.vector(shell.pose("stand")) for chain in chains])
    targets = np.array([c.coordinates(c.vector(shell.pose("stand"))) for c in chains])
    targets[:, :3] += (0.02, 0.01, 0.02)
    targets[:, 3:] = np.nan
    assert legs.ik(targets, stance).converged.all()
    calls = 200
    ours = best(lambda: [legs.ik(targets, stance) for _ in range(calls)]) / calls
    theirs = float("nan")
    if peer is not None:
        solvers = [peer(chain, np.array([1.0, 1, 1, 0, 0, 0])) for chain in chains]
        poses = np.tile(np.eye(4), (6, 1, 1))
        poses[:, :3, 3] = targets[:, :3]
        theirs = best(lambda: [solve(pose) for solve, pose in zip(solvers, poses, strict=True)], 200)
    return Row("six shell legs, one call beside six of ik_LM (less is better)", 1e6 * ours, 1e6 * theirs, "us")


def first_call_row(peer: bool) -> Row:
    """Import and first solve of a fresh process with a warm cache, beside those of the peer."""
    ours = (
        "import time; t = time.perf_counter(); from andante.kinematics import load_dh; "
        "load_dh('ur5_like').ik([0.4, 0.2, 0.3, 0, 0, 0]); print(time.perf_counter() - t)"
    )
    theirs = (
        "import time; t = time.perf_counter(); from roboticstoolbox import ET, ETS; import numpy as np; "
        "e = ETS([f(*a) for _ in range(3) for f, a in ((ET.Rz, ()), (ET.tx, (0.3,)), (ET.Ry, ()), (ET.tz, (0.2,)))]); "
        "e.ik_LM(e.eval(np.full(6, 0.3))); print(time.perf_counter() - t)"
    )
    load_dh("ur5_like").ik([0.4, 0.2, 0.3, 0, 0, 0])
    return Row(
        "import and first call in a fresh process (less is better)",
        fresh(ours),
        fresh(theirs) if peer else float("nan"),
        "s",
    )


def fresh(code: str) -> float:
    """Least of three times that a fresh interpreter prints [s]."""
    return min(
        float(subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout)
        for _ in range(3)
    )
