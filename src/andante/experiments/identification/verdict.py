"""What a fit may claim: intervals, which parameters the recording determines, and words on those that it does not.

A parameter is determined where half of its interval of 95 % is under 15 % of its value, or so small that it does
not matter (`Kind.fine`). What is not determined is named in a warning, together with those that it cannot be told from,
and stays out of the parameter file.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from andante.geometry import Array

from .estimate import Fitted, Problem
from .parameters import KINDS, Parameter
from .recording import JointRecording
from .result import Estimate

SURE = 1.96  # deviations on each side of an interval of 95 %
LOOSE = 0.15  # half of an interval, as a fraction of the value, from which on a parameter is not determined
SHAKY = 0.1  # the same, below which a correlation is of no account
MODEL = 0.03  # deviation by which any model is wrong, as a fraction of the value; added: a tenth of `Kind.fine`
CORRELATED = 0.95  # of two estimates that go together
MEMBER = 0.3  # part of a direction from which on a parameter belongs to it
ALIKE = 3.0  # by how much residuals that are alike from sample to sample widen the deviation of a common factor
SCALE = 0.03  # deviation of a factor common to masses and gains from which on they count as not told apart
SLOW_TURNS = 4  # a joint that reverses less often tells little of friction and play
FORCES = ("mass", "stiffness", "damping", "velocity_gain", "friction", "viscous", "armature")
SERVO_DAMPING = ("damping", "velocity_gain")
MASSES = "without torques masses and gains may grow alike: record efforts, or leave the masses out"
SUM = "short of the effort limit only their sum acts on positions: record efforts, or leave one out"
LEFT_OUT = "left out of the parameter file"


@dataclass(frozen=True)
class Verdict:
    """Estimates of a problem and what is said about them."""

    estimates: tuple[Estimate, ...]
    warnings: tuple[str, ...]


def judged(problem: Problem, found: Fitted, told: Sequence[JointRecording], torques: bool) -> Verdict:
    """Estimates with intervals, and warnings on what the recordings do not tell."""
    covariance = with_model_error(problem.parameters, found)
    limits = loosest(problem.parameters, found.z)
    alike = scaled_alike(problem, found.z, torques)
    estimates = _estimates(problem.parameters, found.z, covariance, limits, alike)
    unknown = [k for k, each in enumerate(estimates) if not each.determined]
    words = _warnings(problem.parameters, found.z, covariance, limits, told, torques, alike, unknown)
    return Verdict(tuple(estimates), tuple(words))


def loosest(parameters: Sequence[Parameter], z: Array) -> Array:
    """Half widths of the interval of z (parameters,) from which on each is not determined."""
    return np.array([
        LOOSE if KINDS[each.kind].factor else max(LOOSE * abs(value), KINDS[each.kind].fine)
        for each, value in zip(parameters, z.tolist(), strict=True)
    ])  # fmt: skip


def with_model_error(parameters: Sequence[Parameter], found: Fitted) -> Array:
    """The covariance of z, and what no recording tells: that the model is not the robot."""
    wrong = [
        MODEL if KINDS[each.kind].factor else MODEL * abs(value) + 0.1 * KINDS[each.kind].fine
        for each, value in zip(parameters, found.z.tolist(), strict=True)
    ]
    return np.asarray(found.covariance + np.diag(np.square(wrong)))


def _estimates(
    parameters: Sequence[Parameter], z: Array, covariance: Array, limits: Array, alike: Sequence[int]
) -> list[Estimate]:
    out = []
    for k, parameter in enumerate(parameters):
        kind, here = KINDS[parameter.kind], float(z[k])
        half = SURE * math.sqrt(float(covariance[k, k]))
        low, high = parameter.bounds
        values = [parameter.value(min(max(here + by, low), high)) for by in (-half, 0.0, half)]
        if not kind.factor:
            values = [max(value, 0.0) for value in values]  # a delay below 0 is none
        bound = min(here - low, high - here) < 1e-3 and not (here - low < 1e-3 and not kind.factor)
        known = bool(half < limits[k]) and not bound and k not in alike
        out.append(
            Estimate(
                parameter.kind, parameter.of, kind.unit, values[1], values[0], values[2], parameter.start, known,
                "at its bound" if bound else "",
            )
        )  # fmt: skip
    return out


def _warnings(
    parameters: Sequence[Parameter], z: Array, covariance: Array, limits: Array, told: Sequence[JointRecording],
    torques: bool, alike: Sequence[int], unknown: Sequence[int],
) -> list[str]:  # fmt: skip
    out = []
    together: set[int] = set(alike)
    if alike:
        names = ", the ".join(parameters[k].name for k in alike)
        out.append(f"the recording cannot tell apart the {names}; {MASSES}")
    for k, each in enumerate(parameters):
        pair = [i for i, other in enumerate(parameters) if other.kind in SERVO_DAMPING and other.of == each.of]
        if each.kind == "viscous" and pair and not torques:
            together |= {k, *pair}
            out.append(f"the recording cannot tell apart the {parameters[pair[0]].name}, the {each.name}; {SUM}")
    for members in undetermined(covariance, limits):
        if set(members) <= together or not set(members) & set(unknown):
            continue
        names = [parameters[k].name for k in members]
        together |= set(members)
        if len(members) == 1:
            out.append(_alone(parameters[members[0]], told))
            continue
        kinds = {parameters[k].kind for k in members}
        remedy = "leave some of them out, or move the joints in other ways"
        if kinds & {"mass", "armature"} and not torques:
            remedy = MASSES
        elif not torques:
            remedy = "record efforts, or move the joints faster and under more load"
        out.append(f"the recording cannot tell apart the {', the '.join(names)}; {remedy}")
    out += [_alone(parameters[k], told) for k in unknown if k not in together]
    for i, k, value in correlated(z, covariance, limits):
        if not {i, k} <= together:
            out.append(f"the {parameters[k].name} and the {parameters[i].name} go together (correlation {value:.2f})")
    return out


def _alone(parameter: Parameter, told: Sequence[JointRecording]) -> str:
    """That a parameter is not determined, and why it may not have shown."""
    words = f"the recording does not determine the {parameter.name}, which is {LEFT_OUT}"
    name = parameter.of[0]
    if parameter.kind == "velocity_gain":
        return f"{words}: the lag of {name} is far below a sample; record efforts under load, or faster"
    if parameter.kind not in ("friction", "backlash") or name not in told[0].names:
        return words
    turns = sum(reversals(each.positions[:, each.names.index(name)]) for each in told)
    if turns < SLOW_TURNS:
        return f"{words}: {name} reverses {turns} times only; sweep it to and fro, slowly and under load"
    return f"{words}: {name} must be swept to and fro, slowly, with its load changing sides"


def reversals(position: Array) -> int:
    """How often a joint turns back by more than a tenth of its way."""
    least, turns, way, extreme = 0.1 * float(np.ptp(position)), 0, 0, float(position[0])
    for value in position.tolist():
        if way >= 0 and value < extreme - least:
            turns, way, extreme = turns + (way > 0), -1, value
        elif way <= 0 and value > extreme + least:
            turns, way, extreme = turns + (way < 0), 1, value
        elif (value - extreme) * way > 0:
            extreme = value
    return turns


def undetermined(covariance: Array, limits: Array) -> list[list[int]]:
    """Groups of parameters that the data cannot tell: members of each direction of z that is wide open."""
    values, vectors = np.linalg.eigh(SURE**2 * covariance / np.outer(limits, limits))
    groups: list[list[int]] = []
    for value, vector in zip(values[::-1], vectors.T[::-1], strict=True):
        if value < 1.0:
            break
        members = np.flatnonzero(np.abs(vector) >= MEMBER * np.abs(vector).max()).tolist()
        if members not in groups:
            groups.append(members)
    return groups


def scaled_alike(problem: Problem, z: Array, torques: bool) -> list[int]:
    """Parameters that may all grow by one factor without the positions telling: masses, gains and friction together.

    All are scaled by e^0.1; with the change d of the weighted residual the deviation of the factor's logarithm is
    0.1 / |d|, made `ALIKE` times larger since residuals are alike from sample to sample.
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
    deviation = ALIKE * by / max(np.sqrt(change), 1e-12)
    return members if deviation > SCALE else []


def correlated(z: Array, covariance: Array, limits: Array) -> list[tuple[int, int, float]]:
    """Pairs of parameters whose estimates go together, one of them not sharply known."""
    deviation = np.sqrt(np.diag(covariance))
    correlation = covariance / np.outer(deviation, deviation)
    doubt = SURE * deviation / limits * LOOSE
    return [
        (i, k, float(correlation[i, k]))
        for i in range(len(z))
        for k in range(i)
        if abs(correlation[i, k]) > CORRELATED and max(doubt[i], doubt[k]) > SHAKY
    ]
