"""A long run of the studio while clients come and go: does it keep its memory, files, threads and pace?

    python benchmarks/studio_soak.py --minutes 30 --seed 0

`andante studio nao --world lab` runs as a user starts it, a session and its web server. Visitors come one after the
other, several at a time: some listen (JSON, CBOR, CDR in CBOR), some drive, some call services (lists, motions,
recordings, replays, clips, resets, another world and back), some never read what they asked for, some vanish without
a word, and now and then Chromium opens the page, looks into all panels, loads it anew and closes it.

Every 5 s the resident memory, open files, threads and children of both processes are read from /proc, and the
real-time factor from /status. The report has a row per minute, the slope of the memory over the second half (of the
line through the medians of all pairs, Theil and Sen) and a verdict. Linux only.
"""

import argparse
import asyncio
import contextlib
import importlib.util
import json
import os
import platform
import random
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from websockets.asyncio.client import connect
from websockets.exceptions import WebSocketException

EVERY = 5.0  # between two samples [s]
VISITORS = 8  # at a time, beside the watcher and the page
FLAT = 0.25  # a slope of the memory below this counts as flat [MB/min]
PAGE_EVERY, PAGE_STAYS = (100.0, 160.0), (20.0, 45.0)  # [s]
TOPICS = (
    "/ground_truth/links", "/joint_states", "/tf", "/tf_static", "/status", "/imu/data",
    "/ground_truth/contacts", "/ground_truth/com",
    "/ground_truth/support_polygon", "/footsteps", "/sonar", "/rosout", "/odom", "/clock", "/robot_description",
    "/nao/foot_force", "/search/state", "/camera/image_raw/compressed",
)  # fmt: skip
LISTS = ("poses", "motions", "robots", "worlds", "engines", "gaits", "behaviours", "keys", "joints", "recordings")
PANELS = ("motions", "joints", "sensors", "search", "plots", "map", "camera", "log", "terminal", "graph", "drive")
GL = ("--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader")
ROOT = Path(__file__).resolve().parents[1]


@dataclass
class Sample:
    """What one look at both processes tells."""

    minute: float
    memory: tuple[float, float]  # resident, of session and server [MB]
    files: tuple[int, int]
    threads: tuple[int, int]
    children: int  # of the session, the server among them
    pace: float  # real-time factor of the last seconds
    clients: int  # that are connected
    load: float  # of the machine: processes that want a core


@dataclass
class Soak:
    """A running studio and the tally of its visitors."""

    session: int  # process numbers
    server: int
    url: str
    rng: random.Random
    samples: list[Sample] = field(default_factory=list)
    tally: Counter = field(default_factory=Counter)
    paces: list[float] = field(default_factory=list)
    connected: int = 0
    end: float = 0.0

    @property
    def socket(self) -> str:
        return self.url.replace("http://", "ws://") + "rosbridge"

    @contextlib.asynccontextmanager
    async def line(self, **options):
        """A connection that is counted."""
        async with connect(self.socket, proxy=None, max_size=None, close_timeout=2.0, **options) as line:
            self.connected += 1
            try:
                yield line
            finally:
                self.connected -= 1


# ---- visitors ------------------------------------------------------------------------------------------


async def listens(soak, line, seconds):
    """Hear some topics in one of the encodings, and leave politely."""
    kind = soak.rng.choice(("none", "cbor", "cbor", "cbor-raw"))
    for topic in soak.rng.sample(TOPICS, soak.rng.randint(1, 8)):
        throttle = soak.rng.choice((0, 0, 50, 500))
        await line.send(json.dumps({"op": "subscribe", "topic": topic, "compression": kind, "throttle_rate": throttle}))
    async for _ in heard(line, seconds):
        soak.tally["messages heard"] += 1


async def drives(soak, line, seconds):
    """Drive for a while; half of them vanish in the middle of it."""
    await line.send(json.dumps({"op": "advertise", "topic": "/cmd_vel", "type": "geometry_msgs/msg/Twist"}))
    turn = soak.rng.uniform(-0.4, 0.4)
    for _ in range(int(20 * min(seconds, 8.0))):
        twist = {"linear": {"x": soak.rng.uniform(0.0, 0.03)}, "angular": {"z": turn}}
        await line.send(json.dumps({"op": "publish", "topic": "/cmd_vel", "msg": twist}))
        soak.tally["messages sent"] += 1
        await asyncio.sleep(0.05)
    if soak.rng.random() < 0.5:
        await vanishes(soak, line, 0.0)


