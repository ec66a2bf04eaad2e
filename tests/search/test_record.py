"""The file of results: checksums, torn ends, damage in the middle, full disks; the lock of a folder."""

import json
import math
import os
import subprocess
import sys
import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from andante.errors import BadInput
from andante.search.folder import FolderInUse, FolderLock
from andante.search.record import (
    Appender,
    IndexSet,
    Record,
    Scan,
    Task,
    cut,
    from_line,
    plain,
    record_of,
    tail,
    to_line,
)

values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.floats(-1e300, 1e300) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
records = st.builds(
    Record,
    index=st.integers(0, 10**9),
    seed=st.integers(0, 2**31),
    parameters=st.dictionaries(st.text(max_size=4), st.floats(-1e300, 1e300) | st.text(max_size=4), max_size=4),
    fitness=st.none() | st.floats(-1e300, 1e300),
    figures=st.dictionaries(st.text(max_size=4), values, max_size=4),
    error=st.text(max_size=20),
)


def some(count, **more):
    return [Record(k, 7 * k, {"x": k / 3}, -k / 7, {"note": "ü\n"}, **more) for k in range(count)]


def write(path, entries):
    with Appender(path) as file:
        for entry in entries:
            file.append(entry)


@given(records)
def test_a_record_comes_back_from_its_line(record):
    line = to_line(record)
    assert line.count(b"\n") == 1
    assert from_line(line) == record
    table = json.loads(line)
    stated = table.pop("crc")
    assert stated == f"{zlib.crc32(json.dumps(table, separators=(',', ':')).encode()):08x}"


@given(records, st.data())
def test_any_changed_byte_is_noticed(record, data):
    line = bytearray(to_line(record)[:-1])
    place = data.draw(st.integers(0, len(line) - 1))
    line[place] ^= 1 << data.draw(st.integers(0, 7))
    with pytest.raises(ValueError):
        from_line(bytes(line) + b"\n")


@given(st.data())
def test_a_torn_end_is_cut_and_nothing_else(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("torn") / "results.jsonl"
    entries = some(5)
    write(path, entries)
    whole = path.read_bytes()
    length = data.draw(st.integers(0, len(whole)))
    os.truncate(path, length)
    scan = Scan(path)
    left = list(scan)
    assert left == entries[: whole[:length].count(b"\n")]
    assert bool(scan.torn) == (not whole[:length].endswith(b"\n") and length > 0)
    cut(path, scan.end)
    write(path, entries[len(left) :])
    assert path.read_bytes() == whole


def test_zeros_at_the_end_are_torn(tmp_path):
    path = tmp_path / "results.jsonl"
    write(path, some(3))
    with path.open("ab") as file:
        file.write(bytes(500))
    scan = Scan(path)
    assert len(list(scan)) == 3
    assert scan.torn == f"{path}: line 4, the last, was not written to its end and is cut off"


def test_damage_in_the_middle_is_named(tmp_path):
    path = tmp_path / "results.jsonl"
    write(path, some(6))
    text = bytearray(path.read_bytes())
    text[text.index(b'"x":1.0')] ^= 8
    path.write_bytes(text)
    scan = Scan(path)
    with pytest.raises(BadInput, match=r"results.jsonl: line 4 is damaged \(the checksum is wrong\); delete that line"):
        list(scan)


def test_repeated_and_strange_numbers_are_named(tmp_path):
    path = tmp_path / "results.jsonl"
    write(path, [*some(2), *some(1)])
    with pytest.raises(BadInput, match="line 3 repeats candidate 0"):
        list(Scan(path))
    write(tmp_path / "b", [Record(-1, 0, {}, 0.0)])
    with pytest.raises(BadInput, match="line 1 has the candidate number -1"):
        list(Scan(tmp_path / "b"))
    body = b'{"index":1}'
    (tmp_path / "c").write_bytes(b'{"crc":"%08x",%s\n' % (zlib.crc32(body), body[1:]) + b"x\n")
    with pytest.raises(BadInput, match="an entry is missing"):
        list(Scan(tmp_path / "c"))


def test_a_missing_file_has_no_results(tmp_path):
    assert list(Scan(tmp_path / "none")) == []


def test_a_failed_write_leaves_no_trace(tmp_path, monkeypatch):
    path = tmp_path / "results.jsonl"
    first, second = some(2)
    with Appender(path) as file:
        file.append(first)
        real = os.write

        def full(handle, data):
            if len(data) > 20:
                return real(handle, data[:20])
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(os, "write", lambda handle, data: full(handle, data[:30]))
        with pytest.raises(OSError, match="No space"):
            file.append(second)
        monkeypatch.setattr(os, "write", real)
        file.append(second)
    assert list(Scan(path)) == [first, second]


def test_a_growing_file_can_be_followed(tmp_path):
    path = tmp_path / "results.jsonl"
    entries = some(4)
    write(path, entries[:2])
    seen, offset = tail(path)
    assert seen == entries[:2]
    line = to_line(entries[2])
    with path.open("ab") as file:
        file.write(line[:10])
    assert tail(path, offset) == ([], offset)
    with path.open("ab") as file:
        file.write(line[10:] + to_line(entries[3]))
    assert tail(path, offset)[0] == entries[2:]
    with path.open("ab") as file:
        file.write(b"rubbish\n")
    with pytest.raises(BadInput, match="damaged"):
        tail(path, offset)


def test_what_objectives_give_is_made_plain():
    given_ = {"a": np.float64(1.5), "b": np.arange(3), "c": (1, math.inf), 4: np.bool_(True), "n": math.nan}
    assert plain(given_) == {"a": 1.5, "b": [0, 1, 2], "c": [1, None], "4": True, "n": None}
    with pytest.raises(TypeError, match="object"):
        plain({"x": object()})
    task = Task(3, {"x": 1.0}, 5)
    assert record_of(task, {"fitness": 2, "way": 1}).fitness == 2.0
    for figures in ({"fitness": None}, {"fitness": True}, {"fitness": "high"}, {}):
        record = record_of(task, figures)
        assert record.failed
        assert record.error == "the fitness is not a finite number"


@given(st.lists(st.integers(0, 5000)))
def test_index_sets_are_sets(numbers):
    ours = IndexSet()
    theirs = set()
    for number in numbers:
        assert ours.add(number) == (number not in theirs)
        theirs.add(number)
    assert len(ours) == len(theirs)
    assert all((number in ours) == (number in theirs) for number in range(0, 5001, 7))


def test_a_lock_names_its_holder_and_goes_with_it(tmp_path):
    script = (
        "import time\nfrom pathlib import Path\nfrom andante.search.folder import FolderLock\n"
        f"held = FolderLock(Path({str(tmp_path)!r}))\nprint('held', flush=True)\ntime.sleep(60)"
    )
    holder = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    try:
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(FolderInUse, match=f"in use by process {holder.pid} on .* since .*; wait until it ends"):
            FolderLock(tmp_path)
    finally:
        holder.kill()
        holder.communicate()
    with FolderLock(tmp_path), pytest.raises(FolderInUse, match=f"in use by process {os.getpid()} on "):
        FolderLock(tmp_path)
    FolderLock(tmp_path).release()
