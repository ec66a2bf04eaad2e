"""Write docs/licences.md: every package that Andante needs at run time, its version, licence and home.

    python tools/licences.py            # write the page from what is installed
    python tools/licences.py --check    # exit 1 when a package is missing from the page or its licence has changed

Python packages are followed from pyproject.toml (with all extras) through the metadata of the installed ones; packages
of the studio's page come from web/package-lock.json. Development tools are left out: nothing of them reaches users.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tomllib
from collections import deque
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "licences.md"
CLASSIFIER = "License :: OSI Approved :: "
# Where the metadata name a family only, a whole text or nothing: what the package's own licence file says.
STATED = {
    "apsw": "Zlib",
    "contourpy": "BSD-3-Clause",
    "cycler": "BSD-3-Clause",
    "cyclonedds": "EPL-2.0 OR BSD-3-Clause",
    "dartpy": "BSD-2-Clause",
    "fissix": "PSF-2.0",
    "kiwisolver": "BSD-3-Clause",
    "lz4": "BSD-3-Clause",
    "numba": "BSD-2-Clause",
    "panda3d": "BSD-3-Clause",
    "protobuf": "BSD-3-Clause",
    "pybullet": "Zlib",
    "pycollada": "BSD-3-Clause",
    "pyopengl": "BSD-3-Clause",
    "pyserial": "BSD-3-Clause",
    "qi": "BSD-3-Clause",
    "rich-click": "MIT",
    "scipy": "BSD-3-Clause",
}
NAMES = {
    "Apache 2.0": "Apache-2.0",
    "Apache License 2.0": "Apache-2.0",
    "Apache Software License": "Apache-2.0",
    "ISC License": "ISC",
    "MIT License": "MIT",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "Python Software Foundation License": "PSF-2.0",
}
# Shared libraries inside wheels whose licence asks for more than a notice; the metadata of the package do not tell.
BINARIES = {
    "libx264": "GPL-2.0-or-later",
    "libx265": "GPL-2.0-or-later",
    "libavcodec": "LGPL-3.0-or-later",
    "libavdevice": "LGPL-3.0-or-later",
    "libavfilter": "LGPL-3.0-or-later",
    "libavformat": "LGPL-3.0-or-later",
    "libavutil": "LGPL-3.0-or-later",
    "libswresample": "LGPL-3.0-or-later",
    "libswscale": "LGPL-3.0-or-later",
    "libgmp": "LGPL-3.0-or-later OR GPL-2.0-or-later",
    "libgnutls": "LGPL-2.1-or-later",
    "libhogweed": "LGPL-3.0-or-later OR GPL-2.0-or-later",
    "libnettle": "LGPL-3.0-or-later OR GPL-2.0-or-later",
    "libunistring": "LGPL-3.0-or-later OR GPL-2.0-or-later",
    "libasound": "LGPL-2.1-or-later",
    "libmp3lame": "LGPL-2.0-or-later",
    "libosg": "OSGPL (LGPL-2.1 with an exception for linking)",
    "libopenthreads": "OSGPL (LGPL-2.1 with an exception for linking)",
    "libode": "LGPL-2.1-or-later OR BSD-3-Clause",
    "libgfortran": "GPL-3.0-or-later WITH GCC-exception-3.1",
    "libquadmath": "LGPL-2.1-or-later",
    "libgomp": "GPL-3.0-or-later WITH GCC-exception-3.1",
    "libp3ffmpeg": "contains FFmpeg, LGPL-2.1-or-later",
    "libp3openal": "contains OpenAL Soft, LGPL-2.0-or-later",
    "libcg": "NVIDIA Cg toolkit, proprietary, may be passed on",
}
SHARED = re.compile(r"\.(so|dylib|dll)(\.|$)", re.IGNORECASE)
COPYLEFT = re.compile(r"\b(A|L)?GPL|MPL|EPL|EUPL|CDDL", re.IGNORECASE)
HOMES = ("homepage", "home", "source", "source code", "repository", "github", "code", "documentation")


@dataclass(frozen=True)
class Package:
    """One row of the page."""

    name: str
    version: str
    licence: str
    home: str
    asked_by: str  # extra, "core", or the package that needs it


def direct() -> dict[str, list[Requirement]]:
    """What pyproject.toml asks for: `core` and each extra but `all`."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = {"core": project["dependencies"], **project["optional-dependencies"]}
    return {group: [Requirement(text) for text in lines] for group, lines in wanted.items() if group != "all"}


