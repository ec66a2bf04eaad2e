"""A short run of the fuzzing (benchmarks/fuzz.py runs 10,000), and its own parts: cases, checker, watch, rows."""

import json
import random
from dataclasses import replace
from pathlib import Path

import pytest
from hardening import seeds_description, seeds_maps, seeds_meshes
from hardening.cases import Case, make_case, signed, write_case
from hardening.contract import Ran, differences, faults, tree
from hardening.mutate import MUTATORS, forms_of, mutate
from hardening.rows import Rows
from hardening.seeds import FRACTIONS

BENCHMARKS = str(Path(__file__).parents[2] / "benchmarks")
QUICK = ("urdf", "xacro", "sdf", "mjcf", "mesh", "sidecar", "map")


@pytest.fixture(scope="session")
def seeds():
    """Descriptions, meshes and maps, without the commands that simulate."""
    made = [each for module in (seeds_description, seeds_meshes, seeds_maps) for each in module.seeds()]
    return [replace(each, rare=()) for each in made if each.kind in QUICK]


def test_mutated_files_keep_the_contract(runner, seeds):
    numbers, codes = iter(range(10_000)), set()
    for _ in range(60):
        case = next(c for c in (_made(seeds, n) for n in numbers) if c is not None)
        ran = runner.run(case)
        assert faults(case, ran) == [], (case.number, case.command, case.mutations, ran.err[-2000:])
        codes.add(ran.code)
    assert codes >= {0, 2}


def _made(seeds, number):
    from hardening.cases import TURNS

    return make_case(seeds, 2024, number) if TURNS[number % len(TURNS)] in QUICK else None


def test_a_case_is_made_by_its_number_alone(seeds):
    numbers = [n for n in range(200) if _made(seeds, n) is not None][:40]
    first, second = ([make_case(seeds, 5, n) for n in numbers] for _ in range(2))
    assert first == second
    assert [make_case(seeds, 6, n) for n in numbers] != first
    assert sum(FRACTIONS.values()) == 100


@pytest.mark.parametrize("name", sorted(MUTATORS))
def test_mutators_change_what_they_are_given(name):
    data = b'<a x="1.5" file="m.stl">\n<b y="2"/>\n</a>\nkey = 1\nimage: x.pgm\n'
    dice = random.Random(1)
    made = {MUTATORS[name].apply(data, dice) for _ in range(20)}
    assert made - {data}
    assert all(isinstance(each, bytes) for each in made)


def test_forms_follow_the_name():
    assert forms_of("a.urdf.xacro") == {"bytes", "text", "xml"}
    assert forms_of("a.log.gz") == {"bytes", "gzip"}
    assert forms_of("a.png") == {"bytes"}
    data, done = mutate(b"resolution: 0.05\n", "m.yaml", random.Random(3))
    assert done
    assert data != b"resolution: 0.05\n"


CASE = Case(1, "urdf", "arm", ("check", "{in}/a.urdf", "--json"), ("a.urdf", "number"), {"a.urdf": b"<x/>"})


@pytest.mark.parametrize(
    ("ran", "fault"),
    [
        (Ran(70, "", "andante: internal error (KeyError: 1)\n"), "exit 70"),
        (Ran(2, "", "Traceback (most recent call last):\n  File\n"), "traceback"),
        (Ran(2, "", "andante: a\nandante: b\n"), "2 lines on stderr with exit 2"),
        (Ran(2, "", ""), "0 lines on stderr with exit 2"),
        (Ran(0, "{}\n", "strange\n"), "stderr: strange"),
        (Ran(0, "NaN\n", ""), "stdout is not one strict JSON object"),
        (Ran(0, '{"a": NaN}\n', ""), "stdout is not one strict JSON object"),
        (Ran(2, "{}\n", "andante: a\n"), "something on stdout beside an error"),
        (Ran(2, "", "andante: \x1b[31mred\n"), "control characters on the terminal"),
        (Ran(2, "", "andante: not enough memory for this input\n"), "memory"),
        (Ran(2, "", "andante: a\n", written=("x.urdf",)), "half-written: x.urdf"),
        (Ran(2, "", "andante: a\n", changed=("home/x",)), "changed outside: home/x"),
        (Ran(2, "", "andante: a\n", events=("open /x",)), "event: open /x"),
        (Ran(2, "", "andante: secret-of-the-canary\n"), "told what stands in a file outside"),
    ],
)
def test_the_checker_sees_every_breach(ran, fault):
    assert fault in faults(CASE, ran)


