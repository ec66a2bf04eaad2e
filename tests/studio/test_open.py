"""The studio without a browser: session and server together, the command line."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from andante.studio import open_studio
from andante.studio.open import LONGEST_WAIT, MISSING, Studio, studio_pages
from andante.studio.scenes import sources_of


def fetch(url: str) -> bytes:
    with urllib.request.urlopen(url, timeout=30) as answer:
        return answer.read()


def test_session_and_server_live_and_end_together(tmp_path: Path) -> None:
    with open_studio("waffle", "empty", folder=tmp_path) as studio:
        studio.run(0.2)
        assert studio.session.time >= 0.2
        assert b"Andante" in fetch(studio.url)
        assert b"base_link" in fetch(f"{studio.url}robot/waffle.urdf")
        assert json.loads(fetch(f"{studio.url}world/empty.json"))["name"]
        with pytest.raises(urllib.error.HTTPError):
            fetch(f"{studio.url}robot/waffle/../../../pyproject.toml")
        studio.session.spawn("rover", "", 1.0, 0.0, 0.0)
        models = studio.session.bus.topic("/scene/models")
        assert models is not None
        address = studio.url
        studio.server._child.process.kill()  # the server dies: the loop goes on and starts it anew at the same address
        page = b""
        for _ in range(300):
            studio.run(0.05)
            with contextlib.suppress(OSError):
                page = fetch(address)
                break
        assert b"Andante" in page
        assert studio.url == address
    assert not studio.server.alive


def test_robots_and_worlds_by_file_are_served_under_the_names_of_the_session(tmp_path: Path) -> None:
    from andante.session import LiveSession

    file = tmp_path / "cart.urdf"
    file.write_text(_urdf())
    with LiveSession(file, nodes=()) as session:
        robots, worlds = sources_of(session)
    assert {source.file for source in robots.values()} == {str(file)}
    assert list(worlds) == ["empty"]


def test_a_robot_by_file_reaches_the_page(tmp_path: Path) -> None:
    (tmp_path / "cart.urdf").write_text(_urdf())
    with open_studio(tmp_path / "cart.urdf", "empty", folder=tmp_path / "session") as studio:
        studio.run(0.05)
        assert b"base_link" in fetch(f"{studio.url}robot/cart.urdf")
        assert fetch(f"{studio.url}robot/cart/base_link.mesh").startswith(b"ANDM")


def _urdf() -> str:
    return """<robot name="cart"><link name="base_link"><inertial><mass value="1"/><inertia ixx="0.01" iyy="0.01"
      izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial><collision><geometry><box size="0.2 0.2 0.1"/></geometry>
      </collision></link></robot>"""


def test_without_the_built_page_a_note_says_what_to_do(tmp_path: Path) -> None:
    (page,) = studio_pages(tmp_path)
    assert page.content == MISSING.encode()
    assert b"build_web.py" in page.content


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nope"], "nope"),
        (["waffle", "--port", "70000"], "65535"),
        (["waffle", "--host", "0.0.0.0"], "token"),
        (["waffle", "--world", "nowhere"], "nowhere"),
    ],
)
def test_bad_input_is_one_line(words: list[str], said: str) -> None:
    command = [sys.executable, "-m", "andante", "studio", *words, "--no-browser", "--seconds", "0.01"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 2
    assert said in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_a_session_is_imported_without_hulls_and_images() -> None:
    """Both of scipy take a fifth of a second that a user would wait for."""
    code = "import sys, andante.studio.open, andante.session.session, andante.session.nodes; print([*sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert not {"'scipy.spatial'", "'scipy.ndimage'"} & set(done.stdout.strip("[]\n").split(", "))


def test_a_server_that_dies_again_and_again_is_started_ever_more_seldom(monkeypatch: pytest.MonkeyPatch) -> None:
    """For as long as the session lives; a start that fails is told."""
    now, started, lines = [1000.0], [], []

    def restart() -> None:
        started.append(now[0])
        if len(started) == 3:
            raise OSError(24, "Too many open files")

    monkeypatch.setattr("andante.studio.open.time.monotonic", lambda: now[0])
    server = SimpleNamespace(
        poll=lambda: None, alive=False, restart=restart, add_pages=lambda pages: None, stop=lambda: None
    )
    session = SimpleNamespace(inbound=[], log=lambda text, level: lines.append(text), close=lambda: None)
    monkeypatch.setattr("andante.studio.building.add_nodes", lambda *_: None)
    studio = Studio(session, server)  # type: ignore[arg-type]
    for _ in range(4000):
        studio._poll()
        now[0] += 0.1
    gaps = np.diff(started)
    assert gaps[:6] == pytest.approx([0.1, 1, 2, 4, 8, 16], abs=0.25)
    assert gaps.max() <= LONGEST_WAIT + 0.2
    assert len(started) > 8
    assert "the web server cannot be started: Too many open files" in lines
    server.alive = True
    for _ in range(700):  # it lasts for a good minute
        studio._poll()
        now[0] += 0.1
    server.alive, count = False, len(started)
    studio._poll()
    assert len(started) == count + 1  # and is started at once
    studio.close()
    studio._poll()
    assert len(started) == count + 1