def python_packages() -> tuple[list[Package], list[str]]:
    """Packages needed at run time that are installed, and the names of those that are not."""
    found: dict[str, Package] = {}
    missing: list[str] = []
    queue = deque((requirement, group) for group, lines in direct().items() for requirement in lines)
    while queue:
        requirement, why = queue.popleft()
        name = canonicalize_name(requirement.name)
        if name in found or name in missing or not _applies(requirement):
            continue
        try:
            distribution = metadata.distribution(name)
        except metadata.PackageNotFoundError:
            missing.append(name)
            continue
        found[name] = Package(name, distribution.version, licence_of(name, distribution), home_of(distribution), why)
        queue.extend((Requirement(text), name) for text in distribution.requires or ())
    return sorted(found.values(), key=lambda package: package.name), sorted(missing)


def page_packages() -> list[Package]:
    """npm packages that the page may bundle: dependencies in the lock file which are not for development."""
    lock = json.loads((ROOT / "web" / "package-lock.json").read_text(encoding="utf-8"))["packages"]
    asked = lock[""]["dependencies"]
    rows = []
    for place, entry in lock.items():
        if place and not entry.get("dev"):
            name = place.rpartition("node_modules/")[2]
            why = "page" if name in asked else next(k.rpartition("/")[2] for k, v in lock.items() if _needs(v, name, k))
            rows.append(Package(name, entry["version"], entry.get("license", "?"), "", why))
    return sorted(rows, key=lambda package: package.name)


def licence_of(name: str, distribution: metadata.Distribution) -> str:
    """SPDX expression where the metadata has one, else the short name, else the classifier; `?` for none."""
    if name in STATED:
        return STATED[name]
    table = distribution.metadata
    if expression := table.get("License-Expression"):
        return expression
    short = (table.get("License") or "").strip()
    if short and len(short) < 40 and "\n" not in short:
        return NAMES.get(short, short)
    named = [line.removeprefix(CLASSIFIER) for line in table.get_all("Classifier") or () if line.startswith(CLASSIFIER)]
    return " AND ".join(NAMES.get(line, line) for line in named) or "?"


def home_of(distribution: metadata.Distribution) -> str:
    """Address of the project, by the most telling label."""
    table = distribution.metadata
    links = {}
    for line in table.get_all("Project-URL") or ():
        label, _, address = line.partition(",")
        links[label.strip().casefold()] = address.strip()
    for label in HOMES:
        if label in links:
            return links[label]
    return table.get("Home-page") or next(iter(links.values()), "")


def copyleft(packages: list[Package]) -> list[Package]:
    """Those whose licence asks for more than a notice."""
    return [package for package in packages if COPYLEFT.search(package.licence)]


def binaries(packages: list[Package]) -> list[tuple[str, str, list[str]]]:
    """(package, licence, libraries) of the shared libraries in installed wheels that stand in `BINARIES`."""
    found: dict[tuple[str, str], set[str]] = {}
    for package in packages:
        for file in metadata.distribution(package.name).files or ():
            name = file.name.casefold()
            if SHARED.search(name):
                for start in (each for each in BINARIES if name.startswith(each)):
                    found.setdefault((package.name, BINARIES[start]), set()).add(re.split(r"[-.]", file.name)[0])
    return [(name, licence, sorted(files)) for (name, licence), files in sorted(found.items())]


def page() -> str:
    """The page as Markdown; SystemExit when a package is not installed or has no known licence."""
    packages, missing = python_packages()
    if missing:
        sys.exit(f"licences: not installed: {', '.join(missing)}; pip install '.[all]'")
    unknown = [package.name for package in packages if package.licence == "?"]
    if unknown:
        sys.exit(f"licences: no licence in the metadata of {', '.join(unknown)}; read it and add it to STATED")
    inside = [f"| {name} | {', '.join(files)} | {licence} |" for name, licence, files in binaries(packages)]
    more = [f"| {package.name} | {package.licence} |" for package in copyleft(packages)]
    return TEXT.format(
        python="\n".join(_table(packages, home=True)),
        page="\n".join(_table(page_packages(), home=False)),
        binaries="\n".join(["| wheel | libraries in it | license |", "|---|---|---|", *inside]),
        copyleft="\n".join(["| package | license |", "|---|---|", *more]),
    )


