"""Tutorials are walked whole by `benchmarks/walk_tutorials.py`; here its rules, and what of the pages shows at once."""

import os
import shlex
import subprocess
import sys
import time
from pathlib import Path

import pytest
import typer

from andante.cli.main import app

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "benchmarks"))
from walk_tutorials import blocks_of, missing_lines, walk  # noqa: E402

PAGES = sorted((ROOT / "docs").glob("tutorial_*.md"))
COMMANDS = [
    (f"{page.name}:{block.line}", shlex.split(line.split("|")[0], comments=True))
    for page in PAGES
    for block in blocks_of(page.read_text())
    if block.language == "bash"
    for line in block.body.replace("\\\n", " ").splitlines()
    if line.startswith("andante ")
]

PAGE = """
```toml title="deep/a.toml"
x = 1
```
```bash
cd deep
cat a.toml; export Y=four
```

```text
x = 77.5
```

<!-- exit 3 -->
```bash
echo "$Y in $(basename $PWD)   took 1.5e-3 s"
exit 3
```

```text
four in ... took 2 s
never shown
```

```console
$ rm -rf everything
```

```text
of no block
```
"""


def test_blocks_run_in_order_and_their_output_is_compared(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(PAGE)
    assert walk(page, tmp_path / "walk") == ["page.md:15: not in the output: never shown"]
    page.write_text(PAGE.replace("exit 3\n", "exit 4\n") + "\n```bash\ntouch reached\n```\n")
    (complaint,) = walk(page, tmp_path / "again")
    assert complaint.startswith("page.md:15: exit code 4, not 3")
    assert not list(tmp_path.rglob("reached"))


def test_a_block_that_hangs_and_what_is_left_in_the_background_end(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("```bash\nsleep 1000 &\necho $! > left\n```\n```bash\nsleep 1000\n```\n")
    (complaint,) = walk(page, tmp_path / "walk", timeout=1.0)
    assert complaint.startswith("page.md:5: exit code 124, not 0")
    left = int((tmp_path / "walk" / "left").read_text())
    for _ in range(1000):
        if not alive(left):
            break
        time.sleep(0.01)
    assert not alive(left)


def alive(process: int) -> bool:
    """Whether a process is there and no zombie; one without a parent is waited for by the system."""
    try:
        os.kill(process, 0)
        return Path(f"/proc/{process}/stat").read_text().split()[2] != "Z"
    except (ProcessLookupError, FileNotFoundError):
        return False


@pytest.mark.parametrize(
    ("shown", "came", "missing"),
    [
        ("took 4.8 s", "it took 12 s in all", []),
        ("a ... z", "a lot of\nletters up to z", ["a ... z"]),
        ("turned -1.3 deg", "turned   +92 deg", []),
        ("wrote b.png", "wrote a.png", ["wrote b.png"]),
        ("...", "", []),
    ],
)
def test_numbers_and_dots_stand_for_others(shown, came, missing):
    assert list(missing_lines(shown, came)) == missing


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_bash_of_the_tutorials_parses(page):
    for block in blocks_of(page.read_text()):
        if block.language == "bash":
            subprocess.run(["bash", "-n", "-c", block.body], check=True)


@pytest.mark.parametrize(("where", "words"), COMMANDS, ids=[where for where, _ in COMMANDS])
def test_commands_of_the_tutorials_exist_with_their_options(where, words):
    command = typer.main.get_command(app)
    words = words[1:]
    while hasattr(command, "commands"):
        assert words[0] in command.commands, where
        command = command.commands[words.pop(0)]
    known = {option for parameter in command.params for option in parameter.opts + parameter.secondary_opts}
    asked = {word.split("=")[0] for word in words if word.startswith("-") and not word[1:2].isdigit()}
    assert asked <= known | {"--help"}, where
