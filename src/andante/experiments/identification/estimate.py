"""Least squares over replays: values, how sure they are, and what the recording cannot tell apart.

    min over z of  sum over samples and channels ((measured - simulated(z)) / sigma)^2 + sum ((z - usual) / (3 width))^2

sigma is the spread of a channel's residual, found in rounds; the second sum is so weak that it only holds what the
recording does not tell. With H = J^T J + P (P: the prior's precision) and, of a block b of 1 s of the recording, H_b =
J_b^T J_b and the score s_b = J_b^T r_b, a fit without that block would end d_b = (H - H_b)^-1 s_b away. The covariance
sum d_b d_b^T + H^-1 P H^-1 (jackknife; Bell, McCaffrey 2002) allows for residuals that are alike from sample to sample
and for parts of the recording that disagree, which is how a wrong model shows; it counts where it is larger than the
H^-1 of independent residuals.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import least_squares

from andante.geometry import Array

from .model import Replay, Values
from .parameters import KINDS, Parameter

POSITION, EFFORT = "position", "effort"
FORCES = ("mass", "stiffness", "damping", "velocity_gain", "friction", "viscous", "armature")


@dataclass(frozen=True)
class FitSettings:
    """How hard to look, and when a parameter counts as known."""

    delays: tuple[float, ...] = (0.0, 0.005, 0.01, 0.015, 0.02, 0.03, 0.04, 0.06)  # that are tried first [s]
    alone: int = 25  # iterations in which every joint is fitted by its own residual
    rounds: int = 2  # of least squares over all, each with the spread of the round before; encoders round in the last
    evaluations: int = 5  # of a round, at most
    tolerance: float = 1e-4  # relative change of the cost at which a round ends
    prior_widths: float = 3.0  # how weakly parameters are held, in widths of their kind
    block: float = 1.0  # of residuals that may be alike [s]
    unknown: float = 0.35  # a deviation of z, in widths, from which on a parameter is not determined
    correlated: float = 0.95  # of two estimates
    shaky: float = 0.05  # a deviation of z, in widths, below which a correlation is of no account
    member: float = 0.3  # part of a direction from which on a parameter belongs to it
    alike: float = 3.0  # by how much residuals that are alike from sample to sample widen deviations
    scale: float = 0.03  # deviation of a factor common to masses and gains from which on they count as not told apart
    least_spread: float = 2e-5  # of a position channel [rad or m]


@dataclass(frozen=True)
class Channel:
    """What is compared of one joint in one replay."""

    replay: int
    joint: int
    what: str  # POSITION or EFFORT
    gain: str = ""  # joint whose torque constant makes torque of the measured current


@dataclass(frozen=True, eq=False)
class Fitted:
    """Where least squares ended."""

    z: Array  # (parameters,)
    covariance: Array  # (parameters, parameters) of z
    spread: dict[tuple[str, str], float]  # of the residual by joint and what is compared
    evaluations: int


class Problem:
    """Residuals of some replays as functions of some parameters, all of which belong together.

    Args:
        replays: recordings on limbs.
        parameters: what is identified.
        fixed: values of parameters that are not identified.
        efforts: joints whose torques are compared.
        currents: joints whose currents are compared, by a torque constant.
    """

    def __init__(
        self, replays: Sequence[Replay], parameters: Sequence[Parameter], fixed: Values,
        efforts: Sequence[str] = (), currents: Sequence[str] = (), settings: FitSettings | None = None,
    ) -> None:  # fmt: skip
        self.replays, self.parameters, self.fixed = list(replays), list(parameters), dict(fixed)
        self.settings = settings or FitSettings()
        self.channels: list[Channel] = []
        for r, replay in enumerate(self.replays):
            for j, joint in enumerate(replay.limb.joints):
                if np.isfinite(replay.measured[:, j]).all():
                    self.channels.append(Channel(r, j, POSITION))
                if joint in efforts or joint in currents:
                    self.channels.append(Channel(r, j, EFFORT, joint if joint not in efforts else ""))
        self._touches = [self._replays_of(parameter) for parameter in self.parameters]
        self.evaluations = 0
        self.fine = True  # whether simulated positions are rounded as by the encoders

    def _replays_of(self, parameter: Parameter) -> list[int]:
        owners = set(parameter.of)
        return [r for r, each in enumerate(self.replays) if owners & {*each.limb.joints, *each.limb.links}]

    # ---- values and residuals ------------------------------------------------------------------------
    def values(self, z: Array) -> dict[tuple[str, str], float]:
        """Values of all parameters at z, by kind and owner."""
        out = dict(self.fixed)
        for parameter, number in zip(self.parameters, z.tolist(), strict=True):
            out |= {(parameter.kind, owner): parameter.value(number) for owner in parameter.of}
        return out

    def simulated(self, z: Array, only: Sequence[int] | None = None) -> dict[int, tuple[Array, Array]]:
        """Positions and efforts of the replays, or of some."""
        values = self.values(z)
        self.evaluations += 1
        return {r: self.replays[r].simulate(values) for r in (range(len(self.replays)) if only is None else only)}

    def gap(self, channel: Channel, run: tuple[Array, Array], z: Array) -> Array:
        """Simulated less measured (samples,)."""
        replay, j = self.replays[channel.replay], channel.joint
        if channel.what == POSITION:
            q = replay.read(run[0][:, j], j) if self.fine else run[0][:, j]
            return np.asarray(replay.compared(q, j) - replay.compared(replay.measured[:, j], j))
        recording, name = replay.recording, replay.limb.joints[j]
        k = recording.names.index(name)
        if not channel.gain:
            return np.asarray(run[1][:, j] - recording.efforts[replay.rows, k])
        constant = self.values(z)["torque_constant", name]
        return np.asarray(run[1][:, j] - constant * recording.currents[replay.rows, k])

    def name(self, channel: Channel) -> tuple[str, str]:
        """Joint and what is compared."""
        return self.replays[channel.replay].limb.joints[channel.joint], channel.what

    def gaps(self, z: Array) -> list[Array]:
        """Of all channels."""
        runs = self.simulated(z)
        return [self.gap(channel, runs[channel.replay], z) for channel in self.channels]

    def spreads(self, gaps: Sequence[Array]) -> dict[tuple[str, str], float]:
        """Root mean square of the gaps by joint and what is compared."""
        squares: dict[tuple[str, str], list[float]] = {}
        for channel, gap in zip(self.channels, gaps, strict=True):
            squares.setdefault(self.name(channel), []).append(float(np.mean(gap**2)))
        return {name: max(float(np.sqrt(np.mean(each))), self.settings.least_spread) for name, each in squares.items()}

    # ---- solving -------------------------------------------------------------------------------------
    @property
    def prior(self) -> tuple[Array, Array]:
        """Usual z and its deviation."""
        usual = np.array([parameter.usual for parameter in self.parameters])
        widths = np.array([KINDS[parameter.kind].width for parameter in self.parameters])
        return usual, self.settings.prior_widths * widths

    def jacobian(self, z: Array, weights: Array, before: Sequence[Array] | None = None) -> Array:
        """Derivatives of the weighted gaps (rows, parameters) by differences, each over the replays that it touches.

        before: gaps at z for differences to one side; None: differences to both sides, which are sharper.
        """
        low, high = self.bounds
        central = before is None
        before = self.gaps(z) if before is None else before
        out = np.zeros((sum(len(gap) for gap in before), len(z)))
        limits = np.cumsum([0, *(len(gap) for gap in before)])
        for p, parameter in enumerate(self.parameters):
            step = KINDS[parameter.kind].step
            ends = [min(z[p] + step, high[p]), max(z[p] - step, low[p]) if central else z[p]]
            if not central and ends[0] - z[p] < 0.5 * step:
                ends[0] = z[p] - step
            gaps = []
            for end in ends if central else ends[:1]:
                moved = z.copy()
                moved[p] = end
                after = self.simulated(moved, self._touches[p])
                gaps.append([self.gap(each, after[each.replay], moved) if each.replay in after else None
                             for each in self.channels])  # fmt: skip
            for c, ahead in enumerate(gaps[0]):
                behind = gaps[1][c] if central else before[c]
                if ahead is not None and behind is not None:
                    out[limits[c] : limits[c + 1], p] = weights[c] * (ahead - behind) / (ends[0] - ends[1])
        return out

    @property
    def bounds(self) -> tuple[Array, Array]:
        """Least and greatest z."""
        low, high = zip(*(parameter.bounds for parameter in self.parameters), strict=True)
        return np.array(low) + 1e-9, np.array(high) - 1e-9

    def solve(self, start: Array) -> Fitted:
        """Least squares from a start: every joint alone, then all together in rounds."""
        settings = self.settings
        usual, deviation = self.prior
        low, high = self.bounds
        self.fine = False  # far from the truth a rounded angle leads nowhere
        z = approached(self, np.clip(start, low, high))
        spread: dict[tuple[str, str], float] = {}
        J = np.zeros((0, len(z)))
        for number in range(settings.rounds):
            last = number == settings.rounds - 1
            self.fine = last
            spread = self.spreads(self.gaps(z))
            weights = np.array([1.0 / spread[self.name(channel)] for channel in self.channels])

            def left(x: Array, weights: Array = weights) -> Array:
                gaps = [w * gap for w, gap in zip(weights, self.gaps(x), strict=True)]
                return np.concatenate([*gaps, (x - usual) / deviation])

            def slopes(x: Array, weights: Array = weights) -> Array:
                return np.vstack([self.jacobian(x, weights, self.gaps(x)), np.diag(1.0 / deviation)])

            found = least_squares(
                left, z, slopes, (low - 1e-9, high + 1e-9), ftol=settings.tolerance * (1 if last else 100),
                xtol=1e-6, gtol=1e-10,
                max_nfev=settings.evaluations,
            )  # fmt: skip
            z = np.clip(found.x, low, high)
        gaps = self.gaps(z)
        spread = self.spreads(gaps)
        weights = np.array([1.0 / spread[self.name(channel)] for channel in self.channels])
        J = self.jacobian(z, weights)
        residuals = [w * gap for w, gap in zip(weights, gaps, strict=True)]
        return Fitted(z, self._covariance(J, residuals, deviation), spread, self.evaluations)

    def _covariance(self, J: Array, residuals: Sequence[Array], deviation: Array) -> Array:
        """Of z; see the top of the module."""
        P = np.diag(1.0 / deviation**2)
        H = J.T @ J + P
        inverse = np.linalg.inv(H)
        scores, known = dict[tuple[int, int], Array](), dict[tuple[int, int], Array]()
        start = 0
        for channel, residual in zip(self.channels, residuals, strict=True):
            rows = J[start : start + len(residual)]
            start += len(residual)
            blocks = (self.replays[channel.replay].times / self.settings.block).astype(int)
            for b in np.unique(blocks):
                key, mine = (channel.replay, int(b)), rows[blocks == b]
                scores[key] = scores.get(key, 0.0) + mine.T @ residual[blocks == b]
                known[key] = known.get(key, 0.0) + mine.T @ mine
        without = [np.linalg.solve(H - known[key], score) for key, score in scores.items()]
        apart = sum((np.outer(each, each) for each in without), np.zeros_like(P)) * (1.0 - 1.0 / len(without))
        apart += inverse @ P @ inverse
        more = np.sqrt(np.maximum(np.diag(inverse) / np.maximum(np.diag(apart), 1e-300), 1.0))
        return np.asarray(apart * np.outer(more, more))


@dataclass
class _Block:
    """Parameters that the same joints own, and the channels of these joints."""

    members: list[int]
    channels: list[int]
    strength: float = 1e-2  # of Levenberg's damping
    done: bool = False


def approached(problem: Problem, z: Array) -> Array:
    """z with every joint's parameters fitted by its own residual alone, all joints at the same time.

    A joint moves others but little, so one simulation serves for the same derivative of all of them (Gauss-Newton with
    a block-diagonal matrix, Levenberg's damping in each block); a step counts where it betters its own block. Masses
    stay as they are.
    """
    blocks = _blocks(problem)
    usual, deviation = problem.prior
    low, high = problem.bounds
    z = _best_delays(problem, blocks, z)
    gaps = problem.gaps(z)
    spread = problem.spreads(gaps)
    weights = [1.0 / spread[problem.name(channel)] for channel in problem.channels]

    def residual(block: _Block, gaps: Sequence[Array], at: Array) -> Array:
        own = [weights[c] * gaps[c] for c in block.channels]
        return np.concatenate([*own, (at[block.members] - usual[block.members]) / deviation[block.members]])

    kinds = list(dict.fromkeys(problem.parameters[k].kind for block in blocks for k in block.members))
    for _ in range(problem.settings.alone):
        before = {id(block): residual(block, gaps, z) for block in blocks}
        slopes: dict[int, list[Array]] = {id(block): [] for block in blocks}
        for kind in kinds:
            moved, steps = z.copy(), dict[int, float]()
            for k in (k for block in blocks for k in block.members if problem.parameters[k].kind == kind):
                steps[k] = KINDS[kind].step if z[k] + KINDS[kind].step <= high[k] else -KINDS[kind].step
                moved[k] += steps[k]
            after = problem.gaps(moved)
            for block in blocks:
                for k in set(block.members) & set(steps):
                    slopes[id(block)].append((residual(block, after, moved) - before[id(block)]) / steps[k])
        trial = z.copy()
        for block in blocks:
            J, r = np.stack(slopes[id(block)], axis=1), before[id(block)]
            H = J.T @ J
            order = sorted(block.members, key=lambda k: kinds.index(problem.parameters[k].kind))
            step = np.linalg.solve(H + block.strength * np.diag(np.diag(H)), -J.T @ r)
            trial[order] = np.clip(z[order] + np.clip(step, -1.0, 1.0), low[order], high[order])
        told = problem.gaps(trial)
        for block in blocks:
            old = float(before[id(block)] @ before[id(block)])
            new = residual(block, told, trial)
            gain = old - float(new @ new)
            block.done = abs(gain) < problem.settings.tolerance * old or block.strength > 1e6
            block.strength = block.strength / 5 if gain > 0 else block.strength * 6
            if gain <= 0:
                trial[block.members] = z[block.members]
        if all(block.done for block in blocks):
            return trial
        mixed = not np.array_equal(trial, z)
        z = trial
        gaps = problem.gaps(z) if mixed else gaps
    return z


def _blocks(problem: Problem) -> list[_Block]:
    found: dict[tuple[str, ...], _Block] = {}
    for k, parameter in enumerate(problem.parameters):
        if parameter.kind != "mass":
            found.setdefault(parameter.of, _Block([], [])).members.append(k)
    for owners, block in found.items():
        block.channels = [c for c, channel in enumerate(problem.channels) if problem.name(channel)[0] in owners]
    return [block for block in found.values() if block.channels]


def _best_delays(problem: Problem, blocks: Sequence[_Block], z: Array) -> Array:
    """z with the delay of each block that leaves it the least residual, of some that are tried."""
    best: dict[int, tuple[float, float]] = {}
    for delay in problem.settings.delays:
        trial = z.copy()
        for k, parameter in enumerate(problem.parameters):
            if parameter.kind == "delay":
                trial[k] = min(max(delay / parameter.scale, parameter.bounds[0] + 1e-9), parameter.bounds[1] - 1e-9)
        gaps = problem.gaps(trial)
        for b, block in enumerate(blocks):
            cost = sum(float(gaps[c] @ gaps[c]) for c in block.channels if problem.channels[c].what == POSITION)
            if b not in best or cost < best[b][0]:
                best[b] = (cost, delay)
    out = z.copy()
    for b, block in enumerate(blocks):
        for k in block.members:
            if problem.parameters[k].kind == "delay":
                out[k] = max(best[b][1] / problem.parameters[k].scale, 1e-3)
    return out


def undetermined(parameters: Sequence[Parameter], covariance: Array, settings: FitSettings) -> list[list[int]]:
    """Groups of parameters that the data cannot tell: members of each direction of z that is wide open."""
    widths = np.array([KINDS[parameter.kind].width for parameter in parameters])
    values, vectors = np.linalg.eigh(covariance / np.outer(widths, widths))
    groups: list[list[int]] = []
    for value, vector in zip(values[::-1], vectors.T[::-1], strict=True):
        if value < settings.unknown**2:
            break
        members = np.flatnonzero(np.abs(vector) >= settings.member * np.abs(vector).max()).tolist()
        if members not in groups:
            groups.append(members)
    return groups


def scaled_alike(problem: Problem, z: Array, torques: bool) -> list[int]:
    """Parameters that may all grow by one factor without the positions telling: masses, gains and friction together.

    All are scaled by e^0.1; with the change d of the weighted residual the deviation of the factor's logarithm is
    0.1 / |d|, made `alike` times larger since residuals are alike from sample to sample.
    """
    kinds = {parameter.kind for parameter in problem.parameters}
    if torques or "mass" not in kinds or not kinds & {"stiffness", "velocity_gain"}:
        return []
    members = [k for k, each in enumerate(problem.parameters) if each.kind in FORCES]
    moved, by = z.copy(), 0.1
    for k in members:
        moved[k] = moved[k] + by if KINDS[problem.parameters[k].kind].factor else moved[k] * np.exp(by)
    before, after = problem.gaps(z), problem.gaps(moved)
    spread = problem.spreads(before)
    change = 0.0
    for channel, old, new in zip(problem.channels, before, after, strict=True):
        change += float(np.sum((new - old) ** 2)) / spread[problem.name(channel)] ** 2
    deviation = problem.settings.alike * by / max(np.sqrt(change), 1e-12)
    return members if deviation > problem.settings.scale else []


def correlated(
    parameters: Sequence[Parameter], covariance: Array, settings: FitSettings
) -> list[tuple[int, int, float]]:
    """Pairs of parameters whose estimates go together, one of them not sharply known."""
    widths = np.array([KINDS[parameter.kind].width for parameter in parameters])
    deviation = np.sqrt(np.diag(covariance))
    correlation = covariance / np.outer(deviation, deviation)
    return [
        (i, k, float(correlation[i, k]))
        for i in range(len(parameters))
        for k in range(i)
        if abs(correlation[i, k]) > settings.correlated
        and max(deviation[i] / widths[i], deviation[k] / widths[k]) > settings.shaky
    ]  # fmt: skip
