"""Worlds of SDF: settings, lights, saved state, real worlds of the BARN data set, gzip."""

import gzip
import json
import os
from pathlib import Path

import numpy as np
import pytest
from sdf_samples import FULL, messages, world

from andante.description.io.open import read_world
from andante.description.shapes import Cylinder
from andante.description.solver import SolverSettings
from andante.errors import AndanteError

DATASETS = Path(os.environ.get("ANDANTE_DATASETS") or Path(__file__).parents[3] / "shared" / "datasets")
BARN = DATASETS / "barn"


def test_settings(tmp_path: Path) -> None:
    (tmp_path / "w.world").write_text(FULL)
    w = read_world(tmp_path / "w.world")
    assert w.name == "full"
    assert w.gravity == (0.0, 0.0, -9.5)
    assert w.physics == SolverSettings(0.002, 60, 1e-5, 0.2, method="quick")
    assert (w.ambient, w.background) == ((0.1, 0.2, 0.3, 1.0), (0.4, 0.5, 0.6, 1.0))
    lamp = w.lights[0]
    assert (lamp.name, lamp.kind, lamp.direction, lamp.cast_shadows) == ("lamp", "spot", (0.0, 0.1, -1.0), True)
    cart = next(m for m in w.models if m.name == "cart")
    assert cart.robot.root == "body"
    assert cart.robot.self_collide
    turn = np.array([np.cos(1.5), np.sin(1.5), 0])
    assert np.allclose(cart.pose.translation, np.array([5, 5, 0.5]) + turn)
    assert [p.name for p in cart.robot.plugins] == ["drive"]
    assert not any(p.severity == "warning" for p in w.problems), messages(w)


def test_the_standard_gravity_and_old_place() -> None:
    assert world("").gravity == (0.0, 0.0, -9.8)
    assert world("<physics type='ode'><gravity>0 0 -1</gravity></physics>").gravity == (0.0, 0.0, -1.0)


def test_state_moves_models() -> None:
    w = world(
        '<model name="m"><pose>1 0 0 0 0 0</pose><link name="l"><pose>0 0 1 0 0 0</pose></link></model>'
        '<state world_name="w"><model name="m"><pose>5 6 7 0 0 0</pose><scale>1 2 1</scale></model>'
        "<insertions/></state>"
    )
    assert np.allclose(w.models[0].pose.translation, (5, 6, 8))
    told = messages(w)
    assert "places 1 of the models" in told
    assert "<scale>" in told
    assert "<insertions>" in told


def test_state_moves_loose_pieces_by_themselves() -> None:
    w = world(
        '<model name="m"><link name="a"/><link name="b"><pose>0 0 1 0 0 0</pose></link></model><state><model name="m">'
        '<pose>1 0 0 0 0 0</pose><link name="a"><pose>1 0 0 0 0 0</pose></link><link name="b"><pose>7 8 9 0 0 0</pose>'
        "</link></model></state>"
    )
    assert np.allclose([m.pose.translation for m in w.models], [(1, 0, 0), (7, 8, 9)])


def test_what_a_world_has_beyond_bodies_is_told() -> None:
    told = messages(
        world(
            '<actor name="a"/><road name="r"/><population name="p"/><gui/><plugin name="x" filename="y"/>'
            "<spherical_coordinates/><dragons/>"
        )
    )
    for text in ("actor", "<road>", "<population>", "<gui>", "<plugin>", "<spherical_coordinates>", "<dragons>"):
        assert text in told


@pytest.mark.parametrize(
    ("body", "fragment"),
    [
        ("<gravity>0 0</gravity>", "3 numbers"),
        ("<gravity>0 0 nan</gravity>", "finite"),
        ("<physics><max_step_size>0</max_step_size></physics>", "max_step_size"),
        ('<model name="m"><link name="l"/></model><model name="m"><link name="l"/></model>', "taken"),
    ],
)
def test_bad_worlds(body: str, fragment: str) -> None:
    with pytest.raises(AndanteError, match=fragment):
        world(body)


def test_gzip_is_unpacked_within_bounds(tmp_path: Path) -> None:
    file = tmp_path / "w.world.gz"
    file.write_bytes(gzip.compress(FULL.encode()))
    assert read_world(file).name == "full"
    file.write_bytes(gzip.compress(b" " * (40 * 1024 * 1024)))
    with pytest.raises(AndanteError, match="unpacks to more than"):
        read_world(file)
    file.write_bytes(gzip.compress(FULL.encode())[:-20])
    with pytest.raises(AndanteError, match="ends too early"):
        read_world(file)
    file.write_bytes(b"\x1f\x8b" + b"x" * 30)
    with pytest.raises(AndanteError, match="broken gzip"):
        read_world(file)


@pytest.mark.dataset
@pytest.mark.parametrize("number", [0, 60, 120, 180, 240])
def test_barn_worlds(number: int) -> None:
    if not (BARN / "worlds.json").is_file():
        pytest.skip(f"the BARN worlds are not in {BARN}; set ANDANTE_DATASETS")
    facts = next(w for w in json.loads((BARN / "worlds.json").read_text()) if w["world"] == number)
    w = read_world(BARN / f"world_{number}.world.gz")
    shapes = [(m, m.robot.links[0].collisions[0].geometry) for m in w.models]
    found = sorted((*m.pose.translation[:2].round(6), s.radius) for m, s in shapes if isinstance(s, Cylinder))
    assert len(found) == len(facts["cylinders"])
    assert np.allclose(found, sorted(facts["cylinders"]), atol=1e-6)
    assert all(m.fixed for m in w.models)
    assert not any(p.severity != "info" for p in w.problems), messages(w)