async def calls(soak, line, seconds):
    """Call services, a few a second, and wait for each answer."""
    end = time.monotonic() + min(seconds, 20.0)
    while time.monotonic() < end:
        service, request = soak.rng.choice(harmless(soak.rng))
        await call(soak, line, service, request)
        await asyncio.sleep(soak.rng.uniform(0.05, 0.6))


async def changes(soak, line, seconds):
    """One of the heavy things: another scene, a motion, a recording or a clip."""
    what = soak.rng.choice(("reset", "world", "motion", "record", "replay", "clip", "spawn"))
    soak.tally[what] += 1
    match what:
        case "reset":
            await call(soak, line, "/reset", {})
        case "world":
            await call(soak, line, "/select", {"engine": "", "world": "empty", "robot": ""})
            await asyncio.sleep(min(seconds, 8.0))
            await call(soak, line, "/select", {"engine": "", "world": "lab", "robot": ""})
        case "motion":
            await call(soak, line, "/play", {"name": soak.rng.choice(("Sit", "StandInit", "Stand")), "speed": 1.0})
        case "record":
            await call(soak, line, "/record_start", {"name": "", "topics": [], "format": ""})
            await asyncio.sleep(min(seconds, 15.0))
            await call(soak, line, "/record_stop", {"name": "", "topics": [], "format": ""})
        case "replay":
            listed = await call(soak, line, "/list", {"kind": "recordings"})
            if listed.get("names"):
                await call(soak, line, "/replay", {"name": listed["names"][0], "speed": 2.0})
                await asyncio.sleep(min(seconds, 5.0))
                await call(soak, line, "/replay_stop", {})
        case "clip":
            await call(soak, line, "/clip", {"seconds": 1.0, "name": ""})
        case "spawn":
            x, y = soak.rng.uniform(-1.0, 1.0), soak.rng.uniform(-1.0, 1.0)
            await call(soak, line, "/spawn", {"model": "", "name": "", "pose": "", "x": x, "y": y, "yaw": 0.0})


async def sleeps(soak, line, seconds):
    """Ask for the busiest topics and never read; the server has to cut it off."""
    for topic in TOPICS[:6]:
        await line.send(json.dumps({"op": "subscribe", "topic": topic, "compression": "none"}))
    await asyncio.sleep(max(seconds, 20.0))


async def vanishes(soak, line, seconds):
    """Hear something, then break off without the farewell of the protocol."""
    await line.send(json.dumps({"op": "subscribe", "topic": "/joint_states"}))
    async for _ in heard(line, min(seconds, 5.0)):
        soak.tally["messages heard"] += 1
    line.transport.abort()


KINDS = {listens: 8, drives: 3, calls: 4, changes: 2, sleeps: 1, vanishes: 3}  # with their weights


def harmless(rng):
    """Services with requests that change little."""
    return (
        ("/list", {"kind": rng.choice(LISTS)}),
        ("/rosapi/topics", {}),
        ("/rosapi/nodes", {}),
        ("/terminal", {"line": rng.choice(("help", "keys", "he", "joint")), "complete": rng.random() < 0.5}),
        ("/set_speed", {"percent": rng.choice((20.0, 40.0, 60.0))}),
        ("/no_such_service", {}),
    )


async def call(soak, line, service, request):
    """Call a service and return what it says; errors are answers too."""
    soak.tally["calls"] += 1
    await line.send(json.dumps({"op": "call_service", "id": "soak", "service": service, "args": request}))
    async for message in heard(line, 60.0):
        if message.get("op") == "service_response":
            soak.tally["answers"] += 1
            return message["values"] if message["result"] else {}
    soak.tally["calls without an answer"] += 1
    return {}


