import time
from pathlib import Path

import pytest

from andante.session import LiveSession
from andante.session.clip import Clip
from andante.simulation import simulate


def test_a_clip_is_drawn_beside_the_session(waffle: LiveSession) -> None:
    lines: list[str] = []
    waffle.bus.subscribe("/rosout", None, lambda m: lines.append(m.msg), 100)
    answer = waffle.bus.call("/clip", {"seconds": 0.2, "name": "turn"})
    assert answer.file == "turn.mp4"
    assert not waffle.bus.call("/clip", {"seconds": 0.2}).success
    waffle.run(0.3)
    end = time.monotonic() + 120
    while "clip turn.mp4 is ready" not in lines and time.monotonic() < end:
        waffle.step()
        time.sleep(0.02)
    import av

    with av.open(str(waffle.folder / "turn.mp4")) as film:
        frames = [frame.to_ndarray(format="rgb24") for frame in film.decode(video=0)]
    assert len(frames) == 5
    assert frames[0].shape == (540, 960, 3)
    assert frames[0].std() > 5
    assert waffle.bus.call("/list", {"kind": "clips"}).names == ["turn.mp4"]


def test_refuses(waffle: LiveSession) -> None:
    assert "up to 60 s" in waffle.bus.call("/clip", {"seconds": 600.0}).message
    assert "no folder" in waffle.bus.call("/clip", {"seconds": 1.0, "name": "../x"}).message


def test_no_half_clip_is_left_behind(tmp_path: Path) -> None:
    with LiveSession("waffle", folder=tmp_path) as session:
        session.bus.call("/clip", {"seconds": 5.0, "name": "late"})
        session.run(0.1)
    assert list(tmp_path.iterdir()) == []


def test_a_clip_that_cannot_be_kept_is_told_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its pictures wait in a temporary file; on a full disk, or without such a folder, the session goes on."""
    with LiveSession("waffle", folder=tmp_path) as session:
        lines: list[str] = []
        session.bus.subscribe("/rosout", None, lambda m: lines.append(m.msg), 100)
        session.bus.call("/clip", {"seconds": 0.08, "name": "lost"})
        monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "gone"))
        session.run(0.3)
        told = [line for line in lines if "lost.mp4" in line and "could not" in line]
        assert told == ["clip lost.mp4 could not be drawn: No such file or directory"]
        assert session.bus.call("/clip", {"seconds": 5.0, "name": "next"}).success
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_leaves_no_temporary_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr("andante.session.clip.pickle.dump", full)
    clip = Clip(simulate("waffle"), tmp_path / "x.mp4", 0.04)
    clip.look()
    assert not clip.collecting
    assert clip.poll() == "clip x.mp4 could not be drawn: No space left on device"
    assert list(tmp_path.iterdir()) == []
