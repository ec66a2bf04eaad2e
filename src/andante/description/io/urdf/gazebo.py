"""The <gazebo> elements of a URDF: surfaces, gravity, colors, springs, sensors and plugins.

What has no counterpart in `Robot` is told as an info, what is not known at all as a warning.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from andante.description import Frame, Joint, Link, Material, Plugin, SensorSpec
from andante.description.io.gazebo import COLORS, ROWS, SURFACE, same
from andante.description.io.xmltree import Node, number, rgba, vec3, vector
from andante.description.shapes import RGBA

from .parts import Context, pose_element, required_name
from .sensors import gazebo_sensor

COLORS_BY_NAME: dict[str, RGBA] = {
    **COLORS,
    **{f"{name}Glow": COLORS[name] for name in ("Blue", "Green", "Purple", "Red", "Turquoise", "White", "Yellow")},
    **{f"{name}Transparent": (*COLORS[name][:3], 0.5) for name in ("Blue", "Green", "Red", "Yellow")},
    "Gold": (0.8, 0.649, 0.223, 1.0),
    "GreyTransparent": (0.5, 0.5, 0.5, 0.5),
    "LightGray": (0.8, 0.8, 0.8, 1.0),
    "OrangeTransparent": (1.0, 0.44, 0.0, 0.4),
    "Wood": (0.6, 0.42, 0.25, 1.0),
}
SURFACE_TAGS = {
    **same("mu", "mu2", "kp", "kd", "min_depth", "slip1", "slip2"),
    **{"mu1": "mu", "maxVel": "max_velocity", "max_vel": "max_velocity", "minDepth": "min_depth"},
}
SURFACE_PATHS = {  # below <collision> of SDF, which <gazebo reference=LINK> may hold
    f"surface/{path}".replace("bullet/rolling_friction", "rolling/coefficient"): name for path, name in SURFACE.items()
}
LINK_WORDS = """maxContacts max_contacts dampingFactor velocity_decay laserRetro laser_retro genTexCoord bumper
    kinematic enable_wind softCfm softErp"""
JOINT_WORDS = """implicitSpringDamper disableFixedJointLumping preserveFixedJoint provideFeedback provide_feedback
    stopCfm stopErp stopKp stopKd fudgeFactor cfmDamping erp cfm initialForce limitStopCfm limitStopErp"""
NO_MEANING_ON_LINK = frozenset(LINK_WORDS.split())
NO_MEANING_ON_JOINT = frozenset(JOINT_WORDS.split())
JOINT_TAGS = {
    **same("damping", "armature"),
    **{"springStiffness": "stiffness", "springReference": "reference", "springDamping": "damping"},
}
INITIAL_TAGS = ("initial_position", "initialPosition")
NO_MEANING_ON_MODEL = frozenset(("allow_auto_disable", "enable_wind", "pose"))
_ANY_JOINT_TAG = frozenset((*NO_MEANING_ON_JOINT, *JOINT_TAGS, *INITIAL_TAGS))


@dataclass
class Additions:
    """Links and joints by name, which the elements replace, and what they add to the robot."""

    links: dict[str, Link]
    joints: dict[str, Joint]
    sensors: list[SensorSpec] = field(default_factory=list)
    plugins: list[Plugin] = field(default_factory=list)
    frames: list[Frame] = field(default_factory=list)
    no_collision: set[frozenset[str]] = field(default_factory=set)
    self_collide: bool = False
    static: bool = False


def read_gazebo(node: Node, additions: Additions, context: Context) -> None:
    """Carry one <gazebo> element over into the additions."""
    reference = (node.get("reference") or "").strip()
    if not reference:
        _on_model(node, additions, context)
    elif reference in additions.links:
        _on_link(node, additions, context, reference)
        if reference in additions.joints:
            _on_joint(node, additions, context, reference, shared=True)
    elif reference in additions.joints:
        _on_joint(node, additions, context, reference)
    else:
        context.warn(node, f"refers to {reference!r}, which is neither a link nor a joint; ignored")


def truth(node: Node) -> bool:
    """true or 1, false or 0, in any case."""
    text = _value(node).casefold()
    if text in ("true", "1", "1.0", "yes"):
        return True
    if text in ("false", "0", "0.0", "no"):
        return False
    raise node.error(f"should be true or false, got {text[:40]!r}")


def _value(node: Node) -> str:
    """Text of an element, or its value attribute, as Gazebo accepts both."""
    return node.text.strip() or (node.get("value") or "").strip()


def _ignored(child: Node, context: Context, harmless: frozenset[str], where: str) -> None:
    if child.tag in harmless:
        context.info(child, f"a Gazebo setting of {where} without a counterpart here, ignored")
    else:
        context.warn(child, f"not understood in the <gazebo> element of {where}, ignored")


def _on_model(node: Node, additions: Additions, context: Context) -> None:
    for child in node.children:
        if child.tag == "plugin":
            additions.plugins.append(plugin(child, context))
        elif child.tag == "static":
            additions.static = truth(child)
        elif child.tag in ("self_collide", "selfCollide"):
            additions.self_collide = truth(child)
        elif child.tag == "frame":
            _frame(child, additions)
        elif child.tag == "disable_collisions":
            pair = frozenset(_link_name(child, key, additions) for key in ("link1", "link2"))
            additions.no_collision.add(pair)
        elif child.tag == "joint":
            continue  # of `loops`
        else:
            _ignored(child, context, NO_MEANING_ON_MODEL, "the robot")


def _link_name(node: Node, key: str, additions: Additions) -> str:
    name = node.get(key) or ""
    if name not in additions.links:
        raise node.error(f"{key} {name!r} is not a link of this robot")
    return name


def _frame(node: Node, additions: Additions) -> None:
    """A named frame on a link, as SDF writes it: <frame name attached_to><pose>x y z roll pitch yaw</pose></frame>."""
    link, pose = _link_name(node, "attached_to", additions), pose_element(node.find("pose"))
    additions.frames.append(Frame(required_name(node), link, pose))


def _on_link(node: Node, additions: Additions, context: Context, reference: str) -> None:
    where = f"link {reference!r}"
    for child in node.children:
        link, tag = additions.links[reference], child.tag
        if tag in SURFACE_TAGS:
            link = _with_surface(link, {SURFACE_TAGS[tag]: number(child, _value(child), tag)})
        elif tag == "fdir1":
            link = _with_surface(link, {"fdir1": vec3(child, _value(child), tag)})
        elif tag == "collision":
            link = _collision(child, link, context)
        elif tag in ("selfCollide", "self_collide"):
            link = replace(link, self_collide=truth(child))
        elif tag == "gravity":
            link = replace(link, gravity=truth(child))
        elif tag == "turnGravityOff":
            link = replace(link, gravity=not truth(child))
        elif tag == "material":
            link = _with_color(link, _gazebo_color(child, context))
        elif tag == "visual":
            link = _visual(child, link, context)
        elif tag == "sensor":
            _sensor(child, additions, context, reference, "")
        elif tag == "plugin":
            additions.plugins.append(plugin(child, context, reference=reference))
        elif reference in additions.joints and tag in _ANY_JOINT_TAG:
            continue  # a joint of the same name; `_on_joint` takes it
        else:
            _ignored(child, context, NO_MEANING_ON_LINK, where)
        additions.links[reference] = link


def _on_joint(node: Node, additions: Additions, context: Context, reference: str, shared: bool = False) -> None:
    for child in node.children:
        joint = additions.joints[reference]
        if child.tag in JOINT_TAGS:
            value = number(child, _value(child), child.tag)
            if value < 0 and JOINT_TAGS[child.tag] in ("armature", "damping"):
                raise child.error(f"must be >= 0, got {value:g}")
            dynamics = replace(joint.dynamics, **{JOINT_TAGS[child.tag]: value})
            additions.joints[reference] = replace(joint, dynamics=dynamics)
        elif child.tag in INITIAL_TAGS:
            additions.joints[reference] = replace(joint, initial=number(child, _value(child), child.tag))
        elif child.tag in NO_MEANING_ON_JOINT:
            _ignored(child, context, NO_MEANING_ON_JOINT, f"joint {reference!r}")
        elif shared:
            continue
        elif child.tag == "sensor":
            _sensor(child, additions, context, joint.child, reference)
        elif child.tag == "plugin":
            additions.plugins.append(plugin(child, context, reference=reference))
        else:
            _ignored(child, context, NO_MEANING_ON_JOINT, f"joint {reference!r}")


def _sensor(node: Node, additions: Additions, context: Context, link: str, joint: str) -> None:
    found = gazebo_sensor(node, link, context)
    if joint:
        found = replace(found, parameters={**found.parameters, "joint": joint})
    plugins = [plugin(child, context, sensor=found.name) for child in node.all("plugin")]
    for item in plugins:
        topic = item.parameters.get("topicName") or item.parameters.get("topic") or ""
        found = found if found.topic else replace(found, topic=topic)
    additions.sensors.append(found)
    additions.plugins += plugins


def plugin(node: Node, context: Context, **extra: str) -> Plugin:
    """A plugin with its leaf elements; repeated names are joined by a blank."""
    parameters: dict[str, str] = {}
    for element in node.leaves():
        text = element.text.strip()
        parameters[element.tag] = f"{parameters[element.tag]} {text}" if element.tag in parameters else text
    for key, value in extra.items():
        parameters.setdefault(key, value)
    filename = (node.get("filename") or "").strip()
    if not filename:
        context.warn(node, "names no filename; kept, but nothing can tell which plugin it is")
    return Plugin((node.get("name") or "").strip(), filename, parameters, node.source)


def _with_surface(link: Link, values: dict[str, Any], only: object = None) -> Link:
    collisions = tuple(
        replace(item, surface=replace(item.surface, **values)) if only is None or only in (i, item.name) else item
        for i, item in enumerate(link.collisions)
    )
    return replace(link, collisions=collisions)


def _collision(node: Node, link: Link, context: Context) -> Link:
    """Surface of SDF form; `index` or `name` chooses one collision of the link, without them it holds for all."""
    only: object = node.get("name") or None
    if node.get("index") is not None:
        index = number(node, node.get("index"), "index")
        if not (index.is_integer() and 0 <= index < len(link.collisions)):
            raise node.error(f"index should be 0 to {len(link.collisions) - 1}, got {node.get('index')}")
        only = int(index)
    values: dict[str, Any] = {}
    for path, element in leaves(node):
        name = SURFACE_PATHS.get(path)
        if name is None:
            context.info(element, f"{path} of a collision has no counterpart here, ignored")
        elif name in ROWS:
            values[name] = vector(element, element.text, ROWS[name], path)
        elif name == "collide_bitmask":
            try:
                values[name] = int(element.text.strip(), 0) & 0xFFFFFFFF
            except ValueError:
                raise element.error(f"should be an integer such as 0x01, got {element.text.strip()[:40]!r}") from None
        else:
            values[name] = number(element, element.text, path)
    if isinstance(only, str) and all(item.name != only for item in link.collisions):
        only = None if len(link.collisions) == 1 else only
        if only is not None:
            context.warn(node, f"link {link.name!r} has no collision of this name; ignored")
    return _with_surface(link, values, only)


def leaves(node: Node, prefix: str = "") -> list[tuple[str, Node]]:
    """Elements without children below a node, with their path a/b/c."""
    out: list[tuple[str, Node]] = []
    for child in node.children:
        path = f"{prefix}{child.tag}"
        out += leaves(child, path + "/") if child.children else [(path, child)]
    return out


def _gazebo_color(node: Node, context: Context) -> Material:
    name = _value(node)
    color = COLORS_BY_NAME.get(name.removeprefix("Gazebo/"))
    if color is None and name:
        context.info(node, f"the Gazebo material {name!r} is not in the table of colors; the visual keeps its own")
    return Material(name, color)


def _with_color(link: Link, material: Material) -> Link:
    """Color for the visuals that have none of their own."""
    if material.rgba is None:
        return link
    visuals = tuple(
        item if item.material.rgba or item.material.texture else replace(item, material=material)
        for item in link.visuals
    )
    return replace(link, visuals=visuals)


def _visual(node: Node, link: Link, context: Context) -> Link:
    element = node.find("material")
    diffuse = element.find("diffuse") or element.find("ambient") if element is not None else None
    for child in node.children:
        if child.tag != "material":
            context.info(child, "a Gazebo setting of a visual without a counterpart here, ignored")
    if diffuse is None:
        return link
    return _with_color(link, Material("", rgba(diffuse, diffuse.text)))
