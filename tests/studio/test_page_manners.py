"""The page in Chromium: it does what was meant, says what it waits for, and fits on a phone."""

from __future__ import annotations

import json
from pathlib import Path
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
    page.locator("body").click(position={"x": 930, "y": 20})
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
    page.locator("#panel-plots [data-topic='/joint_states']").click()
    for index in (0, 1):
        page.locator(f"[data-field='/joint_states position[{index}]']").click()
    studio.wait("() => document.querySelectorAll('.legend b').length === 2")
    seen = studio.js("() => [...document.querySelectorAll('.legend b')].map(e => e.textContent)")
    assert seen[0] != seen[1]
    assert all(name.startswith("position") for name in seen)
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
        for tab in (
            "motions",
            "joints",
            "sensors",
            "drive",
            "map",
            "camera",
            "log",
            "terminal",
            "plots",
            "timeline",
            "behaviour",
        ):
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


AXE = Path(__file__).parents[2] / "web" / "node_modules" / "axe-core" / "axe.min.js"
URDF = """<robot name="my &lt;b&gt;cart"><link name="base_link"><inertial><mass value="1"/>
  <inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>
  <visual><geometry><box size="0.3 0.2 0.1"/></geometry></visual>
  <collision><geometry><box size="0.3 0.2 0.1"/></geometry></collision></link></robot>"""
DROPS = """([name, text]) => { const data = new DataTransfer(); data.items.add(new File([text], name));
    for (const kind of ['dragenter', 'dragover', 'drop'])
        window.dispatchEvent(new DragEvent(kind, { dataTransfer: data, bubbles: true, cancelable: true })); }"""


def test_a_robot_of_ones_own_is_dropped_on_the_page_and_a_broken_one_told(studio: Any) -> None:
    page = studio.page
    studio.js(DROPS, ["mine.urdf", URDF])
    page.locator("dialog.open[open]").wait_for()
    studio.wait("() => andante.studio.status.value.robot === 'my <b>cart'")
    page.wait_for_selector(".viewport[data-robot='my <b>cart']")
    studio.wait(
        "() => { let n = 0; andante.stage.robot.value.urdf.traverse(o => { n += o.isMesh ? 1 : 0; }); return n > 0; }"
    )
    page.locator("dialog.open").wait_for(state="hidden")
    assert page.locator("#select-robot").input_value() == "my <b>cart"
    studio.js(DROPS, ["broken.urdf", URDF.replace("</link>", "")])
    page.locator(".problems .error", has_text="broken.urdf").first.wait_for()
    assert "It cannot be used" in page.locator("dialog.open .result").inner_text()
    page.locator(".shelf .entry", has_text="my <b>cart").first.wait_for()
    page.keyboard.press("Escape")
    page.locator("dialog.open").wait_for(state="hidden")
    studio.choose("robot", "waffle")


def test_help_and_links_and_keys_of_the_page(studio: Any) -> None:
    page = studio.page
    page.locator("body").click(position={"x": 930, "y": 20})
    page.keyboard.press("?")
    page.locator("dialog.help[open]").wait_for()
    for words in ("turn left", "pause, go on", "open a robot or a world"):
        assert words in page.locator("dialog.help").inner_text()
    page.keyboard.press("w")  # a window is open: nothing drives
    assert studio.js("() => andante.driver.held.value.size") == 0
    page.keyboard.press("Escape")
    page.locator("dialog.help").wait_for(state="hidden")
    page.locator(".viewport canvas").focus()
    page.keyboard.press(" ")
    studio.wait("() => andante.studio.status.value.paused")
    page.keyboard.press(" ")
    studio.wait("() => !andante.studio.status.value.paused")
    studio.open("joints")
    studio.open("map")
    page.get_by_label("Copy a link to this view").click()
    link = studio.js("() => location.href")
    assert "robot=waffle" in link
    assert "world=arena" in link
    studio.open("drive")
    studio.choose("world", "empty")
    page.goto("about:blank")
    page.goto(link)
    page.wait_for_selector(".viewport[data-world=arena]")
    studio.wait("() => document.querySelector('#tab-joints').getAttribute('aria-selected') === 'true'")
    studio.wait("() => typeof andante !== 'undefined' && andante.studio.status.value?.world === 'arena'")
    page.goto("about:blank")
    studio.load()


