"""Writes robots and worlds as SDF, in the oldest version from 1.7 on that can say what there is to say.

What SDF has no words for (massless links, rotor inertia, mimic before 1.11, safety limits, transmissions, masks,
sensors of our own kinds) stands in elements and attributes of the namespace `andante`, which other programs skip.
"""

from __future__ import annotations

from pathlib import Path

from andante.description.joint import JointType
from andante.description.robot import Robot
from andante.description.world import Light, PhysicsSpec, Placement, World

from .write_link import below
from .write_model import write_model
from .xml import Element, Names, Version, add_pose, document, label, write_numbers


def write_sdf(thing: Robot | World, path: Path) -> str:
    """SDF text of a robot or world; `path` is where the caller will put it (for relative mesh names)."""
    version = Version()
    if isinstance(thing, Robot):
        return document(version, write_model(thing, path, version, welded=thing.fixed_base))
    return document(version, _world(thing, path, version))


def _world(world: World, path: Path, version: Version) -> Element:
    element = Element("world")
    label(element, Names().fresh("world", world.name), world.name)
    element.add("gravity", write_numbers(world.gravity))
    names = Names()
    _physics(element, world.physics, names)
    scene = element.add("scene")
    scene.add("ambient", write_numbers(world.ambient))
    scene.add("background", write_numbers(world.background))
    for light in world.lights:
        _light(element, light, names, version)
    for placement in world.models:
        element.children.append(_placed(placement, path, names, version))
    return element


def _placed(placement: Placement, path: Path, names: Names, version: Version) -> Element:
    """The model of a placement: static where nothing in it can move, else welded to the world by a fixed joint."""
    robot = placement.robot
    fixed = placement.fixed or robot.fixed_base
    rigid = not robot.loops and all(joint.type is JointType.FIXED for joint in robot.joints)
    model = write_model(robot, path, version, static=fixed and rigid, welded=fixed and not rigid)
    for key in ("name", "andante:name"):
        model.attributes.pop(key, None)
    label(model, names.fresh("model", placement.name), placement.name)
    if robot.name != placement.name:
        model.attributes["andante:robot"] = robot.name
    if fixed and not robot.fixed_base:
        model.attributes["andante:fixed_base"] = "false"
    pose = Element("holder")
    add_pose(pose, placement.pose, version)
    model.children[:0] = pose.children
    return model


def _physics(element: Element, physics: PhysicsSpec, names: Names) -> None:
    if physics == PhysicsSpec():
        return
    node = element.add("physics", name=names.fresh("physics", "default"), default="true", type="ode")
    if physics.dt is not None:
        node.add("max_step_size", physics.dt)
    if physics.iterations is not None:
        solver = below(node, "ode/solver")
        solver.add("type", "quick")
        solver.add("iters", physics.iterations)
    for tag, value in (("cfm", physics.cfm), ("erp", physics.erp)):
        if value is not None:
            below(node, "ode/constraints").add(tag, value)


def _light(element: Element, light: Light, names: Names, version: Version) -> None:
    node = element.add("light")
    label(node, names.fresh("light", light.name), light.name)
    node.attributes["type"] = light.kind
    add_pose(node, light.pose, version)
    node.add("cast_shadows", light.cast_shadows)
    node.add("diffuse", write_numbers(light.diffuse))
    node.add("specular", write_numbers(light.specular))
    node.add("direction", write_numbers(light.direction))