async def heard(line, seconds):
    """Messages as they come, for some seconds; binary ones are not looked into."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            async for data in line:
                yield {} if isinstance(data, bytes) else json.loads(data)


async def visits(soak):
    """One place for visitors: somebody comes, stays, leaves, and the next comes."""
    kinds, weights = list(KINDS), list(KINDS.values())
    while (left := soak.end - time.monotonic()) > 3.0:
        (kind,) = soak.rng.choices(kinds, weights)
        seconds = min(soak.rng.uniform(2.0, 40.0), left)
        soak.tally[f"who {kind.__name__}"] += 1
        queue = {"max_queue": 1} if kind is sleeps else {}
        try:
            async with soak.line(compression=None, **queue) as line:
                await asyncio.wait_for(kind(soak, line, seconds), max(1.0, left) + 90.0)
        except (OSError, WebSocketException, TimeoutError):
            soak.tally["visits cut short"] += 1
        await asyncio.sleep(soak.rng.uniform(0.0, 2.0))


async def watches(soak):
    """Hear /status and /rosout all the time, over new connections where one breaks."""
    while time.monotonic() < soak.end:
        with contextlib.suppress(OSError, WebSocketException):
            async with soak.line() as line:
                await line.send(json.dumps({"op": "subscribe", "topic": "/status"}))
                await line.send(json.dumps({"op": "subscribe", "topic": "/rosout", "queue_length": 1000}))
                async for message in heard(line, soak.end - time.monotonic()):
                    take(soak, message)
        if time.monotonic() < soak.end:
            soak.tally["watcher lost its connection"] += 1
            await asyncio.sleep(1.0)


def take(soak, message):
    """Note the pace, and what the log says of clients, falls and errors."""
    told = message.get("msg", {})
    if message.get("topic") == "/status":
        soak.paces.append(told["real_time_factor"])
        soak.tally["status while paused" if told["paused"] else "status"] += 1
    elif message.get("topic") == "/rosout":
        text = told["msg"]
        if "was cut off" in text:
            soak.tally["clients cut off"] += 1
        elif found := re.search(r"(\d+) messages dropped", text):
            soak.tally["messages dropped by the loop"] = int(found[1])
        elif "is ready" in text and "clip" in text:
            soak.tally["clips ready"] += 1
        if told["level"] >= 40:
            soak.tally["errors in the log"] += 1
            print(f"  error in the log: {text}", flush=True)


async def looks(soak):
    """A person with a browser: opens the page, looks into all panels, loads it anew, closes it."""
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if chromium is None or importlib.util.find_spec("playwright") is None:
        print("  no Chromium or no playwright: without the page", flush=True)
        return
    from playwright.async_api import Error, async_playwright

    async with async_playwright() as driver:
        while soak.end - time.monotonic() > PAGE_STAYS[1] + 30.0:
            browser = await driver.chromium.launch(executable_path=chromium, args=[*GL, "--ignore-gpu-blocklist"])
            try:
                page = await browser.new_page(viewport={"width": 900, "height": 560})
                page.on("pageerror", lambda error: soak.tally.update(["errors in the page"]))
                for _ in range(soak.rng.randint(1, 2)):  # opened, and perhaps loaded anew
                    await page.goto(soak.url)
                    await page.wait_for_selector(".viewport[data-robot]", timeout=60_000)
                    soak.tally["pages opened"] += 1
                    until = time.monotonic() + soak.rng.uniform(*PAGE_STAYS)
                    while time.monotonic() < until:
                        await page.click(f"#tab-{soak.rng.choice(PANELS)}")
                        await asyncio.sleep(soak.rng.uniform(0.5, 3.0))
            except Error as error:
                soak.tally["page troubles"] += 1
                print(f"  the page: {str(error).splitlines()[0]}", flush=True)
            finally:
                await browser.close()
            await asyncio.sleep(soak.rng.uniform(*PAGE_EVERY))


# ---- what is measured ----------------------------------------------------------------------------------


def resident(pid):
    """Resident memory of a process [MB], and its threads."""
    text = Path(f"/proc/{pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+)", text)[1]) / 1024.0, int(re.search(r"Threads:\s+(\d+)", text)[1])


def children(pid):
    """Numbers of the children of a process."""
    found = []
    for task in Path(f"/proc/{pid}/task").iterdir():
        with contextlib.suppress(OSError):
            found += [int(word) for word in (task / "children").read_text().split()]
    return found


def server_of(pid):
    """The web server's process among the children of the session."""
    for child in children(pid):
        if b"andante.bridges.server.worker" in Path(f"/proc/{child}/cmdline").read_bytes():
            return child
    raise SystemExit("the session has no web server")


async def samples(soak, start):
    """Look at both processes until the end, and tell a line a minute."""
    told = 0
    while time.monotonic() < soak.end:
        await asyncio.sleep(EVERY)
        pids = (soak.session, soak.server)
        sizes = [resident(pid) for pid in pids]
        files = tuple(len(os.listdir(f"/proc/{pid}/fd")) for pid in pids)
        pace = statistics.fmean(soak.paces) if soak.paces else float("nan")
        soak.paces.clear()
        soak.samples.append(
            Sample(
                (time.monotonic() - start) / 60.0,
                (sizes[0][0], sizes[1][0]),
                files,
                (sizes[0][1], sizes[1][1]),
                len(children(soak.session)),
                pace,
                soak.connected,
                os.getloadavg()[0],
            )
        )
        if int(soak.samples[-1].minute) > told:
            told = int(soak.samples[-1].minute)
            now = soak.samples[-1]
            print(
                f"  {told:3d} min: {now.memory[0]:.1f} and {now.memory[1]:.1f} MB, files {files}, pace {pace:.2f}",
                flush=True,
            )


