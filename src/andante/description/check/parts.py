"""Do the parts of a robot make sense: masses, inertia tensors, joint limits, mimics, poses and transmissions?"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial

import numpy as np

from andante.description import Collision, Inertia, Joint, JointType, Link, Problem, Robot, Severity, Visual
from andante.description.closure import close_loops
from andante.description.inertia import Flaw, combine, flaw_of, inertia_element
from andante.description.solids import box_around, inertia_of, volume
from andante.errors import AndanteError

from .shapes import is_outsized, largest_mesh

FULL_TURNS = 4 * math.pi
LIMIT_SLACK = 1e-3  # [rad or m]
ABSURD_RATIO = 1000.0  # neighbors whose masses differ by more make solvers struggle
HEAVY = 2000.0  # [kg]; no robot link, but a mistake of units


def joint_problems(robot: Robot) -> Iterator[Problem]:
    """Limits, mimics, named poses and transmissions."""
    for joint in robot.joints:
        yield from _limit_problems(joint, led=joint.mimic is not None or joint.name in robot.passive)
        yield from _mimic_problems(robot, joint)
    yield from _loop_problems(robot)
    yield from _pose_problems(robot)
    names = {joint.name for joint in robot.joints}
    for transmission in robot.transmissions:
        for name in transmission.joints:
            if name not in names:
                message = f"transmission {transmission.name!r} drives joint {name!r}, which does not exist"
                yield Problem(Severity.WARNING, message, robot.source)


def _loop_problems(robot: Robot) -> Iterator[Problem]:
    for joint in robot.loops:
        message = f"joint {joint.name!r} closes a loop: engines build it as a constraint between {joint.parent!r} and "
        yield Problem(Severity.INFO, f"{message}{joint.child!r}", joint.source)
    start = {j.name: min(max(j.initial, j.limits.lower), j.limits.upper) for j in robot.movable}
    found = close_loops(robot, start)
    if not found.closed:
        message = (
            f"its closed loops do not fit: a gap of {1000 * found.error:.3g} mm is left in every pose that was tried"
        )
        yield Problem(Severity.WARNING, f"{message}; look at the anchors and limits of its loop joints", robot.source)


def _limit_problems(joint: Joint, led: bool) -> Iterator[Problem]:
    if not joint.one_dof:
        return
    limits, told = joint.limits, f"joint {joint.name!r}"
    warning = partial(Problem, Severity.WARNING, source=joint.source)
    span, ends = limits.upper - limits.lower, f"{limits.lower:g} to {limits.upper:g}"
    if joint.type is JointType.REVOLUTE and span == 0:
        yield warning(f"{told}: lower and upper limit are both {limits.lower:g}, it cannot move")
    elif joint.type is JointType.REVOLUTE and FULL_TURNS < span < math.inf:
        radians = f"{math.radians(limits.lower):.4g} to {math.radians(limits.upper):.4g}"
        yield warning(f"{told}: limits {ends} rad are over two turns; were degrees meant? those are {radians} rad")
    elif joint.type is JointType.PRISMATIC and 100 < span < math.inf:
        yield warning(f"{told}: limits {ends} m are long; were millimeters meant?")
    if limits.effort == 0 and not led:
        yield warning(f"{told}: effort limit 0 would let no motor move it; taken as none, give its torque")
    if limits.velocity == 0 and not led:
        yield warning(f"{told}: velocity limit 0 would keep it still; taken as none, give its speed")
    for what in ("damping", "friction", "armature"):
        value = vars(joint.dynamics)[what]
        if value < 0:
            yield Problem(Severity.ERROR, f"{told}: {what} {value:g} is negative, it would add energy", joint.source)


def _mimic_problems(robot: Robot, joint: Joint) -> Iterator[Problem]:
    if joint.mimic is None:
        return
    told, error = f"joint {joint.name!r}", partial(Problem, Severity.ERROR, source=joint.source)
    by_name = {each.name: each for each in robot.joints}
    source = by_name.get(joint.mimic.joint)
    if source is None:
        yield error(f"{told} mimics {joint.mimic.joint!r}, which does not exist")
        return
    if not source.one_dof:
        yield error(f"{told} mimics {source.name!r}, which is {source.type} and has no position")
        return
    seen, current = {joint.name}, source
    while current.mimic is not None and current.mimic.joint in by_name:
        if current.name in seen:
            yield error(f"{told} is part of a circle of mimic joints; free one of them")
            return
        seen.add(current.name)
        current = by_name[current.mimic.joint]
    ends = [joint.mimic.multiplier * v + joint.mimic.offset for v in (source.limits.lower, source.limits.upper)]
    low, high = min(ends), max(ends)
    if low < joint.limits.lower - LIMIT_SLACK or high > joint.limits.upper + LIMIT_SLACK:
        message = (
            f"{told} follows {source.name!r} to {low:.4g} .. {high:.4g}, beyond its own limits "
            f"{joint.limits.lower:.4g} .. {joint.limits.upper:.4g}"
        )
        yield Problem(Severity.WARNING, message, joint.source)


def _pose_problems(robot: Robot) -> Iterator[Problem]:
    for name, positions in robot.poses.items():
        for joint_name, value in positions.items():
            limits = robot.joint(joint_name).limits
            beyond = max(limits.lower - value, value - limits.upper)
            if beyond > LIMIT_SLACK:
                asked = f"pose {name!r} asks {joint_name} = {value:.4g}"
                message = f"{asked}, {beyond:.3g} beyond its limits; it will be clipped"
                yield Problem(Severity.WARNING, message, robot.source)


def mass_problems(robot: Robot, shaped: Robot | None = None) -> Iterator[Problem]:
    """Masses, tensors, centers of mass and ratios between neighbors; `shaped` is the robot as it is simulated."""
    limit = largest_mesh(robot)
    seen, solid = any(link.visuals for link in robot.links), any(link.collisions for link in robot.links)
    if seen and not solid and not robot.fixed_base:
        touches = shaped is not None and any(link.collisions for link in shaped.links)
        what = "what is seen of it touches instead" if touches else "it falls through the ground"
        message = f"no link has a <collision>: {what}; give each the shape of its <visual>, or a hull"
        yield Problem(Severity.WARNING, message, robot.source)
        if robot.mass == 0:  # made to be looked at: that of each link follows
            yield Problem(Severity.WARNING, "no link has a mass; give each an <inertial>", robot.source)
            return
    for link in robot.links:
        yield from _link_problems(robot, link, limit)
    yield from _ratios(robot)


def _warning(link: Link, message: str) -> Problem:
    return Problem(Severity.WARNING, f"link {link.name!r}: {message}", link.source)


def _moves(robot: Robot, link: Link) -> bool:
    joint = robot.parent_joint(link.name)
    if joint is None:
        return not robot.fixed_base and any(j.parent == link.name for j in robot.joints)
    return joint.type is not JointType.FIXED


def _carried_mass(robot: Robot, name: str) -> float:
    """Mass of a link and of everything welded to it by fixed joints [kg]."""
    inertias = (robot.link(each).inertia for each in robot.welded(name))
    return sum(inertia.mass for inertia in inertias if inertia is not None)


def _link_problems(robot: Robot, link: Link, limit: float) -> Iterator[Problem]:
    inertia = link.inertia
    if inertia is None or inertia.mass == 0:
        if _moves(robot, link) and _carried_mass(robot, link.name) == 0:
            if robot.parent_joint(link.name) is None:
                told = "is the root and has no mass: good only for a base that is bolted down (sim --fixed)"
                yield _warning(link, told)
            elif not link.invented:
                told = "moves but has no mass; give it an <inertial> or make its joint fixed"
                yield _warning(link, f"{told}; a little is assumed until then")
        elif inertia is not None and np.any(inertia.matrix):
            yield _warning(link, "has an inertia tensor but no mass; give it its mass")
        return
    if inertia.mass < 0:
        yield _warning(link, f"mass {inertia.mass:g} kg is negative; taken as 0, give it its mass")
        return
    if inertia.mass > HEAVY:
        yield _warning(link, f"mass {inertia.mass:g} kg; should that be grams?")
    principal = np.linalg.eigvalsh(inertia.matrix)
    flaw, moments = flaw_of(inertia), ", ".join(f"{v:.3g}" for v in principal)
    if flaw is Flaw.POINT:
        what = f"principal moments of {moments} kg m^2" if np.any(inertia.matrix) else "a zero inertia tensor"
        yield _warning(link, f"has mass but {what}; {_suggested(link, inertia.mass)}")
    elif flaw is Flaw.INDEFINITE:
        told = f"inertia tensor is not positive definite (principal moments {moments} kg m^2)"
        yield _warning(link, f"{told}; it is mended for simulation; check signs and units")
    elif flaw is Flaw.TRIANGLE:
        yield _warning(
            link,
            f"principal moments {moments} kg m^2 break the triangle inequality (the largest exceeds the sum of the "
            "others): no body has them; mended for simulation; was the tensor given about the link origin?",
        )
    shapes: list[Collision | Visual] = [*link.collisions, *link.visuals]
    if not any(is_outsized(shape.geometry, limit) for shape in shapes):
        yield from _size_problems(link, shapes, inertia, principal[2])


def _size_problems(link: Link, shapes: list[Collision | Visual], inertia: Inertia, largest: float) -> Iterator[Problem]:
    """Center of mass and radius of gyration beside the size of the link's shapes."""
    box = box_around((shape.geometry, shape.pose) for shape in shapes)
    if box is None:
        return
    low, high = box
    size = float(np.linalg.norm(high - low))
    com = np.asarray(inertia.com)
    outside = float(np.linalg.norm(np.maximum(low - com, 0) + np.maximum(com - high, 0)))
    if outside > 0.5 * size:
        told = f"center of mass lies {outside:.3g} m outside its shapes ({size:.3g} m long); wrong unit or frame?"
        yield _warning(link, told)
    gyration, beside = float(np.sqrt(max(largest, 0.0) / inertia.mass)), f"the link ({size:.3g} m)"
    if gyration > 1.5 * size:
        told = f"radius of gyration {gyration:.3g} m is larger than {beside}; inertia in g mm^2 or a placeholder?"
        yield _warning(link, told)
    elif 0 < gyration < 0.01 * size:
        yield _warning(link, f"radius of gyration {gyration:.2g} m is tiny beside {beside}; inertia in the wrong unit?")


