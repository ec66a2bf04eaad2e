"""`an.check`, `an.convert`, `an.rig` and `an.mesh` as functions."""

import pytest
import trimesh

import andante as an
from andante.errors import BadInput, MissingFile

BROKEN = (
    '<robot name="r"><link name="a"/><joint name="j" type="fixed"><parent link="a"/><child link="b"/></joint></robot>'
)


def test_check_of_a_name_and_of_a_robot(tmp_path):
    named, loaded = an.check("waffle"), an.check(an.robot("waffle"))
    assert named.ok
    assert (named.name, named.kind, named.links) == (loaded.name, "robot", loaded.links)
    assert set(named.as_dict()) == {"name", "kind", "links", "joints", "mass", "recognised", "problems"}
    assert str(named).startswith("waffle (robot): ")
    assert named.plot().axes
    assert "<table>" in an.check("lab")._repr_html_()  # without a picture
    with pytest.raises(BadInput, match="loaded already; arguments belong to a file: size"):
        an.check(an.robot("waffle"), {"size": "2"})


def test_check_finds_errors(tmp_path):
    (tmp_path / "r.urdf").write_text(BROKEN)
    result = an.check(tmp_path / "r.urdf")
    assert not result.ok
    assert result.as_dict()["problems"][0]["severity"] == "error"


def test_convert_robots_worlds_and_maps(tmp_path):
    made = an.convert(an.robot("waffle"), tmp_path / "w.urdf")
    assert made.path == tmp_path / "w.urdf"
    assert str(made).endswith(f"wrote {tmp_path / 'w.urdf'}")
    assert len(an.robot(made.path).links) == len(an.robot("waffle").links)
    grid = an.convert(an.world("lab"), tmp_path / "lab.yaml", resolution=0.1)
    assert an.convert(grid.path, tmp_path / "back.sdf").path.exists()
    with pytest.raises(BadInput, match="both maps"):
        an.convert(grid.path, tmp_path / "other.yaml")
    with pytest.raises(BadInput, match="is a robot; maps are made of worlds"):
        an.convert(an.robot("waffle"), tmp_path / "other.yaml")
    with pytest.raises(MissingFile, match="make it first"):
        an.convert("waffle", tmp_path / "none" / "w.urdf")


def test_rig_of_legs(tmp_path):
    result = an.rig("shell", tmp_path / "shell.rig.toml")
    assert (tmp_path / "shell.rig.toml").read_text() == result.text
    assert len(result.as_dict()["legs"]) == len(result.rig.legs) == 6
    assert str(result).endswith(f"wrote {tmp_path / 'shell.rig.toml'}")
    assert result.plot().axes
    with pytest.raises(an.AndanteError, match="no knee direction"):
        an.rig("shell", knees="sideways")


def test_mesh_is_scaled_and_weighed(tmp_path):
    trimesh.creation.box((1.0, 2.0, 3.0)).export(tmp_path / "box.stl")
    result = an.mesh(tmp_path / "box.stl", tmp_path / "out.obj", scale=2.0, mass=12.0)
    (row,) = result.as_dict()["files"]
    assert row["volume"] == pytest.approx(48.0)
    assert row["mass"] == 12.0
    assert "<inertial>" in str(result)
    for keywords, words in (
        ({"hull": True, "box": True}, "give hull or box, not both"),
        ({"scale": (1.0, 2.0)}, "scale needs 1 or 3 numbers"),
        ({"rotate": (1.0,)}, "rotate needs 3 numbers"),
        ({"mass": -1.0}, "mass must be a positive number"),
    ):
        with pytest.raises(BadInput, match=words):
            an.mesh(tmp_path / "box.stl", tmp_path / "other.obj", **keywords)
    assert not (tmp_path / "other.obj").exists()