def listed(text: str) -> dict[str, str]:
    """Licence of each package in the two tables of packages of a page."""
    rows = re.findall(r"^\| ([^|]+) \| [^|]+ \| ([^|]+) \| [^|]+ \|", text, re.MULTILINE)
    return {name.strip(): licence.strip() for name, licence in rows if name.strip() != "package"}


def differences(text: str) -> list[str]:
    """What a page lacks or tells otherwise than the installed packages do."""
    told = listed(text)
    packages = [*python_packages()[0], *page_packages()]
    lost = [f"{each.name} is not listed" for each in packages if each.name not in told]
    other = [
        f"{each.name} is under {each.licence}, the page says {told[each.name]}"
        for each in packages
        if each.name in told and told[each.name] != each.licence and each.name not in _twice(packages)
    ]
    return lost + other


def main() -> int:
    """Entry of the script."""
    parser = argparse.ArgumentParser(description="Write the page of the licences.")
    parser.add_argument("--check", action="store_true", help="only compare the page with what is installed")
    if parser.parse_args().check:
        found = differences(PAGE.read_text(encoding="utf-8"))
        print("\n".join(found) or "every package is listed")
        return 1 if found else 0
    PAGE.write_text(page(), encoding="utf-8")
    print(f"wrote {PAGE.relative_to(ROOT)}")
    return 0


def _twice(packages: list[Package]) -> set[str]:
    """Names that both a Python and an npm package have."""
    names = [package.name for package in packages]
    return {name for name in names if names.count(name) > 1}


def _table(packages: list[Package], home: bool) -> list[str]:
    head = ["package", "version", "license", "needed by", *(["home"] if home else [])]
    rows = [f"| {' | '.join(head)} |", "|" + "---|" * len(head)]
    for package in packages:
        cells = [package.name, package.version, package.licence, package.asked_by]
        rows.append(f"| {' | '.join([*cells, *([f'<{package.home}>' if package.home else ''] if home else [])])} |")
    return rows


def _applies(requirement: Requirement) -> bool:
    return requirement.marker is None or requirement.marker.evaluate({"extra": ""})


def _needs(entry: dict[str, Any], name: str, place: str) -> bool:
    return place != "" and not entry.get("dev") and name in entry.get("dependencies", {})


TEXT = """\
# Licenses

Andante itself is under the MIT license. The only code of others in its wheel is the page of the studio, whose bundled
packages are all under MIT, BSD or Apache licenses; their texts are shipped with it (`licences.txt` beside its
`index.html`, served at `/licences.txt`). All else is fetched by pip from its makers. This page is written by
`python tools/licences.py` from the metadata of what is installed on the reference platform (Python 3.11, Linux) with
all extras. It lists facts; it is not legal advice.

## What to know before passing it on

To *use* Andante you need none of this. Who *passes on* an environment with everything in it (a container, a frozen
application, a disk image) passes on the libraries inside the wheels too:

- **Films: the wheel of `av` carries x264 and x265, which are under the GPL.** Andante writes films with x264 through
  it. A product that contains this wheel has to meet the GPL for these libraries (their source among other things; a
  license from their makers is the other way), or leave `av` out (`pip uninstall av`): then only films are lost. H.264
  and H.265 are also under patents in some countries.
- FFmpeg in the same wheel says of itself that it is under the LGPL 3 or later.
- `cyclonedds` (extra `ros2`) lets you choose: EPL-2.0, or BSD-3-Clause (as Eclipse Distribution License).
- `certifi` and `tqdm` are under the MPL 2.0 in whole or in part: changed files of theirs stay under it, nothing else.
- The runtime libraries of GCC come with the exception that lets any program use them.
- `panda3d` (extra `ode`) brings libraries that Andante never loads (sound, films, NVIDIA's Cg); only its ODE is used.

No Python package below is itself under the GPL, the AGPL or the LGPL. Those whose license asks for more than a notice:

{copyleft}

Shared libraries inside the wheels on Linux whose license does, by their known names (wheels for other systems carry
similar ones; what a library contains is not always visible from its name):

{binaries}

## Python packages

{python}

## Packages of the studio's page

{page}
"""

if __name__ == "__main__":
    sys.exit(main())