def _suggested(link: Link, mass: float) -> str:
    """What to write instead of a zero tensor: that of the link's shapes at even density."""
    even = even_inertia(link, mass)
    if even is None:
        return "compute it from shape and mass"
    return f"its shapes at even density have {inertia_element(even)}"


def even_inertia(link: Link, mass: float) -> Inertia | None:
    """Inertia of a link's collision shapes (visual ones where it has none) at one density; None without solids."""
    for shapes in (link.collisions, link.visuals):
        solids = []
        for shape in shapes:
            try:
                solids.append((shape.geometry, shape.pose, volume(shape.geometry)))
            except AndanteError:
                continue  # a plane, or a mesh that the mesh check tells about
        total = sum(size for _, _, size in solids)
        if total > 0:
            return combine(
                inertia_of(g, mass=mass * size / total).inertia.transformed(pose) for g, pose, size in solids
            )
    return None


def _ratios(robot: Robot) -> Iterator[Problem]:
    for joint in robot.joints:
        if joint.type is JointType.FIXED:
            continue
        pair = [_carried_mass(robot, name) for name in (joint.parent, joint.child)]
        if min(pair) > 0 and max(pair) / min(pair) > ABSURD_RATIO:
            light, heavy = (joint.child, joint.parent) if pair[1] < pair[0] else (joint.parent, joint.child)
            heavier = f"link {heavy!r} is {max(pair) / min(pair):.0f} times as heavy as {light!r}"
            message = f"joint {joint.name!r}: {heavier}; solvers need small steps there"
            yield Problem(Severity.WARNING, message, joint.source)
