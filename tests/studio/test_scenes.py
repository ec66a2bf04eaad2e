"""Robots and worlds as files for the page, and the web addresses that serve them."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from andante.description import load_robot, load_world
from andante.studio.open import scene_arguments
from andante.studio.scenes import Scenes, Source, folder_of, prepare, scene_routes

SDF = """<sdf version="1.9"><model name="arm"><link name="base"><visual name="v"><geometry><box><size>1 1 1</size></box>
</geometry></visual></link><link name="tip"><pose>0 0 1 0 0 0.5</pose><visual name="v"><geometry><sphere><radius>0.1
</radius></sphere></geometry></visual></link><joint name="ball" type="ball"><parent>base</parent><child>tip</child>
</joint></model></sdf>"""


def triangles(data: bytes) -> int:
    return struct.unpack("<I", data[8:12])[0] // 3


def test_the_urdf_of_the_nao_names_every_link_joint_and_mesh() -> None:
    scenes, nao = Scenes(), load_robot("nao")
    found = scenes.file("robot/nao.urdf")
    assert found is not None
    assert found.media_type == "application/xml"
    root = ET.fromstring(found.data)
    assert [link.get("name") for link in root.iter("link")] == [link.name for link in nao.links]
    joints = {joint.get("name"): joint for joint in root.iter("joint")}
    assert set(joints) == {joint.name for joint in nao.joints}
    assert joints["RHipYawPitch"].find("mimic").get("joint") == "LHipYawPitch"
    limit = joints["HeadYaw"].find("limit")
    assert float(limit.get("upper")) == pytest.approx(nao.joint("HeadYaw").limits.upper)
    mass = sum(float(mass.get("value")) for mass in root.iter("mass"))
    assert mass == pytest.approx(nao.mass, rel=1e-6)
    for mesh in list(root.iter("mesh"))[:6]:
        assert scenes.file(f"robot/{mesh.get('filename')}") is not None


def test_meshes_of_a_link_fine_coarse_and_colliding() -> None:
    scenes = Scenes()
    fine, rough = scenes.file("robot/rover/base_link.mesh"), scenes.file("robot/rover/base_link.coarse.mesh")
    assert fine is not None
    assert rough is not None
    assert triangles(fine.data) > 1.2 * triangles(rough.data) > 100
    solid = scenes.file("robot/nao/torso.collision.mesh")
    assert solid is not None
    assert triangles(solid.data) > 4
    assert scenes.file("robot/rover/base_link.mesh") is fine  # made once
    light = scenes.file("robot/waffle/base_link.coarse.mesh")  # quick enough as it is
    assert light is not None
    assert hash(light.data) == hash(scenes.file("robot/waffle/base_link.mesh").data)  # no long difference of bytes


def test_joints_that_urdf_lacks_become_floating(tmp_path: Path) -> None:
    (tmp_path / "arm.sdf").write_text(SDF)
    name = str(tmp_path / "arm.sdf")
    scenes = Scenes({name: Source(name)})
    file = scenes.file(f"robot/{folder_of(name).replace('%25', '%')}.urdf")  # decoded once, as a server does
    assert file is not None
    root = ET.fromstring(file.data)
    assert root.find("joint").get("type") == "floating"
    address = next(root.iter("mesh")).get("filename")
    assert scenes.file(f"robot/{address.replace('%25', '%')}") is not None


def test_a_joint_that_moves_its_child_frame_gets_a_frame_between(tmp_path: Path) -> None:
    (tmp_path / "arm.sdf").write_text(
        SDF.replace('type="ball"', 'type="revolute"').replace(
            "<child>", "<pose>0 0 -0.2 0 0 0</pose><axis><xyz>0 1 0</xyz></axis><child>"
        )
    )
    name = "arm"
    root = ET.fromstring(Scenes({name: Source(str(tmp_path / "arm.sdf"))}).file("robot/arm.urdf").data)
    assert {link.get("name") for link in root.iter("link")} == {"base", "tip", "ball::frame"}
    weld = next(joint for joint in root.iter("joint") if joint.get("name") == "ball::weld")
    assert weld.find("child").get("link") == "tip"


def test_the_lab_is_one_mesh_and_a_floor() -> None:
    scenes, lab = Scenes(), load_world("lab")
    told = json.loads(scenes.file("world/lab.json").data)
    assert told["name"] == lab.name
    assert told["parts"] == []
    assert len(told["floors"]) == 1
    low, high = np.array(told["bounds"])
    assert (high - low > 1.0).all()
    assert triangles(scenes.file(f"world/{told['static']}").data) > 300


def test_links_that_may_move_have_their_own_mesh(tmp_path: Path) -> None:
    (tmp_path / "w.sdf").write_text(
        f'<sdf version="1.9"><world name="w">{SDF[SDF.index("<model") : SDF.index("</sdf>")]}</world></sdf>'
    )
    scenes = Scenes(worlds={"w": Source(str(tmp_path / "w.sdf"))})
    told = json.loads(scenes.file("world/w.json").data)
    assert [part["name"] for part in told["parts"]] == ["arm::base", "arm::tip"]
    assert told["static"] is None
    assert scenes.file("world/w/arm::tip.mesh") is not None
    assert {path for path, _ in scenes.all("world", "w")} >= {"world/w.json", "world/w/arm::base.mesh"}


@pytest.mark.parametrize(
    "path",
    ["", "robot", "robot/nope.urdf", "robot/nao", "robot/nao/nope.mesh", "robot/nao/torso.stl", "world/lab",
     "world/x.json", "robot/../nao.urdf", "robot/%2Fetc%2Fpasswd.urdf", "robot/nao/../../x.mesh", "elsewhere/nao.urdf",
     "world/lab/x.mesh"],
)  # fmt: skip
def test_nothing_else_is_served(path: str) -> None:
    assert Scenes().file(path) is None


def test_web_addresses_answer_with_tags_and_errors() -> None:
    known = json.loads(json.dumps(scene_arguments(["waffle", "/etc/passwd"], ["empty"])))
    client = TestClient(Starlette(routes=scene_routes(None, known)))
    assert client.get("/scene.json").json() == {"robot": "waffle", "world": "empty", "session": known["session"][0]}
    answer = client.get("/robot/waffle.urdf")
    assert answer.status_code == 200
    tag = answer.headers["etag"]
    assert client.get("/robot/waffle.urdf", headers={"if-none-match": tag}).status_code == 304
    assert client.get("/world/empty.json").json()["static"] is None
    assert client.get("/robot/none.urdf").status_code == 404
    assert client.get("/robot/%252Fetc%252Fpasswd.urdf").status_code == 404


def test_files_are_made_ahead() -> None:
    scenes = Scenes()
    prepare(scenes, scene_arguments(["waffle"], ["lab", "no such"]))
    assert {"robot/waffle.urdf", "robot/waffle/base_link.mesh", "world/lab/static.mesh"} <= set(scenes._files)
    assert not any("collision" in path for path in scenes._files)
