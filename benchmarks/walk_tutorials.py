"""Walks tutorials as a newcomer would: python benchmarks/walk_tutorials.py [docs/tutorial_student.md ...] [--keep DIR].

Every ```bash block of a page runs in order, in a scratch folder that holds nothing but a copy of `examples/`; cd and
exported variables last from block to block; processes put into the background end with the page. Conventions, none of
which a reader of the page sees:

- ```console, ```text and blocks without a language are never run.
- A block of any other language with a title, such as ```toml title="my.toml", is written to that file in its turn.
- `<!-- exit 1 -->` on the line before a bash block: it should end with this code (by default 0).
- A ```text block right after a bash block is its output: each line must be in what came out, where every number stands
  for any number, runs of blanks for one, and `...` for anything.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FENCE = re.compile(
    r"^(?P<indent> *)```(?P<language>[\w-]*)(?P<rest>[^\n]*)\n(?P<body>.*?)^(?P=indent)```[ ]*$", re.M | re.S
)
EXIT = re.compile(r"<!--\s*exit\s+(\d+)\s*-->\s*$")
TITLE = re.compile(r'title="([^"]+)"')
NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?")


@dataclass(frozen=True)
class Block:
    """One fenced block of a page."""

    line: int  # of its fence
    language: str
    body: str
    title: str = ""  # a file to write
    code: int = 0  # exit code that a bash block should have
    output: str = ""  # what a bash block should show


def blocks_of(text: str) -> list[Block]:
    """The blocks of a page that do something, in order: bash, and files to write."""
    found: list[Block] = []
    last = -1  # where the block before ended
    for match in FENCE.finditer(text):
        body = re.sub(rf"^{match['indent']}", "", match["body"], flags=re.M)
        between, last = text[last + 1 : match.start()] if last >= 0 else "", match.end()
        line = text.count("\n", 0, match.start()) + 1
        title, language = TITLE.search(match["rest"]), match["language"]
        if (
            language == "text"
            and not title
            and found
            and found[-1].language == "bash"
            and last >= 0
            and not between.strip()
        ):
            if not found[-1].output:
                found[-1] = Block(found[-1].line, "bash", found[-1].body, code=found[-1].code, output=body)
        elif language == "bash":
            code = EXIT.search(text[: match.start()])
            found.append(Block(line, "bash", body, code=int(code[1]) if code else 0))
        elif title:
            found.append(Block(line, language, body, title=title[1]))
        else:
            found.append(Block(line, "", ""))  # keeps a text block away from the bash block before
    return [block for block in found if block.language or block.title]


def pattern_of(line: str) -> re.Pattern[str]:
    """What a shown line matches: any numbers, any blanks, anything for `...`."""
    parts = []
    for piece in line.strip().split("..."):
        words = [NUMBER.sub("\0", word) for word in piece.split()]
        parts.append(r"\s+".join(re.escape(word).replace("\0", NUMBER.pattern) for word in words))
    return re.compile(r"\s*.*?\s*".join(parts))


def missing_lines(shown: str, came: str) -> Iterator[str]:
    """Lines of a page that are not in the output."""
    for line in shown.splitlines():
        if line.strip(" .") and not pattern_of(line).search(came):
            yield line


def run(block: Block, folder: Path, state: Path, timeout: float) -> tuple[int, str, int]:
    """Exit code, output and process group of a bash block; `state` carries folder and variables to the next one."""
    load = f'[ -f "{state}" ] && . "{state}"\n'
    save = f'trap \'rc=$?; {{ export -p; echo "cd \\"$PWD\\""; }} > "{state}"; exit $rc\' EXIT\n'
    script = load + save + "set -e -o pipefail\n" + block.body
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = dict(os.environ, PATH=path, MPLBACKEND="agg")
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as out:
        process = subprocess.Popen(
            ["bash", "-c", script],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            env=environment,
            start_new_session=True,
        )
        try:
            code = process.wait(timeout)
        except subprocess.TimeoutExpired:
            end_group(process.pid)
            process.wait()
            code = 124
        out.seek(0)
        return code, out.read(), process.pid


def end_group(group: int) -> None:
    """End what is left of the processes that a block started."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(group, signal.SIGTERM)


def walk(page: Path, folder: Path, timeout: float = 300.0, verbose: bool = False) -> list[str]:
    """Walk one tutorial in `folder`; what went wrong, a line or two each. Stops at the first wrong exit code."""
    shutil.copytree(
        ROOT / "examples", folder / "examples", dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__")
    )
    groups: list[int] = []
    try:
        return list(steps(page, folder, groups, timeout, verbose))
    finally:
        for group in groups:
            end_group(group)


def steps(page: Path, folder: Path, groups: list[int], timeout: float, verbose: bool) -> Iterator[str]:
    """Carry out block by block, and give what went wrong."""
    state = folder / ".walk_state"
    for block in blocks_of(page.read_text()):
        where = f"{page.name}:{block.line}"
        if block.title:
            (folder / block.title).parent.mkdir(parents=True, exist_ok=True)
            (folder / block.title).write_text(block.body)
            print(f"{where:32} wrote {block.title}", flush=True)
            continue
        start = time.perf_counter()
        code, came, group = run(block, folder, state, timeout)
        groups.append(group)
        first = block.body.strip().splitlines()[0] if block.body.strip() else ""
        print(f"{where:32} exit {code}  {time.perf_counter() - start:6.1f} s  {first[:90]}", flush=True)
        if verbose:
            print(came, flush=True)
        if code != block.code:
            tail = "\n".join(came.strip().splitlines()[-12:])
            yield f"{where}: exit code {code}, not {block.code}\n{tail}"
            return
        yield from (f"{where}: not in the output: {line.strip()}" for line in missing_lines(block.output, came))


def main() -> None:
    """Walk the pages named (by default all tutorials that hold bash blocks); exit code 1 when something went wrong."""
    parser = argparse.ArgumentParser(description="Runs the bash blocks of tutorials in scratch folders.")
    parser.add_argument("pages", nargs="*", type=Path, help="pages; by default docs/tutorial_*.md")
    parser.add_argument("--keep", type=Path, help="walk in this folder and leave it there")
    parser.add_argument("--timeout", type=float, default=300.0, help="seconds that one block may take")
    parser.add_argument("--verbose", action="store_true", help="show all output")
    chosen = parser.parse_args()
    complaints: list[str] = []
    for page in chosen.pages or sorted((ROOT / "docs").glob("tutorial_*.md")):
        start = time.perf_counter()
        with tempfile.TemporaryDirectory() as scratch:
            folder = (chosen.keep / page.stem if chosen.keep else Path(scratch)).resolve()
            found = walk(page, folder, chosen.timeout, chosen.verbose)
        complaints += found
        print(f"{page.name}: {time.perf_counter() - start:.0f} s, {len(found)} complaints\n", flush=True)
    print("\n".join(complaints))
    sys.exit(1 if complaints else 0)


if __name__ == "__main__":
    main()
