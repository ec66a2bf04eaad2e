"""Pictures of the studio for the docs: python tools/studio_pictures.py [OUT [NAME ...]]. Needs Chromium, playwright."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

OUT = Path(__file__).resolve().parents[1] / "docs" / "pictures"
GL = ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
GL += ["--ignore-gpu-blocklist"]
# Fine pictures without a graphics card take seconds each: drawn this seldom, they leave the session its real time.
SELDOM = """const soon = window.requestAnimationFrame.bind(window);
    window.requestAnimationFrame = draw => window.setTimeout(() => soon(draw), window.gap ?? 1);"""
REAL_TIME = "() => andante.studio.status.value.real_time_factor > 0.985"
SETTLED = """() => { let all = 0, there = 0; andante.stage.robot.value.urdf.traverse(o => {
    if (o.isURDFVisual) { all += 1; there += o.children.length; } }); return there === all; }"""


def main(out: Path, only: list[str]) -> None:
    """Write docs/pictures/studio_*.png, all or those of some names."""
    from playwright.sync_api import sync_playwright

    out.mkdir(parents=True, exist_ok=True)
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    with sync_playwright() as driver, tempfile.TemporaryDirectory() as folder:
        browser = driver.chromium.launch(executable_path=chromium, args=[*GL])
        for name, robot, world, theme, size, prepare in SCENES:
            if only and name not in only:
                continue
            shoot(browser, out / f"studio_{name}.png", robot, world, theme, size, prepare, folder)
            print(f"wrote studio_{name}.png")
        browser.close()


def shoot(
    browser: Any, file: Path, robot: str, world: str, theme: str, size: tuple[int, int], prepare: Any, folder: str
) -> None:
    """One picture of a session of its own."""
    command = [
        sys.executable,
        "-m",
        "andante",
        "studio",
        robot,
        "--world",
        world,
        "--port",
        "0",
        "--no-browser",
        "--json",
    ]
    session = subprocess.Popen([*command, "--folder", folder], stdout=subprocess.PIPE, text=True)
    assert session.stdout is not None
    try:
        url = json.loads(session.stdout.readline())["url"]
        page = browser.new_page(viewport={"width": size[0], "height": size[1]}, color_scheme=theme)
        page.set_default_timeout(180_000)
        page.add_init_script(SELDOM)
        page.goto(f"{url}?quality=high")
        page.wait_for_selector(f".viewport[data-robot='{robot}'][data-world='{world}']")
        page.wait_for_function(SETTLED)
        page.wait_for_function("() => andante.studio.ready.value")
        page.evaluate("() => { window.gap = 2500; }")
        prepare(page)
        page.wait_for_timeout(2500)
        page.wait_for_function(REAL_TIME, polling=200)
        page.add_style_tag(content=".fps { visibility: hidden; }")  # of this machine's drawing, which was held back
        page.screenshot(path=file)
        page.close()
    finally:
        session.terminate()
        session.wait(20)


def tab(page: Any, *names: str) -> None:
    """Open panels."""
    for name in names:
        page.click(f"#tab-{name}")


def toggles(page: Any, *names: str) -> None:
    """Switch overlays on."""
    for name in names:
        page.click(f"[data-toggle={name}]")


def nao(page: Any) -> None:
    """Standing, with curves of two joints."""
    tab(page, "motions", "plots")
    for topic, field in (("/imu/data", "angular_velocity.y"), ("/ground_truth/com", "point.y")):
        page.locator(f"#panel-plots [data-topic='{topic}']").click()
        page.locator(f"[data-field='{topic} {field}']").click()
    page.locator(".chip[data-name=wave_hand]").click()
    page.wait_for_function("() => andante.studio.status.value.detail.includes('wave')")
    page.wait_for_timeout(500)


def sensors(page: Any) -> None:
    """Balance overlays and the sensors panel."""
    toggles(page, "contacts", "balance")
    tab(page, "sensors", "terminal")
    line = page.get_by_label("Command line")
    line.fill("help")
    line.press("Enter")
    page.wait_for_timeout(2500)


def shell(page: Any) -> None:
    """Raised by its own key."""
    tab(page, "drive", "log")
    page.locator(".viewport canvas").focus()
    page.keyboard.down("u")
    page.wait_for_timeout(1500)


def waffle(page: Any) -> None:
    """On the way to a goal."""
    tab(page, "drive", "map")
    toggles(page, "laser")
    page.wait_for_function("() => andante.map.grid && andante.map.scan && andante.map.robot()")
    page.evaluate("() => { andante.map.send('goal', { x: 1.6, y: 0.2, yaw: 0 }); }")
    page.wait_for_function("() => andante.stage.centre.x > 0.4")


FLAT = """() => { const e = andante.editor, wall = (x, y, yaw, length) =>
        e.add('wall', { x, y, yaw, size: [length, 0.1, 0.9] });
    wall(0, 2, 0, 5); wall(0, -2, 0, 5); wall(-2.5, 0, Math.PI / 2, 4); wall(2.5, 0, Math.PI / 2, 4);
    wall(0.9, 1.35, Math.PI / 2, 1.3);
    e.add('door', { x: 0.9, y: 0.2, yaw: Math.PI / 2 }); e.add('shelf', { x: -2.25, y: 1.2 });
    e.add('table', { x: -1.3, y: -1.3 }); e.add('chair', { x: -1.3, y: -0.75, yaw: -Math.PI / 2 });
    e.add('stairs', { x: 1.7, y: -1.4 }); e.add('ball', { x: 0.3, y: -0.7 }); e.add('person', { x: 1.7, y: 1 });
    e.choose(new Set(['table_1'])); }"""


def editor(page: Any) -> None:
    """A flat drawn in the editor."""
    tab(page, "drive", "map")
    page.click("#edit")
    page.wait_for_function("() => andante.editor?.open")
    page.evaluate(FLAT)
    page.evaluate("() => andante.stage.look([3.6, -4.2, 4.2, 0.2, -0.1, 0])")


WAVE = """() => { const e = andante.timeline.inside.editor;
    e.seek(0.8); e.set({ LShoulderPitch: -0.6, LShoulderRoll: 0.4 });
    e.seek(1.4); e.set({ LElbowRoll: -1.2, LShoulderPitch: -0.9 });
    e.seek(1.8); e.set({ LElbowRoll: -0.5 }); e.seek(2.2); e.set({ LElbowRoll: -1.2 });
    e.seek(3.2); e.set({ LShoulderPitch: 1.2, LElbowRoll: -0.4, LShoulderRoll: 0.1 });
    e.draft.name = 'hello'; e.joints = ['LShoulderPitch', 'LShoulderRoll', 'LElbowRoll']; e.seek(1.4); }"""


def timeline(page: Any) -> None:
    """A wave of the hand in the motion editor."""
    tab(page, "motions", "timeline")
    page.wait_for_function(
        "() => andante.timeline.inside?.editor.about.value && andante.timeline.inside.editor.ghost.model"
    )
    page.evaluate(WAVE)
    page.locator("#panel-timeline").get_by_label("The whole motion in view").click()
    page.evaluate("() => andante.stage.look([0.95, -0.55, 0.6, 0.02, 0.02, 0.36])")


def behaviour(page: Any) -> None:
    """The machine greet, running."""
    tab(page, "drive", "behaviour")
    page.locator("select[aria-label='Open a behaviour']").focus()
    page.locator("select[aria-label='Open a behaviour'] option[value=greet]").wait_for(state="attached")
    page.select_option("select[aria-label='Open a behaviour']", "greet")
    page.locator("[data-state=wave]").wait_for()
    page.locator("#panel-behaviour").get_by_role("button", name="Start").click()
    page.locator(".state.active").first.wait_for()


SCENES: list[tuple[str, str, str, str, tuple[int, int], Callable[[Any], None]]] = [
    ("nao", "nao", "lab", "light", (1600, 900), nao),
    ("dark", "nao", "lab", "dark", (1280, 720), sensors),
    ("shell", "shell", "lab", "light", (1280, 720), shell),
    ("map", "waffle", "lab", "light", (1280, 720), waffle),
    ("editor", "nao", "empty", "light", (1280, 720), editor),
    ("timeline", "nao", "lab", "light", (1600, 900), timeline),
    ("behaviour", "nao", "lab", "light", (1600, 900), behaviour),
]

if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else OUT, sys.argv[2:])
