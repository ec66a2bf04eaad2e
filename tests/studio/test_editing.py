"""Edited scenes: things as worlds, SDF and back, what does not fit, and the service of a session."""

from __future__ import annotations

import json
import math
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from andante.description import load_world
from andante.description.io.sdf.writer import write_sdf
from andante.description.solids import robot_bounds
from andante.errors import AndanteError
from andante.session import LiveSession
from andante.studio.editing.node import SceneEditNode
from andante.studio.editing.scene import Scene, scene_of, world_of
from andante.studio.editing.things import SOLIDS, Thing

SIZES = {"wall": (3.0, 0.1, 1.0), "ramp": (1.0, 0.6, 0.3), "stairs": (1.2, 0.8, 0.68), "chair": (0.45, 0.45, 0.9)}
SIZES |= {"table": (1.2, 0.7, 0.75), "shelf": (0.3, 1.0, 1.6), "door": (1.0, 0.12, 2.0), "person": (0.3, 0.5, 1.75)}
SIZES |= {"ball": (0.22, 0.22, 0.22), "sphere": (0.3, 0.3, 0.3), "cylinder": (0.4, 0.4, 0.7)}


def everything() -> tuple[Thing, ...]:
    return tuple(
        Thing(f"{kind}_1", kind, 2.0 * k, 0.5, 0.0, 0.2 * k, SIZES.get(kind, (0.5, 0.4, 0.3)), fixed=kind != "ball")
        for k, kind in enumerate(SOLIDS)
    )


def test_the_solids_of_the_page_are_those_of_the_world() -> None:
    """web/tests/things.json is also read by the page's own test."""
    file = Path(__file__).parents[2] / "web" / "tests" / "things.json"
    told = [{"kind": t.kind, "size": t.size, "solids": t.solids} for t in everything()]
    known = json.loads(file.read_text())
    for mine, drawn in zip(json.loads(json.dumps(told)), known, strict=True):
        assert mine["kind"] == drawn["kind"]
        for a, b in zip(mine["solids"], drawn["solids"], strict=True):
            assert a[0] == b[0]
            assert np.allclose(np.hstack(a[1:]), np.hstack(b[1:]), atol=1e-9)


def test_a_ramp_begins_at_the_floor_and_ends_at_its_height() -> None:
    ((_, middle, size, pitch),) = Thing("r", "ramp", size=(2.0, 1.0, 0.5)).solids
    turn = np.array([[math.cos(pitch), math.sin(pitch)], [-math.sin(pitch), math.cos(pitch)]])
    low, high = (np.array([middle[0], middle[2]]) + turn @ np.array([s * size[0] / 2, size[2] / 2]) for s in (-1, 1))
    assert low == pytest.approx([-1.0, 0.0], abs=1e-9)
    assert high == pytest.approx([1.0, 0.5], abs=1e-9)


def test_a_scene_is_saved_as_sdf_that_gazebo_takes_and_is_read_back_alike(tmp_path: Path) -> None:
    made = world_of(Scene("flat", everything()), load_world("empty"))
    file = tmp_path / "flat.sdf"
    file.write_text(write_sdf(made, file))
    back = load_world(file)
    assert {p.name for p in back.models} == {p.name for p in made.models}
    for a, b in zip(made.models, back.models, strict=True):
        assert b.pose.close_to(a.pose, 1e-6)
        assert (b.fixed or b.robot.fixed_base) == (a.fixed or a.robot.fixed_base)
        assert len(b.robot.links[0].collisions) == len(a.robot.links[0].collisions)
    again = {thing.name: thing for thing in scene_of(back).things}
    for thing in everything():
        if thing.kind in ("box", "cylinder", "sphere", "table", "chair", "shelf", "stairs", "door"):
            found = again[thing.name]
            assert found.size == pytest.approx(thing.size, abs=1e-6)
            assert (found.x, found.y, found.yaw) == pytest.approx((thing.x, thing.y, thing.yaw), abs=1e-6)
            assert (found.color, found.fixed, found.friction) == (thing.color, thing.fixed, thing.friction)
            assert found.kind == thing.kind
    if shutil.which("ign"):
        told = subprocess.run(["ign", "sdf", "-k", str(file)], capture_output=True, text=True, timeout=120, check=False)
        assert "Valid" in told.stdout, told.stdout + told.stderr


