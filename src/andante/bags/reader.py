"""`open_bag`: any bag for reading: rosbag1, rosbag2 folders, MCAP, sqlite; whole, cut off or damaged.

Files are read by their index where they have one that can be trusted, and from the front where not (`salvage`). What
was lost, and how much was saved, is said in `Bag.notes`.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from andante.errors import BadInput, MissingFile, one_line
from andante.files import PACKED, Closing, read_text
from andante.parsing import parse_yaml

from .salvage import Damage, Found, salvage
from .storage import journals, recovered
from .topics import BagTopic, TopicChoice, chosen, decoder
from .unpacking import unpack_file, unpacked

SUFFIXES = (".bag", ".mcap", ".db3")
MOST_MESSAGES = 5_000_000  # that `Bag.decoded` reads of one bag
_NUMBERS = re.compile(r"(\d+)")
_ZSTD = b"\x28\xb5\x2f\xfd"  # first bytes of a packed message of rosbag2; those of CDR begin with 0


class BagMessage(NamedTuple):
    """One message of a bag."""

    topic: BagTopic
    time: int  # [ns]
    data: bytes


class Bag(Closing):
    """A bag for reading. Use as a context manager, or `close` it.

    Attributes:
        path: the file or folder.
        kind: rosbag1, mcap, sqlite3, or rosbag2 for a folder.
        topics: one entry per name, in the order of the bag.
        count: number of messages.
        start: time of the first message [ns].
        end: time of the last message [ns].
        notes: what is missing or damaged and how much was saved, a line each; empty for a whole bag.
        broken: messages that `decoded` could not read and left out.
    """

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)
        self.notes: list[str] = []
        self.broken = 0
        with ExitStack() as stack:
            self._stack = stack
            try:
                self.kind = _kind(self.path)
                self._parts = self._open()
            except BadInput:
                raise
            except OSError as error:
                raise BadInput(f"{self.path} cannot be read: {error.strerror or error}") from None
            self._stack = stack.pop_all()
        full = [part for part in self._parts if part.count]
        self.count = sum(part.count for part in full)
        self.start = min((part.start for part in full), default=0)
        self.end = max((part.end for part in full), default=0)
        self.topics = _merged(topic for part in self._parts for topic in part.topics)

    @property
    def whole(self) -> bool:
        """Whether nothing is missing and all could be read by its index so far."""
        return not self.notes

    @property
    def duration(self) -> float:
        """Time from the first to the last message [s]."""
        return (self.end - self.start) * 1e-9 if self.count else 0.0

    def messages(
        self, topics: TopicChoice | Iterable[str] | str | None = None, start: int | None = None, stop: int | None = None
    ) -> Iterator[BagMessage]:
        """Messages as they stand in the bag; a file that turns out to be damaged is read on from the front.

        Args:
            topics: names, patterns such as `/camera/*`, or a choice; None for all.
            start: first time [ns].
            stop: time before which it ends [ns].

        Returns:
            Messages by their time within each file that has an index, else in the order of the file.
        """
        choice = chosen(topics)
        for place in range(len(self._parts)):
            for topic, time, data in self._read(place, choice, start, stop):
                packed = data[:4] == _ZSTD and topic.encoding == "cdr"
                yield BagMessage(topic, time, _unpacked(data) if packed else data)

    def decoded(
        self,
        topics: TopicChoice | Iterable[str] | str | None = None,
        start: int | None = None,
        stop: int | None = None,
        most: int = MOST_MESSAGES,
    ) -> Iterator[tuple[BagTopic, int, Any]]:
        """Topic, time [ns] and message object of the chosen messages; arguments as in `messages`.

        Messages that are broken are left out and counted in `broken`, topics whose type cannot be told are left out
        with a note. More than `most` messages raise BadInput.
        """
        ways: dict[int, tuple[BagTopic, Callable[[bytes], Any] | None]] = {}  # by the identity of the topic
        for count, (topic, time, data) in enumerate(self.messages(topics, start, stop)):
            if count >= most:
                raise BadInput(f"{self.path}: more than {most} messages; `andante bag convert --stop S` cuts it")
            known = ways.get(id(topic))
            if known is None:
                known = ways[id(topic)] = topic, self._decoder(topic)
            if known[1] is None:
                continue
            try:
                message = known[1](data)
            except Exception:  # codecs raise what their parsers raise
                self.broken += 1
                continue
            yield topic, time, message

    def close(self) -> None:
        """Let go of the files."""
        self._stack.close()

    def _open(self) -> list[_Indexed | _Salvaged]:
        if not self.path.is_dir():
            return [self._part(self.path)]
        parts: list[_Indexed | _Salvaged] = []
        refused: list[str] = []
        for file in _files(self.path):
            try:
                parts.append(self._part(file))
            except BadInput as error:
                refused.append(str(error))
        if not parts:
            raise BadInput(refused[0])
        self.notes += refused
        missing = _incomplete(self.path)
        if missing:
            count = sum(part.count for part in parts)
            files = "its file" if len(parts) == 1 else f"{len(parts)} files"
            self.notes.insert(0, f"{self.path.name}: {missing}; {count} messages of {files} salvaged")
        return parts

    def _part(self, file: Path) -> _Indexed | _Salvaged:
        """One file by its index, or by what can be salvaged of it."""
        if file.stat().st_size == 0:
            raise BadInput(f"{file}: is empty, it was cut off or damaged")
        name = file.name
        if file.suffix == ".zstd":
            file = self._unpack(file)
        try:
            if file.suffix.lower() != ".db3" or not journals(file):
                return self._indexed(file)
            part = self._indexed(recovered(file, self._folder()))
            self.notes.append(f"{name}: was not completed; {_saved(part)} salvaged, up to its last whole transaction")
            return part
        except Exception as error:  # readers raise what their parsers raise: struct, zlib, sqlite, key errors
            return self._salvaged(file, name, one_line(error)[:160])

    def _indexed(self, file: Path) -> _Indexed:
        part = _Indexed(file)
        self._stack.callback(part.close)
        return part

    def _salvaged(self, file: Path, name: str, problem: str) -> _Salvaged:
        part = _Salvaged(file)
        said = part.damage.told(name)
        if not part.count and (part.damage.cut or not said):
            raise BadInput(f"{file}: cannot be read as a bag, it may be cut off or damaged ({problem})")
        if not said:
            said = [f"{name}: its index cannot be used ({problem}); read from the front"]
        self.notes += [*said[:-1], f"{said[-1]}; {_saved(part)} salvaged"]
        return part

    def _read(self, place: int, choice: TopicChoice, start: int | None, stop: int | None) -> Iterator[Found]:
        """Messages of one file; from the front from where its index fails on."""
        part, last, same = self._parts[place], -1, list[str]()  # same: topics of the messages at the last time
        try:
            for found in part.messages(choice, start, stop):
                if found[1] != last:
                    last, same = found[1], []
                same.append(found[0].name)
                yield found
            return
        except Exception as error:
            if isinstance(part, _Salvaged):
                raise
            problem = one_line(error)[:160]
        name = part.file.name
        self.notes.append(f"{name}: is damaged ({problem}); `andante bag convert` writes a whole bag of what is left")
        self._parts[place] = saved = self._salvaged(part.file, name, problem)
        for found in saved.messages(choice, start, stop):
            if found[1] == last and found[0].name in same:
                same.remove(found[0].name)
            elif found[1] >= last:
                yield found

    def _decoder(self, topic: BagTopic) -> Callable[[bytes], Any] | None:
        try:
            return decoder(topic)
        except BadInput as error:
            self.notes.append(f"{self.path.name}: left out: {error}")
            return None

    def _folder(self) -> Path:
        """A folder of our own that goes when the bag is closed."""
        return Path(self._stack.enter_context(tempfile.TemporaryDirectory(prefix="andante-bag-")))

    def _unpack(self, file: Path) -> Path:
        plain = self._folder() / file.stem
        error = unpack_file(file, plain)
        if error is not None:
            self.notes.append(f"{file.name}: cannot be unpacked to its end ({one_line(error)[:160]})")
        return plain


def open_bag(path: Path | str) -> Bag:
    """A bag for reading, whole or not.

    Args:
        path: a .bag, .mcap or .db3 file, or a rosbag2 folder.

    Returns:
        The bag; its `notes` say what is missing. BadInput in one line where it is none.
    """
    return Bag(path)


def is_bag(path: Path) -> bool:
    """Whether a path looks like a bag: by its suffix, or as a folder with storage files."""
    return bool(_files(path)) if path.is_dir() else path.suffix.lower() in SUFFIXES


class _Indexed:
    """One file that is read by its index."""

    def __init__(self, file: Path) -> None:
        self.file = file
        one = file.suffix.lower() == ".bag"
        if one:
            from rosbags.rosbag1 import Reader as Reader1

            reader: Any = Reader1(file)
        else:
            from rosbags.rosbag2 import Reader as Reader2

            reader = Reader2(file)
        reader.open()
        self.close: Callable[[], None] = reader.close
        self._reader = reader
        self._topics = {c.id: _topic(c, one) for c in reader.connections}
        self.topics = list(self._topics.values())
        self.count = int(reader.message_count)
        self.start = int(reader.start_time) if self.count else 0
        self.end = int(reader.end_time) - 1 if self.count else 0

    def messages(self, choice: TopicChoice, start: int | None, stop: int | None) -> Iterator[Found]:
        topics = {number: topic for number, topic in self._topics.items() if choice.takes(topic.name)}
        wanted = [connection for connection in self._reader.connections if connection.id in topics]
        if not wanted:
            return
        for connection, time, data in self._reader.messages(connections=wanted, start=start, stop=stop):
            yield topics[connection.id], time, bytes(data)


class _Salvaged:
    """One file that is read from the front; it is gone through once to count."""

    def __init__(self, file: Path) -> None:
        self.file, self.damage = file, Damage()
        self.count, self.start, self.end = 0, 2**63, 0
        found: dict[str, BagTopic] = {}
        counts: dict[str, int] = {}
        for topic, time, _ in salvage(file, self.damage):
            found.setdefault(topic.name, topic)
            counts[topic.name] = counts.get(topic.name, 0) + 1
            self.start, self.end = min(self.start, time), max(self.end, time)
            self.count += 1
        self._topics = {name: replace(topic, count=counts[name]) for name, topic in found.items()}
        self.topics = list(self._topics.values())

    def messages(self, choice: TopicChoice, start: int | None, stop: int | None) -> Iterator[Found]:
        known = {name: topic for name, topic in self._topics.items() if choice.takes(name)}
        low, high = -1 if start is None else start, 2**64 if stop is None else stop
        for topic, time, data in salvage(self.file, Damage()):
            mine = known.get(topic.name)
            if mine is not None and mine.type == topic.type and low <= time < high:
                yield mine, time, data


def _kind(path: Path) -> str:
    """rosbag1, mcap, sqlite3 or rosbag2 (a folder)."""
    if not path.exists():
        raise MissingFile(f"{path}: no such bag")
    if path.is_dir():
        if not _files(path):
            raise BadInput(
                f"{path}: is a folder without metadata.yaml, .mcap or .db3 files; give a rosbag2 folder or a bag file"
            )
        return "rosbag2"
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        if suffix in PACKED:
            raise BadInput(f"{path}: is packed; unpack it first, then name {path.with_suffix('')}")
        raise BadInput(f"{path}: bags are .bag (rosbag1), .mcap, .db3, or a rosbag2 folder")
    if not path.is_file():
        raise BadInput(f"{path}: is not a regular file; refused")
    return {".bag": "rosbag1", ".mcap": "mcap", ".db3": "sqlite3"}[suffix]


def _files(folder: Path) -> list[Path]:
    """The storage files of a rosbag2 folder, in the order of their numbers."""
    found = [file for file in folder.iterdir() if file.name.removesuffix(".zstd").lower().endswith((".mcap", ".db3"))]
    return sorted(
        found, key=lambda file: [(not p.isdigit(), int(p) if p.isdigit() else 0, p) for p in _NUMBERS.split(file.name)]
    )


def _incomplete(folder: Path) -> str:
    """What the metadata of a rosbag2 folder lacks; empty when all its files are there."""
    if not (folder / "metadata.yaml").is_file():
        return "has no metadata.yaml, its recording was not completed"
    try:
        names = parse_yaml(read_text(folder / "metadata.yaml"))["rosbag2_bagfile_information"]["relative_file_paths"]
        lost = [name for name in names if not (folder / Path(name).name).exists()]
    except (BadInput, ValueError, TypeError, KeyError) as error:
        return f"its metadata.yaml cannot be used ({one_line(error)[:160]})"
    return f"{', '.join(lost[:4])} {'is' if len(lost) == 1 else 'are'} missing" if lost else ""


def _topic(connection: Any, one: bool) -> BagTopic:
    """The topic of a connection of `rosbags`."""
    extra = connection.ext
    if one:
        encoding, latched, sensor = "ros1", bool(extra.latching), False
    else:
        profiles, encoding = extra.offered_qos_profiles, extra.serialization_format
        latched = any(p.durability.name == "TRANSIENT_LOCAL" for p in profiles)
        sensor = bool(profiles) and all(p.reliability.name == "BEST_EFFORT" for p in profiles)
    text, count = connection.msgdef.data, int(connection.msgcount or 0)
    return BagTopic(connection.topic, connection.msgtype, encoding, text, count, latched, sensor)


def _merged(topics: Iterable[BagTopic]) -> list[BagTopic]:
    """One entry per name, in the order of the bag."""
    out: dict[str, BagTopic] = {}
    for topic in topics:
        known = out.get(topic.name)
        out[topic.name] = topic if known is None else replace(known, count=known.count + topic.count)
    return list(out.values())


def _saved(part: _Indexed | _Salvaged) -> str:
    return f"{part.count} messages over {max(0, part.end - part.start) * 1e-9 if part.count else 0.0:.1f} s"


def _unpacked(data: bytes) -> bytes:
    """A packed message of rosbag2; as it is where it cannot be unpacked."""
    try:
        return unpacked(data, "zstd")
    except Exception:
        return data
