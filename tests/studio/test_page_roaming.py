"""The page in Chromium: held keys drive, goals on the map are reached, gaits are searched. Judged by the truth."""

from __future__ import annotations

import math
from typing import Any

HEAR_POSES = """() => { window.poses = []; window.endPose = andante.studio.connection.subscribe(
    '/initialpose', 'geometry_msgs/msg/PoseWithCovarianceStamped', m => window.poses.push(m)); }"""


def test_a_held_key_walks_the_nao_and_letting_go_stops_it(studio: Any) -> None:
    studio.choose("robot", "nao")
    studio.open("drive")
    x, y, _ = studio.truth()
    studio.page.locator("body").click(position={"x": 640, "y": 20})
    studio.page.keyboard.down("w")
    studio.wait(
        "() => [...document.querySelectorAll('[data-key=w]')].every(k => k.getAttribute('aria-pressed') === 'true')"
    )
    studio.wait("s => andante.stage.centre.x - s > 0.08", x)
    studio.page.keyboard.up("w")
    assert studio.page.locator("[data-key=w][aria-pressed=true]").count() == 0
    studio.wait("() => andante.studio.status.value.standing")
    assert abs(studio.truth()[1] - y) < 0.15
    assert not studio.js("() => andante.studio.status.value.fallen")


def test_keys_are_let_go_when_the_window_loses_its_focus(studio: Any) -> None:
    studio.page.keyboard.down("q")
    studio.wait("() => andante.driver.held.value.has('q')")
    studio.js("() => window.dispatchEvent(new Event('blur'))")
    assert studio.js("() => andante.driver.held.value.size") == 0
    studio.page.keyboard.up("q")


def test_typing_does_not_drive(studio: Any) -> None:
    studio.open("terminal")
    studio.page.get_by_label("Command line").focus()
    studio.page.keyboard.down("w")
    assert studio.js("() => andante.driver.held.value.size") == 0
    studio.page.keyboard.up("w")
    studio.page.get_by_label("Command line").fill("")
    studio.open("log")


def test_the_speed_slider_reaches_the_session(studio: Any) -> None:
    studio.open("drive")
    studio.js(
        "() => { const s = document.getElementById('speed'); s.value = 80; s.dispatchEvent(new Event('input')); }"
    )
    studio.wait("() => andante.studio.status.value.speed === 80")


def test_a_gait_search_runs_pauses_resumes_and_replays(studio: Any) -> None:
    studio.choose("robot", "nao")
    studio.open("search")
    studio.page.fill("#budget", "2")
    studio.page.fill("#study", "page")
    studio.page.get_by_role("button", name="Start").click()
    state = "andante.studio.connection.subscriptions.get('/search/state').last"
    studio.wait(f"() => {state} && {state}.status === 'running'")
    studio.page.get_by_role("button", name="Pause", exact=True).last.click()
    studio.wait(f"() => ['paused', 'done'].includes({state}.status)")
    if studio.js(f"() => {state}.status") == "paused":
        studio.page.get_by_role("button", name="Resume").click()
    studio.wait(f"() => {state}.status === 'done' && {state}.evaluated >= 2")
    assert studio.page.locator(".best tbody tr").count() >= 1
    assert studio.page.locator("select[aria-label='Parameter of the scatter'] option").count() >= 5
    studio.page.locator(".best button").first.click()
    studio.wait("() => /wave/.test(andante.studio.status.value.behaviour + andante.studio.status.value.detail)")


def test_held_keys_walk_the_shell_and_its_own_keys_raise_it(studio: Any) -> None:
    studio.choose("world", "empty")
    studio.choose("robot", "shell")
    studio.open("drive")
    studio.page.locator(".panel [data-key=u]").wait_for()
    studio.wait("() => andante.studio.status.value.standing")
    x, _, z = studio.truth()
    studio.page.keyboard.down("w")
    studio.wait("s => andante.stage.centre.x - s > 0.06", x)
    studio.page.keyboard.up("w")
    studio.wait("() => andante.studio.status.value.standing")
    studio.page.keyboard.down("u")
    studio.wait("s => andante.stage.centre.z - s > 0.008", z)
    studio.page.keyboard.up("u")


def test_a_goal_dragged_on_the_map_is_reached(studio: Any) -> None:
    studio.choose("robot", "waffle")
    studio.choose("world", "arena")
    studio.open("map")
    studio.wait("() => andante.map.grid !== undefined && andante.map.robot() !== undefined")
    studio.wait("() => andante.map.scan !== undefined")
    x, y, _ = studio.truth()
    studio.page.locator(".map [data-tool=goal]").click()
    drag = studio.js(
        """([x, y]) => { const m = andante.map, b = m.canvas.getBoundingClientRect();
             const at = (u, v) => { const [px, py] = m.view.toPixels(u, v); return [b.left + px, b.top + py]; };
             return [at(x + 0.7, y), at(x + 1.2, y)]; }""",
        [x, y],
    )
    studio.page.mouse.move(*drag[0])
    studio.page.mouse.down()
    studio.page.mouse.move(*drag[1], steps=4)
    studio.page.mouse.up()
    studio.wait("([x, y]) => Math.hypot(andante.stage.centre.x - x - 0.7, andante.stage.centre.y - y) < 0.25", [x, y])
    assert math.hypot(studio.truth()[0] - x - 0.7, studio.truth()[1] - y) < 0.25


def test_a_pose_estimate_is_taken_over(studio: Any) -> None:
    studio.js(HEAR_POSES)
    studio.page.wait_for_timeout(500)
    studio.page.locator(".map [data-tool=pose]").click()
    box = studio.page.locator(".canvasbox canvas").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    studio.page.mouse.move(x, y)
    studio.page.mouse.down()
    studio.page.mouse.move(x, y - 30, steps=3)
    studio.page.mouse.up()
    studio.wait("() => window.poses.length === 1")
    q = studio.js("() => { window.endPose(); return window.poses[0].pose.pose.orientation; }")
    assert math.isclose(2 * math.atan2(q["z"], q["w"]), math.pi / 2, abs_tol=0.05)


def test_the_page_had_nothing_to_complain_about(studio: Any) -> None:
    assert [line for line in studio.complaints if "GL Driver" not in line and "GPU stall" not in line] == []
