"""<link> of SDF: inertia, visuals, collisions and their surfaces."""

from __future__ import annotations

from typing import Any

from andante.description.inertia import Inertia, combine
from andante.description.io.gazebo import ROWS
from andante.description.io.xmltree import Node, child_of, number, vec3, vector
from andante.description.link import Collision, Link, Surface, Visual
from andante.description.shapes import Geometry, Heightmap, Mesh, Plane, Vec3
from andante.description.solids import inertia_of
from andante.errors import BadInput
from andante.geometry import SE3

from .frames import Scope
from .geometry import read_geometry
from .include import Reading
from .material import read_material
from .values import child_big, child_number, flag, name_of, raw_pose, text_of, truth

WATER = 1000.0  # density that the standard assumes [kg/m^3]
READ = ("pose", "inertial", "visual", "collision", "gravity", "self_collide", "sensor", "plugin", "kinematic", "light")
HARMLESS = ("enable_wind", "must_be_base_link", "audio_sink", "audio_source", "battery", "projector", "frame")
MOMENTS = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")


def read_link(reading: Reading, scope: Scope, node: Node, static: bool = False) -> Link:
    """The link of a <link> element under its flattened name; masses of a static model do not matter."""
    local = (node.get("name") or "").strip()
    report = reading.report
    report.leftovers(node, READ, (*HARMLESS, "velocity_decay", "particle_emitter"))
    if flag(node, "kinematic"):
        report.warn(node, "<kinematic> links are simulated like any other link")
    for light in node.all("light"):
        report.info(light, "a light on a link is not used")
    self_collide = node.find("self_collide")
    visuals = tuple(v for v in (_visual(reading, scope, local, n) for n in node.all("visual")) if v is not None)
    pairs = [(c, n) for n in node.all("collision") if (c := _collision(reading, scope, local, n)) is not None]
    return Link(
        name=scope.flat(local),
        inertia=_inertia(reading, scope, node, pairs, static),
        visuals=visuals,
        collisions=tuple(collision for collision, _ in pairs),
        gravity=flag(node, "gravity", True),
        self_collide=None if self_collide is None else flag(node, "self_collide"),
        source=node.source,
    )


def _inertia(
    reading: Reading, scope: Scope, link: Node, pairs: list[tuple[Collision, Node]], static: bool
) -> Inertia | None:
    """Inertia in the link frame; None for links that our writer marked as massless, and for mere frames."""
    if link.find("andante:massless") is not None:
        return None
    own = link.find("andante:inertial")
    if own is not None:
        com = vec3(own, own.get("com"), "com")
        moments = vector(own, own.get("moments"), 6, "moments")
        return Inertia(number(own, own.get("mass"), "mass"), com, moments)  # type: ignore[arg-type]
    node = link.find("inertial")
    if node is None:
        if not static and _is_frame(scope, link):
            reading.report.info(
                link,
                "a link without <inertial> and <collision> that no joint moves weighs nothing beside others that do",
            )
            return None
        if not static:
            reading.report.info(link, "a link without <inertial> weighs 1 kg with unit inertia, as the standard says")
        return Inertia(1.0, (0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 1.0, 0.0, 1.0))
    if truth(node, node.get("auto") or "false", "auto"):
        return _automatic(reading, node, pairs)
    reading.report.leftovers(node, ("pose", "mass", "inertia", "density", "auto_inertia_params"), ("fluid_added_mass",))
    mass = child_number(node, "mass", 1.0)
    tensor = node.find("inertia")
    if tensor is None:
        reading.report.info(node, "an <inertial> without <inertia> has unit inertia, as the standard says")
    values = [child_number(tensor, tag, 1.0 if tag in ("ixx", "iyy", "izz") else 0.0) for tag in MOMENTS]
    inertia = Inertia(mass, (0.0, 0.0, 0.0), tuple(values))  # type: ignore[arg-type]
    pose = scope.locate(raw_pose(node), (link.get("name") or "").strip())
    return inertia if pose.is_identity() else inertia.transformed(pose)


def _is_frame(scope: Scope, link: Node) -> bool:
    """Whether a link only names a place: nothing solid, no joint of its own, while other links state their mass.

    The standard's 1 kg and 1 kg m^2 would turn a robot of a kilogram that has such links into a flywheel.
    """
    name = (link.get("name") or "").strip()
    joints = [each for each in scope.children if each.tag == "joint" and each.get("type") != "fixed"]
    moved = any(text_of(joint, "child") == name for joint in joints)
    weighed = any(each.tag == "link" and each.find("inertial") is not None for each in scope.children)
    return weighed and not moved and link.find("collision") is None


def _automatic(reading: Reading, node: Node, pairs: list[tuple[Collision, Node]]) -> Inertia:
    """Sum of the solids of all collisions; a density on the collision wins over that of the inertial."""
    general = child_number(node, "density", WATER)
    parts = []
    for collision, element in pairs:
        density = child_number(element, "density", general)
        if density <= 0:
            raise element.error(f"<density> must be positive, got {density:g}")
        shape = collision.geometry
        if isinstance(shape, Plane | Heightmap) or (isinstance(shape, Mesh) and shape.path is None):
            reading.report.warn(element, "this collision has no volume, so it adds nothing to the automatic inertia")
            continue
        try:
            solid = inertia_of(shape, density=density)
        except BadInput as error:
            raise element.error(str(error)) from None
        if solid.note:
            reading.report.info(element, f"automatic inertia: {solid.note}")
        parts.append(solid.inertia.transformed(collision.pose))
    total = combine(parts)
    if total is None:
        reading.report.warn(node, "auto inertia without a solid collision: 1 kg with unit inertia is used")
        return Inertia(1.0, (0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 1.0, 0.0, 1.0))
    if node.find("mass") is not None:
        reading.report.info(node, "auto inertia: the stated <mass> is not used, the densities are")
    return total


