"""The page in Chromium: motions and behaviours are made in it, fields plotted, recordings scrubbed, maps routed."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

EDITOR = "andante.timeline.inside.editor"
PATIENCE = 120.0  # for a table to grow on a busy machine [s]


@pytest.fixture(autouse=True)
def _nao(studio: Any) -> None:
    studio.choose("robot", "nao")
    studio.choose("world", "lab")


def _slide(studio: Any, joint: str, value: float) -> None:
    studio.js(
        """([joint, value]) => { const s = document.querySelector(`.slide[data-slide=${joint}] input`); s.value = value;
             s.dispatchEvent(new Event('input', { bubbles: true })); s.dispatchEvent(new Event('change')); }""",
        [joint, value],
    )


def _ghost_point(studio: Any, link: str) -> list[float]:
    """Where a link of the ghost is in the window [px]."""
    return studio.js(
        """link => { const { view } = andante.stage; const ghost = andante.timeline.inside.editor.ghost.model;
             const at = ghost.info(link).position.project(view.camera), box = view.canvas.getBoundingClientRect();
             return [box.left + (at.x + 1) / 2 * box.width, box.top + (1 - at.y) / 2 * box.height]; }""",
        link,
    )


# Every look of the ghost has arrived: before, there is nothing that the mouse could take hold of.
DRAWN = f"""() => {{ let all = 0, there = 0; {EDITOR}.ghost.model.urdf.traverse(one => {{
    if (one.isURDFVisual) {{ all += 1; there += one.children.length > 0; }} }}); return all > 0 && there === all; }}"""


def _resting_point(studio: Any, link: str) -> list[float]:
    """The same once the ghost has taken its posture."""
    before = _ghost_point(studio, link)
    for _ in range(100):
        studio.page.wait_for_timeout(300)
        now = _ghost_point(studio, link)
        if now == before:
            break
        before = now
    return before


def test_a_motion_is_made_saved_and_played(studio: Any) -> None:
    """By a slider, by a drag of the ghost's hand, mirrored, undone, checked, exported, saved, and played."""
    page = studio.page
    studio.open("timeline")
    page.locator(".slide[data-slide=LShoulderPitch]").wait_for()
    studio.wait(f"() => {EDITOR}.ghost.model && {EDITOR}.about.value")
    page.get_by_label("New motion").click()
    studio.js(f"() => {EDITOR}.seek(1.0)")
    _slide(studio, "LShoulderPitch", 0.2)
    assert page.locator(".curves .key").count() == 1
    assert page.locator(".curves .curve").count() == 1

    studio.js(f"() => {EDITOR}.seek(2.0)")
    studio.wait(f"() => {EDITOR}.ghost.model.info('l_wrist')")
    studio.wait(DRAWN)
    x, y = _resting_point(studio, "l_wrist")
    before = studio.js(f"() => {EDITOR}.posture")
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 20, y - 30, steps=4)
    for k in range(60):  # a hand that trembles: a busy page may have missed the first moves
        page.wait_for_timeout(200)
        if studio.js(f"() => {EDITOR}.draft.keys.length === 2 && !{EDITOR}.pulling"):
            break
        page.mouse.move(x + 20 + k % 2, y - 30)
    assert studio.js(f"() => {EDITOR}.draft.keys.length") == 2
    page.mouse.up()
    after = studio.js(f"() => {EDITOR}.posture")
    moved = {name for name in after if abs(after[name] - before[name]) > 1e-3}
    assert any(name.startswith("LShoulder") or name.startswith("LElbow") for name in moved), moved
    assert not any(name.startswith("RShoulder") for name in moved)

    studio.js(f"() => {EDITOR}.choose(new Set())")
    page.get_by_role("button", name="Mirror").click()
    keys = studio.js(f"() => {EDITOR}.draft.keys")
    assert keys[0]["positions"] == pytest.approx({"RShoulderPitch": 0.2}, abs=0.02)
    page.locator("#panel-timeline").get_by_label("Undo (Ctrl+Z)").click()
    assert "LShoulderPitch" in studio.js(f"() => {EDITOR}.draft.keys[0].positions")

    studio.js(f"() => {EDITOR}.seek(0.05)")
    _slide(studio, "HeadYaw", 2.0)  # too fast
    page.locator(".told .warn", has_text="HeadYaw").first.wait_for()
    page.keyboard.press("Control+z")
    with page.expect_download() as waits:
        page.select_option("select[aria-label=Export]", "choregraphe")
    assert "angleInterpolation" in Path(waits.value.path()).read_text()

    page.fill("[aria-label='Name of the motion']", "greeting")
    page.keyboard.press("Enter")
    page.get_by_label("Save the motion").click()
    page.locator(".toast.good", has_text="saved as greeting").wait_for()
    assert (studio.folder / "motions" / "greeting.toml").is_file()
    page.locator("#panel-timeline").get_by_role("button", name="Play", exact=True).click()
    studio.wait("() => andante.studio.status.value.detail === 'greeting'")
    studio.open("motions")
    page.locator(".chip[data-name=greeting]").wait_for()
    studio.wait("() => andante.studio.status.value.detail !== 'greeting' || andante.studio.status.value.standing")
    assert not studio.js("() => andante.studio.status.value.fallen")
    studio.js("() => andante.studio.ask('/set_behaviour', 'andante_msgs/srv/Choose', { name: 'drive' })")


