"""The page in Chromium: held keys drive, goals on the map are reached, gaits are searched. Judged by the truth."""

from __future__ import annotations

import json
import math
import threading
import time
from typing import Any

import numpy as np
import pytest

HEAR_POSES = """() => { window.poses = []; window.endPose = andante.studio.connection.subscribe(
    '/initialpose', 'geometry_msgs/msg/PoseWithCovarianceStamped', m => window.poses.push(m)); }"""

# The one thing that is not real: a browser without hardware has no gamepad.
GAMEPAD = """() => { window.pad = { id: 'Test pad', connected: true, axes: [0, 0, 0, 0] };
    navigator.getGamepads = () => [null, window.pad]; }"""


def test_a_held_key_walks_the_nao_and_letting_go_stops_it(studio: Any) -> None:
    studio.choose("robot", "nao")
    studio.open("drive")
    x, y, _ = studio.truth()
    studio.page.locator("body").click(position={"x": 930, "y": 20})
    studio.page.keyboard.down("w")
    studio.wait(
        "() => [...document.querySelectorAll('[data-key=w]')].every(k => k.getAttribute('aria-pressed') === 'true')"
    )
    studio.page.click("[data-toggle=footsteps]")
    studio.wait("s => andante.stage.centre.x - s > 0.08", x)
    studio.wait("() => andante.studio.connection.subscriptions.get('/footsteps').last.steps.length > 1")
    studio.page.keyboard.up("w")
    studio.page.click("[data-toggle=footsteps]")
    assert studio.page.locator("[data-key=w][aria-pressed=true]").count() == 0
    studio.wait("() => andante.studio.status.value.standing")
    assert abs(studio.truth()[1] - y) < 0.15
    assert not studio.js("() => andante.studio.status.value.fallen")


# Whether it has ever lain or was about to, as the session says.
WATCH_FALLS = """() => { window.fell = 0; window.fallWatch = setInterval(() => {
    const { fallen, fall_state } = andante.studio.status.value;
    if (fallen || !['', 'upright'].includes(fall_state)) window.fell += 1; }, 100); }"""


@pytest.mark.parametrize("seconds", [8.0, pytest.param(120.0, marks=pytest.mark.drill)])
def test_keys_at_random_do_not_let_the_nao_fall(studio: Any, seconds: float) -> None:
    """W A S D Q E pressed and let go as they come, at 100 % of the speed, for so long by the clock of the session."""
    rng, keys = np.random.default_rng(11), studio.page.keyboard
    studio.choose("world", "empty")
    studio.choose("robot", "nao")
    studio.open("drive")
    studio.page.locator("#speed").fill("100")
    studio.wait("() => andante.studio.status.value.speed === 100")
    studio.page.locator("body").click(position={"x": 930, "y": 20})
    studio.js(WATCH_FALLS)
    now = "() => andante.studio.status.value.sim_time"
    held: set[str] = set()
    end, pressed = studio.js(now) + seconds, 0
    while studio.js(now) < end:
        key = str(rng.choice(list("wasdqe")))
        (keys.up if key in held else keys.down)(key)
        held ^= {key}
        pressed += 1
        studio.page.wait_for_timeout(float(rng.uniform(50.0, 900.0)))
    for key in held:
        keys.up(key)
    studio.wait("() => andante.studio.status.value.standing")
    studio.page.locator("#speed").fill("60")
    studio.wait("() => andante.studio.status.value.speed === 60")
    assert pressed > 4
    assert studio.js("() => { clearInterval(window.fallWatch); return window.fell; }") == 0


def test_held_keys_are_sent_while_the_page_is_busy(studio: Any) -> None:
    """A page that draws for longer than the deadman of half a second must not let the robot stop and go."""
    studio.choose("world", "empty")
    studio.choose("robot", "waffle")
    studio.wait("() => andante.studio.status.value.standing")
    came: list[float] = []
    ready, done = threading.Event(), threading.Event()
    client = threading.Thread(target=_hear_velocities, args=(studio.url, came, ready, done))
    client.start()
    try:
        assert ready.wait(60)
        studio.page.locator("body").click(position={"x": 930, "y": 20})
        studio.page.keyboard.down("e")
        studio.wait("() => Math.abs(andante.stage.robot.value.urdf.quaternion.z) > 0.02")
        start = time.monotonic()
        studio.js("() => { const end = performance.now() + 1500; while (performance.now() < end); }")
        busy = [at for at in came if start < at < start + 1.5]
        studio.page.keyboard.up("e")
    finally:
        done.set()
        client.join()
    assert len(busy) > 5  # 30 where nothing else is going on; none by a timer of the page
    studio.wait("() => andante.studio.status.value.standing")


