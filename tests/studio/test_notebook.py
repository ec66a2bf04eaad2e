"""`an.show`: a studio of its own in a frame; it ends with what shows it, and says why it does not start."""

import gc
import queue
import urllib.request
from pathlib import Path

import pytest

from andante.errors import AndanteError, BadInput, TimedOut
from andante.studio import notebook
from andante.studio.notebook import show


class Pretended:
    """A child process that says lines and dies when it is told to."""

    def __init__(self, *lines: str, alive: bool = True, words: str = "") -> None:
        self.said: queue.Queue[str] = queue.Queue()
        for line in lines:
            self.said.put(line)
        self.alive, self.ended, self._words = alive, 0, words

    def end(self, timeout: float) -> None:
        self.alive, self.ended = False, self.ended + 1

    def last_words(self) -> str:
        return self._words


@pytest.fixture
def child(monkeypatch):
    """Let `show` start a pretended child: its words are kept."""

    def use(made):
        made.words = ()

        def start(*words, **_):
            made.words = words
            return made

        monkeypatch.setattr(notebook, "Child", start)
        return made

    return use


def test_the_address_is_that_of_the_first_line_that_tells_one(child):
    made = child(Pretended("", '{"state": "starting"}', '{"url": "http://127.0.0.1:5/?a=1&b=2"}'))
    shown = show("waffle", "empty", "bullet", height=300, port=5)
    assert made.words[1:] == (
        "studio", "waffle", "--world", "empty", "--engine", "bullet", "--port", "5", "--no-browser", "--json",
    )  # fmt: skip
    assert shown.url == "http://127.0.0.1:5/?a=1&b=2"
    frame = shown._repr_html_()
    assert 'src="http://127.0.0.1:5/?a=1&amp;b=2"' in frame
    assert "height:300px" in frame
    shown.close()
    shown.close()
    assert made.ended == 1
    assert repr(shown).endswith(", ended)")


def test_a_frame_that_nobody_keeps_ends_its_studio(child):
    made = child(Pretended('{"url": "http://here"}'))
    shown = show("waffle")
    assert made.alive
    del shown
    gc.collect()
    assert not made.alive


def test_a_studio_that_dies_says_why(child):
    made = child(Pretended(alive=False, words="andante: no robot 'nope'"))
    with pytest.raises(AndanteError, match="did not start: no robot 'nope'"):
        show("nope")
    assert made.ended == 1


def test_a_studio_that_says_nothing_is_given_up(child, monkeypatch):
    made = child(Pretended())
    monkeypatch.setattr(notebook, "PATIENCE", 0.3)
    with pytest.raises(TimedOut, match=r"within 0\.3 s"):
        show("waffle")
    assert made.ended == 1


@pytest.mark.parametrize("height", [99, 5001])
def test_a_frame_has_a_height_that_can_be_looked_at(height):
    with pytest.raises(BadInput, match="100 to 5000"):
        show("waffle", height=height)


def test_a_notebook_shows_a_frame(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    shown = show("waffle", "empty", height=500)
    try:
        assert shown.alive
        frame = shown._repr_html_()
        assert f'src="{shown.url}"' in frame
        assert "height:500px" in frame
        assert b"Andante" in urllib.request.urlopen(shown.url, timeout=30).read()
    finally:
        shown.close()
    assert not shown.alive
    assert "ended" in repr(shown)


def test_a_robot_that_is_none_is_told_by_the_studio() -> None:
    with pytest.raises(AndanteError, match="nope"):
        show("nope")