def test_a_behaviour_is_drawn_changed_checked_run_and_saved(studio: Any) -> None:
    page = studio.page
    studio.open("behaviour")
    panel = page.locator("#panel-behaviour")
    panel.get_by_label("New behaviour").click()
    panel.get_by_role("button", name="State", exact=True).click()
    page.fill("#machine-name", "look")
    page.keyboard.press("Tab")
    page.fill("#machine-does", "joints(HeadYaw=0.4)")
    page.keyboard.press("Tab")
    panel.locator("[data-state=look]").wait_for()
    panel.get_by_role("button", name="Transition", exact=True).click()
    page.select_option("#machine-to", "end")
    panel.locator("[data-way='wait 0'] text").click(force=True)
    page.fill("#machine-after-s-", "0.2")
    page.keyboard.press("Tab")
    page.select_option("#machine-to", "look")
    panel.locator(".told", has_text="Nothing is wrong").wait_for()
    page.fill("#machine-when", "nothing_known > 1")
    page.keyboard.press("Tab")
    panel.locator(".told .bad", has_text="nothing_known").first.wait_for()
    studio.js("() => { andante.behaviour.inside.undo(true); andante.behaviour.inside.choose(undefined); }")
    panel.locator(".told", has_text="Nothing is wrong").wait_for()

    box = panel.locator("[data-state=look]").bounding_box()
    page.mouse.move(box["x"] + 20, box["y"] + 8)
    page.mouse.down()
    page.mouse.move(box["x"] + 60, box["y"] + 48, steps=3)
    page.mouse.up()
    assert studio.js("() => andante.behaviour.inside.machine.states.look.place") is not None

    page.fill("[aria-label='Name of the behaviour']", "glance")
    page.keyboard.press("Enter")
    studio.js(
        """() => { window.lit = new Set(); window.eye = setInterval(() => document.querySelectorAll('.state.active')
             .forEach(e => window.lit.add(e.dataset.state)), 20); }"""
    )
    panel.get_by_role("button", name="Start").click()
    panel.locator(".now", has_text="glance ended in end").wait_for()
    assert "look" in studio.js("() => { clearInterval(window.eye); return [...window.lit]; }")
    panel.get_by_label("Save the behaviour").click()
    page.locator(".toast.good", has_text="glance.toml").wait_for()
    assert (studio.folder / "machines" / "glance.toml").is_file()


def _downloaded_table(page: Any) -> list[str]:
    """Lines of what the CSV button of the plots saves."""
    with page.expect_download() as waits:
        page.get_by_role("button", name="CSV").click()
    return Path(waits.value.path()).read_text().splitlines()


def test_fields_are_found_plotted_zoomed_kept_and_taken_along(studio: Any) -> None:
    page, end = studio.page, time.monotonic() + PATIENCE
    studio.open("plots")
    page.locator("#panel-plots [data-topic='/imu/data']").wait_for()
    page.get_by_label("Remove all curves").click()
    page.fill("[aria-label='Search topics and fields']", "imu linear z")
    page.locator("[data-field='/imu/data linear_acceleration.z']").click()
    studio.wait("() => parseFloat(document.querySelector('.legend output')?.textContent) > 5")
    assert "m/s²" in page.locator(".legend").first.inner_text()
    page.select_option("select[aria-label='Charts of a kind']", label="Knees")
    studio.wait("() => document.querySelectorAll('.charts .legend output').length === 4")
    assert page.locator(".charts .plotarea").count() == 2
    box = page.locator(".charts .plot").first.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 30)
    page.mouse.wheel(0, -200)
    page.get_by_role("button", name="Live", exact=True).click()
    table = _downloaded_table(page)
    while len(table) <= 5:  # curves begin when they are chosen, and a busy machine adds a few lines a second
        assert time.monotonic() < end, table
        page.wait_for_timeout(200)
        table = _downloaded_table(page)
    assert "LKneePitch [rad]" in table[0]
    times = [float(line.partition(",")[0]) for line in table[1:]]
    assert times == sorted(set(times))
    with page.expect_download() as waits:
        page.get_by_role("button", name="PNG").click()
    assert Path(waits.value.path()).read_bytes()[:4] == b"\x89PNG"
    studio.load()
    studio.wait("() => document.querySelectorAll('.charts .legend output').length === 4")
    page.get_by_label("Remove all curves").click()
    assert page.locator(".legend output").count() == 0


