"""Links of SDF: inertia and its defaults, densities, shapes, materials, surfaces, height maps, polylines."""

import math
from pathlib import Path

import numpy as np
import pytest
from sdf_samples import messages, robot

from andante.description.link import Link, Surface
from andante.description.shapes import Box, Capsule, Cylinder, Ellipsoid, Heightmap, Mesh, Plane, Sphere
from andante.errors import AndanteError


def link(body: str, version: str = "1.12", path: Path = Path("sample.sdf")) -> Link:
    return robot(f'<link name="a">{body}</link>', version, path).link("a")


def collision(geometry: str, more: str = "") -> str:
    return f'<collision name="c"><geometry>{geometry}</geometry>{more}</collision>'


def test_default_inertia_of_the_standard_is_told() -> None:
    r = robot('<link name="a"/>')
    assert r.link("a").inertia is not None
    assert r.mass == 1.0
    assert r.links[0].inertia.moments == (1.0, 0.0, 0.0, 1.0, 0.0, 1.0)
    assert "sample.sdf:1: info: a link without <inertial> weighs 1 kg" in messages(r)


def test_mere_frames_weigh_nothing_beside_links_that_do() -> None:
    heavy = '<link name="b"><inertial><mass>2</mass></inertial></link>'
    fixed = '<joint name="j" type="fixed"><parent>b</parent><child>a</child></joint>'
    r = robot(f'<link name="a"/>{heavy}{fixed}')
    assert r.mass == 2.0
    assert "weighs nothing" in messages(r)
    moved = fixed.replace("fixed", "revolute")
    assert robot(f'<link name="a"/>{heavy}{moved}').mass == 3.0
    solid = (
        '<link name="a"><collision name="c"><geometry><sphere><radius>1</radius></sphere></geometry></collision></link>'
    )
    assert robot(f"{solid}{heavy}{fixed}").mass == 3.0


def test_masses_of_static_models_are_not_told() -> None:
    r = robot('<static>true</static><link name="a"/>')
    assert "weighs" not in messages(r)


def test_turned_inertia() -> None:
    text = (
        "<inertial><pose>1 2 3 0 0 1.5707963267948966</pose><mass>2</mass><inertia><ixx>1</ixx><iyy>2</iyy><izz>3</izz>"
    )
    inertia = link(text + "<ixy>0</ixy></inertia></inertial>").inertia
    assert inertia is not None
    assert np.allclose(inertia.com, (1, 2, 3))
    assert np.allclose(inertia.moments, (2, 0, 0, 1, 0, 3))


def test_inertia_from_density() -> None:
    box = collision("<box><size>1 2 3</size></box>")
    inertia = link('<inertial auto="true"><density>10</density></inertial>' + box).inertia
    assert inertia is not None
    assert inertia.mass == pytest.approx(60.0)
    assert inertia.moments[0] == pytest.approx(60 * (4 + 9) / 12)
    two = '<inertial auto="true"/>' + collision("<sphere><radius>1</radius></sphere>", "<density>3</density>")
    inertia = link(two).inertia
    assert inertia is not None
    assert inertia.mass == pytest.approx(3 * 4 / 3 * math.pi)
    assert link('<inertial auto="true"/>' + collision("<plane/>")).inertia.mass == 1.0  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        ("<box><size>1 2 3</size></box>", Box((1, 2, 3))),
        ("<sphere><radius>2</radius></sphere>", Sphere(2)),
        ("<cylinder><radius>1</radius><length>2</length></cylinder>", Cylinder(1, 2)),
        ("<capsule><radius>1</radius><length>2</length></capsule>", Capsule(1, 2)),
        ("<ellipsoid><radii>1 2 3</radii></ellipsoid>", Ellipsoid((1, 2, 3))),
        ("<plane><normal>0 2 0</normal><size>3 4</size></plane>", Plane((0, 1, 0), (3, 4))),
        (
            "<mesh><uri>model://x/y.dae</uri><scale>1 2 3</scale><submesh><name>p</name><center>1</center></submesh>"
            "</mesh>",
            Mesh("model://x/y.dae", None, (1, 2, 3), "p", True),
        ),
    ],
)
def test_shapes(text: str, shape: object) -> None:
    assert link(collision(text)).collisions[0].geometry == shape


def test_missing_meshes_and_unknown_shapes_are_told() -> None:
    assert "model://x/y.dae was not found" in messages(
        robot(f'<link name="a">{collision("<mesh><uri>model://x/y.dae</uri></mesh>")}</link>')
    )
    r = robot(f'<link name="a">{collision("<blob/>")}</link>')
    assert r.link("a").collisions == ()
    assert "<blob> is not a known shape" in messages(r)


def test_meshes_are_found_beside_the_file(tmp_path: Path) -> None:
    (tmp_path / "part.stl").write_text("solid")
    shape = link(collision("<mesh><uri>part.stl</uri></mesh>"), path=tmp_path / "m.sdf").collisions[0].geometry
    assert isinstance(shape, Mesh)
    assert shape.path == tmp_path / "part.stl"


