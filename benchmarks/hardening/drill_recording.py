"""The kill drill on recordings: `andante bag record` beside a session, and a session that records itself.

Proved after every kill: the bag opens; every message that a second listener heard more than a second before the kill
is in it (for a session that records itself: as many as its /status had told); `bag convert` makes a whole bag of it
with the same messages. Time counts from the word "recording" (early kills) or from the first bytes on the disk, and a
second is one of the recorder's own: the time in which the machine let it wait is added.
"""

from __future__ import annotations

import random
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from andante.bags import convert_bag, messages, open_bag
from andante.errors import AndanteError

from .listener import Listener
from .victim import Victim

Row = dict[str, Any]
PATIENCE = 240.0  # [s]
PROMISED = 1.0  # what is older is on the disk [s]
SETTLED = 0.5  # after its first word a recorder hears all [s]
EARLY = 0.25  # fraction of the kills that come soon after the first word, perhaps before a byte is on the disk
SOON, LEAST, MOST = 25, 20, 60  # messages of /status (ten a second) that are heard before a kill
TOPIC, TYPE = "/status", "andante_msgs/msg/Status"
ROBOT = """<robot name="post"><link name="base"><inertial><mass value="2"/><inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1"
iyz="0" izz="0.1"/></inertial><collision><geometry><box size="0.3 0.3 0.1"/></geometry></collision></link></robot>"""
LAUNCH = """robot = "post.urdf"
world = "empty"
folder = "recorded"
[server]
port = 0
"""


def beside(folder: Path, suffix: str, kills: int, dice: random.Random) -> Iterator[Row]:
    """A row per kill of `bag record`."""
    session, url = _session(folder, "")
    listener = Listener(url, TOPIC)
    try:
        for number in range(kills):
            out = folder / f"r{number}{suffix}"
            recorder = Victim(["bag", "record", TOPIC, "/tf", "-o", out, "--url", url], folder)
            try:
                yield {"kill": number, **_one(recorder, listener, out, dice)}
            finally:
                recorder.close()
    finally:
        listener.close()
        session.close()


def itself(folder: Path, kind: str, kills: int, dice: random.Random) -> Iterator[Row]:
    """A row per kill of a session that records."""
    for number in range(kills):
        name = f"s{number}"
        session, url = _session(folder, f'[record]\nname = "{name}"\nformat = "{kind}"\ntopics = ["{TOPIC}", "/tf"]\n')
        listener = Listener(url, TOPIC)
        try:
            session.wait_until(lambda: len(listener.heard) > 2, PATIENCE)  # noqa: B023 (called at once)
            yield {"kill": number, **_told(session, listener, folder / "recorded" / f"{name}.{kind}", dice)}
        finally:
            listener.close()
            session.close()


def _session(folder: Path, more: str) -> tuple[Victim, str]:
    """A session that runs, and its address."""
    (folder / "post.urdf").write_text(ROBOT)
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
    recorder.wait_until(lambda: "recording" in recorder.heard(), PATIENCE)
    early, size = dice.random() < EARLY, _size(out)
    if not early:
        recorder.wait_until(lambda: _size(out) > size, PATIENCE)
    begun = time.monotonic()
    moment, waited = _kill_after(recorder, listener, begun, dice.randint(*((0, SOON) if early else (LEAST, MOST))))
    delay = waited + listener.silence(begun, moment)
    margin, first = PROMISED + delay, begun + (SETTLED + delay if early else 0.0)
    wrong, kept, all_kept = _opened(out)
    heard = listener.since(begun)
    safe = [each for each in heard if first <= each.at < moment - margin]
    missing = [each for each in safe if each.data not in kept]
    if missing:
        wrong.append(f"{len(missing)} of {len(safe)} messages are lost that were heard {margin:.1f} s before the kill")
    newest = max((each.at for each in heard if each.data in kept), default=begun)
    when = f"{moment - begun:.1f} s after its {'first word' if early else 'first bytes'}"
    return {"when": when, "announced": len(safe), "kept": all_kept, "lost": round(moment - newest, 2), "faults": wrong}


def _size(out: Path) -> int:
    """Bytes of a recording on the disk."""
    try:
        return sum(path.stat().st_size for path in (out.iterdir() if out.is_dir() else [out]))
    except FileNotFoundError:
        return 0


def _told(session: Victim, listener: Listener, out: Path, dice: random.Random) -> Row:
    begun = time.monotonic()
    moment, waited = _kill_after(session, listener, begun, dice.randint(LEAST, MOST))
    margin = PROMISED + waited + listener.silence(begun, moment)
    time.sleep(0.3)  # what is on its way to us counts as heard
    counts = [(each.at, int(messages.from_cdr(TYPE, each.data).record_messages)) for each in listener.heard]
    announced = max((count for at, count in counts if at < moment - margin), default=0)
    wrong, _, kept = _opened(out)
    if kept < announced:
        wrong.append(f"{announced} messages told {margin:.1f} s before the kill, {kept} in the bag")
    newest = max((at for at, count in counts if count <= kept), default=begun)
    lost = round(max(0.0, moment - newest), 2)
    return {
        "when": f"{moment - begun:.1f} s watched",
        "announced": announced,
        "kept": kept,
        "lost": lost,
        "faults": wrong,
    }


def _kill_after(victim: Victim, listener: Listener, begun: float, count: int) -> tuple[float, float]:
    """Kill when so many messages were heard; the moment, and how long the machine let the process wait just before."""
    samples = [_waiting(victim.process.pid)]
    while len(listener.since(begun)) < count and victim.running and time.monotonic() - begun < PATIENCE:
        time.sleep(0.1)
        samples.append(_waiting(victim.process.pid))
    if not victim.running:
        raise RuntimeError(f"ended before its kill: {victim.heard()[-300:]}")
    moment = time.monotonic()
    victim.kill()
    return moment, samples[-1] - samples[max(0, len(samples) - 40)]


def _waiting(pid: int) -> float:
    """Time that the main thread of a process, which records, has waited for a processor so far [s]."""
    try:
        return int(Path(f"/proc/{pid}/schedstat").read_text().split()[1]) / 1e9
    except (OSError, IndexError, ValueError):
        return 0.0


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
