"""Robots and worlds of the user that came over the page: kept in the session's folder, looked at before they are used.

    gallery/NAME/...          the files as they came, a zip unpacked
    gallery/NAME/entry.json   what it is: kind, name, file, problems

A drop is taken file by file within limits, then looked at by a process of its own with a time limit: files of
strangers are parsed, never run.
"""

from __future__ import annotations

import contextlib
import json
import re
import shutil
import sys
import time
import zipfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from andante.errors import AndanteError, BadInput

FOLDER, ENTRY = "gallery", "entry.json"
MOST_FILES, MOST_BYTES = 2000, 128 * 2**20  # of one drop, unpacked
LONGEST_PART, DEEPEST = 120, 16  # letters of a name, folders within each other
RATIO = 200  # unpacked by packed bytes of a zip: more is a bomb
CANDIDATES = 12  # files of a drop that are looked at
KINDS = (".urdf", ".sdf", ".world", ".urdf.xacro", ".xacro", ".xml", ".mjcf", ".usda", ".usd", ".usdc")
TOLD = 60  # problems at most
UNFIT = re.compile(r"[\x00-\x1f<>:\"|?*\\]")
DROP = re.compile(r"[a-z0-9]{8,40}")


@dataclass(frozen=True)
class Entry:
    """A robot or world of the gallery."""

    key: str  # the name of its folder
    kind: str = ""  # robot or world; empty: it cannot be used
    name: str = ""  # as the file says
    file: str = ""  # below the entry's folder
    links: int = 0
    joints: int = 0
    mass: float = 0.0  # [kg]
    problems: list[dict[str, str]] = field(default_factory=list)  # severity, where, message
    added: float = 0.0  # [s of the epoch]

    @property
    def usable(self) -> bool:
        """Whether it can be put into a session."""
        return bool(self.kind)


def safe_path(told: str) -> PurePosixPath:
    """A path below a folder, as a browser or a zip tells it; BadInput for one that leads elsewhere."""
    path = PurePosixPath(told.replace("\\", "/"))
    parts = [part for part in path.parts if part not in (".", "")]
    if not parts or path.is_absolute() or ".." in parts or len(parts) > DEEPEST:
        raise BadInput(f"{told[:80]!r}: a file is named by a plain path below the dropped folder")
    if any(len(part) > LONGEST_PART or UNFIT.search(part) for part in parts):
        raise BadInput(f'{told[:80]!r}: a name has up to {LONGEST_PART} letters and no control signs or < > : " | ? *')
    return PurePosixPath(*parts)


class Gallery:
    """The entries below the folder of a session."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / FOLDER

    # ---- what there is -----------------------------------------------------------------------------
    def entries(self) -> list[Entry]:
        """All of them, the newest first."""
        found = (self._read(path) for path in self.folder.glob(f"*/{ENTRY}"))
        return sorted((entry for entry in found if entry is not None), key=lambda entry: -entry.added)

    def entry(self, key: str) -> Entry:
        """The one of that name; BadInput where there is none."""
        found = next((entry for entry in self.entries() if entry.key == key), None)
        if found is None:
            raise BadInput(f"the gallery has no {key[:80]!r}")
        return found

    def file(self, entry: Entry) -> Path:
        """The description of an entry."""
        return self.folder / entry.key / entry.file

    def remove(self, key: str) -> None:
        """Forget an entry and its files."""
        shutil.rmtree(self.folder / self.entry(key).key)

    @staticmethod
    def _read(path: Path) -> Entry | None:
        try:
            return Entry(**{**json.loads(path.read_text()), "key": path.parent.name})
        except (OSError, ValueError, TypeError):
            return None

    # ---- a drop ------------------------------------------------------------------------------------
    def put(self, drop: str, told: str, data: bytes) -> None:
        """One file of a drop, which is known by a mark of the page's own."""
        place = self._drop(drop)
        there = [path for path in place.rglob("*") if path.is_file()]
        if len(there) >= MOST_FILES or sum(path.stat().st_size for path in there) + len(data) > MOST_BYTES:
            raise BadInput(f"more than {MOST_FILES} files or {MOST_BYTES >> 20} MB in one drop are refused")
        path = place / safe_path(told)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        except OSError as error:
            raise BadInput(f"{told[:80]}: cannot be kept: {error.strerror or error}") from None

    def take(self, drop: str) -> Path:
        """All files of a drop have come: unpack what is packed and give it a place of its own."""
        place = self._drop(drop)
        files = [path for path in place.rglob("*") if path.is_file()]
        if not files:
            raise BadInput("the drop is empty")
        for file in files:
            if file.suffix.lower() == ".zip":
                unpack(file, file.parent)
                file.unlink()
        wanted = plain_key(files[0].stem if len(files) == 1 else next(iter(sorted(p.name for p in place.iterdir()))))
        target = next(
            t for k in range(1, 10_000) if not (t := self.folder / (wanted + (f"_{k}" if k > 1 else ""))).exists()
        )
        place.rename(target)
        return target

    def abandon(self, drop: str) -> None:
        """Forget what came of a drop."""
        shutil.rmtree(self._drop(drop), ignore_errors=True)

    def keep(self, entry: Entry) -> None:
        """Note what was found in a folder."""
        (self.folder / entry.key / ENTRY).write_text(json.dumps(asdict(entry), indent=1))

    def _drop(self, drop: str) -> Path:
        if not DROP.fullmatch(drop):
            raise BadInput("a drop has a mark of 8 to 40 small letters and digits")
        return self.folder / f".drop_{drop}"


