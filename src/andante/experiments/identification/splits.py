"""Friction or play: what of the dead band of a joint is which.

A joint that turns back stays where it is until its target has gone 2 F / kp + b, by dry friction F and play b; well
damped servos pull with the sign of their speed, so that F / kp + b / 2 is all that their motion tells unless a load
holds one side. Where joints come to rest tells them apart if the friction is dry and nothing creeps. So the share s of
friction in the band, F = s kp w and b = 2 (1 - s) w, is searched for as a whole: the residual is too rough in it for
derivatives.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from andante.geometry import Array

if TYPE_CHECKING:
    from .estimate import Problem

SHARES = np.linspace(0.0, 1.0, 11)
RESTS = 1.25  # residual at rest, in that of the motion, up to which the rest is understood
ALIKE = 3.0  # by how much residuals that are alike from sample to sample widen deviations
SURE = 1.96  # deviations on each side of an interval of 95 %


@dataclass(frozen=True)
class Band:
    """The dead band of a joint: indices of its parameters and of its channels of positions."""

    friction: int
    backlash: int
    stiffness: int  # -1: it is not identified
    kp: float  # as the file has it
    channels: tuple[int, ...]
    efforts: tuple[int, ...]  # channels of torques

    def stiff(self, problem: Problem, z: Array) -> float:
        """kp at z."""
        if self.stiffness < 0:
            return self.kp
        return problem.parameters[self.stiffness].value(float(z[self.stiffness]))

    def width(self, problem: Problem, z: Array) -> float:
        """w = F / kp + b / 2 [rad or m]."""
        rub = problem.parameters[self.friction].value(float(z[self.friction]))
        return rub / self.stiff(problem, z) + 0.5 * problem.parameters[self.backlash].value(float(z[self.backlash]))

    def share(self, problem: Problem, z: Array) -> float:
        """s at z."""
        rub = problem.parameters[self.friction].value(float(z[self.friction]))
        return rub / self.stiff(problem, z) / max(self.width(problem, z), 1e-12)

    def shared(self, problem: Problem, z: Array, share: float) -> tuple[float, float]:
        """z of friction and play with the same w and another s."""
        width = self.width(problem, z)
        return (
            share * width * self.stiff(problem, z) / problem.parameters[self.friction].scale,
            2 * (1 - share) * width / problem.parameters[self.backlash].scale,
        )


def bands(problem: Problem) -> list[Band]:
    """Of the joints whose friction and play are both identified."""
    found = []
    index = {(each.kind, each.of): k for k, each in enumerate(problem.parameters)}
    for (kind, owners), k in index.items():
        if kind != "backlash" or ("friction", owners) not in index:
            continue
        own = [c for c, each in enumerate(problem.channels) if problem.name(each)[0] in owners]
        channels = tuple(c for c in own if problem.channels[c].what == "position")
        efforts = tuple(c for c in own if c not in channels)
        if channels:
            limb, j = problem.replays[problem.channels[channels[0]].replay].limb, problem.channels[channels[0]].joint
            stiff = index.get(("stiffness", owners), -1)
            found.append(Band(index["friction", owners], k, stiff, float(limb.servos.kp[j]), channels, efforts))
    return found


def _gaps(problem: Problem, z: Array, some: list[Band], shares: Array) -> list[Array]:
    """Residuals of all channels with each joint at its share (bands,)."""
    moved = z.copy()
    for band, share in zip(some, shares.tolist(), strict=True):
        moved[band.friction], moved[band.backlash] = band.shared(problem, z, share)
    low, high = problem.bounds
    return problem.gaps(np.clip(moved, low, high))


def rested(problem: Problem, z: Array) -> Array:
    """z with the best share of friction in each band, by the joints at rest as well where the model explains these.

    Those whose rest it explains count with all their samples from here on (`Problem.resting`).
    """
    some = bands(problem)
    keys = [{(problem.channels[c].replay, problem.channels[c].joint) for c in band.channels} for band in some]
    problem.resting = set().union(*keys)
    costs = np.zeros((len(some), len(SHARES), 2))  # sums of squares in motion and at rest
    counts = np.zeros((len(some), 2))
    for n, share in enumerate(SHARES):
        gaps = _gaps(problem, z, some, np.full(len(some), share))
        for b, band in enumerate(some):
            for c in band.channels:
                channel = problem.channels[c]
                moving = np.zeros(len(gaps[c]), dtype=bool)
                moving[problem.replays[channel.replay].active[channel.joint]] = True
                resting = gaps[c][~moving] / problem.settings.rest
                costs[b, n] += [np.sum(gaps[c][moving] ** 2), np.sum(resting**2)]
                counts[b] += [0 if n else moving.sum(), 0 if n else (~moving).sum()]
    out = z.copy()
    problem.resting = set()
    for b, band in enumerate(some):
        best = int(np.argmin(costs[b].sum(axis=1)))
        motion, rest = np.sqrt(costs[b, best] / np.maximum(counts[b], 1))
        least = float(np.sqrt(costs[b, :, 0].min() / max(counts[b, 0], 1)))
        if counts[b, 1] and rest <= RESTS * motion and motion <= RESTS * least:
            problem.resting |= keys[b]
            out[band.friction], out[band.backlash] = band.shared(problem, z, float(SHARES[best]))
    low, high = problem.bounds
    return np.clip(out, low, high)


def doubt(problem: Problem, z: Array) -> Array:
    """Covariance of z by all shares of friction that the residual does not rule out: at most 4 deviations squared."""
    some = bands(problem)
    out = np.zeros((len(z), len(z)))
    if not some:
        return out
    here = np.array([band.share(problem, z) for band in some])
    grid = [here, *(np.full(len(some), share) for share in SHARES)]
    worse = np.zeros((len(some), len(grid)))
    first: list[Array] = []
    for n, shares in enumerate(grid):
        gaps = _gaps(problem, z, some, shares)
        first = first or gaps
        for b, band in enumerate(some):
            for c in (*band.channels, *band.efforts):
                worse[b, n] += len(gaps[c]) / ALIKE**2 * float(gaps[c] @ gaps[c]) / float(first[c] @ first[c])
    worse -= worse.min(axis=1, keepdims=True)
    for b, band in enumerate(some):
        open_ones = np.array(
            [share[b] for share, each in zip(grid, worse[b], strict=True) if each < SURE**2] + [here[b]]
        )
        by = max(float(open_ones.max() - here[b]), float(here[b] - open_ones.min())) / SURE
        width = band.width(problem, z)
        moved = np.zeros(len(z))
        moved[band.friction] = by * width * band.stiff(problem, z) / problem.parameters[band.friction].scale
        moved[band.backlash] = -2 * by * width / problem.parameters[band.backlash].scale
        out += np.outer(moved, moved)
    return out