def test_nothing_stands_in_the_way_of_a_screen_reader_and_little_goes_over_the_wire(studio: Any) -> None:
    if not AXE.is_file():
        pytest.skip("axe-core is not installed: python tools/build_web.py")
    page, broken = studio.page, []
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme=theme)
        studio.js("() => localStorage.clear()")
        studio.load()
        sizes = studio.js("() => performance.getEntriesByType('resource').map(e => e.encodedBodySize)")
        assert 100_000 < sum(sizes) < 600_000  # what the start brings; panels that are opened later bring their own
        studio.js(AXE.read_text() + "; () => 0")
        pairs = (("drive", "map"), ("joints", "log"), ("sensors", "terminal"), ("motions", "plots"))
        for right, below in (*pairs, ("motions", "timeline"), ("motions", "behaviour"), ("motions", "topics")):
            studio.open(right)
            studio.open(below)
            studio.wait("below => document.getElementById(`panel-${below}`).childElementCount > 0", below)
            found = studio.js("async () => (await axe.run(document, { resultTypes: ['violations'] })).violations")
            broken += [(theme, right, v["id"], n["html"][:100]) for v in found for n in v["nodes"]]
    page.emulate_media(color_scheme="light")
    assert broken == []


def test_a_scene_is_drawn_saved_and_driven_in(studio: Any) -> None:
    page = studio.page
    studio.choose("world", "empty")
    page.click("#edit")
    page.locator(".card.editor").wait_for(state="visible")
    for kind in ("table", "box"):
        page.click(f"[data-add={kind}]")
    page.get_by_label("along x [m]").fill("0.6")
    page.get_by_label("along x [m]").press("Enter")
    page.get_by_label("x [m]", exact=True).fill("1.5")
    page.get_by_label("x [m]", exact=True).press("Enter")
    studio.wait("() => { const b = andante.editor.scene.things[1]; return b.x === 1.5 && b.size[0] === 0.6; }")
    page.locator(".viewport canvas").first.focus()
    page.keyboard.press("Control+d")
    page.keyboard.press("Delete")
    page.keyboard.press("Control+z")
    assert studio.js("() => andante.editor.scene.things.length") == 3
    page.keyboard.press("Control+y")
    page.click("[data-mode=wall]")
    drag = studio.js(
        """() => { const v = andante.stage.view, b = v.canvas.getBoundingClientRect();
             const T = v.camera.position.constructor;
             const at = (x, y) => { const p = new T(x, y, 0).project(v.camera);
                 return [b.left + (p.x + 1) / 2 * b.width, b.top + (1 - p.y) / 2 * b.height]; };
             v.camera.updateMatrixWorld(); return [at(-0.6, 0.6), at(0.4, 0.6)]; }"""
    )
    page.mouse.move(*drag[0])
    page.mouse.down()
    page.mouse.move(*drag[1], steps=4)
    page.mouse.up()
    length = studio.js("() => andante.editor.scene.things.at(-1).size[0]")
    assert length == pytest.approx(1.0, abs=0.11)
    page.fill("#scene-name", "My flat")
    page.click("#scene-save")
    studio.wait("() => /My_flat[.]sdf$/.test(andante.studio.status.value.world)")
    page.locator(".card.editor").wait_for(state="hidden")
    studio.wait("() => andante.stage.world.value?.things.some(g => g.children.length > 0)")
    assert (studio.folder / "gallery" / "My_flat" / "My_flat.sdf").is_file()
    page.click("#edit")
    studio.wait("() => andante.editor.open")
    kinds = studio.js("() => andante.editor.scene.things.map(t => t.kind).sort()")
    assert kinds == ["box", "table", "wall"]
    page.keyboard.press("b")
    studio.wait("() => !andante.editor.open")