def test_the_checker_accepts_what_is_promised():
    assert faults(CASE, Ran(0, '{"name": "x"}\n', "")) == []
    assert faults(CASE, Ran(1, '{"name": "x"}\n', "")) == []
    assert faults(CASE, Ran(2, "", "andante: a.urdf:1: no robot\n")) == []
    assert faults(replace(CASE, command=("sim", "x")), Ran(1, "", "")) == ["exit 1"]
    assert faults(replace(CASE, mutations=()), Ran(2, "", "andante: a\n")) == ["exit 2"]


def test_the_tree_shows_new_changed_and_missing_files(tmp_path):
    write_case(CASE, tmp_path)
    before = tree(tmp_path)
    (tmp_path / "out" / "x").write_text("allowed")
    (tmp_path / "home" / "new").write_text("x")
    (tmp_path / "in" / "a.urdf").write_bytes(b"<other/>")
    (tmp_path / "canary" / "secret.txt").unlink()
    assert differences(before, tree(tmp_path)) == ("canary/secret.txt", "home/new", "in/a.urdf")


def test_the_watch_sees_writing_processes_and_connections(runner, tmp_path):
    import os
    import subprocess
    import sys

    watch = runner.watch
    watch.folder, watch.events, watch.active = str(tmp_path / "case"), [], True
    try:
        (tmp_path / "outside").write_text("x")
        os.rename(tmp_path / "outside", tmp_path / "elsewhere")
        (tmp_path / "case" / "out").mkdir(parents=True)
        (tmp_path / "case" / "out" / "fine").write_text("x")
        (tmp_path / "elsewhere").read_text()
        subprocess.run([sys.executable, "-c", ""], check=True)
    finally:
        watch.active = False
    told = [event.split()[0] for event in watch.events]
    assert told[:3] == ["open", "os.rename", "os.rename"]
    assert "subprocess.Popen" in told
    assert not any("fine" in event for event in watch.events)


def test_every_case_has_the_same_memory_to_spare():
    """What a process still holds of earlier cases does not count for the next one."""
    import subprocess
    import sys

    told = """
import sys
sys.path.append(sys.argv[1])
from hardening.pool import limit_memory
kept = []
for _ in range(3):
    limit_memory(200 << 20)
    kept.append(bytearray(150 << 20))
try:
    bytearray(150 << 20)
except MemoryError:
    print("refused")
"""
    done = subprocess.run([sys.executable, "-c", told, BENCHMARKS], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("refused\n", "")


def test_rows_survive_a_torn_end(tmp_path):
    path = tmp_path / "rows.jsonl"
    with Rows(path) as rows:
        for number in range(3):
            rows.add({"number": number, "faults": ["x"] if number == 1 else []})
    path.write_bytes(path.read_bytes() + b'{"number": 3, "fau')
    with Rows(path) as rows:
        assert [rows.has(n) for n in range(4)] == [True, True, True, False]
        assert not rows.has(1, failed_too=False)
        rows.add({"number": 1, "faults": []})
    assert [json.loads(line)["number"] for line in path.read_text().splitlines()] == [0, 1, 2, 1]
    with Rows(path) as rows:
        assert rows.has(1, failed_too=False)


def test_lines_of_results_are_signed_anew():
    from andante.search.record import Record, from_line, to_line

    line = to_line(Record(3, 7, {"x": 1.0}, 2.5))
    changed = signed(line.replace(b'"fitness":2.5', b'"fitness":9.5'))
    assert from_line(changed).fitness == 9.5