def plain_key(name: str) -> str:
    """A folder name made of any name."""
    return re.sub(r"[^A-Za-z0-9_.-]+", "_", name).strip("._")[:60] or "dropped"


def unpack(file: Path, folder: Path) -> None:
    """Unpack a zip within limits; BadInput for one that is none, leads elsewhere, or swells."""
    try:
        with zipfile.ZipFile(file) as packed:
            inside = [info for info in packed.infolist() if not info.is_dir()]
            size, small = sum(info.file_size for info in inside), max(1, file.stat().st_size)
            if len(inside) > MOST_FILES or size > MOST_BYTES or size > RATIO * small + 2**20:
                raise BadInput(
                    f"{file.name}: {len(inside)} files with {size / 2**20:.0f} MB are packed in it; up to "
                    f"{MOST_FILES} files, {MOST_BYTES >> 20} MB and {RATIO} times its own size are taken"
                )
            left = MOST_BYTES
            for info in inside:
                if info.flag_bits & 1:
                    raise BadInput(f"{file.name}: it is locked by a password")
                target = folder / safe_path(info.filename)
                target.parent.mkdir(parents=True, exist_ok=True)
                with packed.open(info) as stream:
                    data = stream.read(left + 1)  # what a head says of its size need not be true
                left -= len(data)
                if left < 0:
                    raise BadInput(f"{file.name}: it swells beyond {MOST_BYTES >> 20} MB")
                target.write_bytes(data)
    except (zipfile.BadZipFile, EOFError, NotImplementedError, RuntimeError, OSError) as error:
        raise BadInput(f"{file.name}: cannot be unpacked: {error}") from None


# ---- looking at it -------------------------------------------------------------------------------------
def candidates(folder: Path) -> Iterator[Path]:
    """Files that may describe a robot or world: plain ones before macros, shallow ones before deep ones."""

    def rank(path: Path) -> tuple[int, int, str]:
        kind = next(i for i, end in enumerate(KINDS) if path.name.lower().endswith(end))
        return kind, len(path.parts), path.name

    found = [p for p in folder.rglob("*") if p.is_file() and p.name.lower().endswith(KINDS)]
    skipped = {"package.xml", "manifest.xml"}
    yield from sorted((p for p in found if p.name.lower() not in skipped), key=rank)[:CANDIDATES]


def looked_at(folder: Path) -> Entry:
    """What a folder holds: the first candidate without errors, else the first that can be read all the same."""
    from andante.description.check.report import check_file
    from andante.description.load import load_robot, load_world

    wrong: list[dict[str, str]] = []
    readable: Entry | None = None
    for path in candidates(folder):
        inside = str(path.relative_to(folder))
        try:
            report = check_file(str(path))
        except (AndanteError, RecursionError) as error:
            wrong.append({"severity": "error", "where": inside, "message": _short(str(error), folder)})
            continue
        problems = [_told(problem.as_dict(), folder) for problem in report.problems[:TOLD]]
        found = Entry(
            folder.name, report.kind, report.name, inside, report.links, report.joints, report.mass, problems,
            time.time(),
        )  # fmt: skip
        if report.ok:
            return found
        wrong += problems
        if readable is None:
            with contextlib.suppress(AndanteError):
                (load_robot if report.kind == "robot" else load_world)(path)
                readable = found
    if readable is not None:
        return readable
    if not wrong:
        kinds = ", ".join(KINDS)
        wrong = [{"severity": "error", "where": "", "message": f"there is no robot or world in it ({kinds})"}]
    return Entry(folder.name, problems=wrong[:TOLD], added=time.time())


def _told(problem: dict[str, str], folder: Path) -> dict[str, str]:
    return {key: _short(text, folder) for key, text in problem.items()}


def _short(text: str, folder: Path) -> str:
    """A message without the path of the gallery."""
    return text.replace(f"{folder}/", "").replace(str(folder), "")


def main(words: list[str]) -> int:
    """`python -m andante.studio.gallery FOLDER`: what it holds, as a line of JSON."""
    found: dict[str, Any] = asdict(looked_at(Path(words[0])))
    print(json.dumps(found))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
