"""The list of the slowest tests."""

import subprocess
import sys
from pathlib import Path

TOOL = Path(__file__).parent.parent / "tools" / "test_times.py"
REPORT = """<testsuites><testsuite tests="3">
<testcase classname="tests.bags.test_reader" name="test_a[x]" time="1.5"/>
<testcase classname="tests.cli.test_walk" name="test_b" time="20.25"><skipped/></testcase>
<testcase classname="tests.bags.test_store" name="test_c" time="0.25"/>
</testsuite></testsuites>"""


def ran(*words):
    return subprocess.run([sys.executable, TOOL, *words], capture_output=True, text=True, check=False)


def test_the_slowest_stand_first_and_rooms_are_summed(tmp_path):
    (tmp_path / "times.xml").write_text(REPORT)
    lines = ran("--file", tmp_path / "times.xml", "--count", "2").stdout.splitlines()
    assert [line.split() for line in lines] == [
        ["20.25", "s", "tests.cli.test_walk::test_b"],
        ["1.50", "s", "tests.bags.test_reader::test_a[x]"],
        [],
        ["20.2", "s", "1", "tests", "tests.cli"],
        ["1.8", "s", "2", "tests", "tests.bags"],
        [],
        ["22.0", "s", "in", "3", "tests"],
    ]


def test_a_run_that_was_not_made_is_named(tmp_path):
    told = ran("--file", tmp_path / "none.xml")
    assert told.returncode == 2
    assert "none.xml: no such file; `make test` writes it" in told.stderr
