"""Why a robot has no legs to walk on: which chains of joints were seen, and what each lacks."""

from __future__ import annotations

from andante.description import Joint, Robot

from .rig_legs import _end_point, _path, _spins, branches, welded

MOST_NAMED = 4  # links of a kind in the sentence
NO_SHAPE = "no <collision> at the end of the chain"
ONE_JOINT = "only one joint"
WHEEL = "only turn about themselves, as wheels do"
LEG = "a leg is a chain of two or more joints that ends in a <collision>"
DRIVES = "what has wheels drives, by andante navigate or in the studio"
NOT_OWN = "fewer than two joints of their own (others are shared, mimic or cannot move)"


def leg_faults(robot: Robot) -> str:
    """What was seen, and what to do, as part of a sentence."""
    ends = chain_ends(robot)
    if not ends:
        return f"it has no joints that move; {LEG}"
    could = branches(robot)
    good = {name for branch in could for name in branch.joints}
    kinds: dict[str, list[str]] = {}
    for joint, group in ends:
        if joint.name not in good:
            kinds.setdefault(_fault(robot, joint, group), []).append(group[-1])
    parts = [f"{_named(links)}: {fault}" for fault, links in kinds.items()]
    if could:
        parts.insert(
            0, f"{_named([branch.foot for branch in could])}: could be {'a leg' if len(could) == 1 else 'legs'}"
        )
    if NO_SHAPE in kinds:
        return f"{'; '.join(parts)}; give every foot a <collision>"
    return f"{'; '.join(parts)}; {DRIVES if list(kinds) == [WHEEL] and not could else LEG}"


def chain_ends(robot: Robot) -> list[tuple[Joint, list[str]]]:
    """The last joint of every chain, with the links that it moves."""
    movers = {joint.parent for joint in robot.joints if joint.one_dof}
    groups = [(joint, welded(robot, joint.child)) for joint in robot.movable]
    return [(joint, group) for joint, group in groups if not any(link in movers for link in group)]


def _fault(robot: Robot, joint: Joint, group: list[str]) -> str:
    end = _end_point(robot, joint.child, group)
    if end is None:
        return NO_SHAPE
    if _spins(robot, joint, end):
        return WHEEL
    return ONE_JOINT if len(_path(robot, joint.child)) < 2 else NOT_OWN


def _named(links: list[str]) -> str:
    more = len(links) - MOST_NAMED
    return ", ".join(links[:MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
