"""Least squares over replays: values, how sure they are, and what the recording cannot tell apart.

    min over z of  sum over samples and channels ((measured - simulated(z)) / sigma)^2 + sum ((z - usual) / (3 width))^2

sigma is the spread of a channel's residual, found once far and once near; the second sum is so weak that it only holds
what the recording does not tell. With H = J^T J + P (P: the prior's precision) and, of a block b of 1 s of the
recording, H_b = J_b^T J_b and the score s_b = J_b^T r_b, a fit without that block would end d_b = (H - H_b)^-1 s_b off.
The covariance sum d_b d_b^T + H^-1 P H^-1 (jackknife; Bell, McCaffrey 2002) allows for residuals that are alike from
sample to sample and for parts of the recording that disagree, which is how a wrong model shows; it counts where it is
larger than the H^-1 of independent residuals. What may be wrong all along (`_mistaken`) is added.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import least_squares

from andante.geometry import Array

from .meter import Meter
from .model import Replay, Values
from .parameters import KINDS, Parameter
from .splits import doubt, rested

POSITION, EFFORT = "position", "effort"
NORMAL = 0.6745  # median of absolute values, in deviations of the normal distribution
DAMPINGS = (1e-6, 0.01, 0.1, 1.0)  # strengths of Levenberg's damping that are tried at a time


@dataclass(frozen=True)
class FitSettings:
    """How hard to look, and when a parameter counts as known."""

    delays: tuple[float, ...] = (0.0, 0.005, 0.01, 0.015, 0.02, 0.03, 0.04, 0.06)  # that are tried first [s]
    alone: int = 12  # iterations in which every joint is fitted by its own residual
    evaluations: int = 25  # of least squares over all, until they are near, at most
    sharp: int = 10  # iterations of the rest of the way, with derivatives to both sides, at most
    tolerance: float = 1e-4  # relative change of the cost at which a round ends
    prior_widths: float = 3.0  # how weakly parameters are held, in widths of their kind
    block: float = 1.0  # of residuals that may be alike [s]
    rest: float = 0.3  # weight of samples at rest where these count
    edge: float = 0.1  # of a sample, within which a torque that changes is not trusted to be read in time
    late: float = 0.05  # of a sample, by which times may be wrong throughout
    sticky: float = 0.2  # of a residual's spread, by which positions may depend otherwise on the way that a joint goes
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
        meter: counts the steps that are simulated.
    """

    def __init__(
        self, replays: Sequence[Replay], parameters: Sequence[Parameter], fixed: Values,
        efforts: Sequence[str] = (), currents: Sequence[str] = (), settings: FitSettings | None = None,
        meter: Meter | None = None,
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
        self.evaluations, self._meter = 0, meter or Meter()
        self.best: Array | None = None  # z of the least cost of the stage in hand, for those who stop it
        self._least = math.inf
        self.resting: set[tuple[int, int]] = set()  # replay and joint of which samples at rest count too
        self._trust: dict[tuple[int, int], Array] = {}  # weights (samples,) of torques, by replay and joint
        self.fine = False  # whether simulated positions are rounded as by the encoders; from afar that leads nowhere

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
        values, chosen = self.values(z), range(len(self.replays)) if only is None else only
        self.evaluations += 1
        self._meter.count(sum(self.replays[r].steps for r in chosen))
        return {r: self.replays[r].simulate(values) for r in chosen}

    def cost(self, simulations: float) -> float:
        """Steps of so many simulations of all."""
        return simulations * sum(replay.steps for replay in self.replays)

    def gap(self, channel: Channel, run: tuple[Array, Array], z: Array) -> Array:
        """Simulated less measured (samples,), at the samples that count; those at rest by their weight."""
        full, counts = self._full(channel, run, z), self.rows(channel)
        if len(counts) == len(self.replays[channel.replay].active[channel.joint]):
            return np.asarray(full[counts])
        weight = np.full(len(full), self.settings.rest)
        weight[self.replays[channel.replay].active[channel.joint]] = 1.0
        return np.asarray((weight * full)[counts])

    def _full(self, channel: Channel, run: tuple[Array, Array], z: Array) -> Array:
        """Simulated less measured (samples,)."""
        replay, j = self.replays[channel.replay], channel.joint
        if channel.what == POSITION:
            q = replay.read(run[0][:, j], j) if self.fine else run[0][:, j]
            return np.asarray(replay.compared(q, j) - replay.compared(replay.measured[:, j], j))
        recording, name = replay.recording, replay.limb.joints[j]
        k = recording.names.index(name)
        trust = self._trust.get((channel.replay, j), 1.0)
        if not channel.gain:
            return np.asarray(trust * (run[1][:, j] - recording.efforts[replay.rows, k]))
        constant = self.values(z)["torque_constant", name]
        return np.asarray(trust * (run[1][:, j] - constant * recording.currents[replay.rows, k]))

    def weigh_torques(self, z: Array) -> None:
        """Give torques less weight where they change fast, as they do after each step of a target.

        What is read there depends on the time more than on the servo: a torque that changes by D within `edge` of its
        sample counts by s / sqrt(s^2 + D^2), s being the spread of those that are steady.
        """
        runs, self._trust = self.simulated(z), {}
        for channel in self.channels:
            if channel.what != EFFORT:
                continue
            replay = self.replays[channel.replay]
            within = self.settings.edge * float(np.median(np.diff(replay.times)))
            swing = replay.swing(self.values(z), within)[:, channel.joint]
            gap = np.abs(self._full(channel, runs[channel.replay], z))
            spread = max(float(np.median(gap[swing <= np.median(swing)])) / NORMAL, self.settings.least_spread)
            self._trust[channel.replay, channel.joint] = spread / np.hypot(spread, swing)

    def rows(self, channel: Channel) -> np.ndarray:
        """Samples that count: those in motion, or all where the rest of a joint is understood."""
        replay = self.replays[channel.replay]
        at_rest = (channel.replay, channel.joint) in self.resting
        return np.arange(len(replay.times)) if at_rest else replay.active[channel.joint]

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

    def near(self, start: Array) -> Array:
        """Least squares over all from where every joint fits by itself (`approached`), not yet to their very bottom."""
        settings, (low, high), (_, deviation) = self.settings, self.bounds, self.prior
        z = self._with_constants(np.clip(start, low, high))
        self._least, self.best = math.inf, z
        self.weigh_torques(z)
        weights = self._weights(self.gaps(z))

        def left(x: Array) -> Array:
            return self._left(x, weights)

        def slopes(x: Array) -> Array:
            return np.vstack([self.jacobian(x, weights, self.gaps(x)), np.diag(1.0 / deviation)])

        found = least_squares(
            left, z, slopes, (low - 1e-9, high + 1e-9), ftol=settings.tolerance * 10, xtol=1e-6, gtol=1e-10,
            x_scale="jac", max_nfev=settings.evaluations,
        )  # fmt: skip
        return np.asarray(np.clip(found.x, low, high))

    def solve(self, start: Array) -> Fitted:
        """Least squares over all from a start that is near, encoders rounding, and what is known then."""
        self.fine, self.best = True, start
        z = rested(self, np.clip(start, *self.bounds))
        self._least = math.inf
        self.weigh_torques(z)
        z = self._descended(z, self._weights(self.gaps(z)))
        self.weigh_torques(z)
        other = rested(self, z)
        weights = self._weights(self.gaps(z))
        if float(np.sum(self._left(other, weights) ** 2)) < float(np.sum(self._left(z, weights) ** 2)):
            z = self._descended(other, weights)
        return self.told(z)

    def told(self, z: Array, stopped: bool = False) -> Fitted:
        """How sure z is; of a search that was stopped the step that it would have taken is added to what is open."""
        usual, deviation = self.prior
        gaps = self.gaps(z)
        spread, weights = self.spreads(gaps), self._weights(gaps)
        J = self.jacobian(z, weights)
        residuals = [w * gap for w, gap in zip(weights, gaps, strict=True)]
        covariance = self._covariance(J, residuals, deviation) + self._mistaken(z, J, weights, deviation)
        covariance += doubt(self, z)
        if stopped:
            slope = J.T @ np.concatenate(residuals) + (z - usual) / deviation**2
            step = np.linalg.solve(J.T @ J + np.diag(1.0 / deviation**2), slope)
            covariance += np.outer(step, step)
        return Fitted(z, covariance, spread, self.evaluations)

    def _weights(self, gaps: Sequence[Array]) -> Array:
        """One over the spread, by channel."""
        spread = self.spreads(gaps)
        return np.array([1.0 / spread[self.name(channel)] for channel in self.channels])

    def _left(self, z: Array, weights: Array) -> Array:
        """All that is squared and summed."""
        usual, deviation = self.prior
        gaps = [w * gap for w, gap in zip(weights, self.gaps(z), strict=True)]
        left = np.concatenate([*gaps, (z - usual) / deviation])
        if (cost := float(left @ left)) < self._least:
            self._least, self.best = cost, z.copy()
        return left

    def _descended(self, z: Array, weights: Array) -> Array:
        """z with the least sum of squares that steps by sharp derivatives lead to.

        Dry friction and play make the sum rough on a small scale, and a step to one side then tells little: a search
        that shrinks its steps where one fails ends in a dent. So derivatives are differences to both sides over steps
        (`Kind.step`) that are longer than the dents, and in every iteration several strengths of Levenberg's damping
        are tried; the best counts.
        """
        settings, (low, high) = self.settings, self.bounds
        _, deviation = self.prior
        residual = self._left(z, weights)
        for _ in range(settings.sharp):
            cost = float(residual @ residual)
            J = np.vstack([self.jacobian(z, weights), np.diag(1.0 / deviation)])
            H, slope = J.T @ J, J.T @ residual
            trials = list[tuple[float, Array, Array]]()
            for strength in DAMPINGS:
                there = np.clip(z - np.linalg.solve(H + strength * np.diag(np.diag(H)), slope), low, high)
                left = self._left(there, weights)
                trials.append((float(left @ left), there, left))
            best, there, left = min(trials, key=lambda each: each[0])
            if best < cost:
                z, residual = there, left
            if cost - best < settings.tolerance * cost:
                break
        return z

    def _with_constants(self, z: Array) -> Array:
        """z with torque constants by which measured currents give the simulated torques."""
        out, runs = z.copy(), dict[int, tuple[Array, Array]]()
        for k, parameter in enumerate(self.parameters):
            if parameter.kind != "torque_constant":
                continue
            runs = runs or self.simulated(z)
            torque, amps = 0.0, 0.0
            for each in self.channels:
                if each.gain in parameter.of:
                    recording = self.replays[each.replay].recording
                    current = recording.currents[self.replays[each.replay].rows, recording.names.index(each.gain)]
                    torque += float(runs[each.replay][1][:, each.joint] @ current)
                    amps += float(current @ current)
            if torque > 0 and amps > 0:
                out[k] = np.clip(np.log(torque / amps / parameter.start), *parameter.bounds)
        return out

    def _mistaken(self, z: Array, J: Array, weights: Array, deviation: Array) -> Array:
        """Covariance of z by what recordings and models have wrong but no residual shows, joint by joint.

        With e = `late` dq, samples stamped late, and e = `sticky` spread sign(dq), a joint that rubs or bends a little
        otherwise, least squares end H^-1 J^T e away.
        """
        runs = self.simulated(z)
        inverse = np.linalg.inv(J.T @ J + np.diag(1.0 / deviation**2))
        out, start = np.zeros_like(inverse), 0
        for channel, weight in zip(self.channels, weights, strict=True):
            replay, j = self.replays[channel.replay], channel.joint
            counts = self.rows(channel)
            rows = J[start : start + len(counts)]
            start += len(counts)
            if channel.what != POSITION or replay.limb.servos.speed[j]:
                continue
            speed = np.gradient(runs[channel.replay][0][:, j], replay.times)[counts]
            sample = float(np.median(np.diff(replay.times)))
            for error in (weight * self.settings.late * sample * speed, self.settings.sticky * np.sign(speed)):
                moved = inverse @ (rows.T @ error)
                out += np.outer(moved, moved)
        return out

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
            replay = self.replays[channel.replay]
            blocks = (replay.times[self.rows(channel)] / self.settings.block).astype(int)
            for b in np.unique(blocks):
                key, mine = (channel.replay, int(b)), rows[blocks == b]
                scores[key] = scores.get(key, 0.0) + mine.T @ residual[blocks == b]
                known[key] = known.get(key, 0.0) + mine.T @ mine
        without = [np.linalg.solve(H - known[key], score) for key, score in scores.items()]
        apart = sum((np.outer(each, each) for each in without), np.zeros_like(P)) * (1.0 - 1.0 / len(without))
        apart += inverse @ P @ inverse
        more = np.sqrt(np.maximum(np.diag(inverse) / np.maximum(np.diag(apart), 1e-300), 1.0))
        return np.asarray(apart * np.outer(more, more))