def slope(points):
    """Slope of the line through some points (x, y) by Theil and Sen: the median over all pairs."""
    pairs = [(b[1] - a[1]) / (b[0] - a[0]) for i, a in enumerate(points) for b in points[i + 1 :] if b[0] - a[0] > 0.25]
    return statistics.median(pairs) if pairs else float("nan")


def slopes(found):
    """Slopes of the memory of session and server over the second half [MB/min]."""
    half = [s for s in found if s.minute >= found[-1].minute / 2]
    return tuple(slope([(s.minute, s.memory[k]) for s in half]) for k in (0, 1))


def grown(found, what):
    """By how much the largest number of the last quarter exceeds that of the quarter before the middle."""
    end = found[-1].minute
    early = [s for s in found if end / 4 <= s.minute < end / 2] or found
    late = [s for s in found if s.minute >= 3 * end / 4]
    return tuple(max(getattr(s, what)[k] for s in late) - max(getattr(s, what)[k] for s in early) for k in (0, 1))


def verdict(soak):
    """Whether memory is flat, nothing failed, and the words that say so."""
    both = slopes(soak.samples)
    faults = []
    for name, value in zip(("session", "web server"), both, strict=True):
        if not value < FLAT:
            faults.append(f"the memory of the {name} grows by {value:.2f} MB/min")
    for name, key in (("answer", "calls without an answer"), ("page error", "errors in the page")):
        if soak.tally[key]:
            faults.append(f"{soak.tally[key]} times: {name}")
    if soak.tally["errors in the log"]:
        faults.append(f"{soak.tally['errors in the log']} errors in the log")
    if max(grown(soak.samples, "files")) > 12 or max(grown(soak.samples, "threads")) > 4:
        faults.append(f"files grew by {grown(soak.samples, 'files')}, threads by {grown(soak.samples, 'threads')}")
    return not faults, "; ".join(faults) or f"both slopes below {FLAT:g} MB/min, no error, no file left open"


# ---- report --------------------------------------------------------------------------------------------


def report(soak, args, started, rebuilt):
    """The report as Markdown."""
    fine, words = verdict(soak)
    both = slopes(soak.samples)
    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=False
    ).stdout.strip()
    rows = []
    for minute in range(int(soak.samples[-1].minute) + 1):
        here = [s for s in soak.samples if int(s.minute) == minute]
        if not here:
            continue
        memory = [statistics.fmean(s.memory[k] for s in here) for k in (0, 1)]
        files = [max(s.files[k] for s in here) for k in (0, 1)]
        threads = [max(s.threads[k] for s in here) for k in (0, 1)]
        paces = [s.pace for s in here if s.pace == s.pace]
        pace = f"{statistics.fmean(paces):.2f}" if paces else "-"
        rows.append(
            f"| {minute} | {memory[0]:.1f} | {memory[1]:.1f} | {files[0]} / {files[1]} | {threads[0]} / {threads[1]} "
            f"| {max(s.children for s in here)} | {pace} | {max(s.clients for s in here)} |"
        )
    paces = [s.pace for s in soak.samples if s.pace == s.pace] or [float("nan")]
    load = statistics.fmean(s.load for s in soak.samples)
    tally = "\n".join(f"| {name} | {count} |" for name, count in sorted(soak.tally.items()))
    command = f"python benchmarks/studio_soak.py --minutes {args.minutes:g} --seed {args.seed}"
    return f"""# Soak of the studio

`{command}`: the NAO in the lab, {VISITORS} places for visitors who come and go, and a page in Chromium now and then.
{started:%Y-%m-%d %H:%M} UTC, commit {commit}, {os.cpu_count()} cores, Python {platform.python_version()}, {platform.system()}.

**{"Flat" if fine else "Not flat"}** over {soak.samples[-1].minute:.1f} min: {words}.

| | session | web server |
|---|---|---|
| memory at the end of minute 1 [MB] | {at_minute(soak, 0)} | {at_minute(soak, 1)} |
| memory at the end [MB] | {soak.samples[-1].memory[0]:.1f} | {soak.samples[-1].memory[1]:.1f} |
| slope over the second half [MB/min] | {both[0]:+.3f} | {both[1]:+.3f} |
| open files, largest of quarter 2 to quarter 4 | {grown(soak.samples, "files")[0]:+d} | {grown(soak.samples, "files")[1]:+d} |
| threads, likewise | {grown(soak.samples, "threads")[0]:+d} | {grown(soak.samples, "threads")[1]:+d} |

Real-time factor: median {statistics.median(paces):.3f}, mean {statistics.fmean(paces):.3f} (scenes built anew {rebuilt} times, each
of which stops time for about a second; the page is drawn by the processor). Load of the machine: {load:.1f} on
{os.cpu_count()} cores; the soak itself makes about 3 of it.

## By the minute
| minute | session [MB] | web server [MB] | files | threads | children | real-time factor | clients |
|---|---|---|---|---|---|---|---|
{chr(10).join(rows)}

## Visitors
| what | how often |
|---|---|
{tally}
"""  # noqa: E501


