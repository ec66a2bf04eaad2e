"""The page in Chromium: a recording is replayed into it, a clip is filmed."""

from __future__ import annotations

import base64
import lzma
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

PATIENCE = 300.0  # for a film on a busy machine [s]
WATCH = """() => { window.seen = []; const { studio, stage } = andante;
    const note = () => window.seen.push({ playing: studio.replay.value !== null, time: studio.status.value.sim_time,
        x: stage.centre.x, words: document.querySelector('.topbar .state').textContent,
        share: +document.querySelector('#panel-replay .scrub').value,
        record: document.querySelector('[aria-label=Record]').disabled });
    window.endWatch = studio.connection.subscribe('/ground_truth/links', 'andante_msgs/msg/LinkPoses', note); }"""


@pytest.fixture(autouse=True)
def _waffle(studio: Any) -> None:
    studio.choose("world", "empty")
    studio.choose("robot", "waffle")


def test_what_was_recorded_moves_again_in_the_page(studio: Any) -> None:
    """Drive while it is recorded, go back by a reset, and see the same way once more, with its clock."""
    studio.page.get_by_label("Reset", exact=True).click()
    studio.wait("() => Math.abs(andante.stage.centre.x) < 0.01 && andante.studio.status.value.standing")
    studio.page.get_by_label("Record", exact=True).click()
    studio.wait("() => andante.studio.status.value.recording")
    start = studio.js("() => andante.studio.status.value.sim_time")
    studio.page.locator("body").click(position={"x": 930, "y": 20})
    studio.page.keyboard.down("w")
    studio.wait("() => andante.stage.centre.x > 0.3")
    studio.page.keyboard.up("w")
    studio.page.get_by_label("Stop recording").click()
    studio.wait("() => !andante.studio.status.value.recording")
    file = studio.js("() => andante.studio.status.value.record_file")
    studio.page.get_by_label("Reset", exact=True).click()
    studio.wait("() => Math.abs(andante.stage.centre.x) < 0.01")
    live = studio.js("() => andante.studio.status.value.sim_time")

    studio.open("replay")
    studio.wait("file => document.querySelector('select[aria-label=Recording]').value === file", file)
    studio.page.select_option("select[aria-label='Speed of the replay']", "2")
    studio.js(WATCH)
    studio.page.locator("#panel-replay").get_by_role("button", name="Play").click()
    studio.wait("() => window.seen.some(s => s.playing) && !window.seen.at(-1).playing")
    studio.wait("t => andante.studio.status.value.sim_time >= t", live)
    studio.wait("() => Math.abs(andante.stage.centre.x) < 0.05")  # live again, where the robot stands
    played = [s for s in studio.js("() => { window.endWatch(); return window.seen; }") if s["playing"]]
    assert max(s["x"] for s in played) > 0.29
    times = [s["time"] for s in played if s["time"] < live]  # the clock is that of the recording
    assert times == sorted(times)
    assert times[-1] - start > 0.3
    assert max(s["share"] for s in played) > 0.5
    assert all(s["record"] for s in played)
    assert any(s["words"].startswith(f"{file}:") for s in played)
    assert studio.page.get_by_label("Record", exact=True).is_enabled()
    assert "Live" in studio.page.locator("#panel-replay [role=status]").inner_text()


def test_a_recording_of_0_1_0_moves_the_robot(studio: Any) -> None:
    """A drive of 0.26 m in 1.2 s that 0.1.0 recorded, with the length and the place on the timeline that it has."""
    packed = (Path(__file__).parents[1] / "compat" / "files" / "page.mcap.xz.base64").read_text()
    (studio.folder / "page.mcap").write_bytes(lzma.decompress(base64.b64decode(packed)))
    studio.page.get_by_label("Reset", exact=True).click()
    studio.wait("() => Math.abs(andante.stage.centre.x) < 0.01 && andante.studio.status.value.standing")
    studio.open("map")
    studio.open("replay")  # looks for recordings
    studio.wait("() => document.querySelector('select[aria-label=Recording] option[value=\"page.mcap\"]')")
    studio.page.select_option("select[aria-label=Recording]", "page.mcap")
    studio.page.select_option("select[aria-label='Speed of the replay']", "1")
    studio.js(WATCH)
    studio.js("() => { window.told = []; andante.studio.replay.on(r => r && window.told.push({ ...r })); }")
    studio.page.locator("#panel-replay").get_by_role("button", name="Play").click()
    studio.wait("() => window.seen.some(s => s.playing) && !window.seen.at(-1).playing")
    played = [s for s in studio.js("() => { window.endWatch(); return window.seen; }") if s["playing"]]
    assert max(s["x"] for s in played) == pytest.approx(0.26, abs=0.03)
    told = studio.js("() => window.told")
    assert {round(state["duration"], 1) for state in told} == {1.2}
    assert [state["position"] for state in told] == sorted(state["position"] for state in told)
    assert max(s["share"] for s in played) > 0.5
    assert any(s["words"].startswith("page.mcap:") for s in played)


def test_a_replay_goes_round_until_it_is_stopped(studio: Any) -> None:
    studio.page.get_by_label("Record", exact=True).click()
    studio.wait("() => andante.studio.status.value.recording")
    begun = studio.js("() => andante.studio.status.value.sim_time")
    studio.wait("t => andante.studio.status.value.sim_time > t + 2.0", begun)
    studio.page.get_by_label("Stop recording").click()
    studio.wait("() => !andante.studio.status.value.recording")
    studio.open("replay")
    studio.wait("() => document.querySelector('select[aria-label=Recording]').value !== ''")
    studio.page.select_option("select[aria-label='Speed of the replay']", "4")
    studio.page.check("#replay-loop")
    studio.page.locator("#panel-replay").get_by_role("button", name="Play").click()
    studio.wait("() => andante.studio.replay.value !== null && andante.studio.replay.value.loop")
    studio.wait("() => (window.at = Math.max(window.at || 0, andante.studio.replay.value.position)) > 0.5")
    studio.wait("() => andante.studio.replay.value.position < window.at")
    studio.page.locator("#panel-replay").get_by_role("button", name="Stop").click()
    studio.wait("() => andante.studio.replay.value === null")
    studio.page.uncheck("#replay-loop")
    time = studio.js("() => andante.studio.status.value.sim_time")
    studio.wait("t => andante.studio.status.value.sim_time > t + 0.1", time)


def test_the_clip_button_films_what_can_be_seen(studio: Any) -> None:
    av = pytest.importorskip("av")
    with studio.shortened("/clip", 0.6):
        studio.page.get_by_label("Film a clip of 5 s").click()
        studio.page.locator(".log li", has_text="/clip: clip_").first.wait_for(state="attached")
        assert studio.asked() == {"seconds": 5, "name": ""}
    studio.js("() => andante.stage.view.hold(true)")  # the machine has a film to draw
    file = _until(lambda: next(studio.folder.glob("clip_*.mp4"), None))
    with av.open(str(file)) as film:
        pictures = [frame.to_ndarray(format="rgb24") for frame in film.decode(video=0)]
    assert len(pictures) == 15
    assert pictures[0].shape == (540, 960, 3)
    assert pictures[0].std() > 10  # something is in the picture
    studio.js("() => andante.stage.view.hold(false)")
    studio.page.locator(".log li", has_text="is ready").first.wait_for(state="attached")


def _until(look: Callable[[], Any]) -> Any:
    """What a look finds at last."""
    end = time.monotonic() + PATIENCE
    while not (found := look()):
        assert time.monotonic() < end, "nothing came"
        time.sleep(0.1)
    return found