def test_a_loaded_world_keeps_what_the_editor_does_not_know(tmp_path: Path) -> None:
    lab = load_world("lab")
    scene = scene_of(lab)
    assert scene.kept
    assert all(kept.solids for kept in scene.kept)
    first = scene.kept[0]
    moved = Scene("lab2", scene.things, (*scene.kept[1:],))
    assert first.name not in {p.name for p in world_of(moved, lab).models}
    same = world_of(scene, lab)
    for before in lab.models:
        after = next(p for p in same.models if p.name == before.name)
        boxes = [robot_bounds(p.robot, None, p.pose) for p in (before, after)]
        assert boxes[0] is None or np.allclose(boxes[0], boxes[1], atol=1e-5)


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ([], "a scene is an object"),
        ({"things": [{"name": "a", "kind": "castle"}]}, "castle"),
        ({"things": [{"name": "a", "kind": "box", "size": [1, 2, 0]}]}, "a size has three numbers"),
        ({"things": [{"name": "a", "kind": "box", "x": 1e9}]}, "a place lies within"),
        ({"things": [{"name": "a", "kind": "box", "color": "<b>"}]}, "a color is written like"),
        ({"things": [{"name": "a", "kind": "box"}, {"name": "a", "kind": "ball"}]}, "two things are called"),
        ({"things": [{"kind": "box"}]}, "needs a name"),
        ({"things": [{"name": "a", "kind": "box", "mass": float("nan")}]}, "a mass lies"),
        ({"kept": [{"name": "nobody", "x": 0, "y": 0, "z": 0, "yaw": 0}]}, "has no model 'nobody'"),
    ],
)
def test_what_does_not_fit_is_told(told: Any, said: str) -> None:
    with pytest.raises(AndanteError, match=said):
        world_of(Scene.of(told), load_world("empty"))


def test_a_session_takes_a_scene_and_the_robot_stays(tmp_path: Path) -> None:
    with LiveSession("waffle", "empty", folder=tmp_path) as session:
        session.nodes.append(SceneEditNode(session))
        session.respawn(0.5, 0.25, 0.0)
        session.run(0.1)
        first = session.bus.call("/scene/edit", {})
        assert json.loads(first.scene) == {"name": "empty", "things": [], "kept": []}
        things = [
            {"name": "w", "kind": "wall", "x": 2.0, "size": [0.1, 3.0, 1.0]},
            {"name": "r", "kind": "ramp", "x": -2.0},
        ]
        answer = session.bus.call("/scene/edit", {"scene": json.dumps({"things": things}), "name": "My flat"})
        assert answer.success, answer.message
        assert answer.revision == 1
        assert session.stage.sim.base_pose[:2] == pytest.approx([0.5, 0.25], abs=0.01)
        assert {m.name for m in session.stage.world.models} >= {"w", "r"}
        assert [t["kind"] for t in json.loads(answer.scene)["things"]] == ["wall", "ramp"]  # as it was drawn
        bad = session.bus.call("/scene/edit", {"scene": "{", "name": "x"})
        assert not bad.success
        assert "no JSON" in bad.message
        file = tmp_path / "gallery" / "My_flat" / "My_flat.sdf"
        file.write_text(file.read_text().replace("My flat", "Other"))  # changed by somebody else: read anew
        session.select(world=str(file))
        kinds = [t["kind"] for t in json.loads(session.bus.call("/scene/edit", {}).scene)["things"]]
        assert kinds == ["box"]  # a wall is a box; the ramp is kept as a model
