"""How long page and control loop stand still in a tour of the studio through every behaviour and panel, cold.

    python benchmarks/blocking_tour.py [--short] [--json]

A package as a new user has it, with empty caches, opens the studio with the NAO in the lab; Chromium shows the page.
Each panel is opened, every gait, pose and motion is asked for, the robot is driven by a key and knocked over, gets up,
and engine, robot and world are changed. Meanwhile three watch: a listener hears /clock (100 Hz) and notes how long it
was silent, the page notes how late its timer (20 ms) is, and the stage that the session tells is read ten times a
second. A silence during a stage is waited for at a visible place and told apart (`stage`); any other one is a block.
A page that draws without a graphics card is slow by that alone; so pictures are limited to two a second and wide
gaps are told beside the long tasks of scripts.

`compiled` are the kernels that the package did not bring: none in the end.
`shown`: from the choice of another engine, robot or world to its words on the page [s].
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))
from cold_start import ADDRESS, copied, ended

BLOCK = 0.2  # that counts [s]
LOOK = 0.05  # between two looks at the stage [s]
NEAR = 0.3  # a silence so soon before or after a stage belongs to it [s]
GL = ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
      "--ignore-gpu-blocklist", "--disable-gpu-compositing"]  # fmt: skip
# Few pictures, and a timer that notes how late it is, with what the tour was doing.
WATCH = """const soon = window.requestAnimationFrame.bind(window);
    window.requestAnimationFrame = draw => window.setTimeout(() => soon(draw), 500);
    window.late = []; window.tasks = []; window.doing = 'loading';
    let last = performance.now();
    setInterval(() => { const now = performance.now(), gap = (now - last) / 1000;
        if (gap > 0.12) window.late.push([gap, window.doing]); last = now; }, 20);
    new PerformanceObserver(list => { for (const task of list.getEntries())
        window.tasks.push([task.duration / 1000, window.doing]); }).observe({ entryTypes: ['longtask'] });"""
CHANGE = """([kind, name]) => new Promise(done => { const s = document.getElementById(`select-${kind}`);
    const badge = document.querySelector('.badge.stage'), began = performance.now();
    const told = () => { if (!badge.hidden && badge.textContent.includes(name)) {
        seen.disconnect(); done((performance.now() - began) / 1000); } };
    const seen = new MutationObserver(told);
    seen.observe(badge, { attributes: true, childList: true, subtree: true, characterData: true });
    s.value = name; s.dispatchEvent(new Event('change')); told();
    setTimeout(() => { seen.disconnect(); done(99); }, 5000); })"""
CALL = "([name, type, request]) => andante.studio.connection.call(name, type, request, 120)"


@dataclass
class Watch:
    """What listener and stage tell, by the wall clock."""

    silences: list[tuple[float, float]] = field(default_factory=list)  # begin, end [s]
    stages: list[tuple[float, str]] = field(default_factory=list)  # when it was seen
    over: threading.Event = field(default_factory=threading.Event)

    def listen(self, address: str) -> None:
        """Hear the clock until it is over."""
        from websockets.sync.client import connect

        with connect(address.replace("http", "ws", 1) + "/rosbridge", max_size=None, compression=None) as line:
            line.send(json.dumps({"op": "subscribe", "topic": "/clock"}))
            last = time.monotonic()
            while not self.over.is_set():
                with suppress(TimeoutError):
                    line.recv(0.5)
                    now = time.monotonic()
                    if now - last > 0.5 * BLOCK:
                        self.silences.append((last, now))
                    last = now

    def look(self, address: str) -> None:
        """Read the stage until it is over."""
        while not self.over.is_set():
            with suppress(OSError, ValueError), urllib.request.urlopen(f"{address}/stage.json", timeout=5.0) as answer:
                if words := json.load(answer)["stage"]:
                    self.stages.append((time.monotonic(), words))
            time.sleep(LOOK)

    def stage_of(self, begin: float, end: float) -> str:
        """Words of a stage that was seen in a silence; empty: there was none."""
        return next((words for when, words in self.stages if begin - NEAR < when < end + NEAR), "")


class Tour:
    """What is done with the page."""

    def __init__(self, page: Any, watch: Watch) -> None:
        self.page, self.watch = page, watch
        self.steps: list[tuple[float, str]] = []
        self.shown: dict[str, float] = {}

    def say(self, doing: str) -> None:
        """What begins now."""
        self.steps.append((time.monotonic(), doing))
        self.page.evaluate("doing => { window.doing = doing; }", doing)

    def line(self, text: str, seconds: float) -> None:
        """A line of the terminal, and some time for it."""
        self.say(text)
        with suppress(Exception):  # what does not suit the robot now is refused
            self.page.evaluate(CALL, ["/terminal", "andante_msgs/srv/Command", {"line": text, "complete": False}])
        self.page.wait_for_timeout(1000 * seconds)

    def names(self, kind: str) -> list[str]:
        """What can be chosen."""
        return list(self.page.evaluate(CALL, ["/list", "andante_msgs/srv/List", {"kind": kind}])["names"])

    def panels(self) -> None:
        """Every tab that is there, twice."""
        for _ in range(2):
            for tab in self.page.eval_on_selector_all("[role=tab]", "all => all.map(each => each.id)"):
                if self.page.locator(f"#{tab}").is_visible():
                    self.say(tab)
                    self.page.click(f"#{tab}")
                    self.page.wait_for_timeout(500)

    def behaviours(self, short: bool) -> None:
        """Gaits, keys, poses, motions, a fall."""
        for gait in self.names("gaits"):
            self.line(f"gait {gait}", 0.3)
            for key in ("w", "q"):
                self.say(f"{gait}, key {key}")
                self.page.keyboard.down(key)
                self.page.wait_for_timeout(1500)
                self.page.keyboard.up(key)
            self.page.wait_for_timeout(1500)
        for kind in ("poses", "motions"):
            names = self.names(kind)
            for name in names[:: 4 if short else 1]:
                self.line(f"play {name}", 0.8)
        self.line("reset", 1.5)
        self.line("push 8 forward", 3.0)
        self.line("play get_up", 6.0)
        self.line("balance off", 0.3)
        self.line("balance on", 0.3)

    def change(self, kind: str, name: str) -> None:
        """Choose another engine, robot or world; what was waited for until it was told."""
        self.say(f"{kind} {name}")
        if self.page.evaluate(f"() => andante.studio.status.value.{kind}") == name:
            return
        self.shown[f"{kind} {name}"] = float(self.page.evaluate(CHANGE, [kind, name]))
        self.page.wait_for_function(f"name => andante.studio.status.value.{kind} === name", arg=name, timeout=120_000)
        self.page.wait_for_timeout(1500)
        self.say(f"{kind} {name}, key w")
        self.page.keyboard.down("w")
        self.page.wait_for_timeout(1500)
        self.page.keyboard.up("w")


def drive(address: str, watch: Watch, short: bool) -> dict[str, Any]:
    """The whole tour; the rows of what it found."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=os.environ.get("CHROMIUM", "/usr/bin/chromium"), args=GL)
        page = browser.new_page(viewport={"width": 1280, "height": 720})
        page.set_default_timeout(120_000)
        page.add_init_script(WATCH)
        page.goto(address)
        page.wait_for_selector(".viewport[data-robot][data-world]")
        page.wait_for_function("() => andante.studio.status.value && andante.stage.robot.value")
        page.wait_for_timeout(1000)
        tour, began = Tour(page, watch), time.monotonic()
        tour.say("standing")
        page.wait_for_timeout(2000)
        tour.panels()
        tour.behaviours(short)
        for engine in ("bullet", "dart", "ode", "mujoco"):
            tour.change("engine", engine)
        for robot in ("shell", "waffle", "rover", "nao"):
            tour.change("robot", robot)
            if robot != "nao":
                tour.behaviours(True)
                if robot == "waffle":
                    tour.line("goto 1 0", 6.0)
        for world in ("arena", "lab"):
            tour.change("world", world)
        late, tasks = page.evaluate("() => window.late"), page.evaluate("() => window.tasks")
        watch.over.set()
        browser.close()
    return told(tour, watch, began, late, tasks)