def test_surface() -> None:
    text = """<surface><friction><ode><mu>0.9</mu><mu2>0.8</mu2><fdir1>0 1 0</fdir1></ode>
    <torsional><coefficient>0.1</coefficient></torsional><bullet><friction>5</friction>
    <rolling_friction>0.01</rolling_friction></bullet></friction>
    <bounce><restitution_coefficient>0.5</restitution_coefficient></bounce>
    <contact><collide_bitmask>0x03</collide_bitmask><ode><kp>1e13</kp><kd>2</kd><max_vel>3</max_vel>
    <min_depth>0.004</min_depth></ode></contact></surface>"""
    surface = link(collision("<sphere><radius>1</radius></sphere>", text)).collisions[0].surface
    assert surface == Surface(0.9, 0.8, 0.1, 0.01, 0.5, 1e13, 2.0, 3.0, 0.004, (0.0, 1.0, 0.0), 3)
    empty = (
        "<surface><friction><ode/><torsional><ode/></torsional></friction><contact><ode/></contact><bounce/></surface>"
    )
    assert link(collision("<sphere/>", empty)).collisions[0].surface == Surface()
    bullet = "<surface><friction><bullet><friction>5</friction></bullet></friction></surface>"
    assert link(collision("<sphere/>", bullet)).collisions[0].surface.mu == 5.0


def test_colors() -> None:
    def rgba(material: str, more: str = "") -> object:
        return (
            link(f'<visual name="v"><geometry><sphere/></geometry>{material}{more}</visual>').visuals[0].material.rgba
        )

    assert rgba("<material><diffuse>1 0 0 1</diffuse><ambient>0 1 0 1</ambient></material>") == (1, 0, 0, 1)
    assert rgba("<material><ambient>0 1 0</ambient></material>") == (0, 1, 0, 1)
    assert rgba("<material><script><name>Gazebo/Blue</name></script></material>") == (0, 0, 1, 1)
    assert rgba("<material><diffuse>1 0 0 1</diffuse></material>", "<transparency>0.25</transparency>") == (
        1,
        0,
        0,
        0.75,
    )
    assert rgba("") is None


def test_what_is_not_understood_is_told_once_with_a_count() -> None:
    r = robot('<link name="a"><wings>2</wings><wings>3</wings><enable_wind>1</enable_wind></link><gripper name="g"/>')
    told = messages(r)
    assert "warning: <wings> in <link> is not understood and is left out (2 places)" in told
    assert "info: <enable_wind> in <link> is not used" in told
    assert "<gripper>" in told


def test_heightmap_rows_and_scale(tmp_path: Path) -> None:
    from PIL import Image

    Image.fromarray(np.array([[255, 0], [0, 0], [0, 51]], dtype=np.uint8)).save(tmp_path / "h.png")
    text = "<heightmap><uri>h.png</uri><size>4 6 10</size><pos>1 2 3</pos></heightmap>"
    found = link(collision(text), path=tmp_path / "m.sdf").collisions[0]
    assert isinstance(found.geometry, Heightmap)
    assert found.geometry.size == (4.0, 6.0)
    assert found.geometry.heights[2] == (10.0, 0.0)  # top of the picture lies at +y
    assert found.geometry.heights[0] == (0.0, 2.0)
    assert np.allclose(found.pose.translation, (1, 2, 3))
    (tmp_path / "bad.png").write_bytes(b"\x89PNG nothing")
    with pytest.raises(AndanteError, match=r"bad\.png cannot be read"):
        link(collision("<heightmap><uri>bad.png</uri></heightmap>"), path=tmp_path / "m.sdf")


def test_polylines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))

    def polyline(*points: str) -> str:
        listed = "".join(f"<point>{p}</point>" for p in points)
        return collision(f"<polyline>{listed}<height>2</height></polyline>")

    box = link(polyline("0 0", "2 0", "2 1", "0 1")).collisions[0]
    assert box.geometry == Box((2.0, 1.0, 2.0))
    assert np.allclose(box.pose.translation, (1, 0.5, 1))
    prism = link(polyline("0 0", "1 0", "0 1", "0 0")).collisions[0].geometry
    assert isinstance(prism, Mesh)
    from andante.description.solids import volume

    assert volume(prism) == pytest.approx(1.0)
    hollow = link(polyline("0 0", "2 0", "0.1 0.1", "0 2")).collisions[0].geometry
    assert volume(hollow) == pytest.approx(2 * 0.2)


@pytest.mark.parametrize(
    ("body", "fragment"),
    [
        (collision("<box><size>1 2</size></box>"), "3 numbers"),
        (collision("<box><size>1 2 -3</size></box>"), "positive"),
        (collision("<sphere><radius>nan</radius></sphere>"), "finite"),
        (collision("<plane><normal>0 0 0</normal></plane>"), "no length"),
        (collision("<mesh/>"), "uri"),
        ("<inertial><mass>1e308</mass></inertial>", "finite"),
        ("<gravity>maybe</gravity>", "true or false"),
        (
            collision("<sphere/>", "<surface><contact><ode><kp>1e308</kp></ode></contact></surface>"),
            "finite",
        ),
        (
            collision("<sphere/>", "<surface><contact><collide_bitmask>zz</collide_bitmask></contact></surface>"),
            "bitmask",
        ),
    ],
)
def test_bad_links_name_the_line(body: str, fragment: str) -> None:
    with pytest.raises(AndanteError, match=fragment) as caught:
        link(body)
    assert str(caught.value).startswith("sample.sdf:1:")