def _hear_velocities(url: str, came: list[float], ready: threading.Event, done: threading.Event) -> None:
    from websockets.sync.client import connect

    with connect(url.replace("http", "ws") + "rosbridge", proxy=None) as line:
        line.send(json.dumps({"op": "subscribe", "topic": "/cmd_vel"}))
        ready.set()
        while not done.is_set():
            try:
                line.recv(timeout=0.2)
                came.append(time.monotonic())
            except TimeoutError:
                pass


def test_the_sticks_of_a_gamepad_drive(studio: Any) -> None:
    studio.choose("world", "empty")
    studio.choose("robot", "waffle")
    studio.js(GAMEPAD)
    studio.open("drive")
    studio.page.get_by_text("Gamepad: Test pad").wait_for()
    x, y, _ = studio.truth()
    yaw = "() => { const q = andante.stage.robot.value.urdf.quaternion; return 2 * Math.atan2(q.z, q.w); }"
    studio.js("() => { window.pad.axes = [0, -1, 0, 0]; }")  # the left stick ahead
    studio.wait("([x, y]) => Math.hypot(andante.stage.centre.x - x, andante.stage.centre.y - y) > 0.08", [x, y])
    studio.js("() => { window.pad.axes = [0.05, 0.1, 0, 0]; }")  # nearly in the middle counts as let go
    studio.wait("() => andante.studio.status.value.standing")
    before = studio.js(yaw)
    studio.js("() => { window.pad.axes = [0, 0, -1, 0]; }")  # the right stick to the left
    studio.wait(f"b => {{ const d = ({yaw})() - b; return Math.atan2(Math.sin(d), Math.cos(d)) > 0.15; }}", before)
    studio.js("() => { window.pad.connected = false; }")
    studio.wait("() => andante.studio.status.value.standing")
    studio.page.get_by_text("press a button on it to connect").wait_for()


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
    with studio.shortened("/search/start", 1.0):  # trials of a second
        studio.page.get_by_role("button", name="Start").click()
        assert studio.asked()["budget"] == 2
    state = "andante.studio.connection.subscriptions.get('/search/state').last"
    studio.wait(f"() => {state} && {state}.status === 'running'")
    studio.page.get_by_role("button", name="Pause", exact=True).last.click()
    studio.wait(f"() => ['paused', 'done'].includes({state}.status)", patience=600_000)
    if studio.js(f"() => {state}.status") == "paused":
        studio.page.get_by_role("button", name="Resume").click()
    studio.wait(
        f"() => {state}.status === 'done' && {state}.evaluated >= 2", patience=600_000
    )  # physics takes its time
    assert studio.page.locator(".best tbody tr").count() >= 1
    assert studio.page.locator("select[aria-label='Parameter of the scatter'] option").count() >= 5
    best = studio.page.locator(".best button").first
    number = best.get_attribute("aria-label").removeprefix("Replay candidate ")
    best.click()
    studio.wait("() => /wave/.test(andante.studio.status.value.behaviour + andante.studio.status.value.detail)")
    studio.page.get_by_text(f"candidate {number} is replayed").first.wait_for(
        state="attached"
    )  # in the log, be it open or not
    x, y, _ = studio.truth()
    studio.wait("([x, y]) => Math.hypot(andante.stage.centre.x - x, andante.stage.centre.y - y) > 0.01", [x, y])
    studio.page.locator(".scatter").scroll_into_view_if_needed()
    dot = studio.js(  # any candidate by a click on its dot
        """() => { const { dot, px, py } = andante.search.scatter.drawn.at(-1);
             const b = document.querySelector('.scatter').getBoundingClientRect();
             return [b.left + px, b.top + py, dot.number]; }"""
    )
    studio.page.mouse.click(dot[0], dot[1])
    studio.page.get_by_text(f"candidate {dot[2]} is replayed").last.wait_for(state="attached")


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
    studio.wait("() => andante.map.plan && andante.map.plan.poses.length > 1")
    studio.wait("() => andante.map.costs !== undefined && andante.map.cloud !== undefined")
    studio.wait("([x, y]) => Math.hypot(andante.stage.centre.x - x - 0.7, andante.stage.centre.y - y) < 0.25", [x, y])
    assert math.hypot(studio.truth()[0] - x - 0.7, studio.truth()[1] - y) < 0.25


def test_a_pose_estimate_is_taken_over(studio: Any) -> None:
    studio.choose("robot", "waffle")
    studio.open("map")
    studio.wait("() => andante.map.grid !== undefined && andante.map.robot() !== undefined")
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


def test_the_page_had_nothing_to_complain_about_and_asked_nobody_else(studio: Any) -> None:
    known = (studio.url, "blob:", "about:")
    assert [address for address in studio.requests if not address.startswith(known)] == []
    assert [line for line in studio.complaints if "GL Driver" not in line and "GPU stall" not in line] == []
