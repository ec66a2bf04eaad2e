"""Files that are read within a limit, and written whole or not at all: first beside their place, then renamed."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Self

from andante.errors import BadInput, MissingFile, one_line
from andante.parsing import parse_toml

MOST_BYTES = 32 * 1024 * 1024  # of a file that is read at once
PACKED = (".gz", ".bz2", ".xz", ".zst", ".zip", ".7z", ".lz4")  # ends of names of files that must be unpacked
MOST_TEXT = 1024 * 1024  # of a file of settings, by hand or by program [bytes]
RECORDINGS = (".csv", ".mcap", ".bag")
VIDEOS = (".mp4", ".gif", ".webp")
PICTURES = (".png", ".jpg", ".jpeg", ".webp")


def session_folder(folder: Path | str | None) -> Path:
    """Where a live session keeps recordings, clips, studies and what the user brings; ./andante_sessions by default."""
    return Path(folder) if folder is not None else Path.cwd() / "andante_sessions"


class Closing:
    """Something that is closed at the end of a `with` block."""

    def close(self) -> None:
        """End it."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def read_bytes(path: Path, limit: int = MOST_BYTES) -> bytes:
    """Contents of a regular file no longer than the limit [bytes]; BadInput in one line where it is none."""
    try:
        status = path.stat()
        if stat.S_ISDIR(status.st_mode):
            raise BadInput(f"{path} is a folder, a file is wanted")
        if not stat.S_ISREG(status.st_mode):
            raise BadInput(f"{path} is not a regular file; refused")
        if status.st_size > limit:
            raise BadInput(f"{path} has {status.st_size / 1e6:.0f} MB; files over {limit / 1e6:.0f} MB are refused")
        with path.open("rb") as stream:
            data = stream.read(status.st_size + 1)
            if len(data) > status.st_size:  # it has grown, or is one of the system's, which have no size
                data += stream.read(limit + 1 - len(data))
    except BadInput:
        raise
    except FileNotFoundError:
        raise MissingFile(f"{path}: no such file") from None
    except (OSError, ValueError) as error:
        raise BadInput(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}") from None
    if len(data) > limit:
        raise BadInput(f"{path} gives more than {limit / 1e6:.0f} MB; refused")
    return data


def read_text(path: Path, limit: int = MOST_TEXT) -> str:
    """The UTF-8 text of such a file, without a byte order mark."""
    try:
        return read_bytes(path, limit).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise BadInput(f"{path}: not a text in UTF-8") from None


def write_whole(path: Path, text: str) -> None:
    """Write a file atomically: afterwards it is the old or the new one, on the disk itself."""
    with whole_file(path) as partial, partial.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


def read_toml(path: Path, limit: int = MOST_TEXT) -> dict[str, Any]:
    """The table of a TOML file; what is wrong with it is told in one line that names the file."""
    data = read_bytes(path, limit)
    try:
        return parse_toml(data.decode("utf-8"))
    except ValueError as error:
        raise BadInput(f"{path}: not valid TOML ({one_line(error)})") from None


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """A path beside `path`, with the same suffix, to write to; it takes the place of `path` when the block is over.

    Whatever ends the block early leaves `path` as it was and nothing beside it.
    """
    partial = path.with_name(f".{path.stem}.{os.getpid()}.partial{path.suffix}")
    try:
        yield partial
        partial.replace(path)
    except OSError as error:
        raise BadInput(f"{path} cannot be written: {error.strerror or error}") from None
    finally:
        partial.unlink(missing_ok=True)


def write_bytes(data: bytes, path: Path) -> None:
    """Write one file."""
    write_all([(data, path)])


@contextmanager
def made_folder(path: Path) -> Iterator[None]:
    """The folder exists in the block; if that ends early, folders made for it go again where they are empty."""
    made = [each for each in (path, *path.parents) if not each.exists()]
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadInput(f"folder {path} cannot be made: {error.strerror or error}") from None
    try:
        yield
    except BaseException:
        with suppress(OSError):
            for each in made:
                each.rmdir()
        raise


def write_all(files: Sequence[tuple[bytes | Path, Path]]) -> None:
    """Write several files, from bytes or as copies of others: first all beside their targets, then renamed."""
    made: list[tuple[Path, Path]] = []
    path = files[0][1] if files else Path()
    try:
        for data, path in files:
            if path.is_dir():
                raise IsADirectoryError(None, "it is a folder")
            handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
            made.append((Path(name), path))
            with os.fdopen(handle, "wb") as file:
                if isinstance(data, Path):
                    with data.open("rb") as source:
                        shutil.copyfileobj(source, file)
                else:
                    file.write(data)
            Path(name).chmod(0o644)
        for temporary, path in made:
            temporary.replace(path)
    except OSError as error:
        raise BadInput(f"{path} cannot be written: {error.strerror or error}") from None
    finally:
        for temporary, _ in made:
            temporary.unlink(missing_ok=True)


def check_outputs(wanted: Mapping[str, tuple[Path | str | None, Sequence[str]]]) -> dict[str, Path | None]:
    """Raise BadInput when a file cannot be written: wrong suffix, no folder, a folder itself, or asked for twice.

    wanted: what it is ("recordings") to the path, None where it is not asked for, and the suffixes that it may have.
    The paths by what they are.
    """
    taken: set[Path] = set()
    paths: dict[str, Path | None] = {}
    for what, (named, suffixes) in wanted.items():
        path = paths[what] = None if named is None else Path(named)
        if path is None:
            continue
        if path.suffix.lower() not in suffixes:
            known = " or ".join(filter(None, (", ".join(suffixes[:-1]), suffixes[-1])))
            raise BadInput(f"{path}: {what} are written as {known}")
        try:
            if not path.absolute().parent.is_dir():
                raise MissingFile(f"{path}: the folder does not exist; make it first")
            if path.is_dir():
                raise BadInput(f"{path} is a folder; give a file name")
            if path.exists() and not path.is_file():
                raise BadInput(f"{path} is not a regular file; give another name")
        except BadInput:
            raise
        except OSError as error:
            raise BadInput(f"{path} cannot be written: {error.strerror or error}") from None
        if path.absolute() in taken:
            raise BadInput(f"{path} is asked for twice; give two names")
        taken.add(path.absolute())
    return paths
