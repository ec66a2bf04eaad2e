"""The page in Chromium: what is shown, picked, pushed and laid over the picture."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from andante.description.mesh.textures import Texture
from andante.studio.buffers import Part, mesh_bytes

MESHES = """() => { let all = 0, there = 0; andante.stage.robot.value.urdf.traverse(o => {
    if (o.isURDFVisual) { all += 1; there += o.children.length; } }); return all > 20 && there === all; }"""
SUPPORT = """() => andante.stage.view.scene.children.some(o => o.isGroup && o.children.some(
    c => c.isLineLoop && c.geometry.attributes.position && c.geometry.attributes.position.count > 2))"""
COLLISIONS = """() => { let n = 0; andante.stage.robot.value.urdf.traverse(
    o => { if (o.userData.collision && o.children.length) n += 1; }); return n > 5; }"""
# what the meshes of the model `own` wear: the colour of the first vertex, and the middle of the picture
LOOKS_OF_OWN = """(() => { const found = [];
    andante.stage.others.get('own')?.urdf.traverse(o => { if (!o.isMesh) return;
        const c = o.geometry.getAttribute('color'), bitmap = o.material.map?.image;
        let picture = null;
        if (bitmap) { const canvas = new OffscreenCanvas(1, 1), paint = canvas.getContext('2d');
            paint.drawImage(bitmap, 0, 0, 1, 1); picture = [...paint.getImageData(0, 0, 1, 1).data].slice(0, 3); }
        found.push({ color: [c.getX(0), c.getY(0), c.getZ(0)], picture }); });
    return found; })()"""
HEAR_PUSHES = """() => { window.pushes = []; window.endPush = andante.studio.connection.subscribe(
    '/push', 'andante_msgs/msg/Push', m => window.pushes.push(m)); }"""


@pytest.fixture(autouse=True)
def _nao(studio: Any) -> None:
    studio.choose("robot", "nao")
    studio.choose("world", "lab")


def test_robot_and_world_are_shown_without_any_outside_request(studio: Any) -> None:
    studio.wait(MESHES)
    assert studio.js("() => andante.stage.world.value.group.children.length") >= 2
    assert all(address.startswith(studio.url) for address in studio.requests if not address.startswith("blob:"))
    assert studio.page.title() == "Andante Studio"
    studio.wait("() => andante.stage.view.fps > 0")


def test_the_picture_turns_and_follows(studio: Any) -> None:
    camera = "() => andante.stage.view.camera.position.toArray()"
    follow = studio.page.locator("[data-toggle=follow]")
    assert follow.get_attribute("aria-pressed") == "true"
    follow.click()
    before = studio.js(camera)
    box = studio.page.locator(".viewport canvas").first.bounding_box()
    x, y = box["x"] + 0.8 * box["width"], box["y"] + 0.7 * box["height"]
    studio.page.mouse.move(x, y)
    studio.page.mouse.down()
    studio.page.mouse.move(x - 100, y, steps=4)
    studio.page.mouse.up()
    studio.wait(
        "b => Math.hypot(...andante.stage.view.camera.position.toArray().map((v, i) => v - b[i])) > 0.1", before
    )
    follow.click()
    studio.page.get_by_label("Look at the robot").click()
    studio.wait("() => andante.stage.view.controls.target.distanceTo(andante.stage.centre) < 0.4")


def test_further_models_stand_in_the_picture(studio: Any) -> None:
    studio.open("terminal")
    request = {"model": "waffle", "name": "guest", "pose": "", "x": 1.2, "y": 0.3, "yaw": 0, "height": 0}
    answer = studio.js("r => andante.studio.connection.call('/spawn', 'andante_msgs/srv/Spawn', r, 120)", request)
    assert answer["success"], answer["message"]
    studio.wait("() => { const g = andante.stage.others.get('guest'); return g && g.urdf.position.x > 1; }")
    assert studio.js("() => andante.stage.others.get('guest').urdf.position.y") == pytest.approx(0.3, abs=0.05)
    studio.open("drive")
    studio.page.get_by_label("Remove guest").click()
    studio.wait("() => !andante.stage.others.has('guest')")
    studio.page.get_by_label("Remove guest").wait_for(state="detached")
    studio.choose("world", "empty")


def test_pictures_and_paint_of_meshes_are_shown(studio: Any) -> None:
    triangle, one = np.array([[0.0, 0, 0], [0.1, 0, 0], [0, 0.1, 0]]), np.array([[0, 1, 2]])
    blue = Texture("blue", np.full((4, 4, 4), (20, 30, 250, 255), dtype=np.uint8))
    places = np.array([[[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]])
    painted = Part(triangle, one, (1.0, 0.0, 0.0, 1.0))
    body = mesh_bytes([painted, Part(triangle, one, (1.0, 1.0, 1.0, 1.0), texture=blue, uv=places)])
    studio.page.route("**/robot/rover/*.mesh", lambda route: route.fulfill(body=body))
    studio.load()  # nothing of it is known to the page
    request = {"model": "rover", "name": "own", "pose": "", "x": 1.2, "y": 0.3, "yaw": 0, "height": 0}
    answer = studio.js("r => andante.studio.connection.call('/spawn', 'andante_msgs/srv/Spawn', r, 120)", request)
    assert answer["success"], answer["message"]
    studio.wait(f"() => {LOOKS_OF_OWN}.length >= 2")
    looks = studio.js(f"() => {LOOKS_OF_OWN}")
    assert any(look["picture"] is None and look["color"] == [1, 0, 0] for look in looks)
    assert any(look["picture"] == pytest.approx([20, 30, 250], abs=6) for look in looks if look["picture"])
    studio.page.unroute("**/robot/rover/*.mesh")
    studio.choose("world", "empty")


def test_every_control_has_a_name_for_screen_readers(studio: Any) -> None:
    nameless = studio.js(
        """() => [...document.querySelectorAll('button, input, select, canvas, [role=tab]')].filter(e =>
             !(e.getAttribute('aria-label') || e.textContent.trim() || (e.labels && e.labels.length)
               || e.title || e.parentElement.closest('[role=img]'))).map(e => e.outerHTML.slice(0, 80))"""
    )
    assert nameless == []


def test_everything_fits_into_1280_by_720(studio: Any) -> None:
    assert studio.js("() => document.documentElement.scrollWidth <= 1280 && document.body.scrollHeight <= 720")
    bar = studio.js("() => { const t = document.querySelector('.topbar'); return [t.scrollWidth, t.clientWidth]; }")
    assert bar[0] <= bar[1]


def test_theme_follows_the_system_and_the_button(studio: Any) -> None:
    theme = "() => document.documentElement.dataset.theme"
    studio.page.emulate_media(color_scheme="dark")
    studio.wait(f"() => ({theme})() === 'dark'")
    studio.page.emulate_media(color_scheme="light")
    studio.wait(f"() => ({theme})() === 'light'")
    button = studio.page.get_by_label("Theme: system")
    button.click()
    studio.page.get_by_label("Theme: light").click()
    assert studio.js(theme) == "dark"
    studio.page.get_by_label("Theme: dark").click()
    assert studio.js(theme) == "light"


def test_panels_change_their_size_by_mouse_and_keyboard(studio: Any) -> None:
    bar = studio.page.locator(".splitter.x")
    width = "() => document.querySelector('#app > .dock').clientWidth"
    before = studio.js(width)
    box = bar.bounding_box()
    studio.page.mouse.move(box["x"] + 3, box["y"] + 200)
    studio.page.mouse.down()
    studio.page.mouse.move(box["x"] - 57, box["y"] + 200, steps=3)
    studio.page.mouse.up()
    assert studio.js(width) == before + 60
    bar.focus()
    for _ in range(3):
        studio.page.keyboard.press("ArrowRight")
    assert studio.js(width) == before
    height = "() => document.querySelector('.main > .dock').clientHeight"
    low = studio.js(height)
    studio.page.locator(".splitter.y").focus()
    studio.page.keyboard.press("ArrowUp")
    assert studio.js(height) == low + 20
    studio.page.keyboard.press("ArrowDown")
    enlarge = studio.page.get_by_label("Enlarge Session panels")
    enlarge.click()
    assert studio.js(height) > 500
    enlarge.click()
    assert studio.js(height) == low


def test_a_click_on_a_link_tells_name_mass_and_pose(studio: Any) -> None:
    _click_robot(studio)
    card = studio.page.locator(".card.pick")
    card.wait_for(state="visible")
    words = card.inner_text()
    assert "kg" in words
    assert "roll pitch yaw" in words
    name = card.locator("strong").inner_text()
    assert studio.js("name => name in andante.stage.robot.value.urdf.links", name)
    card.get_by_label("Close").click()
    card.wait_for(state="hidden")


def test_overlays_come_and_go(studio: Any) -> None:
    objects = "() => andante.stage.view.scene.children.length"
    before = studio.js(objects)
    for name in ("contacts", "balance", "footsteps", "laser", "frames", "collisions"):
        studio.page.click(f"[data-toggle={name}]")
        assert studio.page.get_attribute(f"[data-toggle={name}]", "aria-pressed") == "true"
    points = "() => andante.stage.view.scene.children.some(o => o.isPoints && o.geometry.drawRange.count > 3)"
    studio.wait(points)  # contacts of both feet
    studio.wait(SUPPORT)
    studio.wait(COLLISIONS)
    studio.wait("() => andante.studio.connection.subscriptions.get('/ground_truth/com').last.point.z > 0.05")
    for name in ("contacts", "balance", "footsteps", "laser", "frames", "collisions"):
        studio.page.click(f"[data-toggle={name}]")
    assert studio.js(objects) == before


def test_dragging_a_link_pushes_it(studio: Any) -> None:
    studio.js(HEAR_PUSHES)
    studio.page.wait_for_timeout(500)
    studio.page.click("[data-toggle=push]")
    x, y = _robot_pixel(studio)
    studio.page.mouse.move(x, y)
    studio.page.mouse.down()
    studio.page.mouse.move(x + 25, y, steps=4)
    studio.page.locator(".badge.push").wait_for(state="visible")
    assert "N" in studio.page.locator(".badge.push").inner_text()
    studio.wait("() => window.pushes.length > 0")
    studio.page.mouse.up()
    studio.page.click("[data-toggle=push]")
    push = studio.js("() => { window.endPush(); return window.pushes[0]; }")
    assert push["link"]
    assert push["at_point"]
    assert 0 < sum(push["force"][axis] ** 2 for axis in "xyz") ** 0.5 < 110


def _robot_pixel(studio: Any) -> tuple[float, float]:
    """Where the middle of the robot is on the page [px]."""
    return studio.js(
        """() => { const v = andante.stage.view, r = andante.stage.robot.value, b = v.canvas.getBoundingClientRect();
             const p = r.info(r.urdf.urdfName).position.clone(); v.camera.updateMatrixWorld(); p.project(v.camera);
             return [b.left + (p.x + 1) / 2 * b.width, b.top + (1 - p.y) / 2 * b.height]; }"""
    )


def _click_robot(studio: Any) -> None:
    studio.page.click("[aria-label='Look at the robot']")
    studio.page.wait_for_timeout(300)
    studio.page.mouse.click(*_robot_pixel(studio))


def test_words_stand_over_its_head_and_its_eyes_shine(studio: Any) -> None:
    page = studio.page
    page.wait_for_timeout(1000)  # what was said before the page came is not said again
    bubble = page.locator(".bubble")
    assert not bubble.is_visible()
    send = "([name, type, message]) => andante.studio.connection.publish(name, type, message)"
    studio.js(send, ["/speech", "std_msgs/msg/String", {"data": "Good morning, <b>everyone</b>"}])
    bubble.wait_for()
    assert bubble.inner_text() == "Good morning, <b>everyone</b>"
    box, canvas = bubble.bounding_box(), page.locator(".viewport canvas").first.bounding_box()
    assert canvas["x"] < box["x"] + box["width"] / 2 < canvas["x"] + canvas["width"]
    for light, color in (("FaceLeds", [0.0, 0.0, 1.0]), ("LeftFaceLeds", [1.0, 0.0, 0.0])):
        red, green, blue = color
        faded = {"led_name": light, "color": {"r": red, "g": green, "b": blue, "a": 1.0}, "fade_duration": {"sec": 0}}
        studio.js(send, ["/fade_rgb", "naoqi_bridge_msgs/msg/FadeRGB", faded])
    studio.wait("""() => { const seen = [];
        andante.stage.robot.value.urdf.traverse(o => {
            if (o.geometry?.type === "CircleGeometry" && o.visible) seen.push(o.material.color.getHexString()); });
        return seen.join() === "ff0000,0000ff"; }""")
    bubble.wait_for(state="hidden")
