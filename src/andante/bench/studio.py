"""`andante bench studio`: how quickly a live session answers, keeps its pace for many clients, and is seen.

The baseline is the limit that the project sets itself. Latency and time to the page: below 1 is within it. Pace and
frames: 1 or more is. The two rows of the page need Chromium and playwright and are left out without them.
"""

from __future__ import annotations

import importlib.util
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

from andante.studio.open import Studio, open_studio

from .rows import Row

LATENCY, PACE, INTERACTIVE, FRAMES = 0.05, 1.0, 5.0, 20.0  # limits [s, -, s, 1/s]
CLIENTS = 20
PRESSES = 15
APART = 0.6  # between two presses: longer than the deadman, so that each starts from rest [s]
TOPICS = ("/ground_truth/links", "/joint_states", "/tf", "/status", "/imu/data")
GL = ("--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader")
LISTENERS = """
import asyncio, json, sys, websockets
async def one(url, topics):
    async with websockets.connect(url, max_size=None) as line:
        for topic in topics:
            await line.send(json.dumps({"op": "subscribe", "topic": topic, "compression": "cbor"}))
        async for _ in line:
            pass
async def all():
    await asyncio.gather(*(one(sys.argv[1], sys.argv[3].split(",")) for _ in range(int(sys.argv[2]))))
asyncio.run(all())
"""


def run(seconds: float, quiet: bool) -> tuple[Row, ...]:
    """Rows of latency and pace, then those of the page where a browser is there."""
    del quiet  # nothing is left out
    with tempfile.TemporaryDirectory() as folder, open_studio("nao", "lab", folder=folder) as studio:
        studio.run(0.5)
        rows = [
            Row("key press to joint target, median", key_latency(studio), LATENCY, "s"),
            Row(f"real-time factor, {CLIENTS} clients", pace(studio, max(3.0, seconds)), PACE, "x"),
        ]
    return (*rows, *page_rows(max(3.0, seconds)))


def key_latency(studio: Studio, presses: int = PRESSES) -> float:
    """Median time from a velocity sent by a client until a control step has followed it [s]."""
    from websockets.sync.client import connect

    session, sent, taken = studio.session, [0.0], list[float]()
    done = threading.Event()

    def press() -> None:
        with connect(studio.server.ws_url) as line:
            line.send(json.dumps({"op": "advertise", "topic": "/cmd_vel", "type": "geometry_msgs/msg/Twist"}))
            for _ in range(presses):
                time.sleep(APART)
                message = json.dumps({"op": "publish", "topic": "/cmd_vel", "msg": {"linear": {"x": 0.01}}})
                sent[0] = time.perf_counter()
                line.send(message)
            time.sleep(0.2)
        done.set()

    client = threading.Thread(target=press, daemon=True)
    client.start()
    led = False
    while not done.is_set():
        session.run(0.01, pace=True)  # one control step
        leading = session.teleop.source == "velocity"
        if leading and not led:
            taken.append(time.perf_counter() - sent[0])
        led = leading
    client.join()
    return statistics.median(taken) if taken else float("nan")


def pace(studio: Studio, seconds: float, clients: int = CLIENTS) -> float:
    """Simulated by wall time while so many clients of another process listen to the busiest topics."""
    command = [sys.executable, "-c", LISTENERS, studio.server.ws_url, str(clients), ",".join(TOPICS)]
    listeners = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    try:
        for _ in range(100):
            studio.run(0.1)
            if studio.server.clients >= clients:
                break
        start, before = time.perf_counter(), studio.session.time
        studio.run(seconds)
        return (studio.session.time - before) / (time.perf_counter() - start)
    finally:
        listeners.kill()
        listeners.wait()


def page_rows(seconds: float) -> tuple[Row, ...]:
    """Time from the command until the robot stands in the page, and frames a second of that view at 700 x 500."""
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if chromium is None or importlib.util.find_spec("playwright") is None:
        return ()
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver, tempfile.TemporaryDirectory() as folder:
        browser = driver.chromium.launch(executable_path=chromium, args=[*GL, "--ignore-gpu-blocklist"])
        page = browser.new_page(viewport={"width": 1034, "height": 784})  # leaves 700 x 500 to the picture
        page.goto("data:text/html,<canvas id=c></canvas><script>c.getContext('webgl2').clear(1)</script>")
        page.wait_for_timeout(2000)  # the browser is up, as that of a user is
        command = [sys.executable, "-m", "andante", "studio", "nao", "--port", "0", "--no-browser", "--json"]
        start = time.perf_counter()
        session = subprocess.Popen([*command, "--folder", str(Path(folder))], stdout=subprocess.PIPE, text=True)
        try:
            assert session.stdout is not None
            page.goto(json.loads(session.stdout.readline())["url"])
            page.wait_for_selector(".viewport[data-robot='nao']", timeout=60_000)
            page.wait_for_function("() => andante.stage.last && andante.stage.view.fps > 0", timeout=60_000)
            waited = time.perf_counter() - start
            page.wait_for_timeout(3000)
            frames = [_frames(page) for _ in range(round(seconds))]
        finally:
            session.terminate()
            session.wait(20)
            browser.close()
    return (
        Row("page interactive", waited, INTERACTIVE, "s"),
        Row("frames a second, NAO without a graphics card", statistics.median(frames), FRAMES, "1/s"),
    )


def _frames(page: Any) -> float:
    page.wait_for_timeout(1000)
    return float(page.evaluate("() => andante.stage.view.fps"))
