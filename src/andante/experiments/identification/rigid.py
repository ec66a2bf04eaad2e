"""A limb with fewer bodies: joints that hold still and whose give does not show are rigid, rigid bodies are one.

Fingers of a hand and the other leg behind a shared hip joint cost most of a simulation and change nothing of the joints
to fit. Whether that is so is not guessed: the limb is simulated with and without each.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace

import numpy as np

from andante.geometry import Array, so3

from .bodies import PRISMATIC
from .dynamics import Limb
from .model import MOVES, HeldLimb, Replay, ReplaySettings
from .recording import JointRecording

SHOWS = 2e-5  # rms change of a joint to fit [rad or m]


def simplified(held: HeldLimb, recording: JointRecording, fitted: Sequence[str], settings: ReplaySettings) -> HeldLimb:
    """The limb with the joints locked that are told to hold still and do not show in those to fit, and bodies joined.

    They are tried one after the other, from the tips on, each beside those that were locked before it.
    """
    still = [name for name in held.joints if name not in fitted and _holds(recording, name)]
    own = [name for name in held.joints if name in fitted]
    whole = _moved(held, recording, own, settings) if still else np.empty((0, 0))
    chosen, out = list[str](), joined(held)
    for name in reversed(still):
        fewer = joined(locked(held, recording, [*chosen, name]))
        gap = _moved(fewer, recording, own, settings) - whole
        if float(np.sqrt(np.mean(gap**2, axis=0)).max()) < SHOWS:
            chosen.append(name)
            out = fewer
    return out


def locked(held: HeldLimb, recording: JointRecording, names: Sequence[str]) -> HeldLimb:
    """The limb with some joints, and all that follow them, locked at the medians of their recorded positions."""
    stay = [k for k, name in enumerate(held.joints) if name not in names]
    new = {k: i for i, k in enumerate(stay)}
    lead, offset = held.limb.lead.copy(), held.limb.offset.copy()
    for i, k in enumerate(held.limb.lead.tolist()):
        if k >= 0 and k not in new:
            column = recording.positions[:, recording.names.index(held.joints[k])]
            offset[i] += held.limb.ratio[i] * float(np.nanmedian(column))
        lead[i] = new.get(k, -1)
    servos = replace(
        held.servos, **{part.name: getattr(held.servos, part.name)[stay].copy() for part in fields(held.servos)}
    )
    return replace(
        held, joints=tuple(held.joints[k] for k in stay), limb=replace(held.limb, lead=lead, offset=offset),
        servos=servos, followers=tuple(held.followers[k] for k in stay), velocity=held.velocity[stay].copy(),
    )  # fmt: skip


def joined(held: HeldLimb) -> HeldLimb:
    """The limb with every body that a locked joint carries made part of the one that it hangs on."""
    limb = held.limb
    onto: dict[int, tuple[int, Array, Array]] = {-1: (-1, np.eye(3), np.zeros(3))}  # body -> its carrier, pose in it
    mass, first = limb.mass.copy(), limb.mass[:, None] * limb.com
    tensor = np.array([_about_origin(limb.mass[i], limb.com[i], limb.inertia[i]) for i in range(len(limb.mass))])
    rotation, place, parent = limb.rotation.copy(), limb.place.copy(), limb.parent.copy()
    for i in range(len(limb.parent)):
        carrier, R, p = onto[int(limb.parent[i])]
        rotation[i], place[i] = R @ limb.rotation[i], p + R @ limb.place[i]
        parent[i] = carrier
        if limb.lead[i] >= 0 or (carrier >= 0 and limb.heavy[i] != limb.heavy[carrier]):
            onto[i] = (i, np.eye(3), np.zeros(3))
            continue
        if limb.kind[i] == PRISMATIC:
            at, center = rotation[i], place[i] + rotation[i] @ limb.axis[i] * limb.offset[i]
        else:
            at, center = rotation[i] @ so3.exp(limb.axis[i] * limb.offset[i]), place[i]
        onto[i] = (carrier, at, center)
        if carrier >= 0:
            m, com = limb.mass[i], center + at @ limb.com[i]
            mass[carrier] += m
            first[carrier] += m * com
            tensor[carrier] += _about_origin(m, com, at @ limb.inertia[i] @ at.T)
    stay = [i for i in range(len(limb.parent)) if onto[i][0] == i]
    new = {-1: -1, **{i: k for k, i in enumerate(stay)}}
    com = first / np.maximum(mass, 1e-12)[:, None]
    about = np.array([tensor[i] - _about_origin(mass[i], com[i], np.zeros((3, 3))) for i in stay]).reshape(-1, 3, 3)
    small = Limb(
        parent=np.array([new[int(parent[i])] for i in stay], dtype=np.int64), rotation=rotation[stay],
        place=place[stay], axis=limb.axis[stay], kind=limb.kind[stay], mass=mass[stay], com=com[stay], inertia=about,
        heavy=limb.heavy[stay], lead=limb.lead[stay], ratio=limb.ratio[stay], offset=limb.offset[stay],
        gravity=limb.gravity,
    )  # fmt: skip
    return replace(held, links=tuple(held.links[i] for i in stay), limb=small)


def _about_origin(mass: float, com: Array, inertia: Array) -> Array:
    """Inertia tensor about the origin of the frame of `com` (Steiner)."""
    return np.asarray(inertia + mass * (com @ com * np.eye(3) - np.outer(com, com)))


def _holds(recording: JointRecording, name: str) -> bool:
    if recording.told(name) != "position":
        return False
    k = recording.names.index(name)
    told, known = recording.targets[:, k], np.isfinite(recording.positions[:, k])
    return bool(known.any() and np.ptp(told[np.isfinite(told)]) <= MOVES)


def _moved(held: HeldLimb, recording: JointRecording, own: Sequence[str], settings: ReplaySettings) -> Array:
    """Simulated positions (samples, own) with what the robot's file says."""
    q, _ = Replay(held, recording, settings).simulate({})
    return np.asarray(q[:, [held.joints.index(name) for name in own]])
