"""A real session with a real browser, one per test process; skipped with the reason where a part lacks."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

GL = [
    "--no-sandbox",
    "--use-gl=angle",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--ignore-gpu-blocklist",
    "--disable-gpu-compositing",  # putting text and picture together is quicker without a pretended graphics card
]
# A screen of five pictures a second: drawing more without a graphics card leaves no time for the physics.
SLOW_SCREEN = """const soon = window.requestAnimationFrame.bind(window);
    window.requestAnimationFrame = draw => window.setTimeout(() => soon(draw), 180);"""
# Requests of the page as they are but for one number: what takes long on real hardware too is asked for in short.
SHORTEN = """([service, seconds]) => { const studio = andante.studio, ask = studio.ask; window.asked = [];
    studio.ask = (name, type, request, ...more) => {
        if (name !== service) return ask.call(studio, name, type, request, ...more);
        window.asked.push(request);
        return ask.call(studio, name, type, { ...request, seconds }, ...more); };
    window.endShort = () => { studio.ask = ask; }; }"""
PATIENCE = 120_000  # for anything to happen on a busy machine [ms]
CHROMIUM = next(
    (path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), ""
)
OPEN: list[Any] = []  # the session of this process, while it runs


def lacking(reason: str) -> None:
    """Skip, or fail where everything has to be there."""
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)


@dataclass
class Session:
    """A running `andante studio` and its page."""

    url: str
    folder: Path
    process: subprocess.Popen[str]
    page: Any
    requests: list[str]
    complaints: list[str]
    loop: Any  # the event loop that drives the browser from this thread

    def load(self) -> None:
        """Open the page and wait until robot and world stand in it."""
        self.page.goto(self.url)
        self.page.wait_for_selector(".viewport[data-robot][data-world]", timeout=PATIENCE)
        self.wait("() => andante.studio.status.value && andante.stage.last && andante.stage.robot.value")

    def js(self, expression: str, *arguments: Any) -> Any:
        """Value of an expression in the page; `andante` is its console object."""
        return self.page.evaluate(expression, *arguments)

    def wait(self, expression: str, argument: Any = None, patience: float = PATIENCE) -> None:
        """Wait until an expression in the page is true, at most for so long [ms]."""
        self.page.wait_for_function(expression, arg=argument, timeout=patience, polling=100)

    def open(self, tab: str) -> None:
        """Open a panel by its tab."""
        self.page.click(f"#tab-{tab}")

    def truth(self) -> list[float]:
        """True position of the robot's root link [m]."""
        return self.js("() => andante.stage.centre.toArray()")

    @contextmanager
    def shortened(self, service: str, seconds: float) -> Iterator[None]:
        """The page asks a service for so many seconds instead of its own number."""
        self.js(SHORTEN, [service, seconds])
        yield
        self.js("() => window.endShort()")

    def asked(self) -> dict[str, Any]:
        """What the page wanted of the service for which it was shortened."""
        return self.js("() => window.asked.at(-1)")

    def freeze(self) -> None:
        """Nobody uses it: neither page nor session take time from other tests, which may run event loops of theirs."""
        self.page.goto("about:blank")
        self._signal("SIGSTOP")
        asyncio._set_running_loop(None)

    def wake(self) -> None:
        """Go on, with the page open."""
        asyncio._set_running_loop(self.loop)
        self._signal("SIGCONT")
        if self.page.url == "about:blank":
            self.load()

    def _signal(self, name: str) -> None:
        """To the session and its server, where the system knows such a signal."""
        if hasattr(signal, name):
            os.killpg(self.process.pid, getattr(signal, name))

    def choose(self, kind: str, name: str) -> None:
        """Choose another robot, world or engine in the top bar and wait until it is there."""
        if self.js(f"() => andante.studio.status.value.{kind}") == name:
            return
        self.page.select_option(f"#select-{kind}", name)
        self.wait(f"name => andante.studio.status.value.{kind} === name", name)
        if kind != "engine":
            self.page.wait_for_selector(f".viewport[data-{kind}='{name}']", timeout=PATIENCE)
        scene = self.js("() => andante.studio.status.value.scene")
        self.wait("n => andante.stage.last && andante.stage.last.scene === n", scene)


def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """Drawing and physics of a page that nobody looks at would slow all other tests."""
    if OPEN and "studio" in getattr(item, "fixturenames", ()) and "studio" not in getattr(nextitem, "fixturenames", ()):
        OPEN[0].freeze()


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Debian's Chromium, drawing without a graphics card."""
    if not CHROMIUM:
        lacking("no Chromium: apt install chromium")
    playwright = pytest.importorskip("playwright.sync_api", reason="pip install playwright")
    with playwright.sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=CHROMIUM, args=GL)
        yield opened
        opened.close()


@pytest.fixture
def studio(session: Session) -> Session:
    """The one session with its page open."""
    session.wake()
    return session


@pytest.fixture(scope="session")
def session(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    """The NAO in the lab, watched by a page of 1280 x 720."""
    from andante.studio.open import built

    if not built():
        lacking("the page is not built: python tools/build_web.py")
    folder = tmp_path_factory.mktemp("session")
    command = [
        sys.executable,
        "-m",
        "andante",
        "studio",
        "nao",
        "--world",
        "lab",
        "--no-browser",
        "--port",
        "0",
        "--json",
    ]
    with (folder / "errors.txt").open("w") as errors:
        process = subprocess.Popen(
            [*command, "--folder", str(folder)],
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            process_group=0 if hasattr(os, "killpg") else None,
        )
    assert process.stdout is not None
    try:
        line = process.stdout.readline()
        assert line, (folder / "errors.txt").read_text()
        page = browser.new_page(viewport={"width": 1280, "height": 720})
        page.set_default_timeout(PATIENCE)
        page.add_init_script(SLOW_SCREEN)
        session = Session(json.loads(line)["url"], folder, process, page, [], [], asyncio.get_running_loop())
        page.on("request", lambda request: session.requests.append(request.url))
        page.on("pageerror", lambda error: session.complaints.append(str(error)))
        page.on("console", lambda m: session.complaints.append(m.text) if m.type in ("error", "warning") else None)
        session.load()
        OPEN.append(session)
        yield session
    finally:
        if OPEN:
            asyncio._set_running_loop(OPEN.pop().loop)
        process.terminate()
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGCONT)
        process.wait(90)
        process.stdout.close()