def test_topics_tell_their_rate_and_take_messages(studio: Any) -> None:
    page = studio.page
    studio.open("topics")
    page.locator("#panel-topics [data-topic='/joint_states']").wait_for()
    studio.wait("() => parseFloat(document.querySelector('.topichead output')?.textContent) > 5")
    assert "HeadYaw" in page.locator(".message").inner_text()
    page.fill("[aria-label='Search topics']", "joint_angles")
    page.locator("#panel-topics [data-topic='/joint_angles']").click()
    studio.wait("() => document.querySelector('[aria-label=\"Message to publish\"]').value.includes('joint_names')")
    message = {"joint_names": ["HeadPitch"], "joint_angles": [0.2], "speed": 0.3, "relative": 0}
    page.fill("[aria-label='Message to publish']", json.dumps(message))
    page.get_by_role("button", name="Publish").click()
    studio.open("joints")
    studio.wait(
        "() => Math.abs(parseFloat(document.querySelector('[data-joint=HeadPitch] output').textContent) - 11.5) < 2"
    )


def test_waypoints_are_put_in_order_and_mapping_says_what_it_can(studio: Any) -> None:
    page = studio.page
    studio.open("map")
    page.locator(".mapping > *").first.wait_for()
    page.locator("#panel-map [data-tool=waypoint]").click()
    box = page.locator("#panel-map canvas").bounding_box()
    for dx in (40, 90):
        page.mouse.move(box["x"] + box["width"] / 2 + dx, box["y"] + box["height"] / 2)
        page.mouse.down()
        page.mouse.move(box["x"] + box["width"] / 2 + dx + 10, box["y"] + box["height"] / 2, steps=2)
        page.mouse.up()
    assert "2 waypoints" in page.locator(".route").inner_text()
    page.locator(".route").get_by_role("button", name="Clear").click()
    assert page.locator(".route").is_hidden()


def test_a_recording_is_paused_scrubbed_taken_along_and_brought(studio: Any, tmp_path: Path) -> None:
    page = studio.page
    page.get_by_label("Record", exact=True).click()
    studio.wait("() => andante.studio.status.value.recording && andante.studio.status.value.record_messages > 100")
    page.get_by_label("Stop recording").click()
    studio.wait("() => !andante.studio.status.value.recording")
    name = studio.js("() => andante.studio.status.value.record_file")
    studio.open("replay")
    studio.wait("file => document.querySelector('select[aria-label=Recording]').value === file", name)
    with page.expect_download() as waits:
        page.get_by_label("Download the recording").click()
    mine = tmp_path / "mine.mcap"
    mine.write_bytes(Path(waits.value.path()).read_bytes())
    page.set_input_files("[aria-label='Recording to bring']", mine)
    studio.wait("() => document.querySelector('select[aria-label=Recording]').value === 'mine.mcap'")
    page.select_option("select[aria-label='Speed of the replay']", "0.1")
    page.locator("#panel-replay").get_by_role("button", name="Play").click()
    studio.wait("() => andante.studio.replay.value")
    page.get_by_label("Hold the recording").click()
    studio.wait("() => andante.studio.replay.value.paused")
    studio.js(
        """() => { const bar = document.querySelector('.scrub'); bar.value = 0.6;
             bar.dispatchEvent(new Event('input')); bar.dispatchEvent(new Event('change')); }"""
    )
    studio.wait(
        "() => { const r = andante.studio.replay.value; return r && r.paused && r.position > 0.55 * r.duration; }"
    )
    page.locator("#panel-replay").get_by_role("button", name="Stop").click()
    studio.wait("() => !andante.studio.replay.value")


def test_a_second_robot_is_added_driven_and_removed(studio: Any) -> None:
    page = studio.page
    studio.choose("world", "empty")
    studio.choose("robot", "waffle")
    studio.open("drive")
    page.locator("details.robots summary").click()
    studio.wait(
        "() => [...document.querySelector('[aria-label=\"Robot to add\"]').options].some(o => o.value === 'r:waffle')"
    )
    page.select_option("[aria-label='Robot to add']", "r:waffle")
    page.locator("details.robots").get_by_role("button", name="Add").click()
    studio.wait("() => andante.stage.others.has('waffle_2')")
    page.get_by_role("radio", name="waffle_2").check()
    studio.wait("() => andante.driver.tops?.top_speed > 0")
    first = studio.truth()[0]
    before = studio.js("() => andante.stage.others.get('waffle_2').urdf.position.x")
    page.locator(".viewport canvas").first.focus()
    page.keyboard.down("w")
    studio.wait("x => andante.stage.others.get('waffle_2').urdf.position.x > x + 0.15", before)
    page.keyboard.up("w")
    assert abs(studio.truth()[0] - first) < 0.02
    page.get_by_label("Remove waffle_2").click()
    studio.wait("() => !andante.stage.others.has('waffle_2')")
    studio.wait("() => andante.driver.space.value === ''")
