"""All checks of a file, gathered into one report."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from andante.description import Problem, Robot, Severity, World
from andante.description.io.open import is_world, read_root, robot_of, world_of
from andante.description.io.resolver import Resolver
from andante.description.io.xmltree import Node
from andante.description.load import description_file, user_robot
from andante.description.stand_ins import solid_or_same
from andante.errors import BadInput
from andante.userfile import is_user_reference

from .balance import balance_told
from .parts import joint_problems, mass_problems
from .recognize import recognize
from .sdformat import sdformat_problems
from .shapes import mesh_problems, overlap_problems
from .structure import number_or_none, part_problems, structure_problems

NEEDS_LIMIT = "needs <limit"
ORDER = {Severity.ERROR: 0, Severity.WARNING: 1, Severity.INFO: 2}


@dataclass(frozen=True)
class CheckReport:
    """What a check found; `problems` are sorted, errors first."""

    name: str
    kind: str  # robot or world
    links: int
    joints: int
    mass: float  # [kg]
    recognised: tuple[str, ...]
    problems: tuple[Problem, ...]

    @property
    def ok(self) -> bool:
        """Whether there are no errors."""
        return all(problem.severity is not Severity.ERROR for problem in self.problems)


def check_file(
    name: str,
    arguments: Mapping[str, str] | None = None,
    more: Callable[[Robot | World], list[Problem]] = lambda thing: [],
) -> CheckReport:
    """Check a robot or world by name, file or `file.py:Name`; raises BadInput when it cannot be read at all.

    Args:
        name: a registered name, a file of any format, or a user's `file.py:Name`.
        arguments: xacro arguments, or keywords of the user's function.
        more: what others have to say about what was read.

    Returns:
        What was found, errors first; a file whose tree is broken gives a report too.
    """
    if is_user_reference(name):
        made = user_robot(name, dict(arguments or {}))
        return check_robot(made, more(made))
    path = description_file(name)
    given, resolver = dict(arguments or {}), Resolver()
    root = read_root(path, given, resolver)
    faults = structure_problems(root)
    if root.tag == "mujoco":
        from .schema import schema_problems  # here, as MuJoCo takes long to import

        faults += schema_problems(root, path, resolver)
    faults += sdformat_problems([root])  # before a reader cuts parts away
    try:
        if is_world(root):
            world = world_of(root, path, resolver)
            return check_world(world, [*faults, *sdformat_problems(resolver.opened.values()), *more(world)])
        robot = robot_of(root, path, resolver)
        return check_robot(robot, [*faults, *sdformat_problems(resolver.opened.values()), *more(robot)])
    except BadInput:
        if root.tag == "mujoco" or not any(problem.severity is Severity.ERROR for problem in faults):
            raise
        return _unbuildable(root, path, [*faults, *part_problems(root)])


def check_robot(robot: Robot, faults: list[Problem] | None = None) -> CheckReport:
    """Check a robot.

    Args:
        robot: the robot.
        faults: problems already found in its file, told first.

    Returns:
        What was found in its tree, masses, joints, meshes and overlapping shapes.
    """
    shaped = solid_or_same(robot)  # as it is simulated
    problems = [
        *(faults or []),
        *_not_told_yet(robot.problems, faults or []),
        *mass_problems(robot, shaped),
        *joint_problems(robot),
        *mesh_problems(robot),
        *overlap_problems(robot),
    ]
    return CheckReport(
        name=robot.name,
        kind="robot",
        links=len(robot.links),
        joints=len(robot.joints) + len(robot.loops),
        mass=robot.mass,
        recognised=(*recognize(shaped), *filter(None, [balance_told(shaped)])),
        problems=_sorted(problems),
    )


def _not_told_yet(read: tuple[Problem, ...], faults: list[Problem]) -> Iterator[Problem]:
    """What the reader said, without missing limits that are errors of the file already."""
    told = {fault.source for fault in faults if NEEDS_LIMIT in fault.message}
    yield from (problem for problem in read if problem.source not in told or NEEDS_LIMIT not in problem.message)


def check_world(world: World, faults: list[Problem] | None = None) -> CheckReport:
    """Check every model of a world.

    Args:
        world: the world.
        faults: problems already found in its file, told first.

    Returns:
        What was found; masses and joints are looked at in models that can move.
    """
    problems = [*(faults or []), *world.problems]
    for robot in {id(model.robot): model.robot for model in world.models}.values():
        found = [*robot.problems, *mesh_problems(robot)]
        if not robot.fixed_base and any(m.robot is robot and not m.fixed for m in world.models):
            found += [*mass_problems(robot), *joint_problems(robot)]
        problems += found
    return CheckReport(
        name=world.name,
        kind="world",
        links=sum(len(model.robot.links) for model in world.models),
        joints=sum(len(model.robot.joints) for model in world.models),
        mass=sum(model.robot.mass for model in world.models if not model.fixed),
        recognised=(
            f"{len(world.models)} models, {sum(m.fixed for m in world.models)} of them static",
            *_asked(world),
        ),
        problems=_sorted(problems),
    )


def _asked(world: World) -> Iterator[str]:
    """What the world asks of the solver, in a line or none."""
    stated = ", ".join(f"{name} {value}" for name, value in world.physics.stated.items())
    if stated:
        yield f"asks the solver for {stated}"


def _unbuildable(root: Node, path: Path, faults: list[Problem]) -> CheckReport:
    """A report on a file whose tree is so broken that no robot can be made of it."""
    nodes = list(root.walk())
    masses = (number_or_none(node.get("value") or node.text) for node in nodes if node.tag == "mass")
    return CheckReport(
        name=root.get("name") or path.stem,
        kind="robot",
        links=sum(node.tag == "link" for node in nodes),
        joints=sum(node.tag == "joint" and node.find("child") is not None for node in nodes),
        mass=sum((mass for mass in masses if mass is not None), 0.0),
        recognised=(),
        problems=_sorted(faults),
    )


def _sorted(problems: list[Problem]) -> tuple[Problem, ...]:
    """Without repetitions, errors first, otherwise in the order found."""
    return tuple(sorted(dict.fromkeys(problems), key=lambda problem: ORDER[problem.severity]))