def told(tour: Tour, watch: Watch, began: float, late: list[Any], tasks: list[Any]) -> dict[str, Any]:
    """The figures."""
    rows = []
    for begin, end in watch.silences:
        if begin > began:
            doing = next((what for when, what in reversed(tour.steps) if when <= end), "")
            rows.append({"seconds": end - begin, "stage": watch.stage_of(begin, end), "doing": doing})
    loop = [row for row in rows if not row["stage"]]
    page = sorted(([gap, doing] for gap, doing in late if doing != "loading"), reverse=True)
    scripts = sorted(([gap, doing] for gap, doing in tasks if doing != "loading"), reverse=True)
    return {
        "steps": len(tour.steps),
        "minutes": (time.monotonic() - began) / 60,
        "loop_worst": max((row["seconds"] for row in loop), default=0.0),
        "loop_blocks": sum(row["seconds"] > BLOCK for row in loop),
        "page_worst": max((gap for gap, _ in page), default=0.0),
        "page_blocks": sum(gap > BLOCK for gap, _ in page),
        "page_tasks": scripts[:10],
        "stage_worst": max((row["seconds"] for row in rows if row["stage"]), default=0.0),
        "shown_worst": max(tour.shown.values(), default=0.0),
        "shown": tour.shown,
        "loop": sorted(rows, key=lambda row: -row["seconds"])[:20],
        "page": page[:20],
    }


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--short", action="store_true", help="every fourth pose and motion")
    parser.add_argument("--json", action="store_true", help="one object")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="andante_tour_") as folder:
        package, home = copied(Path(folder) / "package"), Path(folder) / "home"
        home.mkdir()
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("NUMBA", "XDG", "PYTHON"))}
        command = [sys.executable, "-P", "-m", "andante", "studio", "nao", "--port", "0", "--no-browser"]
        with subprocess.Popen(
            command, cwd=home, env={**kept, "HOME": str(home), "PYTHONPATH": str(package)}, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        ) as process, ended(process):  # fmt: skip
            assert process.stdout is not None
            address = next(found[0] for line in process.stdout if (found := ADDRESS.findall(line)))
            threading.Thread(target=process.stdout.read, daemon=True).start()
            watch = Watch()
            for watching in (watch.listen, watch.look):
                threading.Thread(target=watching, args=(address,), daemon=True).start()
            found = drive(address, watch, asked.short)
        found["compiled"] = sorted(path.name for place in (package, home) for path in place.rglob("*.nbc")
                                   if "stores" not in path.parts)  # fmt: skip
    if asked.json:
        print(json.dumps(found))
        return
    print(f"{found['steps']} steps in {found['minutes']:.1f} min")
    print(f"control loop: longest silence {found['loop_worst']:.2f} s, {found['loop_blocks']} above {BLOCK} s")
    for row in found["loop"]:
        print(f"  {row['seconds']:.2f} s at {row['doing']!r}{' (stage: ' + row['stage'] + ')' if row['stage'] else ''}")
    print(f"{len(found['compiled'])} kernels were compiled on the way {' '.join(found['compiled'])}")
    print(f"page: longest gap {found['page_worst']:.2f} s, {found['page_blocks']} above {BLOCK} s")
    for gap, doing in (*found["page"], *found["page_tasks"]):
        print(f"  {gap:.2f} s at {doing!r}")
    print(f"another engine, robot or world is told after at most {found['shown_worst']:.3f} s")


if __name__ == "__main__":
    main()
