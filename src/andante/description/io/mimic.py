"""Whether a joint can follow the one that it mimics."""

from __future__ import annotations

from collections.abc import Sequence

from andante.description.joint import Joint

NAMED = 8  # joints that are listed


def leader_fault(item: Joint, joints: Sequence[Joint]) -> str:
    """Why a joint cannot follow what it mimics: no joint, one without a position, or itself; empty: it can."""
    if item.mimic is None:
        return ""
    by_name = {each.name: each for each in joints}
    leader, seen = by_name.get(item.mimic.joint), {item.name}
    if leader is None:
        names = list(by_name)
        more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
        known = ", ".join(names[:NAMED]) + more
        return f"joint {item.mimic.joint!r}, which does not exist, and moves freely; joints: {known}"
    if not leader.one_dof:
        return f"joint {leader.name!r}, which is {leader.type} and has no position; it moves freely"
    while leader is not None and leader.mimic is not None and leader.name not in seen:
        seen.add(leader.name)
        leader = by_name.get(leader.mimic.joint)
    if leader is not None and leader.name == item.name:
        return "itself by a circle of joints and moves freely; free one of them in the file"
    return ""
