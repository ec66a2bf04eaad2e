"""sqlite files of rosbag2: written with a transaction at every flush, and recovered by their journals after a crash."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

from .messages.definitions import private_store
from .topics import BagTopic, qos_text

SCHEMA = """
CREATE TABLE schema(schema_version INTEGER PRIMARY KEY, ros_distro TEXT NOT NULL);
CREATE TABLE metadata(id INTEGER PRIMARY KEY, metadata_version INTEGER NOT NULL, metadata TEXT NOT NULL);
CREATE TABLE topics(id INTEGER PRIMARY KEY, name TEXT NOT NULL, type TEXT NOT NULL, serialization_format TEXT NOT NULL,
  offered_qos_profiles TEXT NOT NULL, type_description_hash TEXT NOT NULL);
CREATE TABLE message_definitions(id INTEGER PRIMARY KEY, topic_type TEXT NOT NULL, encoding TEXT NOT NULL,
  encoded_message_definition TEXT NOT NULL, type_description_hash TEXT NOT NULL);
CREATE TABLE messages(id INTEGER PRIMARY KEY, topic_id INTEGER NOT NULL, timestamp INTEGER NOT NULL,
  data BLOB NOT NULL);
CREATE INDEX timestamp_idx ON messages (timestamp ASC);
INSERT INTO schema(schema_version, ros_distro) VALUES (4, 'humble');
"""  # version 4, that of ROS 2 Iron: earlier ones lack the definitions


class Db3File:
    """One .db3 file being written."""

    encoding = "cdr"

    def __init__(self, path: Path, chunk_size: int) -> None:
        self.path, self.chunk_size = path, chunk_size
        path.open("xb").close()
        self._base = sqlite3.connect(path)
        self._base.executescript(SCHEMA)
        self._base.commit()
        self._hashes: dict[str, str] = {}  # of the types written so far
        self._topics = 0
        self._waiting = 0  # bytes of the transaction that is open
        self.size = path.stat().st_size

    def add(self, topic: BagTopic) -> int:
        """The number of a new topic."""
        told = self._hashes.get(topic.type)
        if told is None:
            types = private_store(topic.definition, topic.type, ros2=True)
            told = self._hashes[topic.type] = types.hash_rihs01(topic.type)
            self._run(
                "INSERT INTO message_definitions VALUES(NULL, ?, 'ros2msg', ?, ?)", topic.type, topic.definition, told
            )
        self._topics += 1
        qos = qos_text(topic.latched, topic.sensor)
        values = self._topics, topic.name, topic.type, self.encoding, qos, told
        self._run("INSERT INTO topics VALUES(?, ?, ?, ?, ?, ?)", *values)
        return self._topics

    def write(self, channel: int, time: int, data: bytes | memoryview) -> None:
        """Add a message at a time [ns]."""
        self._run("INSERT INTO messages VALUES(NULL, ?, ?, ?)", channel, time, data)
        self.size += len(data)
        self._waiting += len(data)
        if self._waiting >= self.chunk_size:
            self.flush()

    def flush(self) -> None:
        """End the transaction: from then on a crash spares what was written."""
        if self._base.in_transaction:
            self._run("COMMIT")
        self._waiting = 0

    def close(self, metadata: str = "") -> None:
        """Complete the file; metadata is the text that rosbag2 keeps inside too."""
        if metadata:
            self._run("INSERT INTO metadata VALUES(NULL, 5, ?)", metadata)
        self.flush()
        self._base.close()

    def abandon(self) -> None:
        """Close without the transaction that is open, after an error of the disk."""
        self._base.close()

    def _run(self, command: str, *values: object) -> None:
        """One command; errors of the disk are OSErrors as for other files."""
        try:
            self._base.execute(command, values)
        except sqlite3.OperationalError as error:
            raise OSError(str(error)) from None


def journals(path: Path) -> list[Path]:
    """Journals that a writer left beside its file when it was killed."""
    beside = [path.with_name(f"{path.name}-{kind}") for kind in ("journal", "wal")]
    return [each for each in beside if each.is_file() and each.stat().st_size]


def recovered(path: Path, folder: Path) -> Path:
    """A copy in a folder, brought by its journals to the end of its last whole transaction."""
    copy = folder / path.name
    for each in (path, *journals(path)):
        shutil.copyfile(each, folder / each.name)
    with closing(sqlite3.connect(copy)) as base:
        base.execute("PRAGMA journal_mode = DELETE").fetchall()
        base.execute("SELECT count(*) FROM sqlite_master").fetchall()
    return copy