def at_minute(soak, which):
    """Memory of a process when the first minute was over [MB]."""
    later = [s for s in soak.samples if s.minute >= 1.0] or soak.samples
    return f"{later[0].memory[which]:.1f}"


def plot(soak, file):
    """Memory, files and pace over the run."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, (upper, lower) = plt.subplots(2, 1, figsize=(8.0, 4.6), sharex=True, height_ratios=(3, 1.4))
    minutes = [s.minute for s in soak.samples]
    for which, (name, color) in enumerate((("session", "#2f80ed"), ("web server", "#e4572e"))):
        upper.plot(minutes, [s.memory[which] for s in soak.samples], color=color, label=name, linewidth=1.6)
    upper.set(ylabel="resident memory [MB]", ylim=(0, None))
    upper.legend(frameon=False, loc="center right")
    lower.plot(minutes, [s.pace for s in soak.samples], color="#16a34a", linewidth=1.2)
    lower.set(ylabel="real-time\nfactor", xlabel="minutes", ylim=(0, 1.1), xlim=(0, minutes[-1]))
    for axes in (upper, lower):
        axes.grid(alpha=0.25)
        axes.spines[["top", "right"]].set_visible(False)
    figure.tight_layout()
    figure.savefig(file, dpi=110)
    plt.close(figure)


# ---- the run -------------------------------------------------------------------------------------------


async def ready(soak):
    """Wait until the session tells its state: a first start compiles kernels."""
    async with connect(soak.socket, proxy=None, open_timeout=300.0) as line:
        await line.send(json.dumps({"op": "subscribe", "topic": "/status"}))
        async for message in heard(line, 300.0):
            if message.get("topic") == "/status":
                return
    raise SystemExit("the session says nothing")


async def run(soak, minutes):
    """Everything at once, until the time is over."""
    await ready(soak)
    start = time.monotonic()
    soak.end = start + 60.0 * minutes
    jobs = [samples(soak, start), watches(soak), looks(soak), *(visits(soak) for _ in range(VISITORS))]
    await asyncio.gather(*jobs)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--minutes", type=float, default=30.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--report", type=Path, default=ROOT / "benchmarks/reports/soak.md")
    parser.add_argument("--plot", type=Path, default=ROOT / "docs/pictures/soak.webp", help="empty: none")
    args = parser.parse_args()
    started = datetime.now(UTC)
    words = [
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
    with tempfile.TemporaryDirectory() as folder:
        process = subprocess.Popen([*words, "--folder", folder], stdout=subprocess.PIPE, text=True)
        try:
            url = json.loads(process.stdout.readline())["url"]
            soak = Soak(process.pid, server_of(process.pid), url, random.Random(args.seed))
            asyncio.run(run(soak, args.minutes))
            if process.poll() is not None:
                raise SystemExit(f"the session has ended with code {process.returncode}")
        finally:
            process.send_signal(signal.SIGTERM)
            code = process.wait(30)
    soak.tally["exit code of the session"] = code
    rebuilt = soak.tally["reset"] + 2 * soak.tally["world"] + soak.tally["spawn"]
    args.report.parent.mkdir(parents=True, exist_ok=True)
    args.report.write_text(report(soak, args, started, rebuilt))
    if str(args.plot) not in ("", "."):
        plot(soak, args.plot)
    fine, told = verdict(soak)
    print(f"{'flat' if fine else 'NOT FLAT'}: {told}")
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
