"""What the user brings: paths, zips and broken files within limits; the addresses that take it."""

from __future__ import annotations

import io
import json
import urllib.error
import urllib.request
import zipfile
from pathlib import Path
from typing import Any

import pytest

from andante.errors import BadInput
from andante.studio import gallery as room
from andante.studio import open_studio
from andante.studio.gallery import Gallery, looked_at, safe_path, unpack

DROP = "abcdefgh1"
INERTIA = '<inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/>'


def cart(name: str = "cart", mass: float = 1.0, mesh: str = "") -> str:
    shape = f'<mesh filename="{mesh}"/>' if mesh else '<box size="0.2 0.2 0.1"/>'
    return (
        f'<robot name="{name}">\n<link name="base_link">\n<inertial><mass value="{mass}"/>{INERTIA}</inertial>\n'
        f"<visual><geometry>{shape}</geometry></visual>\n"
        '<collision><geometry><box size="0.2 0.2 0.1"/></geometry></collision></link></robot>'
    )


def zipped(files: dict[str, str | bytes]) -> bytes:
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, data in files.items():
            packed.writestr(name, data)
    return whole.getvalue()


@pytest.mark.parametrize(
    "told", ["../x.urdf", "/etc/passwd", "a/../../x", "", "a\x00b", "x" * 300, "a/" * 20 + "b", "c:x"]
)
def test_paths_that_lead_elsewhere_are_refused(told: str) -> None:
    with pytest.raises(BadInput):
        safe_path(told)


def test_zips_are_unpacked_within_limits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    good = tmp_path / "good.zip"
    good.write_bytes(zipped({"bot/urdf/bot.urdf": cart(), "bot/meshes/a.txt": "x"}))
    unpack(good, tmp_path / "good")
    assert (tmp_path / "good/bot/urdf/bot.urdf").read_text() == cart()
    bomb = tmp_path / "bomb.zip"
    bomb.write_bytes(zipped({"zeros": bytes(30_000_000)}))
    with pytest.raises(BadInput, match="times its own size"):
        unpack(bomb, tmp_path / "bomb")
    assert not (tmp_path / "bomb").exists()
    slip = tmp_path / "slip.zip"
    slip.write_bytes(zipped({"../../out.urdf": cart()}))
    with pytest.raises(BadInput, match="plain path"):
        unpack(slip, tmp_path / "slip")
    monkeypatch.setattr(room, "MOST_FILES", 1)
    with pytest.raises(BadInput, match="2 files"):
        unpack(good, tmp_path / "more")
    (tmp_path / "no.zip").write_text("not packed")
    with pytest.raises(BadInput, match=r"no\.zip: cannot be unpacked"):
        unpack(tmp_path / "no.zip", tmp_path)


def test_the_description_is_found_and_problems_name_line_and_remedy(tmp_path: Path) -> None:
    package = tmp_path / "bot"
    (package / "urdf").mkdir(parents=True)
    (package / "package.xml").write_text("<package><name>bot</name></package>")
    (package / "urdf/bot.urdf").write_text(cart("<b>bot</b>".replace("<", "&lt;"), mesh="package://bot/meshes/no.stl"))
    found = looked_at(tmp_path)
    assert (found.kind, found.name, found.file) == ("robot", "<b>bot</b>", "bot/urdf/bot.urdf")
    missing = next(problem for problem in found.problems if "no.stl" in problem["message"])
    assert missing["where"].startswith("bot/urdf/bot.urdf:")
    assert str(tmp_path) not in json.dumps(found.problems)
    (package / "urdf/bot.urdf").write_text("<robot")
    broken = looked_at(tmp_path)
    assert not broken.usable
    assert broken.problems[0]["severity"] == "error"
    (package / "urdf/bot.urdf").unlink()
    assert "no robot or world" in looked_at(tmp_path).problems[0]["message"]


def test_a_drop_is_bounded_and_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shelf = Gallery(tmp_path)
    with pytest.raises(BadInput, match="mark"):
        shelf.put("../x", "a.urdf", b"")
    with pytest.raises(BadInput, match="empty"):
        shelf.take(DROP)
    shelf.put(DROP, "my bot.urdf", cart().encode())
    monkeypatch.setattr(room, "MOST_BYTES", 500)
    with pytest.raises(BadInput, match="refused"):
        shelf.put(DROP, "b.stl", bytes(400))
    place = shelf.take(DROP)
    assert place.name == "my_bot"
    shelf.keep(looked_at(place))
    (entry,) = shelf.entries()
    assert shelf.file(entry).read_text() == cart()
    (tmp_path / "gallery/other").mkdir()
    (tmp_path / "gallery/other/entry.json").write_text("{")
    assert [e.key for e in shelf.entries()] == ["my_bot"]  # a broken note is passed over
    shelf.remove("my_bot")
    assert shelf.entries() == []


def post(url: str, data: bytes = b"") -> Any:
    try:
        with urllib.request.urlopen(urllib.request.Request(url, data, method="POST"), timeout=120) as answer:
            return json.loads(answer.read())
    except urllib.error.HTTPError as error:
        return json.loads(error.read())


def test_the_page_hands_a_robot_over_and_the_session_takes_it(tmp_path: Path) -> None:
    with open_studio("waffle", "empty", folder=tmp_path) as studio:
        assert "plain path" in post(f"{studio.url}upload?drop={DROP}&path=../x.urdf", b"x")["error"]
        assert post(f"{studio.url}upload?drop={DROP}&path=cart.urdf", cart().encode())["bytes"] == len(cart())
        entry = post(f"{studio.url}upload/done?drop={DROP}")
        assert (entry["kind"], entry["name"], entry["problems"]) == ("robot", "cart", entry["problems"])
        assert json.loads(urllib.request.urlopen(f"{studio.url}gallery.json").read())[0]["key"] == "cart"
        added = studio.session.bus.call("/gallery/spawn", {"model": "cart", "name": "second", "x": 1.5})
        assert added.success, added.message
        assert "second" in {model.name for model in studio.session.stage.sim.engine.models}
        assert not studio.session.bus.call("/gallery/spawn", {"model": "cart", "x": float("nan")}).success
        assert not studio.session.bus.call("/gallery/spawn", {"model": "nobody"}).success
        answer = studio.session.bus.call("/gallery/open", {"name": "cart"})
        assert answer.success, answer.message
        assert studio.session.stage.name == "cart"
        assert not studio.session.bus.call("/gallery/remove", {"name": "cart"}).success  # it is in use
        models: list[Any] = []
        studio.session.bus.subscribe("/scene/models", None, models.append)
        studio.session.bus.spin()
        first = models[-1].versions[0]
        assert first
        assert json.loads(urllib.request.urlopen(f"{studio.url}stage.json").read())["stage"] == ""
        post(
            f"{studio.url}upload?drop={DROP}&path=cart.urdf", cart(mass=2.0).encode()
        )  # the same name, another content
        post(f"{studio.url}upload/done?drop={DROP}")
        assert studio.session.bus.call("/gallery/open", {"name": "cart_2"}).success
        studio.session.bus.spin()
        assert models[-1].versions[0] not in ("", first)
        assert b'value="2"' in urllib.request.urlopen(f"{studio.url}robot/cart.urdf").read()
