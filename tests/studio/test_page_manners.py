"""The page in Chromium: it does what was meant, says what it waits for, and fits on a phone."""

from __future__ import annotations

import json
from typing import Any

import pytest

NARROW = """() => { const wide = [...document.querySelectorAll('body *')].filter(e => {
    const b = e.getBoundingClientRect(), s = getComputedStyle(e);
    return b.width > 0 && b.right > innerWidth + 1 && s.position !== 'fixed'
        && !e.closest('.tablist, .graph, .log, .unseen, svg, .tools'); });
    return wide.map(e => e.className + ' ' + e.tagName); }"""
CHANGE = """([kind, name]) => { const s = document.getElementById(`select-${kind}`);
    s.value = name; s.dispatchEvent(new Event('change'));
    return new Promise(done => queueMicrotask(() => done(document.querySelector('.badge.stage').hidden ? ''
        : document.querySelector('.badge.stage').textContent))); }"""


@pytest.fixture(autouse=True)
def _waffle(studio: Any) -> None:
    studio.choose("robot", "waffle")
    studio.choose("world", "arena")


def test_letters_on_a_menu_drive_instead_of_replacing_the_robot_and_a_choice_can_be_undone(studio: Any) -> None:
    page = studio.page
    page.locator("#select-robot").focus()
    page.keyboard.down("s")
    studio.wait("() => andante.driver.held.value.has('s')")
    page.keyboard.up("s")
    page.keyboard.press("n")
    page.keyboard.press("r")
    page.locator("#select-world").focus()
    page.keyboard.press("e")
    assert page.locator("#select-robot").input_value() == "waffle"
    assert page.locator("#select-world").input_value() == "arena"
    page.locator("body").click(position={"x": 640, "y": 20})
    studio.choose("robot", "rover")
    page.locator(".toast", has_text="The robot was waffle").get_by_role("button", name="Undo").click()
    studio.wait("() => andante.studio.status.value.robot === 'waffle'")
    page.wait_for_selector(".viewport[data-robot=waffle]")


def test_a_change_says_at_once_what_it_does_and_the_robot_stays_where_it_was(studio: Any) -> None:
    answer = studio.js(
        "r => andante.studio.connection.call('/spawn', 'andante_msgs/srv/Spawn', r, 120)",
        {"model": "", "name": "", "pose": "", "x": 0.5, "y": 0.25, "yaw": 0.3, "height": 0},
    )
    assert answer["success"], answer["message"]
    studio.wait("() => Math.abs(andante.stage.centre.x - 0.5) < 0.05")
    words = studio.js(CHANGE, ["engine", "bullet"])
    assert "Changing the engine to bullet" in words
    assert words.endswith(" s")
    studio.wait("() => andante.studio.status.value.engine === 'bullet' && andante.studio.busy.stage.value === null")
    studio.wait("() => document.querySelector('.badge.stage').hidden")
    studio.wait("() => andante.stage.last.scene === andante.studio.status.value.scene")
    x, y, _ = studio.truth()
    assert (x, y) == pytest.approx((0.5, 0.25), abs=0.08)
    studio.choose("engine", "mujoco")


def test_a_goal_off_the_map_is_refused_in_words_and_one_on_it_can_be_canceled(studio: Any) -> None:
    page = studio.page
    studio.open("map")
    studio.wait("() => andante.map.grid !== undefined && andante.map.robot() !== undefined")
    page.wait_for_timeout(300)
    studio.js("() => andante.map.send('goal', { x: 400, y: 3, yaw: 0 })")
    page.locator(".toast.bad", has_text="outside the map").first.wait_for()
    cancel = page.locator(".map").get_by_role("button", name="Cancel goal")
    assert not cancel.is_visible()
    studio.js("() => { const r = andante.map.robot(); andante.map.send('goal', { x: r.x + 0.8, y: r.y, yaw: 0 }); }")
    cancel.wait_for(state="visible")
    studio.wait("() => /m left/.test(document.querySelector('.map .way').textContent)")
    cancel.click()
    cancel.wait_for(state="hidden")
    studio.wait("() => andante.studio.status.value.standing")


def test_curves_are_told_apart_and_a_robot_without_a_gait_has_no_search(studio: Any) -> None:
    page = studio.page
    assert page.locator("#tab-search").is_hidden()
    studio.open("plots")
    studio.js("() => localStorage.clear()")
    studio.wait("() => document.querySelector('select[aria-label=Topic]').options.length > 10")
    page.select_option("select[aria-label=Topic]", "/joint_states")
    studio.wait("() => document.querySelector('select[aria-label=Field]').options.length > 2")
    for index in (0, 1):
        page.select_option("select[aria-label=Field]", index=index)
        page.get_by_role("button", name="Add").click()
    studio.wait("() => document.querySelectorAll('.legend b').length === 2")
    seen = studio.js(
        "() => [...document.querySelectorAll('.legend b')].map(e => [e.textContent, e.scrollWidth <= e.clientWidth + 1])"
    )
    assert seen[0][0] != seen[1][0]
    assert all(name.startswith("position") for name, _ in seen)
    assert studio.js("() => [...document.querySelectorAll('.legend .text')].every(e => e.scrollWidth <= e.clientWidth)")
    page.get_by_label("Remove all curves").click()


def test_everything_can_be_reached_on_a_phone(studio: Any) -> None:
    page = studio.page
    page.set_viewport_size({"width": 390, "height": 844})
    try:
        studio.wait("() => document.querySelector('.viewport').clientWidth <= 390")
        assert studio.js(NARROW) == []
        assert studio.js("() => document.querySelector('.viewport').clientHeight") > 200
        assert studio.js("() => document.documentElement.scrollHeight <= innerHeight + 1")
        for tab in ("motions", "joints", "sensors", "drive", "map", "camera", "log", "terminal", "plots"):
            studio.open(tab)
            assert page.locator(f"#panel-{tab}").is_visible()
            assert studio.js("t => document.getElementById(`panel-${t}`).clientHeight", tab) > 120
    finally:
        page.set_viewport_size({"width": 1280, "height": 720})


def test_another_session_at_the_same_address_is_another_page(studio: Any) -> None:
    page = studio.page
    with page.expect_response("**/scene.json") as answered:
        page.reload()
    first = answered.value.json()["session"]
    assert first
    page.wait_for_selector(".viewport[data-robot][data-world]")
    other = {"robot": None, "world": None, "session": "another"}
    page.route("**/scene.json", lambda route: route.fulfill(body=json.dumps(other), content_type="application/json"))
    studio.js("() => { window.old = true; andante.studio.connection.ros.close(); }")
    studio.wait("() => window.old === undefined && typeof andante !== 'undefined'")
    page.unroute("**/scene.json")
    studio.load()
