"""Towards the least squares from afar: every joint's parameters are fitted by its own positions alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from andante.geometry import Array

from .estimate import POSITION, Problem
from .parameters import KINDS

BY_TORQUE = ("viscous", "torque_constant")  # what positions do not tell from the rest


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
    a block-diagonal matrix, Levenberg's damping in each block); a step counts where it betters its own block. Masses,
    and where there are torques what these tell, stay as they are.
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
        z = problem.best = trial
        gaps = problem.gaps(z) if mixed else gaps
    return z


def _blocks(problem: Problem) -> list[_Block]:
    found: dict[tuple[str, ...], _Block] = {}
    torques = any(channel.what != POSITION for channel in problem.channels)
    for k, parameter in enumerate(problem.parameters):
        if parameter.kind != "mass" and not (torques and parameter.kind in BY_TORQUE):
            found.setdefault(parameter.of, _Block([], [])).members.append(k)
    for owners, block in found.items():
        own = [c for c, channel in enumerate(problem.channels) if problem.name(channel)[0] in owners]
        block.channels = [c for c in own if problem.channels[c].what == POSITION] or own
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
