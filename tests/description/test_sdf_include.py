"""<include> of SDF: where models are found, what an include may change, cycles, bombs, merging, built-in models."""

import re
from pathlib import Path

import numpy as np
import pytest
from sdf_samples import messages, world

from andante.description import Box, Plane
from andante.description.io.fuel import fuel_file
from andante.description.io.open import read_robot, read_world
from andante.description.io.resolver import Resolver
from andante.errors import AndanteError

BOX = '<sdf version="1.6"><model name="box"><pose>9 9 9 0 0 0</pose>{}<link name="l"/></model></sdf>'


def model_folder(base: Path, name: str, files: dict[str, str], config: str = "") -> Path:
    folder = base / name
    folder.mkdir(parents=True)
    for file, text in files.items():
        (folder / file).write_text(text)
    if config:
        (folder / "model.config").write_text(config)
    return folder


def test_model_config_picks_the_newest_version(tmp_path: Path) -> None:
    files = {"old.sdf": BOX.format(""), "new.sdf": BOX.format('<link name="newer"/>')}
    offer = '<sdf version="{}">{}.sdf</sdf>'
    config = f"<model>{offer.format(1.4, 'old')}{offer.format('1.10', 'new')}{offer.format(1.5, 'old')}</model>"
    model_folder(tmp_path / "models", "box", files, config)
    w = world("<include><uri>model://box</uri></include>", path=tmp_path / "w.sdf", folders=(tmp_path / "models",))
    assert {m.robot.root for m in w.models} == {"newer", "l"}


def test_include_overrides_name_pose_and_static(tmp_path: Path) -> None:
    model_folder(tmp_path, "box", {"model.sdf": BOX.format("")})
    (tmp_path / "w.sdf").write_text(
        '<sdf version="1.9"><world name="w"><include><uri>model://box</uri></include><include><uri>box</uri>'
        "<name>other</name><pose>1 2 3 0 0 0</pose><static>true</static></include>"
        f"<include><uri>file://{tmp_path}/box/model.sdf</uri><name>third</name></include></world></sdf>"
    )
    w = read_world(tmp_path / "w.sdf")
    assert [(m.name, m.fixed) for m in w.models] == [("box", False), ("other", True), ("third", False)]
    assert np.allclose(w.models[0].pose.translation, (9, 9, 9))
    assert np.allclose(w.models[1].pose.translation, (1, 2, 3))


def test_include_inside_a_model_and_merge(tmp_path: Path) -> None:
    part = (
        '<sdf version="1.9"><model name="part"><link name="l"><pose>0 0 1 0 0 0</pose></link>'
        '<frame name="f"><pose>0 1 0 0 0 0</pose></frame></model></sdf>'
    )
    (tmp_path / "part.sdf").write_text(part)
    text = (
        '<sdf version="1.9"><model name="m"><link name="a"/><include {}><uri>part.sdf</uri><pose>5 0 0 0 0 0</pose>'
        '</include><joint name="j" type="fixed"><parent>a</parent><child>{}</child></joint></model></sdf>'
    )
    (tmp_path / "m.sdf").write_text(text.format("", "part::l"))
    nested = read_robot(tmp_path / "m.sdf")
    assert np.allclose(nested.link_poses()["part::l"].translation, (5, 0, 1))
    (tmp_path / "m.sdf").write_text(text.format('merge="true"', "l"))
    merged = read_robot(tmp_path / "m.sdf")
    assert np.allclose(merged.link_poses()["l"].translation, (5, 0, 1))
    frames = {f.name: f for f in merged.frames}
    assert np.allclose((merged.link_poses()[frames["f"].link] @ frames["f"].pose).translation, (5, 1, 0))


def test_ground_plane_and_sun_need_no_files() -> None:
    w = world("<include><uri>model://ground_plane</uri></include><include><uri>model://sun</uri></include>")
    assert [(m.name, m.fixed) for m in w.models] == [("ground_plane", True)]
    assert [light.name for light in w.lights] == ["sun"]


def test_a_broken_model_config_does_not_cost_the_model(tmp_path: Path) -> None:
    model_folder(tmp_path, "box", {"model.sdf": BOX.format("")}, "<model> A & B <name/>")
    assert [m.name for m in world("<include><uri>box</uri></include>", path=tmp_path / "w.sdf").models] == ["box"]


def test_two_joints_of_one_name_in_a_world_are_kept() -> None:
    link = '<link name="{0}"/>'
    joint = '<joint name="j" type="fixed"><parent>a</parent><child>{}</child></joint>'
    w = world(f'<model name="m">{"".join(link.format(n) for n in "abc")}{joint.format("b")}{joint.format("c")}</model>')
    assert sorted(j.name for j in w.models[0].robot.joints) == ["j", "j_2"]
    assert "renamed" in messages(w)


