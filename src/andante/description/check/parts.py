"""Do the parts of a robot make sense: masses, inertia tensors, joint limits, mimics, poses and transmissions?"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from andante.description.inertia import Inertia, combine, inertia_element
from andante.description.joint import Joint, JointType
from andante.description.link import Link
from andante.description.robot import Robot
from andante.description.shapes import Plane
from andante.description.solids import bounds, inertia_of, volume
from andante.description.source import Problem, Severity
from andante.errors import AndanteError

from .shapes import is_outsized, largest_mesh

FULL_TURNS = 4 * math.pi
TRIANGLE_SLACK = 1e-6  # relative; printed tensors are rounded
ABSURD_RATIO = 1000.0  # neighbours whose masses differ by more make solvers struggle
HEAVY = 2000.0  # [kg]; no robot link, but a mistake of units


def joint_problems(robot: Robot) -> Iterator[Problem]:
    """Limits, mimics, named poses and transmissions."""
    for joint in robot.joints:
        yield from _limit_problems(joint)
        yield from _mimic_problems(robot, joint)
    for joint in robot.loops:
        message = f"joint {joint.name!r} closes a loop; engines build it as a constraint or refuse it by name"
        yield Problem(Severity.INFO, message, joint.source)
    yield from _pose_problems(robot)
    names = {joint.name for joint in robot.joints}
    for transmission in robot.transmissions:
        for name in transmission.joints:
            if name not in names:
                message = f"transmission {transmission.name!r} drives joint {name!r}, which does not exist"
                yield Problem(Severity.WARNING, message, robot.source)


def _limit_problems(joint: Joint) -> Iterator[Problem]:
    if not joint.one_dof:
        return
    limits = joint.limits
    told = f"joint {joint.name!r}"
    if joint.type is JointType.REVOLUTE:
        span = limits.upper - limits.lower
        if span == 0:
            yield Problem(
                Severity.WARNING,
                f"{told}: lower and upper limit are both {limits.lower:g}, it cannot move",
                joint.source,
            )
        elif math.isfinite(span) and span > FULL_TURNS:
            radians = f"{math.radians(limits.lower):.4g} to {math.radians(limits.upper):.4g}"
            message = (
                f"{told}: limits {limits.lower:g} to {limits.upper:g} rad are over two turns; were degrees meant? "
                f"those are {radians} rad"
            )
            yield Problem(Severity.WARNING, message, joint.source)
    if (
        joint.type is JointType.PRISMATIC
        and math.isfinite(limits.upper - limits.lower)
        and limits.upper - limits.lower > 100
    ):
        message = f"{told}: limits {limits.lower:g} to {limits.upper:g} m are long; were millimetres meant?"
        yield Problem(Severity.WARNING, message, joint.source)
    if limits.effort == 0 and joint.mimic is None:
        yield Problem(Severity.WARNING, f"{told}: effort limit 0, no motor can move it; give its torque", joint.source)
    if limits.velocity == 0 and joint.mimic is None:
        yield Problem(Severity.WARNING, f"{told}: velocity limit 0, it cannot move; give its speed", joint.source)
    for what, value in (
        ("damping", joint.dynamics.damping),
        ("friction", joint.dynamics.friction),
        ("armature", joint.dynamics.armature),
    ):
        if value < 0:
            yield Problem(Severity.ERROR, f"{told}: {what} {value:g} is negative, it would add energy", joint.source)


def _mimic_problems(robot: Robot, joint: Joint) -> Iterator[Problem]:
    if joint.mimic is None:
        return
    told = f"joint {joint.name!r}"
    by_name = {each.name: each for each in robot.joints}
    source = by_name.get(joint.mimic.joint)
    if source is None:
        yield Problem(Severity.ERROR, f"{told} mimics {joint.mimic.joint!r}, which does not exist", joint.source)
        return
    if not source.one_dof:
        yield Problem(
            Severity.ERROR, f"{told} mimics {source.name!r}, which is {source.type} and has no position", joint.source
        )
        return
    seen, current = {joint.name}, source
    while current.mimic is not None and current.mimic.joint in by_name:
        if current.name in seen:
            yield Problem(Severity.ERROR, f"{told} is part of a circle of mimic joints; free one of them", joint.source)
            return
        seen.add(current.name)
        current = by_name[current.mimic.joint]
    ends = [joint.mimic.multiplier * v + joint.mimic.offset for v in (source.limits.lower, source.limits.upper)]
    low, high = min(ends), max(ends)
    slack = 1e-3
    if low < joint.limits.lower - slack or high > joint.limits.upper + slack:
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
            if beyond > 1e-3:
                message = (
                    f"pose {name!r} asks {joint_name} = {value:.4g}, {beyond:.3g} beyond its limits; it will be clipped"
                )
                yield Problem(Severity.WARNING, message, robot.source)


def mass_problems(robot: Robot) -> Iterator[Problem]:
    """Masses, tensors, centres of mass and ratios between neighbours."""
    limit = largest_mesh(robot)
    for link in robot.links:
        yield from _link_problems(robot, link, limit)
    yield from _ratios(robot)
    seen, solid = any(link.visuals for link in robot.links), any(link.collisions for link in robot.links)
    if seen and not solid and not robot.fixed_base:
        message = (
            "no link has a <collision>: it falls through the ground; give each the shape of its <visual>, or a hull"
        )
        yield Problem(Severity.WARNING, message, robot.source)


def _problem(severity: Severity, link: Link, message: str) -> Problem:
    return Problem(severity, f"link {link.name!r}: {message}", link.source)


def _moves(robot: Robot, link: Link) -> bool:
    joint = robot.parent_joint(link.name)
    if joint is None:
        return not robot.fixed_base and any(j.parent == link.name for j in robot.joints)
    return joint.type is not JointType.FIXED


def _carried_mass(robot: Robot, name: str) -> float:
    """Mass of a link and of everything welded to it by fixed joints [kg]."""
    link = robot.link(name)
    own = link.inertia.mass if link.inertia is not None else 0.0
    return own + sum(
        _carried_mass(robot, joint.child)
        for joint in robot.joints
        if joint.parent == name and joint.type is JointType.FIXED
    )


def _link_problems(robot: Robot, link: Link, limit: float) -> Iterator[Problem]:
    inertia = link.inertia
    if inertia is None or inertia.mass == 0:
        if _moves(robot, link) and _carried_mass(robot, link.name) == 0:
            if robot.parent_joint(link.name) is None:
                message = "is the root and has no mass: good only for a base that is bolted down (sim --fixed)"
                yield _problem(Severity.WARNING, link, message)
            else:
                message = "moves but has no mass; give it an <inertial> or make its joint fixed"
                yield _problem(Severity.ERROR, link, message)
        elif inertia is not None and np.any(inertia.matrix):
            yield _problem(Severity.WARNING, link, "has an inertia tensor but no mass; give it its mass")
        return
    if inertia.mass < 0:
        yield _problem(Severity.ERROR, link, f"mass {inertia.mass:g} kg is negative")
        return
    if inertia.mass > HEAVY:
        yield _problem(Severity.WARNING, link, f"mass {inertia.mass:g} kg; should that be grams?")
    yield from _tensor_problems(link)
    shapes = [each.geometry for each in link.collisions] + [each.geometry for each in link.visuals]
    if not any(is_outsized(shape, limit) for shape in shapes):
        yield from _size_problems(link)


def _tensor_problems(link: Link) -> Iterator[Problem]:
    assert link.inertia is not None
    principal = np.linalg.eigvalsh(link.inertia.matrix)
    if not np.any(link.inertia.matrix):
        yield _problem(Severity.WARNING, link, f"has mass but a zero inertia tensor; {_suggested(link)}")
    elif principal[0] <= 0:
        yield _problem(
            Severity.ERROR,
            link,
            f"inertia tensor is not positive definite (principal moments {_list(principal)} kg m^2); "
            "check signs and units",
        )
    elif principal[2] > (principal[0] + principal[1]) * (1 + TRIANGLE_SLACK):
        yield _problem(
            Severity.ERROR,
            link,
            f"principal moments {_list(principal)} kg m^2 break the triangle inequality (the largest exceeds the sum "
            "of the others): no body has them; was the tensor given about the link origin?",
        )


def _size_problems(link: Link) -> Iterator[Problem]:
    """Centre of mass and radius of gyration beside the size of the link's shapes."""
    assert link.inertia is not None
    box = _box(link)
    if box is None:
        return
    low, high = box
    size = float(np.linalg.norm(high - low))
    com = np.asarray(link.inertia.com)
    outside = float(np.linalg.norm(np.maximum(low - com, 0) + np.maximum(com - high, 0)))
    if outside > 0.5 * size:
        yield _problem(
            Severity.WARNING,
            link,
            f"centre of mass lies {outside:.3g} m outside its shapes ({size:.3g} m long); wrong unit or frame?",
        )
    gyration = float(np.sqrt(max(np.linalg.eigvalsh(link.inertia.matrix)[2], 0.0) / link.inertia.mass))
    if gyration > 1.5 * size:
        yield _problem(
            Severity.WARNING,
            link,
            f"radius of gyration {gyration:.3g} m is larger than the link ({size:.3g} m); "
            "inertia in g mm^2 or a placeholder?",
        )
    elif 0 < gyration < 0.01 * size:
        yield _problem(
            Severity.WARNING,
            link,
            f"radius of gyration {gyration:.2g} m is tiny beside the link ({size:.3g} m); inertia in the wrong unit?",
        )