def _shape(reading: Reading, scope: Scope, link: str, node: Node) -> tuple[Geometry, SE3] | None:
    geometry = node.find("geometry")
    if geometry is None:
        reading.report.warn(node, f"a <{node.tag}> without <geometry> is left out")
        return None
    found = read_geometry(reading, geometry)
    if found is None:
        return None
    shape, offset = found
    pose = scope.locate(raw_pose(node), link)
    return shape, pose if offset.is_identity() else pose @ offset


def _visual(reading: Reading, scope: Scope, link: str, node: Node) -> Visual | None:
    reading.report.leftovers(
        node,
        ("pose", "geometry", "material", "transparency", "plugin"),
        ("cast_shadows", "laser_retro", "meta", "visibility_flags", "frame"),
    )
    found = _shape(reading, scope, link, node)
    return None if found is None else Visual(*found, read_material(reading, node), name_of(node))


def _collision(reading: Reading, scope: Scope, link: str, node: Node) -> Collision | None:
    known = ("pose", "geometry", "surface", "density")
    reading.report.leftovers(node, known, ("max_contacts", "laser_retro", "frame", "auto_inertia_params"))
    found = _shape(reading, scope, link, node)
    return None if found is None else Collision(*found, read_surface(reading, node.find("surface")), name_of(node))


def read_surface(reading: Reading, node: Node | None) -> Surface:
    """Contact parameters of a <surface>; what the file does not state stays None."""
    if node is None:
        return Surface()
    report = reading.report
    friction, bounce, contact = (node.find(tag) for tag in ("friction", "bounce", "contact"))
    ode, bullet, torsional = (child_of(friction, tag) for tag in ("ode", "bullet", "torsional"))
    solver = child_of(contact, "ode") or child_of(contact, "bullet")
    report.leftovers(node, ("friction", "bounce", "contact"), ("soft_contact",))
    report.leftovers(friction, ("ode", "bullet", "torsional"))
    report.leftovers(ode, ("mu", "mu2", "fdir1", "slip1", "slip2"))
    report.leftovers(torsional, ("coefficient", "ode"), ("use_patch_radius", "patch_radius", "surface_radius"))
    report.leftovers(bounce, ("restitution_coefficient",), ("threshold",))
    harmless = ("collide_without_contact", "collide_without_contact_bitmask", "poissons_ratio", "elastic_modulus")
    report.leftovers(contact, ("ode", "bullet", "mujoco", "collide_bitmask"), (*harmless, "category_bitmask"))
    mujoco = child_of(contact, "mujoco")  # a word of our own
    report.leftovers(mujoco, ("solref", "solimp", "margin", "gap"))
    harmless = ("soft_cfm", "soft_erp", "split_impulse", "split_impulse_penetration_threshold")
    report.leftovers(solver, ("kp", "kd", "max_vel", "min_depth"), harmless)
    return Surface(
        mu=_first(child_big(ode, "mu"), child_big(bullet, "friction")),
        mu2=_first(child_big(ode, "mu2"), child_big(bullet, "friction2")),
        torsional=child_big(torsional, "coefficient"),
        rolling=child_big(bullet, "rolling_friction"),
        restitution=child_big(bounce, "restitution_coefficient"),
        kp=child_big(solver, "kp"),
        kd=child_big(solver, "kd"),
        max_velocity=child_big(solver, "max_vel"),
        min_depth=child_big(solver, "min_depth"),
        fdir1=_direction(ode) or _direction(bullet),
        collide_bitmask=_mask(contact),
        slip1=child_big(ode, "slip1"),
        slip2=child_big(ode, "slip2"),
        solref=_row(mujoco, "solref"),
        solimp=_row(mujoco, "solimp"),
        margin=child_big(mujoco, "margin"),
        gap=child_big(mujoco, "gap"),
    )


def _row(node: Node | None, tag: str) -> Any:
    """The numbers of a field that has several, None where it is not stated."""
    text = text_of(node, tag)
    return None if node is None or not text else vector(node, text, ROWS[tag], f"<{tag}>")


def _first(*values: float | None) -> float | None:
    return next((value for value in values if value is not None), None)


def _direction(node: Node | None) -> Vec3 | None:
    text = text_of(node, "fdir1")
    if node is None or not text:
        return None
    direction = vec3(node, text, "<fdir1>")
    return direction if any(direction) else None


def _mask(contact: Node | None) -> int | None:
    text = text_of(contact, "collide_bitmask")
    if contact is None or not text:
        return None
    try:
        value = int(text, 0) if len(text) < 24 else -1
    except ValueError:
        value = -1
    if not 0 <= value < 2**32:
        raise contact.error(f"<collide_bitmask> should be a whole number from 0 to 0xffffffff, got {text[:24]!r}")
    return value
