"""Roads, actors, populations, polylines, material scripts and static models inside moving ones, in SDF worlds."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from sdf_samples import messages, world

from andante.description import Box, Capsule, Cylinder, Heightmap, JointType, Link, Mesh
from andante.description.io.open import read_robot, read_world
from andante.description.io.sdf.polygon import prism, triangulated
from andante.description.looks import pieces
from andante.description.mesh.files import load_mesh_file
from andante.description.mesh.triangles import triangles


def seen(w: object, name: str) -> Link:
    return next(m.robot.links[0] for m in w.models if m.name == name)  # type: ignore[attr-defined]


def test_a_road_is_a_strip_that_touches_nothing() -> None:
    points = "".join(f"<point>{p}</point>" for p in ("0 0 0", "10 0 0", "10 0 0", "10 10 0"))
    w = world(f'<road name="street"><width>2</width>{points}</road>')
    (model,) = w.models
    assert model.fixed
    link = seen(w, "street")
    assert not link.collisions
    assert isinstance(link.visuals[0].geometry, Mesh)
    vertices, faces = triangles(link.visuals[0].geometry)
    corners = vertices[faces]
    area = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])[:, 2] / 2
    assert (area > 0).all()  # seen from above
    assert area.sum() == pytest.approx(2 * 20, rel=1e-6)  # mitred at the corner
    assert link.visuals[0].material.rgba == (0.3, 0.3, 0.3, 1.0)
    assert "left out" in messages(world('<road name="r"><width>2</width><point>0 0 0</point></road>'))


def test_an_actor_goes_the_way_of_its_script() -> None:
    way = "".join(
        f"<waypoint><time>{t}</time><pose>{p} 0 0 0</pose></waypoint>" for t, p in ((0, "0 2 1"), (2, "5 5 1"))
    )
    script = f'<script><delay_start>1</delay_start><trajectory id="0" type="walking">{way}</trajectory></script>'
    w = world(
        '<actor name="walker"><pose>1 0 0 0 0 0</pose><skin><filename>none.dae</filename></skin>' + script + "</actor>"
    )
    (model,) = w.models
    assert model.fixed
    assert model.pose.translation.tolist() == [1, 2, 1]
    assert isinstance(seen(w, "walker").visuals[0].geometry, Capsule)
    assert isinstance(seen(w, "walker").collisions[0].geometry, Cylinder)
    assert model.motion is not None
    pose, velocity = model.motion.at(2.0)  # a second after it has begun, half way
    assert pose.translation.tolist() == [3.5, 3.5, 1]
    assert velocity[:3].tolist() == [2.5, 1.5, 0]
    assert model.motion.at(3.5)[0].translation.tolist() == [2.25, 2.75, 1]  # it begins anew


def test_an_actor_without_a_script_touches_nothing() -> None:
    w = world('<actor name="a"><pose>1 0 1 0 0 0</pose></actor>')
    assert w.models[0].motion is None
    assert not seen(w, "a").collisions
    assert "does not move" in messages(w)


def test_the_skin_of_an_actor_is_shown(tmp_path: Path) -> None:
    (tmp_path / "skin.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    text = '<actor name="a"><skin><filename>skin.obj</filename><scale>2</scale></skin></actor>'
    w = world(text, path=tmp_path / "w.sdf")
    assert seen(w, "a").visuals[0].geometry == Mesh("skin.obj", tmp_path / "skin.obj", (2.0, 2.0, 2.0))


MEMBER = '<model name="can"><static>true</static><link name="l"/></model>'


def test_populations() -> None:
    grid = "<distribution><type>grid</type><rows>2</rows><cols>3</cols><step>1 2 0</step></distribution>"
    w = world(f'<population name="p"><pose>10 0 0 0 0 0</pose>{MEMBER}<model_count>6</model_count>{grid}</population>')
    places = {m.name: tuple(m.pose.translation.tolist()) for m in w.models}
    assert places["can_clone_0"] == (9, -1, 0)
    assert sorted(set(places.values())) == sorted((x, y, 0) for x in (9, 10, 11) for y in (-1, 1))
    line = "<box><size>4 1 1</size></box><distribution><type>linear-x</type></distribution>"
    w = world(f'<population name="p">{MEMBER}<model_count>3</model_count>{line}</population>')
    assert [m.pose.translation[0] for m in w.models] == [-2, 0, 2]
    for room in ("<box><size>2 4 0</size></box>", "<cylinder><radius>1</radius><length>0</length></cylinder>"):
        text = f'<population name="p">{MEMBER}<model_count>50</model_count>{room}</population>'
        first, again = world(text), world(text)
        spots = np.array([m.pose.translation for m in first.models])
        assert np.array_equal(spots, [m.pose.translation for m in again.models])
        assert len(np.unique(spots, axis=0)) == 50
        limit = (1, 2, 0) if "box" in room else (1, 1, 0)
        assert (np.abs(spots) <= np.array(limit) + 1e-9).all()
    assert "left out" in messages(world(f'<population name="p">{MEMBER}<model_count>999999</model_count></population>'))


def test_a_population_of_included_models(tmp_path: Path) -> None:
    (tmp_path / "can.sdf").write_text(f'<sdf version="1.6">{MEMBER}</sdf>')
    inner = "<model><include><uri>can.sdf</uri></include></model>"
    text = f'<population name="p">{inner}<model_count>2</model_count></population>'
    assert len(world(text, path=tmp_path / "w.sdf").models) == 2


STAR = np.array([(np.cos(t), np.sin(t)) for t in np.linspace(0, 2 * np.pi, 10, endpoint=False)])
STAR[1::2] *= 0.4


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("shape", [STAR, np.array([[0, 0], [2, 0], [2, 2], [1, 2], [1, 1], [0, 1.0]])])
def test_hollow_polygons_become_prisms(tmp_path: Path, shape: np.ndarray, turned: bool) -> None:
    points = shape[::-1] if turned else shape
    faces = triangulated(points)
    assert faces is not None
    x, y = points[:, 0], points[:, 1]
    area = abs(np.sum(x * np.roll(y, -1) - y * np.roll(x, -1))) / 2
    (tmp_path / "p.obj").write_text(prism(points, faces, 0.5))
    mesh = load_mesh_file(tmp_path / "p.obj")
    assert mesh.is_watertight
    assert mesh.volume == pytest.approx(area * 0.5)


def test_sides_that_cross_are_told() -> None:
    cross = "".join(f"<point>{p}</point>" for p in ("0 0", "1 1", "1 0", "0 1.2"))
    shape = f"<geometry><polyline>{cross}<height>1</height></polyline></geometry>"
    w = world(f'<model name="m"><link name="l"><collision name="c">{shape}</collision></link></model>')
    assert "cross each other" in messages(w)


MOVING = """<model name="car"><link name="body"/><model name="post"><static>{}</static><pose>1 0 0 0 0 0</pose>
<link name="pole"/></model>{}</model>"""


def test_a_static_model_inside_a_moving_one_stands_still() -> None:
    held = {m.name: m for m in world(MOVING.format("true", "")).models}
    assert not held["car"].fixed
    post = held["car::post::pole"]
    assert post.fixed
    assert post.pose.translation.tolist() == [1, 0, 0]
    free = {m.name: m for m in world(MOVING.format("false", "")).models}
    assert not free["car::post::pole"].fixed


def test_a_joint_to_a_static_model_is_a_joint_to_the_world() -> None:
    joint = (
        '<joint name="hinge" type="revolute"><parent>post::pole</parent><child>body</child>'
        "<axis><xyz>0 0 1</xyz></axis></joint>"
    )
    (model,) = world(MOVING.format("true", joint)).models
    assert model.fixed
    assert model.robot.root == "post::pole"
    assert model.robot.joints[0].type is JointType.CONTINUOUS


def test_material_scripts_and_pictures(tmp_path: Path) -> None:
    model = tmp_path / "crate"
    (model / "materials" / "scripts").mkdir(parents=True)
    (model / "materials" / "textures").mkdir()
    Image.new("RGB", (2, 2), (10, 200, 30)).save(model / "materials" / "textures" / "crate.png")
    (model / "materials" / "scripts" / "crate.material").write_text(
        "// of a stranger\nmaterial Crate/Base { technique { pass { diffuse 0.5 0.25 0.125 1 } } }\n"
        "material Crate/Wood : Crate/Base\n{ technique { pass { texture_unit { texture crate.png } } } }\n"
    )
    uris = "<uri>model://crate/materials/scripts</uri><uri>model://crate/materials/textures</uri>"

    def visual(name: str, material: str) -> str:
        box = "<geometry><box><size>1 1 1</size></box></geometry>"
        return f'<visual name="{name}">{box}<material>{material}</material></visual>'

    visuals = (
        visual("plain", f"<script>{uris}<name>Crate/Base</name></script>")
        + visual("wood", f"<script>{uris}<name>Crate/Wood</name></script>")
        + visual("gray", "<script><name>Gazebo/Grey</name></script>")
        + visual("pbr", "<diffuse>1 1 1 1</diffuse><pbr><metal><albedo_map>crate.png</albedo_map></metal></pbr>")
        + visual("lost", "<diffuse>1 0 0 1</diffuse><pbr><metal><albedo_map>gone.png</albedo_map></metal></pbr>")
    )
    (model / "model.sdf").write_text(
        f'<sdf version="1.6"><model name="crate"><link name="l">{visuals}</link></model></sdf>'
    )
    robot = read_robot(model / "model.sdf")
    looks = {v.name: v for v in robot.links[0].visuals}
    assert looks["plain"].material.rgba == (0.5, 0.25, 0.125, 1.0)
    assert looks["gray"].material.rgba == (0.7, 0.7, 0.7, 1.0)
    (wood,) = pieces(looks["wood"])
    assert wood.flat == pytest.approx((0.5 * 10 / 255, 0.25 * 200 / 255, 0.125 * 30 / 255, 1.0), abs=0.01)
    (pbr,) = pieces(looks["pbr"])
    assert pbr.flat == pytest.approx((10 / 255, 200 / 255, 30 / 255, 1.0), abs=0.01)
    assert looks["lost"].material.rgba == (1, 0, 0, 1)
    assert "gone.png" in messages(robot)


def test_the_picture_of_a_height_map(tmp_path: Path) -> None:
    Image.new("RGB", (2, 2), (0, 128, 0)).save(tmp_path / "grass.png")
    Image.fromarray(np.array([[0, 255], [255, 0]], dtype=np.uint8)).save(tmp_path / "hills.png")
    field = "<uri>hills.png</uri><size>10 10 1</size><texture><size>5</size><diffuse>grass.png</diffuse></texture>"
    shape = f"<geometry><heightmap>{field}</heightmap></geometry>"
    (tmp_path / "w.sdf").write_text(
        '<sdf version="1.6"><world name="w"><model name="m"><static>true</static><link name="l">'
        f'<visual name="v">{shape}</visual></link></model></world></sdf>'
    )
    visual = read_world(tmp_path / "w.sdf").models[0].robot.links[0].visuals[0]
    assert isinstance(visual.geometry, Heightmap)
    assert visual.material.path == tmp_path / "grass.png"
    assert visual.material.tile == (5, 5)
    assert not isinstance(visual.geometry, Box)