def _suggested(link: Link) -> str:
    """What to write instead of a zero tensor: that of the link's shapes at even density."""
    assert link.inertia is not None
    even = even_inertia(link, link.inertia.mass)
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


def _box(link: Link) -> tuple[np.ndarray, np.ndarray] | None:
    corners = []
    shapes = [(c.geometry, c.pose) for c in link.collisions] + [(v.geometry, v.pose) for v in link.visuals]
    for geometry, pose in shapes:
        if isinstance(geometry, Plane):
            continue
        try:
            corners.append(bounds(geometry, pose))
        except AndanteError:
            continue  # the mesh check tells about it
    if not corners:
        return None
    return np.min([low for low, _ in corners], axis=0), np.max([high for _, high in corners], axis=0)


def _ratios(robot: Robot) -> Iterator[Problem]:
    for joint in robot.joints:
        if joint.type is JointType.FIXED:
            continue
        pair = [_carried_mass(robot, name) for name in (joint.parent, joint.child)]
        if min(pair) > 0 and max(pair) / min(pair) > ABSURD_RATIO:
            light, heavy = (joint.child, joint.parent) if pair[1] < pair[0] else (joint.parent, joint.child)
            yield Problem(
                Severity.WARNING,
                f"joint {joint.name!r}: link {heavy!r} is {max(pair) / min(pair):.0f} times as heavy as {light!r}; "
                "solvers need small steps there",
                joint.source,
            )


def _list(values: np.ndarray) -> str:
    return ", ".join(f"{v:.3g}" for v in values)
