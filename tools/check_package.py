"""Build wheel and sdist from a fresh clone, install each into an empty environment without Node, and use it there.

    python tools/check_package.py                               # this Python; a table at the end, exit 1 on a failure
    python tools/check_package.py --python python3.12 --extras all
    python tools/check_package.py --dist DIR                    # check what was built before

Everything happens in a temporary folder (--keep leaves it). The installed package is used from an empty folder, with a
PATH that holds nothing but its environment, so neither Node nor the repository can help. The last committed state is
built, not the working tree.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import urllib.request
import venv
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
ROBOTS = {"nao", "rover", "shell", "waffle"}
PAGE = "andante/studio/static"
PATIENCE = 3600  # longest wait for one command [s]: an install fetches much, the first run compiles


class Failed(Exception):
    """A check that did not hold, in one line."""


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    package: str
    check: str
    passed: bool
    seconds: float
    remark: str


@dataclass(frozen=True)
class Environment:
    """An empty virtual environment with one package in it."""

    folder: Path
    place: Path  # an empty folder to work in

    @property
    def programs(self) -> Path:
        return self.folder / ("Scripts" if os.name == "nt" else "bin")

    @property
    def variables(self) -> dict[str, str]:
        """Environment variables: nothing on the path but the environment, nothing of this Python."""
        kept = {name: text for name, text in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV"))}
        return {
            **kept,
            "PATH": str(self.programs),
            "HOME": str(self.place),
            "NUMBA_CACHE_DIR": str(self.place / "numba"),
        }

    def run(self, *words: str) -> str:
        """Standard output of a program of the environment; Failed with its last line when it ends badly."""
        command = [str(self.programs / words[0]), *words[1:]]
        done = subprocess.run(
            command, cwd=self.place, env=self.variables, capture_output=True, text=True, timeout=PATIENCE, check=False
        )
        if done.returncode:
            last = (done.stderr.strip() or done.stdout.strip() or "no output").splitlines()[-1]
            raise Failed(f"{' '.join(words[:3])} ended with {done.returncode}: {last}")
        return done.stdout

    def json(self, *words: str) -> dict:
        """The JSON object that an andante command prints."""
        return json.loads(self.run("andante", *words, "--json"))


def build(folder: Path) -> tuple[Path, Path]:
    """Wheel and sdist of the last commit; the wheel is made from the sdist, without Node."""
    clone, dist = folder / "clone", folder / "dist"
    _call(["git", "clone", "--quiet", str(ROOT), str(clone)])
    maker = folder / "maker"
    venv.create(maker, with_pip=True)
    python = str(Environment(maker, folder).programs / "python")
    _call([python, "-m", "pip", "install", "--quiet", "build"])
    _call([python, "-m", "build", "--sdist", "--outdir", str(dist), str(clone)])
    sdist = next(dist.glob("*.tar.gz"))
    with tarfile.open(sdist) as archive:
        archive.extractall(folder / "unpacked", filter="data")
    unpacked = next((folder / "unpacked").iterdir())
    no_node = {**os.environ, "PATH": str(Path(python).parent)}
    _call([python, "-m", "build", "--wheel", "--outdir", str(dist), str(unpacked)], no_node)
    return next(dist.glob("*.whl")), sdist


def check_contents(wheel: Path, sdist: Path) -> str:
    """The page with its licences is in both, and the same; no test, example or leftover is in the wheel."""
    with zipfile.ZipFile(wheel) as archive:
        page = {n.partition("/")[2]: archive.read(n) for n in archive.namelist() if n.startswith(f"{PAGE}/")}
        names = archive.namelist()
    with tarfile.open(sdist) as archive:
        inside = [m for m in archive.getmembers() if f"/src/{PAGE}/" in m.name and m.isfile()]
        source = {m.name.partition("/src/andante/")[2]: archive.extractfile(m).read() for m in inside}  # type: ignore[union-attr]
    for wanted in ("index.html", "licences.txt"):
        if f"studio/static/{wanted}" not in page:
            raise Failed(f"the wheel lacks {wanted} of the page")
    if page != source:
        raise Failed(f"the page differs: {sorted(set(page) ^ set(source)) or 'in contents'}")
    strange = [
        name for name in names if not re.match(r"andante/|andante-[^/]+\.dist-info/", name) or "__pycache__" in name
    ]
    if strange:
        raise Failed(f"the wheel has {strange[0]} and {len(strange) - 1} more that do not belong there")
    size = wheel.stat().st_size / 1e6, sdist.stat().st_size / 1e6
    return f"{len(names)} files, {len(page)} of the page; wheel {size[0]:.1f} MB, sdist {size[1]:.1f} MB"


def checks(environment: Environment) -> Iterator[tuple[str, Callable[[], str]]]:
    """The checks of one installed package, each gives a remark or raises Failed."""
    run, ask = environment.run, environment.json

    def alone() -> str:
        found = shutil.which("node", path=environment.variables["PATH"])
        home = run("python", "-c", "import andante; print(andante.__file__)").strip()
        if found or not Path(home).is_relative_to(environment.folder):
            raise Failed(f"node: {found}, andante: {home}")
        return "no Node, package from the environment"

    def helps() -> str:
        text = run("andante", "--help")
        wanted = ("robots", "check", "sim", "walk", "navigate", "studio", "experiment", "doctor")
        lost = [word for word in wanted if f" {word}" not in text]
        if lost:
            raise Failed(f"no {', '.join(lost)} in the help")
        return run("andante", "--version").strip()

    def robots() -> str:
        names = {row["name"] for row in ask("robots")["robots"]}
        if names != ROBOTS:
            raise Failed(f"robots {sorted(names)}")
        return ", ".join(sorted(names))

    def check() -> str:
        run("andante", "convert", "nao", "nao.urdf")
        report = ask("check", "nao.urdf")
        errors = [each["message"] for each in report["problems"] if each["severity"] == "error"]
        if errors or report["links"] < 20:
            raise Failed(errors[0] if errors else f"{report['links']} links")
        return f"{report['links']} links, {report['mass']:.2f} kg"

    def sim() -> str:
        report = ask("sim", "nao", "--world", "lab", "--seconds", "2")
        if report["fallen"] or report["seconds"] < 2:
            raise Failed(f"fallen {report['fallen']}, {report['seconds']} s")
        return f"stands after {report['seconds']:.1f} s"

    def walk() -> str:
        report = ask("walk", "nao", "--distance", "0.2")
        if report["fallen"] or abs(report["distance"] - 0.2) > 0.05:
            raise Failed(f"fallen {report['fallen']}, went {report['distance']:.3f} m")
        return f"went {report['distance']:.3f} m of 0.2"

    def experiments() -> str:
        return f"{len(ask('experiment', 'list')['experiments'])} built in"

    def doctor() -> str:
        report = ask("doctor")
        ready = [
            each["part"].split()[1]
            for each in report["findings"]
            if each["part"].startswith("engine") and each["ready"]
        ]
        lost = [
            e["part"] for e in report["findings"] if not e["ready"] and not e["part"].startswith(("engine", "tool"))
        ]
        if "mujoco" not in ready:
            raise Failed("no mujoco")
        return f"engines {', '.join(ready)}" + (f"; lacks {', '.join(lost)}" if lost else "")

    yield "away from Node and repository", alone
    yield "--help, --version", helps
    yield "robots", robots
    yield "convert, check", check
    yield "sim nao", sim
    yield "walk nao", walk
    yield "experiment list", experiments
    yield "doctor", doctor
    yield "studio: page, robot, rosbridge", lambda: check_studio(environment)


def check_studio(environment: Environment) -> str:
    """The page, what it names, a robot with its meshes, and messages over the socket."""
    with studio(environment) as url:
        index = _fetch(url)
        named = re.findall(rb'(?:src|href)="\./([^"]+)"', index)
        if b"not built" in index or not named:
            raise Failed("the page is not there")
        for file in (*named, b"licences.txt"):
            _fetch(url + file.decode())
        urdf = _fetch(url + "robot/nao.urdf")
        meshes = sorted(set(re.findall(rb'filename="([^"]+)"', urdf)))
        said = environment.run("python", "-I", "-c", LISTEN, url.replace("http", "ws", 1) + "rosbridge").strip()
    return f"{len(named)} assets, urdf {len(urdf) // 1000} kB naming {len(meshes)} meshes, {said}"


LISTEN = """
import json, sys
from websockets.sync.client import connect
with connect(sys.argv[1], open_timeout=300) as socket:
    socket.send(json.dumps({"op": "subscribe", "topic": "/joint_states", "throttle_rate": 100}))
    message = json.loads(socket.recv(timeout=300))
    assert message["topic"] == "/joint_states", message
    print(len(message["msg"]["name"]), "joints over rosbridge")
