"""Recordings as files of the page: handed out, taken in, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from andante.bags import messages
from andante.bus import Bus, Recorder
from andante.studio.recordings import recording_routes


@pytest.fixture(scope="module")
def bag(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    file = tmp_path_factory.mktemp("bag") / "one.mcap"
    bus = Bus()
    topic = bus.advertise("/words", "std_msgs/msg/String")
    recorder = Recorder(bus, file)
    for k in range(3):
        bus.clock.advance_to(0.1 * k)
        topic.publish(messages.make("std_msgs/msg/String", data=f"word {k}"))
        bus.spin()
    recorder.close()
    return file.read_bytes()


def client(folder: Path, limit: int = 1 << 20) -> TestClient:
    return TestClient(Starlette(routes=recording_routes(folder, limit)))


def test_one_is_brought_and_taken_along(tmp_path: Path, bag: bytes) -> None:
    page = client(tmp_path)
    answer = page.post("/recording/mine.mcap", content=bag)
    assert answer.json() == {"name": "mine.mcap", "messages": 3}
    assert page.get("/recording/mine.mcap").content == bag
    assert page.post("/recording/mine.mcap", content=bag).status_code == 422  # nothing is overwritten
    assert [path.name for path in tmp_path.iterdir()] == ["mine.mcap"]


@pytest.mark.parametrize("name", ["..%2Fmine.mcap", "mine.txt", "%2e%2e.mcap", "a b.mcap"])
def test_other_names_are_refused(tmp_path: Path, bag: bytes, name: str) -> None:
    (tmp_path.parent / "mine.mcap").write_bytes(b"secret")
    page = client(tmp_path)
    assert page.get(f"/recording/{name}").status_code in (404, 422)
    assert page.post(f"/recording/{name}", content=bag).status_code in (404, 422)
    assert list(tmp_path.iterdir()) == []


def test_what_is_no_bag_or_too_large_is_not_kept(tmp_path: Path, bag: bytes) -> None:
    answer = client(tmp_path).post("/recording/bad.mcap", content=b"no bag at all" * 10)
    assert answer.status_code == 422
    assert str(tmp_path) not in answer.json()["error"]
    answer = client(tmp_path, 100).post("/recording/large.mcap", content=bag)
    assert "refused" in answer.json()["error"]
    assert list(tmp_path.iterdir()) == []


def test_links_out_of_the_folder_are_not_followed(tmp_path: Path, bag: bytes) -> None:
    folder = tmp_path / "session"
    folder.mkdir()
    (tmp_path / "other.mcap").write_bytes(bag)
    (folder / "link.mcap").symlink_to(tmp_path / "other.mcap")
    assert client(folder).get("/recording/link.mcap").status_code == 404