MISSING = pytest.mark.parametrize(
    ("include", "fragment"),
    [
        ("<uri>model://nowhere</uri>", "model://nowhere was not found.*GAZEBO_MODEL_PATH"),
        ("<uri>https://fuel.gazebosim.org/1.0/x</uri>", "nothing is fetched"),
        ("<uri>https://fuel.gazebosim.org/1.0/Some/models/Thing</uri>", "in no local cache.*--fuel-cache"),
        ("<uri>model://../../etc</uri>", "was not found"),
        ("<uri>\x7f\ud7ff</uri>", "was not found"),
        (f"<uri>{'x' * 5000}</uri>", "usable path|was not found"),
        ("<uri>broken.sdf</uri>", "not well-formed|root element"),
    ],
)


@MISSING
def test_a_robot_needs_what_it_includes(include: str, fragment: str, tmp_path: Path) -> None:
    (tmp_path / "broken.sdf").write_text("<sdf><model")
    (tmp_path / "w.sdf").write_text(
        f'<sdf version="1.9"><model name="m"><link name="l"/><include>{include}</include></model></sdf>',
        encoding="utf-8",
    )
    with pytest.raises(AndanteError, match=fragment) as caught:
        read_robot(tmp_path / "w.sdf")
    assert ".sdf:1" in str(caught.value)


@MISSING
def test_a_world_stands_without_what_it_includes(include: str, fragment: str, tmp_path: Path) -> None:
    (tmp_path / "broken.sdf").write_text("<sdf><model")
    text = f"<include>{include}<pose>1 2 0 0 0 0</pose></include><include>{include}</include>"
    w = world(text, path=tmp_path / "w.sdf")
    first, second, ground = w.models
    assert re.search(fragment, messages(w))
    assert "w.sdf:1" in messages(w)
    assert first.name != second.name
    assert np.allclose(first.pose.translation, (1, 2, 0))
    assert isinstance(first.robot.links[0].visuals[0].geometry, Box)
    assert not first.robot.links[0].collisions  # of unknown size: seen, and in nobody's way
    assert isinstance(ground.robot.links[0].collisions[0].geometry, Plane)  # nothing else carries a robot


def test_an_include_without_a_name_is_refused() -> None:
    with pytest.raises(AndanteError, match="needs a <uri>"):
        world("<include><name>x</name></include>")


def test_things_of_known_size_are_solid_and_grounds_are_not_doubled() -> None:
    w = world(
        "<include><uri>model://ground_plane</uri></include>"
        "<include><uri>https://fuel.gazebosim.org/1.0/OpenRobotics/models/Cinder Block</uri></include>"
    )
    assert [m.name for m in w.models] == ["ground_plane", "cinder_block"]
    (block,) = w.models[1].robot.links[0].collisions
    assert block.geometry == Box((0.4, 0.2, 0.2))
    assert block.pose.translation[2] == pytest.approx(0.1)


def test_a_second_ground_is_left_out_and_a_taken_name_is_told_where_it_is_included(tmp_path: Path) -> None:
    w = world("<include><uri>model://ground_plane</uri></include>" * 2)
    assert [m.name for m in w.models] == ["ground_plane"]
    assert "a second 'ground_plane' is left out" in messages(w)
    model_folder(tmp_path, "box", {"model.sdf": BOX.format("")})
    with pytest.raises(AndanteError, match=r"w\.sdf:\d+: <include>: the name 'box' .* a <name> of its own"):
        world("<include><uri>box</uri></include>" * 2, path=tmp_path / "w.sdf")


@pytest.mark.parametrize(
    "uri",
    [
        "https://fuel.gazebosim.org/1.0/OpenRobotics/models/Ground Plane",
        "https://fuel.ignitionrobotics.org/1.0/OpenRobotics/models/Ground%20Plane/3",
        "https://app.gazebosim.org/OpenRobotics/models/ground_plane",
    ],
)
def test_common_fuel_models_are_built_in(uri: str) -> None:
    w = world(f"<include><uri>{uri}</uri></include>")
    assert isinstance(w.models[0].robot.links[0].collisions[0].geometry, Plane)