"""


@contextmanager
def studio(environment: Environment) -> Iterator[str]:
    """A studio that runs for the while of the block; its address with a slash at the end."""
    command = [str(environment.programs / "andante"), "studio", "nao", "--no-browser", "--port", "0", "--json"]
    with open(environment.place / "studio.txt", "w", encoding="utf-8") as errors:
        process = subprocess.Popen(
            command, cwd=environment.place, env=environment.variables, stdout=subprocess.PIPE, stderr=errors, text=True
        )
    try:
        line = process.stdout.readline() if process.stdout else ""
        if not line:
            raise Failed((environment.place / "studio.txt").read_text().strip().splitlines()[-1:][0])
        said = json.loads(line)
        if not said["page"]:
            raise Failed("the studio says that the page is not built")
        yield said["url"].partition("?")[0].rstrip("/") + "/"
    finally:
        process.terminate()
        try:
            process.wait(60)
        except subprocess.TimeoutExpired:
            process.kill()


def check_package(package: Path, python: str, extras: str, folder: Path, uv: str | None) -> Iterator[Row]:
    """Install one package into an empty environment of its own and check it; a failed install ends it."""
    version = subprocess.check_output([python, "-c", "import platform; print(platform.python_version())"], text=True)
    name = f"{'wheel' if package.suffix == '.whl' else 'sdist'}, Python {version.strip()}"
    place = folder / f"{package.suffix[1:]}-{version.strip()}"
    environment = Environment(place / "environment", place / "empty")
    environment.place.mkdir(parents=True)

    def install() -> str:
        _call([python, "-m", "venv", str(environment.folder)])
        wanted = f"{package}[{extras}]" if extras else str(package)
        if uv:
            _call([uv, "pip", "install", "--quiet", "--python", str(environment.programs / "python"), wanted])
        else:
            environment.run("python", "-m", "pip", "install", "--quiet", wanted)
        found = json.loads(environment.run("python", "-m", "pip", "list", "--format", "json"))
        return f"{len(found)} packages" + (f" with [{extras}]" if extras else "")

    row = measured(name, "install", install)
    yield row
    if row.passed:
        for title, check in checks(environment):
            yield measured(name, title, check)


def measured(package: str, title: str, check: Callable[[], str]) -> Row:
    """The outcome of a check as a row."""
    start = time.monotonic()
    try:
        remark, passed = check(), True
    except (Failed, OSError, ValueError, KeyError, subprocess.SubprocessError) as error:
        remark, passed = " ".join(f"{type(error).__name__}: {error}".split())[:300], False
    row = Row(package, title, passed, time.monotonic() - start, remark)
    print(f"{'ok  ' if passed else 'FAIL'} {package}: {title}: {remark}", file=sys.stderr, flush=True)
    return row


def table(rows: list[Row]) -> str:
    """Rows as a Markdown table."""
    lines = ["| package | check | | s | remark |", "|---|---|---|---|---|"]
    lines += [
        f"| {r.package} | {r.check} | {'ok' if r.passed else 'FAIL'} | {r.seconds:.0f} | {r.remark} |" for r in rows
    ]
    return "\n".join(lines)


def main() -> int:
    """Entry of the script."""
    parser = argparse.ArgumentParser(description="Build, install and use wheel and sdist.")
    parser.add_argument("--python", action="append", metavar="PROGRAM", help="Python to install into; may be repeated")
    parser.add_argument("--dist", type=Path, metavar="DIR", help="take wheel and sdist from here instead of building")
    parser.add_argument("--extras", default="", metavar="NAMES", help="extras to install, such as all")
    parser.add_argument("--only", choices=("wheel", "sdist"), help="install only one of the two")
    parser.add_argument("--uv", metavar="PROGRAM", help="install with uv instead of pip, which is quicker")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="work here and leave everything")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = (options.keep or Path(temporary)).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        try:
            built = options.dist or build(folder)[0].parent
            wheel, sdist = next(built.resolve().glob("*.whl")), next(built.resolve().glob("*.tar.gz"))
        except (Failed, StopIteration) as error:
            print(f"check_package: {error or 'no wheel or no sdist there'}", file=sys.stderr)
            return 1
        rows = [measured("both", "contents", lambda: check_contents(wheel, sdist))]
        for python in options.python or [sys.executable]:
            for package in (wheel, sdist):
                if options.only in (None, "wheel" if package is wheel else "sdist"):
                    rows += check_package(package, python, options.extras, folder, options.uv)
    print(table(rows))
    return 0 if all(row.passed for row in rows) else 1


def _call(command: list[str], environment: dict[str, str] | None = None) -> None:
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False, timeout=PATIENCE)
    if done.returncode:
        words = (done.stderr.strip() or done.stdout.strip()).splitlines()[-3:]
        raise Failed(f"{' '.join(command[:5])} failed: {' / '.join(words)}")


def _fetch(url: str) -> bytes:
    with urllib.request.urlopen(url, timeout=120) as answer:
        data: bytes = answer.read()
    if not data:
        raise Failed(f"{url} is empty")
    return data


if __name__ == "__main__":
    sys.exit(main())
