"""The page in Chromium: joints, motions, sensors, plots, camera, log, terminal, graph, time and recordings."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest


@pytest.fixture(autouse=True)
def _nao(studio: Any) -> None:
    studio.choose("robot", "nao")
    studio.choose("world", "lab")


def test_a_slider_moves_its_joint_and_mimic_joints_say_so(studio: Any) -> None:
    studio.open("joints")
    follower = studio.page.locator("[data-joint=RHipYawPitch]")
    assert "follows LHipYawPitch" in follower.inner_text()
    assert follower.locator("input").is_disabled()
    limits = studio.js(
        "() => { const s = document.querySelector('[data-joint=HeadYaw] input'); return [+s.min, +s.max]; }"
    )
    assert limits[0] < -2
    assert limits[1] > 2
    studio.js(
        """() => { const s = document.querySelector('[data-joint=HeadYaw] input'); s.value = 0.5;
             s.dispatchEvent(new Event('input', { bubbles: true })); }"""
    )
    studio.wait(
        "() => Math.abs(parseFloat(document.querySelector('[data-joint=HeadYaw] output').textContent) - 28.6) < 3"
    )
    studio.page.fill("[aria-label='Filter joints']", "knee")
    assert studio.page.locator(".joint:visible").count() == 2
    studio.page.fill("[aria-label='Filter joints']", "")


def test_poses_and_motions_are_played_by_a_click(studio: Any) -> None:
    studio.open("motions")
    pose = studio.page.locator(".chip[data-name=StandInit]")
    pose.wait_for()
    pose.click()
    studio.page.locator(".toast.good", has_text="StandInit").first.wait_for()
    motion = studio.page.locator("section[aria-label=Motions] .chip").first
    name = motion.get_attribute("data-name")
    motion.click()
    studio.wait("name => andante.studio.status.value.detail.includes(name)", name)
    studio.wait("name => !andante.studio.status.value.detail.includes(name)", name)
    assert not studio.js("() => andante.studio.status.value.fallen")


def test_sensors_show_forces_attitude_and_sonar(studio: Any) -> None:
    studio.open("sensors")
    studio.page.locator("section[aria-label='Foot forces'] svg").wait_for()
    assert studio.page.locator(".feet .load").count() == 8
    assert "roll" in studio.page.locator("section[aria-label=IMU]").inner_text()
    studio.wait("() => document.querySelectorAll('section[aria-label=Sonar] meter').length === 2")


def test_camera_shows_a_picture_only_while_it_is_looked_at(studio: Any) -> None:
    studio.open("camera")
    studio.wait("() => { const i = document.querySelector('.camera img'); return i.naturalWidth > 50 && !i.hidden; }")
    studio.open("log")
    assert not studio.js("() => andante.studio.connection.subscriptions.has('/camera/image_raw/compressed')")


def test_terminal_answers_completes_and_remembers(studio: Any) -> None:
    studio.open("terminal")
    line = studio.page.get_by_label("Command line")
    line.fill("help")
    line.press("Enter")
    studio.wait("() => document.querySelector('.terminal .answer') !== null")
    assert "keys" in studio.page.locator(".terminal .output").inner_text()
    line.fill("keys")
    line.press("Enter")
    studio.wait("() => [...document.querySelectorAll('.terminal .answer')].some(e => /turn/.test(e.textContent))")
    line.fill("hel")
    line.press("Tab")
    studio.wait("() => document.querySelector('.terminal input').value.startsWith('help')")
    line.fill("")
    line.press("ArrowUp")
    assert line.input_value() == "keys"
    line.fill("no such thing")
    line.press("Enter")
    studio.wait("() => document.querySelector('.terminal .error') !== null")


def test_log_has_a_line_per_command_and_filters(studio: Any) -> None:
    studio.open("log")
    studio.js("() => andante.studio.ask('/set_speed', 'andante_msgs/srv/SetSpeed', { percent: 45 })")
    studio.page.locator(".log li", has_text="/set_speed: 45 percent").first.wait_for()
    studio.page.fill("[aria-label='Filter the log']", "no line says this")
    assert studio.page.locator(".log li:visible").count() == 0
    studio.page.fill("[aria-label='Filter the log']", "")


def test_graph_shows_who_publishes_and_who_listens(studio: Any) -> None:
    studio.open("graph")
    studio.wait("() => document.querySelectorAll('.graph .wire').length > 3")
    words = studio.page.locator(".graph svg").text_content()
    assert "/ground_truth/links" in words
    assert "/bridge" in words
    studio.page.fill("[aria-label='Filter topics and nodes']", "/ground_truth/links")
    studio.wait("() => document.querySelectorAll('.graph .topic').length === 1")
    studio.page.fill("[aria-label='Filter topics and nodes']", "")


def test_pause_step_and_go_on(studio: Any) -> None:
    time = "() => andante.studio.status.value.sim_time"
    studio.page.click("#pause")
    studio.wait("() => andante.studio.status.value.paused")
    studio.page.wait_for_timeout(300)
    before = studio.js(time)
    studio.page.get_by_label("One step").click()
    studio.wait("t => andante.studio.status.value.sim_time > t", before)
    assert studio.js(time) - before < 0.05
    assert studio.page.locator(".topbar .pill.number").inner_text() == "paused"
    studio.page.get_by_label("Go on").click()
    studio.wait("t => andante.studio.status.value.sim_time > t + 0.2", before)


@pytest.mark.engine("bullet")
def test_the_pace_is_told_and_another_engine_can_be_chosen(studio: Any) -> None:
    studio.choose("world", "empty")
    studio.choose("robot", "waffle")
    studio.wait("() => /^[01][.][0-9]{2} ×$/.test(document.querySelector('.topbar .pill.number').textContent)")
    studio.choose("engine", "bullet")
    time = studio.js("() => andante.studio.status.value.sim_time")
    studio.wait("t => andante.studio.status.value.sim_time > t + 0.1", time)
    studio.choose("engine", "mujoco")


def test_a_recording_can_be_read_again(studio: Any) -> None:
    studio.page.get_by_label("Record", exact=True).click()
    studio.wait("() => andante.studio.status.value.recording")
    studio.wait("() => Number(andante.studio.status.value.record_messages) > 200")
    studio.page.get_by_label("Stop recording").click()
    studio.wait("() => !andante.studio.status.value.recording")
    file = next(
        path
        for path in studio.folder.rglob("*")
        if path.name == studio.js("() => andante.studio.status.value.record_file") or path.suffix == ".mcap"
    )
    told = subprocess.run(
        [sys.executable, "-m", "andante", "bag", "info", str(file), "--json"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "/joint_states" in json.dumps(json.loads(told.stdout))


def test_reset_builds_the_scene_anew(studio: Any) -> None:
    scene = studio.js("() => andante.studio.status.value.scene")
    studio.page.get_by_label("Reset").click()
    studio.wait("n => andante.studio.status.value.scene > n", scene)
    studio.wait("() => Math.hypot(andante.stage.centre.x, andante.stage.centre.y) < 0.1")


def test_the_solver_is_set_in_a_small_window_and_the_scene_built_anew(studio: Any) -> None:
    studio.choose("engine", "mujoco")
    page, scene = studio.page, studio.js("() => andante.studio.status.value.scene")
    page.click("#solver")
    menu = page.locator("#solver-menu")
    page.locator("#solver-iterations").wait_for()
    assert "solver of mujoco" in menu.inner_text().lower()
    assert page.locator("#solver-iterations").get_attribute("placeholder") == "30"
    assert page.locator("#solver-erp").count() == 0  # MuJoCo has none
    page.fill("#solver-iterations", "fifty")
    menu.get_by_role("button", name="Apply").click()
    page.locator(".toast.bad", has_text="solver.iterations is a whole number").first.wait_for()
    page.fill("#solver-iterations", "50")
    page.select_option("#solver-cone", "pyramidal")
    menu.get_by_role("button", name="Apply").click()
    studio.wait("n => andante.studio.status.value.scene > n", scene)
    studio.wait("() => document.querySelector('#solver-iterations')?.value === '50'")
    assert page.locator("#solver-cone").input_value() == "pyramidal"
    assert not studio.js("() => andante.studio.status.value.fallen")
    menu.get_by_role("button", name="As usual").click()
    studio.wait("() => document.querySelector('#solver-iterations')?.value === ''")
    page.keyboard.press("Escape")
    studio.wait("() => document.querySelector('#solver-menu').hidden")
