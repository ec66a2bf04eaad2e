"""The kill drill on recordings: `andante bag record` beside a session, and a session that records itself.

Proved after every kill: the bag opens; every message that a second listener heard more than a second before the kill
is in it (for a session that records itself: as many as its /status had told); `bag convert` makes a whole bag of it
with the same messages. The second counts by the recorder's own clock: time in which the machine let it wait is added.
"""

from __future__ import annotations

import random
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from andante.bus import messages
from andante.bus.bags import convert_bag, open_bag
from andante.bus.bags.writer import FLUSH_AFTER
from andante.errors import AndanteError

from .listener import Listener
from .victim import Victim

Row = dict[str, Any]
PATIENCE = 240.0  # [s]
TOPIC, TYPE = "/status", "andante_msgs/msg/Status"
LAUNCH = """robot = "waffle"
world = "empty"
behaviour = "drive"
folder = "recorded"
[server]
port = 0
"""


def beside(folder: Path, suffixes: list[str], dice: random.Random) -> Iterator[Row]:
    """A row per kill of `bag record`, one recording per suffix."""
    session, url = _session(folder, "")
    listener = Listener(url, TOPIC)
    try:
        for number, suffix in enumerate(suffixes):
            out = folder / f"r{number}{suffix}"
            recorder = Victim(["bag", "record", TOPIC, "/odom", "-o", out, "--url", url], folder)
            try:
                row = _one(recorder, listener, out, dice)
            finally:
                recorder.close()
            yield {"job": f"bag record {suffix or 'folder'}", "kill": number, **row}
    finally:
        listener.close()
        session.close()


def itself(folder: Path, kinds: list[str], dice: random.Random) -> Iterator[Row]:
    """A row per kill of a session that records."""
    for number, kind in enumerate(kinds):
        name = f"s{number}"
        session, url = _session(
            folder, f'[record]\nname = "{name}"\nformat = "{kind}"\ntopics = ["{TOPIC}", "/odom"]\n'
        )
        listener = Listener(url, TOPIC)
        try:
            session.wait_until(lambda: len(listener.heard) > 2, PATIENCE)  # noqa: B023 (called at once)
            row = _told(session, listener, folder / "recorded" / f"{name}.{kind}", dice)
        finally:
            listener.close()
            session.close()
        yield {"job": f"session .{kind}", "kill": number, **row}


def _session(folder: Path, more: str) -> tuple[Victim, str]:
    """A session that runs, and its address."""
    (folder / "launch.toml").write_text(LAUNCH + more)
    session = Victim(["launch", folder / "launch.toml"], folder)
    if not session.wait_until(lambda: "http://" in session.heard() and "ends it" in session.heard(), PATIENCE):
        said = session.heard()
        session.close()
        raise RuntimeError(f"no session: {said}")
    found = re.search(r"http://[\w.:/?=&-]+", session.heard())
    assert found is not None
    return session, found.group()


def _one(recorder: Victim, listener: Listener, out: Path, dice: random.Random) -> Row:
    delay = dice.uniform(0.0, 5.0)
    recorder.wait_until(lambda: "recording" in recorder.heard(), PATIENCE)
    begun = time.monotonic()
    moment, waited = _kill_after(recorder, delay)
    margin = FLUSH_AFTER + waited + listener.silence(begun, moment)
    heard = [each for each in listener.heard if begun <= each.at]
    wrong, kept, all_kept = _opened(out)
    first = next((k for k, each in enumerate(heard) if each.data in kept), None)
    safe = [each for each in heard[first or 0 :] if each.at < moment - margin]
    missing = [each for each in safe if each.data not in kept] if first is not None else safe
    if missing:
        wrong.append(f"{len(missing)} of {len(safe)} messages are lost that were heard {margin:.1f} s before the kill")
    newest = max((each.at for each in heard if each.data in kept), default=begun)
    when = f"{delay:.2f} s recorded"
    return {"when": when, "announced": len(safe), "kept": all_kept, "lost": round(moment - newest, 2), "faults": wrong}


def _told(session: Victim, listener: Listener, out: Path, dice: random.Random) -> Row:
    delay, begun = dice.uniform(0.0, 5.0), time.monotonic()
    moment, waited = _kill_after(session, delay)
    margin = FLUSH_AFTER + waited + listener.silence(begun, moment)
    time.sleep(0.3)  # what is on its way to us counts as heard
    counts = [(each.at, int(messages.from_cdr(TYPE, each.data).record_messages)) for each in listener.heard]
    announced = max((count for at, count in counts if at < moment - margin), default=0)
    wrong, _, kept = _opened(out)
    if kept < announced:
        wrong.append(f"{announced} messages told {margin:.1f} s before the kill, {kept} in the bag")
    newest = max((at for at, count in counts if count <= kept), default=begun)
    lost = round(max(0.0, moment - newest), 2)
    return {"when": f"{delay:.2f} s watched", "announced": announced, "kept": kept, "lost": lost, "faults": wrong}


def _kill_after(victim: Victim, delay: float) -> tuple[float, float]:
    """Kill after some seconds; the moment, and how long the machine let the process wait for a processor before it."""
    begun, samples = time.monotonic(), [_waiting(victim.process.pid)]
    while time.monotonic() - begun < delay and victim.running:
        time.sleep(min(0.1, max(0.0, delay - (time.monotonic() - begun))))
        samples.append(_waiting(victim.process.pid))
    if not victim.running:
        raise RuntimeError(f"ended before its kill: {victim.heard()[-300:]}")
    moment = time.monotonic()
    victim.kill()
    return moment, samples[-1] - samples[max(0, len(samples) - 40)]


def _waiting(pid: int) -> float:
    """Time that the threads of a process have waited for a processor so far [s]."""
    total = 0
    for path in Path(f"/proc/{pid}/task").glob("*/schedstat"):
        try:
            total += int(path.read_text().split()[1])
        except (OSError, IndexError, ValueError):
            continue
    return total / 1e9


def _opened(out: Path) -> tuple[list[str], set[bytes], int]:
    """Faults, the messages of the topic as CDR, and the number of all messages in a bag that was cut off."""
    files = list(out.glob("*.mcap")) if out.is_dir() else [out] if out.exists() else []
    if not files or not sum(file.stat().st_size for file in files):
        return [], set(), 0  # killed before the first message
    wrong: list[str] = []
    try:
        kept, count = _messages(out)
        whole = out.with_name(f"{out.stem}_whole.mcap")
        made = convert_bag(out, whole)
        again = _messages(whole)
        if made.count != count or again != (kept, count) or open_bag(whole).notes:
            wrong.append(f"bag convert gives {made.count} of {count} messages")
        whole.unlink()
        return wrong, kept, count
    except AndanteError as error:
        return [f"the bag does not open: {error}"], set(), 0


def _messages(path: Path) -> tuple[set[bytes], int]:
    bag, kept, count = open_bag(path), set(), 0
    for message in bag.messages():
        count += 1
        if message.topic.name == TOPIC:
            data = bytes(message.data)
            kept.add(messages.to_cdr(messages.from_ros1(TYPE, data)) if message.topic.encoding == "ros1" else data)
    return kept, count