def test_fuel_models_come_out_of_a_local_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    address = "https://fuel.gazebosim.org/1.0/Some One/models/Red Box"
    mesh = f"<visual name='v'><geometry><mesh><uri>{address}/2/files/meshes/a.stl</uri></mesh></geometry></visual>"
    for version, text in ((1, ""), (2, "<link name='second'/>"), (10, f"<link name='tenth'>{mesh}</link>")):
        model_folder(
            tmp_path / "fuel.gazebosim.org" / "some one" / "models" / "red box",
            str(version),
            {"model.sdf": BOX.format(text)},
        )
    meshes = tmp_path / "fuel.gazebosim.org" / "some one" / "models" / "red box" / "2" / "meshes"
    meshes.mkdir()
    (meshes / "a.stl").write_bytes(b"x")
    monkeypatch.setenv("GZ_FUEL_CACHE", str(tmp_path))
    newest = world(f"<include><uri> {address} </uri></include>")
    tenth = next(m.robot.links[0] for m in newest.models if m.robot.root == "tenth")
    assert tenth.visuals[0].geometry.path == meshes / "a.stl"  # type: ignore[union-attr]
    chosen = world(f"<include><uri>{address.replace(' ', '%20')}/2</uri></include>")
    assert {m.robot.root for m in chosen.models} == {"second", "l"}
    plain = tmp_path / "plain"
    model_folder(plain, "red_box", {"model.sdf": BOX.format('<link name="plain"/>')})
    monkeypatch.setenv("GZ_FUEL_CACHE", str(plain))
    assert {m.robot.root for m in world(f"<include><uri>{address}</uri></include>").models} == {"plain", "l"}


@pytest.mark.parametrize("inside", ["../../secret.stl", "%2e%2e/secret.stl"])
def test_addresses_do_not_lead_out_of_the_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, inside: str) -> None:
    (tmp_path / "secret.stl").write_bytes(b"x")
    model_folder(tmp_path / "cache", "box", {"model.sdf": BOX.format("")})
    monkeypatch.setenv("GZ_FUEL_CACHE", str(tmp_path / "cache"))
    assert fuel_file(f"https://fuel.gazebosim.org/1.0/a/models/box/files/{inside}") is None
    assert fuel_file("https://fuel.gazebosim.org/1.0/a/models/box/1/files/model.sdf") is not None


def test_cycles_are_refused_by_name(tmp_path: Path) -> None:
    for a, b in (("one", "two"), ("two", "one")):
        text = (
            f'<sdf version="1.9"><model name="{a}"><link name="l"/><include><uri>{b}.sdf</uri></include></model></sdf>'
        )
        (tmp_path / f"{a}.sdf").write_text(text)
    with pytest.raises(AndanteError, match=r"includes itself: one\.sdf -> two\.sdf -> one\.sdf"):
        read_robot(tmp_path / "one.sdf")


def test_expansion_bombs_are_bounded(tmp_path: Path) -> None:
    (tmp_path / "f0.sdf").write_text('<sdf version="1.9"><model name="m"><link name="l"/></model></sdf>')
    for i in range(1, 12):
        inner = "".join(f"<include><uri>f{i - 1}.sdf</uri><name>n{k}</name></include>" for k in range(10))
        (tmp_path / f"f{i}.sdf").write_text(f'<sdf version="1.9"><model name="m">{inner}</model></sdf>')
    with pytest.raises(AndanteError, match="includes"):
        read_robot(tmp_path / "f11.sdf")


def test_worlds_with_several_models_are_no_robot(tmp_path: Path) -> None:
    one = '<model name="{}"><link name="l"/></model>'
    file = tmp_path / "w.sdf"
    file.write_text(f'<sdf version="1.9"><world name="w">{one.format("a")}{one.format("b")}</world></sdf>')
    with pytest.raises(AndanteError, match=r"2 models \(a, b\)"):
        read_robot(file)
    file.write_text(f'<sdf version="1.9"><world name="w">{one.format("a")}</world></sdf>')
    assert read_robot(file).name == "a"
    file.write_text(f'<sdf version="1.6">{one.format("a")}{one.format("b")}</sdf>')
    r = read_robot(file)
    assert r.name == "a"
    assert "holds 2 models" in messages(r)
    file.write_text('<sdf version="1.6"/>')
    with pytest.raises(AndanteError, match="no model"):
        read_robot(file)
    with pytest.raises(AndanteError, match="neither a world nor a model"):
        read_world(file, resolver=Resolver())


@pytest.mark.parametrize(("version", "told"), [("1.2", "older"), ("1.99", "newer"), ("", "no version")])
def test_odd_versions_are_told(version: str, told: str) -> None:
    assert told in messages(world('<model name="m"><link name="l"/></model>', version))


def test_nonsense_versions_are_refused() -> None:
    with pytest.raises(AndanteError, match="should look like"):
        world("", "one")
